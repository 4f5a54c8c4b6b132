"""What varies from world to world: which number, by how much, and always the same for the same world."""

from types import SimpleNamespace

import numpy as np
import pytest

import fajin
from fajin.jobs.description.distributions import Distribution, uniforms
from fajin.jobs.description.parameter_ref import ParameterRef
from fajin.jobs.description.sweep import Sweep, apply, parse_terms, values_of
from fajin.jobs.description.table import as_frame, read_table
from fajin.jobs.shards.result_table import write_table
from fajin.selection import short_names
from fajin.simulation.fields import Fields

NAMES = SimpleNamespace(
    dof=("/a/elbow:rotX", "/a/wrist:rotY", "/a/wrist:rotZ", "/b/elbow:rotX"),
    link=("/a/hand", "/a/arm"),
    articulation=("/a", "/b"),
    maximal_dof=("/gate:rotX",),
    pair_kind=("/a/hand|/ground",),
)
COLUMN = {"link": "hand", "dof": "wrist:rotY", "maximal_dof": "gate", "pair_kind": "hand.*ground"}
"""One column of each kind."""


def sweep(table=None, grid=None, random=None, seed=0) -> Sweep:
    """A sweep of the robot above."""
    laws = {name: Distribution.parse(text) for name, text in (random or {}).items()}
    return Sweep(NAMES, table or {}, grid or {}, laws, seed)


def test_worlds_run_over_every_combination_and_the_last_grid_fastest():
    """World w is at point w modulo the points; a table's rows vary slowest."""
    rows, gains, masses = np.array([7.0, 8.0]), np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.9])
    varied = sweep({"/a/elbow:q": rows}, {".*:stiffness": gains, "hand:mass*": masses})
    assert varied.points == 12
    expected = [(row, gain, mass) for row in rows for gain in gains for mass in masses]
    columns = varied.columns(np.arange(24))
    assert list(columns) == ["/a/elbow:q", ".*:stiffness", "hand:mass*"]
    assert list(zip(*columns.values(), strict=True)) == 2 * expected
    some = np.array([3, 4, 11, 20])
    assert all((values[some] == varied.columns(some)[name]).all() for name, values in columns.items())


def test_a_random_number_belongs_to_its_world_and_name():
    """Whatever range is asked for, whatever else varies; another seed, name or world has another one."""
    law = {".*:damping": "uniform(1,2)"}
    alone = sweep(random=law).columns(np.arange(100))
    among = sweep({"hand:mass": np.array([1.0])}, random={"hand:mass*": "normal(1,0.1)"} | law)
    assert len(alone) == 4
    assert all((alone[name][[3, 40, 41]] == among.columns(np.array([3, 40, 41]))[name]).all() for name in alone)
    other = sweep(random=law, seed=1).columns(np.arange(100))
    every = np.concatenate([*alone.values(), *other.values()])
    assert len(set(every)) == len(every)


@pytest.mark.parametrize(
    ("text", "mean", "deviation"),
    [
        ("uniform(-1,3)", 1.0, 4.0 / np.sqrt(12.0)),
        ("loguniform(1,100)", 99.0 / np.log(100.0), np.sqrt(9999.0 / 2 / np.log(100) - (99 / np.log(100)) ** 2)),
        ("normal(2,0.5)", 2.0, 0.5),
        ("choice(1,2,6)", 3.0, np.sqrt(14.0 / 3.0)),
    ],
)
def test_random_numbers_have_the_moments_of_their_law(text, mean, deviation):
    """Mean within 5 σ/√n, variance within 5 √(κ/n) of it, with fourth moments below those of these laws."""
    n = 40_000
    x = Distribution.parse(text).draw(0, "x", np.arange(n))
    assert abs(x.mean() - mean) < 5.0 * deviation / np.sqrt(n)
    assert abs(x.var() / deviation**2 - 1.0) < 5.0 * np.sqrt(8.0 / n)
    assert abs(np.corrcoef(x[:-1], x[1:])[0, 1]) < 5.0 / np.sqrt(n)


def test_numbers_lie_strictly_between_0_and_1():
    """Their logarithm is finite: a normal number always is."""
    u = uniforms(0, "x", np.arange(1000))
    assert ((u > 0.0) & (u < 1.0)).all()


def test_a_setting_means_columns_by_name_or_expression():
    """A word is one column's name, anything else an expression for many; components are numbers of one."""
    assert ParameterRef.parse("wrist:rotZ:damping").columns(NAMES) == [2]
    assert ParameterRef.parse(".*/wrist:.*:damping*").columns(NAMES) == [1, 2]
    assert ParameterRef.parse("gravity.z").columns(NAMES) == [2]
    assert ParameterRef.parse("gravity*").columns(NAMES) == [0, 1, 2]
    assert [setting.text for setting in ParameterRef.parse("/b/.*|wrist.*:q+").each(NAMES)] == [
        *("wrist:rotY:q+", "wrist:rotZ:q+", "/b/elbow:q+")
    ]
    assert list(short_names(NAMES.dof)) == ["/a/elbow", "wrist:rotY", "wrist:rotZ", "/b/elbow"]


@pytest.fixture
def sim(scenes) -> fajin.Simulation:
    """Three worlds of an arm."""
    return fajin.Simulation(fajin.read(scenes / "arm7.usda"), 3, device="cpu", threads=1)


def test_a_value_replaces_scales_or_shifts_the_scenes(sim):
    """`=` alone is the value; `*=` is a factor and `+=` a summand of what is there."""
    stiffness, q = sim.read("stiffness"), sim.read("q")
    ones = np.array([1.0, 2.0, 3.0])
    apply(sim, {"joint2:stiffness": 10 * ones, "joint[34]:stiffness*": ones, "joint5:q+": ones, "gravity.z": -ones})
    assert (sim.stiffness[:, "joint2"] == 10 * ones).all()
    assert np.allclose(sim.stiffness[:, "joint[34]"], stiffness[:, [2, 3]] * ones[:, None], rtol=1e-6)
    assert np.allclose(sim.q[:, "joint5"], q[:, 4] + ones, rtol=1e-6)
    assert (sim.gravity[:, "z"] == -ones).all()
    assert (sim.gravity[:, "x"] == 0.0).all()
    assert (sim.stiffness[:, "joint1"] == stiffness[:, 0]).all()


def test_inertia_follows_a_mass_and_takes_its_own_factor_after_it(sim):
    """I / m stays, in whatever order both are given."""
    before, factor = sim.read("inertia"), np.array([0.5, 1.0, 2.0])
    apply(sim, {"link3:inertia*": 3 * np.ones(3), "link3:mass*": factor, "link4:mass": 7 * np.ones(3)})
    three, four = (sim.link.index(f"/World/arm/{name}") for name in ("link3", "link4"))
    assert np.allclose(sim.inertia[:, three], 3 * factor[:, None] * before[:, three], rtol=1e-6)
    ratio = 7.0 / fajin.Simulation(sim.scene, device="cpu", threads=1).mass[0, four]
    assert np.allclose(sim.inertia[:, four], ratio * before[:, four], rtol=1e-6)
    assert (sim.inertia[:, 0] == before[:, 0]).all()
    apply(sim, {"link5:inertia.xx": np.full(3, 0.25), "link5:mass*": factor})
    assert (sim.inertia[:, sim.link.index("/World/arm/link5"), 0] == 0.25).all()


def test_mass_and_gravity_of_a_world_make_its_weight(sim):
    """Efforts that hold an arm at rest are m g: they scale with both, in this world alone."""
    from fajin import dynamics

    before = dynamics.gravity_compensation(sim)
    apply(sim, {"link.*:mass*": np.array([1.0, 2.0, 1.0]), "gravity*": np.array([1.0, 1.0, 0.5])})
    after = dynamics.gravity_compensation(sim)
    assert np.allclose(after, before * np.array([[1.0], [2.0], [0.5]]), rtol=1e-5, atol=1e-6)


def test_an_envelope_in_one_world_leaves_the_bits_of_the_others(scenes):
    """Speed stays below the limit where there is one."""
    scene = fajin.read(scenes / "arm7.usda")
    plain, one = (fajin.Simulation(scene, 20, device="cpu", threads=1) for _ in range(2))
    limit = np.full(20, np.inf)
    limit[3] = 0.2
    apply(one, {".*:max_actuator_velocity": limit})
    others = np.arange(20) != 3
    peak = 0.0
    for sim in (plain, one):
        sim.target_q = 1.0
        for _ in range(10):
            sim.step(5)
            peak = max(peak, np.abs(sim.applied_effort[3]).max()) if sim is one else peak
    assert np.array(one.q)[others].tobytes() == np.array(plain.q)[others].tobytes()
    assert (one.q[3] != plain.q[3]).any()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("joint2:stifness", ("stifness", "stiffness")),
        ("elbow", ("NAME:quantity",)),
        ("elbow:applied_effort", ("applied_effort",)),
        ("nowhere:stiffness", ("nowhere", "wrist")),
        ("(:stiffness", ("(", "regular expression")),
        ("stiffness", ("NAME:stiffness",)),
        (".*:gravity.z", ("gravity.z",)),
        ("gravity.w", ("x, y, z",)),
        ("hand:inertia", (".xx", "*=")),
        ("elbow:damping", ("elbow", "/a/elbow", "/b/elbow")),
    ],
)
def test_a_setting_that_means_nothing_is_refused_in_a_line(text, words):
    """It names what was written, and what there is."""
    with pytest.raises(fajin.InvalidJob) as error:
        ParameterRef.parse(text).columns(NAMES)
    line = str(error.value)
    assert "\n" not in line
    assert all(word in line for word in words)


@pytest.mark.parametrize(
    ("text", "value"),
    [(f"{COLUMN[q.of]}:{q.name}", -1.0) for q in Fields.quantities() if q.of in COLUMN and q.rule.startswith(">")]
    + [("hand:mass", 0.0), ("wrist:rotY:q", np.inf), ("wrist:rotY:max_force*", np.inf), ("wrist:rotY:lower", np.nan)],
)
def test_a_value_that_no_machine_has_is_refused(text, value):
    """Negative gains and masses, infinities where there is no bound to lift, and what is no number."""
    with pytest.raises(fajin.InvalidJob, match="must"):
        sweep(grid={text: np.array([1.0, value])})


@pytest.mark.parametrize(
    "text", ["uniform(1)", "uniform(2,1)", "gauss(0,1)", "normal(0,-1)", "loguniform(0,1)", "uniform(a,b)", "3"]
)
def test_a_distribution_that_is_none_is_refused(text):
    """With the form that it should have."""
    with pytest.raises(fajin.InvalidJob, match=r"must|needs"):
        Distribution.parse(text)


@pytest.mark.parametrize("text", ["", "1,,2", "a", "linspace(0,1)", "logspace(0,1,3)"])
def test_grid_values_that_are_none_are_refused(text):
    """With the form that they should have."""
    with pytest.raises(fajin.InvalidJob, match="must be numbers"):
        parse_terms([f"elbow:q={text}"], "--grid", values_of)


def test_ranges_hold_both_ends():
    """`linspace` in equal steps, `geomspace` in equal ratios."""
    assert list(values_of("linspace(0,1,5)")) == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert np.allclose(values_of("geomspace(1,1000,4)"), [1.0, 10.0, 100.0, 1000.0])
    assert list(values_of("3,1e2")) == [3.0, 100.0]


def test_sums_and_limits_that_cannot_be_are_refused(sim):
    """A negative sum, and a lower limit above the upper one, name world and joint."""
    with pytest.raises(fajin.InvalidJob, match=r'damping\[1, "joint1"\] = -1e\+09: must be finite and 0 or more'):
        apply(sim, {"joint1:damping+": np.array([1.0, -1e9, 1.0])})
    with pytest.raises(fajin.InvalidJob, match=r'lower\[2, "joint1"\] = 5: must be at most upper = 1; exchange them'):
        apply(sim, {"joint1:lower": np.array([-1.0, -1.0, 5.0]), "joint1:upper": np.ones(3)})


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("elbow:q\n", ("must have rows",)),
        ("elbow:q\nnan\n", ("row 0", "elbow:q", "nan")),
        ("elbow:q,hand:mass\n1,2\n3\n", ("row 1", "1 cells")),
        ("elbow:q\n1\nx\n", ("row 1", "'x'")),
        ("a,a\n1,2\n", ("each column once",)),
    ],
)
def test_a_table_that_is_none_is_refused(lines, words, tmp_path):
    """The line names file, row, column and value."""
    (tmp_path / "t.csv").write_text(lines)
    with pytest.raises(fajin.InvalidJob) as error:
        read_table(tmp_path / "t.csv")
    assert all(word in str(error.value) for word in ("t.csv", *words))


def test_tables_come_back_as_they_were_written(tmp_path):
    """From parquet and csv alike; NaN is null there and refused as a parameter; `world` only counts rows."""
    columns = {"world": np.arange(3), "/a/elbow:q": np.array([0.1, 0.2, 0.3])}
    write_table(columns, tmp_path / "t.parquet", {})
    (tmp_path / "t.csv").write_text("world,/a/elbow:q\n0,0.1\n1,0.2\n2,0.3\n")
    for name in ("t.parquet", "t.csv"):
        found = read_table(tmp_path / name)
        assert list(found) == ["/a/elbow:q"]
        assert (found["/a/elbow:q"] == columns["/a/elbow:q"]).all()
    write_table({"x": np.array([1.0, np.nan])}, tmp_path / "n.parquet", {})
    with pytest.raises(fajin.InvalidJob, match="row 1, x"):
        read_table(tmp_path / "n.parquet")


def test_without_pandas_a_table_is_a_structured_array(monkeypatch):
    """With the same names."""
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    frame = as_frame({"world": np.arange(2), "end": np.array(["done", "done"], object)})
    assert frame.dtype.names == ("world", "end")
    assert list(frame["world"]) == [0, 1]


def test_the_numbers_of_a_shard_are_drawn_once(monkeypatch):
    """They are wanted to check, to set and to write; another shard's are others, and no caller changes another's."""
    drawn, draw = [], Distribution.draw
    monkeypatch.setattr(Distribution, "draw", lambda *asked: drawn.append(asked) or draw(*asked))
    varied = sweep(random={"hand:mass*": "uniform(0.8,1.2)"})
    first = varied.columns(np.arange(8))
    (numbers,) = first.values()
    first["more"] = numbers
    assert len(varied.columns(np.arange(8))) == len(drawn) == 1
    (others,) = varied.columns(np.arange(8, 16)).values()
    (seeded,) = sweep(random={"hand:mass*": "uniform(0.8,1.2)"}, seed=1).columns(np.arange(8)).values()
    assert len(drawn) == 3
    assert (numbers != others).all()
    assert (numbers != seeded).all()
