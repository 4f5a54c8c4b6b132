"""Lists of touching pairs: what any history of touches leaves is a list per group, without gaps."""

import numpy as np
import pytest
from recorded_contacts import read_scene

import fajin
from fajin.tables.topology import ARTICULATION, TABLES

THINGS = [TABLES["PAIRS"]["OWNER0"], TABLES["PAIRS"]["OWNER1"]]


def connected(count: int, ends: np.ndarray) -> list[int]:
    """The least member of everything that pairs of ends connect."""
    least = list(range(count))
    for _ in range(count):
        for one, two in ends:
            least[one] = least[two] = min(least[one], least[two])
    return least


def ranks(numbers: np.ndarray) -> list[int]:
    """Numbers in ascending order."""
    return sorted(numbers.astype(int).tolist())


@pytest.mark.parametrize("name", ["o07_pile_pgs", "o08_parting_pile_pgs"])
def test_every_group_has_a_list_and_a_root(name):
    """In 20 worlds whose bodies are thrown at random, while their groups meet and part."""
    sim = fajin.Simulation(read_scene(name), 20, device="cpu", threads=1)
    sim.root_velocity = np.array(sim.root_velocity) + np.random.default_rng(1).normal(0.0, 1.0, sim.root_velocity.shape)
    tables = sim._synced_state().model.tables
    things, count = tables["PAIRS"][:, THINGS], len(tables["ARTICULATIONS"])
    assert (tables["ARTICULATIONS"][:, ARTICULATION["JOINED"]] == np.arange(count)).all()
    seen = set()
    for _ in range(25):
        sim.step(4)
        rows = sim.save().rows
        for world in range(sim.worlds):
            number, age, root, place, step = (
                rows[row][world].astype(int)
                for row in ("TOUCH_NUMBER", "TOUCH_AGE", "GROUP_ROOT", "GROUP_PLACE", "NEXT_TO_ROOT")
            )
            touching = np.flatnonzero(number)
            if not root.any():
                assert not touching.size
                continue
            root -= 1
            inner = things[touching][things[touching, 1] >= 0]
            expected = connected(count, inner)
            assert connected(count, np.stack([np.arange(count), root], 1)) == expected
            assert ranks(age[touching]) == list(range(1, len(touching) + 1))
            roots = np.unique(root)
            assert (root[roots] == roots).all()
            assert ranks(place[roots]) == list(range(len(roots)))
            for group in roots:
                members = number[touching[root[things[touching, 0]] == group]]
                assert ranks(members) == list(range(1, len(members) + 1))
            for a in np.flatnonzero(step):
                assert {tuple(sorted(pair)) for pair in inner.tolist()} >= {tuple(sorted((int(a), int(step[a]) - 1)))}
            seen.add(len(roots))
    assert len(seen) > 2
