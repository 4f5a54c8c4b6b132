"""Reading of tensors from a file of torch.save without torch, and without unpickling.

Such a file is a zip of raw storages and a pickle that names them. A pickle may run any code when it is loaded. This
module only lists its instructions, and follows those that build a dictionary of tensors from numbers and names.
"""

import pickletools
import zipfile
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError, reason_of
from ..input_file import DAMAGED, check_input

DTYPES = {
    "FloatStorage": "<f4", "DoubleStorage": "<f8", "HalfStorage": "<f2",
    "LongStorage": "<i8", "IntStorage": "<i4", "ShortStorage": "<i2", "ByteStorage": "u1", "BoolStorage": "?",
}  # fmt: skip
MARK = object()
CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}


class Name(NamedTuple):
    """A global that the pickle names; it is never imported."""

    text: str  # "torch FloatStorage"


class Storage(NamedTuple):
    """A reference to a storage of the zip."""

    dtype: str
    key: str


class Tensor(NamedTuple):
    """A view of a storage."""

    storage: Storage
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


class Unreadable(Exception):
    """Raised where a pickle does something else than build a dictionary of tensors."""


def read_torch_archive(path: Path) -> dict[str, np.ndarray]:
    """Return the tensors of a dictionary that torch.save wrote, by name, as float64.

    Raises:
        InputError: the file is missing, is not such a zip, or its pickle builds anything else.
    """
    try:
        check_input(path)
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            listing = next((name for name in names if name.endswith("data.pkl")), None)
            if listing is None:
                raise Unreadable("it has no data.pkl")
            found = follow_pickle(archive.read(listing))
            folder = listing.removesuffix("data.pkl")
            tensors = {key: value for key, value in found.items() if isinstance(value, Tensor)}
            return {str(key): _load(archive, folder, value) for key, value in tensors.items()}
    except FileNotFoundError:
        raise InputError(f"{path}: must be a file that can be read; check the path") from None
    except (Unreadable, zipfile.BadZipFile, zlib.error, OSError, *DAMAGED) as error:
        fix = "fajin does not unpickle: save it as .npz"
        raise InputError(f"{path}: must be a zip of tensors by torch.save ({reason_of(error)}); {fix}") from None


def _load(archive: zipfile.ZipFile, folder: str, tensor: Tensor) -> np.ndarray:
    """Return the values of a tensor."""
    raw = np.frombuffer(archive.read(f"{folder}data/{tensor.storage.key}"), tensor.storage.dtype)
    last = tensor.offset + sum((n - 1) * step for n, step in zip(tensor.shape, tensor.strides, strict=True))
    if min(tensor.shape, default=1) < 1 or min(tensor.strides, default=1) < 0 or not 0 <= tensor.offset <= last:
        raise Unreadable("a tensor is empty or has negative strides")
    if last >= len(raw):
        raise Unreadable("a tensor is longer than its storage")
    size = raw.itemsize
    view = np.lib.stride_tricks.as_strided(raw[tensor.offset :], tensor.shape, [size * s for s in tensor.strides])
    return view.astype(float)


def follow_pickle(data: bytes) -> dict[Any, Any]:
    """Return the dictionary that a pickle builds, with names and tensors in place of objects; nothing is called."""
    stack: list[Any] = []
    memo: dict[int, Any] = {}
    for opcode, argument, _ in pickletools.genops(data):
        code = opcode.name
        if code == "STOP":
            break
        if code in ("PROTO", "FRAME"):
            continue
        if code in ("BINPUT", "LONG_BINPUT", "PUT"):
            memo[int(argument or 0)] = stack[-1]
        elif code == "MEMOIZE":
            memo[len(memo)] = stack[-1]
        elif code in ("BINGET", "LONG_BINGET", "GET"):
            stack.append(memo[int(argument or 0)])
        else:
            _apply(code, argument, stack)
    if len(stack) != 1 or not isinstance(stack[0], dict):
        raise Unreadable("its pickle does not build a dictionary")
    return stack[0]


def _apply(code: str, argument: Any, stack: list[Any]) -> None:
    """Follow one instruction that changes the stack."""
    if code in CONSTANTS:
        stack.append(CONSTANTS[code])
    elif code == "MARK":
        stack.append(MARK)
    elif code in ("EMPTY_DICT", "EMPTY_TUPLE", "EMPTY_LIST"):
        stack.append({"EMPTY_DICT": dict, "EMPTY_TUPLE": tuple, "EMPTY_LIST": list}[code]())
    elif code == "GLOBAL":
        stack.append(Name(argument))
    elif code == "STACK_GLOBAL":
        stack[-2:] = [Name(f"{stack[-2]} {stack[-1]}")]
    elif code in ("TUPLE1", "TUPLE2", "TUPLE3"):
        count = int(code[-1])
        stack[-count:] = [tuple(stack[-count:])]
    elif code in ("TUPLE", "LIST"):
        items = _since_mark(stack)
        stack.append(tuple(items) if code == "TUPLE" else items)
    elif code in ("SETITEM", "SETITEMS"):
        items = _since_mark(stack) if code == "SETITEMS" else [stack.pop(-2), stack.pop()]
        stack[-1].update(zip(items[::2], items[1::2], strict=True))
    elif code in ("APPEND", "APPENDS"):
        items = _since_mark(stack) if code == "APPENDS" else [stack.pop()]
        stack[-1].extend(items)
    elif code == "BINPERSID":
        stack.append(_storage(stack.pop()))
    elif code == "REDUCE":
        given, made = stack.pop(), stack.pop()
        stack.append(_made(made, given))
    elif isinstance(argument, int | float | str):
        stack.append(argument)
    else:
        raise Unreadable(f"its pickle has the instruction {code}")


def _since_mark(stack: list[Any]) -> list[Any]:
    """Remove and return what lies above the last mark."""
    at = len(stack) - 1 - next(i for i, item in enumerate(reversed(stack)) if item is MARK)
    items = stack[at + 1 :]
    del stack[at:]
    return items


def _storage(words: Any) -> Storage:
    """Return the storage that a persistent id names: ("storage", type, key, device, count)."""
    kind = words[1].text.split()[-1] if isinstance(words[1], Name) else ""
    if words[0] != "storage" or kind not in DTYPES:
        raise Unreadable(f"its pickle names a storage of type {kind or words[1]}")
    return Storage(DTYPES[kind], str(words[2]))


def _made(made: Any, given: Any) -> Any:
    """Return the symbolic result of a call: a tensor, or an empty dictionary of hooks."""
    text = made.text if isinstance(made, Name) else ""
    if text == "collections OrderedDict" and not given:
        return {}
    if text == "torch._utils _rebuild_tensor_v2" and isinstance(given[0], Storage):
        return Tensor(given[0], int(given[1]), tuple(map(int, given[2])), tuple(map(int, given[3])))
    raise Unreadable(f"its pickle calls {text.replace(' ', '.') or 'an object'}")
