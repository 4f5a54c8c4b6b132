"""Questions that cannot be answered: one line that says what was expected."""

import re
from dataclasses import replace

import numpy as np
import pytest
from one_joint import slider, wheel
from planar_arm import arm, simulation

from fajin import dynamics
from fajin.scene import Articulation, Link, Scene

SIM_WORLDS = 2


@pytest.fixture(scope="module")
def sim():
    """An arm of three joints and four links in two worlds."""
    return simulation(arm(), SIM_WORLDS)


def refused(ask, *said: str, **given) -> None:
    """The question raises ValueError, in one line with all of what is said in it."""
    with pytest.raises(ValueError, match=re.escape(said[0])) as caught:
        ask(**given)
    text = str(caught.value)
    assert "\n" not in text
    assert all(part in text for part in said), text


@pytest.mark.parametrize(
    ("ask", "name", "shape"),
    [
        (dynamics.joint_force, "qdd", (2, 3)),
        (dynamics.joint_acceleration, "effort", (2, 3)),
        (dynamics.generalized_external_force, "force", (2, 4, 6)),
    ],
)
def test_arrays_of_a_wrong_shape_or_type_are_refused(sim, ask, name, shape):
    """What was expected is said."""
    wrong = (np.zeros(3), np.zeros((2, 4)), np.zeros((1, 3)), np.zeros((2, 3, 6)), 1.0)
    for values in (*wrong, np.zeros(shape[::-1])):
        refused(lambda values=values: ask(sim, **{name: values}), name, str(np.shape(values)), str(shape))
    for values in ("half", [[1.0, 2.0, 3.0], [1.0]], np.full(shape, 1j), np.full(shape, None)):
        refused(lambda values=values: ask(sim, **{name: values}), name, "real numbers", str(shape))


def test_whole_numbers_and_lists_are_taken(sim):
    """They are numbers, too."""
    assert (dynamics.joint_force(sim, qdd=[[1, 0, 0]] * 2) == dynamics.mass_matrix(sim)[:, :, 0]).all()


def test_an_articulation_must_be_named_where_there_are_several():
    """By its path or its index; free bodies need no name to be left out."""
    two = Scene("two", (slider(), replace(wheel(), path="/other")))
    sim = simulation(two)
    refused(lambda: dynamics.mass_matrix(sim), "articulation = None", "/m, /other", "0 to 1")
    refused(lambda: dynamics.mass_matrix(sim, articulation="/arm"), "articulation = '/arm'", "/m, /other")
    refused(lambda: dynamics.mass_matrix(sim, articulation=2), "articulation = 2", "0 to 1")
    refused(lambda: dynamics.mass_matrix(sim, articulation=True), "articulation = True")
    by_path, by_index = (dynamics.coordinates(sim, articulation=key) for key in ("/other", 1))
    assert by_path == by_index == sim.dof[1:]
    ball = Articulation("/ball", (Link("/ball", mass=3.0),), (), free=True)
    both = simulation(Scene("arm and ball", (ball, *arm().articulations)))
    assert dynamics.coordinates(both) == both.dof
    assert dynamics.mass_matrix(both, articulation="/ball")[0, 0, 0] == 3.0
    assert dynamics.links(both, articulation="/ball") == ("/ball",)


def test_each_of_several_articulations_has_its_own_answers():
    """Those it has alone."""
    machines = slider(2.0, armature=0.5), replace(wheel(3.0, qd=2.0), path="/other")
    both = simulation(Scene("two", machines))
    for i, machine in enumerate(machines):
        alone = simulation(Scene("one", (machine,)))
        for name in ("mass_matrix", "jacobian", "gravity_compensation", "kinetic_energy", "momentum"):
            ask = getattr(dynamics, name)
            assert (ask(both, articulation=i) == ask(alone)).all()


def test_the_coordinates_of_a_floating_base_have_names():
    """Six, then the degrees of freedom."""
    scene = arm()
    floating = replace(scene, articulations=(replace(scene.articulations[0], fixed_base=False),))
    sim = simulation(floating)
    assert dynamics.coordinates(sim) == (*dynamics.BASE, *sim.dof)
    refused(lambda: dynamics.joint_force(sim, qdd=np.zeros((1, 3))), "qdd", "(1, 3)", "(1, 9)")
    assert dynamics.joint_force(sim, qdd=np.zeros((1, 3)), free_base=True).shape == (1, 3)


def test_what_cannot_move_has_no_coordinates():
    """Its answers are empty; it still has a mass and a place."""
    block = Articulation("/block", (Link("/block", mass=2.0, com=(0.0, 0.0, 3.0)),), (), fixed_base=True)
    sim = simulation(Scene("block", (block,)), SIM_WORLDS)
    assert dynamics.mass_matrix(sim).shape == (SIM_WORLDS, 0, 0)
    assert dynamics.jacobian(sim).shape == (SIM_WORLDS, 0, 0)
    assert dynamics.joint_acceleration(sim).shape == (SIM_WORLDS, 0)
    assert dynamics.centroidal_momentum_matrix(sim).shape == (SIM_WORLDS, 6, 0)
    assert (dynamics.articulation_com(sim) == (0.0, 0.0, 3.0)).all()
