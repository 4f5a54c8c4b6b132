"""Data sheets become envelopes as the specification says; the motors are real and their numbers worked by hand."""

from math import inf, pi

import pytest

from fajin.motor.datasheet import Datasheet, envelope_of
from fajin.motor.units import InvalidQuantity, parse_quantity

RPM = pi / 30.0  # [rad/s]

RE40 = {  # maxon RE 40, 148867: 24 V, graphite brushes, 150 W
    "torque_constant": parse_quantity("k_t", "30.2 mNm/A", "torque constant"),
    "speed_constant": parse_quantity("k_v", "317 rpm/V", "speed constant"),
    "resistance": parse_quantity("R", "0.299 Ω", "resistance"),
    "motor_speed": parse_quantity("n", "12000 rpm", "speed"),
    "voltage": 24.0,
}
GP42 = {"gear_ratio": 26.0, "gear_efficiency": 0.81, "gear_torque": 7.5}  # maxon GP 42 C, two stages, continuous
FAULHABER_1331 = {  # Faulhaber 1331 T 012 SR: 12 V, precious metal brushes
    "torque_constant": parse_quantity("k_M", "11.4 mNm/A", "torque constant"),
    "speed_constant": parse_quantity("k_n", "835 rpm/V", "speed constant"),
    "resistance": parse_quantity("R", "13.7 Ω", "resistance"),
    "motor_speed": parse_quantity("n_e", "12000 min⁻¹", "speed"),
    "motor_torque": parse_quantity("M_e", "3.2 mNm", "torque"),
    "no_load_speed": parse_quantity("n_0", "9900 rpm", "speed"),
    "voltage": 12.0,
}
FAULHABER_3564 = {  # Faulhaber 3564 K 024 B: 24 V, brushless
    "torque_constant": parse_quantity("k_M", "20.12 mNm/A", "torque constant"),
    "speed_constant": parse_quantity("k_n", "475 rpm/V", "speed constant"),
    "resistance": parse_quantity("R", "1.2 Ω", "resistance"),
    "viscous_friction": parse_quantity("C_v", "2.4e-4 mNm/rpm", "viscous friction"),
    "motor_torque": parse_quantity("M_e", "44 mNm", "torque"),
    "voltage": 24.0,
}
DYNAMIXEL = {  # Robotis XM540-W270 at 12 V: only what it does at the horn is published
    "motor_torque": 10.6,
    "no_load_speed": parse_quantity("n", "30 rpm", "speed"),
    "nominal_speed": 1e-9,  # it stalls at
    "nominal_torque": 10.6,
}
ACTUATOR = {  # a brushless actuator of quadrupeds; its sheet counts behind its 8:1 gear
    "torque_constant": 1.0,
    "speed_constant": parse_quantity("k_v", "6.67 rpm/V", "speed constant"),
    "resistance": 0.67,
    "motor_torque": 22.0,
    "voltage": 48.0,
}


def decided(found) -> tuple[str, str, str]:
    """What set effort, speed and gradient."""
    return found.efforts[0].name, found.speeds[0].name, found.gradient_from


def test_a_maxon_motor_with_a_gear():
    """Its gradient is 3.13 rpm/mNm (the sheet: 3.14); behind 26:1 it is 676 times less, and the effort 26 η more."""
    found = envelope_of(Datasheet(**RE40, max_current=6.0))
    assert found.max_force == pytest.approx(6.0 * 0.0302)
    assert found.max_actuator_velocity == pytest.approx(317 * 24 * RPM)
    assert found.speed_effort_gradient / RPM / 1000.0 == pytest.approx(3.14, rel=5e-3)
    assert decided(found) == ("controller current", "voltage", "R/k_t²")

    geared = envelope_of(Datasheet(**RE40, **GP42, max_current=6.0, modulation=0.9))
    assert geared.max_force == pytest.approx(6.0 * 0.0302 * 26 * 0.81)  # 3.816 N·m
    assert geared.max_actuator_velocity == pytest.approx(317 * 24 * 0.9 / 26 * RPM)  # 263.4 rpm
    assert geared.speed_effort_gradient == pytest.approx(0.299 / 0.0302**2 / 26**2)
    strong = envelope_of(Datasheet(**RE40, **GP42, max_current=20.0))
    assert (strong.max_force, strong.efforts[0].name) == (7.5, "gear torque")
    assert [limit.name for limit in strong.efforts] == ["gear torque", "controller current"]


def test_a_gear_bounds_the_speed():
    """8000 rpm at the input of the gear, less than the motor could do on 48 V: the gradient is then 0."""
    sheet = Datasheet(**RE40 | {"voltage": 48.0}, **GP42, max_current=6.0, gear_speed=8000 * RPM)
    found = envelope_of(sheet)
    assert found.max_actuator_velocity == pytest.approx(8000 / 26 * RPM)
    assert found.speed_effort_gradient == 0.0
    assert decided(found) == ("controller current", "gear input speed", "mechanical limit")
    assert [limit.name for limit in found.speeds] == ["gear input speed", "motor speed", "voltage"]
    assert found.remarks == ()
    weak = envelope_of(Datasheet(**RE40 | {"voltage": 26.0}, **GP42, max_current=40.0, gear_speed=8000 * RPM))
    assert "at the maximum effort, voltage allows a speed of" in weak.remarks[0]


def test_a_faulhaber_motor_by_its_resistance_and_by_its_nominal_point():
    """13.7 Ω/(11.4 mNm/A)² = 1007 rpm/mNm (the sheet: 1000, so 6700 rpm at 3.2 mNm)."""
    found = envelope_of(Datasheet(**FAULHABER_1331))
    assert found.max_force == 0.0032
    assert found.max_actuator_velocity == pytest.approx(835 * 12 * RPM)
    assert found.speed_effort_gradient / RPM / 1000.0 == pytest.approx(1006.7, rel=1e-4)
    nominal = {"nominal_speed": 6700 * RPM, "nominal_torque": 0.0032}
    inductive = envelope_of(Datasheet(**FAULHABER_1331, **nominal), inductive=True)
    assert inductive.speed_effort_gradient / RPM / 1000.0 == pytest.approx(1000.0)
    assert inductive.gradient_from == "(n_0 - n_N)/τ_N"


def test_friction_of_a_brushless_motor_is_its_resistance():
    """2.4e-4 mNm/rpm is 2.292e-6 N·m·s/rad; through a gear of i with η: i² η times that."""
    found = envelope_of(Datasheet(**FAULHABER_3564))
    assert found.velocity_dependent_resistance == pytest.approx(2.4e-7 / RPM)
    assert found.speed_effort_gradient == pytest.approx(1.2 / 0.02012**2)
    geared = envelope_of(Datasheet(**FAULHABER_3564, gear_ratio=14.0, gear_efficiency=0.8))
    assert geared.velocity_dependent_resistance == pytest.approx(2.4e-7 / RPM * 14**2 * 0.8)


def test_an_actuator_of_which_only_its_horn_is_known():
    """From no load to stall: 30 rpm/10.6 N·m."""
    found = envelope_of(Datasheet(**DYNAMIXEL))
    assert (found.max_force, found.max_actuator_velocity) == pytest.approx((10.6, pi))
    assert found.speed_effort_gradient == pytest.approx(pi / 10.6, rel=1e-8)
    assert decided(found) == ("motor torque", "voltage", "(n_0 - n_N)/τ_N")


def test_an_actuator_holds_its_nominal_point():
    """0.67 rad/s/(N·m), 320 rpm, 22 N·m; 7.5 N·m at 110 rpm is within."""
    found = envelope_of(Datasheet(**ACTUATOR))
    assert (found.max_force, found.speed_effort_gradient) == pytest.approx((22.0, 0.67))
    assert found.max_actuator_velocity == pytest.approx(33.51, rel=1e-3)
    assert found.max_actuator_velocity - found.speed_effort_gradient * 7.5 >= 110 * RPM
    assert found.max_actuator_velocity / found.speed_effort_gradient > found.max_force


def test_a_point_of_the_operating_diagram_gives_the_slope():
    """(τ_max - τ)/(v): 2 N·m at standstill and 1.4 N·m at 10 rad/s."""
    point = {"diagram_speed": 10.0, "diagram_torque": 1.4}
    found = envelope_of(Datasheet(motor_torque=2.0, motor_speed=20.0, **point))
    assert found.velocity_dependent_resistance == pytest.approx(0.06)
    geared = envelope_of(Datasheet(motor_torque=2.0, motor_speed=20.0, gear_ratio=5.0, gear_efficiency=0.5, **point))
    assert geared.velocity_dependent_resistance == pytest.approx((2.0 - 1.4) * 2.5 / (10.0 / 5.0))


def test_a_screw_makes_a_slider():
    """200 turns a metre: τ i η is a force, n/i a speed along."""
    ratio = parse_quantity("i", "200 turn/m", "number", "screw ratio")
    found = envelope_of(Datasheet(**RE40, max_current=6.0, gear_ratio=ratio, gear_efficiency=0.9))
    assert found.max_force == pytest.approx(6.0 * 0.0302 * 400 * pi * 0.9)  # [N]
    assert found.max_actuator_velocity == pytest.approx(317 * 24 / 60 / 200)  # [m/s]


def test_a_motor_that_stalls_below_its_limit_is_told():
    found = envelope_of(Datasheet(**RE40, max_current=200.0))
    stall = found.max_actuator_velocity / found.speed_effort_gradient
    assert f"voltage allows {stall:.6g} at standstill" in found.remarks[0]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"torque_constant": 30.2}, "k_t k_v = 1e+03, not about 1"),  # N·m/A for mNm/A
        ({"speed_constant": 317.0}, "k_t k_v = 9.57, not about 1"),  # rad/s/V for rpm/V
        ({"no_load_speed": 7580.0}, "n_0/(k_v V) = 9.51, not about 1"),  # rad/s for rpm
        ({"gear_efficiency": 81.0}, "gear_efficiency = 81: must be at most 1"),
        ({"modulation": 90.0}, "modulation = 90: must be at most 1"),
        ({"nominal_speed": 800.0, "no_load_speed": 793.8}, "nominal speed must be below"),
        ({"diagram_speed": 3.0}, "a speed and a torque; give both"),
        ({"voltage": -24.0}, "voltage = -24.0: must be positive"),
        ({"resistance": inf}, "resistance = inf: must be positive and finite"),
        ({"resistance": None}, "the effect of effort on speed is unknown"),
        ({"max_current": None}, "a bound on the effort is missing"),
        ({"voltage": None, "motor_speed": None}, "a bound on the speed is missing"),
    ],
)
def test_numbers_that_do_not_belong_together_are_refused(wrong, said):
    """A torque constant in N·m/A that is one in mNm/A has a product with the speed constant that no motor has."""
    with pytest.raises(InvalidQuantity) as error:
        envelope_of(Datasheet(**{**RE40, "max_current": 6.0, **wrong}))
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_an_inductive_gradient_needs_a_nominal_point():
    with pytest.raises(InvalidQuantity, match="needs no-load speed, nominal speed and nominal torque"):
        envelope_of(Datasheet(**RE40, max_current=6.0), inductive=True)


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("320 rpm", "speed", 320 * RPM),
        ("7580 min⁻¹", "speed", 7580 * RPM),
        ("90 deg/s", "speed", pi / 2),
        ("2 1/min", "speed", 2 * RPM),
        ("30.2mNm/A", "torque constant", 0.0302),
        ("3 N·m/(rad/s)", "viscous friction", 3.0),
        ("3 N·m·s/rad", "viscous friction", 3.0),
        ("1e1 kgf·cm", "torque", 0.980665),
        ("16 ozf in", "torque", 16 * 0.27801385095378125 * 0.0254),
        ("670 mOhm", "resistance", 0.67),
        ("85 %", "number", 0.85),
        (".9", "number", 0.9),
        ("5 mm/s", "linear speed", 0.005),
    ],
)
def test_a_number_means_what_its_unit_says(text, kind, value):
    assert parse_quantity("x", text, kind) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("3 V", "current", "must not be a voltage; give a current in A"),
        ("3", "current", "must have a unit; give a current in A"),
        ("3 mNm", "torque constant", "must not be a torque; give a torque constant"),
        ("3 mNm/A", "number", "must not be a torque constant; give a number"),
        ("3 N·m/s", "torque", "must not be something else"),
        ("3 foo", "speed", "foo is not a known unit"),
        ("three V", "voltage", "must be a number with its unit"),
        ("0 V", "voltage", "must be positive and finite"),
        ("-3 V", "voltage", "must be positive and finite"),
        ("1e999 V", "voltage", "must be positive and finite"),
        ("3 A)", "current", "brackets of the unit must match"),
    ],
)
def test_a_unit_of_something_else_is_refused(text, kind, said):
    with pytest.raises(InvalidQuantity) as error:
        parse_quantity("--x", text, kind)
    line = str(error.value)
    assert line.startswith(f"--x = {text}: ")
    assert said in line
