"""`fajin batch --degrees`: angles of --grid and --random in degrees; tables and everything else in radians."""

from math import radians

import numpy as np
import pytest
from commands import fajin_here
from paths import SCENES

import fajin
from fajin.jobs.description.angles import to_radians
from fajin.jobs.description.distributions import Distribution
from fajin.jobs.results.metrics_table import read_metrics


class Names:
    """A hinge and a slide of one robot."""

    dof = ("/a/hinge:rotZ", "/a/slide:transX")
    link, articulation, maximal_dof, pair = ("/a/base", "/a/tip"), ("/a",), (), ()


@pytest.mark.parametrize(
    ("setting", "scale"),
    [
        *((f"hinge:{name}", radians(1.0)) for name in ("q", "qd+", "target_q", "target_qd", "lower", "max_velocity")),
        *((f"slide:{name}", 1.0) for name in ("q", "target_q", "max_velocity")),
        *((name, 1.0) for name in ("hinge:q*", "hinge:stiffness", "hinge:max_force", ".*:effort", "tip:mass")),
        *((name, 1.0) for name in ("gravity.z", "a:root_velocity.x", "a:root_pose.qx", "tip:force.x")),
        ("a:root_velocity.wz", radians(1.0)),
        ("hinge:speed_effort_gradient", radians(1.0)),
    ],
)
def test_angles_and_their_rates_are_scaled(setting, scale):
    """Not factors, nor translations, nor what is per radian."""
    values = to_radians({setting: np.array([1.0, 90.0])}, Names)[setting]
    assert values.tolist() == [scale, 90.0 * scale]
    law = to_radians({setting: Distribution.parse("normal(90, 2)")}, Names)[setting]
    assert law.numbers == (90.0 * scale, 2.0 * scale)


def test_a_setting_of_rotations_and_translations_is_refused():
    with pytest.raises(fajin.InvalidJob, match=r"\.\*:target_q: must select rotations alone, or translations alone"):
        to_radians({".*:target_q": np.zeros(1)}, Names)
    assert to_radians({".*:target_q*": np.ones(1)}, Names)[".*:target_q*"] == 1.0


def test_a_batch_in_degrees_is_that_in_radians(tmp_path):
    """The table, the manifest and a world that is simulated again agree."""
    words = (SCENES / "double_pendulum.usda", "--seconds", 0.05)
    assert fajin_here("batch", *words, "-o", tmp_path / "a", "--grid", "elbow:q=-30,30", "--degrees").returncode == 0
    grid = f"elbow:q={radians(-30)!r},{radians(30)!r}"
    assert fajin_here("batch", *words, "-o", tmp_path / "b", "--grid", grid).returncode == 0
    (a, units), (b, _) = (read_metrics(tmp_path / name) for name in "ab")
    assert all(np.array_equal(a[name], b[name], equal_nan=True) for name in b if a[name].dtype != object)
    assert a["elbow:q"].tolist() == [radians(-30), radians(30)]
    assert units["elbow:q"] == "rad"
    again = fajin_here("batch", *words, "-o", tmp_path / "a", "--grid", "elbow:q=-30,30", "--resume")
    assert "differs in degrees" in again.stderr
