"""Places of the numbers that describe a view, in one array of floats and one of integers."""

EYE, FORWARD, RIGHT, UP, SUN = 0, 3, 6, 9, 12
FLOOR, FADE, CELL, ANGLE, BIAS = 15, 16, 17, 18, 19
TOP, HORIZON = 20, 23
GLASS = 26  # 1: the floor hides nothing
VIEW = 27
"""Number of floats."""

MAP_TEXELS = 0  # across the shadow map
AXIS = 1  # that points up
SHAPES = 2  # of one world
TRANSPARENT = 3  # 1: the background is
SETTINGS = 4
"""Number of integers."""
