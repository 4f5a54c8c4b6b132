"""The text of a PTX module in pieces: statements, labels, braces, and the operands of an instruction."""

import re
from collections.abc import Iterator

MARK = re.compile(r"\s*(?:(\.(?:version|target|address_size)[^\n]*)|([\w$]+)\s*:(?!:)|([{}]))")
HEAD, LINE = re.compile(r"[^;{]*;|[^;{]*(?={)"), re.compile(r"[^;]*;")
DATA = re.compile(r"\s*(\.\w+\s+)*\.(global|const|shared)\b")
OPERAND = re.compile(r"(?:\{[^}]*\}|\[[^\]]*\]|\([^)]*\)|[^,])+")


def without_comments(ptx: str) -> str:
    """The module without its comments."""
    return re.sub(r"/\*.*?\*/", "", re.sub(r"//[^\n]*", "", ptx), flags=re.S)


def tokens(ptx: str) -> Iterator[str]:
    """Statements, labels ("name:") and braces, one after the other; what names version and target is left out."""
    ptx, at, depth = ptx.rstrip(), 0, 0
    while at < len(ptx):
        mark = MARK.match(ptx, at)
        if mark is None:
            whole = depth or DATA.match(ptx[at : at + 200])
            statement = (LINE if whole else HEAD).match(ptx, at)
            yield statement[0].strip()
            at = statement.end()
            continue
        at = mark.end()
        if not mark[1]:
            depth += {"{": 1, "}": -1}.get(mark[3], 0)
            yield mark[3] or f"{mark[2]}:"


def operands(text: str) -> list[str]:
    """Operands between commas; what braces, brackets or parentheses hold stays together."""
    return [part.strip() for part in OPERAND.findall(text) if part.strip()]
