"""Where recorded and example scenes lie, which kernels a test compiles, and a command line in this process."""

import gc
import logging
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import pytest

if TYPE_CHECKING:
    from xdist.scheduler import LoadFileScheduling

HERE = Path(__file__).parent
GROUPS = {
    "contacts": ("contacts/", "look/test_marks.py", "meta/test_bench.py", "meta/test_readme.py"),
    "packs": ("kernels/", "simulation/", "parity/test_sleeping.py", "dynamics/test_identities.py"),
    "batch": ("batch/",),
    "meta": ("meta/", "usd/test_diagnostic_codes.py", "usd/test_invalid_scene.py"),
}
"""Tests of one kind: the worker that has loaded a kernel, or parsed the package, runs all that need it."""
WAITING = ("batch/test_ray.py", "batch/test_dask.py")
"""Tests that wait for clusters most of their time: a worker of their own begins with them."""
APART = ("kernels/test_vulkan.py", "envs/test_training.py::test_a_training_reaches_a_reward")
"""Tests of a minute that share nothing: each on any worker."""
LONG = (*APART, "cuda/test_islands.py")
"""What takes minutes begins next: else a part of it would run alone at the end."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log) -> "LoadFileScheduling | None":
    """Let one worker run each of `GROUPS`; workers take other tests file by file."""
    from xdist.scheduler import LoadFileScheduling

    class LoadGroups(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            place = super()._split_scope(nodeid).removeprefix("tests/")
            if place in WAITING:
                return "waiting"
            if nodeid.removeprefix("tests/").startswith(APART):
                return nodeid
            if place in LONG:
                return place
            return next((name for name, places in GROUPS.items() if place.startswith(places)), place)

    return LoadGroups(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_sessionstart(session) -> None:
    """Compile the kernels that tests share before workers start, if the whole suite runs and their source is new."""
    # Background jobs of a shell ignore Ctrl-C, and so do the commands that they start: tests interrupt commands
    signal.signal(signal.SIGINT, signal.default_int_handler)
    from fajin.compiler.kernel_cache import kernel_cache

    workers = session.config.getoption("numprocesses", 0)  # None in a worker
    whole = session.config.args == session.config.getini("testpaths")
    compiled = kernel_cache() / f"fajin-tests-{_kernel_sources():08x}"
    if workers and whole and not compiled.exists():
        shares = os.cpu_count() or 1
        command = [sys.executable, str(HERE / "support" / "shared_kernels.py")]
        running = [subprocess.Popen([*command, str(share), str(shares)]) for share in range(shares)]
        assert not any(process.wait() for process in running)
        compiled.touch()


def pytest_collection_modifyitems(items) -> None:
    """Begin with tests that wait more than they compute, then with long ones; collect no garbage among thousands."""
    first = (*WAITING, *LONG)
    items.sort(key=lambda item: next((i for i, file in enumerate(first) if file in item.nodeid), len(first)))
    gc.freeze()


def pytest_sessionfinish() -> None:
    """Let the process end without six collections of all that tests have cached."""
    gc.freeze()


def _kernel_sources() -> int:
    """Return a checksum of the files that decide what the shared kernels are."""
    import fajin

    engine = Path(fajin.__file__).parent
    files = [
        HERE / "support" / "shared_kernels.py",
        *(f for at in ("physics", "tables") for f in sorted((engine / at).rglob("*.py"))),
    ]
    return crc32(b"".join(file.read_bytes() for file in files))


@pytest.fixture(scope="session", autouse=True)
def _read_here():
    """Read USD in this process, where a test can change its reader; `sandboxed` undoes it for a test."""
    os.environ["FAJIN_LIMITS"] = "none"


@pytest.fixture(autouse=True)
def _log_as_before() -> Iterator[None]:
    """Give fajin's logger its handlers and level back, which a command sets for its process."""
    logger = logging.getLogger("fajin")
    handlers, level = list(logger.handlers), logger.level
    yield
    logger.handlers = handlers
    logger.setLevel(level)


@pytest.fixture
def sandboxed(monkeypatch) -> None:
    """Read USD in a child process with limits, as outside of tests."""
    monkeypatch.delenv("FAJIN_LIMITS")


@pytest.fixture(scope="session", autouse=True)
def shared_kernels() -> Iterator[object]:
    """Let scenes with different laws share kernels, here and in processes of a test; `own_kernels` undoes it here."""
    from shared_kernels import SharedKernels

    from fajin.device.state import State

    kernels = SharedKernels(State)
    kernels.use(True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(HERE / "support" / "children"), prepend=os.pathsep)
        yield kernels
    kernels.use(False)


@pytest.fixture
def own_kernels(shared_kernels) -> Iterator[object]:
    """Compile the laws that a scene needs, and no others."""
    shared_kernels.use(False)
    yield shared_kernels
    shared_kernels.use(True)


@pytest.fixture(scope="session")
def golden() -> Path:
    """Folder of small scenes recorded from PhysX: scenes/NAME.usda, golden.json, golden.npz."""
    return HERE / "recorded" / "joints"


@pytest.fixture(scope="session")
def robots() -> Path:
    """Folder of robots recorded from PhysX: NAME.usda, NAME.drive.usda (the scene to simulate), NAME.npz."""
    return HERE / "recorded" / "robots"


@pytest.fixture(scope="session")
def scenes() -> Path:
    """Folder of the example scenes, one phenomenon a file."""
    return HERE.parent / "scenes"


@pytest.fixture
def compiled(monkeypatch) -> list[str]:
    """Names of the kernels that are loaded as machine code, or traced by Taichi in this process, from now on."""
    from taichi.lang.kernel_impl import Kernel

    from fajin.device import compiled_kernel as module

    names, materialize, load = [], Kernel.materialize, module.compiled_kernel

    def counted(self, key=None, *args, **kwargs):
        known = set(self.compiled_kernels)
        materialize(self, key, *args, **kwargs)
        names.extend(self.func.__name__ for _ in set(self.compiled_kernels) - known)

    def loaded(request):
        misses = load.cache_info().misses
        kernel = load(request)
        names.extend([request.name] * (load.cache_info().misses - misses))
        return kernel

    monkeypatch.setattr(Kernel, "materialize", counted)
    monkeypatch.setattr(module, "compiled_kernel", loaded)
    return names


@pytest.fixture
def run(capsys, monkeypatch):
    """Run a command line in this process; return exit code, output, errors."""
    from commands import without_compiling

    from fajin.tools import cli

    def runs(*words) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["fajin", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        said = capsys.readouterr()
        return ended.value.code or 0, said.out, without_compiling(said.err)

    return runs


@pytest.fixture
def workshop(tmp_path, scenes, monkeypatch) -> Path:
    """A folder with an arm and an authored robot, from which commands are run."""
    shutil.copy(scenes / "arm7.usda", tmp_path / "arm.usda")
    shutil.copy(HERE / "recorded" / "authored" / "robot.usda", tmp_path / "robot.usda")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def author(run):
    """Run a line of `fajin author`; return exit code, output, errors."""
    return lambda line: run("author", *line.split())
