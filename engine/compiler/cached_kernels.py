"""List of the kernels in the cache of machine code, and what makes a kernel new beside them."""

import json
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from .code_cache import DIGEST, SUFFIX
from .kernel_cache import kernel_cache
from .kernel_compiler import KernelRequest, sources

HEADER_BYTES = 1 << 16
"""Bytes of a file that are read for its header, which is shorter."""


@dataclass(frozen=True)
class CachedKernel:
    """A kernel, or a part of one, in the cache. A file of an older version has no `bits`, `lanes` and `features`."""

    name: str
    bytes: int
    seconds: float  # since its last use
    bits: int | None = None
    lanes: int | None = None
    device: str = ""  # cpu, or the architecture of a GPU
    features: tuple[str, ...] = ()


def cached_kernels() -> list[CachedKernel]:
    """Return the kernels in the cache, the last used first."""
    return sorted(_read_all(), key=lambda kernel: kernel.seconds)


def has_kernels() -> bool:
    """Return whether the newest kernel of the cache is made from the sources of this process."""
    made = {path: path.stat().st_mtime for path in kernel_cache().glob(f"*{SUFFIX}")}
    if not made:
        return False
    with max(made, key=made.__getitem__).open("rb") as file:
        head = file.read(HEADER_BYTES)[DIGEST:].partition(b"\n")[0]
    return json.loads(head).get("sources") == sources()


def _read_all() -> Iterator[CachedKernel]:
    for path in kernel_cache().glob(f"*{SUFFIX}"):
        with suppress(OSError), path.open("rb") as file:  # another process may remove it
            about, head = path.stat(), file.read(HEADER_BYTES)[DIGEST:].partition(b"\n")[0]
            name, seconds = path.stem.rpartition("-")[0], max(0.0, time.time() - about.st_mtime)
            yield CachedKernel(name, about.st_size, seconds, **_properties(head))


def _properties(head: bytes) -> dict[str, Any]:
    """Return bits, lanes, device and features of a header; nothing if it states none of them."""
    try:
        words = json.loads(head)["request"]
        return {
            "bits": words["bits"],
            "lanes": words["lanes"],
            "device": words["architecture"] or "cpu",
            "features": _features(words["templates"]),
        }
    except (ValueError, KeyError, TypeError):
        return {}


def _features(templates: list) -> tuple[str, ...]:
    """Return the features of a request's templates in JSON, and the law of an equation."""
    names: list[str] = []
    for value in templates:
        names += [name for name, on in value.items() if on] if isinstance(value, dict) else []
        names += [value] if isinstance(value, str) else []
    return tuple(names)


def kernel_line(request: KernelRequest) -> str:
    """Return name, bits, lanes, device and features of a kernel."""
    features = ", ".join(_features(request.words()["templates"]))
    return f"{request.name} f{request.bits}x{request.lanes} {request.architecture or 'cpu'} {{{features}}}"


def reason_to_compile(request: KernelRequest) -> str:
    """Return which properties of a kernel no cached kernel of its name has, or that there is none of this name."""
    device, features = request.architecture or "cpu", _features(request.words()["templates"])
    cached = list(_read_all())
    same = [kernel for kernel in cached if kernel.name == request.name and kernel.bits]
    if not same:
        return f"no {request.name} is cached yet" if cached else "none is cached yet"
    known = {(kernel.bits, kernel.lanes, kernel.device, kernel.features) for kernel in same}
    if (request.bits, request.lanes, device, features) in known:
        return "another law, compiler or processor"
    news = [f"f{request.bits}"] * (request.bits not in {kernel.bits for kernel in same})
    news += [f"{request.lanes} lanes"] * (request.lanes not in {kernel.lanes for kernel in same})
    news += [device] * (device not in {kernel.device for kernel in same})
    compiled = {feature for kernel in same for feature in kernel.features}
    news += [feature for feature in features if feature not in compiled]
    return f"new: {', '.join(news)}" if news else "a new combination of laws"
