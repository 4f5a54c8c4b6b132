"""Targets of relationships, where the file has a relationship and not an attribute of the same name."""

from pxr import Sdf, Tf, Usd

NO_RELATIONSHIP = "must be a relationship, and is an attribute; author rel {name} = </path>"
NO_ATTRIBUTE = "must be an attribute, and is a relationship: dropped"


def targets_of(prim: Usd.Prim, name: str) -> list[Sdf.Path] | None:
    """The targets of a relationship, none where there is no such property; None where it is an attribute."""
    relationship = prim.GetRelationship(name)
    if not relationship:
        return None if prim.HasAttribute(name) else []
    try:
        return relationship.GetTargets()
    except Tf.ErrorException:  # a schema declares a relationship, the file an attribute
        return None


def is_relationship(prim: Usd.Prim, name: str) -> bool:
    """Whether the file has a relationship under a name, whatever a schema declares."""
    stack = prim.GetProperty(name).GetPropertyStack(Usd.TimeCode(0.0))
    return any(isinstance(spec, Sdf.RelationshipSpec) for spec in stack)
