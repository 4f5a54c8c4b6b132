"""A running simulation in a browser: states go out, commands come in, and the simulation steps in this thread only.

Commands are {"do": "pause" | "step" | "reset" | "stop"}, {"speed": x}, {"target": {DOF: value}} and {"force": {"link":
PATH, "world": w, "vector": [x, y, z]}}. All that act on the state are events that `fajin simulate --controls` applies.
"""

import json
import math
import queue
import time as clock
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...atomic_write import staged_file
from ...simulation import Simulation
from ..look.series import short_names
from ..look.server import LOOPBACK, PageServer, Stream
from .commands import CommandCheck
from .live_page import PLAIN_LIVE, LiveOptions, controls, live_motion, live_page
from .live_state import StateParts

STATES_PER_SECOND = 30.0
MOST_WAITING = 1000  # commands
LATE = 0.25  # [s] behind real time after which the clock starts anew


@dataclass
class Pace:
    """Real time: when the next state is due, and how fast the simulation went lately."""

    speed: float = 1.0
    due: float = field(default_factory=clock.perf_counter)
    late: int = 0  # how often the simulation fell behind
    factor: float = 1.0  # simulated per real seconds, of the last second
    _since: tuple[float, float] = (0.0, 0.0)

    def wait(self, simulated: float, time: float) -> None:
        """Wait until the state after `simulated` seconds is due; `time` is that of the simulation."""
        self.due += simulated / self.speed
        now = clock.perf_counter()
        if now - self.due > LATE:
            self.due = now
            self.late += 1
        elif self.due > now:
            clock.sleep(self.due - now)
        now = clock.perf_counter()
        if now - self._since[0] > 1.0 or time < self._since[1]:
            if time > self._since[1] and self._since[0]:
                self.factor = (time - self._since[1]) / (now - self._since[0])
            self._since = now, time

    def restart(self) -> None:
        """Begin anew after a pause."""
        self.due = clock.perf_counter()
        self._since = 0.0, 0.0


class LiveViewer:
    """A simulation and the page that shows it; close it, or use it in a `with` block.

    Args:
        sim: the simulation.
        title: title of the page.
        address: host and port of the server; port 0 is any free one.
        passive: True if the caller steps, and the page must not.
        options: what is drawn, and where the worlds stand.

    Raises:
        InputError: the port is taken, or an option names an unknown link.
    """

    def __init__(
        self,
        sim: Simulation,
        title: str = "",
        address: tuple[str, int] = (LOOPBACK, 0),
        passive: bool = False,
        options: LiveOptions = PLAIN_LIVE,
    ):
        self.sim, self.passive = sim, passive
        motion = live_motion(sim, options)
        self._parts = StateParts(sim, motion)
        self._dof = {str(name): i for i, name in enumerate(sim.dof)}
        self._link = {str(path): i for i, path in enumerate(sim.link)}
        self._check = CommandCheck(self._dof, self._link, motion.track.worlds, passive)
        self._home = sim.save()
        self._start = sim.steps
        self._waiting: queue.Queue[dict[str, Any]] = queue.Queue(MOST_WAITING)
        self._shown = 0.0
        self.events: list[dict[str, Any]] = []
        self.paused, self.ended, self.pace = False, False, Pace()
        html, data = live_page(sim, motion, title or Path(sim.scene.source).stem, passive, options.look)
        sliders = controls(sim, short_names([str(name) for name in sim.dof]))
        names = json.dumps(self._parts.description(sliders)).encode()
        pages = {"/": (html, "text/html; charset=utf-8"), "/scene": (data, "application/octet-stream")}
        pages["/description"] = (names, "application/json")
        self._stream = Stream()
        self.server = PageServer(pages, address, self._take, self._stream)
        self._publish()

    @property
    def url(self) -> str:
        """Return the address of the page."""
        return self.server.url

    def is_running(self) -> bool:
        """Return False after `close`, or after the page's button that ends a passive viewer."""
        return not self.ended

    def sync(self) -> None:
        """Show the present state, and apply what the page's user did: targets, forces, pause.

        While the page pauses, this call waits; the page's step returns once.
        """
        self._publish()
        step = self._apply()
        while self.paused and not step and not self.ended:
            clock.sleep(0.02)
            step = self._apply()

    def run(self, seconds: float | None = None, stop: Callable[[], bool] = lambda: False) -> None:
        """Step in real time until `close`, for some wall time [s], or until `stop` returns True."""
        end = math.inf if seconds is None else clock.perf_counter() + seconds
        self.pace.restart()
        while not self.ended and clock.perf_counter() < end and not stop():
            step = self._apply()
            if self.paused and not step:
                self._publish()
                clock.sleep(1.0 / STATES_PER_SECOND)
                self.pace.restart()
                continue
            count = 1 if step else max(1, round(self.pace.speed / STATES_PER_SECOND / self.sim.dt))
            self.sim.step(count)
            self._publish()
            self.pace.wait(count * self.sim.dt, self.sim.time)

    def close(self) -> None:
        """End the server; the page says that it is disconnected."""
        self.ended = True
        self.server.close()

    def __enter__(self) -> "LiveViewer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def write_events(self, path: Path) -> None:
        """Write what was done since the last reset as a file for `fajin simulate --controls`.

        Raises:
            OutputError: the file cannot be written.
        """
        with staged_file(path) as draft:
            draft.write_text(json.dumps(self.events, indent=1) + "\n", encoding="utf-8")

    def _publish(self) -> None:
        """Hand the present state to the pages, at most `STATES_PER_SECOND` times per second while stepping."""
        now = clock.perf_counter()
        if self.passive and now - self._shown < 1.0 / STATES_PER_SECOND:
            return
        self._shown = now
        pace = self.pace
        numbers = (self.sim.time, pace.factor, self.paused, pace.speed, pace.late)
        self._stream.publish(self._parts.state(numbers))

    def _take(self, message: Any) -> str:
        """Check a command in a thread of the server; return why it is refused, or ""."""
        refused = self._check.refusal(message)
        if not refused:
            try:
                self._waiting.put_nowait(message)
            except queue.Full:
                return "too many commands"
        return refused

    def _apply(self) -> bool:
        """Apply the commands that wait; return whether one step is wanted."""
        step = False
        while True:
            try:
                message = self._waiting.get_nowait()
            except queue.Empty:
                return step
            ((key, value),) = message.items()
            if key == "do":
                step = self._do(value) or step
            elif key == "speed":
                self.pace.speed = float(value)
                self.pace.restart()
            elif key == "target":
                for name, number in value.items():
                    self.sim.target_q[:, self._dof[name]] = float(number)
                    self._remember({"joint": name, "set": "target_q"}, number)
            else:
                vector = [float(number) for number in value["vector"]]
                self.sim.force[value["world"], self._link[value["link"]]] = vector
                self._remember({"link": value["link"], "set": "force"}, vector)

    def _do(self, what: str) -> bool:
        """Pause, reset or end; return whether one step is wanted."""
        if what == "pause":
            self.paused = not self.paused
        elif what == "step":
            self.paused = True
            return True
        elif what == "stop":
            self.ended = True
        else:
            self.sim.load(self._home)
            self.events.clear()
            self.pace.restart()
            self._shown = 0.0
            self._publish()
        return False

    def _remember(self, event: dict[str, Any], value: Any) -> None:
        """Append an event; a value that the next step has not seen yet is replaced."""
        event = {"step": self.sim.steps - self._start, **event}
        last = self.events[-1] if self.events else {}
        if {**last, "value": None} == {**event, "value": None}:
            self.events.pop()
        self.events.append(event | {"value": value})
