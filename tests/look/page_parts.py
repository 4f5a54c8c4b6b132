"""Parts of a page, and pixels of its picture."""

import base64
import gzip
import json
import re

import numpy as np
from look.browser import Browser


def header(html: str) -> tuple[dict, bytes]:
    """Header and arrays of a page's data."""
    raw = gzip.decompress(base64.b64decode(re.search(r'id="data">([^<]*)<', html)[1]))
    length = int.from_bytes(raw[:4], "little")
    return json.loads(raw[4 : 4 + length]), raw[(4 + length + 7) & ~7 :]


def pixels(browser: Browser) -> np.ndarray:
    """Pixels of the drawn scene, (h, w, 3), after one more picture."""
    browser.run(
        "new Promise((done) => { fajin.stage.dirty = true; requestAnimationFrame(() => requestAnimationFrame(done)); })"
    )
    data = browser.run(
        "(() => { const from = fajin.stage.canvas, to = document.createElement('canvas'); to.width = from.width;"
        "to.height = from.height; const c = to.getContext('2d'); c.drawImage(from, 0, 0);"
        "const p = c.getImageData(0, 0, to.width, to.height).data; let s = '';"
        "for (let i = 0; i < p.length; i += 8192) s += String.fromCharCode(...p.subarray(i, i + 8192));"
        "return [to.width, to.height, btoa(s)]; })()"
    )
    width, height, text = data
    return np.frombuffer(base64.b64decode(text), np.uint8).reshape(height, width, 4)[..., :3].astype(int)
