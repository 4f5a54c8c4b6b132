"""Laws of trigger events: a body falls through a zone, a zone moves with a body."""

from dataclasses import replace

import numpy as np
import pytest
from bodies_on_ground import G, H, ball, cube, ground

import fajin
from fajin.recording.contact_log import ContactRecorder, write_contact_log
from fajin.scene import IDENTITY, Collider, CollisionGroup, Scene, ShapeKind

R, HEIGHT = 0.05, 1.0  # [m] radius of the ball, and where its centre begins
TOP, BOTTOM = 0.7, 0.4  # [m] of the zone


def fall(zones: tuple[Collider, ...], steps: int = 120) -> fajin.TriggerEvents:
    """The events of triggers that a ball meets as it falls; nothing is solid for it."""
    body, shape = ball("ball", R, 1.0, (0.0, 0.0, HEIGHT))
    made = Scene("", (body,), (0.0, 0.0, -G), H, 1, colliders=(shape,), triggers=zones)
    sim = fajin.Simulation(made, device="cpu", precision="f64", threads=1, sleeping=False)
    events = fajin.TriggerEvents(sim)
    for _ in range(steps):
        sim.step()
        events.update()
    return events


def zone(kind: ShapeKind = ShapeKind.BOX, z: float = 0.5 * (TOP + BOTTOM), **size) -> Collider:
    """A zone that stands in the way of the ball."""
    size = size or {"half_extents": (1.0, 1.0, 0.5 * (TOP - BOTTOM))}
    return Collider("/World/zone", kind=kind, pose=((0.0, 0.0, z), IDENTITY[1]), **size)


def time_to(height: float) -> float:
    """Return when a body has fallen to a height [s], within a step."""
    return (2.0 * (HEIGHT - height) / G) ** 0.5


def test_an_event_lasts_while_the_ball_is_within_the_zone():
    """From when its lowest point is below the top to when its highest is below the bottom, to a step."""
    events = fall((zone(),))
    (event,) = events.table
    assert events.trigger[event["trigger"]] == "/World/zone"
    assert events.collider[event["collider"]] == "/World/ball"
    assert event["begin"] == pytest.approx(time_to(TOP + R), abs=2.0 * H)
    assert event["end"] == pytest.approx(time_to(BOTTOM - R), abs=2.0 * H)
    assert not event["lasts"]
    events.reset([0])
    assert len(events.table) == 0


def test_a_plane_notices_what_is_below_it():
    events = fall((replace(ground(), path="/World/zone", pose=((0.0, 0.0, TOP), ground().pose[1])),))
    (event,) = events.table
    assert event["begin"] == pytest.approx(time_to(TOP + R), abs=2.0 * H)
    assert event["lasts"]


def test_a_zone_moves_with_its_body_and_notices_the_ground():
    """It does not notice what else its body has."""
    body, own = cube("box", 0.1, 1.0, (0.0, 0.0, HEIGHT))
    sensor = replace(zone(ShapeKind.SPHERE, 0.0, radius=0.3), body=body.path)
    apart = CollisionGroup("/World/group", (own.path, ground().path), ("/World/group",))
    made = Scene(
        "", (body,), (0.0, 0.0, -G), H, 1, colliders=(ground(), own), triggers=(sensor,), collision_groups=(apart,)
    )
    sim = fajin.Simulation(made, device="cpu", precision="f64", threads=1, sleeping=False)
    events = fajin.TriggerEvents(sim)
    for _ in range(120):
        sim.step()
        events.update()
    (event,) = events.table
    assert events.collider[event["collider"]] == "/World/ground"
    assert event["begin"] == pytest.approx(time_to(0.3), abs=2.0 * H)
    assert event["lasts"]
    events.reset()
    assert len(events.table) == 0


def test_events_need_a_trigger():
    with pytest.raises(ValueError, match="must have a trigger"):
        fall(())


def test_a_contact_log_has_the_events_of_triggers(tmp_path):
    """As `fajin simulate --contact-log` writes it: by frames."""
    body, shape = ball("ball", R, 1.0, (0.0, 0.0, HEIGHT))
    made = Scene("", (body,), (0.0, 0.0, -G), H, 1, colliders=(shape,), triggers=(zone(),))
    sim = fajin.Simulation(made, device="cpu", threads=1)
    recorder = ContactRecorder(fajin.TriggerEvents(sim))
    for _ in range(120):
        recorder.add(sim.time)
        sim.step()
    write_contact_log(recorder.log(), tmp_path / "log.npz")
    with np.load(tmp_path / "log.npz") as log:
        assert log["triggers"][log["trigger_event_trigger"]].tolist() == ["/World/zone"]
        assert log["trigger_colliders"][log["trigger_event_collider"]].tolist() == ["/World/ball"]
        assert log["trigger_event_begin"][0] == pytest.approx(time_to(TOP + R), abs=2.0 * H)
        assert log["trigger_event_end"][0] == pytest.approx(time_to(BOTTOM - R), abs=2.0 * H)
