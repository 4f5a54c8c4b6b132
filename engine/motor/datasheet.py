"""A motor's data sheet as the performance envelope of the joint that it drives.

"Articulation Joint Drive Performance Envelope", PhysX Team, April 24, 2025, §4:

    τ_max = minimum of  I_C k_t i η (controller),  τ_M i η (motor),  τ_G (gear)
    v_max = minimum of  k_v V μ / i or n_0 / i (voltage),  n_M / i (motor),  n_G / i (gear)
    k_vτ  = (R/k_t² or (n_0 − n_N)/τ_N) / i²  if voltage bounds the speed, else 0
    k_τv  = c i² η, with the motor's viscous friction c, or the slope from τ_max to a point of the operating diagram

i is the gear ratio, 1 without a gear, and [rad/m] for a screw or rack of a prismatic joint; η is the gear efficiency.
"""

from dataclasses import dataclass, fields
from math import inf

from .units import InvalidQuantity

SAME_MOTOR = 2.0  # k_t k_v of one motor is 1 within this factor, which covers conventions of phases and amplitudes


@dataclass(frozen=True)
class Datasheet:
    """Values of a data sheet for motor, controller and gear, in SI units and radians; None if unknown."""

    torque_constant: float | None = None  # k_t [N·m/A]
    speed_constant: float | None = None  # k_v [rad/s/V]
    resistance: float | None = None  # R of the winding [Ω]
    max_current: float | None = None  # I_C of the controller [A]
    motor_torque: float | None = None  # τ_M for the required duration [N·m]
    gear_torque: float | None = None  # τ_G at the joint [N·m | N]
    voltage: float | None = None  # V of the supply [V]
    modulation: float = 1.0  # μ, share of the supply voltage available at the motor
    motor_speed: float | None = None  # n_M, mechanical [rad/s]
    gear_speed: float | None = None  # n_G at the gear input [rad/s]
    no_load_speed: float | None = None  # n_0 at the supply voltage [rad/s]
    nominal_speed: float | None = None  # n_N [rad/s]
    nominal_torque: float | None = None  # τ_N [N·m]
    gear_ratio: float = 1.0  # i [1 | rad/m]
    gear_efficiency: float = 1.0  # η
    viscous_friction: float | None = None  # c of the motor [N·m·s/rad]
    diagram_speed: float | None = None  # speed of a point on the border of the operating diagram [rad/s]
    diagram_torque: float | None = None  # torque of this point [N·m]


@dataclass(frozen=True)
class Limit:
    """One bound on effort or speed at the joint, and its cause."""

    name: str
    value: float


@dataclass(frozen=True)
class MotorEnvelope:
    """Parameters of a performance envelope, and the limits that determine them."""

    max_force: float  # [N·m | N]
    max_actuator_velocity: float  # [rad/s | m/s]
    velocity_dependent_resistance: float  # [N·m·s/rad | N·s/m]
    speed_effort_gradient: float  # [rad/s/(N·m) | m/s/N]
    efforts: tuple[Limit, ...]  # in ascending order
    speeds: tuple[Limit, ...]
    gradient_from: str
    remarks: tuple[str, ...] = ()


def envelope_of(sheet: Datasheet, inductive: bool = False) -> MotorEnvelope:
    """Return the performance envelope of a joint with this motor.

    Args:
        sheet: the known values.
        inductive: take the gradient from the nominal point, (n_0 - n_N)/τ_N, instead of R/k_t².

    Raises:
        InvalidQuantity: values for a bound are missing, or values are inconsistent.
    """
    _check(sheet)
    efforts, speeds = _efforts(sheet), _speeds(sheet)
    resistance = _resistance(sheet, efforts[0].value)
    gradient, source = _gradient(sheet, inductive) if speeds[0].name == "voltage" else (0.0, "mechanical limit")
    found = (efforts[0].value, speeds[0].value, resistance, gradient)
    return MotorEnvelope(*found, efforts, speeds, source, tuple(_remarks(sheet, found, speeds)))


def _product(*factors: float | None) -> float:
    """Return the product, or infinity if a factor is unknown."""
    result = 1.0
    for factor in factors:
        result *= inf if factor is None else factor
    return result


def _sorted(limits: dict[str, float], what: str, mend: str) -> tuple[Limit, ...]:
    found = sorted((Limit(name, value) for name, value in limits.items() if value < inf), key=lambda limit: limit.value)
    if not found:
        raise InvalidQuantity(f"a bound on the {what} is missing; give {mend}")
    return tuple(found)


def _efforts(sheet: Datasheet) -> tuple[Limit, ...]:
    """Return bounds on the effort at the joint."""
    geared = sheet.gear_ratio * sheet.gear_efficiency
    limits = {
        "controller current": _product(sheet.max_current, sheet.torque_constant, geared),
        "motor torque": _product(sheet.motor_torque, geared),
        "gear torque": _product(sheet.gear_torque),
    }
    return _sorted(limits, "effort", "max current and torque constant, motor torque or gear torque")


def _speeds(sheet: Datasheet) -> tuple[Limit, ...]:
    """Return bounds on the speed of the joint."""
    limits = {
        "voltage": _free_speed(sheet) / sheet.gear_ratio,
        "motor speed": _product(sheet.motor_speed) / sheet.gear_ratio,
        "gear input speed": _product(sheet.gear_speed) / sheet.gear_ratio,
    }
    mend = "speed constant and voltage, no-load speed, motor speed or gear speed"
    return _sorted(limits, "speed", mend)


def _free_speed(sheet: Datasheet) -> float:
    """Return the speed at which the motor's back-EMF equals the supply voltage [rad/s]."""
    by_voltage = _product(sheet.speed_constant, sheet.voltage, sheet.modulation)
    return by_voltage if by_voltage < inf else _product(sheet.no_load_speed)


def _gradient(sheet: Datasheet, inductive: bool) -> tuple[float, str]:
    """Return k_vτ and its source."""
    nominal, ohmic = _nominal_slope(sheet), _ohmic_slope(sheet)
    if inductive and nominal is None:
        raise InvalidQuantity("the inductive gradient needs no-load speed, nominal speed and nominal torque; give them")
    if ohmic is not None and not inductive:
        return ohmic / sheet.gear_ratio**2, "R/k_t²"
    if nominal is not None:
        return nominal / sheet.gear_ratio**2, "(n_0 - n_N)/τ_N"
    raise InvalidQuantity(
        "voltage bounds the speed, but the effect of effort on speed is unknown; "
        "give resistance and torque constant, or no-load speed, nominal speed and nominal torque"
    )


def _ohmic_slope(sheet: Datasheet) -> float | None:
    """Return R/k_t² of the motor, or None if unknown."""
    if sheet.resistance is None or sheet.torque_constant is None:
        return None
    return sheet.resistance / sheet.torque_constant**2


def _nominal_slope(sheet: Datasheet) -> float | None:
    """Return (n_0 - n_N)/τ_N of the motor, or None if unknown."""
    if sheet.no_load_speed is None or sheet.nominal_speed is None or sheet.nominal_torque is None:
        return None
    return (sheet.no_load_speed - sheet.nominal_speed) / sheet.nominal_torque


def _resistance(sheet: Datasheet, max_force: float) -> float:
    """Return k_τv [N·m·s/rad | N·s/m]."""
    geared = sheet.gear_ratio * sheet.gear_efficiency
    if sheet.diagram_speed is not None and sheet.diagram_torque is not None:
        fall = max_force - sheet.diagram_torque * geared
        return max(fall, 0.0) / (sheet.diagram_speed / sheet.gear_ratio)
    return (sheet.viscous_friction or 0.0) * sheet.gear_ratio * geared


def _check(sheet: Datasheet) -> None:
    """Raise InvalidQuantity if values are inconsistent, most likely because of their units."""
    for field in fields(sheet):
        value = getattr(sheet, field.name)
        if value is not None and not 0.0 < value < inf:
            raise InvalidQuantity(f"{field.name} = {value}: must be positive and finite")
    for name in ("modulation", "gear_efficiency"):
        if (share := getattr(sheet, name)) > 1.0:
            raise InvalidQuantity(f"{name} = {share:g}: must be at most 1; write 85 % or 0.85")
    _belong(sheet.torque_constant, sheet.speed_constant, "torque constant and speed constant", "k_t k_v")
    if sheet.speed_constant is not None and sheet.voltage is not None and sheet.no_load_speed is not None:
        over = sheet.no_load_speed / sheet.voltage
        _belong(over, 1.0 / sheet.speed_constant, "no-load speed, voltage and speed constant", "n_0/(k_v V)")
    free, nominal = sheet.no_load_speed, sheet.nominal_speed
    if free is not None and nominal is not None and nominal >= free:
        raise InvalidQuantity("nominal speed must be below the no-load speed; check their units")
    if (sheet.diagram_speed is None) != (sheet.diagram_torque is None):
        raise InvalidQuantity("a point of the operating diagram needs a speed and a torque; give both")


def _belong(a: float | None, b: float | None, names: str, product: str) -> None:
    """Raise InvalidQuantity if a product that should be 1 is far from it."""
    if a is not None and b is not None and not 1.0 / SAME_MOTOR <= a * b <= SAME_MOTOR:
        raise InvalidQuantity(f"{names} must belong to one motor: {product} = {a * b:.3g}, not about 1; check units")


def _remarks(sheet: Datasheet, found: tuple[float, ...], speeds: tuple[Limit, ...]) -> list[str]:
    """Return remarks on what the four envelope parameters cannot represent."""
    max_force, max_speed, _, gradient = found
    remarks = []
    if gradient * max_force > max_speed:
        remarks.append(f"voltage allows {max_speed / gradient:.6g} at standstill, less than the maximum effort")
    by_voltage = next((limit.value for limit in speeds if limit.name == "voltage"), inf)
    resistance, constant = sheet.resistance, sheet.torque_constant
    if speeds[0].name != "voltage" and resistance is not None and constant is not None and by_voltage < inf:
        left = by_voltage - max_force * resistance / constant**2 / sheet.gear_ratio**2
        if left < max_speed:
            remarks.append(
                f"at the maximum effort, voltage allows a speed of only {max(left, 0.0):.6g}, "
                f"but the envelope of the {speeds[0].name} allows {max_speed:.6g}"
            )
    if sheet.speed_constant and sheet.modulation == 1.0 and speeds[0].name == "voltage":
        remarks.append("the controller is assumed to supply the full voltage; PWM: about 0.9 of it (modulation)")
    return remarks
