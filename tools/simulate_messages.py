"""Messages of `fajin simulate`: what changes the motion, what has no effect, and how the motion looks odd."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fajin import Recording, Scene
    from fajin.check import Finding

RULES_SHOWN = 3  # rules printed before a simulation
FEATURES = "not-simulated"  # rule whose findings share a line
MISSING_FILE = "usd-composition-error"  # the only rule of USD's validator that is printed
GRAVEST = (  # rules in the order in which they are printed, before all others
    *(MISSING_FILE, FEATURES),
    *(
        "unknown-name",
        "gain-unit",
        "root-on-wrong-prim",
        "inertia-not-physical",
        "gravity-unit",
        "limit-unit",
        "velocity-unit",
    ),
    *("starts-in-ground", "overlap-at-start", "joint-frames-apart", "articulation-missing", "falls-through"),
    "state-outside-limits",
    *("time-step-too-long", "mass-missing", "limit-locks-joint", "drive-without-force", "mimic-relates-nothing"),
)
OBEYED = ("drive-without-max-force", "stage-units")  # rules whose findings the motion obeys as authored
CONVERTED = (  # codes of what converters write beside the values that are simulated
    *("other-tool", "newton-only", "overridden", "tensor-overridden", "mass-not-used"),
    *("joints-add-up", "articulation-iterations"),
)
PASSIVE = 2  # joints of the largest robot that is likely a pendulum, passive on purpose
LONG_PATH, LONG_VALUE = 40, 24  # characters; of longer paths the middle is left out, longer values are left out
FAR = 0.01  # [rad | m] start outside a limit that is named when a simulation becomes non-finite
STILL = 0.02  # [rad | m] largest motion that is reported as none


def messages_before(scene: "Scene", overrides: Sequence[str] | None, controls: bool) -> Iterator[str]:
    """Yield what changes the motion, the gravest first, and in one line what has no effect.

    Args:
        scene: the scene as simulated.
        overrides: "PRIM.attribute=value" texts; None for a compiled model, which does not have a stage.
        controls: True if control events may move joints without drives.
    """
    if overrides is None:
        yield from message_of_reports(scene)
        return
    import fajin

    findings = fajin.check.check(scene.source, overrides, scene)
    rules: dict[str, list[Finding]] = {}
    for finding in findings:
        own = finding.rule == MISSING_FILE or not finding.rule.startswith("usd-")
        if finding.severity.value != "note" and finding.rule not in OBEYED and own:
            rules.setdefault(finding.rule, []).append(finding)
    ordered = sorted(rules, key=lambda rule: GRAVEST.index(rule) if rule in GRAVEST else len(GRAVEST))
    undriven = [] if controls else list(_undriven(scene))
    yield from undriven
    shown = ordered[: RULES_SHOWN - len(undriven)]
    for rule in shown:
        first, *others = rules[rule]
        if rule == FEATURES:
            yield f"warning: not simulated, though PhysX does: {_features(rules[rule])}"
            continue
        more = f" and {len(others)} more" if others else ""
        named = "" if rule == "unused-attribute" else f"{rule}: "
        mend = f"; {first.fix}" if first.fix and (first.edits or first.fix.startswith("did you mean")) else ""
        yield f"warning: {named}{_short_place(first)}{more}: {first.message}{mend}"
    overridden = {text.partition("=")[0].rpartition(".")[2] for text in overrides}
    idle = {(finding.code, finding.attribute) for finding in findings if _is_idle(finding, overridden)}
    parts = [f"{len(ordered) - len(shown)} more kinds of warnings"] if len(ordered) > len(shown) else []
    parts += [f"{_groups(len(idle))} {'has' if len(idle) == 1 else 'have'} no effect"] if idle else []
    if parts:
        yield f"note: {', '.join(parts)}: fajin check {scene.source}"


def _features(findings: "Sequence[Finding]") -> str:
    """Return the features of findings, each with the place of its first finding; the name begins its message."""
    places: dict[str, list[Finding]] = {}
    for finding in findings:
        places.setdefault(finding.message.partition(": ")[0], []).append(finding)
    return ", ".join(
        f"{name} ({_short_path(found[0].prim)}{f' and {len(found) - 1} more' if len(found) > 1 else ''})"
        for name, found in places.items()
    )


def _short_path(path: str) -> str:
    """Return a path without its middle if it is long."""
    parts = path.split("/")
    return path if len(path) <= LONG_PATH else f"/{parts[1]}/…/{parts[-1]}"


def _short_place(finding: "Finding") -> str:
    """Return the place of a finding in a line that a terminal shows; `fajin check` prints all of it."""
    from fajin.scene.invalid_scene import place

    value = finding.value
    return place(_short_path(finding.prim), finding.attribute, value if len(value) <= LONG_VALUE else "")


def message_of_reports(scene: "Scene") -> Iterator[str]:
    """Yield a message with the number of diagnostics, for a scene whose stage is not checked.

    What converters write beside the values is not counted, as before a simulation whose stage is checked.
    """
    groups = {(report.code, report.attribute) for report in scene.reports if report.code not in CONVERTED}
    if groups:
        were = "was" if len(groups) == 1 else "were"
        yield f"note: {_groups(len(groups))} {were} not used as written: fajin check {scene.source}"


def messages_after(recording: "Recording", controls: bool) -> Iterator[str]:
    """Yield a message about robots that fell or flew off, or else about a robot that stands still."""
    from fajin.tools.falls import falls

    fallen = list(falls(recording))
    if fallen:
        yield f"warning: {fallen[0]}{f' (and {len(fallen) - 1} more)' if len(fallen) > 1 else ''}"
    elif not controls and _stands_still(recording):
        floats = any(not robot.fixed_base and not robot.free for robot in recording.scene.articulations)
        hint = "fajin author drive --target moves a joint" if floats else "--wave moves the joints"
        yield f"note: the robot stands still, as its targets hold it; {hint}"


def not_finite(scene: "Scene", dof: str, step: int) -> str:
    """Return where a simulation became non-finite, and what to change: a start outside limits, else step or gains."""
    text = f"{dof} is not finite at step {step}"
    far = max(_starts_outside(scene), default=None)
    if far is None:
        return (
            f"{text}; try a smaller --dt{' or softer gains' if _driven(scene) else ', or drives that hold the joints'}"
        )
    _, name, distance = far
    return f"{text}; {name} starts {distance} outside its limits: fajin check --fix moves it to the limit"


def _starts_outside(scene: "Scene") -> Iterator[tuple[float, str, str]]:
    """Yield how far [rad | m] joints start outside their limits, their names, and the distance as text."""
    for joint in (joint for robot in scene.articulations for joint in robot.joints):
        for axis in joint.axes:
            distance = max(axis.lower - axis.q, axis.q - axis.upper)
            if distance > FAR and axis.lower < axis.upper:
                shown = f"{np.degrees(distance):.3g} degrees" if axis.rotational else f"{distance:.3g} m"
                yield distance, joint.path.rpartition("/")[2], shown


def _groups(number: int) -> str:
    return f"{number} group{'s' * (number != 1)} of attributes"


def _is_idle(finding: "Finding", overridden: set[str]) -> bool:
    """Return whether a finding is on a value without effect that a person authored, or on an overridden attribute."""
    authored = finding.code not in CONVERTED or not overridden.isdisjoint(finding.attribute.split(", "))
    return finding.rule == "unused-attribute" and finding.severity.value == "note" and authored


def _driven(scene: "Scene") -> bool:
    """Return whether a drive with gains acts on a robot."""
    axes = [axis for robot in scene.articulations for joint in robot.joints for axis in joint.axes]
    return any(axis.drive and (axis.drive.stiffness or axis.drive.damping) for axis in axes)


def _undriven(scene: "Scene") -> Iterator[str]:
    """Yield a message if several joints of a robot can move and none has a drive with gains."""
    axes = [axis for robot in scene.articulations for joint in robot.joints for axis in joint.axes]
    largest = max((sum(bool(joint.axes) for joint in robot.joints) for robot in scene.articulations), default=0)
    if largest > PASSIVE and not _driven(scene) and not any(joint.axes for joint in scene.joints):
        hint = "author drives with fajin author drive, or see it move with --wave"
        yield f"warning: none of {len(axes)} degrees of freedom is driven; {hint}"


def _stands_still(recording: "Recording") -> bool:
    """Return whether there are driven joints and nothing moves."""
    robots = recording.scene.articulations
    driven = any(
        axis.drive and axis.drive.stiffness for robot in robots for joint in robot.joints for axis in joint.axes
    )
    moved = np.ptp(recording.q, axis=0).max(initial=0.0)
    drifted = np.ptp(recording.pose[..., :3], axis=0).max(initial=0.0)
    return driven and len(recording) > 1 and moved < STILL and drifted < STILL
