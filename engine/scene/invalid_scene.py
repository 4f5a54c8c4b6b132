"""The error for a scene that cannot be simulated, with its fields; its text is built from them."""

from typing import Any

from ..errors import LONGEST_LINE, one_line, shorten

LONGEST_VALUE = 120  # letters of a value in a message


class InvalidScene(ValueError):
    """A scene that cannot be simulated. Its text is one line, `PLACE = VALUE: must be RULE; FIX`.

    Args:
        prim: path of the prim; or the name of a degree of freedom or tendon; "" if none is at fault.
        attribute: attribute, relationship, schema or argument; "" for the whole prim.
        value: the value; "" if there is none.
        rule: what the value, or the place, must be.
        fix: how to correct it, an imperative.
        file: path of the file, if the file itself is at fault.
    """

    def __init__(
        self, prim: Any = "", attribute: str = "", value: Any = "", rule: str = "", fix: str = "", file: Any = ""
    ):
        texts = list(map(one_line, (prim, attribute, value, rule, fix, file)))
        super().__init__(*texts)
        self.prim, self.attribute, self.value, self.rule, self.fix, self.file = texts

    def of_file(self, path: Any) -> "InvalidScene":
        """Return the error with the file whose content is at fault."""
        return InvalidScene(self.prim, self.attribute, self.value, self.rule, self.fix, path)

    def __str__(self) -> str:
        """Return one line: file: prim.attribute = value: must be rule; fix. Parts of a long line are shortened."""
        line = _line(self.prim, self.attribute, self.value, self.rule, self.fix, self.file)
        return line if len(line) <= LONGEST_LINE else _line(*(shorten(part, LONGEST_LINE // 7) for part in self.args))


def _line(prim: str, attribute: str, value: str, rule: str, fix: str, file: str) -> str:
    """Return the text of an error from its fields."""
    where = (file, place(prim, attribute, value))
    return f"{': '.join(filter(None, where))}: must be {rule}; {fix}"


def place(prim: str, attribute: str, value: str) -> str:
    """Return prim.attribute = value, without the parts that are empty; long values, such as points, are shortened."""
    name = f"{prim}.{attribute}" if prim and attribute else prim or attribute
    return f"{name} = {shorten(value, LONGEST_VALUE)}" if value else name


def nothing_moves(file: Any) -> InvalidScene:
    """Return the error for a scene in which nothing moves, where something must."""
    fix = "apply PhysicsRigidBodyAPI to a prim that is not kinematic"
    return InvalidScene(file=file, rule="a stage with a rigid body that can move", fix=fix)


def invalid_pattern(pattern: str, error: KeyError, of: str = "joint") -> InvalidScene:
    """Return the error for a regular expression that is none, or that matches none, of joints or of bodies."""
    reason, _, known = str(error.args[0]).partition("; ")
    fix = f"{known}, choose among them" if known.startswith("there are") else known or "correct the expression"
    wanted = {"joint": "degrees of freedom", "body": "rigid bodies"}[of]
    return InvalidScene("", f"{of} pattern", pattern, f"a regular expression of {wanted} ({reason})", fix)
