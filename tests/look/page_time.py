"""Size and first picture of a page, and pace of a running scene, in Chromium on its software renderer.

`python tests/look/page_time.py [SCENE]`
"""

import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil
from browser import Browser

import fajin
from fajin.motion.motion import motion_of
from fajin.viewer.live import LiveViewer
from fajin.viewer.motion_page import MotionPageOptions, motion_page

SECONDS, LIVE = 5.0, 10.0


def main() -> None:
    """Print a line about a page that plays 5 s, and a line about 10 s of a running scene."""
    path = sys.argv[1] if sys.argv[1:] else Path(__file__).parents[2] / "scenes" / "ur10.usda"
    scene = fajin.read(path)
    sim = fajin.Simulation(scene, device="cpu")
    html = motion_page(motion_of(sim.run(seconds=SECONDS, fps=60)), MotionPageOptions("page")).html()
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        page.write_text(html)
        with Browser() as browser:
            browser.open(page)
            shown, spent = browser.run("fajin.loaded"), processor_time(browser)
    size = len(html) / 1e6
    print(f"page: {size:.2f} MB; first picture after {shown / 1e3:.2f} s; {spent:.1f} s of CPU in the browser")
    print(pace(fajin.Simulation(scene, device="cpu")))


def processor_time(browser: Browser) -> float:
    """Return the processor time of a browser and its children [s]."""
    process = psutil.Process(browser.process.pid)
    times = [one.cpu_times() for one in (process, *process.children(recursive=True))]
    return sum(one.user + one.system for one in times)


def pace(sim: fajin.Simulation) -> str:
    """Return a line about the real-time factor of a scene that runs while a page draws it."""
    sim.step(0)
    with LiveViewer(sim) as viewer:
        found = {}

        def look() -> None:
            with Browser() as browser:
                browser.open(viewer.url)
                browser.wait("fajin.live.states > 3")
                began, start, late = time.perf_counter(), sim.time, viewer.pace.late
                time.sleep(LIVE)
                found["factor"] = (sim.time - start) / (time.perf_counter() - began)
                found["late"] = viewer.pace.late - late
            viewer.ended = True

        thread = threading.Thread(target=look)
        thread.start()
        viewer.run(600.0)
        thread.join()
    return f"live: {found['factor']:.3f} of real time over {LIVE:g} s; {found['late']} times late"


if __name__ == "__main__":
    main()
