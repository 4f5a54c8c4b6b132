"""The laws of one step, one a file, as Taichi functions."""
