"""A fit as a layer: attributes, intervals, step; what inspect, check and batches make of it."""

from dataclasses import replace

import numpy as np
import pytest
from commands import fajin_here
from fit.arm import fourier, record, write_arm

import fajin
from fajin.check import check
from fajin.fit import FitOptions, fit_logs
from fajin.fit.authoring import author_fit, quaternion_of, record_of
from fajin.fit.piece import whole_log
from fajin.fit.report import fit_page
from fajin.fit.rollout import Rollout
from fajin.jobs.description.posterior import posterior_of
from fajin.model.model import compile
from fajin.scene.serialization import from_json, to_json

TRUTH = {"joint0:armature": 0.05, "joint1:coulomb": 0.6, "joint0:viscous": 2.0, "link1:mass": 1.4, "delay": 0.005}
ASKED = ["armature", "coulomb", "viscous", "link1:mass", "delay"]


@pytest.fixture(scope="module", params=[(1.0, 1.0), (0.01, 0.001)], ids=["m kg", "cm g"])
def fitted(request, tmp_path_factory):
    """Scene, layer, log and fit."""
    folder = tmp_path_factory.mktemp("fit")
    write_arm(folder / "arm.usda", *request.param)
    scene = fajin.read(folder / "arm.usda")
    log = record(scene, TRUTH, fourier(2.0), sigma=1e-4)
    log = replace(log, name="run1.csv", sha256="ab12")
    fit = fit_logs(scene, [log], ASKED, options=FitOptions(threads=1))
    changes = author_fit(fit, folder / "arm.usda", folder / "fitted.usda")
    assert len(changes) == len({str(change) for change in changes})
    assert changes
    return folder / "arm.usda", folder / "fitted.usda", fit


def test_the_layer_simulates_the_fitted_motion(fitted):
    """To the round-off of float attributes, in any units."""
    _, layer, fit = fitted
    back = fajin.read(layer)
    delay = fit["delay"]
    plain = Rollout(compile(back), [delay.parameter], threads=1)
    error = fit.errors[0]
    q, _ = plain.simulate(np.array([[delay.value]]), [whole_log(error.log, back.dt)])
    assert np.abs(q[0, 0] - error.simulated).max() < 2e-6
    before = Rollout(compile(fit.scene), [delay.parameter], threads=1)
    q, _ = before.simulate(np.array([[delay.value]]), [whole_log(error.log, back.dt)])
    assert np.abs(q[0, 0] - error.simulated).max() > 1e-3


def test_attributes_have_their_intervals(fitted):
    """And the layer the record of the fit, which the scene and a compiled model hold."""
    from pxr import Usd

    _, layer, fit = fitted
    stage = Usd.Stage.Open(str(layer))
    attribute = stage.GetPrimAtPath("/arm/joint0").GetAttribute("physxJointAxis:angular:armature")
    said = attribute.GetCustomDataByKey("fajinFit")
    assert said["value"] == pytest.approx(attribute.Get() * said["value"] / attribute.Get())
    assert tuple(said["interval"]) == pytest.approx(fit["joint0:armature"].interval)
    for name in ("staticFrictionEffort", "dynamicFrictionEffort", "viscousFrictionCoefficient"):
        assert (
            stage.GetPrimAtPath("/arm/joint1")
            .GetAttribute(f"physxJointAxis:angular:{name}")
            .GetCustomDataByKey("fajinFit")
        )
    found = fajin.read(layer).fit
    assert found == record_of(fit)
    assert found.logs == ("run1.csv (first part) ab12",)
    assert from_json(to_json(fajin.read(layer))).fit == found


def test_inspect_shows_intervals_and_check_another_step(fitted):
    """At the fit's step there is no finding; at another one, or under another solver, there is."""
    scene, layer, fit = fitted
    shown = fajin_here("inspect", layer).stdout
    assert f"± {1.959964 * fit['joint0:armature'].deviation:.2g}" in shown
    assert "delay = " in shown
    assert "fit-at-another-step" not in {finding.rule for finding in check(layer)}
    slower = layer.with_name("slower.usda")
    with fajin.author.layer(layer, slower) as stage:
        fajin.author.scene(stage, dt=1 / 120)
    (finding,) = [finding for finding in check(slower) if finding.rule == "fit-at-another-step"]
    assert "500 steps/s, not 120" in finding.message
    assert not [finding for finding in check(scene) if finding.rule == "fit-at-another-step"]


def test_batches_draw_from_the_posterior(fitted):
    """Mean and covariance are those of the fit; inertia and static friction follow."""
    _, layer, fit = fitted
    scene = fajin.read(layer)
    drawn = posterior_of(scene, compiled_names(scene)).columns(3, np.arange(4000))
    pair = np.stack((drawn["joint0:armature"], drawn["joint0:viscous_friction"]))
    places = [fit.names.index(name) for name in ("joint0:armature", "joint0:viscous")]
    wanted = fit.covariance[np.ix_(places, places)]
    assert np.abs(pair.mean(1) - [fit.values[i].value for i in places]).max() < 0.05 * np.sqrt(np.diag(wanted)).max()
    np.testing.assert_allclose(
        np.cov(pair), wanted, rtol=0.15, atol=0.1 * np.sqrt(np.outer(*[np.diag(wanted)] * 2)).max()
    )
    np.testing.assert_array_equal(drawn["joint1:static_friction"], drawn["joint1:dynamic_friction"])
    assert "link1:mass" in drawn
    assert not any("delay" in name for name in drawn)


def compiled_names(scene):
    """Names of a scene's columns."""
    from fajin.jobs.description.prepared_job import ColumnNames

    return ColumnNames.of(compile(scene))


def test_a_batch_of_the_posterior_has_its_columns(fitted, tmp_path):
    """And a scene without a fit is refused."""
    scene, layer, _ = fitted
    pytest.importorskip("pyarrow")
    arguments = ["--worlds", "8", "--seconds", "0.01", "--random", "fit", "--precision", "f64", "--threads", "1"]
    done = fajin_here("batch", layer, "-o", tmp_path / "a", *arguments)
    assert done.returncode == 0, done.stderr
    from fajin.jobs.results.metrics_table import read_metrics

    columns, _ = read_metrics(tmp_path / "a")
    assert np.ptp(columns["joint0:armature"]) > 0.0
    again = fajin.batch(fajin.read(layer), worlds=8, seconds=0.01, random="fit", precision="f64", threads=1)
    np.testing.assert_array_equal(np.asarray(again["joint0:armature"]), columns["joint0:armature"])
    with pytest.raises(ValueError, match="random = 'fits': must be 'fit'"):
        fajin.batch(fajin.read(layer), worlds=8, seconds=0.01, random="fits")
    done = fajin_here("batch", scene, "-o", tmp_path / "b", *arguments)
    assert (done.returncode, "has no fit" in done.stderr) == (2, True)


def test_the_page_shows_values_and_curves(fitted):
    """One file that requests nothing."""
    _, _, fit = fitted
    text = fit_page(fit, "arm").html()
    assert text.startswith("<!doctype html>")
    assert "http://" not in text.split("<script")[0]


def test_actuators_get_the_delay_in_steps(fitted, tmp_path):
    """Those that drive a joint of the logs; 5 ms are two steps and a half."""
    from pxr import Usd

    scene, _, fit = fitted
    with fajin.author.layer(scene, tmp_path / "actuated.usda") as stage:
        for name, joint in (("mine", "/arm/joint0"), ("other", "/arm/anchor")):
            prim = stage.DefinePrim(f"/{name}", "NewtonActuator")
            prim.CreateRelationship("newton:targets").AddTarget(joint)
    author_fit(fit, tmp_path / "actuated.usda", tmp_path / "fitted.usda")
    stage = Usd.Stage.Open(str(tmp_path / "fitted.usda"))
    assert stage.GetPrimAtPath("/mine").GetAttribute("newton:delaySteps").Get() in (2, 3)
    assert "NewtonActuatorDelayAPI" in stage.GetPrimAtPath("/mine").GetMetadata("apiSchemas").GetAddedOrExplicitItems()
    assert not stage.GetPrimAtPath("/other").GetAttribute("newton:delaySteps")


def test_rotations_become_quaternions():
    """R(q) = R."""
    from fajin.quaternion import rotate

    q = np.array((0.1, -0.4, 0.3, 0.86))
    q /= np.linalg.norm(q)
    R = rotate(q, np.eye(3)).T
    found = np.array(quaternion_of(R))
    np.testing.assert_allclose(found * np.sign(found[3]), q, atol=1e-12)
