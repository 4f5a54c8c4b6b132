"""How far the indices of kernels reach: they have 32 bits, one of them the sign."""

ELEMENTS = (1 << 31) - 1
"""Elements of an array at most."""

PACKED_ELEMENTS = 1 << 28
"""The same of a buffer in which the rows of a pack of worlds lie together."""

BYTES = 1 << 31
"""Bytes of an array at most where a shader counts them, not elements (Vulkan)."""
