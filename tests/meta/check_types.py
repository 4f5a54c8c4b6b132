"""Run pyright over the package as it is installed: `fajin`, with `fajin.tools` and `fajin.usd_schema` below it.

    python tests/meta/check_types.py

copies engine/, tools/ and usd_schema/ to where [tool.pyright] in pyproject.toml expects them, as their imports name
the installed package, and runs pyright there. Paths in the output are those of the checkout.
"""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "build" / "types" / "fajin"
FOLDERS = {"engine": PACKAGE, "tools": PACKAGE / "tools", "usd_schema": PACKAGE / "usd_schema"}

ADD_ONS = ("blender", "usdview")  # folders of tools/ that other programs load


def copy_package(package: Path = PACKAGE) -> None:
    """Copy the source folders into one package at a place."""
    shutil.rmtree(package, ignore_errors=True)
    for folder, place in FOLDERS.items():
        below = package / place.relative_to(PACKAGE)
        shutil.copytree(ROOT / folder, below, ignore=shutil.ignore_patterns("__pycache__", *ADD_ONS))


def main(arguments: list[str]) -> int:
    """Run pyright with these arguments; return its exit status."""
    copy_package()
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, *arguments]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    output = done.stdout
    for folder, place in reversed(FOLDERS.items()):
        output = output.replace(f"{place}/", f"{ROOT / folder}/")
    print(output, end="")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
