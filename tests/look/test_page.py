"""Pages in a real browser: they request nothing, play what was recorded, and show strangers' names as text."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from look.browser import NO_GRAPHICS, Browser
from look.page_parts import header, pixels

import fajin
from fajin.visual.look.pack import Buffers, pack_page, page_head
from fajin.visual.look.page import Page, source_hash
from fajin.visual.look.panels import add_panels
from fajin.visual.look.series import Series, short_names
from fajin.visual.motion.motion import motion_of
from fajin.visual.viewer.motion_page import MotionPageOptions, motion_page

HOSTILE = (
    '<img src=x onerror="window.hit=1">',
    "\"quoted\" & 'single'",
    "</script><script>window.hit=2</script>",
    "\u202eRTL",
)


@pytest.fixture(scope="module")
def recording(scenes):
    """Two seconds of the arm at 60 frames per second."""
    return fajin.Simulation(fajin.read(scenes / "ur10.usda"), device="cpu").run(2.0, fps=60)


@pytest.fixture(scope="module")
def page(recording, tmp_path_factory):
    """The page of the arm."""
    path = tmp_path_factory.mktemp("page") / "arm.html"
    path.write_text(motion_page(motion_of(recording), MotionPageOptions("arm")).html())
    return path


def hostile_page() -> str:
    """A page whose joints, title and notes have names that would act as HTML."""
    time = np.linspace(0.0, 1.0, 5)
    q = np.stack([time + i for i in range(len(HOSTILE))], axis=1)
    series = Series("log.csv", time, HOSTILE, ("rad",) * len(HOSTILE), {"q": q})
    head, buffers = page_head("plots", HOSTILE[2], HOSTILE), Buffers()
    add_panels(head, [series], buffers)
    return Page("document", HOSTILE[2], pack_page(head, buffers)).html()


def test_a_page_allows_only_its_own_scripts():
    """Each script and style has its hash in the policy; nothing is unsafe, nothing comes from elsewhere."""
    html = hostile_page()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)[1]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert "http" not in policy
    assert "connect-src 'none'" in policy
    scripts = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    assert len(scripts) == 2
    for text in (*scripts, re.search(r"<style>(.*?)</style>", html, re.DOTALL)[1]):
        assert source_hash(text) in policy
    assert "innerHTML" not in scripts[-1]
    assert "window.hit=2" not in html.replace("&lt;script&gt;window.hit=2", "")


def test_scripts_of_fajin_write_no_markup():
    """Names reach the page as text nodes only, and only the live page asks its own server for anything."""
    from fajin.visual.look.page import SCRIPTS, WEB

    own = {name: (WEB / f"{name}.js").read_text() for names in SCRIPTS.values() for name in names}
    for name, text in own.items():
        assert not re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", text), name
        assert len(re.findall(r"\bfetch\(", text)) == {"live": 2, "main": 1}.get(name, 0), name


@pytest.mark.slow
def test_a_page_names_no_folder_of_the_user(recording, tmp_path):
    """It may be mailed."""
    head, _ = header(motion_page(motion_of(recording), MotionPageOptions("arm", poster=False)).html())
    assert str(recording.scene.source).rpartition("/")[0] not in json.dumps(head)


@pytest.mark.slow
def test_a_page_plays_without_any_request(page):
    """From a file, with every host unresolvable: no request, no error, a picture that moves and comes back."""
    with Browser() as browser:
        browser.open(page)
        assert browser.run("fajin.error") is None
        first = pixels(browser)
        background = np.abs(first - first[4, 4]).max(axis=-1) > 12
        assert background.mean() > 0.05
        browser.run("fajin.player.toggle()")
        browser.wait("fajin.player.time > 0.5")
        browser.run("fajin.player.toggle()")
        assert (np.abs(pixels(browser) - first).max(axis=-1) > 12).mean() > 0.01
        browser.run("fajin.player.seek(0)")
        assert (pixels(browser) == first).all()
        assert browser.requests == [page.resolve().as_uri()]
        assert browser.errors == []


@pytest.mark.slow
@pytest.mark.parametrize("plays", [True, False])
def test_a_page_plays_when_it_is_opened(page, plays):
    """Unless its user wants little motion."""
    with Browser(plays=plays) as browser:
        browser.open(page)
        if plays:
            browser.wait("fajin.player.time > 0.2")
        assert browser.run("fajin.player.playing") is plays
        assert browser.run("document.querySelector('#play').textContent") == ("❚❚" if plays else "▶")
        assert browser.errors == []


@pytest.mark.slow
def test_poses_in_the_page_are_those_of_the_recording(page, recording):
    """Every link at a frame, within the steps of 16-bit numbers over its range."""
    with Browser() as browser:
        browser.open(page)
        for frame in (0, 37, len(recording) - 1):
            browser.run(f"fajin.player.seek({recording.time[frame]!r})".replace("np.float64(", "").replace("))", ")"))
            paths = browser.run("fajin.head.links.map((link) => link.path)")
            found = np.array(browser.run("[...fajin.stage.links]")).reshape(len(paths), 4, 4)
            order = [recording.link.index(path) for path in paths]
            pose = recording.pose[frame, 0][order]
            extent = np.ptp(recording.pose[:, 0, order, :3], axis=0).max()
            np.testing.assert_allclose(found[:, 3, :3], pose[:, :3], atol=extent / 65535 + 1e-6)
            x, y, z, w = pose[:, 3:].T
            np.testing.assert_allclose(found[:, 0, 0], 1 - 2 * (y * y + z * z), atol=2e-4)
            np.testing.assert_allclose(found[:, 1, 2], 2 * (y * z + x * w), atol=2e-4)


@pytest.mark.slow
def test_choices_names_and_plots_of_a_page(page):
    """Colliders are off until asked for; a link's name is under the pointer; a click in a plot seeks."""
    with Browser() as browser:
        browser.open(page)
        visible = "fajin.stage.groups.filter((mesh) => mesh.userData.guide && mesh.visible).length"
        assert browser.run(visible) == 0
        browser.run("document.querySelector('[name=colliders]').click()")
        assert browser.run(visible) > 0
        browser.run("document.querySelector('[name=colliders]').click()")
        spot = browser.run(
            "(() => { const s = fajin.stage, link = s.head.links.findIndex((one) => one.name === 'base_link');"
            "const group = s.groups.find((mesh) => mesh.userData.shapes.some((shape) => shape.link === link));"
            "const center = group.geometry.boundingSphere ?? (group.geometry.computeBoundingSphere(), "
            "group.geometry.boundingSphere); const m = group.instanceMatrix.array, c = center.center;"
            "const p = c.clone().set(m[0]*c.x+m[4]*c.y+m[8]*c.z+m[12], m[1]*c.x+m[5]*c.y+m[9]*c.z+m[13],"
            "m[2]*c.x+m[6]*c.y+m[10]*c.z+m[14]).project(s.camera), box = s.canvas.getBoundingClientRect();"
            "return [box.left + (p.x + 1) / 2 * box.width, box.top + (1 - p.y) / 2 * box.height]; })()"
        )
        browser.mouse("mouseMoved", *spot)
        browser.wait("!document.querySelector('#tip').hidden", 10)
        assert "link" in browser.run("document.querySelector('#tip').textContent")
        box = browser.run(
            "(() => { const r = fajin.plots.panels[0].plot.over.getBoundingClientRect();"
            "return [r.left, r.top, r.width, r.height]; })()"
        )
        browser.click(box[0] + box[2] / 2, box[1] + box[3] / 2)
        assert browser.run("fajin.player.time") == pytest.approx(1.0, abs=0.05)


@pytest.mark.slow
def test_a_page_without_webgl_has_plots_and_a_picture(page):
    """One sentence says why there is no robot that moves."""
    with Browser(*NO_GRAPHICS) as browser:
        browser.open(page)
        assert browser.run("document.querySelectorAll('.uplot').length") == 4
        assert browser.run("document.querySelector('#poster').naturalWidth") > 300
        assert not browser.run("document.querySelector('#poster').hidden")
        assert "offers no WebGL" in browser.run("document.querySelector('#explain').innerText")
        browser.run("fajin.player.seek(1)")
        assert browser.run("document.querySelector('#time').textContent") == "1.000 s"
        hidden = "['#show', '#home'].map((name) => getComputedStyle(document.querySelector(name)).display)"
        assert browser.run(hidden) == ["none", "none"]


@pytest.mark.slow
def test_hostile_names_are_text(tmp_path):
    """Nothing of them runs, all of them is shown."""
    (tmp_path / "hostile.html").write_text(hostile_page())
    with Browser() as browser:
        browser.open(tmp_path / "hostile.html")
        assert browser.run("window.hit") is None
        names = browser.run("[...document.querySelectorAll('.joints .name')].map((one) => one.textContent)")
        assert names == short_names(HOSTILE)
        assert browser.run("[...document.querySelectorAll('#notes li')].map((one) => one.textContent)") == list(HOSTILE)
        assert browser.run("document.querySelector('#title').textContent") == HOSTILE[2]
        assert browser.run("document.title") == HOSTILE[2]
        assert browser.run("document.querySelectorAll('#plots img').length") == 0
        assert browser.errors == []


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True])
def test_a_narrow_page_stacks_and_keys_do_all(page, dark):
    """400 pixels: nothing overflows; play, step, ends and speed by keys; every control has a name."""
    with Browser(size=(400, 700), dark=dark) as browser:
        browser.open(page)
        assert browser.run("document.documentElement.scrollWidth") <= 400
        tops = browser.run(
            "['#view', '#bar', 'aside'].map((name) => document.querySelector(name).getBoundingClientRect().top)"
        )
        assert tops == sorted(tops)
        assert tops[0] < tops[1] < tops[2]
        browser.key("End")
        assert browser.run("fajin.player.time") == pytest.approx(2.0, abs=1e-6)
        browser.key("ArrowLeft")
        assert browser.run("fajin.player.time") == pytest.approx(2.0 - 1.0 / 60.0, abs=1e-6)
        browser.key("Home")
        assert browser.run("fajin.player.time") == 0.0
        browser.key("+")
        assert browser.run("fajin.player.speed") == 2
        browser.key(" ")
        assert browser.run("fajin.player.playing")
        browser.key(" ")
        assert not browser.run("fajin.player.playing")
        unnamed = browser.run(
            "[...document.querySelectorAll('button, input, select')].filter((one) => !(one.textContent.trim() || "
            "one.getAttribute('aria-label') || one.closest('label')?.textContent.trim())).length"
        )
        assert unnamed == 0
        ink, paper = (browser.run(f"getComputedStyle(document.body).{name}") for name in ("color", "backgroundColor"))
        assert (brightness(ink) > brightness(paper)) == dark


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ur10.usda", "anymal_c.usda", "arm7.usda"])
def test_page_and_rasterizer_show_one_robot(scenes, tmp_path, name):
    """Silhouettes from one camera overlap to 0.99: no transposed matrix, unit or up axis in either."""
    from fajin.visual.look.camera import Camera
    from fajin.visual.look.framing import Framing
    from fajin.visual.raster.rasterizer import PictureStyle, Rasterizer

    run = fajin.Simulation(fajin.read(scenes / name), device="cpu").run(0.5, fps=60)
    motion = motion_of(run)
    motion = replace(motion, look=replace(motion.look, shapes=tuple(s for s in motion.look.visuals if s.link >= 0)))
    (tmp_path / "a.html").write_text(motion_page(motion, MotionPageOptions(poster=False)).html())
    camera = Framing.of(motion.look, motion.track).frame(Camera(), 1.0, motion.look.up)
    style = PictureStyle((700, 700), 2, "transparent", floor=False, shadows=False)
    ours = Rasterizer(motion.look, motion.track, style).draw(motion.track.pose[-1], camera)[..., 3] > 100
    eye, target = camera.axes(motion.look.up)[0].tolist(), list(camera.target)
    with Browser(size=(1400, 1000)) as browser:
        browser.open(tmp_path / "a.html")
        browser.run(
            f"fajin.stage.head.camera = {{eye: {eye}, target: {target}, field: {camera.field}, aspect: 1}}; "
            "document.querySelector('#view').style.cssText = 'width:700px;height:700px'; fajin.player.seek(9);"
            "const view = document.querySelector('[name=floor]'); view.click();"
        )
        browser.wait(
            "fajin.stage.renderer.domElement.width === 700 && fajin.stage.renderer.domElement.height === 700", 20
        )
        browser.run(
            "fajin.stage.home(); fajin.stage.scene.background.set(0xffffff); fajin.stage.scene.overrideMaterial = "
            "new THREE.MeshBasicMaterial({ color: 0, side: THREE.DoubleSide }); fajin.stage.shade.visible = false;"
        )
        shown = pixels(browser)
    theirs = shown.mean(axis=-1) < 160  # at least two of four samples
    overlap = (ours & theirs).sum() / (ours | theirs).sum()
    assert ours.mean() > 0.02
    assert overlap >= 0.99


@pytest.mark.slow
def test_the_whole_motion_is_seen_at_every_size_of_the_window(page):
    """Nothing but the background is at the edges of the view, at the start and at the end."""
    with Browser() as browser:
        for size in ((400, 700), (400, 1200), (1280, 800), (1920, 700)):
            browser.resize(*size)
            browser.open(page)
            browser.run("document.querySelector('[name=floor]').click()")
            for time in (0.0, 2.0):
                browser.run(f"fajin.player.seek({time})")
                shown = pixels(browser)
                robot = np.abs(shown - shown[1, 1]).max(axis=-1) > 12
                assert robot.any(), size
                assert not robot[:, [0, 1, -2, -1]].any(), size
                assert not robot[[0, 1, -2, -1]].any(), size


def brightness(color: str) -> float:
    """Mean of the numbers of a color."""
    return float(np.mean([int(part) for part in re.findall(r"\d+", color)[:3]]))
