"""InvalidScene carries fields, and its text is built from them: PLACE = VALUE: must be RULE; FIX."""

import ast
import pickle
import re
from functools import cache

import pytest
from meta.house import tree
from paths import ROOT
from usda import arm, stage

import fajin
from fajin.check.values import finding_from_error
from fajin.errors import LONGEST_LINE, shorten
from fajin.scene import InvalidScene

FILES = [path for folder in ("engine", "tools") for path in (ROOT / folder).rglob("*.py")]
FIELDS = ("prim", "attribute", "value", "rule", "fix", "file")


@cache
def errors() -> list[tuple[str, dict[str, ast.expr]]]:
    """Every construction of InvalidScene in the code: its place, and its arguments by field."""
    found = []
    for path in FILES:
        for node in ast.walk(tree(path)):
            name = isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name == "InvalidScene" and not any(isinstance(arg, ast.Starred) for arg in node.args):
                named = dict(zip(FIELDS, node.args, strict=False)) | {word.arg: word.value for word in node.keywords}
                found.append((f"{path.relative_to(ROOT)}:{node.lineno}", named))
    return found


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        (
            ("/r/elbow", "physics:mass", -1, "positive", "author it"),
            "/r/elbow.physics:mass = -1: must be positive; author it",
        ),
        (("/r/elbow", "", "", "a joint", "name one"), "/r/elbow: must be a joint; name one"),
        (("", "dt", 0.0, "positive", "give such a step"), "dt = 0.0: must be positive; give such a step"),
        (("", "", "", "a file", "give one", "a.usda"), "a.usda: must be a file; give one"),
        (("/r", "x", 1, "2", "say 2", "a.npz"), "a.npz: /r.x = 1: must be 2; say 2"),
        (("/r", "x", "1\n 2", "2", "say 2"), "/r.x = 1 2: must be 2; say 2"),
    ],
)
def test_the_text_is_built_from_the_fields(fields, text):
    error = InvalidScene(*fields)
    assert str(error) == text
    assert isinstance(error, ValueError)


@pytest.mark.parametrize("field", range(len(FIELDS)))
def test_a_message_is_short_however_long_a_field_is(field):
    """A mutated file may hold a name of a megabyte: the line keeps both ends of the field, the error keeps it all."""
    fields = ["/prim", "attribute", "value", "rule", "fix", "file"]
    fields[field] = long = "begin" + "x" * 1_000_000 + "end"
    error = InvalidScene(*fields)
    assert len(str(error)) <= LONGEST_LINE
    assert re.search("beginx+…x+end", str(error))
    assert getattr(error, FIELDS[field]) == long


def test_a_message_with_many_long_fields_is_short():
    line = str(InvalidScene(*("x" * 900 for _ in FIELDS)))
    assert len(line) <= LONGEST_LINE
    assert line.count("…") == len(FIELDS)


@pytest.mark.parametrize("length", [*range(1, 12), 10_000])
@pytest.mark.parametrize("longest", [1, 2, 7, 10])
def test_a_shortened_text_keeps_its_ends(length, longest):
    """It has at most the wanted length, and a text that has that length stays."""
    text = "".join(chr(0x4E00 + i) for i in range(length))
    short = shorten(text, longest)
    if length <= longest:
        assert short == text
    else:
        assert len(short) == longest
        head, tail = short.split("…")
        assert text.startswith(head)
        assert text.endswith(tail)
        assert 0 <= len(head) - len(tail) <= 1


def test_an_error_survives_a_process():
    error = InvalidScene("/r", "x", 1, "2", "say 2", "a.npz")
    other = pickle.loads(pickle.dumps(error))
    assert str(other) == str(error)
    assert vars(other) == vars(error)


def test_every_error_gives_a_rule_and_a_fix_and_a_place():
    found = errors()
    assert len(found) > 90
    assert [place for place, named in found if not {"rule", "fix"} <= set(named)] == []
    assert [place for place, named in found if not {"prim", "file"} & set(named)] == []


def test_a_rule_continues_must_be_and_a_fix_is_an_order():
    """The text adds `must be`, and no field ends in a full stop."""
    words = {
        place: (named["rule"].value, named["fix"].value)
        for place, named in errors()
        if all(isinstance(named[field], ast.Constant) for field in ("rule", "fix"))
    }
    assert len(words) > 40
    assert [place for place, (rule, fix) in words.items() if rule.startswith(("must", "be "))] == []
    assert [
        place for place, (rule, fix) in words.items() if rule.endswith(".") or fix.endswith(".") or ";" in rule
    ] == []


def test_a_reader_tells_the_fields(tmp_path):
    path = stage(tmp_path, arm(link="float physics:mass = -2"))
    with pytest.raises(InvalidScene) as error:
        fajin.read(path)
    said = error.value
    assert (said.prim, said.attribute, said.value) == ("/robot/link", "physics:mass", "-2.0")
    assert said.rule == "finite and 0 or more"
    assert said.fix.startswith("author")


def test_the_findings_of_an_error_have_its_fields(tmp_path):
    path = stage(tmp_path, arm(link="float physics:mass = -2"))
    (found,) = (f for f in fajin.check.check(path) if f.rule == "invalid-value")
    assert (found.prim, found.attribute, found.value) == ("/robot/link", "physics:mass", "-2.0")
    assert found.message == "must be finite and 0 or more"
    assert found.fix.startswith("author")


def test_an_error_of_a_file_is_a_finding_of_the_stage():
    """The path of the file is no prim, though it begins with a slash."""
    found = finding_from_error("invalid-scene", InvalidScene(file="/scene.usda", rule="a stage", fix="export it"))
    assert (found.prim, found.attribute, found.value) == ("/", "", "")
    assert found.message == "must be a stage"
