"""Command `python -m fajin.usd_schema`: prints the plugin folders for PXR_PLUGINPATH_NAME, or what a tool needs."""

import os
import sys

from fajin.usd_schema import PLUGINS, folders

VARIABLE = "PXR_PLUGINPATH_NAME"
OWN, FOR = "--own", "--for"
TOOLS = {  # whether the tool brings PhysX's and Newton's schemas, and what to know beside the variable
    "kit": (True, "Isaac Sim and USD Composer bring PhysX's and Newton's schemas; set it before they start"),
    "houdini": (False, "set it before Houdini starts, or put these folders into HOUDINI_PATH/dso/usd_plugins"),
    "usdview": (False, "set it before usdview starts"),
    "blender": (False, "for scripts that use pxr; the add-on of tools/blender needs no variable"),
}


def main(arguments: list[str]) -> int:
    """Print the folders, joined by the system's path separator, or the settings of a tool; return the exit code."""
    if len(arguments) == 2 and arguments[0] == FOR and arguments[1] in TOOLS:
        own, note = TOOLS[arguments[1]]
        print(f"# {note}")
        print(f"{'set' if os.name == 'nt' else 'export'} {VARIABLE}={joined(own)}")
        return 0
    if arguments not in ([], [OWN]):
        wanted = arguments in (["-h"], ["--help"])
        usage = f"usage: python -m fajin.usd_schema [{OWN} | {FOR} {'|'.join(TOOLS)}]"
        print(usage, file=sys.stdout if wanted else sys.stderr)
        return 0 if wanted else 2
    print(joined(bool(arguments)))
    return 0


def joined(own: bool) -> str:
    """Return the folders of all schemas, or of fajin's own for a tool that includes PhysX's and Newton's."""
    return os.pathsep.join(map(str, [PLUGINS["fajinSchema"][1]] if own else folders()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
