"""Range of the indices of kernels, which have 32 bits, one of them the sign."""

ELEMENTS = (1 << 31) - 1
"""Largest number of elements of an array."""

PACKED_ELEMENTS = 1 << 28
"""Largest number of elements of a buffer of packs of worlds."""

TILED_ELEMENTS = 1 << 30
"""Largest number of elements of a buffer of tiles of worlds."""

BYTES = 1 << 31
"""Largest number of bytes of an array where a shader counts bytes instead of elements (Vulkan)."""
