"""What no machine has is refused by every door in the words of one rule, and changes nothing."""

import numpy as np
import pytest
from one_joint import simulate, slider
from planar_arm import arm, simulation

import fajin
from fajin.jobs.description.sweep import apply
from fajin.scene import Drive, TimeSamples
from fajin.simulation.control_events import Control
from fajin.simulation.fields import Fields
from fajin.simulation.value_rules import allowed, obeys
from fajin.tables.layout import PARAMETERS
from fajin.tables.parameter import VALUES

ARM = arm(drive=Drive(stiffness=50.0, damping=5.0, target_q=0.3))
WRONG = [
    ("mass", 0.0, "positive and finite"),
    ("mass", -1.0, "positive and finite"),
    ("stiffness", -5.0, "finite and 0 or more"),
    ("damping", -50.0, "finite and 0 or more"),
    ("max_force", -1.0, "0 or more, or infinite"),
    ("armature", np.inf, "finite and 0 or more"),
    ("target_q", np.nan, "finite"),
    ("target_qd", np.inf, "finite"),
    ("effort", -np.inf, "finite"),
    ("lower", np.nan, "a number or infinite"),
    ("q", np.nan, "finite"),
    ("qd", np.inf, "finite"),
]
ZERO, FLAT, INDEFINITE = np.zeros(6), np.array([1.0, 0, 0, 1.0, 0, 0]), np.array([1.0, 2.0, 0, 1.0, 0, 1.0])


@pytest.fixture
def sim() -> fajin.Simulation:
    """Three worlds of an arm."""
    return simulation(ARM, 3)


def column(name: str) -> tuple[int, str]:
    """The second column of a field, and its short name."""
    return 1, {"dof": "elbow", "link": "upper"}[Fields.quantity(name).of]


@pytest.mark.parametrize(("name", "value", "rule"), WRONG)
def test_a_value_against_the_rule_is_refused_by_assignment_and_write(sim, name, value, rule):
    """The line names field, world and column; nothing changes, whatever else was right."""
    before = sim.read(name)
    at, short = column(name)
    values = before.copy()
    values[2, at] = value
    line = rf'^{name}\[2, "{short}"\] = {value:g}: must be {rule}; correct it$'
    with pytest.raises(ValueError, match=line):
        getattr(sim, name)[2, short] = value
    with pytest.raises(ValueError, match=line):
        sim.write(name, values)
    with pytest.raises(ValueError, match=line):
        sim.write(name, values[[0, 2]], worlds=[1, 2])
    with pytest.raises(ValueError, match=line.replace("2,", "0,")):
        setattr(sim, name, np.where(np.arange(before.shape[1]) == at, value, 1.0))
    if name not in ("q", "qd"):
        with pytest.raises(ValueError, match=line):
            getattr(sim, name).once[2, short] = value
    assert np.array_equal(sim.read(name), before)


@pytest.mark.parametrize("value", [ZERO, FLAT, INDEFINITE, ZERO * np.nan], ids=["zero", "flat", "indefinite", "nan"])
def test_an_inertia_is_positive_definite(sim, value):
    """A body resists turning about every axis."""
    before = sim.read("inertia")
    with pytest.raises(ValueError, match=r'^inertia\[1, "lower"\] = \[.*\]: must be a positive definite matrix'):
        sim.inertia[1, "lower"] = value
    assert np.array_equal(sim.read("inertia"), before)
    sim.inertia[1, "lower"] = (1.0, 0.5, 0.0, 1.0, 0.0, 1.0)


def test_a_rod_is_definite_however_it_lies():
    """About its axis its moment is nothing beside the others; in single precision its minors may be below 0."""
    eps = np.finfo(np.float32).eps
    axes = np.linalg.qr(np.random.default_rng(5).normal(size=(1000, 3, 3)))[0]
    tensors = (axes @ np.diag([1.0, 1.0, 2.0 * eps]) @ axes.swapaxes(1, 2)).astype(np.float32)
    rows = tensors.reshape(-1, 9)[:, [0, 1, 2, 4, 5, 8]]
    assert obeys("definite", rows)
    assert not obeys("definite", -rows)


def test_the_least_and_the_greatest_value_decide():
    """So a check is two reductions; NaN among them is found, wherever it is."""
    numbers = np.array([-np.inf, -1.0, 0.0, 1.0, np.inf, np.nan])
    for rule in VALUES.keys() - {"definite"}:
        for a in numbers:
            for b in numbers:
                values = np.array([[1.0, a], [b, 1.0]])
                assert obeys(rule, values) == allowed(rule, values).all(), (rule, a, b)
        assert obeys(rule, np.zeros((0, 3)))


def test_a_lower_limit_is_at_most_the_upper_one(sim):
    """Whichever is set; of two that are set together, only the result counts."""
    sim.lower, sim.upper = -1.0, 1.0
    with pytest.raises(ValueError, match=r'^lower\[0, "shoulder"\] = 2: must be at most upper = 1; set upper first$'):
        sim.lower = 2.0
    with pytest.raises(ValueError, match=r'^lower\[1, "elbow"\] = -1: must be at most upper = -3; set lower first$'):
        sim.upper[1, "elbow"] = -3.0
    assert (sim.lower[:] == -1.0).all()
    assert (sim.upper[:] == 1.0).all()
    apply(sim, {"elbow:lower": np.full(3, 2.0), "elbow:upper": np.full(3, 3.0)})
    assert (sim.lower[:, "elbow"] == 2.0).all()


def test_limits_of_the_scene_may_pass_each_other_on_their_way():
    """The engine follows samples of both limits, set one after the other."""
    signals = [
        TimeSamples("/m/joint:transZ", name, (0.0, 0.1), (x, x + 5.0)) for name, x in (("lower", -1), ("upper", 1))
    ]
    sim = simulate(slider(lower=-1.0, upper=1.0), signals=tuple(signals))
    sim.step(20)
    assert sim.lower[0, 0] == 4.0
    assert sim.upper[0, 0] == 6.0


@pytest.mark.parametrize(
    ("pose", "line"),
    [
        ((0, 0, np.nan, 0, 0, 0, 1), r'^root_pose\[1, "arm", 2\] = nan: must be finite'),
        ((0, 0, 0, np.nan, 0, 0, 1), r'^root_pose\[1, "arm", 3\] = nan: must be finite'),
        ((0, 0, 0, 0, 0, 0, 2), r'^root_pose\[1, "arm"\] = .*, of length 2: must be a position and a quaternion'),
    ],
)
def test_a_pose_that_is_none_is_refused(sim, pose, line):
    """With the number that is wrong."""
    before = sim.read("root_pose")
    with pytest.raises(ValueError, match=line):
        sim.root_pose[1] = pose
    assert np.array_equal(sim.read("root_pose"), before)


@pytest.mark.parametrize("value", [None, "1", [[1.0], [1.0, 2.0]], [None]])
def test_what_is_no_number_is_refused(sim, value):
    """None became NaN, which drives took for a target infinitely far away."""
    with pytest.raises(TypeError, match=r"^target_q = .*: must be numbers; give"):
        sim.target_q = value


def test_a_wrong_shape_names_the_field(sim):
    """With the shape that it must fit."""
    with pytest.raises(ValueError, match=r"^target_q: has shape \(3, 2\): must fit \(3, 3\); give"):
        sim.target_q = np.zeros((3, 2))
    with pytest.raises(ValueError, match=r"^force: has shape \(2,\): must fit \(3, 3\); give"):
        sim.force[:, "upper"] = (1.0, 2.0)


@pytest.mark.parametrize(("name", "value"), [("target_q", np.nan), ("effort", np.inf), ("stiffness", -1.0)])
def test_control_events_obey_the_rules(sim, name, value):
    """In Python, too; NaN used to change nothing."""
    with pytest.raises(ValueError, match=rf"^controls, step 3: {name} of column 1 = .*: must be "):
        sim.run(steps=5, controls=[Control(3, 1, name, value)])
    assert sim.steps == 0


def test_sums_of_a_batch_obey_the_rules(sim):
    """What a summand or a factor leads to is checked as what is assigned."""
    with pytest.raises(fajin.InvalidJob, match=r'^damping\[1, "elbow"\] = -1e\+09: must be finite and 0 or more'):
        apply(sim, {"elbow:damping+": np.array([1.0, -1e9, 1.0])})
    with pytest.raises(fajin.InvalidJob, match=r'^inertia\[0, "upper"\] = .*: must be a positive definite matrix'):
        apply(sim, {"upper:inertia*": np.array([-1.0, 1.0, 1.0])})


@pytest.mark.parametrize("name", sorted(row.field for row in PARAMETERS.values() if row.field))
def test_every_rule_accepts_what_is_read(sim, name):
    """A field that is read can be written back."""
    sim.write(name, sim.read(name))


def test_all_scenes_obey_the_rules(scenes):
    """Masses, inertias and gains that the reader accepts can be written back."""
    for path in sorted(scenes.glob("*.usda")):
        model = fajin.compile(fajin.read(path))
        links = [i for i, name in enumerate(model.link) if name]
        for row in PARAMETERS.values():
            if row.field:
                values = model.parameters[row.name]
                values = values.reshape(-1, row.width)[links] if row.owner == "L" else values
                assert obeys(row.values, values), (path.name, row.field)
