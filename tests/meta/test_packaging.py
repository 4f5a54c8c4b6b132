"""What is installed: every folder of the package, its data, and nothing else."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from html import unescape
from pathlib import Path

import pytest
from meta.house import ADD_ONS
from paths import ROOT


@pytest.fixture(scope="module")
def settings() -> dict:
    tomllib = pytest.importorskip("tomllib")  # Python 3.11
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]


def test_robots_of_benchmarks_and_scenes_are_shipped(settings):
    """`fajin bench` and `fajin demo` need no checkout."""
    for package, folder in (("fajin.tools", "tools"), ("fajin.scenes", "scenes")):
        patterns = settings["package-data"][package]
        shipped = {path for pattern in patterns for path in (ROOT / folder).glob(pattern) if path.is_file()}
        wanted = set((ROOT / folder).rglob("*.usd[ac]")) | set((ROOT / folder).rglob("*LICENSE*"))
        wanted = {path for path in wanted if path.relative_to(ROOT).parts[1] not in ADD_ONS}
        assert wanted
        assert wanted <= shipped


def test_every_folder_with_code_is_a_package(settings):
    """A folder that is missing in the list works in the checkout and vanishes from the wheel."""
    folders = {
        ".".join([package, *path.parent.relative_to(ROOT / folder).parts])
        for package, folder in settings["package-dir"].items()
        for path in (ROOT / folder).rglob("*.py")
        if path.relative_to(ROOT).parts[1] not in ADD_ONS
    }
    assert folders == set(settings["packages"]) - {"fajin.scenes"}  # which has data only


@pytest.fixture(scope="module")
def setup_module():
    """The functions of setup.py, which neither builds nor loads setuptools when it is imported.

    Setuptools refuses to load where Python's own distutils is in use, as after a test in this process.
    """
    spec = importlib.util.spec_from_file_location("fajin_setup", ROOT / "setup.py")
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "setuptools", None)
        spec.loader.exec_module(module)
    return module


UNTRACKED = (".git", ".venv", "build", "dist", "site", "node_modules", "*.egg-info", "*_cache", "__pycache__")
PLACE = "https://example.org/fajin"
README, CHANGELOG = (ROOT / "README.md").read_text(), (ROOT / "CHANGELOG.md").read_text()


def targets(text: str) -> list[str]:
    """Return the targets of all links and pictures."""
    return re.findall(r"\]\(([^)\s]+)\)", text)


def test_links_of_the_readme_are_absolute_on_a_package_index(setup_module):
    """Each leads to a file of the version in the repository; pictures to the file itself, not to its page."""
    found = targets(setup_module.readme(README, PLACE, "1.2.3"))
    assert [link for link in found if not link.startswith(("https://", "#"))] == []
    own = [link.removeprefix(f"{PLACE}/") for link in found if link.startswith(PLACE)]
    assert len(own) == len([link for link in targets(README) if ":" not in link])
    for link in own:
        kind, version, path = link.split("/", 2)
        assert version == "v1.2.3"
        assert kind == ("raw" if path.endswith((".gif", ".png")) else "blob")
        file, _, anchor = path.partition("#")
        assert (ROOT / file).exists(), link
        assert not anchor or anchor in anchors((ROOT / file).read_text()), link


def anchors(page: str) -> set[str]:
    """The anchors of a page's headings, as hosts of Markdown make them."""
    headings = re.findall(r"^#+ (.*)$", page, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@pytest.mark.slow
def test_an_index_renders_the_readme(setup_module):
    """Its renderer, which drops what it does not allow, keeps every link, picture, table and command."""
    markdown = pytest.importorskip("readme_renderer.markdown")
    text = setup_module.readme(README, PLACE, "1.2.3")
    html = markdown.render(text)
    shown = re.findall(r'(?:href|src)="(.*?)"', html)
    assert sorted(unescape(link) for link in shown if not link.startswith("#")) == sorted(targets(text))
    assert html.count("<table>") == len(re.findall(r"^\|---", README, re.MULTILINE))
    assert "fajin demo" in html


def test_without_a_repository_links_are_their_text(setup_module):
    text = setup_module.readme("![robot](docs/a.gif)\n\n[Speed](docs/speed.md#x) and [Taichi](https://t.org)", "", "1")
    assert text == "\n\nSpeed and [Taichi](https://t.org)"
    assert [link for link in targets(setup_module.readme(README, "", "1")) if "://" not in link] == []
    assert setup_module.urls("", "1") == {}


def test_extras_can_be_installed_on_every_python():
    """Zarr 3 has no release for Python 3.10, which alone would keep all else of an extra from being installed."""
    settings = (ROOT / "pyproject.toml").read_text()
    assert 'requires-python = ">=3.10,' in settings
    assert set(re.findall(r'"(zarr[^"]*)"', settings)) == {"zarr>=3; python_version >= '3.11'"}


def test_readers_of_an_index_install_the_package(setup_module):
    """They have no checkout; who runs the tests has one."""
    commands = re.findall(r"pip install [^`&#\n]*", setup_module.readme(README, PLACE, "1.2.3"))
    assert {command.strip() for command in commands if "-e" not in command} == {
        "pip install fajin",
        *(f"pip install 'fajin[{extra}]'" for extra in ("video", "batch", "docs")),
    }


def test_metadata_of_a_release_agree():
    """Version of the package and of its citation; licence files of all that is bundled."""
    project = pytest.importorskip("tomllib").loads((ROOT / "pyproject.toml").read_text())["project"]
    assert f"\nversion: {project['version']}\n" in (ROOT / "CITATION.cff").read_text()
    (day,) = re.findall(rf"^## \[{project['version']}\] - (\d{{4}}-\d\d-\d\d)$", CHANGELOG, re.MULTILINE)
    assert f"\ndate-released: {day}\n" in (ROOT / "CITATION.cff").read_text()
    bundled = {path for folder in ("engine", "tools", "scenes") for path in (ROOT / folder).rglob("*LICENSE*")}
    paths = {path.relative_to(ROOT) for path in bundled}
    assert {str(path) for path in paths if path.parts[1] not in ADD_ONS} < set(project["license-files"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("github-workflows", "workflows/*.yml"),
        ("github-issue-forms", "ISSUE_TEMPLATE/[!c]*.yml"),
        ("github-issue-config", "ISSUE_TEMPLATE/config.yml"),
        ("citation-file-format", "../CITATION.cff"),
    ],
)
def test_files_of_the_host_follow_their_schema(schema, files):
    """A misspelt key would be ignored there."""
    pytest.importorskip("check_jsonschema")
    paths = [str(path) for path in (ROOT / ".github").glob(files)] or [str(ROOT / "CITATION.cff")]
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", *paths]
    subprocess.run(command, check=True)


WORKFLOWS = {path.name: path.read_text() for path in (ROOT / ".github" / "workflows").glob("*.yml")}


@pytest.mark.parametrize("name", WORKFLOWS)
def test_actions_of_workflows_are_pinned(name):
    """To a commit, whose version stands beside it: a tag may move to other code, which has the right to publish."""
    uses = re.findall(r"uses: (.*)", WORKFLOWS[name])
    assert uses
    assert [line for line in uses if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v[\d.]+", line)] == []


@pytest.mark.parametrize("name", WORKFLOWS)
def test_paths_and_extras_of_workflows_exist(name):
    """What a workflow installs and runs is in the repository."""
    text = WORKFLOWS[name]
    paths = re.findall(r"(?<=[ =])((?:tests|containers|docs)/[\w./]*|pyproject\.toml|CHANGELOG\.md)", text)
    assert [path for path in paths if not (ROOT / path).exists()] == []
    extras = {extra for found in re.findall(r"\.\[([a-z,]+)\]", text) for extra in found.split(",")}
    assert extras
    assert [extra for extra in extras if f"\n{extra} = [" not in (ROOT / "pyproject.toml").read_text()] == []


@pytest.mark.slow
@pytest.mark.parametrize("command", ["actionlint", "zizmor --offline --quiet .", "hadolint containers/Dockerfile"])
def test_linters_find_nothing(command):
    """In the workflows' steps and permissions, and the image's commands."""
    program, *words = command.split()
    found = shutil.which(program, path=str(Path(sys.executable).parent)) or shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed")
    done = subprocess.run([found, *words], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def distribution(tmp_path_factory) -> tuple[str, Path, Path]:
    """Build from a copy without git, as a release does; return what was printed, the wheel and the source."""
    if not all(map(importlib.util.find_spec, ("build", "setuptools"))):
        pytest.skip("build or setuptools is not installed")
    source, out = (tmp_path_factory.mktemp(name) for name in ("fajin", "out"))
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(*UNTRACKED), dirs_exist_ok=True)
    # Without isolation: nothing is downloaded
    command = [sys.executable, "-m", "build", "--no-isolation", "-o", str(out), str(source)]
    environment = os.environ | {"FAJIN_REPOSITORY": PLACE}
    built = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert built.returncode == 0, built.stdout + built.stderr
    (wheel,), (archive,) = out.glob("*.whl"), out.glob("*.tar.gz")
    return built.stdout + built.stderr, wheel, archive


@pytest.mark.slow
def test_the_distribution_is_clean(distribution):
    """Twine and check-wheel-contents find nothing, no build warns, and the source has every folder."""
    for name in ("twine", "check_wheel_contents"):
        pytest.importorskip(name)
    printed, wheel, archive = distribution
    assert not re.search(r"Warning|no files found matching", printed)
    python = [sys.executable, "-m"]
    subprocess.run([*python, "twine", "check", "--strict", str(wheel), str(archive)], check=True)
    subprocess.run([*python, "check_wheel_contents", str(wheel)], check=True, cwd=ROOT)
    with tarfile.open(archive) as file:
        names = {name.split("/")[1] for name in file.getnames() if "/" in name}
    ignored = shutil.ignore_patterns(*UNTRACKED)(str(ROOT), [path.name for path in ROOT.iterdir()])
    assert {path.name for path in ROOT.iterdir()} - ignored <= names
    metadata = next(name for name in zipfile.ZipFile(wheel).namelist() if name.endswith("/METADATA"))
    assert f"Project-URL: Source, {PLACE}\n" in zipfile.ZipFile(wheel).read(metadata).decode()


@pytest.mark.slow
def test_the_wheel_holds_only_fajin(settings, distribution):
    """All code and data of the package under fajin/, and no module of a generic name."""
    names = set(zipfile.ZipFile(distribution[1]).namelist())
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"fajin"}

    for package, folder in settings["package-dir"].items():
        prefix = package.replace(".", "/")
        patterns = ["**/*.py", *settings["package-data"].get(package, [])]
        found = {path.relative_to(ROOT / folder) for pattern in patterns for path in (ROOT / folder).glob(pattern)}
        files = {path for path in found if path.parts[0] not in ADD_ONS}
        assert {f"{prefix}/{path.as_posix()}" for path in files if path.suffix} <= names
