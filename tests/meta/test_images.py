"""Images for clusters: their commands run and name one level of processors; the job of the documentation is valid."""

import re
import shlex
import subprocess
import sys

import pytest
from commands import fajin_here
from paths import ROOT

from fajin.compiler.processor import LEVELS

FILES = [ROOT / "containers" / name for name in ("Dockerfile", "fajin.def")]
BATCH = (ROOT / "docs" / "batch.md").read_text()
JOB = re.search(r"```yaml\n(.*?)```", BATCH, re.DOTALL)[1]


def commands(text: str) -> list[str]:
    """The commands of fajin at the build of an image."""
    joined = re.sub(r"\\\n\s*", "", text)
    return re.findall(r"(?:RUN |&& |^ +)fajin ((?:demo|simulate|batch) .*?)(?= &&|$)", joined, re.MULTILINE)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_code_is_made_for_a_level_that_can_be_chosen(file):
    text = file.read_text()
    (level,) = re.findall(r"CPU=(x86\S+)$", text, re.MULTILINE)
    assert level in LEVELS
    assert "FAJIN_CPU=$CPU" in text or "FAJIN_CPU={{ CPU }}" in text


def test_images_compile_the_same_kernels():
    assert len({tuple(commands(file.read_text())) for file in FILES}) == 1
    assert len(commands(FILES[0].read_text())) == 3


def test_apptainer_builds_without_the_folder_of_the_machine():
    """It mounts the machine's /tmp over that of the image, so that what is copied there cannot be found."""
    lines = [line.partition("#")[0] for line in FILES[1].read_text().splitlines()]
    assert [line for line in lines if "/tmp" in line] == []


@pytest.mark.slow
def test_commands_of_an_image_run(tmp_path):
    """In their order, below another folder than the image's root."""
    for command in commands(FILES[0].read_text()):
        words = [re.sub(r"^/(opt|tmp)/", f"{tmp_path}/", word) for word in shlex.split(command)]
        done = subprocess.run([sys.executable, "-m", "fajin.tools", *words], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_the_command_of_the_job_is_a_batch(tmp_path, monkeypatch):
    """As its pods run it, each with its index; together they complete the job."""
    (command,) = re.findall(r"- (fajin batch .*?) \|\|", JOB)
    assert shlex.split(command)[1:4] == ["batch", "/data/robot.npz", "-o"]
    pods = re.search(r"completions: (\d+)\n", JOB)[1]
    assert f'{{name: JOB_COMPLETIONS, value: "{pods}"}}' in JOB
    robot = fajin_here("compile", ROOT / "scenes" / "arm7.usda", "-o", tmp_path / "robot.npz")
    assert robot.returncode == 0
    monkeypatch.setenv("JOB_COMPLETIONS", "2")
    words = [word.replace("/data", str(tmp_path)) for word in shlex.split(command)[1:]]
    words[words.index("--worlds") + 1], words[words.index("--threads") + 1] = "40", "1"
    for pod in range(2):
        monkeypatch.setenv("JOB_COMPLETION_INDEX", str(pod))
        done = fajin_here(*words, "--shard-size", 20, "--seconds", 0.05)
        assert done.returncode == 0, done.stderr
    assert "complete" in done.stdout


@pytest.mark.slow
def test_the_job_is_one_that_kubernetes_takes():
    """A misspelt key would be refused there, or ignored."""
    module = pytest.importorskip("kubernetes_validate")
    yaml = pytest.importorskip("yaml")
    module.validate(yaml.safe_load(JOB), desired_version=module.latest_version(), strict=True)
