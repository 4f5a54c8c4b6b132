"""Command `python -m fajin.usd_schema`: prints the plugin folders for PXR_PLUGINPATH_NAME."""

import os
import sys

from fajin.usd_schema import PLUGINS, folders

OWN = "--own"  # for applications that include PhysX's and Newton's schemas, such as Isaac Sim


def main(arguments: list[str]) -> int:
    """Print the folders, joined by the system's path separator; return the exit code."""
    if arguments not in ([], [OWN]):
        print(f"usage: python -m fajin.usd_schema [{OWN}]", file=sys.stderr)
        return 2
    own = PLUGINS["fajinSchema"][1]
    print(os.pathsep.join(map(str, [own] if arguments else folders())))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
