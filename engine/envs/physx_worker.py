"""Worlds in PhysX, in a process of a Python that has ovphysx: run as a script, it imports nothing of fajin.

    python physx_worker.py SCENE WORLDS [COLLIDER …]

The scene has one articulation, or one below the prim env_I of each world I. A request is a line of JSON on stdin,
{"dt": s, "steps": n, "driven": ["target_q", "effort"]}, and the numbers of each driven field, (WORLDS, D) float32, in
PhysX's order. The answer on stdout is a line, {"dof": names}, and (WORLDS, 2 D + 13) float32: q, qd, pose (x, y, z,
quaternion x, y, z, w) and velocity of the root; after it the net forces of the contacts of the colliders in every step,
(steps, COLLIDERS, 3). The first line of stdout has the scene. PhysX reads and writes
tensors after a first step only, so the first request drives nothing.
"""

import json
import os
import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np


def main(scene: str, worlds: int, colliders: list[str]) -> None:
    """Answer requests until stdin ends."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # PhysX prints
    physics = attached(scene)
    net_forces = reported(physics, colliders)
    bindings, names = {}, []
    replies.write(json.dumps({"ready": scene}).encode() + b"\n")
    replies.flush()
    while line := sys.stdin.buffer.readline():
        request = json.loads(line)
        for name in request["driven"]:
            values = sys.stdin.buffer.read(4 * worlds * len(names))
            bindings[name].write(np.frombuffer(values, np.float32).reshape(worlds, -1).copy())
        forces = []
        for _ in range(request["steps"]):
            physics.step_sync(request["dt"])
            forces.append(net_forces())
        if not bindings:
            bindings = bind(physics, worlds)
            names = [name.rsplit("/", 1)[-1] for name in bindings["q"].dof_names]
        state = [read(bindings[name]) for name in ("q", "qd", "pose", "velocity")]
        replies.write(json.dumps({"dof": names}).encode() + b"\n" + np.concatenate(state, 1).tobytes())
        replies.write(np.array(forces, np.float32).tobytes())
        replies.flush()


def attached(scene: str) -> Any:
    """Return PhysX with a scene."""
    import ovphysx
    import ovstage
    from ovphysx.samples.python_samples.schema_support import physx_schema_paths

    ovphysx.PhysX.set_cpu_mode(True)
    ovphysx.set_global_config(ovphysx.GlobalConfigKey.NUM_THREADS, 0)
    physics = ovphysx.PhysX()
    schemas = [*map(str, physx_schema_paths()), str(ovphysx.newton_schema_root())]
    ovstage.population.register_usd_schemas(schemas)
    stage = ovstage.Stage("fajin")
    ovstage.population.open_usd(stage, scene, ordinal=1, domains=ovstage.PopulationDomain.ALL)
    stage.advance_write_floor(ordinal=1).wait()
    physics.wait_task(physics.attach_ovstage(stage, read_ordinal=1))
    physics.stage_in_use = stage  # which must live as long
    return physics


def bind(physics: Any, worlds: int) -> dict:
    """Return the tensors of the articulations, in the order of the worlds."""
    from ovphysx.types import ObjectScope, SimObjectType, TensorType

    with physics.read_sync(SimObjectType.ARTICULATION, ["dofCount"], scope=ObjectScope.ALL) as found:
        paths = [path for group in found.groups for path in found.dictionary.get_path_strings(group.prim_list)]
    types = {
        "q": TensorType.ARTICULATION_DOF_POSITION, "qd": TensorType.ARTICULATION_DOF_VELOCITY,
        "target_q": TensorType.ARTICULATION_DOF_POSITION_TARGET,
        "effort": TensorType.ARTICULATION_DOF_ACTUATION_FORCE,
        "pose": TensorType.ARTICULATION_ROOT_POSE, "velocity": TensorType.ARTICULATION_ROOT_VELOCITY,
    }  # fmt: skip
    if len(paths) != worlds:
        raise SystemExit(f"articulations = {', '.join(paths)}: must be one in each world")
    paths.sort(key=world_of)
    return {name: physics.create_tensor_binding(prim_paths=paths, tensor_type=kind) for name, kind in types.items()}


def reported(physics: Any, colliders: list[str]) -> Callable[[], np.ndarray]:
    """Return what reads the net forces on colliders, (COLLIDERS, 3): of their pairs' normals and of friction."""
    if not colliders:
        return lambda: np.zeros((0, 3), np.float32)
    binding = physics.create_contact_binding(sensor_patterns=colliders)  # PhysX keeps contacts from now on
    found = list(binding.sensor_paths)
    if missing := [path for path in colliders if path not in found]:
        raise SystemExit(f"contacts of {', '.join(missing)}: must be reported")
    order = [found.index(path) for path in colliders]

    def read_forces() -> np.ndarray:
        parts = np.zeros((2, len(found), 3), np.float32)
        binding.read_net_normal_forces(parts[0])
        binding.read_net_friction_forces(parts[1])
        return parts.sum(0)[order]

    return read_forces


def world_of(path: str) -> int:
    """Return the world of a prim: its I below /World/envs/env_I, or 0."""
    found = re.match("/World/envs/env_([0-9]+)/", path)
    return int(found[1]) if found else 0


def read(binding: Any) -> np.ndarray:
    """Return the numbers of a tensor, a row for each articulation."""
    values = np.zeros(binding.shape, np.float32)
    binding.read(values)
    return values


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
    sys.stdout.flush()
    os._exit(0)  # PhysX's own end may wait
