"""Pages: one HTML file with style, libraries, scripts and data, which requests nothing.

The policy of a page allows only its own scripts and style, by their hashes. Text of files and logs is in the data and
enters the page as text nodes.
"""

import base64
import hashlib
import html
from dataclasses import dataclass
from functools import cache
from pathlib import Path

WEB = Path(__file__).parent / "web"
SCRIPTS = {
    "motion": ("dom", "data", "plots", "tables", "scene", "overlays", "marks", "player", "live", "main"),
    "document": ("dom", "data", "plots", "tables", "report", "main"),
}
"""fajin's scripts of a layout in their order."""

LIBRARIES = {"motion": ("three.min", "uplot.min"), "document": ("uplot.min",)}
OPEN, CLOSE = "(() => {\n'use strict';\nconst { uPlot } = uPlotBundle;\n", "\n})();\n"


@dataclass(frozen=True)
class Page:
    """A page; `layout` is "motion", with a scene, or "document"."""

    layout: str
    title: str
    data: bytes | None = None  # gzipped; None: the page fetches it from the server that it came from
    poster: bytes | None = None  # PNG, shown until the scene is drawn, and where it cannot be drawn

    def html(self) -> str:
        """Return the file's text."""
        style, scripts = _style(), [*_libraries(self.layout), _script(self.layout)]
        body = (WEB / f"{self.layout}.html").read_text(encoding="utf-8").replace("{poster}", self._poster())
        data = ""
        if self.data is not None:
            text = base64.b64encode(self.data).decode()
            data = f'<script type="application/octet-stream" id="data">{text}</script>\n'
        parts = [
            f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n{self._policy(scripts, style)}',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
            f'<title>{html.escape(self.title)}</title>\n<link rel="icon" href="data:,">\n',
            f'<!--\n{_licences()}-->\n<style>{style}</style>\n</head>\n<body class="{self.layout}">\n{body}',
            "<noscript>This page needs JavaScript, which it contains; it requests nothing.</noscript>\n",
            data,
            *(f"<script>{script}</script>\n" for script in scripts),
            "</body>\n</html>\n",
        ]
        return "".join(parts)

    def _poster(self) -> str:
        text = base64.b64encode(self.poster).decode() if self.poster else ""
        hidden = "" if text else " hidden"
        source = f' src="data:image/png;base64,{text}"' if text else ""
        return f'<img id="poster" alt="The robot at the start of the motion"{source}{hidden}>\n'

    def _policy(self, scripts: list[str], style: str) -> str:
        """Return the content security policy as an element."""
        hashes = " ".join(map(source_hash, scripts))
        connect = "'none'" if self.data is not None else "'self'"
        policy = (
            f"default-src 'none'; script-src {hashes}; style-src {source_hash(style)}; img-src data: blob:; "
            f"connect-src {connect}; base-uri 'none'; form-action 'none'"
        )
        return f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'


def source_hash(text: str) -> str:
    """Return the source of a script or style for a policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def _read(name: str) -> str:
    return (WEB / name).read_text(encoding="utf-8")


def _style() -> str:
    return _read("uplot.css") + _read("style.css")


def _licences() -> str:
    return _read("LICENSES.txt").replace("--", "- -")


def _libraries(layout: str) -> list[str]:
    return [_read(f"{name}.js").replace("</script", "<\\/script") for name in LIBRARIES[layout]]


def _script(layout: str) -> str:
    return OPEN + "\n".join(_read(f"{name}.js") for name in SCRIPTS[layout]) + CLOSE
