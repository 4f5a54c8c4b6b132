"""Processor time of a picture, by samples: `python tests/look/frame_time.py [SCENE]`."""

import os
import sys
import time
from pathlib import Path

FRAMES = 20


def main() -> None:
    """Print a line per number of samples: 640 x 480 pixels, with shadows, on one thread."""
    os.environ["TI_CPU_MAX_NUM_THREADS"] = "1"
    import fajin
    from fajin.usd.look.look_scene import read_look_scene
    from fajin.visual.look.camera import Camera
    from fajin.visual.look.track import Track
    from fajin.visual.raster.rasterizer import PictureStyle, Rasterizer

    path = sys.argv[1] if sys.argv[1:] else Path(__file__).parents[2] / "scenes" / "ur10.usda"
    scene = read_look_scene(fajin.read(path))
    import numpy as np

    track = Track(np.zeros(1), scene.rest[None, None])
    for samples in (1, 2):
        raster = Rasterizer(scene, track, PictureStyle(samples=samples))
        camera = raster.framing.frame(Camera(), 640 / 480, scene.up)
        raster.draw(track.pose[0], camera)
        began = time.process_time()
        for _ in range(FRAMES):
            raster.draw(track.pose[0], camera)
        spent = (time.process_time() - began) / FRAMES
        print(f"{samples} x {samples} samples, {scene.triangles} triangles: {1000.0 * spent:.0f} ms of CPU a frame")


if __name__ == "__main__":
    main()
