"""Attribute checks of a simulation: a misspelt name raises an error that suggests the right one."""

from typing import TYPE_CHECKING, Any

from ..selection import suggestion


class Names:
    """Base class whose attributes are fixed once the object is complete."""

    _complete = False

    if not TYPE_CHECKING:  # a type checker that sees these takes any name for an attribute

        def __getattr__(self, name: str) -> Any:
            """Raise AttributeError; Python calls this for missing attributes only."""
            if name in dir(type(self)):  # a property that raised AttributeError itself
                return object.__getattribute__(self, name)
            raise AttributeError(f"{type(self).__name__} has no {name!r}{self._meant(name)}")

        def __setattr__(self, name: str, value: Any) -> None:
            """Set a field or a property, or any attribute until the object is complete.

            Raises:
                AttributeError: no such name, or a name that cannot be set.
            """
            declared = hasattr(getattr(type(self), name, None), "__set__")
            own = name.startswith("_") and name in vars(self)
            if self._complete and not (declared or own):
                if name in dir(self):
                    raise AttributeError(f"{type(self).__name__}.{name} cannot be set")
                raise AttributeError(f"{type(self).__name__} has no {name!r}{self._meant(name)}")
            object.__setattr__(self, name, value)

    def _meant(self, name: str) -> str:
        return suggestion(name, [other for other in dir(self) if not other.startswith("_")])
