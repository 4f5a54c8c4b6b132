"""Files of glTF, read as its standard describes them."""

import json
import struct

import numpy as np

TYPES = {5126: np.float32, 5123: np.uint16, 5125: np.uint32}
SIZES = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}


def parse(content: bytes) -> tuple[dict, list[np.ndarray]]:
    """Document and accessors of a file; raises where lengths and alignments break the rules."""
    magic, version, length = struct.unpack_from("<4s2I", content)
    assert (magic, version, length) == (b"glTF", 2, len(content))
    size, kind = struct.unpack_from("<2I", content, 12)
    assert kind == 0x4E4F534A
    assert size % 4 == 0
    document = json.loads(content[20 : 20 + size])
    rest, kind = struct.unpack_from("<2I", content, 20 + size)
    assert kind == 0x004E4942
    binary = content[28 + size :]
    assert len(binary) == rest == document["buffers"][0]["byteLength"]
    arrays = []
    for accessor in document["accessors"]:
        view = document["bufferViews"][accessor["bufferView"]]
        assert view["byteOffset"] % 4 == 0
        assert view["byteOffset"] + view["byteLength"] <= rest
        number = TYPES[accessor["componentType"]]
        array = np.frombuffer(binary, number, accessor["count"] * SIZES[accessor["type"]], view["byteOffset"])
        assert array.nbytes == view["byteLength"]
        arrays.append(array.reshape(-1, SIZES[accessor["type"]]))
        for end in ("min", "max"):
            if end in accessor:
                np.testing.assert_array_equal(getattr(arrays[-1], end)(axis=0), np.float32(accessor[end]))
    return document, arrays
