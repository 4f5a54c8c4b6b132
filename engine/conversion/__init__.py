"""Conversion of URDF and MJCF robots to USD scenes that can be simulated."""

from .conversion import Conversion, convert
from .converter import ConverterError

__all__ = ["Conversion", "ConverterError", "convert"]
