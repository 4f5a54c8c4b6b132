"""What is installed: every folder of the package, its data, and nothing else."""

import shutil
import subprocess
import sys
import zipfile

import pytest
from meta.house import ADD_ONS
from paths import ROOT


@pytest.fixture(scope="module")
def settings() -> dict:
    tomllib = pytest.importorskip("tomllib")  # Python 3.11
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]


def test_robots_of_benchmarks_stay_in_the_repository(settings):
    """They are larger than the code of the benchmarks; an installed `fajin bench` takes files and generated robots."""
    shipped = {path for pattern in settings["package-data"]["fajin.tools"] for path in (ROOT / "tools").glob(pattern)}
    assert {path.parent.name for path in shipped} == {"reference"}
    assert list((ROOT / "tools").rglob("franka.usda"))


def test_every_folder_with_code_is_a_package(settings):
    """A folder that is missing in the list works in the checkout and vanishes from the wheel."""
    folders = {
        ".".join([package, *path.parent.relative_to(ROOT / folder).parts])
        for package, folder in settings["package-dir"].items()
        for path in (ROOT / folder).rglob("*.py")
        if path.relative_to(ROOT).parts[1] not in ADD_ONS
    }
    assert folders == set(settings["packages"])


@pytest.mark.slow
def test_the_wheel_holds_only_fajin(settings, tmp_path):
    """All code and data of the package under fajin/, and no module of a generic name."""
    source = tmp_path / "source"  # a clean one: setuptools would take up again what lies in build/
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "tests", "scenes"))
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--quiet", "--wheel-dir", str(tmp_path), str(source)]
    subprocess.run(command, check=True)
    names = set(zipfile.ZipFile(next(tmp_path.glob("*.whl"))).namelist())
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"fajin"}

    for package, folder in settings["package-dir"].items():
        prefix = package.replace(".", "/")
        patterns = ["**/*.py", *settings["package-data"].get(package, [])]
        found = {path.relative_to(ROOT / folder) for pattern in patterns for path in (ROOT / folder).glob(pattern)}
        files = {path for path in found if path.parts[0] not in ADD_ONS}
        assert {f"{prefix}/{path.as_posix()}" for path in files if path.suffix} <= names
