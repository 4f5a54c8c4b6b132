"""A motor's data sheet as the performance envelope of the joint that it drives.

"Articulation Joint Drive Performance Envelope", PhysX Team, April 24, 2025, §4:

    τ_max = least of  I_C k_t i η (controller),  τ_M i η (motor),  τ_G (gear)
    v_max = least of  k_v V μ / i or n_0 / i (voltage),  n_M / i (motor),  n_G / i (gear)
    k_vτ  = (R/k_t² or (n_0 − n_N)/τ_N) / i²  where voltage bounds the speed, else 0
    k_τv  = c i² η, of the motor's viscous friction c, or the slope from τ_max to a point of the operating diagram

i is the gear ratio, 1 without a gear and [rad/m] for a screw or rack, whose joint is a slider; η its efficiency.
"""

from dataclasses import dataclass, fields
from math import inf

from .units import InvalidQuantity

SAME_MOTOR = 2.0  # k_t k_v of one motor is 1, up to the conventions of phases and amplitudes


@dataclass(frozen=True)
class Datasheet:
    """What a sheet says of motor, controller and gear, in SI units and radians; None where it says nothing."""

    torque_constant: float | None = None  # k_t [N·m/A]
    speed_constant: float | None = None  # k_v [rad/s/V]
    resistance: float | None = None  # R, of the winding [Ω]
    max_current: float | None = None  # I_C, of the controller [A]
    motor_torque: float | None = None  # τ_M, as long as it is needed [N·m]
    gear_torque: float | None = None  # τ_G, at the joint [N·m | N]
    voltage: float | None = None  # V, of the supply [V]
    modulation: float = 1.0  # μ, share of the voltage that the controller hands on
    motor_speed: float | None = None  # n_M, mechanical [rad/s]
    gear_speed: float | None = None  # n_G, at the input [rad/s]
    no_load_speed: float | None = None  # n_0, at the voltage that there is [rad/s]
    nominal_speed: float | None = None  # n_N [rad/s]
    nominal_torque: float | None = None  # τ_N [N·m]
    gear_ratio: float = 1.0  # i [1 | rad/m]
    gear_efficiency: float = 1.0  # η
    viscous_friction: float | None = None  # c, of the motor [N·m·s/rad]
    diagram_speed: float | None = None  # a point on the border of the operating diagram [rad/s]
    diagram_torque: float | None = None  # and its torque [N·m]


@dataclass(frozen=True)
class Limit:
    """One bound on effort or speed at the joint, and what sets it."""

    name: str
    value: float


@dataclass(frozen=True)
class MotorEnvelope:
    """Parameters of an envelope, and what decided them."""

    max_force: float  # [N·m | N]
    max_actuator_velocity: float  # [rad/s | m/s]
    velocity_dependent_resistance: float  # [N·m·s/rad | N·s/m]
    speed_effort_gradient: float  # [rad/s/(N·m) | m/s/N]
    efforts: tuple[Limit, ...]  # the least first
    speeds: tuple[Limit, ...]
    gradient_from: str
    remarks: tuple[str, ...] = ()


def envelope_of(sheet: Datasheet, inductive: bool = False) -> MotorEnvelope:
    """The envelope of a joint with this motor.

    Args:
        sheet: what is known.
        inductive: take the gradient from the nominal point, (n_0 - n_N)/τ_N, not from R/k_t².

    Raises:
        InvalidQuantity: too little is known for a bound, or numbers that do not belong together.
    """
    _check(sheet)
    efforts, speeds = _efforts(sheet), _speeds(sheet)
    resistance = _resistance(sheet, efforts[0].value)
    gradient, source = _gradient(sheet, inductive) if speeds[0].name == "voltage" else (0.0, "mechanical limit")
    found = (efforts[0].value, speeds[0].value, resistance, gradient)
    return MotorEnvelope(*found, efforts, speeds, source, tuple(_remarks(sheet, found, speeds)))


def _product(*factors: float | None) -> float:
    """The product, or infinity where something is not known."""
    result = 1.0
    for factor in factors:
        result *= inf if factor is None else factor
    return result


def _sorted(limits: dict[str, float], what: str, mend: str) -> tuple[Limit, ...]:
    found = sorted((Limit(name, value) for name, value in limits.items() if value < inf), key=lambda limit: limit.value)
    if not found:
        raise InvalidQuantity(f"nothing bounds the {what}; give {mend}")
    return tuple(found)


def _efforts(sheet: Datasheet) -> tuple[Limit, ...]:
    """Bounds on the effort at the joint."""
    geared = sheet.gear_ratio * sheet.gear_efficiency
    limits = {
        "controller current": _product(sheet.max_current, sheet.torque_constant, geared),
        "motor torque": _product(sheet.motor_torque, geared),
        "gear torque": _product(sheet.gear_torque),
    }
    return _sorted(limits, "effort", "max current and torque constant, motor torque or gear torque")


def _speeds(sheet: Datasheet) -> tuple[Limit, ...]:
    """Bounds on the speed of the joint."""
    limits = {
        "voltage": _free_speed(sheet) / sheet.gear_ratio,
        "motor speed": _product(sheet.motor_speed) / sheet.gear_ratio,
        "gear input speed": _product(sheet.gear_speed) / sheet.gear_ratio,
    }
    mend = "speed constant and voltage, no-load speed, motor speed or gear speed"
    return _sorted(limits, "speed", mend)


def _free_speed(sheet: Datasheet) -> float:
    """Speed of the motor at which its own voltage takes up the supply's [rad/s]."""
    by_voltage = _product(sheet.speed_constant, sheet.voltage, sheet.modulation)
    return by_voltage if by_voltage < inf else _product(sheet.no_load_speed)


def _gradient(sheet: Datasheet, inductive: bool) -> tuple[float, str]:
    """k_vτ, and where it comes from."""
    nominal = None not in (sheet.no_load_speed, sheet.nominal_speed, sheet.nominal_torque)
    ohmic = None not in (sheet.resistance, sheet.torque_constant)
    if inductive and not nominal:
        raise InvalidQuantity("the inductive gradient needs no-load speed, nominal speed and nominal torque; give them")
    if ohmic and not inductive:
        return sheet.resistance / sheet.torque_constant**2 / sheet.gear_ratio**2, "R/k_t²"
    if nominal:
        slope = (sheet.no_load_speed - sheet.nominal_speed) / sheet.nominal_torque
        return slope / sheet.gear_ratio**2, "(n_0 - n_N)/τ_N"
    raise InvalidQuantity(
        "voltage bounds the speed, and nothing says how effort lowers it; "
        "give resistance and torque constant, or no-load speed, nominal speed and nominal torque"
    )


def _resistance(sheet: Datasheet, max_force: float) -> float:
    """k_τv."""
    geared = sheet.gear_ratio * sheet.gear_efficiency
    if sheet.diagram_speed is not None:
        fall = max_force - sheet.diagram_torque * geared
        return max(fall, 0.0) / (sheet.diagram_speed / sheet.gear_ratio)
    return (sheet.viscous_friction or 0.0) * sheet.gear_ratio * geared


def _check(sheet: Datasheet) -> None:
    """Raise InvalidQuantity where numbers do not belong together, most likely by their units."""
    for field in fields(sheet):
        value = getattr(sheet, field.name)
        if value is not None and not 0.0 < value < inf:
            raise InvalidQuantity(f"{field.name} = {value}: must be positive and finite")
    for name in ("modulation", "gear_efficiency"):
        if (share := getattr(sheet, name)) > 1.0:
            raise InvalidQuantity(f"{name} = {share:g}: is a share and at most 1; write 85 % or 0.85")
    _belong(sheet.torque_constant, sheet.speed_constant, "torque constant and speed constant", "k_t k_v")
    if None not in (sheet.speed_constant, sheet.voltage, sheet.no_load_speed):
        over = sheet.no_load_speed / sheet.voltage
        _belong(over, 1.0 / sheet.speed_constant, "no-load speed, voltage and speed constant", "n_0/(k_v V)")
    if None not in (sheet.no_load_speed, sheet.nominal_speed) and sheet.nominal_speed >= sheet.no_load_speed:
        raise InvalidQuantity("nominal speed must be below the no-load speed; check their units")
    if (sheet.diagram_speed is None) != (sheet.diagram_torque is None):
        raise InvalidQuantity("a point of the operating diagram has a speed and a torque; give both")


def _belong(a: float | None, b: float | None, names: str, product: str) -> None:
    """Raise InvalidQuantity where a product that is 1 by nature is far from it."""
    if None not in (a, b) and not 1.0 / SAME_MOTOR <= a * b <= SAME_MOTOR:
        raise InvalidQuantity(f"{names} are not of one motor: {product} = {a * b:.3g}, not about 1; check their units")


def _remarks(sheet: Datasheet, found: tuple[float, ...], speeds: tuple[Limit, ...]) -> list[str]:
    """What the four numbers do not tell."""
    max_force, max_speed, _, gradient = found
    remarks = []
    if gradient * max_force > max_speed:
        remarks.append(f"voltage allows {max_speed / gradient:.6g} at standstill, less than the greatest effort")
    by_voltage = next((limit.value for limit in speeds if limit.name == "voltage"), inf)
    if speeds[0].name != "voltage" and None not in (sheet.resistance, sheet.torque_constant) and by_voltage < inf:
        left = by_voltage - max_force * sheet.resistance / sheet.torque_constant**2 / sheet.gear_ratio**2
        if left < max_speed:
            remarks.append(
                f"at the greatest effort voltage allows a speed of {max(left, 0.0):.6g} only, "
                f"and the envelope, which is that of the {speeds[0].name}, {max_speed:.6g}"
            )
    if sheet.speed_constant and sheet.modulation == 1.0 and speeds[0].name == "voltage":
        remarks.append("the controller is taken to hand on the full voltage; PWM leaves about 0.9 of it (modulation)")
    return remarks
