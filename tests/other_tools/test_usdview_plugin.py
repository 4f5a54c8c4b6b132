"""The plugin of usdview, as USD's registry loads it: its menu, and what its commands do to the stage on show."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SESSION = Path(__file__).with_name("usdview_session.py")


@pytest.fixture
def session(scenes, tmp_path):
    """Run commands of the menu on the arm; return the report and what was printed."""
    scene = Path(shutil.copy(scenes / "arm7.usda", tmp_path))
    before = scene.read_bytes()

    def run(*commands: str, fajin: str = f"{sys.executable} -m fajin.tools") -> tuple[dict, str]:
        environment = {**os.environ, "FAJIN": fajin}
        words = [sys.executable, str(SESSION), str(scene), *commands]
        done = subprocess.run(words, env=environment, check=True, capture_output=True, text=True)
        assert scene.read_bytes() == before
        return json.loads(done.stdout), done.stderr

    return run


def test_the_menu_has_its_commands_and_says_what_fails(session):
    """A missing fajin is one line; so is a tuning of nothing."""
    report, printed = session("check", "deselect", "tune", fajin="/nowhere/fajin")
    assert report["menu"] == ["fajin", "Simulate", "Check", "Tune selected joints"]
    assert "fajin does not start" in report["said"][0]
    assert report["said"][1] == "no joint is selected; select joints to tune"
    assert printed.count("\n") == 2


@pytest.mark.slow
def test_commands_act_on_the_stage(session):
    """Gains and motion are layers of the session: the root layer stays as it is."""
    report, printed = session("check", "tune", "simulate")
    assert "arm7.usda: no findings" in printed
    assert report["said"][1].startswith("arm7.edits.usda: gains of /World/arm/joint1")
    assert report["stiffness"] != 7.0
    assert {"/World/arm/link1", "/World/arm/link7"} < set(report["moving"])
    assert report["times"] == [0.0, 300.0, 60.0]
