"""`fajin.batch`: the same world gives the same bits in any company; policies, ends, own metrics, worlds that break."""

from dataclasses import replace

import numpy as np
import pytest

import fajin
from fajin.device import PACK
from fajin.jobs.description.distributions import Distribution
from fajin.jobs.description.prepared_job import ColumnNames, PreparedJob
from fajin.jobs.description.sweep import Sweep
from fajin.jobs.shards import simulate_shard
from fajin.jobs.shards.simulate_shard import simulate_worlds
from fajin.scene import Scene

WORLDS = 40
SECONDS = 0.25


@pytest.fixture(scope="module")
def scene(request) -> Scene:
    """An arm."""
    return fajin.read(request.config.rootpath / "scenes" / "arm7.usda")


def work(scene: Scene, **options) -> PreparedJob:
    """A sweep over gains, masses and starts of forty worlds."""
    model = fajin.compile(scene)
    laws = {"joint.*:q+": "uniform(-0.3,0.3)", "link.*:mass*": "uniform(0.7,1.3)", "joint2:armature": "uniform(0,1)"}
    grid = {"joint[1-3]:stiffness": np.array([50.0, 500.0])}
    sweep = Sweep(ColumnNames.of(model), {}, grid, {name: Distribution.parse(text) for name, text in laws.items()})
    steps = round(SECONDS / scene.dt)
    settings = {"metrics": ("peak_effort", "energy", "settling_time", "rms_error"), "device": "cpu", "threads": 1}
    return PreparedJob(model, sweep, WORLDS, steps, **(settings | options))


@pytest.fixture(scope="module")
def together(scene) -> dict[str, np.ndarray]:
    """All worlds at once, in packs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(simulate_shard, "SHORT", 0)
        return simulate_worlds(work(scene), np.arange(WORLDS)).columns


@pytest.mark.parametrize(("steps", "lanes"), [(1, 1), (10**6, PACK[32])])
def test_a_short_job_runs_worlds_one_by_one(scene, steps, lanes):
    """So that the first batch of a user waits for no kernel of packs."""
    made = simulate_shard.make_simulation(replace(work(scene), steps=steps), np.arange(WORLDS))
    assert [part.device.lanes for part in made._synced_state().parts] == [lanes]


def same(a: dict[str, np.ndarray], b: dict[str, np.ndarray], rows=slice(None)) -> bool:
    """Whether all numbers of b are those of these rows of a, to the bit."""
    return a.keys() == b.keys() and all(
        (a[name][rows] == b[name]).all() if a[name].dtype == object else a[name][rows].tobytes() == b[name].tobytes()
        for name in a
    )


@pytest.mark.parametrize(
    "worlds",
    [[0], [39], [17], list(range(7, 23)), list(range(16, 33)), [3, 5, 30]],
    ids=lambda worlds: f"{len(worlds)}",
)
def test_a_world_gives_the_same_row_in_any_company(scene, together, worlds):
    """Alone, in a shard that begins anywhere, among others: parameters, metrics and final state, to the bit."""
    assert same(together, simulate_worlds(work(scene), np.array(worlds)).columns, worlds)


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"threads": 2}, id="threads"),
        pytest.param({"device": "cpu-lanes"}, id="lanes", marks=pytest.mark.slow),
    ],
)
def test_threads_and_lanes_change_no_bit(scene, together, options):
    """Nor does anything else that only says where it runs."""
    assert same(together, simulate_worlds(work(scene, **options), np.arange(WORLDS)).columns)


def test_launches_of_another_length_change_no_bit(scene, together, monkeypatch):
    """Sums and responses go on over the end of a launch."""
    monkeypatch.setattr("fajin.simulation.launch_length.LAUNCH_SECONDS", 0.0)
    assert same(together, simulate_worlds(work(scene), np.arange(WORLDS)).columns)


def test_the_table_has_a_row_a_world_with_settings_and_metrics(scene):
    """Names of columns are those that --table and a reader take; values are the simulation's."""
    gains = [10.0, 1000.0]
    table = fajin.batch(scene, {"joint2:stiffness": gains}, seconds=SECONDS, metrics=["peak_effort"], device="cpu")
    assert list(table["world"]) == [0, 1]
    assert list(table["joint2:stiffness"]) == gains
    assert list(table["end"]) == ["done", "done"]
    sim = fajin.Simulation(scene, 2, device="cpu")
    sim.stiffness[:, "joint2"] = gains
    sim.step(round(SECONDS / scene.dt))
    assert (table["joint2:final_q"].to_numpy() == sim.q[:, "joint2"]).all()
    assert (table["joint7:final_qd"].to_numpy() == sim.qd[:, "joint7"]).all()
    assert (table["joint2:peak_effort"] > 0.0).all()
    assert table.shape[1] == 5 + 3 * 7


def test_a_policy_is_called_before_every_so_many_steps(scene):
    """What it sets holds until the next call: the same as a loop over `step`."""
    asked = []

    def policy(sim):
        asked.append(sim.steps)
        sim.write("target_q", 0.3 * sim.read("q") + 0.1)

    rows = fajin.batch(scene, {"joint1:q": [0.0, 0.4]}, seconds=20 * scene.dt, policy=policy, every=5, device="cpu")
    assert asked == [0, 5, 10, 15]
    sim = fajin.Simulation(scene, 2, device="cpu")
    sim.q[:, "joint1"] = [0.0, 0.4]
    for _ in range(4):
        policy(sim)
        sim.step(5)
    assert (rows["joint6:final_q"].to_numpy() == sim.q[:, "joint6"]).all()


def test_a_policy_steps_with_tensors_in_the_loop(scene):
    """PyTorch's arrays, filled and taken where they are."""
    torch = pytest.importorskip("torch")
    q, target = torch.empty(3, 7), torch.zeros(3, 7)

    def policy(sim):
        sim.read("q", out=q)
        target.copy_(0.5 * q)
        sim.write("target_q", target)

    rows = fajin.batch(scene, worlds=3, seconds=10 * scene.dt, policy=policy, device="cpu")
    again = fajin.batch(
        scene,
        worlds=3,
        seconds=10 * scene.dt,
        policy=lambda sim: sim.write("target_q", 0.5 * sim.read("q")),
        device="cpu",
    )
    assert (rows["joint4:final_q"] == again["joint4:final_q"]).all()


def test_every_world_ends_when_it_is_told_to(scene):
    """By its own time or by a function of the state; numbers are those at its end, the others' are as without it."""
    h = scene.dt
    whole = fajin.batch(scene, worlds=3, seconds=30 * h, device="cpu")
    timed = fajin.batch(scene, worlds=3, seconds=[10 * h, 30 * h, 20 * h], device="cpu")
    assert np.allclose(timed["seconds"], [10 * h, 30 * h, 20 * h])
    assert timed.loc[1, "joint2:final_q"] == whole.loc[1, "joint2:final_q"]
    short = fajin.batch(scene, worlds=1, seconds=10 * h, device="cpu")
    numbers = [name for name in whole if name[0] != "w"]
    assert (timed.loc[0, numbers].fillna(0) == short.loc[0, numbers].fillna(0)).all()
    stopped = fajin.batch(
        scene, worlds=3, seconds=30 * h, every=5, device="cpu", stop=lambda sim: np.arange(3) * 5 >= sim.steps
    )
    assert list(stopped["end"]) == ["done", "stopped", "stopped"]
    assert np.allclose(stopped["seconds"], [30 * h, 5 * h, 5 * h])


def test_a_run_ends_with_its_last_world(scene):
    """Nobody steps on when every world has ended."""
    steps = []
    fajin.batch(
        scene, worlds=2, seconds=100 * scene.dt, every=10, stop=lambda sim: [True, True],
        policy=lambda sim: steps.append(sim.steps), device="cpu",
    )  # fmt: skip
    assert steps == [0]


def test_a_metric_of_the_users_is_seen_over_time(scene):
    """Smallest, largest, mean and last of what it returns, of each degree of freedom or by the names it gives."""
    seen = []

    def height(sim):
        seen.append(sim.link_pose[:, "link7", 2].astype(np.float64))
        return {"height": seen[-1], "speed": sim.qd}

    rows = fajin.batch(scene, {"joint1:q": [0.0, 0.5]}, seconds=12 * scene.dt, metrics=[height], every=4, device="cpu")
    values = np.array(seen)
    assert len(values) == 3
    for name, expected in {
        "min": values.min(0),
        "max": values.max(0),
        "mean": values.mean(0),
        "final": values[-1],
    }.items():
        assert np.allclose(rows[f"height.{name}"], expected, rtol=1e-12)
    assert (rows["joint3:speed.final"].to_numpy() == rows["joint3:final_qd"].to_numpy()).all()
    seen.clear()
    ends = [4 * scene.dt, 12 * scene.dt]
    short = fajin.batch(scene, {"joint1:q": [0.0, 0.5]}, seconds=ends, metrics=[height], every=4, device="cpu")
    assert (short.loc[0, [f"height.{part}" for part in ("min", "max", "mean", "final")]] == values[0, 0]).all()
    assert short.loc[1, "height.final"] == rows.loc[1, "height.final"]


def test_worlds_begin_where_a_snapshot_says(scene):
    """One state for all, or one each; parameters are those of the sweep."""
    sim = fajin.Simulation(scene, 2, device="cpu", threads=1)
    sim.q[1, "joint3"] = 0.7
    sim.step(20)
    start = sim.save()
    rows = fajin.batch(scene, worlds=2, seconds=20 * scene.dt, initial=start, device="cpu")
    sim.step(20)
    assert (rows["joint3:final_q"].to_numpy() == sim.q[:, "joint3"]).all()
    one = fajin.batch(scene, worlds=3, seconds=20 * scene.dt, initial=start[1], device="cpu")
    assert (one["joint3:final_q"].to_numpy() == sim.q[1, "joint3"]).all()


@pytest.mark.parametrize(
    ("parameters", "options", "words"),
    [
        ({"joint2:stiffness": [1.0, 2.0], "joint3:stiffness": [1.0]}, {}, ("joint3", "one value per world")),
        ({"joint2:stiffness": []}, {}, ("joint2:stiffness", "list of numbers")),
        ({"joint2:stiffness": [[1.0]]}, {}, ("joint2:stiffness",)),
        ({"joint2:stiffness": [1.0, 2.0]}, {"worlds": 3}, ("multiple of the 2", "4")),
        ({}, {"seconds": -1.0}, ("seconds",)),
        ({}, {"seconds": [0.1, 0.2], "worlds": 3}, ("has 2 values", "one per world (3)")),
        ({}, {"metrics": ["speed"]}, ("speed", "peak_speed")),
        ({"joint2:stiffness": [1.0]}, {"grid": {"joint2:stiffness": [1.0]}}, ("joint2:stiffness", "varied once")),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(scene, parameters, options, words):
    """Before anything is simulated."""
    with pytest.raises(fajin.InvalidJob) as error:
        fajin.batch(scene, parameters, **options)
    line = str(error.value)
    assert "\n" not in line
    assert all(word in line for word in words)


def test_an_option_that_is_none_is_refused(scene):
    """As of any function."""
    with pytest.raises(TypeError, match="sede"):
        fajin.batch(scene, sede=3)


@pytest.mark.parametrize(("shard", "expected"), [(0, WORLDS), (16, 16), (100, WORLDS)])
def test_worlds_run_on_the_device_of_their_shard(scene, monkeypatch, shard, expected):
    """Also those that are simulated again, alone: `auto` depends on the number of worlds at once."""
    from fajin.jobs.shards import simulate_shard

    asked = []
    start = simulate_shard.devices.start

    def started(name: str, precision: str, threads: int, worlds: int, model: object) -> object:
        if name == "auto":
            asked.append(worlds)
        return start("cpu", precision, threads, worlds)

    monkeypatch.setattr(simulate_shard.devices, "start", started)
    job = work(scene, device="auto", shard=shard)
    for worlds in (np.arange(3), np.array([7])):
        assert simulate_shard.make_simulation(job, worlds).device == "cpu"
    assert asked == [expected] * 2
