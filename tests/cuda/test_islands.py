"""Islands of one world, each of which is a thread of its own on a GPU: side by side in random orders.

The emulator also ends where a thread touches what another one writes: interleaved.h.
"""

import sys
from collections.abc import Iterator

import numpy as np
import pytest
from emulation import GCC, environment
from islands import GROUND, SCENES, STAGES, apart, ball, box, example
from orders import motions, motions_apart

import fajin
from fajin.tables.topology import TABLES

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the stub of the driver is Linux's"),
    pytest.mark.skipif(GCC is None, reason="no gcc, which compiles the driver and the kernels"),
]

ORDERS, STEPS = 4, 4
"""Few orders of each scene: a race is found in any of them (`test_stub`)."""
SLOT_LAWS = ("floats", "sleeps", "planes", "boxes", "convexes")
LAWS = (*SLOT_LAWS, "polyhedra", "meshes", "rounds", "cores", "hulls", "capsules", "kept_on_meshes")
WITHOUT_CONTACTS = ("floats", "sleeps", "joints", "mimics", "tendons", "dense")
"""Laws of the three kernels of these tests."""


@pytest.fixture(scope="module", autouse=True)
def _objects(tmp_path_factory) -> Iterator[None]:
    """One folder of translated modules for all tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAKE_CUDA_OBJECTS", str(tmp_path_factory.mktemp("objects")))
        yield


def assert_bits_in_any_order(folder, paths, laws, worlds=2, slots=None, orders=ORDERS) -> list[dict]:
    """The motions of scenes on CUDA in random orders have the bits of a CPU; returns those of the CPU.

    One process runs all scenes; if it ends with a race, it has named the scene.
    """
    cuda = motions_apart(
        folder / "cuda.npz", environment(folder, FAKE_CUDA_ORDER="1"),
        paths=[*map(str, paths)], worlds=worlds, orders=orders, steps=STEPS, laws=laws, slots=slots,
    )  # fmt: skip
    found = []
    for i, path in enumerate(paths):
        # Two worlds on two threads run one by one, by a kernel that tests share and that has all laws
        sim = fajin.Simulation(fajin.read(path), worlds, "cpu", threads=1 if slots else 2, contact_slots=slots)
        found.append(assert_bits(cuda, i, sim, STEPS))
        assert len(sim.contacts) >= 2, path
    return found


def assert_bits(cuda: dict, number: int, sim: fajin.Simulation, steps: int) -> dict:
    """The motions of a scene on CUDA have the bits of a CPU; returns those of the CPU."""
    cpu = motions(sim, 1, steps)
    for name, expected in cpu.items():
        found = cuda[f"{number} {name}"]
        np.testing.assert_array_equal(found, np.broadcast_to(expected, found.shape), f"{name} of {sim}")
    return cpu


def islands_with_pairs(model: fajin.Model) -> int:
    """The number of islands in which colliders may touch."""
    islands = model.tables["ISLANDS"]
    return int((islands[:, TABLES["ISLANDS"]["PAIR_END"]] > islands[:, TABLES["ISLANDS"]["PAIR"]]).sum())


def test_islands_with_contacts_move_in_any_order_of_threads(tmp_path):
    """To the bit as on a CPU, where a worker steps one island after the other."""
    paths = []
    for name, write in STAGES.items():
        folder = tmp_path / name
        folder.mkdir()
        paths.append(write(folder))
        assert islands_with_pairs(fajin.compile(fajin.read(paths[-1]))) >= 2, name
    assert_bits_in_any_order(tmp_path, paths, LAWS)


def test_islands_of_many_worlds_move_in_any_order_of_threads(tmp_path):
    """Of 40 worlds, which are more than a tile."""
    assert_bits_in_any_order(tmp_path, [STAGES["boxes"](tmp_path)], LAWS, worlds=40, orders=2)


@pytest.mark.parametrize("slots", [2, 6])
def test_islands_whose_pairs_share_slots_move_in_any_order_of_threads(tmp_path, slots):
    """An island with fewer slots than pairs, and smaller ones; two slots are too few for those that are near."""
    path = apart(tmp_path, example("stack_of_five"), box(), ball() + box("other", 0.31), around=GROUND)
    (cpu,) = assert_bits_in_any_order(tmp_path, [path], SLOT_LAWS, slots=slots)
    assert (cpu["lost_pairs"].max() > 0) == (slots == 2)


def test_bundled_scenes_without_contacts_move_in_any_order_of_threads(tmp_path):
    """Nor animated targets, which take a kernel of their own: two worlds each, by one kernel."""
    paths = [path for path in sorted(SCENES.glob("*.usda")) if stands_alone(fajin.compile(fajin.read(path)))]
    cuda = motions_apart(
        tmp_path / "cuda.npz", environment(tmp_path, FAKE_CUDA_ORDER="1"),
        paths=[*map(str, paths)], worlds=2, orders=2, steps=2, laws=WITHOUT_CONTACTS, slots=None,
    )  # fmt: skip
    assert len(paths) >= 13
    for i, path in enumerate(paths):
        cpu = assert_bits(cuda, i, fajin.Simulation(fajin.read(path), 2, "cpu", threads=1), 2)
        assert np.ptp(cpu["qd"] if cpu["qd"].size else cpu["link_velocity"]) > 0.0, path


def stands_alone(model: fajin.Model) -> bool:
    """Whether a scene has neither contacts nor values that change within a launch."""
    return not len(model.tables["PAIRS"]) and not model.scene.signals
