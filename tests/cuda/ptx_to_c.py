"""PTX as C, so that a kernel compiled for a GPU runs on the host, thread by thread: python ptx_to_c.py IN.ptx OUT.so

Addresses are the host's. Fused operations are fused, numbers too small for a normal float are flushed where the
instruction says so; approximate quotients and roots are exact here (a GPU's are off by up to 2 units in the last
place). Threads run one after the other, or side by side with $FAKE_CUDA_ORDER (interleaved.h): a barrier between them
is an error. With $FAKE_CUDA_COUNT every launch is counted (counter.h), with $FAKE_CUDA_TRACE its addresses are written
(trace.h).
"""

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

from ptx_function import TYPES, Function
from ptx_instructions import statement
from ptx_text import tokens, without_comments

GCC = ["gcc", "-w", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", "-mfma", "-shared", "-fPIC"]
HERE = Path(__file__).parent
GIVEN = ("vprintf", "__assertfail")  # by host.h
VARIABLE = re.compile(r"\.align (\d+) \.(\w+) ([\w$]+)(?:\[(\d*)\])?(?: = (.*))?;", re.S)


WATCHERS = {"FAKE_CUDA_COUNT": "counter", "FAKE_CUDA_TRACE": "trace", "FAKE_CUDA_ORDER": "interleaved"}
"""Headers that see each access to memory, by the variable that asks for them."""


def translate(ptx: str, watcher: str = "") -> str:
    """A module as C.

    Args:
        ptx: the module.
        watcher: name of the header that sees each access, one of WATCHERS; "" for none.
    """
    counts = watcher in ("counter", "trace")
    counted: dict[str, int] | None = {} if counts else None
    functions: set[str] = set()
    variables, declared, made, depth, f = [], [], [], 0, None
    for text in tokens(without_comments(ptx)):
        if text in "{}":
            depth += 1 if text == "{" else -1
            if depth > (text == "{"):
                f.lines.append(text)
            elif depth == 0:
                made.append(f)
        elif depth:
            _add(f, text)
        elif re.search(r"\.(entry|func)\b", text):
            f = Function(text, functions, counted, bool(watcher))
            declared += [f"{f.signature};"] * (f.name not in GIVEN)
        else:
            variables.append(_variable(text))
    names = ", ".join(f'"{name}"' for name in counted or ())
    heads = [(HERE / "host.h").read_text()]
    if counts:
        heads.append(f"static const char *names[] = {{{names}}};")
    if watcher == "interleaved":
        heads.insert(0, "#define INTERLEAVED")
    if watcher:
        heads.append((HERE / f"{watcher}.h").read_text())
    return "\n".join([*heads, *variables, *declared, *(function.text() for function in made)])


def _add(f: Function, text: str) -> None:
    """A label, a declaration or an instruction of a function."""
    if text.endswith(":"):
        f.lines += [] if text.startswith("prototype") else [f"{text.lstrip('$')};"]
    elif not text.startswith((".callprototype", ".pragma")):
        line = text[:-1].strip()
        if line.startswith("."):
            f.declare(line)
        else:
            f.lines.append(statement(f, line))


def _variable(text: str) -> str:
    """A variable of the module."""
    align, kind, name, size, value = VARIABLE.search(text).groups()
    return (
        f"static {TYPES[kind]} {name}[{size or 1}] __attribute__((aligned({align}))){f' = {value}' if value else ''};"
    )


def compile(source: Path, target: Path) -> None:
    """Make a shared object of a module; one that was made before, of the same module, is taken.

    Where a function is called for each access to memory, optimising costs more time than it saves. $FAKE_CUDA_LEVEL is
    another level of gcc than -O1, for kernels that run shortly.
    """
    chosen = [name for name in WATCHERS if os.environ.get(name)]
    if len(chosen) > 1:
        raise SystemExit(f"{chosen[0]}: must not be set beside {chosen[1]}; unset one of them")
    watcher = WATCHERS[chosen[0]] if chosen else ""
    level = "-O0" if watcher == "interleaved" else os.environ.get("FAKE_CUDA_LEVEL", "-O1")
    ptx = source.read_text()
    objects = Path(os.environ.get("FAKE_CUDA_OBJECTS", source.parent / "objects"))
    made = objects / f"{_digest(ptx, watcher, level)}.so"
    made.parent.mkdir(exist_ok=True)
    if not made.exists():
        mine = made.with_suffix(f".{os.getpid()}.c")
        mine.write_text(translate(ptx, watcher))
        subprocess.run([*GCC, level, "-o", mine.with_suffix(".so"), mine, "-lm"], check=True)
        mine.with_suffix(".so").replace(made)
        mine.unlink()
    target.unlink(missing_ok=True)
    target.symlink_to(made)


def _digest(*parts: str) -> str:
    """Return a name that no other module, watcher or translator has."""
    translator = [file.read_bytes() for ending in ("py", "h") for file in sorted(HERE.glob(f"*.{ending}"))]
    return hashlib.sha256(b"\0".join([*map(str.encode, parts), *translator])).hexdigest()[:24]


if __name__ == "__main__":
    compile(Path(sys.argv[1]), Path(sys.argv[2]))
