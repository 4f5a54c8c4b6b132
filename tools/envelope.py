"""`fajin envelope from-datasheet|fit|plot`: what a motor can do, by its sheet or measurements, and what it did."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from .envelope_report import PARAMETERS, edges, say_motor, words
from .table import number, print_table

MEASURES = {  # an option of a data sheet, and what it may be: see fajin.motor.units.KINDS
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
    help="What the motor of a joint can do, from its data sheet or from measurements, and what it did.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

Scene = Annotated[str | None, typer.Argument(metavar="[SCENE]", help="Of the joint that gets the envelope.")]
Author = Annotated[
    str | None, typer.Option("--author", metavar="JOINT", help="Regular expression; needs SCENE and -o.")
]
EnvelopeLayer = Annotated[Path | None, typer.Option("--output", "-o", metavar="LAYER", help="A layer over SCENE.")]
Plot = Annotated[Path | None, typer.Option(metavar="FILE.png", help="A picture of the envelope.")]


def sheet(meaning: str, unit: str) -> Any:
    """An option of a data sheet's number with its unit."""
    return typer.Option(metavar=f'"N {unit}"', help=meaning)


@envelope_app.command("from-datasheet")
def from_datasheet(  # one parameter an option: typer reads them off the signature
    scene: Scene = None,
    torque_constant: Annotated[str | None, sheet("k_t", "mNm/A")] = None,
    speed_constant: Annotated[str | None, sheet("k_v", "rpm/V")] = None,
    resistance: Annotated[str | None, sheet("R of the winding, terminal to terminal", "Ω")] = None,
    max_current: Annotated[str | None, sheet("That the controller can deliver", "A")] = None,
    motor_torque: Annotated[str | None, sheet("That the motor can deliver as long as it is needed", "mNm")] = None,
    gear_torque: Annotated[str | None, sheet("That the gear bears, at the joint", "N·m")] = None,
    voltage: Annotated[str | None, sheet("Of the supply", "V")] = None,
    modulation: Annotated[str | None, sheet("Share of it that the controller hands on, about 0.9 by PWM", "")] = None,
    motor_speed: Annotated[str | None, sheet("Largest mechanical speed of the motor", "rpm")] = None,
    gear_speed: Annotated[str | None, sheet("Largest speed at the gear's input", "rpm")] = None,
    no_load_speed: Annotated[str | None, sheet("n_0, at the voltage of the supply", "rpm")] = None,
    nominal_speed: Annotated[str | None, sheet("n_N", "rpm")] = None,
    nominal_torque: Annotated[str | None, sheet("τ_N", "mNm")] = None,
    gear_ratio: Annotated[str | None, sheet("i; of a screw or rack turn/m", "")] = None,
    gear_efficiency: Annotated[str | None, sheet("η", "%")] = None,
    viscous_friction: Annotated[str | None, sheet("c of the motor", "mNm/rpm")] = None,
    diagram_speed: Annotated[str | None, sheet("Of a point on the border of the operating diagram", "rpm")] = None,
    diagram_torque: Annotated[str | None, sheet("The most torque there", "mNm")] = None,
    inductive: Annotated[bool, typer.Option("--inductive", help="Gradient (n_0 - n_N)/τ_N instead of R/k_t².")] = False,
    author: Author = None,
    output: EnvelopeLayer = None,
    plot: Plot = None,
) -> None:
    """Turn a motor's data sheet into the envelope of its joint; numbers with their units: --voltage "24 V"."""
    said = {name: value for name, value in locals().items() if name in MEASURES and value is not None}
    place = EnvelopeTarget.checked(scene, author, output, plot)
    found, rotational = _from_sheet(said, inductive)
    say_motor(found, rotational)
    place.take(found, rotational)


@envelope_app.command()
def fit(  # one parameter an option: typer reads them off the signature
    points: Annotated[
        Path, typer.Argument(metavar="POINTS", help="csv with velocity [unit], effort [unit]; joint log.")
    ],
    scene: Scene = None,
    share: Annotated[float, typer.Option(help="Of the points that the envelope holds; the rest are outliers.")] = 0.99,
    joint: Annotated[str | None, typer.Option(help="Whose points, of a joint log.")] = None,
    author: Author = None,
    output: EnvelopeLayer = None,
    plot: Plot = None,
) -> None:
    """Find the tightest envelope, that of least area, which holds a share of measured operating points."""
    from fajin.motor.envelope_fit import CONFIDENCE, fit_envelope
    from fajin.motor.operating_points import read_points

    place = EnvelopeTarget.checked(scene, author, output, plot)
    measured = read_points(points, joint)
    found = fit_envelope(measured.velocity, measured.effort, share)
    rows = []
    for name, (word, unit) in words(measured.rotational).items():
        rows.append((word, unit, *(number(x) for x in (getattr(found, name), *found.intervals[name]))))
    title = f"Tightest envelope of {len(measured.velocity)} points, of which it holds {100.0 * found.held:.4g} %"
    print_table(title, 2, ("parameter", "unit", "value", f"{CONFIDENCE:.0%} sure: from", "to"), rows)
    place.take(found, measured.rotational, measured)


@envelope_app.command()
def plot(
    scene: Annotated[str, typer.Argument(metavar="SCENE", help="A .usda, .usdc, .usd or .usdz file.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE.png", help="Or .svg, .pdf.")],
    joint: Annotated[str, typer.Option(metavar="REGEX", help="Names of joints with envelopes.")] = ".*",
    log: Annotated[
        Path | None, typer.Option(metavar="LOG", help="Joint log of a simulation, for its operating points.")
    ] = None,
) -> None:
    """Draw the envelopes of a scene, and in them the operating points of a simulation, with the time at each edge."""
    import fajin
    from fajin.motor.operating_points import read_points
    from fajin.selection import match_columns

    from .plots import check_picture, draw_envelopes
    from .table import every_axis

    check_picture(output)
    axes = {f"{owner.path}:{axis.token}": axis for owner, axis in every_axis(fajin.read(scene).articulations)}
    bounded = {name: axis for name, axis in axes.items() if axis.drive and axis.drive.envelope}
    if not bounded:
        raise fajin.InvalidScene(f"{scene}: no drive has an envelope; author one by fajin envelope --author")
    try:
        chosen = [list(bounded)[i] for i in match_columns(joint, list(bounded), "dof")]
    except KeyError as error:
        raise fajin.InvalidScene(f"joint pattern: {error.args[0]}") from None
    shown = {name: (bounded[name].drive, bounded[name].rotational, None) for name in chosen}
    if log:
        shown = {name: (*some[:2], read_points(log, name)) for name, some in shown.items()}
        columns = ("joint", "points", "within [%]", "at the effort edge [%]", "at the speed edge [%]")
        print_table("Time at the edges", 1, columns, [(name, *edges(*some)) for name, some in shown.items()])
    draw_envelopes({name: (parameters_of(drive), *some) for name, (drive, *some) in shown.items()}, output)
    print(f"wrote {output}")


def parameters_of(drive: Any) -> dict[str, float]:
    """The parameters of a drive's envelope."""
    return {"max_force": drive.max_force} | {name: getattr(drive.envelope, name) for name in PARAMETERS[1:]}


def _from_sheet(said: dict[str, str], inductive: bool) -> tuple[Any, bool]:
    """The envelope of a data sheet's numbers as text, and whether its joint turns."""
    from fajin.motor.datasheet import Datasheet, envelope_of
    from fajin.motor.units import KINDS, NUMBER, parse_quantity, unit

    said = {name: text.removesuffix(":1") for name, text in said.items()}
    numbers = {
        name: parse_quantity(f"--{name.replace('_', '-')}", text, *MEASURES[name]) for name, text in said.items()
    }
    ratio = NUMBER.fullmatch(said.get("gear_ratio", "1"))[2].strip()
    slides = bool(ratio) and unit("--gear-ratio", ratio)[1] == KINDS["screw ratio"][1]
    return envelope_of(Datasheet(**numbers), inductive), not slides


@dataclass(frozen=True)
class EnvelopeTarget:
    """Where an envelope goes: on joints of a scene, in a layer over it, and in a picture."""

    scene: str | None
    joint: str | None
    output: Path | None
    plot: Path | None

    @classmethod
    def checked(cls, scene: str | None, joint: str | None, output: Path | None, plot: Path | None) -> "EnvelopeTarget":
        """The place, if it can take an envelope.

        Raises:
            typer.BadParameter: a scene, a joint or a layer without the others.
            OutputError: a layer or picture that cannot be written.
        """
        given = [bool(part) for part in (scene, joint, output)]
        if any(given) and not all(given):
            raise typer.BadParameter("SCENE, --author JOINT and -o LAYER belong together; give all three, or none")
        if output:
            from fajin.author.layer import check

            check(Path(scene), output, False)
        if plot:
            from .plots import check_picture

            check_picture(plot)
        return cls(scene, joint, output, plot)

    def take(self, found: Any, rotational: bool, points: Any = None) -> None:
        """Draw and author an envelope, and say what changed."""
        parameters = {name: getattr(found, name) for name in PARAMETERS}
        if self.plot:
            from .plots import draw_envelopes

            draw_envelopes({"": (parameters, rotational, points)}, self.plot)
            print(f"wrote {self.plot}")
        if self.output:
            self._author(parameters, rotational)

    def _author(self, parameters: dict[str, float], rotational: bool) -> None:
        import fajin
        from fajin import author

        with author.layer(self.scene, self.output) as stage:
            chosen = author.select(stage, self.joint)
            for at in chosen:
                if at.rotational != rotational:
                    turns = "turns" if at.rotational else "slides"
                    other = "one that turns" if rotational else "one that slides"
                    raise fajin.InvalidScene(
                        f"{at.name}: {turns}, and the envelope is of {other}; choose another joint"
                    )
            for at in chosen:
                for change in author.envelope(at.prim, **parameters, axis=at.token):
                    print(change)
        print(f"wrote {self.output}: {len(chosen)} envelope{'s' * (len(chosen) > 1)}, a layer over {self.scene}")
