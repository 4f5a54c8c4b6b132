"""Fields behave as NumPy arrays do: arithmetic, comparisons, reductions, methods, operators that write."""

import copy
import pickle

import numpy as np
import pytest
from planar_arm import arm, simulation

from fajin.scene import Drive

VALUES = np.array([[0.1, -0.2, 0.3], [0.4, 0.5, -0.6]])


@pytest.fixture
def sim():
    sim = simulation(arm(drive=Drive(stiffness=1.0)), 2)
    sim.q = VALUES
    sim.target_q = 2.0 * VALUES
    return sim


@pytest.mark.parametrize(
    "expression",
    [
        *(
            "q * 2",
            "2 * q",
            "-q",
            "abs(q)",
            "q ** 2",
            "q / target_q",
            "target_q - q",
            "q @ np.ones(3)",
            "divmod(q, 0.3)",
        ),
        *("q == 0.5", "q != target_q", "q < 0.2", "target_q >= q", "(q > 0) & (q < 0.45)"),
        *("q.mean()", "q.max(axis=1)", "q.min(0)", "q.sum()", "q.std()", "q.argmax()", "(q > 0).any()", "q.clip(0, 1)"),
        *("q.T", "q.ndim", "q.size", "q.dtype", "q.nbytes", "q.tolist()", "q.ravel()", "q.reshape(3, 2)", "q.round(1)"),
        *("q.astype(float)", "q.copy()", "q.flatten()", "q.transpose()", "q[0]", "q[:, 1]", "len(q)", "q.shape"),
        *("np.sin(q)", "np.maximum(q, target_q)", "np.concatenate([q, target_q], 1)", "np.mean(q, 0)", "np.abs(q - 1)"),
        *(
            "np.asarray(q)",
            "np.where(q > 0, q, 0)",
            "np.allclose(q, q)",
            "np.linalg.norm(q, axis=1)",
            "[*q]",
            "0.5 in q",
        ),
        *(
            "np.stack([q, q])",
            "np.add.reduce(q, axis=0)",
            "np.isfinite(q).all()",
            "q.view(np.uint64)",
            "np.float32(2) * q",
        ),
        *("VALUES - q", "VALUES * q", "list(q[0])", "q.item(3)", "sorted(q[0])", "np.array(q)"),
    ],
)
def test_an_expression_of_fields_is_that_of_arrays(sim, expression):
    got = eval(expression, {"np": np, "q": sim.q, "target_q": sim.target_q, "VALUES": VALUES})
    wanted = eval(expression, {"np": np, "q": VALUES, "target_q": 2.0 * VALUES, "VALUES": VALUES})
    assert isinstance(got, type(wanted))
    assert getattr(got, "dtype", None) == getattr(wanted, "dtype", None)
    assert np.array_equal(got, wanted)


def test_operators_in_place_write(sim):
    """On a whole field, on a part of it, and through a variable."""
    sim.target_q += 0.5
    assert np.array_equal(sim.target_q, 2.0 * VALUES + 0.5)
    sim.target_q[:, "elbow"] *= 2.0
    assert np.array_equal(sim.target_q[:, "elbow"], 2.0 * (2.0 * VALUES[:, 1] + 0.5))
    held = sim.q
    held -= 1.0
    held[0] /= 2.0
    assert np.array_equal(sim.q[0], (VALUES[0] - 1.0) / 2.0)
    assert np.array_equal(sim.q[1], VALUES[1] - 1.0)
    np.multiply(sim.q, 0.0, out=sim.q)
    assert not sim.q.any()
    sim.effort += np.ones(3)
    assert (sim.effort == 1.0).all()


def test_operators_in_place_keep_values_of_some_steps(sim):
    """Adding nothing to a field whose value holds for two steps does not make that value permanent."""
    sim.target_q.for_steps(2)[:, "elbow"] = 3.0
    sim.target_q = sim.target_q  # what `sim.target_q += …` ends with
    sim.step(3)
    assert np.array_equal(sim.target_q, 2.0 * VALUES)


def test_operators_in_place_refuse_results(sim):
    with pytest.raises(ValueError, match="qdd cannot be set: it is a result"):
        sim.qdd += 1.0


@pytest.mark.parametrize("name", ["sort", "fill", "resize", "put", "partition", "setflags", "itemset"])
def test_methods_that_write_into_an_array_are_refused(sim, name):
    """They would write into a copy; the message says what writes."""
    with pytest.raises(AttributeError, match=rf"{name}.*would change a copy; assign: sim\.q\[:\] = "):
        getattr(sim.q, name)
    assert name not in dir(sim.q)


def test_misspelt_methods_are_refused_with_the_nearest():
    with pytest.raises(AttributeError, match="q has no 'maen'; did you mean 'mean'"):
        simulation(arm()).q.maen()


def test_a_field_of_many_numbers_is_neither_true_nor_false(sim):
    with pytest.raises(ValueError, match="ambiguous"):
        bool(sim.q == VALUES)
    with pytest.raises(ValueError, match="ambiguous"):
        bool(sim.q)


def test_copies_of_a_field_are_arrays(sim):
    """By `.copy()`, the module `copy`, and a pickle."""
    copies = sim.q.copy(), copy.copy(sim.q), copy.deepcopy(sim.q), pickle.loads(pickle.dumps(sim.q))
    sim.q[:] = 9.0
    assert all(type(one) is np.ndarray and np.array_equal(one, VALUES) for one in copies)


def test_a_field_completes_its_methods(sim):
    """As `sim.q.<TAB>` does."""
    assert {"mean", "max", "T", "copy", "once", "for_steps", "columns", "shape"} <= set(dir(sim.q))
