"""Worlds that PhysX steps together, by a stand-in of ovphysx whose joints are at once where drives want them."""

import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from paths import ROOT  # noqa: E402

from fajin import envs  # noqa: E402
from fajin.envs.physx import in_physx, most_worlds  # noqa: E402
from fajin.envs.physx_worker import reported  # noqa: E402
from fajin.errors import InputError  # noqa: E402

WORLDS = 12  # env_10 comes after env_9
STAND_IN = """
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace as Space
import re, sys
import numpy as np

class Kind:
    def __getattr__(self, name):
        return name

def module(name, **members):
    sys.modules[name] = ModuleType(name)
    sys.modules[name].__dict__.update(members)

class Binding:
    def __init__(self, physx, paths, kind):
        self.physx, self.paths, self.kind, self.dof_names = physx, paths, kind, ["robot/hinge", "robot/slider"]
        self.shape = (len(paths), {"ARTICULATION_ROOT_POSE": 7, "ARTICULATION_ROOT_VELOCITY": 6}.get(kind, 2))

    def write(self, values):
        for path, row in zip(self.paths, values):
            self.physx.q[path] = row

    def read(self, values):
        for path, row in zip(self.paths, values):
            if self.kind == "ARTICULATION_DOF_POSITION":
                row[:] = self.physx.q.get(path, 0.0)
            if self.kind == "ARTICULATION_ROOT_POSE":
                row[:] = 0, 0, int((re.findall("env_([0-9]+)", path) or "0")[0]), 0, 0, 0, 1

class PhysX:
    set_cpu_mode = staticmethod(lambda on: None)

    def __init__(self):
        self.q = {}

    def attach_ovstage(self, stage, read_ordinal):
        found = sorted(set(re.findall('Xform "(env_[0-9]+)"', open(stage.path).read())))
        self.paths = [f"/World/envs/{name}/cartpole" for name in found] or ["/cartpole"]

    def wait_task(self, task):
        pass

    def step_sync(self, dt):
        pass

    @contextmanager
    def read_sync(self, *words, scope):
        yield Space(groups=[Space(prim_list=self.paths)], dictionary=Space(get_path_strings=list))

    def create_tensor_binding(self, prim_paths, tensor_type):
        return Binding(self, prim_paths, tensor_type)

def open_usd(stage, path, ordinal, domains):
    stage.path = path

class Stage:
    def __init__(self, name):
        pass

    def advance_write_floor(self, ordinal):
        return Space(wait=lambda: None)

population = Space(open_usd=open_usd, register_usd_schemas=list)
module("ovstage", Stage=Stage, population=population, PopulationDomain=Kind())
module("ovphysx.types", ObjectScope=Kind(), SimObjectType=Kind(), TensorType=Kind())
module("ovphysx.samples")
module("ovphysx.samples.python_samples")
module("ovphysx.samples.python_samples.schema_support", physx_schema_paths=list)
GlobalConfigKey = Kind()
set_global_config = lambda key, value: None
newton_schema_root = lambda: ""
"""


@pytest.fixture
def python(tmp_path):
    """An interpreter that has the stand-in."""
    (tmp_path / "ovphysx").mkdir()
    (tmp_path / "ovphysx" / "__init__.py").write_text(STAND_IN)
    path = tmp_path / "python"
    path.write_text(f'#!/bin/sh\nPYTHONPATH={tmp_path} exec {sys.executable} "$@"\n')
    path.chmod(0o755)
    return path


def made(worlds: int, **changes) -> envs.Env:
    task = envs.find_task("Cartpole-v0")
    task.resets, task.startup = {}, {}
    for name, value in changes.items():
        setattr(task, name, value)
    return envs.make(task, worlds, autoreset="disabled", threads=1)


@pytest.mark.parametrize("worlds", [1, WORLDS])
def test_each_world_is_driven_and_read_as_its_own(python, worlds):
    """Joints by name, worlds by number, whichever order PhysX lists them in."""
    env = made(worlds)
    with in_physx(env, python):
        env.sim.step()
        targets = np.arange(2 * worlds, dtype=np.float32).reshape(worlds, 2)
        env.sim.write("target_q", targets)
        env.sim.step(4)
        np.testing.assert_array_equal(env.sim.read("q"), targets)
        np.testing.assert_array_equal(env.sim.read("root_pose")[:, 0, 2], np.arange(worlds))


def test_a_stage_with_other_robots_is_refused_in_one_line(python, tmp_path):
    text = (tmp_path / "ovphysx" / "__init__.py").read_text()
    (tmp_path / "ovphysx" / "__init__.py").write_text(text.replace('or ["/cartpole"]', 'or ["/cartpole", "/arm"]'))
    env = made(1)
    with (
        pytest.raises(InputError, match="/cartpole, /arm: must be one in each world"),
        in_physx(env, python),
    ):
        env.sim.step()


class Reports:
    """A stand-in of PhysX's contacts, which lists colliders in an order of its own."""

    sensor_paths = ("/b", "/a")

    def create_contact_binding(self, sensor_patterns):
        return self

    def read_net_normal_forces(self, values):
        values[:] = [[0.0, 0.0, 2.0], [0.0, 0.0, 1.0]]

    def read_net_friction_forces(self, values):
        values[:] = [[20.0, 0.0, 0.0], [10.0, 0.0, 0.0]]


def test_forces_of_contacts_are_those_of_their_colliders():
    """Of normals and friction; a collider that PhysX does not report is named, and none are asked for without any."""
    forces = reported(Reports(), ["/a", "/b"])
    np.testing.assert_array_equal(forces(), [[10.0, 0.0, 1.0], [20.0, 0.0, 2.0]])
    with pytest.raises(SystemExit, match="contacts of /c: must be reported"):
        reported(Reports(), ["/a", "/c"])
    assert reported(None, [])().shape == (0, 3)


def test_worlds_of_a_scene_that_cannot_be_copied_run_alone(tmp_path):
    """Such as one whose collision groups filter."""
    assert most_worlds(made(1).sim) > 1
    group = 'def PhysicsCollisionGroup "a" {\n rel physics:filteredGroups = </a>\n}\n'
    scene = ROOT / "engine" / "envs" / "scenes" / "cartpole.usda"
    words = f'#usda 1.0\n(\n defaultPrim = "cartpole"\n metersPerUnit = 1\n subLayers = [@{scene}@]\n upAxis = "Z"\n)\n'
    (tmp_path / "filtered.usda").write_text(words + group)
    assert most_worlds(made(1, scene=tmp_path / "filtered.usda").sim) == 1
