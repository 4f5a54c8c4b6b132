"""Targets of relationships, for files that may have an attribute of the same name instead."""

from pxr import Sdf, Tf, Usd


def targets_of(prim: Usd.Prim, name: str) -> list[Sdf.Path] | None:
    """Return the targets of a relationship; an empty list if it does not exist, None if it is an attribute."""
    relationship = prim.GetRelationship(name)
    if not relationship:
        return None if prim.HasAttribute(name) else []
    try:
        return relationship.GetTargets()
    except Tf.ErrorException:  # a schema declares a relationship, but the file an attribute
        return None


def is_relationship(prim: Usd.Prim, name: str) -> bool:
    """Return whether the file has a relationship of a name, regardless of the schema."""
    stack = prim.GetProperty(name).GetPropertyStack(Usd.TimeCode(0.0))
    return any(isinstance(spec, Sdf.RelationshipSpec) for spec in stack)
