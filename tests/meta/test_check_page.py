"""The page on checking tells what the rules are and how the JSON looks, and its commands run."""

import json
import re
import shlex
import subprocess
import sys

import pytest
from paths import ROOT

from fajin.check import TABLE

PAGE = (ROOT / "docs" / "checking.md").read_text()


@pytest.mark.parametrize("rule", TABLE, ids=lambda rule: rule.id)
def test_the_page_tells_every_rule(rule):
    """In the order of the table, with severity, sentence and mend."""
    assert f"| `{rule.id}` | {rule.severity.value} | {rule.sentence} | {rule.fix[0].upper()}{rule.fix[1:]}. |" in PAGE


def test_the_page_tells_no_other_rule():
    assert re.findall(r"^\| `([a-z-]+)` \| (?:error|warning|note) \|", PAGE, re.MULTILINE) == [
        rule.id for rule in TABLE
    ]


def test_the_json_of_the_page_is_json():
    (text,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert set(json.loads(text)) == {"scene", "errors", "warnings", "notes", "findings"}


@pytest.mark.slow
def test_the_commands_of_the_page_run(tmp_path):
    """Those on a scene of the checkout."""
    (tmp_path / "scenes").symlink_to(ROOT / "scenes")
    commands = [shlex.split(line)[1:] for line in re.findall(r"^fajin check scenes/.*$", PAGE, re.MULTILINE)]
    assert len(commands) == 2
    for command in commands:
        subprocess.run([sys.executable, "-m", "fajin.tools", *command], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / commands[-1][-1]).exists()
