"""Joint logs as MCAP, which Foxglove, PlotJuggler and rerun open: messages sensor_msgs/msg/JointState in CDR.

Joint states on a topic of commands, such as /joint_commands, are commands. A message
control_msgs/msg/JointTrajectoryControllerState has both: its first point is the reference, its second the measurement.

A message is a 4-byte header, then its fields one after the other, each aligned to its size counted from after that
header: stamp (int32 s, uint32 ns), frame_id, names, positions, velocities and efforts.
"""

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..atomic_write import OutputError
from ..errors import InputError, reason_of
from ..input_file import DAMAGED, check_input, check_unpacked

TOPIC, SCHEMA = "/joint_states", "sensor_msgs/msg/JointState"
COMMANDS = "/joint_commands"
OF_COMMANDS = ("command", "cmd", "target", "desired", "reference", "goal")
"""Parts of the names of topics whose joint states are commands."""

CONTROLLER = "control_msgs/JointTrajectoryControllerState"
NANO = 10**9
LITTLE, BIG = b"\0\1\0\0", b"\0\0\0\0"
RULE = "=" * 80
DEFINITION = f"""std_msgs/Header header
string[] name
float64[] position
float64[] velocity
float64[] effort
{RULE}
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
{RULE}
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
"""


class JointState(NamedTuple):
    """One message."""

    time: float  # [s]
    name: tuple[str, ...]
    values: tuple[np.ndarray, np.ndarray, np.ndarray]  # position, velocity, effort; each (D,) or empty
    command: bool = False


def check_mcap(path: Path) -> None:
    """Raise OutputError if the package mcap is missing."""
    try:
        import mcap.writer  # noqa: F401
    except ImportError:
        raise OutputError(f"{path}: needs the package mcap; pip install mcap, or choose .npz or .csv") from None


class McapWriter:
    """A file of joint states that grows message by message."""

    def __init__(self, path: Path, names: Sequence[str]):
        from mcap.writer import CompressionType, Writer

        self._file = path.open("wb")
        self._writer = Writer(self._file, compression=CompressionType.ZSTD)
        self._writer.start("ros2", "fajin")
        schema = self._writer.register_schema(SCHEMA, "ros2msg", DEFINITION.encode())
        self._channel, self._commands = (
            self._writer.register_channel(topic, "cdr", schema) for topic in (TOPIC, COMMANDS)
        )
        self._names = _encode_names(names)

    def add(self, time: float, values: Sequence[np.ndarray], command: bool = False) -> None:
        """Append positions, velocities and efforts, each (D,), that were measured or commanded."""
        stamp = round(time * NANO)
        body = struct.pack("<iI", stamp // NANO, stamp % NANO) + struct.pack("<I", 1) + b"\0"
        body = _aligned(body, 4) + self._names
        for numbers in values:
            body = _aligned(body, 4) + struct.pack("<I", len(numbers))
            if len(numbers):  # an empty list is not aligned
                body = _aligned(body, 8) + np.asarray(numbers, "<f8").tobytes()
        channel = self._commands if command else self._channel
        self._writer.add_message(channel, log_time=stamp, publish_time=stamp, data=LITTLE + body)

    def close(self) -> None:
        """Write the index and close the file."""
        self._writer.finish()
        self._file.close()


def read_joint_states(path: str | Path) -> list[JointState]:
    """Return all joint states and commands of a file in the order of their time.

    Raises:
        InputError: the package mcap is missing, the file is not MCAP, or it has no joint states in CDR.
    """
    try:
        from mcap.exceptions import McapError
        from mcap.reader import make_reader
        from mcap.records import Chunk
        from mcap.stream_reader import StreamReader
        from zstandard import ZstdError
    except ImportError:
        raise InputError(f"{path}: needs the package mcap; pip install mcap") from None
    states = []
    try:
        check_input(path)
        with Path(path).open("rb") as file:
            chunks = (record for record in StreamReader(file, emit_chunks=True).records if isinstance(record, Chunk))
            check_unpacked(sum(map(_unpacked, chunks)), Path(path).stat().st_size)
            file.seek(0)
            for schema, channel, message in make_reader(file).iter_messages():
                name = schema.name.replace("/msg/", "/") if schema and channel.message_encoding == "cdr" else ""
                stamp = message.log_time / NANO
                if name == SCHEMA.replace("/msg/", "/"):
                    state = _decode(message.data, stamp)
                    states.append(state._replace(command=any(word in channel.topic.lower() for word in OF_COMMANDS)))
                elif name == CONTROLLER:
                    states += _decode_controller(message.data, stamp)
    except (OSError, McapError, ZstdError, struct.error, *DAMAGED) as error:
        raise InputError(f"{path}: must be an MCAP file ({reason_of(error)}); record it again") from None
    if all(state.command for state in states):
        raise InputError(f"{path}: must have messages {SCHEMA} in CDR; record the topic {TOPIC}")
    return states


def _unpacked(chunk: Any) -> int:
    """Return the bytes that a chunk unpacks to, by its own header and by that of its compression."""
    from zstandard import frame_content_size

    return max(chunk.uncompressed_size, frame_content_size(chunk.data) if chunk.compression == "zstd" else 0)


def _encode_names(names: Sequence[str]) -> bytes:
    """Return the names as CDR; a multiple of 4 bytes precedes them."""
    body = struct.pack("<I", len(names))
    for name in names:
        text = name.encode() + b"\0"
        body = _aligned(body, 4) + struct.pack("<I", len(text)) + text
    return body


def _aligned(body: bytes, size: int) -> bytes:
    return body + b"\0" * (-len(body) % size)


class _Cursor:
    """A place in the bytes of a message."""

    def __init__(self, data: bytes):
        self.order = "<" if data[1] & 1 else ">"
        self.data, self.place = data[4:], 0

    def number(self, kind: str) -> Any:
        size = struct.calcsize(kind)
        self.place += -self.place % size
        (value,) = struct.unpack_from(self.order + kind, self.data, self.place)
        self.place += size
        return value

    def text(self) -> str:
        length = self.number("I")
        value = self.data[self.place : self.place + length]
        self.place += length
        return value.rstrip(b"\0").decode()

    def numbers(self) -> np.ndarray:
        """Read a CDR sequence of float64, aligned to eight bytes, (count,)."""
        count = self.number("I")
        if count:
            self.place += -self.place % 8
        found = np.frombuffer(self.data, self.order + "f8", count, self.place)
        self.place += 8 * count
        return found.astype(float)


def _decode(data: bytes, stamp: float) -> JointState:
    """Return a message; its own stamp counts unless that is zero, as where a driver sets none."""
    cursor = _Cursor(data)
    time = cursor.number("i") + cursor.number("I") / NANO
    cursor.text()
    names = tuple(cursor.text() for _ in range(cursor.number("I")))
    return JointState(time or stamp, names, (cursor.numbers(), cursor.numbers(), cursor.numbers()))


def _decode_controller(data: bytes, stamp: float) -> list[JointState]:
    """Return the command and the measurement of a controller's message."""
    cursor = _Cursor(data)
    time = cursor.number("i") + cursor.number("I") / NANO
    cursor.text()
    names = tuple(cursor.text() for _ in range(cursor.number("I")))
    found = []
    for command in (True, False):
        position, velocity, _, effort = (cursor.numbers() for _ in range(4))
        found.append(JointState(time or stamp, names, (position, velocity, effort), command))
        for kind in "iI":  # time since the start of the trajectory
            cursor.number(kind)
    return found
