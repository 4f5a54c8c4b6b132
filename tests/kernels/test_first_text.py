"""A fork writes a text and is killed at its end."""

import subprocess
import sys
import textwrap
import time

import pytest

SECONDS = 60.0
LONG = 1 << 20  # more than a pipe holds


def run(folder, body: str) -> tuple[int, str, str]:
    """Run a program that calls `first_text` with a function of this body; return exit code, output and stderr."""
    program = f"""
        import sys, time
        from pathlib import Path
        from fajin.compiler.first_text import first_text

        def write():
            {body}

        print(len(first_text("text", write)))
    """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def test_what_follows_the_text_is_not_waited_for(tmp_path):
    began = time.monotonic()
    body = f'Path("text").write_text("a" * {LONG}); time.sleep({SECONDS}); Path("late").touch()'
    assert run(tmp_path, body) == (0, f"{LONG}\n", "")
    assert time.monotonic() - began < SECONDS
    assert [file.name for file in tmp_path.iterdir()] == ["text"]


@pytest.mark.parametrize(
    ("body", "reason"),
    [('raise ValueError("no kernel")', "ValueError: no kernel"), ("pass", "text: must be written; nothing was")],
)
def test_a_function_that_writes_nothing_ends_the_process_with_the_reason(tmp_path, body, reason):
    code, output, said = run(tmp_path, body)
    assert (code, output) == (1, "")
    assert said.splitlines()[-1] == reason


def test_a_fork_that_is_killed_ends_the_process(tmp_path):
    code, output, _ = run(tmp_path, "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    assert code != 0
    assert output == ""
