"""Where recorded and example scenes lie, which kernels a test compiles, and a command line in this process."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from zlib import crc32

import pytest

HERE = Path(__file__).parent


def pytest_sessionstart(session) -> None:
    """Compile the kernels that tests share before workers start, if the whole suite runs and their source is new."""
    from fajin.device.kernel_cache import kernel_cache

    workers = session.config.getoption("numprocesses", 0)  # None in a worker
    whole = session.config.args == session.config.getini("testpaths")
    compiled = kernel_cache() / f"fajin-tests-{_kernel_sources():08x}"
    if workers and whole and not compiled.exists():
        shares = os.cpu_count() or 1
        command = [sys.executable, str(HERE / "shared_kernels.py")]
        running = [subprocess.Popen([*command, str(share), str(shares)]) for share in range(shares)]
        assert not any(process.wait() for process in running)
        compiled.touch()


def _kernel_sources() -> int:
    """Return a checksum of the files that decide what the shared kernels are."""
    import fajin

    engine = Path(fajin.__file__).parent
    files = [
        HERE / "shared_kernels.py",
        *(f for at in ("physics", "tables") for f in sorted((engine / at).rglob("*.py"))),
    ]
    return crc32(b"".join(file.read_bytes() for file in files))


@pytest.fixture(scope="session", autouse=True)
def _read_here():
    """Read USD in this process, where a test can change its reader; `sandboxed` undoes it for a test."""
    os.environ["FAJIN_LIMITS"] = "none"


@pytest.fixture
def sandboxed(monkeypatch) -> None:
    """Read USD in a child process with limits, as outside of tests."""
    monkeypatch.delenv("FAJIN_LIMITS")


@pytest.fixture(scope="session", autouse=True)
def _shared_kernels():
    """Let scenes with different laws share kernels; `own_kernels` undoes it for a test."""
    from shared_kernels import shared_features

    from fajin.device import state

    own = state.kernel_features
    state.kernel_features = lambda *asked: shared_features(own(*asked))
    yield
    state.kernel_features = own


@pytest.fixture
def own_kernels(monkeypatch) -> None:
    """Compile the laws that a scene needs, and no others."""
    from fajin.device import state
    from fajin.device.kernel_features import kernel_features

    monkeypatch.setattr(state, "kernel_features", kernel_features)


@pytest.fixture(scope="session")
def golden() -> Path:
    """Folder of small scenes recorded from PhysX: scenes/NAME.usda, golden.json, golden.npz."""
    return HERE / "golden"


@pytest.fixture(scope="session")
def robots() -> Path:
    """Folder of robots recorded from PhysX: NAME.usda, NAME.drive.usda (the scene to simulate), NAME.npz."""
    return HERE / "robots"


@pytest.fixture(scope="session")
def scenes() -> Path:
    """Folder of the example scenes, one phenomenon a file."""
    return HERE.parent / "scenes"


@pytest.fixture
def compiled(monkeypatch) -> list[str]:
    """Names of the kernels that are compiled from now on."""
    from taichi.lang.kernel_impl import Kernel

    names, materialize = [], Kernel.materialize

    def counted(self, key=None, *args, **kwargs):
        known = set(self.compiled_kernels)
        materialize(self, key, *args, **kwargs)
        names.extend(self.func.__name__ for _ in set(self.compiled_kernels) - known)

    monkeypatch.setattr(Kernel, "materialize", counted)
    return names


@pytest.fixture
def run(capsys, monkeypatch):
    """Run a command line in this process; return exit code, output, errors."""
    from fajin.tools import cli

    def runs(*words) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["fajin", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        said = capsys.readouterr()
        return ended.value.code or 0, said.out, said.err

    return runs


@pytest.fixture
def workshop(tmp_path, scenes, monkeypatch) -> Path:
    """A folder with an arm and an authored robot, from which commands are run."""
    shutil.copy(scenes / "arm7.usda", tmp_path / "arm.usda")
    shutil.copy(HERE / "authored" / "robot.usda", tmp_path / "robot.usda")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def author(run):
    """Run a line of `fajin author`; return exit code, output, errors."""
    return lambda line: run("author", *line.split())
