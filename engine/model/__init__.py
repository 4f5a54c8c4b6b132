"""Compiled scenes: arrays in PhysX's order, validated and stored in one file; needs neither USD nor Taichi."""

from .model import Model

__all__ = ["Model"]
