"""USD schemas of Newton and PhysX, and fajin's own where neither has one; registration with USD.

    export PXR_PLUGINPATH_NAME=$(python -m fajin.usd_schema)

registers them in any other USD application. Files stay valid and readable without them.
"""

import warnings
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent
PLUGINS = {  # plugin name: the package that registers it on import, the fallback folder
    "newton": ("newton_usd_schemas", None),
    "physxSchema": ("physx_usd_schemas", HERE / "physx"),
    "fajinSchema": (None, HERE / "fajin"),
}
SCHEMAS = {"newton": "NewtonMimicAPI", "physxSchema": "PhysxJointAxisAPI", "fajinSchema": "FajinMimicAPI"}


def register() -> tuple[str, ...]:
    """Register the schemas with USD; return the names of all known plugins.

    USD builds its registry when the first stage opens and ignores later plugins, so call this function before; a
    warning is issued if it is too late. A plugin that the host application has registered is left alone, because
    registering a second copy is an error. Repeated calls are harmless.
    """
    from pxr import Plug

    registry = Plug.Registry()
    missing = [name for name in PLUGINS if registry.GetPluginWithName(name) is None]
    for name in missing:
        package, folder = PLUGINS[name]
        if package and find_spec(package) is not None:
            import_module(package)
        elif folder:
            registry.RegisterPlugins(str(folder))
    known = tuple(name for name in PLUGINS if registry.GetPluginWithName(name) is not None)
    warn_late([name for name in missing if name in known])
    return known


def warn_late(registered: list[str]) -> None:
    """Warn about plugins that were registered after USD had built its registry."""
    from pxr import Usd

    registry = Usd.SchemaRegistry()
    late = [name for name in registered if registry.FindAppliedAPIPrimDefinition(SCHEMAS[name]) is None]
    if late:
        warnings.warn(
            f"USD opened a stage before {', '.join(late)} was registered and does not know these schemas in this "
            "process: files are read and written correctly, but schema defaults are not shown; call "
            "fajin.usd_schema.register() first, or set PXR_PLUGINPATH_NAME",
            stacklevel=3,
        )


def folders() -> tuple[Path, ...]:
    """Return the plugin folders for PXR_PLUGINPATH_NAME: those of installed packages, else fajin's own."""
    from pxr import Plug

    register()
    plugins = (Plug.Registry().GetPluginWithName(name) for name in PLUGINS)
    return tuple(Path(plugin.resourcePath) for plugin in plugins if plugin)
