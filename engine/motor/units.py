"""Numbers with units in the notation of data sheets: "320 rpm", "30.2 mNm/A", "0.67 Ω", "3.14 rpm/mNm", "85 %".

A unit is a product and quotient of `SYMBOLS` and their squares; all factors after a "/" are divisors. min⁻¹ means
turns. A quantity without a unit, or with a unit of the wrong kind, is refused.
"""

import re
from collections import Counter
from math import isfinite, pi

from ..errors import InputError

ONE = Counter()
TURN, TIME, FORCE, LENGTH = (Counter({name: 1}) for name in ("rad", "s", "N", "m"))
VOLTAGE, CURRENT = Counter(V=1), Counter(A=1)


def quotient(above: Counter, *below: Counter) -> Counter:
    """Return the dimension of a quotient."""
    result = Counter(above)
    for dimension in below:
        result.subtract(dimension)
    return Counter({base: power for base, power in result.items() if power})


TORQUE = FORCE + LENGTH
SPEED = quotient(TURN, TIME)
MASS = quotient(FORCE + TIME + TIME, LENGTH)
INERTIA = MASS + LENGTH + LENGTH
SYMBOLS: dict[str, tuple[float, Counter]] = {  # SI and radians
    "1": (1.0, ONE),
    "%": (0.01, ONE),
    "rad": (1.0, TURN),
    **dict.fromkeys(("deg", "°"), (pi / 180.0, TURN)),
    **dict.fromkeys(("turn", "rev"), (2.0 * pi, TURN)),
    "s": (1.0, TIME),
    "ms": (1e-3, TIME),
    "min": (60.0, TIME),
    "rpm": (pi / 30.0, SPEED),
    "krpm": (1e3 * pi / 30.0, SPEED),
    "rps": (2.0 * pi, SPEED),
    "m": (1.0, LENGTH),
    "mm": (1e-3, LENGTH),
    "cm": (1e-2, LENGTH),
    "in": (0.0254, LENGTH),
    "ft": (0.3048, LENGTH),
    "N": (1.0, FORCE),
    "mN": (1e-3, FORCE),
    "kN": (1e3, FORCE),
    "kgf": (9.80665, FORCE),
    "lbf": (4.4482216152605, FORCE),
    "ozf": (0.27801385095378125, FORCE),
    "Nm": (1.0, TORQUE),
    "mNm": (1e-3, TORQUE),
    "kNm": (1e3, TORQUE),
    "Ncm": (1e-2, TORQUE),
    "Ns": (1.0, FORCE + TIME),
    "Nms": (1.0, TORQUE + TIME),
    "kg": (1.0, MASS),
    "g": (1e-3, MASS),
    "kgm2": (1.0, INERTIA),
    "gcm2": (1e-7, INERTIA),
    "V": (1.0, VOLTAGE),
    "mV": (1e-3, VOLTAGE),
    "kV": (1e3, VOLTAGE),
    "A": (1.0, CURRENT),
    "mA": (1e-3, CURRENT),
    **dict.fromkeys(("Ω", "\N{OHM SIGN}", "ohm", "Ohm"), (1.0, quotient(VOLTAGE, CURRENT))),
    **dict.fromkeys(("mΩ", "m\N{OHM SIGN}", "mohm", "mOhm"), (1e-3, quotient(VOLTAGE, CURRENT))),
}

KINDS: dict[str, tuple[str, Counter]] = {  # kinds of quantities, each with a usual unit
    "number": ("none or %", ONE),
    "speed": ("rpm or rad/s", SPEED),
    "linear speed": ("m/s", quotient(LENGTH, TIME)),
    "torque": ("N·m or mNm", TORQUE),
    "force": ("N", FORCE),
    "voltage": ("V", VOLTAGE),
    "current": ("A", CURRENT),
    "resistance": ("Ω or mΩ", quotient(VOLTAGE, CURRENT)),
    "torque constant": ("N·m/A or mNm/A", quotient(TORQUE, CURRENT)),
    "speed constant": ("rpm/V", quotient(SPEED, VOLTAGE)),
    "viscous friction": ("N·m·s/rad or mNm/rpm", quotient(TORQUE, SPEED)),
    "screw ratio": ("turn/m", quotient(TURN, LENGTH)),
}
NUMBER = re.compile(r"\s*([-+]?(?:inf|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?))(.*)", re.DOTALL)


class InvalidQuantity(InputError):
    """An invalid quantity; the message gives its name, value, rule and fix."""


def parse_quantity(name: str, text: str, *kinds: str) -> float:
    """Return the number in SI units and radians.

    Args:
        name: name of the quantity, for the message.
        text: number and unit, "320 rpm".
        kinds: the allowed keys of `KINDS`.

    Raises:
        InvalidQuantity: not a number, not positive and finite, without a unit or with a unit of another kind.
    """
    found = NUMBER.fullmatch(text)
    wanted = " or ".join(f"a {kind} in {KINDS[kind][0]}" for kind in kinds)
    if not found:
        raise InvalidQuantity(f"{name} = {text}: must be a number with its unit, {wanted}")
    value, words = float(found[1]), found[2].strip()
    scale, dimension = unit(f"{name} = {text}", words) if words else (1.0, ONE)
    if dimension not in [KINDS[kind][1] for kind in kinds]:
        if not words:
            raise InvalidQuantity(f"{name} = {text}: must have a unit; give {wanted}")
        other = next((f"a {kind}" for kind, (_, known) in KINDS.items() if known == dimension), "something else")
        raise InvalidQuantity(f"{name} = {text}: must not be {other}; give {wanted}")
    if not (isfinite(value) and value > 0.0):
        raise InvalidQuantity(f"{name} = {text}: must be positive and finite")
    return value * scale


def unit(place: str, words: str) -> tuple[float, Counter]:
    """Return the SI value and the dimension of a unit.

    Raises:
        InvalidQuantity: the unit is unknown; `place` is the beginning of the message.
    """
    for rate in ("min⁻¹", "min-1", "1/min"):
        words = words.replace(rate, "rpm")
    tokens = re.findall(r"[()/]|[^()/·*⋅\s]+", words)
    scale, dimension, rest = _product(place, tokens)
    if rest:
        raise InvalidQuantity(f"{place}: the brackets of the unit must match; remove one")
    return scale, quotient(dimension)


def _product(place: str, tokens: list[str]) -> tuple[float, Counter, list[str]]:
    """Return scale and dimension up to the closing bracket, and the remaining tokens."""
    scale, dimension, power = 1.0, Counter(), 1
    while tokens and tokens[0] != ")":
        token, *tokens = tokens
        if token == "/":
            power = -1
            continue
        if token == "(":
            factor, part, tokens = _product(place, tokens)
            tokens = tokens[1:]
        elif token.replace("²", "2") in SYMBOLS:
            factor, part = SYMBOLS[token.replace("²", "2")]
        elif token[-1] in "²2" and token[:-1] in SYMBOLS:
            factor, part = SYMBOLS[token[:-1]]
            factor, part = factor**2, part + part
        else:
            raise InvalidQuantity(f"{place}: {token} is not a known unit; choose among {', '.join(SYMBOLS)}")
        scale *= factor**power
        for base, exponent in part.items():
            dimension[base] += power * exponent
    return scale, dimension, tokens
