"""Limits of joints outside the trees: which of them act, and how they give way."""

from math import inf, pi, radians

import pytest
from one_hold import held, told

from fajin.scene import LimitSpring

HINGE, SLIDE, BALL, D6 = (f"Physics{kind}Joint" for kind in ("Revolute", "Prismatic", "Spherical", ""))
CENTIMETRES = 'metersPerUnit = 0.01\n    upAxis = "Z"'
AXES = tuple(f"{kind}{x}" for kind in ("trans", "rot") for x in "XYZ")


def limits(**bounds: tuple[float, float]) -> tuple[str, str]:
    """Lines and schemas of a D6 joint's limits; axes that are not named are locked."""
    bounds = {axis: bounds.get(axis, (1, -1)) for axis in AXES}
    known = {axis: b for axis, b in bounds.items() if b is not None}
    lines = [
        f"float limit:{axis}:physics:{end} = {b[i]}"
        for axis, b in known.items()
        for i, end in enumerate(("low", "high"))
    ]
    return "\n".join(lines), " ".join(f"PhysicsLimitAPI:{axis}" for axis in known)


@pytest.mark.parametrize(
    ("kind", "lower", "upper", "expected", "reported"),
    [
        (HINGE, "-30", "60", (-pi / 6, pi / 3), False),
        (HINGE, "-inf", "60", (-pi, pi / 3), True),
        (HINGE, "-270", "inf", (-pi, pi), True),
        (HINGE, "30", "-30", (-pi / 2, pi / 2), True),
        (SLIDE, "-inf", "2", (-inf, 2.0), False),
        (SLIDE, "-1", "2", (-1.0, 2.0), False),
        (SLIDE, "2", "-1", (-inf, inf), True),
    ],
)
def test_limits_are_what_physx_makes_of_them(tmp_path, kind, lower, upper, expected, reported):
    """Other than in a tree one limit is enough; a limited hinge makes half a turn; exchanged limits are refused."""
    scene, j = held(tmp_path, kind, f"float physics:lowerLimit = {lower}\nfloat physics:upperLimit = {upper}")
    (axis,) = j.axes
    assert (axis.lower, axis.upper) == pytest.approx(expected)
    assert ("physics:lowerLimit" in told(scene, "/hold")) == reported


@pytest.mark.parametrize(
    ("angles", "acts"), [((20, 60), True), ((20, -1), False), ((0, 60), False), ((20, 200), False)]
)
def test_a_cone_has_two_angles_within_half_a_turn(tmp_path, angles, acts):
    """Else PhysX refuses it."""
    scene, j = held(tmp_path, BALL, "\n".join(f"float physics:coneAngle{i}Limit = {x}" for i, x in enumerate(angles)))
    assert [a.upper for a in j.axes[1:]] == pytest.approx([radians(x) for x in angles] if acts else [inf, inf])
    assert ("physics:coneAngle0Limit" in told(scene, "/hold")) != acts


@pytest.mark.parametrize(
    ("swings", "acts"),
    [
        ({"rotY": (-20, 30), "rotZ": (-10, 10)}, True),
        ({"rotY": (-20, 30)}, True),  # rotZ locked
        ({"rotY": (-20, 30), "rotZ": None}, False),
        ({"rotY": (-20, "inf"), "rotZ": (-10, 10)}, False),
        ({"rotY": (-200, 20), "rotZ": (-10, 10)}, False),
    ],
)
def test_swing_axes_are_limited_together(tmp_path, swings, acts):
    """PhysX refuses a limit beside a free swing axis and limits beyond half a turn: the axes are free."""
    scene, j = held(tmp_path, D6, *limits(**swings))
    assert [a.token for a in j.axes] == list(swings)
    assert (j.axes[0].lower > -inf) == acts
    assert ("limit:rotY:physics:low" in told(scene, "/hold")) != acts


def test_translations_and_the_twist_of_a_d6_joint_may_have_one_limit(tmp_path):
    """Lengths in metres, angles in radians; locked where the lower limit is above the upper one."""
    lines, apis = limits(transX=(-5, "inf"), transZ=(2, 2), rotX=("-inf", 45))
    _, j = held(tmp_path, D6, lines, apis, metadata=CENTIMETRES)
    found = {a.token: (a.lower, a.upper) for a in j.axes}
    assert found == {
        "transX": (pytest.approx(-0.05), inf),
        "transZ": pytest.approx((0.02, 0.02)),
        "rotX": (-inf, pytest.approx(pi / 4)),
    }


@pytest.mark.parametrize(
    ("kind", "instance", "scale", "speed"),
    [(HINGE, "angular", 1e-4, 1.0), (SLIDE, "linear", 1.0, 0.01), (BALL, "cone", 1e-4, 1.0)],
)
def test_limits_give_way_or_bounce(tmp_path, kind, instance, scale, speed):
    """PhysxLimitAPI: gains and speeds of a rotation are in radians, as authored; those of a slide in stage units."""
    name = f"physxLimit:{instance}"
    values = {"stiffness": 30, "damping": 2, "restitution": 0.5, "bounceThreshold": 4}
    lines = "\n".join(f"float {name}:{k} = {v}" for k, v in values.items())
    bounds = "Limit = 20\nfloat physics:".join(("float physics:coneAngle0", "coneAngle1")) + "Limit = 20"
    if kind != BALL:
        bounds = "float physics:lowerLimit = -20\nfloat physics:upperLimit = 20"
    scene, j = held(tmp_path, kind, f"{bounds}\n{lines}", f"PhysxLimitAPI:{instance}", metadata=CENTIMETRES)
    spring = LimitSpring(*(pytest.approx(x) for x in (30 * scale, 2 * scale, 0.5, 4 * speed)))
    assert [a.limit for a in j.axes if a.upper < inf] == [spring] * (2 if kind == BALL else 1)
    free, _ = held(tmp_path, kind, lines, f"PhysxLimitAPI:{instance}")
    assert f"{name}:stiffness" in told(free, "/hold") - told(scene, "/hold")


@pytest.mark.parametrize(("y", "z"), [(20, 60), (20, None), (None, 60), (60, 60)])
def test_both_swings_give_way_as_the_last_does(tmp_path, y, z):
    """PhysX makes one limit of rotY and rotZ, with the spring of rotZ; what that takes from either is reported."""
    lines, apis = limits(rotY=(-20, 30), rotZ=(-10, 10))
    for axis, stiffness in (("rotY", y), ("rotZ", z)):
        if stiffness:
            lines += f"\nfloat physxLimit:{axis}:stiffness = {stiffness}"
            apis += f" PhysxLimitAPI:{axis}"
    scene, j = held(tmp_path, D6, lines, apis)
    assert [axis.limit.stiffness for axis in j.axes] == [z or 0.0] * 2
    assert any("PhysxLimitAPI:rotZ" in report.reason for report in scene.reports) == (y != z)
