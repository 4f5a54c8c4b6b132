"""Reading of the record of a fit from the custom data of a layer."""

from math import inf
from typing import Any

from pxr import Usd

from ...scene.fit_record import FitRecord, FittedParameter
from ...scene.serialization import MALFORMED, as_plain, from_plain

KEY = "fajinFit"


def read_fit_record(stage: Usd.Stage) -> FitRecord | None:
    """Return the record in the strongest layer that has one; None without one, or if it is damaged."""
    for layer in stage.GetLayerStack(includeSessionLayers=False):
        said = layer.customLayerData.get(KEY)
        if said is not None:
            try:
                return from_plain(FitRecord, as_plain(_record(said)))  # without NaN
            except MALFORMED:
                return None
    return None


def _record(said: dict[str, Any]) -> FitRecord:
    """Return a record of plain values."""
    columns = {key: list(said["parameters"][key]) for key in ("name", "prim", "owner", "quantity", "unit")}
    columns |= {key: [float(x) for x in said["parameters"][key]] for key in ("value", "deviation", "base")}
    columns["at_bound"] = [bool(x) for x in said["parameters"]["atBound"]]
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    covariance = tuple(map(float, said["covariance"]))
    if len(covariance) != len(rows) ** 2:
        raise ValueError("covariance")
    if not 0.0 < float(said["step"]) < inf:
        raise ValueError("step")
    return FitRecord(
        dt=float(said["step"]),
        solver=str(said["solver"]),
        position_iterations=int(said["positionIterations"]),
        velocity_iterations=int(said["velocityIterations"]),
        parameters=tuple(FittedParameter(**row) for row in rows),
        covariance=covariance,
        logs=tuple(map(str, said["logs"])),
        held_back=tuple(map(str, said["heldBack"])),
        chi_squared=float(said["chiSquared"]),
        error=float(said["error"]),
        held_back_error=float(said["heldBackError"]),
        version=str(said["version"]),
    )
