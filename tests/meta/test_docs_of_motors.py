"""What the pages on tuning and motors tell a reader to do works as it stands there."""

import re
import shlex
from pathlib import Path

import pytest
from paths import ROOT

PAGES = [(ROOT / name).read_text().replace("\\\n", " ") for name in ("README.md", "docs/tuning.md", "docs/motors.md")]
COMMANDS = sorted({line for page in PAGES for line in re.findall(r"fajin ((?:tune|envelope) [^`\n]*[^`\n\s])", page)})
WHOLE = [line for line in COMMANDS if not re.search(r"SCENE|LAYER|POINTS|…|fajin tune`|^\w+$|\|", line)]


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A folder with nothing at hand but the scenes."""
    (tmp_path / "scenes").symlink_to(ROOT / "scenes")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("line", WHOLE)
def test_commands_run(line, folder, monkeypatch, capsys):
    """They end well, and what they write is there."""
    from fajin.tools import cli

    words = shlex.split(line)
    monkeypatch.setattr("sys.argv", ["fajin", *words])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert not ended.value.code, capsys.readouterr().err
    if "-o" in words:
        assert (folder / words[words.index("-o") + 1]).stat().st_size > 0


def test_there_are_commands_to_run():
    assert sum(line.startswith("tune ") for line in WHOLE) >= 2
    assert sum(line.startswith("envelope ") for line in WHOLE) >= 2


def test_python_of_the_page_on_tuning_runs(folder):
    """With nothing at hand but itself."""
    (snippet,) = re.findall(r"```python\n(.*?)```", PAGES[1], re.DOTALL)
    exec(snippet, {"__name__": "__main__"})
