"""One articulation in PhysX, in a process of a Python that has ovphysx: run as a script, it imports nothing of fajin.

    python physx_worker.py SCENE

Each line of stdin is a request in JSON: {"dt": s, "steps": n, "target_q": […]} or "effort", in PhysX's order. Each line
of stdout is the state after it: q, qd, pose (x, y, z, quaternion x, y, z, w) and velocity of the root. The first line
of stdout has the names of the degrees of freedom. PhysX reads and writes tensors after a first step only, so the
first request writes none.
"""

import json
import os
import sys
from typing import Any

import numpy as np


def main(scene: str) -> None:
    """Answer requests until stdin ends."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # PhysX prints
    physics = attached(scene)
    bindings, names = None, None
    print(json.dumps({"ready": scene}), file=replies, flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        for name in ("target_q", "effort"):
            if name in request and bindings:
                bindings[name].write(np.array([request[name]], np.float32))
        for _ in range(request["steps"]):
            physics.step_sync(request["dt"])
        if bindings is None:
            bindings = bind(physics)
            names = [name.rsplit("/", 1)[-1] for name in bindings["q"].dof_names]
        state = {name: read(bindings[name]) for name in ("q", "qd", "pose", "velocity")}
        print(json.dumps({"dof": names, **state}), file=replies, flush=True)


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


def bind(physics: Any) -> dict:
    """Return the tensors of the only articulation."""
    from ovphysx.types import ObjectScope, SimObjectType, TensorType

    with physics.read_sync(SimObjectType.ARTICULATION, ["dofCount"], scope=ObjectScope.ALL) as found:
        paths = [path for group in found.groups for path in found.dictionary.get_path_strings(group.prim_list)]
    types = {
        "q": TensorType.ARTICULATION_DOF_POSITION, "qd": TensorType.ARTICULATION_DOF_VELOCITY,
        "target_q": TensorType.ARTICULATION_DOF_POSITION_TARGET,
        "effort": TensorType.ARTICULATION_DOF_ACTUATION_FORCE,
        "pose": TensorType.ARTICULATION_ROOT_POSE, "velocity": TensorType.ARTICULATION_ROOT_VELOCITY,
    }  # fmt: skip
    if len(paths) != 1:
        raise SystemExit(f"articulations = {', '.join(paths)}: must be one")
    return {name: physics.create_tensor_binding(pattern=paths[0], tensor_type=kind) for name, kind in types.items()}


def read(binding: Any) -> list[float]:
    """Return the numbers of a tensor of one articulation."""
    values = np.zeros(binding.shape, np.float32)
    binding.read(values)
    return values.reshape(-1).tolist()


if __name__ == "__main__":
    main(sys.argv[1])
    sys.stdout.flush()
    os._exit(0)  # PhysX's own end may wait
