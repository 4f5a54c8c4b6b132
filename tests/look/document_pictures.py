"""Draw the pictures of pages in docs/viewing.md: `python tests/look/document_pictures.py`, with a Chromium."""

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "support")]

from look.browser import Browser  # noqa: E402

DOCS, SIZE = ROOT / "docs", (1200, 720)
ARM, SEVEN = ROOT / "scenes" / "ur10.usda", ROOT / "scenes" / "arm7.usda"


def run(*words: object) -> None:
    """Run a command of fajin."""
    subprocess.run([sys.executable, "-m", "fajin", *map(str, words)], check=True, stdout=subprocess.DEVNULL)


def draw(name: str, address: str | Path, code: str, size: tuple[int, int] = SIZE) -> None:
    """Write the picture of a page after some code has run in it."""
    with Browser(size=size) as browser:
        browser.open(address)
        browser.run(code)
        time.sleep(2.0)
        (DOCS / f"viewing-{name}.png").write_bytes(browser.picture())


def main() -> None:
    """Draw all pictures."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        a, b = folder / "simulated.npz", folder / "real.npz"
        run("simulate", ARM, "-o", folder / "a.usda", "--joints", a, "--seconds", 3)
        run("simulate", ARM, "-o", folder / "b.usda", "--joints", b, "--seconds", 3, "--drive", ".*=400,40")
        run("view", a, "--scene", ARM, "-o", folder / "motion.html")
        draw("motion", folder / "motion.html", "fajin.player.seek(0.45); document.querySelectorAll('.name')[2].click()")
        run("plot", a, b, "--joint", "elbow|wrist_1|lift", "--quantity", "q,qd", "-o", folder / "plot.html")
        draw("plot", folder / "plot.html", "fajin.plots.mark(0.43)", (1200, 690))
        run("compare", a, b, "--scene", ARM, "-o", folder / "compare.html")
        draw("compare", folder / "compare.html", "fajin.player.seek(0.43)")
        options = ("--worlds", 300, "--seconds", 2, "--grid", "joint2:stiffness=10,100,1000")
        run("batch", SEVEN, "-o", folder / "sweep", *options, "--random", "link.*:mass*=uniform(0.8,1.2)")
        run("report", folder / "sweep", "-o", folder / "report.html")
        draw("report", folder / "report.html", "0", (1200, 1500))
    command = [sys.executable, "-m", "fajin", "view", str(ARM), "--no-browser", "--seconds", "90"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as live:
        url = re.match(r"\S+", live.stdout.readline())[0]
        slide = (
            "(async () => { for (const [i, value] of [[1, -1.2], [2, 1.2], [4, 0.2]]) { const input = "
            "document.querySelectorAll('#sliders input')[i]; input.value = value; "
            "input.dispatchEvent(new Event('input')); await new Promise((done) => setTimeout(done, 1500)); } })()"
        )
        draw("live", url, slide)
        live.terminate()


if __name__ == "__main__":
    main()
