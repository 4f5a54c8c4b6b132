"""Attributes of collision shapes, in units of their prim, whose scale applies; defaults are those of USD."""

from .attribute import Attribute

ALONG = Attribute("axis", "axis", 2, tokens={"X": 0, "Y": 1, "Z": 2})
SHAPES = {  # prim type: the rows of its size
    "Plane": (ALONG,),
    "Cube": (Attribute("size", "size", 2.0),),
    "Sphere": (Attribute("radius", "radius", 1.0),),
    "Cylinder": (Attribute("radius", "radius", 1.0), Attribute("height", "height", 2.0), ALONG),
    "Capsule": (Attribute("radius", "radius", 0.5), Attribute("height", "height", 1.0), ALONG),
    "Cone": (Attribute("radius", "radius", 1.0), Attribute("height", "height", 2.0), ALONG),
}
