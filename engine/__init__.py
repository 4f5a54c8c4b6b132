"""Articulated robots: read from USD, simulated in reduced coordinates as PhysX does, written back to USD."""

from importlib import import_module

_PLACES = {
    "read": "scene_file",
    "read_document": "scene_file",
    "write": "animation_file",
    "render": "visual.picture",
    "convert": "conversion",
    "ConverterError": "conversion",
    "compile": "model.model",
    "Model": "model",
    "Simulation": "simulation",
    "NonFinite": "simulation.stream",
    "DeviceError": "device",
    "batch": "jobs.batch",
    "load": "jobs.results.metrics_table",
    "InvalidJob": "jobs",
    "OutOfMemory": "device.bounds",
    "largest_batch": "device.memory_estimate",
    "Control": "simulation.control_events",
    "Recording": "recording.recorder",
    "concatenate": "recording.recorder",
    "replicate": "scene.replication",
    "Scene": "scene",
    "InvalidScene": "scene",
    "Snapshot": "simulation.snapshot",
    "Part": "simulation.snapshot",
    "Sensor": "simulation.sensor",
    "ContactEvents": "simulation.contact_events",
    "ContactSensor": "simulation.contact_sensor",
    "RaySensor": "simulation.ray_sensor",
    "grid_pattern": "simulation.ray_sensor",
    "Readout": "simulation.readout",
    "Contacts": "simulation.contacts",
    "TriggerEvents": "simulation.trigger_events",
    "InvalidSnapshot": "simulation.snapshot",
    "view": "visual.viewer.view",
}
_PACKAGES = ("author", "check", "dynamics", "envs", "fit")
__all__ = sorted((*_PLACES, *_PACKAGES))  # pyright: ignore[reportUnsupportedDunderAll]  # the stub lists them


def __getattr__(name: str) -> object:
    """Import the requested name on first use; Taichi and USD load only with names that need them."""
    if name in _PACKAGES:
        return import_module(f"{__name__}.{name}")
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
