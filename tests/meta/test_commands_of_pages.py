"""Every command that a page shows is one that the command line takes; those of these pages run as they stand there."""

import re
import shlex
import subprocess
import sys
from typing import Any

import pytest
import typer
from commands import fajin_here
from paths import ROOT

from fajin.tools.cli import COMMANDS, GROUPS, command_line

PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "scenes/README.md", "containers/Dockerfile")),
    *sorted((ROOT / "docs").glob("*.md")),
]
WORDS = r"(?:author|envelope) [a-z-]+|" + "|".join(name for name in COMMANDS)
COMMAND = re.compile(rf"(?:^|`|&& |RUN |\w=\S+ |- )fajin ((?:--limits \S+ )?(?:{WORDS})(?![\w-])[^`\n]*)", re.MULTILINE)
"""A command in a fence, in a sentence between backquotes, or after another one."""

ENDS = re.compile(r" +(?:&&|\|\||\||>|# |&$).*| *\\$")
"""What follows a command in a shell's line, and a comment."""

PLACEHOLDERS = re.compile(r"…|\[[A-Z-]|\.\.\.|<")
"""Marks of a form of commands, not of a command: `[NAME]`, `LOG…`."""


def shown(text: str) -> list[str]:
    """The commands that a page shows."""
    joined = re.sub(r" *\\\n\s*", " ", text)
    found = [ENDS.sub("", line).strip() for line in COMMAND.findall(joined)]
    return [line for line in found if not PLACEHOLDERS.search(line) and not line.endswith(("FILE", "WORD"))]


def command_of(line: str) -> tuple[Any, list[str]]:
    """Return the command of a line, and the words behind its name."""
    words = shlex.split(line)
    words = words[2:] if words[0] == "--limits" else words
    command: Any = typer.main.get_command(command_line(words[0]))
    for name in words[: 2 if words[0] in GROUPS else 1]:
        command = command.get_command(command.context_class(command, info_name=name), name)
    return command, words[2 if line.split()[0] in GROUPS else 1 :]


def unknown_options(line: str) -> list[str]:
    """The options of a line that its command does not have."""
    command, words = command_of(line)
    known = {name for it in command.params for name in (*it.opts, *it.secondary_opts)} | {"--help"}
    return [word for word in words if re.match(r"--?[a-z]", word) and word.partition("=")[0] not in known]


LINES = sorted({(page.name, line) for page in PAGES for line in shown(page.read_text())})
FENCES = [
    (page.name, line)
    for page in PAGES
    for language, fence in re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
    for line in shown(fence)
    if not language
]


def test_pages_show_commands():
    """Each command at least once."""
    assert len(LINES) > 200
    assert len(FENCES) > 50
    assert {line.split()[0] for _, line in LINES} >= {*COMMANDS, *GROUPS}


@pytest.mark.parametrize(("page", "line"), LINES)
def test_options_exist(page, line):
    """In sentences, too, where a command may stand without its arguments."""
    assert unknown_options(line) == []


@pytest.mark.parametrize(("page", "line"), FENCES)
def test_values_of_options_are_taken(page, line):
    command, words = command_of(line)
    command.make_context(command.name, words)


def test_a_wrong_option_or_value_is_found():
    assert unknown_options("simulate a.usda --second 2 --steps 3") == ["--second"]
    assert unknown_options("author drive a.usda --stifness 1") == ["--stifness"]
    command, words = command_of("simulate a.usda --steps many")
    with pytest.raises(typer.BadParameter):
        command.make_context(command.name, words)


RUN = {  # what its commands leave behind
    "json": ["arm.json"],  # an unchanged document writes no edits
    "checking": ["anymal_c.fixed.usda"],
    "viewing": ["ur10.anim.usda", "ur10.npz", "ur10.html"],
}
SERVED, OTHERS = re.compile(r"fajin view scenes/"), re.compile(r"\bSCENE\b|real\.csv")
"""Commands that run until Ctrl-C, and those on files of a reader."""


@pytest.mark.slow
@pytest.mark.parametrize("page", RUN)
def test_commands_of_a_page_run(page, tmp_path):
    """Those on the example scenes, in their order, in a folder with nothing else."""
    (tmp_path / "scenes").symlink_to(ROOT / "scenes")
    text = re.sub(r"\\\n\s*", "", (ROOT / "docs" / f"{page}.md").read_text())
    lines = [line.partition(" #")[0] for line in re.findall(r"^fajin .*", text, re.MULTILINE) if "scenes/" in line]
    for line in lines:
        if SERVED.match(line) or OTHERS.search(line):
            continue
        done = fajin_here(*shlex.split(line.partition(">")[0])[1:], cwd=tmp_path)
        assert done.returncode in (0, 1), done.stderr  # 1: findings
        if ">" in line:
            (tmp_path / line.partition(">")[2].strip()).write_text(done.stdout)
    assert [name for name in RUN[page] if not (tmp_path / name).stat().st_size] == []


def test_lines_for_shells_are_printed():
    """`python -m` of a page ends well."""
    pages = "\n".join(page.read_text() for page in PAGES)
    lines = {
        line.strip() for line in re.findall(r"(?:^|\$\()python -m (fajin\.usd_schema[^#)\n]*)", pages, re.MULTILINE)
    }
    assert len(lines) >= 3
    for line in lines:
        subprocess.run([sys.executable, "-m", *line.split()], check=True, stdout=subprocess.DEVNULL)
