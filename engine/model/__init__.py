"""A scene as arrays: checked, laid out in PhysX's order, and kept in one file; neither USD nor Taichi is needed."""

from .model import Model

__all__ = ["Model"]
