"""`fajin author` refuses in one line what cannot be, and writes nothing."""

import pytest

REFUSED = {  # command line: words of the one line that answers
    "drive arm.usda --joint jointt --kp 1": "no degree of freedom matches 'jointt'",
    "drive arm.usda --joint joint[ --kp 1": "not a regular expression",
    "drive arm.usda --joint joint1 --kp -1": "finite and 0 or more",
    "drive arm.usda --joint joint1 --kp nan": "must be a stiffness",
    "drive arm.usda --joint joint1 --kp 1N/m": "must be a stiffness of a rotation",
    "drive arm.usda --joint joint1 --target 3m": "must be a position of a rotation",
    "drive robot.usda --joint slide --target 3deg": "must be a position of a translation",
    "drive arm.usda --joint joint1 --kp 1 --natural-frequency 2": "must be left out beside natural_frequency",
    "drive arm.usda --joint joint1 --natural-frequency 2": "must be two numbers, set together",
    "drive arm.usda --joint joint1 --natural-frequency -2 --damping-ratio 1": "natural_frequency = -2",
    "drive arm.usda --joint joint1 --kp 1 --axis rotX": "axis = rotX: must be rotZ, the only axis",
    "drive robot.usda --joint wrist --kp 1 --axis spin": "axis = spin: must be one of transX",
    "drive missing.usda --joint joint1 --kp 1": "missing.usda: must be an existing file",
    "drive arm.usda --joint joint1 --kp 1 -o e.txt": ".usda, .usdc, .usd",
    "drive arm.usda --joint joint1 --kp 1 -o arm.usda/e.usda": "cannot be written",
    "drive arm.usda --joint joint1 --kp 1 -o arm.usda": "must not be the scene itself",
    "drive arm.usda --joint joint1 --kp 1 -o robot.usda": "is not a layer over arm.usda",
    "drive arm.usda --joint joint1 --kp 1 -o e.usda --in-place": "must not be combined",
    "envelope robot.usda --joint turn --no-load-speed 10": "must be an axis with a drive",
    "limit arm.usda --joint joint1 --lower 10 --upper -10": "must be at most upper",
    "limit robot.usda --joint turn --lower -10": "one limit alone locks a joint",
    "limit arm.usda --joint joint1 --cone 10 20": "must be a spherical joint",
    "limit arm.usda --joint joint1": "no change requested",
    "friction arm.usda --joint joint1 --static 1 --dynamic 2": "must be at most static",
    "armature arm.usda --joint joint1 --inertia inf": "finite and 0 or more",
    "state arm.usda --joint joint1 --position inf": "must be finite",
    "mimic robot.usda --joint follow --reference turn": "must be finite on a revolute mimic joint",
    "mimic arm.usda --joint joint1 --reference joint1": "must be another degree of freedom",
    "mimic arm.usda --joint joint1 --reference joint2 --gearing 0": "finite and not 0",
    "mimic arm.usda --joint joint1 --reference joint[23] --gearing 1": "name one",
    "mimic arm.usda --joint joint1 --reference joint2 --gearing 1 --gearing 2": "must be one number for each",
    "tendon robot.usda --name cord --joint turn --gearing 1 --gearing 2": "2 values; must be one for each of",
    "tendon robot.usda --name c:d --joint turn --gearing 1": "letters, digits and _",
    "tendon robot.usda --name cord --joint turn --gearing 0": "must be numbers of which one is not 0",
    "tendon robot.usda --name cord --joint turn --gearing 1 --lower 2 --upper 1": "must be at most upper",
    "tendon robot.usda --name cord --through turn=0,0,0 --through arm=0,0,0": "must be a rigid body",
    "tendon robot.usda --name cord --through arm=0,0 --through rod=0,0,0": "three numbers in metres",
    "tendon robot.usda --name cord --through arm=0,0,0": "1 points",
    "tendon robot.usda --name cord --through arm=0,0,0 --through rod=0,0,1 --rest-length inf": "must be finite",
    "tendon robot.usda --name cord": "--joint, --through: must be exactly one",
    "scene arm.usda --dt 0.0123": "a whole number of steps",
    "scene arm.usda --dt fast": "a number of seconds or a fraction",
    "scene arm.usda --gravity -1": "0 or more along the down axis",
    "scene arm.usda --position-iterations 0": "must be 1 to 255",
    "scene arm.usda --duration -1": "finite and 0 or more",
    "scene arm.usda": "no change requested",
    "remove arm.usda mimic --joint joint1": "no change requested",
    "actuator arm.usda --joint joint1 --kp 1": "joint1:rotZ.drive: must be without gains",
    "surface arm.usda --body nobody --velocity 1,0,0": "body pattern = nobody: must be a regular expression of rigid",
    "base arm.usda --height up": "--height up: must be a length; write a number",
    "values arm.usda missing.json": "missing.json: must be a file that can be read",
    "values arm.usda robot.usda": "robot.usda: must be JSON",
}


@pytest.mark.parametrize("line", REFUSED)
def test_what_cannot_be_is_refused_in_one_line_with_nothing_written(workshop, author, line):
    """Exit code 2, no traceback, no file, no change of any."""
    before = {path: path.read_bytes() for path in workshop.iterdir()}
    code, _, errors = author(line)
    assert code == 2
    assert REFUSED[line] in errors
    assert len(errors.splitlines()) == 1
    assert {path: path.read_bytes() for path in workshop.iterdir()} == before


@pytest.mark.parametrize("where", ["-o e.usda", "--in-place"])
def test_a_read_only_file_is_left_alone(workshop, author, where):
    """Neither a layer nor the scene is replaced where writing is not allowed."""
    author("drive arm.usda --joint joint1 --kp 1 -o e.usda")
    name = "arm.usda" if where == "--in-place" else "e.usda"
    (workshop / name).chmod(0o444)
    before = (workshop / name).read_bytes()
    code, _, errors = author(f"drive arm.usda --joint joint1 --kp 2 {where}")
    assert code == 2
    assert f"{name}: is read-only" in errors
    assert (workshop / name).read_bytes() == before


def test_what_would_break_a_sound_scene_is_refused(workshop, author):
    """A ring of mimic joints is seen before it is written, by whatever commands it comes about."""
    author("mimic arm.usda --joint joint1 --reference joint2 -o e.usda")
    before = (workshop / "e.usda").read_bytes()
    code, _, errors = author("mimic arm.usda --joint joint2 --reference joint1 -o e.usda")
    assert code == 2
    assert "must be degrees of freedom that do not follow" in errors
    assert (workshop / "e.usda").read_bytes() == before
