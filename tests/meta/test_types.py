"""The check of types: what it covers, and what a user's type checker sees of the package."""

import subprocess
import sys

import pytest
from meta.check_types import FOLDERS, PACKAGE, ROOT, copy_package

PROGRAM = """
import fajin

sim = fajin.Simulation(fajin.read("arm.usda"))
sim.stiffness = 3.0
sim.target_q[:, "elbow"] = sim.q[:, "elbow"] + 0.1
sim.dt = 0.002
sim.dtt = 0.002
"""


def test_every_folder_of_the_package_is_checked():
    """The folders of pyproject.toml with code, at their places in the package."""
    tomllib = pytest.importorskip("tomllib")  # Python 3.11
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-dir"]
    places = {folder: PACKAGE.parent / package.replace(".", "/") for package, folder in packages.items()}
    assert places.pop("scenes") not in FOLDERS.values()  # data only
    assert places == FOLDERS


@pytest.mark.slow
def test_a_type_checker_finds_misspelt_names_of_a_simulation(tmp_path):
    """Fields and properties are known, and no other attribute."""
    pytest.importorskip("pyright")
    copy_package(tmp_path / "package" / "fajin")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    (tmp_path / "pyrightconfig.json").write_text('{"extraPaths": ["package"], "include": ["program.py"]}')
    command = [sys.executable, "-m", "pyright", "--project", str(tmp_path), "--pythonpath", sys.executable]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    (error,) = (line for line in done.stdout.splitlines() if " error: " in line)
    assert '"dtt"' in error
