"""Numbers that programs and files set: what no simulation has is refused before kernels and disks see it."""

from collections import namedtuple
from dataclasses import replace
from math import inf, nan

import numpy as np
import pytest

import fajin
from fajin.scene.serialization import MALFORMED, from_json, to_json
from fajin.tools import simulate_run


@pytest.fixture(scope="module")
def pendulum(scenes) -> fajin.Scene:
    """The scene of one joint."""
    return fajin.read(scenes / "pendulum.usda")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("dt", (0.0, -1.0, inf, nan)),
        ("fps", (0.0, nan)),
        ("meters_per_unit", (0.0, inf)),
        ("duration", (-1.0, inf, nan)),
        ("gravity", ((0.0, 0.0, inf), (nan, 0.0, 0.0))),
        ("precision", ("f16", "")),
    ],
)
def test_a_setting_that_no_simulation_has_is_refused(pendulum, name, values):
    """In one line."""
    for value in values:
        with pytest.raises(fajin.InvalidScene, match=rf"^{name}.*: must be "):
            fajin.compile(replace(pendulum, **{name: value}))


@pytest.mark.parametrize(("name", "count"), [("position_iterations", 0), ("velocity_iterations", 2 * 10**9)])
def test_iterations_are_bounded(pendulum, name, count):
    """A kernel with 10⁹ of them does not end."""
    (robot,) = pendulum.articulations
    with pytest.raises(fajin.InvalidScene, match=rf"{name} = {count}: must be a whole number from . to 255"):
        fajin.compile(replace(pendulum, articulations=(replace(robot, **{name: count}),)))


@pytest.mark.parametrize(("old", "new"), [("0.5", "NaN"), ("0.5", "1e400"), ("0.5", '"0.5"'), ("0.5", "[0.5]")])
def test_parts_of_vectors_in_json_are_finite_numbers(pendulum, old, new):
    """A pose with another part makes NaN of all poses."""
    text = to_json(replace(pendulum, gravity=(0.5, 0.0, -9.81)))
    assert from_json(text).gravity[0] == 0.5
    with pytest.raises(MALFORMED):
        from_json(text.replace(f"[{old}, 0.0, -9.81]", f"[{new}, 0.0, -9.81]"))


def test_numbers_that_overflow_are_refused(pendulum):
    """Differences of infinite lengths are NaN."""
    (robot,) = pendulum.articulations
    far = replace(robot, links=tuple(replace(link, com=(inf, -inf, 1.0)) for link in robot.links))
    with np.errstate(all="ignore"), pytest.raises(fajin.InvalidScene, match="numbers do not overflow"):
        fajin.compile(replace(pendulum, articulations=(far,)))


@pytest.mark.parametrize("words", [("--steps", 10**16), ("--seconds", 1e308), ("--seconds", 1e300, "--dt", 1e-300)])
def test_endless_simulations_are_refused(run, scenes, tmp_path, words):
    """Before the first step."""
    code, _, error = run("simulate", scenes / "pendulum.usda", "-o", tmp_path / "out.usda", *words)
    assert (code, error.count("\n")) == (2, 1)
    assert "must be at most 1e+15 steps" in error


def test_the_disk_has_room_for_the_frames(run, scenes, tmp_path, monkeypatch):
    """It is asked before the first step."""
    words = ("simulate", scenes / "pendulum.usda", "-o", tmp_path / "out.usda", "--device", "cpu")
    usage = namedtuple("usage", "free")
    monkeypatch.setattr(simulate_run.shutil, "disk_usage", lambda _: usage(10_000))
    code, _, error = run(*words, "--steps", 10**12)
    assert (code, error.count("\n")) == (2, 1)
    assert "GB for 250,000,000,001 frames, and 1e-05 GB are free" in error
    assert run(*words, "--steps", 8)[0] == 0
