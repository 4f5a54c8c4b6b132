"""The compiler: all that knows the internals of Taichi, and LLVM and PTX; see docs/compiler.md.

It makes code of the laws of `fajin.physics` and keeps it. It knows neither models nor the arrays of a simulation.
"""

from .packs import supports_packs
from .taichi_runtime import compiler_options, load_physics, start_taichi

__all__ = ["compiler_options", "load_physics", "start_taichi", "supports_packs"]
