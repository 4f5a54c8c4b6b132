"""Terms against lines of NumPy from the simulation's own fields."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from fajin import envs  # noqa: E402
from fajin.envs import mdp, rotations  # noqa: E402

ROUND = 32 * np.finfo(np.float32).eps  # of sums of some dozen float32 numbers
FEET = "(FL|FR|RL|RR)"


@pytest.fixture(scope="module")
def walked():
    """A Go2 in 20 worlds after 0.5 s of random actions."""
    env = envs.make("VelocityFlatGo2-v0", 20, results=True)
    rng = np.random.default_rng(0)
    for _ in range(25):
        env.step(torch.from_numpy(rng.normal(size=(20, 12)).astype(np.float32) * 0.4))
    return env


def fields(env) -> dict[str, np.ndarray]:
    """State in double precision, joints in PhysX's order, and the rotation matrices of the roots."""
    order = env.sim.indexing[env.robot.path].dofs
    names = {"q": "q", "qd": "qd", "qdd": "qdd", "effort": "applied_effort"}
    found = {key: env.sim.read(name)[:, order].astype(np.float64) for key, name in names.items()}
    pose, velocity = (env.sim.read(name)[:, 0].astype(np.float64) for name in ("root_pose", "root_velocity"))
    x, y, z, w = pose[:, 3:].T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    turn = np.array(rows).transpose(2, 0, 1)  # (W, 3, 3), from the root's axes to the world's
    found |= {"v": np.einsum("wji,wj->wi", turn, velocity[:, :3]), "w": np.einsum("wji,wj->wi", turn, velocity[:, 3:])}
    return found | {"g": -turn[:, 2], "z": pose[:, 2], "c": env.command("base_velocity").numpy().astype(np.float64)}


COMMAND = {"command_name": "base_velocity"}
LAWS = {
    "base_lin_vel": ({}, lambda f, env: f["v"]),
    "base_ang_vel": ({}, lambda f, env: f["w"]),
    "projected_gravity": ({}, lambda f, env: f["g"]),
    "base_pos_z": ({}, lambda f, env: f["z"][:, None]),
    "joint_pos": ({}, lambda f, env: f["q"]),
    "joint_vel_rel": ({}, lambda f, env: f["qd"]),
    "track_lin_vel_xy_exp": (
        {"std": 0.5, **COMMAND},
        lambda f, env: np.exp(-((f["c"][:, :2] - f["v"][:, :2]) ** 2).sum(1) / 0.25),
    ),
    "track_ang_vel_z_exp": (
        {"std": 0.5, **COMMAND},
        lambda f, env: np.exp(-((f["c"][:, 2] - f["w"][:, 2]) ** 2) / 0.25),
    ),
    "lin_vel_z_l2": ({}, lambda f, env: f["v"][:, 2] ** 2),
    "ang_vel_xy_l2": ({}, lambda f, env: (f["w"][:, :2] ** 2).sum(1)),
    "flat_orientation_l2": ({}, lambda f, env: (f["g"][:, :2] ** 2).sum(1)),
    "base_height_l2": ({"target_height": 0.3}, lambda f, env: (f["z"] - 0.3) ** 2),
    "joint_torques_l2": ({"joint_names": ".*_hip_joint"}, lambda f, env: (f["effort"][:, :4] ** 2).sum(1)),
    "joint_acc_l2": ({}, lambda f, env: (f["qdd"] ** 2).sum(1)),
    "joint_vel_l1": ({}, lambda f, env: np.abs(f["qd"]).sum(1)),
    "action_rate_l2": ({}, lambda f, env: ((env.actions - env.last_actions).numpy() ** 2).sum(1)),
    "bad_orientation": ({"limit_angle": 0.1}, lambda f, env: np.arccos(-f["g"][:, 2]) > 0.1),
    "root_height_below_minimum": ({"minimum_height": 0.3}, lambda f, env: f["z"] < 0.3),
}


@pytest.mark.parametrize("name", LAWS)
def test_a_term_is_its_formula(walked, name):
    parameters, law = LAWS[name]
    found, expected = getattr(mdp, name)(walked, **parameters).numpy(), law(fields(walked), walked)
    assert (found.shape, found.dtype == bool) == (expected.shape, expected.dtype == bool)
    assert np.abs(found - expected.astype(float)).max() <= ROUND * max(1.0, np.abs(expected).max())


def test_forces_of_feet_are_those_of_their_pairs(walked):
    """In the order of the colliders; a foot is in contact above 1 N."""
    group = walked.contacts(FEET)
    forces = walked.sim.read("pair_force")
    for i, collider in enumerate(group.colliders):
        pairs = [k for k, pair in enumerate(walked.sim.pair) if pair.split("|")[0] == collider]
        assert np.allclose(group.net_forces_w[:, i].numpy(), forces[:, pairs].sum(1), rtol=ROUND)
    assert torch.equal(group.current_contact_time > 0.0, group.net_forces_w.norm(dim=-1) > 1.0)


def test_joints_are_in_the_order_of_physx(walked):
    """Breadth first: all hips before all thighs."""
    parts = [name.split("_")[1] for name in walked.robot.joint_names]
    assert parts == ["hip"] * 4 + ["thigh"] * 4 + ["calf"] * 4


def test_masses_and_friction_vary_between_worlds_and_return_with_the_seed(walked):
    mass, friction = (walked.sim.read(name).copy() for name in ("mass", "contact_static_friction"))
    assert (np.ptp(friction, axis=0) > 0.3).all()
    assert np.ptp(mass[:, 0]) > 1.0
    walked.seed(1)
    assert not np.array_equal(walked.sim.read("mass"), mass)
    walked.seed(0)
    assert np.array_equal(walked.sim.read("mass"), mass)
    assert np.array_equal(walked.sim.read("contact_static_friction"), friction)


def test_an_angle_does_not_depend_on_the_number_of_worlds():
    """To the bit; torch's own in single precision does, in the last one."""
    y, x = torch.from_numpy(np.random.default_rng(0).normal(size=(2, 4096)).astype(np.float32))
    angles = torch.stack([rotations.atan2(*each) for each in zip(y, x, strict=True)])
    assert torch.equal(angles, rotations.atan2(y, x))


@pytest.mark.parametrize("task", ["VelocityFlatGo2-v0", "Ant-v0"])
def test_three_worlds_equal_themselves_among_twenty(task):
    """Rewards and observations, to the bit: sums over joints do not depend on the number of worlds."""
    many, few = envs.make(task, 20, threads=1), envs.make(task, 3, threads=1, first_world=13)
    rng = np.random.default_rng(0)
    for step in range(30):
        action = torch.from_numpy(rng.normal(size=(20, many.num_actions)).astype(np.float32) * 0.4)
        found, expected = few.step(action[13:16]), many.step(action)
        assert torch.equal(found.reward, expected.reward[13:16]), step
        assert torch.equal(found.observations["policy"], expected.observations["policy"][13:16]), step


def test_a_commanded_heading_turns_the_robot_towards_it():
    """By half the angle to it per second, within the range; a robot that shall stand does not turn."""
    task = envs.find_task("VelocityFlatGo2-v0")
    ranges = (0.0, 1.0), (0.0, 0.0), (-0.8, 0.8)
    task.commands = {"base_velocity": mdp.UniformVelocityCommand(*ranges, 0.1, 0.3, heading=(-np.pi, np.pi))}
    env = envs.make(task, 64, threads=1)
    command = task.commands["base_velocity"]
    for _ in range(8):  # a new command after 5 control steps
        env.step(torch.zeros(64, 12))
    x, y, z, w = env.robot.root_pose_w[:, 3:].double().numpy().T
    yaw = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    away = command._headings.double().numpy() - yaw
    wanted = np.clip(0.5 * np.arctan2(np.sin(away), np.cos(away)), -0.8, 0.8)
    stands = (command.value[:, :2] == 0.0).all(1).numpy()
    assert 5 < stands.sum() < 40
    assert np.abs(command.value[:, 2].numpy() - np.where(stands, 0.0, wanted)).max() < ROUND
    assert len(np.unique(np.round(wanted, 3))) > 20
