"""References to numbers of a scene by text: "elbow:stiffness", "link.*:mass*", "tool:inertia*", "gravity.z"."""

import re
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ...selection import resolve_key, short_names, suggestion
from ...simulation.field import Field
from ...simulation.fields import Fields
from ...simulation.value_rules import allowed
from ...tables.parameter import VALUES
from .. import InvalidJob

COMPONENTS = {1: (), 3: ("x", "y", "z"), 6: ("xx", "xy", "xz", "yy", "yz", "zz")}
COMPONENTS |= {7: ("x", "y", "z", "qx", "qy", "qz", "qw")}
VELOCITY = ("x", "y", "z", "wx", "wy", "wz")

FORM = re.compile(r"(?:(?P<pattern>.*):)?(?P<quantity>[a-z]\w*)(?:\.(?P<component>\w+))?(?P<change>[*+]?)")

CHANGES = {"": lambda old, new: new, "*": lambda old, new: old * new, "+": lambda old, new: old + new}
"""Effect of a value on the scene's value: replace, multiply, add."""


class NamedColumns(Protocol):
    """Names of the columns of a scene, of a simulation or without one."""

    @property
    def dof(self) -> tuple[str, ...]: ...
    @property
    def link(self) -> tuple[str, ...]: ...
    @property
    def articulation(self) -> tuple[str, ...]: ...
    @property
    def maximal_dof(self) -> tuple[str, ...]: ...
    @property
    def actuator(self) -> tuple[str, ...]: ...
    @property
    def bound_point(self) -> tuple[str, ...]: ...
    @property
    def pair_kind(self) -> tuple[str, ...]: ...


@dataclass(frozen=True)
class ParameterRef:
    """A reference to a number of the scene, and the effect of a value on it."""

    text: str  # the original text
    pattern: str  # regular expression of column names; "" for scene fields
    quantity: str
    component: str  # "" for all components
    change: str  # see CHANGES

    @classmethod
    def parse(cls, text: str) -> "ParameterRef":
        """Parse "REGEX:quantity", with ".x" for a component, and "*" or "+" to multiply or add.

        Raises:
            InvalidJob: unknown quantity, or one that cannot be set.
        """
        match = FORM.fullmatch(text)
        if not match:
            raise InvalidJob(f"{text}: must be NAME:quantity, such as elbow:stiffness or link.*:mass*")
        setting = cls(text, match["pattern"] or "", match["quantity"], match["component"] or "", match["change"])
        names = [q.name for q in Fields.quantities() if not q.readonly]
        if setting.quantity not in names:
            near = suggestion(setting.quantity, names) or f", one of {', '.join(names)}"
            raise InvalidJob(f"{text}: must be NAME:quantity with a quantity that can be set{near}")
        of_scene = setting.of == "axis"
        if of_scene == bool(setting.pattern):
            raise InvalidJob(
                f"{text}: must not name columns: the scene has one {setting.quantity}; write {setting.quantity}.z"
                if of_scene
                else f"{text}: does not name a {setting.of}; write NAME:{setting.quantity}"
            )
        setting.check_component()
        return setting

    @property
    def of(self) -> str:
        """Kind of the columns: dof | link | articulation | maximal_dof | actuator | bound_point | pair | axis."""
        return self._quantity.of

    @property
    def _quantity(self) -> Field:
        return Fields.quantity(self.quantity)

    @property
    def components(self) -> tuple[str, ...]:
        """Names of the components of a column, or of the axes; () for a single number."""
        if self.quantity == "root_velocity":
            return VELOCITY
        return COMPONENTS[3 if self.of == "axis" else int(np.prod(self._quantity.numbers))]

    def check_component(self) -> None:
        """Raise InvalidJob for an unknown or missing component."""
        if self.component and self.component not in self.components:
            among = ", ".join(self.components) or "empty: the quantity is one number"
            raise InvalidJob(f"{self.text}: component {self.component!r} must be {among}")
        if self.components and not self.component and self.change != "*":
            raise InvalidJob(
                f"{self.text}: must name a component, .{self.components[0]} to .{self.components[-1]}, "
                "or scale all components with *="
            )

    def columns(self, names: NamedColumns) -> list[int]:
        """Return the indices of the matching columns; `names` has `dof`, `link` and `articulation`.

        Raises:
            InvalidJob: no column matches.
        """
        if self.of == "axis":
            return [0, 1, 2] if not self.component else [self.components.index(self.component)]
        try:
            found = resolve_key(self.pattern, getattr(names, self.of), self.of)
        except KeyError as error:
            raise InvalidJob(f"{self.text}: {error.args[0]}") from None
        return found if isinstance(found, list) else [found]

    def each(self, names: NamedColumns) -> list["ParameterRef"]:
        """Return one reference per matching column."""
        if self.of == "axis":
            return [self]
        columns = getattr(names, self.of)
        tail = f"{self.quantity}{'.' * bool(self.component)}{self.component}{self.change}"
        shorts = short_names(columns)
        own = [shorts[i] for i in self.columns(names)]
        return [ParameterRef(f"{name}:{tail}", name, self.quantity, self.component, self.change) for name in own]

    def put(self, array: np.ndarray, values: np.ndarray, names: NamedColumns) -> None:
        """Apply one value per world, (W,), to the array (W, C) or (W, C, n) of the quantity."""
        index: list[slice | int | list[int]] = [slice(None), self.columns(names)]
        shape = (-1, 1)
        if array.ndim == 3:
            index.append(self.components.index(self.component) if self.component else slice(None))
            shape = (-1, 1) if self.component else (-1, 1, 1)
        array[tuple(index)] = CHANGES[self.change](array[tuple(index)], values.reshape(shape))

    def check(self, values: np.ndarray, place: str) -> None:
        """Raise InvalidJob for a value against the rule of the quantity; `place` names its origin in the message.

        A factor is finite and has the sign that the quantity must have, a summand is finite. What they lead to is
        checked when it is set.
        """
        rule = "any" if self.change == "+" or self._quantity.rule == "definite" else self._quantity.rule
        rule = rule.partition(",")[0] if self.change else rule
        good = allowed(rule, values)
        if not good.all():
            raise InvalidJob(f"{place}, {self.text} = {values[good.argmin()]:g}: must be {VALUES[rule]}")
