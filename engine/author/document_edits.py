"""Differences between the document of a scene and one that a tool has edited: the values to write, by entry."""

from collections.abc import Iterator
from math import inf, isfinite
from typing import Any

from ..scene import InvalidScene
from ..usd.document.quantity import KEYS
from ..usd.document.scene_document import FORMAT, VERSION

NAMES = ("prim", "name", "dof")  # what identifies an entry of a list
READ_ONLY = "as in the document that `fajin inspect --json` prints, because it is read-only"
UNCHANGED = object()


def check_format(document: Any) -> None:
    """Raise InvalidScene for a value that is not a document of this version."""
    if not isinstance(document, dict):
        raise InvalidScene("document", rule="a document as of `fajin inspect --json`", fix="give such an object")
    for key, wanted in (("format", FORMAT), ("version", VERSION)):
        if document.get(key) != wanted:
            raise invalid("document", key, document.get(key), f"{wanted}", "print it again: fajin inspect SCENE --json")


def invalid(place: str, key: str, value: Any, rule: str, fix: str) -> InvalidScene:
    """Return the error about a key of an entry."""
    return InvalidScene(place, key, f"{value}"[:60], rule, fix)


def pairs(now: list[dict], given: Any, place: str) -> Iterator[tuple[dict, dict]]:
    """Yield the entries of a list that an edited document has, with the scene's; entries may be left out.

    Raises:
        InvalidScene: an entry is not one of the scene's, or occurs twice.
    """
    if not isinstance(given, list):
        raise invalid(place, "", given, "a list of entries", "leave it out to change nothing")
    scene, taken = {name_of(entry): entry for entry in now}, set()
    for entry in given:
        name = name_of(entry)
        if name not in scene or name in taken:
            rule = "one of the scene's, and occur once"
            raise invalid(place, "", name or entry, rule, f"name one of {', '.join(scene)[:200] or 'none'}")
        taken.add(name)
        yield scene[name], entry


def name_of(entry: Any) -> str:
    """Return what identifies an entry; "" if nothing does."""
    return next((str(entry[key]) for key in NAMES if key in entry), "") if isinstance(entry, dict) else ""


def differing_values(now: dict, given: Any, place: str, nested: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the values that differ, in SI units, by field: infinite where the document has null.

    Args:
        now: the scene's entry.
        given: the edited entry, from which fields may be left out.
        place: prim or name, for errors.
        nested: fields that have entries of their own.

    Raises:
        InvalidScene: a field is unknown, read-only and another, in another unit, or of another type.
    """
    if not isinstance(given, dict):
        raise invalid(place, "", given, "an object with fields as of `fajin inspect --json`", "give such an object")
    found = {}
    for key, value in given.items():
        if key in nested:
            continue
        if key not in now:
            raise invalid(place, key, value, f"one of {', '.join(now)}", "leave it out")
        if not is_quantity(now[key]):
            if value != now[key]:
                raise invalid(place, key, value, READ_ONLY, "leave it out, or author the attributes that decide it")
        elif (new := value_of(now[key], value, place, key)) is not UNCHANGED:
            found[key] = new
    return found


def is_quantity(value: Any) -> bool:
    """Return whether a value of a document is a quantity."""
    return isinstance(value, dict) and "attribute" in value


def value_of(now: dict, given: Any, place: str, key: str) -> Any:
    """Return the value of a quantity if it differs from the scene's, else UNCHANGED."""
    if not isinstance(given, dict) or "value" not in given or set(given) - set(KEYS):
        raise invalid(place, key, given, f"an object of {', '.join(KEYS)}", 'write it as {"value": 1.5}')
    if given.get("unit", now["unit"]) != now["unit"]:
        raise invalid(place, f"{key}.unit", given["unit"], f"{now['unit'] or 'empty'}", "convert the value to SI units")
    value, held = given["value"], now["value"]
    if value == held and type(value) is type(held):
        if given.get("file_value", now["file_value"]) != now["file_value"] and given.get("layer") == now["layer"]:
            raise invalid(place, f"{key}.file_value", given["file_value"], READ_ONLY, "edit `value` instead")
        return UNCHANGED
    check_type(now, value, place, key)
    if value is None:
        return -inf if key == "lower" else inf
    return tuple(map(float, value)) if isinstance(value, list) else value


def check_type(now: dict, value: Any, place: str, key: str) -> None:
    """Raise InvalidScene for a value of another type than the scene's; numbers may be null, and null a number."""
    held = now["value"]

    def is_number(x: Any) -> bool:
        return type(x) in (int, float) and isfinite(x)

    if isinstance(held, bool | str):
        if type(value) is not type(held):
            raise invalid(place, key, value, "true or false" if type(held) is bool else "a token", "give such a value")
    elif isinstance(held, list):
        if not isinstance(value, list) or len(value) != len(held) or not all(map(is_number, value)):
            raise invalid(place, key, value, f"a list of {len(held)} finite numbers", "give such a list")
    elif value is not None and not is_number(value):
        raise invalid(place, key, value, "a finite number, or null for none", "give such a number")
