"""Names of the properties that prims author, and their schemas, read once per prim until the stage changes."""

from dataclasses import dataclass

from pxr import Tf, Usd

CLIPS = "clips"
"""Metadata of value clips, whose attributes need no specs in the stage's layers."""


@dataclass(frozen=True)
class AuthoredNames:
    """Properties and schemas of a prim."""

    names: frozenset[str]
    schemas: frozenset[str]  # applied API schemas, registered or not, and "" for what needs none
    clipped: bool  # True if value clips of the prim, or of one above it, may have values of any attribute

    def may_hold(self, name: str) -> bool:
        """Return whether an attribute may have an authored value."""
        return name in self.names or self.clipped


class NamesOfPrims:
    """The authored names of each prim of a stage."""

    def __init__(self, stage: Usd.Stage):
        self._known: dict[Usd.Prim, AuthoredNames] = {}
        self._listener = Tf.Notice.Register(Usd.Notice.ObjectsChanged, self._forget, stage)

    def of(self, prim: Usd.Prim) -> AuthoredNames:
        """Return what a prim authors."""
        known = self._known.get(prim)
        if known is None:
            known = self._known[prim] = AuthoredNames(
                frozenset(prim.GetAuthoredPropertyNames()),
                frozenset(("", *prim.GetPrimTypeInfo().GetAppliedAPISchemas())),
                self._is_clipped(prim),
            )
        return known

    def _is_clipped(self, prim: Usd.Prim) -> bool:
        """Return whether value clips apply to a prim."""
        if prim.HasAuthoredMetadata(CLIPS):
            return True
        above = prim.GetParent()
        return bool(above) and self.of(above).clipped

    def _forget(self, *_: object) -> None:
        """Read all names again: the stage has changed."""
        self._known.clear()
