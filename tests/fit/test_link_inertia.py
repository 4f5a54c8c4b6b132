"""Centres of mass and inertias of links: log-Cholesky coordinates, their simulation, their recovery and their layer."""

from dataclasses import replace

import numpy as np
import pytest
from fit.arm import arm, fourier, record, write_arm

import fajin
from fajin.errors import InputError
from fajin.fit import FitOptions, MotionLog, NotIdentifiable, fit_logs
from fajin.fit.authoring import author_fit
from fajin.fit.link_inertia import CENTRE
from fajin.fit.parameters import parse_parameters
from fajin.fit.piece import Piece, whole_log
from fajin.fit.rollout import Rollout
from fajin.jobs.description.posterior import posterior_of
from fajin.jobs.description.prepared_job import ColumnNames
from fajin.log_cholesky import SHAPE, inertia_of, matrix_of, shape_of
from fajin.model.model import compile

ALL = FitOptions(hold_back=False, threads=1)
MOTION = fourier(2.0)
BODY = ["mass", *CENTRE, *SHAPE]


def test_coordinates_and_inertias_are_inverse():
    """Any coordinates are the inertia of a body: no principal moment exceeds the sum of the others."""
    rng = np.random.default_rng(0)
    shape, mass = rng.normal(size=(50, 6)), np.exp(rng.normal(size=50))
    for rows, wanted, m in zip(inertia_of(shape, mass), shape, mass, strict=True):
        inertia = matrix_of(rows)
        a, b, c = np.linalg.eigvalsh(inertia)
        assert a > 0.0
        assert c < a + b
        np.testing.assert_allclose(shape_of(inertia, m), wanted, rtol=1e-6, atol=1e-6)
    with pytest.raises(InputError, match="must be that of a body"):
        shape_of(np.diag((1.0, 1.0, 3.0)), 1.0)


@pytest.mark.parametrize("name", ["link0", "link1"])
def test_worlds_move_as_the_scene_with_that_body(name):
    """Bit by bit as a compiled scene with another mass, centre of mass and inertia."""
    scene, (time, target) = arm(), MOTION
    model = compile(scene)
    log = MotionLog("log", "", time, model.dof, (0, 1), target, target)
    parameters = parse_parameters(model, [log], [f"{name}:mass", f"{name}:com", f"{name}:inertia"])
    assert [p.quantity for p in parameters] == BODY
    values = np.array([p.start for p in parameters])
    values += (0.2, 0.05, -0.03, 0.02, 0.1, -0.2, 0.15, 0.01, 0.02, -0.03)
    start = [Piece(log, log.q[0], 0.0 * log.q[0])]
    q, _ = Rollout(model, parameters, threads=1).simulate(values[None], start)
    inertia = matrix_of(inertia_of(values[None, 4:], values[:1])[0])
    robot = scene.articulations[0]
    body = {"mass": values[0], "com": tuple(values[1:4]), "inertia": tuple(map(tuple, inertia))}
    links = tuple(replace(link, **body) if link.path.endswith(name) else link for link in robot.links)
    other = replace(scene, articulations=(replace(robot, links=links),))
    wanted, _ = Rollout(compile(other), [], threads=1).simulate(None, start)
    np.testing.assert_array_equal(q[0], wanted[0])
    plain, _ = Rollout(model, [], threads=1).simulate(None, start)
    assert np.abs(q - plain).max() > 1e-3


def test_a_centre_of_mass_and_inertia_are_found():
    """Those that a planar arm shows: mass, two coordinates of the centre and one number of the inertia."""
    truth = {"link1:com_x": 0.3, "link1:com_z": 0.05, "link1:inertia_d1": -2.0}
    log = record(arm(), truth, MOTION)
    fit = fit_logs(arm(), [log], list(truth), options=ALL)
    for name, value in truth.items():
        assert fit[name].value == pytest.approx(value, rel=1e-4), name
    with pytest.raises(NotIdentifiable, match="link1:com_y changes nothing"):
        fit_logs(arm(), [log], ["link1:com"], options=ALL)


@pytest.mark.parametrize("units", [(1.0, 1.0), (0.01, 0.001)], ids=["m kg", "cm g"])
def test_the_layer_has_the_body(units, tmp_path):
    """It simulates the fitted motion to round-off, in any units; values have their intervals."""
    from pxr import Usd

    write_arm(tmp_path / "arm.usda", *units)
    scene = fajin.read(tmp_path / "arm.usda")
    truth = {"link1:mass": 1.2, "link1:com_x": 0.3, "link1:com_z": 0.05, "link0:inertia_s13": 0.03}
    log = record(scene, truth, MOTION, sigma=1e-5)
    fit = fit_logs(scene, [log], list(truth), options=ALL)
    author_fit(fit, tmp_path / "arm.usda", tmp_path / "fitted.usda")
    back = fajin.read(tmp_path / "fitted.usda")
    (error,) = fit.errors
    q, _ = Rollout(compile(back), [], threads=1).simulate(None, [whole_log(error.log, back.dt)])
    assert np.abs(q[0, 0] - error.simulated).max() < 2e-6
    stage = Usd.Stage.Open(str(tmp_path / "fitted.usda"))
    prim = stage.GetPrimAtPath("/arm/link1")
    assert prim.GetAttribute("physics:mass").GetCustomDataByKey("fajinFit")["value"] == fit["link1:mass"].value
    assert prim.GetAttribute("physics:centerOfMass").Get()[2] == pytest.approx(fit["link1:com_z"].value / units[0])
    assert {p.name: p.value for p in back.fit.parameters} == {one.name: one.value for one in fit.values}


def test_centres_of_mass_in_loops_are_refused(scenes):
    """Joints outside the trees are measured from them."""
    model = compile(fajin.read(scenes / "four_bar.usda"))
    time, target = fourier(1.0, joints=1)
    log = MotionLog("log", "", time, model.dof[:1], (0,), target, target)
    link = next(name for name in model.link if name).rpartition("/")[2]
    with pytest.raises(InputError, match="loop joints or spatial tendons refer to it; leave it out"):
        parse_parameters(model, [log], [f"{link}:com"])


def test_batches_draw_bodies_from_the_fit(tmp_path):
    """Masses and inertias with the fit's covariance, for the centre of mass of the fit; each is that of a body."""
    write_arm(tmp_path / "arm.usda")
    scene = fajin.read(tmp_path / "arm.usda")
    truth = {"link1:mass": 1.2, "link1:com_x": 0.3, "link1:inertia_d1": -2.0, "link0:inertia_s13": 0.03}
    log = record(scene, truth, MOTION, sigma=1e-3)
    fit = fit_logs(scene, [log], list(truth), options=replace(ALL, force=True))
    author_fit(fit, tmp_path / "arm.usda", tmp_path / "fitted.usda")
    back = fajin.read(tmp_path / "fitted.usda")
    posterior = posterior_of(back, ColumnNames.of(compile(back)))
    drawn = posterior.columns(1, np.arange(3000))
    rows = np.stack([drawn[f"link1:inertia.{part}"] for part in ("xx", "xy", "xz", "yy", "yz", "zz")], axis=1)
    for inertia in map(matrix_of, rows):
        a, b, c = np.linalg.eigvalsh(inertia)
        assert a > 0.0
        assert c <= a + b
    assert np.ptp(rows[:, [0, 3, 5]], axis=0).min() > 1e-4
    shapes = np.array([shape_of(matrix_of(r), m) for r, m in zip(rows, drawn["link1:mass"], strict=True)])
    found = np.cov(np.stack((drawn["link1:mass"], shapes[:, 0])))
    place = [fit.names.index(name) for name in ("link1:mass", "link1:inertia_d1", "link1:com_x")]
    wanted = fit.covariance[np.ix_(place, place)]
    wanted = wanted[:2, :2] - np.outer(wanted[:2, 2], wanted[2, :2]) / wanted[2, 2]
    deviations = np.sqrt(np.diag(wanted))
    unit = np.outer(deviations, deviations)
    np.testing.assert_allclose(found / unit, wanted / unit, atol=0.1)
    means = np.array((drawn["link1:mass"].mean(), shapes[:, 0].mean()))
    values = np.array([fit[name].value for name in ("link1:mass", "link1:inertia_d1")])
    assert (np.abs(means - values) < 5.0 * deviations / np.sqrt(3000.0)).all()
    assert not any(name.startswith("link1:com") for name in drawn)
    motion = fajin.batch(back, worlds=8, seconds=0.01, random="fit", threads=1)
    assert motion is not None
