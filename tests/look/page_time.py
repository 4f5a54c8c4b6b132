"""Size and first picture of a page, of many worlds too, and pace of a running scene, in Chromium's software renderer.

`python tests/look/page_time.py [SCENE]`
"""

import sys
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import psutil
from browser import Browser

import fajin
from fajin.visual.look.track import Track
from fajin.visual.motion.motion import motion_of
from fajin.visual.viewer.live import LiveViewer
from fajin.visual.viewer.motion_page import MotionPageOptions, motion_page

SECONDS, LIVE = 5.0, 10.0
WORLDS, FPS_OF_WORLDS = 1000, 30


def main() -> None:
    """Print a line about a page that plays 5 s, one about 1,000 worlds, and one about 10 s of a running scene."""
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
    print(many_worlds(scene))
    print(pace(fajin.Simulation(scene, device="cpu")))


def many_worlds(scene: fajin.Scene) -> str:
    """Return a line about the page of worlds whose joints follow a sine each, so that they are never still."""
    sim = fajin.Simulation(scene, WORLDS, device="cpu", contacts=False)
    rng = np.random.default_rng(0)
    frames, every = round(SECONDS * FPS_OF_WORLDS), round(1.0 / (FPS_OF_WORLDS * sim.dt))
    rate, phase = (rng.uniform(*ends, (WORLDS, len(sim.dof))) for ends in ((1.0, 6.0), (0.0, 2.0 * np.pi)))
    pose = []
    for frame in range(frames):
        sim.target_q = 0.5 * np.sin(rate * frame / FPS_OF_WORLDS + phase)
        run = sim.run(steps=every, every=every)
        pose.append(run.pose[-1:])
    motion = motion_of(run)
    order = [run.link.index(link.path) for link in motion.look.links]
    track = Track(np.arange(frames) / FPS_OF_WORLDS, np.concatenate(pose)[:, :, order], motion.track.origins)
    motion = replace(motion, track=track, series={}).side_by_side()
    began = time.process_time()
    html = motion_page(motion, MotionPageOptions("page", poster=False)).html()
    spent = time.process_time() - began
    return f"{WORLDS} worlds: {len(html) / 1e6:.2f} MB for {frames} frames; {spent:.1f} s of CPU to pack"


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
