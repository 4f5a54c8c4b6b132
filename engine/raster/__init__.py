"""Pictures of scenes by a z-buffer, on a machine without GPU, OpenGL or display."""
