"""USD schemas: registration of Newton's and, where its package is installed, PhysX's."""

from importlib import import_module
from importlib.util import find_spec

PACKAGES = {"newton_usd_schemas": "newton", "physx_usd_schemas": "physxSchema"}  # import name: USD plugin


def register() -> tuple[str, ...]:
    """Register the schemas with USD and return the names of the plugins that are known afterwards.

    USD builds its registry when the first stage opens and ignores what comes later, so call this before. A plugin that
    the host application has registered is left alone: a second copy of it would be an error. Calling again is harmless.
    """
    from pxr import Plug

    registry = Plug.Registry()
    for package, plugin in PACKAGES.items():
        if registry.GetPluginWithName(plugin) is None and find_spec(package) is not None:
            import_module(package)
    return tuple(plugin for plugin in PACKAGES.values() if registry.GetPluginWithName(plugin) is not None)
