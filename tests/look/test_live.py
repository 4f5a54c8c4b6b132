"""A running simulation in a browser: commands, the refusal of strangers, and the log of what was done."""

import contextlib
import http.client
import json
import threading
import time

import numpy as np
import pytest
from look.browser import Browser

import fajin
from fajin.errors import InputError
from fajin.simulation.control_events import ControlTarget
from fajin.simulation.control_file import read_controls
from fajin.visual.look.server import MOST_BYTES, PageServer
from fajin.visual.viewer.live import LiveViewer


@pytest.fixture
def viewer(scenes):
    """A viewer of the arm with seven joints, which does not run yet."""
    sim = fajin.Simulation(fajin.read(scenes / "arm7.usda"), device="cpu")
    with LiveViewer(sim) as one:
        yield one


def ask(viewer, method="GET", path="/", body=None, **headers) -> tuple[int, bytes]:
    """Send a request; return status and content."""
    connection = http.client.HTTPConnection("127.0.0.1", viewer.server.port, timeout=20)
    skip = "Host" in headers
    connection.putrequest(method, path, skip_host=skip)
    content = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    for name, value in {**({"Content-Length": str(len(content))} if method == "POST" else {}), **headers}.items():
        connection.putheader(name, value)
    connection.endheaders(content)
    answer = connection.getresponse()
    return answer.status, answer.read()


def say(viewer, message) -> int:
    """Send a command; return the status."""
    return ask(viewer, "POST", "/set", message)[0]


def until(viewer, step):
    """An action that waits for a step."""

    def wait():
        while viewer.sim.steps < step:
            time.sleep(0.01)

    return wait


@contextlib.contextmanager
def running(viewer):
    """Send commands from a thread while the simulation runs in this one: the pages do so."""
    actions, errors = [], []

    def act():
        try:
            for action in actions:
                action()
        except BaseException as error:
            errors.append(error)
        finally:
            viewer.ended = True

    thread = threading.Thread(target=act)
    yield actions
    thread.start()
    viewer.run(120.0)
    thread.join()
    if errors:
        raise errors[0]


def test_another_program_reads_states_by_their_description(viewer):
    """Every part has its shape, and nothing is left over: the poses and positions are those of the simulation."""
    viewer.sim.target_q[0, 1] = 0.25
    viewer.sim.step(5)
    viewer.sync()
    description = json.loads(ask(viewer, path="/description")[1])
    assert (description["format"], description["version"], description["up_axis"]) == ("fajin-live", 1, "Z")
    state, found, at = np.frombuffer(viewer._stream.state, "<f4"), {}, 0
    for name, shape in description["parts"].items():
        count = int(np.prod(shape))
        found[name], at = state[at : at + count].reshape(shape), at + count
    assert at == len(state)
    sim = viewer.sim
    np.testing.assert_array_equal(found["q"], np.asarray(sim.q)[0])
    assert found["target_q"][description["dof"].index(sim.dof[1])] == 0.25
    for path, pose in zip(description["link"], found["link_pose"][0], strict=True):
        np.testing.assert_array_equal(pose, np.asarray(sim.link_pose)[0, list(sim.link).index(path)])
    assert [control["dof"] for control in description["controls"]] == list(sim.dof)


def test_strangers_are_refused(viewer):
    """Foreign hosts, as after DNS rebinding, and pages of foreign origins, for reading and writing."""
    own = f"127.0.0.1:{viewer.server.port}"
    assert viewer.server.host == "127.0.0.1"
    for path in ("/", "/scene", "/stream"):
        assert ask(viewer, "GET", path, Host=f"evil.example:{viewer.server.port}")[0] == 403
        assert ask(viewer, "GET", path, Origin="http://evil.example")[0] == 403
    assert ask(viewer, "POST", "/set", {"do": "reset"}, Origin="http://evil.example")[0] == 403
    assert ask(viewer, "POST", "/set", {"do": "reset"}, Origin="null")[0] == 403
    assert ask(viewer, "POST", "/set", {"do": "reset"}, Host="127.0.0.1")[0] == 403
    assert ask(viewer, "POST", "/set", {"do": "pause"}, Host=own, Origin=f"http://{own}")[0] == 200
    assert ask(viewer, "GET", "/", Host=own)[0] == 200


@pytest.mark.parametrize(
    "body",
    [
        b"no json", b"", b"[" * 5000, b'{"speed": NaN}', b'{"speed": 1e999}', b'{"speed": 0}', b'{"target": {"x": 1}}',
        b'{"do": "erase"}', b'{"do": "stop"}', b'{"do": ["pause"]}', b"[]", b'{"do": "pause", "speed": 1}', b"null",
        b'{"force": {"link": "/x", "world": 0, "vector": [0, 0, 0]}}', b'{"target": [1]}', b'{"target": {"x": true}}',
        b'{"force": {"link": 3, "world": 0, "vector": [0, 0]}}', b"\xff\xfe",
    ],
)  # fmt: skip
def test_wrong_commands_are_refused(viewer, body):
    """400 and a reason; the simulation does not notice."""
    status, reason = ask(viewer, "POST", "/set", body)
    assert status == 400
    assert reason
    assert viewer._waiting.empty()


def test_sizes_and_paths_are_bounded(viewer):
    """A large body is not read; unknown paths do not exist; a body needs its length."""
    connection = http.client.HTTPConnection("127.0.0.1", viewer.server.port, timeout=20)
    connection.putrequest("POST", "/set")
    connection.putheader("Content-Length", str(MOST_BYTES + 1))
    connection.endheaders()
    assert connection.getresponse().status == 413
    assert ask(viewer, "GET", "/../../etc/passwd")[0] == 404
    assert ask(viewer, "POST", "/other", {"do": "pause"})[0] == 404


def test_a_taken_port_is_one_line(viewer):
    """It names the option and the fix."""
    with pytest.raises(InputError, match=rf"--port {viewer.server.port}: must be a free port of 127.0.0.1"):
        PageServer({}, ("127.0.0.1", viewer.server.port))


def test_another_address_needs_a_token(scenes):
    """Without the token of the printed address there is nothing to see."""
    server = PageServer({"/": (b"page", "text/html")}, ("0.0.0.0", 0))
    try:
        for path, status in (("/", 403), ("/?token=x", 403), (f"/?token={server.token}", 200)):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
            connection.request("GET", path)
            assert connection.getresponse().status == status
        assert server.token in server.url
    finally:
        server.close()


def test_commands_act_and_their_log_repeats_them(viewer, tmp_path):
    """Targets and forces of a live run, written and applied by a recording, give the same bits."""
    dof, link = str(viewer.sim.dof[1]), str(viewer.sim.link[-1])
    viewer.pace.speed = 1.0
    with running(viewer) as actions:
        actions += [
            until(viewer, 5),
            lambda: say(viewer, {"target": {dof: 0.5}}),
            until(viewer, 60),
            lambda: say(viewer, {"force": {"link": link, "world": 0, "vector": [5.0, 0.0, 2.0]}}),
            until(viewer, 120),
            lambda: say(viewer, {"force": {"link": link, "world": 0, "vector": [0.0, 0.0, 0.0]}}),
            until(viewer, 180),
        ]
    assert [event["set"] for event in viewer.events] == ["target_q", "force", "force"]
    assert viewer.events[1]["step"] > viewer.events[0]["step"]
    viewer.write_events(tmp_path / "events.json")
    again = fajin.Simulation(viewer.sim.scene, device="cpu")
    events = read_controls(tmp_path / "events.json", ControlTarget(again.dof, again.link))
    last = again.run(steps=viewer.sim.steps, controls=events)
    assert (np.asarray(viewer.sim.q)[0] == last.q[-1]).all()
    assert abs(float(np.asarray(viewer.sim.q)[0, 1])) > 0.05


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"link": "nose"}, "must be one of"),
        ({"value": [1, 2]}, "must be three finite numbers"),
        ({"value": [1, 2, None]}, "must be three finite numbers"),
        ({"value": 3}, "must be three finite numbers"),
        ({"set": "q"}, "must be one of force, torque for a link"),
        ({"step": -1}, "must be a whole number from 0"),
        ({"axis": 0}, "must be an object of time or step, joint or link, set, value"),
    ],
)
def test_wrong_forces_in_events_are_one_line(tmp_path, change, rule):
    """The place, the value, the rule and the fix."""
    event = {"step": 0, "link": "hand", "set": "force", "value": [0.0, 0.0, 1.0]}
    (tmp_path / "e.json").write_text(json.dumps([event]))
    (control,) = read_controls(tmp_path / "e.json", ControlTarget(["/arm/j:rotX"], ["/arm/base", "/arm/hand"]))
    assert (control.dof, control.parameter, control.value) == (1, "force", (0.0, 0.0, 1.0))
    (tmp_path / "e.json").write_text(json.dumps([event | change]))
    with pytest.raises(fajin.InvalidScene) as caught:
        read_controls(tmp_path / "e.json", ControlTarget(["/arm/j:rotX"], ["/arm/base", "/arm/hand"]))
    assert rule in str(caught.value)
    assert "\n" not in str(caught.value)


def test_pause_step_and_reset(viewer):
    """Pause stops the time, a step is one step, reset gives the first state to the bit and forgets the log."""
    first, seen = np.asarray(viewer.sim.link_pose).copy(), {}
    dof = str(viewer.sim.dof[0])

    def note(name):
        return lambda: seen.update({name: viewer.sim.steps})

    with running(viewer) as actions:
        actions += [
            until(viewer, 5),
            lambda: say(viewer, {"target": {dof: 0.4}}),
            until(viewer, 40),
            lambda: say(viewer, {"do": "pause"}),
            lambda: time.sleep(0.2),
            note("paused"),
            lambda: time.sleep(0.3),
            note("later"),
            lambda: say(viewer, {"do": "step"}),
            lambda: time.sleep(0.2),
            note("step"),
            lambda: say(viewer, {"do": "reset"}),
            lambda: time.sleep(0.2),
        ]
    assert seen["paused"] > 0
    assert seen["later"] == seen["paused"]
    assert seen["step"] == seen["paused"] + 1
    assert (np.asarray(viewer.sim.link_pose) == first).all()
    assert (viewer.sim.steps, viewer.events) == (0, [])


def test_a_passive_viewer_leaves_stepping_to_its_user(scenes):
    """As MuJoCo's `launch_passive`: the loop steps, `sync` shows and applies; the page ends it."""
    sim = fajin.Simulation(fajin.read(scenes / "pendulum.usda"), device="cpu")
    viewer = fajin.view(sim, browser=False)
    try:
        assert viewer.url.startswith("http://127.0.0.1:")
        count = 0
        while viewer.is_running():
            sim.step()
            viewer.sync()
            count += 1
            if count == 20:
                assert say(viewer, {"do": "stop"}) == 200
        assert sim.steps == count == 21
    finally:
        viewer.close()
    assert not viewer.is_running()


def test_a_recording_is_shown_in_notebooks(scenes):
    """As an iframe with scripts but without access to the notebook."""
    run = fajin.Simulation(fajin.read(scenes / "pendulum.usda"), device="cpu").run(0.2)
    text = fajin.view(run)._repr_html_()
    assert text.startswith("<iframe srcdoc=")
    assert 'sandbox="allow-scripts"' in text
    assert text.count("<") == 2


@pytest.mark.slow
def test_a_page_drives_a_running_simulation(viewer):
    """A slider moves its joint, keys pause and reset, a lost server is noticed; closing the page ends nothing."""
    found = {}

    def look():
        with Browser() as browser:
            browser.open(viewer.url)
            browser.wait("fajin.live.states > 3")
            browser.run(
                "(() => { const input = document.querySelectorAll('#sliders input')[0]; input.value = -0.5;"
                "input.dispatchEvent(new Event('input')); })()"
            )
            browser.wait("Math.abs(fajin.live.rows[0].actual.textContent.replace('−', '-') - -0.5) < 0.02", 30)
            found["factor"] = browser.run("fajin.live.factor")
            found["pulled"] = pull(browser, viewer)
            browser.key(" ")
            browser.wait("fajin.live.paused")
            time.sleep(0.3)
            before = browser.run("fajin.live.time")
            time.sleep(0.5)
            found["stood"] = browser.run("fajin.live.time") == before
            browser.key("Backspace")
            browser.wait("fajin.live.time === 0")
            found["status"] = browser.run("fetch('set', { method: 'POST', body: 'x' }).then((answer) => answer.status)")
            found["foreign"] = [url for url in browser.requests if not url.startswith(viewer.url)]
            found["errors"] = [text for text in browser.errors if "400" not in text]
            viewer.server.close()
            browser.wait("fajin.live.disconnected")
            found["said"] = browser.run("document.querySelector('#status').textContent")

    with running(viewer) as actions:
        actions.append(look)
    assert found == found | {
        "stood": True,
        "pulled": True,
        "status": 400,
        "foreign": [],
        "errors": [],
        "said": "disconnected",
    }
    assert found["factor"] > 0.5


def pull(browser, viewer) -> bool:
    """Drag a link with Ctrl; return whether a force acted and ended with the drag."""
    held = {"button": "left", "buttons": 1, "modifiers": 2, "clickCount": 1}
    for _ in range(20):  # the arm may move between the look for a link and the press
        spot = browser.run(
            "(() => { const s = fajin.stage, box = s.canvas.getBoundingClientRect(), hits = [];"
            "for (let y = 20; y < box.height; y += 12) for (let x = 20; x < box.width; x += 12) {"
            "const hit = fajin.overlays.pick({ clientX: box.left + x, clientY: box.top + y });"
            "const seen = document.elementFromPoint(box.left + x, box.top + y) === s.canvas;"
            "if (seen && hit && hit.link > 0) hits.push([box.left + x, box.top + y]); }"
            "return hits[hits.length >> 1]; })()"
        )
        browser.mouse("mousePressed", *spot, **held)
        if browser.run("fajin.stage.controls.enabled === false"):
            break
        browser.mouse("mouseReleased", *spot, **(held | {"buttons": 0}))
    browser.mouse("mouseMoved", spot[0] + 60, spot[1] - 40, **held)
    browser.wait("fajin.stage.controls.enabled === false", 10)
    while not any(event["set"] == "force" and any(event["value"]) for event in viewer.events):
        time.sleep(0.02)
    browser.mouse("mouseReleased", spot[0] + 60, spot[1] - 40, **(held | {"buttons": 0}))
    while any(viewer.events[-1]["value"]):
        time.sleep(0.02)
    return not np.asarray(viewer.sim.force).any()


@pytest.mark.slow
def test_closing_the_page_ends_nothing(viewer):
    """The simulation goes on, and another page may come."""
    steps = []

    def look():
        for _ in range(2):
            with Browser() as browser:
                browser.open(viewer.url)
                browser.wait("fajin.live.states > 3")
            time.sleep(0.5)
            steps.append(viewer.sim.steps)

    with running(viewer) as actions:
        actions.append(look)
    assert steps[1] > steps[0] > 0
