"""`fajin.batch`: a parameter sweep in one call, in this process, returned as a table."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..model import Model
from ..model.model import compiled
from ..scene import Scene
from ..simulation.control_events import Control
from ..simulation.snapshot import Snapshot
from . import InvalidJob
from .description.distributions import Distribution
from .description.posterior import WORD, Posterior, posterior_of
from .description.prepared_job import ColumnNames, PreparedJob
from .description.sweep import Sweep, check_worlds, values_of
from .description.table import as_frame
from .metrics import named_metrics
from .shards.simulate_shard import simulate_worlds


def batch(
    scene: Scene | Model,
    parameters: Mapping[str, Any] | None = None,
    *,
    seconds: float | Sequence[float] | None = None,
    worlds: int | None = None,
    metrics: Sequence[str | Callable] = ("all",),
    **options: Any,
) -> Any:
    """Simulate a scene in many worlds, each with its own parameters, and return one table row per world.

    Args:
        scene: scene to simulate, as read or compiled.
        parameters: {setting: values}, or a DataFrame with such columns and one row per world. A setting is a name or
            regular expression and a field, as "elbow:stiffness". A value replaces the scene's value, multiplies it
            ("link.*:mass*") or is added to it ("elbow:q+"). Values are an array (W,), or a distribution such as
            "uniform(0.8, 1.2)" with a separate random number per column.
        seconds: duration, by default the scene's; an array (W,) sets the end of each world.
        worlds: number of worlds, W; by default the number of values.
        metrics: names (see `fajin batch --help`), "all", or functions of the simulation that return (W,), (W, n) or
            a dict of such arrays; the table holds .min, .max, .mean and .final of each function.
        options: grid={setting: values}: all combinations of these values and the rows of `parameters`; seed=0;
            random="fit": values from the scene's fit, with its covariance;
            policy(sim) and stop(sim) → (W,): called every `every` steps (1), before the first step and after each;
            values that a policy sets persist; worlds for which `stop` returns True end. initial: a Snapshot;
            controls: Control events; device, precision, threads, contacts, contact_slots: as of `Simulation`.

    Returns:
        A DataFrame if pandas is installed, else a structured array: world, the parameters, seconds, end ("done",
        "stopped" or "non-finite"), bad_dof, the metrics, and the final state as NAME:final_q and NAME:final_qd.

    Raises:
        InvalidJob: a parameter does not exist in this scene, or has an invalid value.
        InvalidScene, DeviceError: as of `Simulation`.
    """
    work = _work(scene, parameters, worlds, seconds, metrics, options)
    return as_frame(simulate_worlds(work, np.arange(work.worlds)).columns)


OPTIONS = {
    *("grid", "random", "seed", "policy", "stop", "every", "initial", "controls"),
    *("device", "precision", "threads", "contacts", "contact_slots"),
}


def _work(
    scene: Scene | Model,
    parameters: Mapping[str, Any] | None,
    worlds: int | None,
    seconds: float | Sequence[float] | None,
    metrics: str | Sequence[str | Callable],
    options: dict[str, Any],
) -> PreparedJob:
    unknown = set(options) - OPTIONS
    if unknown:
        raise TypeError(f"batch(): option {min(unknown)!r} must be one of {', '.join(sorted(OPTIONS))}")
    options = dict(options)
    model = compiled(scene, options.pop("contacts", True))
    posterior = _posterior(model, options.pop("random", None))
    sweep = _sweep(ColumnNames.of(model), parameters, options.pop("grid", {}), options.pop("seed", 0), posterior)
    times = np.asarray(model.scene.duration if seconds is None else seconds, np.float64)
    if not (np.isfinite(times).all() and (times >= 0.0).all()):
        raise InvalidJob(f"seconds = {seconds}: must be finite and not negative")
    count = worlds or (len(times) if times.ndim else sweep.points)
    check_worlds(count, sweep, "worlds =")
    if times.ndim and times.shape != (count,):
        raise InvalidJob(f"seconds: has {len(times)} values; must be one, or one per world ({count})")
    lasts = np.round(times / model.scene.dt).astype(np.int64)
    names, functions = _metrics(metrics)
    options["precision"] = options.get("precision") or model.scene.precision
    initial: Snapshot | None = options.get("initial")
    if initial is not None and initial.worlds not in (1, count):
        raise InvalidJob(f"initial: has {initial.worlds} worlds; must be 1 or {count}")
    return PreparedJob(
        model=model,
        sweep=sweep,
        worlds=count,
        steps=int(lasts.max(initial=0)),
        metrics=names,
        probes=functions,
        end_steps=lasts if times.ndim else None,
        events=_events(options.pop("controls", ()), sweep.names.dof),
        **options,
    )


def _posterior(model: Model, random: str | None) -> Posterior | None:
    """Return the posterior of the scene's fit, if it is asked for."""
    if random not in (None, WORD):
        raise InvalidJob(f"random = {random!r}: must be {WORD!r}; give distributions as parameters")
    return None if random is None else posterior_of(model.scene, ColumnNames.of(model))


def _sweep(
    names: ColumnNames, parameters: Mapping[str, Any] | None, grid: Mapping, seed: int, posterior: Posterior | None
) -> Sweep:
    """Return the sweep given by mappings of arrays, texts and distributions."""
    for name, given in (("parameters", parameters), ("grid", grid)):
        if not (given is None or hasattr(given, "keys")):
            raise InvalidJob(f"{name} = {given!r}: must be a dict or a DataFrame; pass {{setting: values}}")
    parameters = {} if parameters is None else {str(name): parameters[name] for name in parameters}
    random = {name: Distribution.parse(value) for name, value in parameters.items() if isinstance(value, str)}
    table = {name: _array(name, value) for name, value in parameters.items() if name not in random}
    lengths = {name: len(values) for name, values in table.items()}
    if len(set(lengths.values())) > 1:
        raise InvalidJob(f"parameters: have {lengths} values; must be one value per world")
    values = {name: values_of(v) if isinstance(v, str) else _array(name, v) for name, v in grid.items()}
    return Sweep(names, table, values, random, seed, posterior)


def _array(name: str, values: ArrayLike) -> np.ndarray:
    try:
        array = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        array = np.empty(())
    if array.ndim != 1 or not len(array):
        raise InvalidJob(f"{name}: must be a list of numbers, or a distribution such as uniform(0.8, 1.2)")
    return array


def _metrics(asked: Sequence[str | Callable] | str | Callable) -> tuple[tuple[str, ...], tuple]:
    """Return names of metrics, and (name, function) of user functions."""
    asked = (asked,) if isinstance(asked, str) or callable(asked) else tuple(asked)
    names, _ = named_metrics.choose_metrics(item for item in asked if not callable(item))
    return names, tuple((item.__name__, item) for item in asked if callable(item))


def _events(events: Sequence[Control], dofs: Sequence[str]) -> tuple[Control, ...]:
    for event in events:
        if not 0 <= event.dof < len(dofs):
            raise InvalidJob(f"controls = {event}: dof must be from 0 to {len(dofs) - 1}")
    return tuple(sorted(events, key=lambda event: event.step))
