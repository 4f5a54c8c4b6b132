"""One word per quantity, one rule for units, and the nearest word for a misspelt one, in all commands."""

import contextlib
import io
import os
import re
import subprocess
import sys
from math import radians

import pytest

import fajin
from fajin.tools.cli import COMMANDS, command_line, help_text

UNKNOWN = {  # command line: what the message ends with, or contains
    "author drive arm.usda --joint joint1 --stifness 1": "'--stiffness'",
    "author drive arm.usda --joint joint1 --max-effort 1": "'--max-force'",
    "simulate arm.usda --second 1": "'--seconds'",
    "author drive arm.usda --xyz 1": "fajin author drive --help",
    "inspekt arm.usda": "'inspect'",
    "bench robot": "'robots'",
    "author drvie arm.usda": "'drive'",
    "batch arm.usda -o s --grid joint2:kp=1,2": "'stiffness'",
    "batch arm.usda -o s --grid joint2:stifness=1,2": "'stiffness'",
    "batch arm.usda -o s --grid jont2:stiffness=1,2": "'joint2'",
    "simulate arm.usda --drive jont2=1,2": "joint2",
    "tune arm.usda --joint jont2 -w 10 -z 1": "'joint2'",
    "author limit arm.usda --joint jont2 --lower 1": "'joint2'",
    "check arm.usda --only gain-units": "'gain-unit'",
}


@pytest.mark.parametrize("line", UNKNOWN)
def test_an_unknown_word_answers_with_the_nearest(workshop, run, line):
    code, out, said = run(*line.split())
    assert (code, out, said.count("\n")) == (2, "", 1)
    assert UNKNOWN[line] in said


def angles(path: str, **names: str) -> list[float]:
    """Values of a joint's axis."""
    joint = next(j for a in fajin.read(path).articulations for j in a.joints if j.path.endswith("/joint1"))
    return [getattr(joint.axes[0], name) for name in names]


@pytest.mark.parametrize(("option", "lower"), [("", -0.1), (" --degrees", radians(-0.1))])
def test_angles_are_radians_unless_degrees_are_asked_for(workshop, author, option, lower):
    """A unit always counts, and the option ends with its command."""
    assert author(f"limit arm.usda --joint joint1 --lower -0.1 --upper 1rad{option} -o e.usda")[0] == 0
    assert angles("e.usda", lower="", upper="") == pytest.approx([lower, 1.0], rel=1e-6)
    assert author("limit arm.usda --joint joint1 --lower -0.2 --upper 20deg -o e.usda")[0] == 0
    assert angles("e.usda", lower="", upper="") == pytest.approx([-0.2, radians(20.0)], rel=1e-6)


def test_stiffness_and_damping_have_short_forms(workshop, author):
    long = author("drive arm.usda --joint joint1 --stiffness 5 --damping 2 --dry-run")
    assert long == author("drive arm.usda --joint joint1 --kp 5 --kd 2 --dry-run")
    assert "5 N·m/rad" in long[1]


def test_a_target_without_stiffness_is_told(workshop, author):
    """The drive is authored, and does not move."""
    code, _, said = author("drive arm.usda --joint joint1 --stiffness 0 --target 0.3 -o e.usda")
    assert code == 0
    assert said.endswith("joint1:rotZ has a target but no stiffness, so it does not go there\n")
    assert author("drive arm.usda --joint joint1 --target 0.3 -o f.usda")[2] == ""


@pytest.mark.parametrize(
    "words",
    [
        ("batch", "arm.usda", "-o", "s", "--grid", "joint2:kp=1,2"),
        ("batch", "arm.usda", "-o", "s", "--grid", "jiont2:stiffness=1,2"),
        ("inspect", "arm.usda", "--joint", "jiont2"),
    ],
)
def test_a_near_word_stands_instead_of_the_list_of_all(workshop, run, words):
    """A line of all that there is hides it, with the seven joints of an arm and more so with those of a humanoid."""
    code, _, said = run(*words)
    assert (code, said.count("\n")) == (2, 1)
    assert re.search(r"did you mean '(joint2|stiffness)'\?", said)
    assert len(said) < 160


HELP = ("author drive", "author limit", "author state", "author envelope", "author mimic", "simulate", "batch", "tune")


@pytest.mark.parametrize("command", HELP)
def test_help_says_the_units_of_options(run, command, monkeypatch):
    """SI units and radians, the file's units for --set."""
    monkeypatch.setenv("COLUMNS", "300")
    said = run(*command.split(), "--help")[1]
    if command.startswith("author"):
        assert "--degrees" in said
        assert not re.search(r"Default unit: deg", said)
    if command in ("simulate", "batch"):
        assert "--set" in said
        assert "in the file's unit" in said
        assert "SI units" in said


@pytest.mark.parametrize("name", [*COMMANDS, "author drive", "author mimic", "envelope plot"])
def test_help_fits_80_columns(run, name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = run(*name.split(), "--help")[1].splitlines()
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("words", ["view", "author", "author drive", "envelope plot"])
def test_help_is_that_of_the_parser(words):
    """It is written without parsing; anything but names of commands before --help goes to the parser."""
    app, said = command_line(words.split()[0]), io.StringIO()
    with contextlib.redirect_stdout(said):
        app([*words.split(), "--help"], prog_name="fajin", standalone_mode=False)
    assert help_text([*words.split(), "--help"]) == said.getvalue().removesuffix("\n")


@pytest.mark.parametrize("words", ["", "--help", "view a.usda --help", "author drvie --help", "view --help --dt 1"])
def test_anything_else_is_parsed(words):
    assert help_text(words.split()) is None


def test_the_shell_completes_commands_and_options():
    """As bash asks for it."""
    ask = {**os.environ, "_FAJIN_COMPLETE": "complete_bash", "COMP_WORDS": "fajin simulate --fl", "COMP_CWORD": "2"}
    code = "import sys; sys.argv = ['fajin']; from fajin.tools.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], env=ask, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["--floating-base", "--flatten"], done.stderr
    help_text = subprocess.run(
        [sys.executable, "-m", "fajin", "--help"], capture_output=True, text=True, check=True
    ).stdout
    assert "--install-completion" in help_text


@pytest.mark.parametrize(
    ("gearing", "said"),
    [("-0.5", "joint1 = 0.5 · joint2"), ("1", "joint1 = - 1 · joint2"), ("2", "joint1 = - 2 · joint2")],
)
def test_a_mimic_joint_is_told_as_an_equation(workshop, author, gearing, said):
    """A gearing of 1 is an opposite motion, as in PhysX."""
    out = author(f"mimic arm.usda --joint joint1 --reference joint2 --gearing {gearing} -o e.usda")[1]
    assert out.splitlines()[-1] == said
