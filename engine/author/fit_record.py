"""Authoring of the record of a fit: custom data of the layer and of each fitted attribute."""

from collections.abc import Mapping, Sequence

from pxr import Usd, Vt

from ..scene.fit_record import FitRecord, FittedParameter
from ..usd.read.fit_record import KEY

NORMAL = 1.959964  # half width of a 95 % interval in standard deviations


def fit_record(stage: Usd.Stage, record: FitRecord, attributes: Mapping[str, Sequence[str]]) -> None:
    """Author a record in the stage's edit target.

    Args:
        stage: an open stage.
        record: the record.
        attributes: {parameter: names of the attributes of its prim that hold it}.
    """
    layer = stage.GetEditTarget().GetLayer()
    layer.customLayerData = {**layer.customLayerData, KEY: _plain(record)}
    for parameter in (parameter for parameter in record.parameters if parameter.prim):
        prim = stage.GetPrimAtPath(parameter.prim)
        for name in attributes.get(parameter.name, ()):
            prim.GetAttribute(name).SetCustomDataByKey(KEY, _of_attribute(parameter))


def _of_attribute(parameter: FittedParameter) -> dict:
    """Return the custom data of one attribute; values are in SI units, whatever the unit of the attribute."""
    half = NORMAL * parameter.deviation
    said = {"value": parameter.value, "unit": parameter.unit, "atBound": parameter.at_bound}
    if not parameter.at_bound:
        interval = Vt.DoubleArray([parameter.value - half, parameter.value + half])
        said |= {"sd": parameter.deviation, "interval": interval}
    return said


def _plain(record: FitRecord) -> dict:
    """Return the custom data of the layer."""
    parameters: dict = {
        key: Vt.StringArray([getattr(p, key) for p in record.parameters])
        for key in ("name", "prim", "owner", "quantity", "unit")
    }
    parameters |= {
        key: Vt.DoubleArray([getattr(p, key) for p in record.parameters]) for key in ("value", "deviation", "base")
    }
    parameters["atBound"] = Vt.BoolArray([p.at_bound for p in record.parameters])
    return {
        "step": record.dt,
        "solver": record.solver,
        "positionIterations": record.position_iterations,
        "velocityIterations": record.velocity_iterations,
        "parameters": parameters,
        "covariance": Vt.DoubleArray(list(record.covariance)),
        "logs": Vt.StringArray(list(record.logs)),
        "heldBack": Vt.StringArray(list(record.held_back)),
        "chiSquared": record.chi_squared,
        "error": record.error,
        "heldBackError": record.held_back_error,
        "version": record.version,
    }
