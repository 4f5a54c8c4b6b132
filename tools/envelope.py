"""`fajin envelope from-datasheet|fit|plot`: motor envelopes from data sheets or measurements, and their plots."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from .envelope_report import PARAMETERS, edges, say_motor, words
from .table import number, print_table

MEASURES = {  # option of a data sheet: allowed kinds of fajin.motor.units.KINDS
    "torque_constant": ("torque constant",),
    "speed_constant": ("speed constant",),
    "resistance": ("resistance",),
    "max_current": ("current",),
    "motor_torque": ("torque",),
    "gear_torque": ("torque", "force"),
    "voltage": ("voltage",),
    "modulation": ("number",),
    "motor_speed": ("speed",),
    "gear_speed": ("speed",),
    "no_load_speed": ("speed",),
    "nominal_speed": ("speed",),
    "nominal_torque": ("torque",),
    "gear_ratio": ("number", "screw ratio"),
    "gear_efficiency": ("number",),
    "viscous_friction": ("viscous friction",),
    "diagram_speed": ("speed",),
    "diagram_torque": ("torque",),
}

envelope_app = typer.Typer(
    name="envelope",
    help="Compute motor envelopes of joints from data sheets or measurements, and plot them.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

Scene = Annotated[str | None, typer.Argument(metavar="[SCENE]", help="The scene of the joint for the envelope.")]
Author = Annotated[
    str | None, typer.Option("--author", metavar="REGEX", help="Author it on joints matching REGEX; needs SCENE, -o.")
]
EnvelopeLayer = Annotated[Path | None, typer.Option("--output", "-o", metavar="LAYER", help="Write to this layer.")]
Plot = Annotated[Path | None, typer.Option(metavar="FILE.png", help="Plot the envelope to this file.")]


def sheet(meaning: str, unit: str) -> Any:
    """Return an option for a number of a data sheet with its unit."""
    return typer.Option(metavar=f'"N {unit}"', help=meaning)


@envelope_app.command("from-datasheet", short_help="Compute an envelope from a motor's data sheet.")
def from_datasheet(  # one parameter per option: typer reads the signature
    scene: Scene = None,
    torque_constant: Annotated[str | None, sheet("Set the torque constant k_t.", "mNm/A")] = None,
    speed_constant: Annotated[str | None, sheet("Set the speed constant k_v.", "rpm/V")] = None,
    resistance: Annotated[str | None, sheet("Set the winding resistance R, terminal to terminal.", "Ω")] = None,
    max_current: Annotated[str | None, sheet("Set the maximum current of the controller.", "A")] = None,
    motor_torque: Annotated[str | None, sheet("Set the torque that the motor can sustain.", "mNm")] = None,
    gear_torque: Annotated[str | None, sheet("Set the torque limit of the gear, at the joint.", "N·m")] = None,
    voltage: Annotated[str | None, sheet("Set the supply voltage.", "V")] = None,
    modulation: Annotated[str | None, sheet("Set the usable fraction of the voltage, about 0.9 with PWM.", "")] = None,
    motor_speed: Annotated[str | None, sheet("Set the maximum mechanical speed of the motor.", "rpm")] = None,
    gear_speed: Annotated[str | None, sheet("Set the maximum input speed of the gear.", "rpm")] = None,
    no_load_speed: Annotated[str | None, sheet("Set the no-load speed n_0 at the supply voltage.", "rpm")] = None,
    nominal_speed: Annotated[str | None, sheet("Set the nominal speed n_N.", "rpm")] = None,
    nominal_torque: Annotated[str | None, sheet("Set the nominal torque τ_N.", "mNm")] = None,
    gear_ratio: Annotated[str | None, sheet("Set the gear ratio i; turn/m for a screw or rack.", "")] = None,
    gear_efficiency: Annotated[str | None, sheet("Set the gear efficiency η.", "%")] = None,
    viscous_friction: Annotated[str | None, sheet("Set the viscous friction c of the motor.", "mNm/rpm")] = None,
    diagram_speed: Annotated[str | None, sheet("Set the speed of a point on the diagram's border.", "rpm")] = None,
    diagram_torque: Annotated[str | None, sheet("Set the torque of that point.", "mNm")] = None,
    inductive: Annotated[bool, typer.Option("--inductive", help="Use (n_0 - n_N)/τ_N, not R/k_t².")] = False,
    author: Author = None,
    output: EnvelopeLayer = None,
    plot: Plot = None,
) -> None:
    """Compute the envelope of a joint from its motor's data sheet; numbers have units: --voltage "24 V"."""
    values = {name: value for name, value in locals().items() if name in MEASURES and value is not None}
    place = EnvelopeTarget.checked(scene, author, output, plot)
    found, rotational = _from_sheet(values, inductive)
    say_motor(found, rotational)
    place.take(found, rotational)


@envelope_app.command("fit", short_help="Fit the tightest envelope around measured points.")
def fit_points(  # one parameter per option: typer reads the signature
    points: Annotated[
        Path, typer.Argument(metavar="POINTS", help="A csv file (velocity [unit], effort [unit]) or joint log.")
    ],
    scene: Scene = None,
    share: Annotated[float, typer.Option(help="Set the fraction of points inside the envelope.")] = 0.99,
    joint: Annotated[str | None, typer.Option(help="Select the joint of a joint log.")] = None,
    author: Author = None,
    output: EnvelopeLayer = None,
    plot: Plot = None,
) -> None:
    """Fit the tightest envelope (least area) that contains a fraction of measured operating points."""
    from fajin.motor.envelope_fit import CONFIDENCE, fit_envelope
    from fajin.motor.operating_points import read_points

    place = EnvelopeTarget.checked(scene, author, output, plot)
    measured = read_points(points, joint)
    found = fit_envelope(measured.velocity, measured.effort, share)
    rows = []
    for name, (word, unit) in words(measured.rotational).items():
        interval = found.intervals[name] if found.intervals else ()
        rows.append((word, unit, *(number(x) for x in (getattr(found, name), *interval))))
    title = f"Tightest envelope of {len(measured.velocity)} points, {100.0 * found.held:.4g} % of them inside"
    print_table(title, 2, ("parameter", "unit", "value", f"{CONFIDENCE:.0%} confidence: from", "to"), rows)
    place.take(found, measured.rotational, measured)


@envelope_app.command("plot", short_help="Plot envelopes of a scene, with operating points.")
def plot_envelopes(
    scene: Annotated[str, typer.Argument(metavar="SCENE", help="A .usda, .usdc, .usd or .usdz file.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE.png", help="Write to .png, .svg or .pdf.")],
    joint: Annotated[str, typer.Option(metavar="REGEX", help="Select joints with envelopes.")] = ".*",
    log: Annotated[
        Path | None, typer.Option(metavar="LOG", help="Plot the operating points of this joint log.")
    ] = None,
) -> None:
    """Plot the envelopes of a scene, with operating points of a simulation and the time at each edge."""
    import fajin
    from fajin.motor.operating_points import read_points
    from fajin.scene import invalid_pattern
    from fajin.selection import match_columns

    from .plots import check_picture, draw_envelopes
    from .table import every_axis

    check_picture(output)
    axes = {f"{owner.path}:{axis.token}": axis for owner, axis in every_axis(fajin.read(scene).articulations)}
    bounded = {name: axis for name, axis in axes.items() if axis.drive and axis.drive.envelope}
    if not bounded:
        raise fajin.InvalidScene(
            file=scene, rule="a scene with an envelope on a drive", fix="use fajin envelope --author"
        )
    try:
        chosen = [list(bounded)[i] for i in match_columns(joint, list(bounded), "dof")]
    except KeyError as error:
        raise invalid_pattern(joint, error) from None
    shown = {name: (bounded[name].drive, bounded[name].rotational, None) for name in chosen}
    if log:
        shown = {name: (*some[:2], read_points(log, name)) for name, some in shown.items()}
        columns = ("joint", "points", "within [%]", "at the effort edge [%]", "at the speed edge [%]", "outside [%]")
        rows = [(name, *edges(*some)) for name, some in shown.items()]
        print_table("Time at the edges", 1, columns, rows)
        if any(float(row[-1]) > 0.0 for row in rows):
            print("outside: the load moves the joint faster than its motor could; an envelope bounds the drive alone\n")
    draw_envelopes({name: (parameters_of(drive), *some) for name, (drive, *some) in shown.items()}, output)
    print(f"wrote {output}")


def parameters_of(drive: Any) -> dict[str, float]:
    """Return the parameters of a drive's envelope."""
    return {"max_force": drive.max_force} | {name: getattr(drive.envelope, name) for name in PARAMETERS[1:]}


def _from_sheet(texts: dict[str, str], inductive: bool) -> tuple[Any, bool]:
    """Return the envelope of a data sheet's numbers as text, and whether its joint is rotational."""
    from fajin.motor.datasheet import Datasheet, envelope_of
    from fajin.motor.units import KINDS, NUMBER, parse_quantity, unit

    texts = {name: text.removesuffix(":1") for name, text in texts.items()}
    numbers = {
        name: parse_quantity(f"--{name.replace('_', '-')}", text, *MEASURES[name]) for name, text in texts.items()
    }
    ratio = NUMBER.fullmatch(texts.get("gear_ratio", "1"))
    named = ratio[2].strip() if ratio else ""
    slides = bool(named) and unit("--gear-ratio", named)[1] == KINDS["screw ratio"][1]
    return envelope_of(Datasheet(**numbers), inductive), not slides


@dataclass(frozen=True)
class EnvelopeTarget:
    """Destination of an envelope: joints of a scene, in a layer over it, and a plot."""

    scene: str | None
    joint: str | None
    output: Path | None
    plot: Path | None

    @classmethod
    def checked(cls, scene: str | None, joint: str | None, output: Path | None, plot: Path | None) -> "EnvelopeTarget":
        """Return the destination if it can be written.

        Raises:
            typer.BadParameter: only some of scene, joint and layer are given.
            OutputError: the layer or plot cannot be written.
        """
        given = [bool(part) for part in (scene, joint, output)]
        if any(given) and not all(given):
            raise typer.BadParameter("SCENE, --author JOINT, -o LAYER: must be used together; add the missing ones")
        if scene and output:
            from fajin.author.layer import check

            check(Path(scene), output, False)
        if plot:
            from .plots import check_picture

            check_picture(plot)
        return cls(scene, joint, output, plot)

    def take(self, found: Any, rotational: bool, points: Any = None) -> None:
        """Plot and author an envelope, and print the changes."""
        parameters = {name: getattr(found, name) for name in PARAMETERS}
        if self.plot:
            from .plots import draw_envelopes

            draw_envelopes({"": (parameters, rotational, points)}, self.plot)
            print(f"wrote {self.plot}")
        if self.scene and self.joint and self.output:
            _author(self.scene, self.joint, self.output, parameters, rotational)


def _author(scene: str, joint: str, output: Path, parameters: dict[str, float], rotational: bool) -> None:
    """Author an envelope on joints, and print the changes."""
    from fajin.author.confined_edits import write_edits

    changes = write_edits(scene, output, [("envelopes", "", {"joint": joint, "rotational": rotational, **parameters})])
    for change in changes:
        print(change)
    drives = {(change.prim, change.attribute.split(":")[1]) for change in changes if ":" in change.attribute}
    print(f"wrote {output}: {len(drives)} envelope{'s' * (len(drives) > 1)}, a layer over {scene}")
