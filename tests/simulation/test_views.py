"""Quantities of a simulation as arrays by world and joint."""

import copy
import pickle

import numpy as np
import pytest
from planar_arm import arm, simulation
from random_tree import random_tree

from fajin.scene import Drive


@pytest.mark.parametrize("name", ["elbow", "/arm/elbow", "elbow:rotZ", "/arm/elbow:rotZ", 1, -2])
def test_a_column_has_many_names(name):
    """Joint, path, axis or index."""
    sim = simulation(arm(drive=Drive(stiffness=1.0)), 3)
    sim.target_q[:, name] = (0.1, 0.2, 0.3)
    sim.target_q[1, name] = 0.7
    assert np.array_equal(sim.target_q, [[0, 0.1, 0], [0, 0.7, 0], [0, 0.3, 0]])
    assert np.array_equal(sim.target_q[:, name], (0.1, 0.7, 0.3))
    assert sim.target_q[1, name] == 0.7


def test_views_take_lists_slices_and_masks():
    """As NumPy does; the rest stays."""
    sim = simulation(arm(), 4)
    sim.effort[:, ["finger", "shoulder"]] = (1.0, 2.0)
    assert np.array_equal(sim.effort[2], (2.0, 0.0, 1.0))
    sim.effort[1:3] = 5.0
    sim.effort[[True, False, False, False]] = -1.0
    sim.effort[[0, 3], [1, 2]] = 9.0
    assert np.array_equal(sim.effort, [[-1, 9, -1], [5, 5, 5], [5, 5, 5], [2, 0, 9]])
    assert sim.effort.shape == (4, 3)
    assert len(sim.effort) == 4
    assert np.array_equal(np.asarray(sim.effort) + 1.0, sim.effort[:] + 1.0)
    assert "effort" in repr(sim.effort)


def test_setting_a_quantity_broadcasts():
    """A number, a row, or all."""
    sim = simulation(arm(), 2)
    for value in (0.3, (0.1, 0.2, 0.3), np.arange(6.0).reshape(2, 3)):
        sim.q = value
        assert np.array_equal(sim.q, np.broadcast_to(value, (2, 3)))
        sim.stiffness = value
        assert np.array_equal(sim.stiffness, np.broadcast_to(value, (2, 3)))
    with pytest.raises(ValueError, match=r"q: has shape \(2,\): must fit \(2, 3\)"):
        sim.q = (1.0, 2.0)


def test_what_is_read_is_a_read_only_copy():
    """An assignment to it would be lost, so it raises and names the one that is kept."""
    sim = simulation(arm())
    pose, q = sim.root_pose[:], sim.q[:]
    for one, key in ((q, (0, 0)), (sim.q[0], 0), (sim.q[:][0], 0), (pose, ...), (pose[0, 0], 2)):
        with pytest.raises(
            ValueError, match=r"a copy is read-only; assign sim\.(q|root_pose)\[world, column\] = value"
        ):
            one[key] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        np.add(q, 1.0, out=q)
    np.asarray(sim.stiffness)[0, 0] = 1.0
    sim.step()
    assert sim.q[0, 0] == 0.0
    assert sim.stiffness[0, 0] == 0.0


def test_an_operator_on_a_row_sets_the_row():
    """`sim.q[0] += 1` reads, adds and assigns; a variable keeps a new array of its own."""
    sim = simulation(arm())
    sim.q[0] += 1.0
    sim.q[:, 0] *= 2.0
    sim.q[0] -= 0.5
    sim.q[0] /= 3.0
    assert sim.q[0] == pytest.approx(np.where(np.arange(sim.q.shape[1]) == 0, 0.5, 0.5 / 3.0))
    row = sim.q[0]
    row += 1.0
    row[0] = 7.0
    assert sim.q[0, 0] == 0.5


def test_results_of_copies_are_ordinary_arrays():
    """They can be changed; so can `.copy()` and what a pickle restores."""
    sim = simulation(arm())
    q = sim.q[:]
    results = q + 1.0, np.sin(q), q.copy(), np.array(q), pickle.loads(pickle.dumps(q)), copy.deepcopy(q), -q[0]
    for result in results:
        assert type(result) is np.ndarray
        result[...] = 3.0
    assert isinstance(q.sum(), np.floating)
    assert repr(q) == repr(np.asarray(q))


def test_unknown_and_ambiguous_names_say_what_there_is():
    """KeyError with the names."""
    sim = simulation(arm())
    with pytest.raises(KeyError, match=r"no degree of freedom 'wrist'.*/arm/shoulder:rotZ"):
        sim.q[:, "wrist"] = 0.0
    ball = simulation(random_tree(0, ("spherical",)))
    with pytest.raises(KeyError, match=r"spherical1.*rotX.*rotY.*give the full name"):
        ball.q[:, "spherical1"] = 0.0
    ball.q[:, "spherical1:rotY"] = 0.25
    assert np.array_equal(ball.q[:, "/tree/spherical1:rotY"], [0.25])


@pytest.mark.parametrize(
    ("key", "columns"),
    [
        (".*e.*", [0, 1, 2]),
        ("elbow|finger", [1, 2]),
        (".*:rotZ", [0, 1]),
        ("/arm/f.*", [2]),
        ("finger.*", [2]),
        (["finger", "shoul.*"], [2, 0]),
        (["elbow", 0], [1, 0]),
        (slice(1, None), [1, 2]),
    ],
    ids=str,
)
def test_a_pattern_is_a_list_of_columns(key, columns):
    """What is no name is a regular expression: all columns with a name that it fits as a whole, in their order."""
    sim = simulation(arm(), 2)
    sim.q = np.arange(6.0).reshape(2, 3)
    assert np.array_equal(sim.q[:, key], sim.q[:][:, columns])
    sim.effort[1, key] = 5.0
    expected = np.zeros((2, 3))
    expected[1, columns] = 5.0
    assert np.array_equal(sim.effort, expected)


def test_a_name_is_never_a_pattern():
    """Else "joint1" would mean "joint10" too, or a plain name an axis of one."""
    sim = simulation(arm())
    assert sim.q[:, "elbow"].shape == (1,)
    assert sim.q[:, "elbow.?"].shape == (1, 1)
    for key, words in (
        ("finge", "no degree of freedom 'finge'"),
        ("e.b", "matches 'e.b'"),
        ("(", "not a regular expression"),
    ):
        with pytest.raises(KeyError, match=words.replace("(", r"\(")):
            sim.q[:, key]
    with pytest.raises(IndexError, match="must start with worlds"):
        sim.q["elbow"]


def test_links_and_robots_have_columns_too():
    """By prim path, prim name or pattern; a third key picks numbers."""
    sim = simulation(arm(), 2)
    assert sim.link_pose.shape == (2, 4, 7)
    assert sim.link_velocity.columns == sim.link
    assert np.array_equal(sim.link_pose[:, "lower"], sim.link_pose[:, "/arm/lower"])
    assert np.array_equal(sim.link_pose[:, "lower|tip", :3], sim.link_pose[:][:, 2:, :3])
    assert sim.root_pose[:, "arm"].shape == (2, 7)
    assert sim.root_velocity.columns == ("/arm",)
    with pytest.raises(KeyError, match="no link 'hand'; there are /arm/base"):
        sim.link_pose[:, "hand"]


@pytest.mark.parametrize(
    "name", ["qdd", "applied_effort", "link_pose", "link_com_pose", "link_velocity", "link_acceleration"]
)
def test_what_follows_from_the_rest_cannot_be_set(name):
    """And says why."""
    with pytest.raises(ValueError, match=f"{name} cannot be set: it"):
        setattr(simulation(arm()), name, 0.0)


def test_worlds_that_are_not_set_keep_their_bits():
    """Not even links are placed anew, though a pack of worlds moves as a whole."""
    sim = simulation(random_tree(1, floating=True), 20)
    sim.step(50)
    before = sim.save()
    sim.q[[3, 17]] = 0.1
    sim.qd[5] = 0.0
    after = sim.save()
    rest = [w for w in range(20) if w not in (3, 5, 17)]
    assert all(np.array_equal(before[rest].rows[row], after[rest].rows[row]) for row in before.rows)
    assert np.array_equal(before.rows["POSE"][5], after.rows["POSE"][5])
    assert not np.array_equal(before.rows["POSE"][17], after.rows["POSE"][17])
