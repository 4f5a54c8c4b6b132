"""Policies as ONNX files, with the names of the task, its joints and its observations as metadata."""

import json
from dataclasses import asdict, dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..atomic_write import staged_file
from ..errors import InputError, one_line, reason_of, shorten

if TYPE_CHECKING:
    from .env import Env

KEY = "fajin"


@dataclass(frozen=True)
class Signature:
    """Task, joints and observations of a policy."""

    task: str
    joint_names: tuple[str, ...]  # in the order of the actions, PhysX's
    observations: dict[str, int]  # numbers of each term, in their order
    actions: int

    @classmethod
    def of(cls, env: "Env") -> "Signature":
        """Return the signature of an environment."""
        names = [name for term in env.task.actions.values() for name in getattr(term, "names", ())]
        return cls(env.task.name, tuple(names), dict(env.observation_sizes["policy"]), env.num_actions)

    def check(self, other: "Signature", place: str) -> None:
        """Raise InputError unless an environment has these joints and observations."""
        if self.joint_names != other.joint_names:
            rule = f"must be {', '.join(other.joint_names)}"
            raise InputError(f"{place}, joints = {', '.join(self.joint_names)}: {rule}, those of the scene")
        if self.observations != other.observations:
            rule = f"must be {_terms(other.observations)}, those of {other.task}"
            raise InputError(f"{place}, observations = {_terms(self.observations)}: {rule}")


def _terms(sizes: dict[str, int]) -> str:
    return ", ".join(f"{name} {size}" for name, size in sizes.items())


def export(model: Any, env: "Env", path: Path) -> None:
    """Write a policy of rsl_rl as an ONNX file, completely or not at all."""
    import onnx
    import torch

    network, buffer = model.as_onnx(verbose=False).to("cpu").eval(), BytesIO()
    example = torch.zeros(2, network.input_size)
    axes = {"obs": {0: "worlds"}, "actions": {0: "worlds"}}
    torch.onnx.export(
        network, (example,), buffer,  # pyright: ignore[reportArgumentType]  # dynamo=False takes files
        dynamo=False, input_names=["obs"], output_names=["actions"], dynamic_axes=axes,
        opset_version=17,
    )  # fmt: skip
    graph = onnx.load_model_from_string(buffer.getvalue())
    onnx.helper.set_model_props(graph, {KEY: json.dumps(asdict(Signature.of(env)))})
    with staged_file(path) as staged:
        staged.write_bytes(graph.SerializeToString())


def _read_signature(words: str, path: str) -> Signature:
    """Return the signature in the metadata of a file.

    Raises:
        InputError: the metadata are not those that `export` writes.
    """
    try:
        found = Signature(**json.loads(words))
        names, sizes = list(found.joint_names), found.observations.values()
        if not all(isinstance(name, str) for name in (found.task, *names, *found.observations)):
            raise TypeError
        if not all(type(size) is int for size in (*sizes, found.actions)):
            raise TypeError
    except (ValueError, TypeError, AttributeError, RecursionError):
        rule = "must have task, joint_names, observations and actions; pass a policy that fajin train wrote"
        raise InputError(f"{path}, metadata = {shorten(one_line(words), 60)}: {rule}") from None
    return replace(found, joint_names=tuple(names))


class Policy:
    """A policy of an ONNX file: observations (W, K) to actions (W, A), float32.

    Args:
        path: file that `fajin train` wrote.

    Raises:
        InputError: the file is missing, or not such a policy.
        ImportError: onnxruntime is not installed.
    """

    def __init__(self, path: str | Path):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 4
        if not Path(path).is_file():
            raise InputError(f"{path}: must be an ONNX file; there is none")
        try:
            self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime has a class of its own for each reason
            raise InputError(f"{path}: must be an ONNX file; {reason_of(error)}") from None
        words = self._session.get_modelmeta().custom_metadata_map.get(KEY)
        if words is None:
            raise InputError(f"{path}, metadata: must have {KEY!r}; pass a policy that fajin train wrote")
        self.signature = _read_signature(words, str(path))
        """Task, joints and observations that it was trained with."""
        self._check_sizes(str(path))

    def _check_sizes(self, path: str) -> None:
        """Raise InputError unless the network has the sizes of its signature."""
        told = self.signature
        for what, nodes, size in (
            ("observations", self._session.get_inputs(), sum(told.observations.values())),
            ("actions", self._session.get_outputs(), told.actions),
        ):
            shapes = [node.shape for node in nodes]
            if [shape[1:] for shape in shapes] != [[size]]:
                seen = ", ".join(map(str, shapes))
                raise InputError(f"{path}, {what} = {seen}: must be (worlds, {size}), as its metadata says")

    def __call__(self, observations: np.ndarray) -> np.ndarray:
        """Return the actions, (W, A).

        Raises:
            InputError: the observations have another shape.
        """
        shape, size = np.shape(observations), sum(self.signature.observations.values())
        if len(shape) != 2 or shape[1] != size:
            raise InputError(f"observations = {shape}: must be (worlds, {size}), as the policy was trained")
        observations = np.asarray(observations, np.float32)
        return np.asarray(self._session.run(["actions"], {"obs": observations})[0])
