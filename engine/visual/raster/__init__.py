"""Pictures of scenes by a z-buffer, on a machine without GPU, OpenGL or display."""

from ... import device  # noqa: F401  # settles Taichi's environment before Taichi is imported
