"""Coverage-guided fuzzing of the reader of scenes in JSON and of `Model.read`; needs the package `atheris`.

    python tests/fuzz/fuzz_coverage.py json -runs=10000000
    python tests/fuzz/fuzz_coverage.py model -runs=100000

Inputs must give a scene or model without NaN, or an exception that its caller expects; all else ends the fuzzer, which
leaves the input in a file. The other options are libFuzzer's.
"""

import io
import json
import os
import sys
import tempfile
import zipfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random

from damage import damage_bytes

STRANGE = (None, True, -1, 0, 2**31, 2**53, 2**64, 1e308, float("inf"), float("-inf"), float("nan"), "", "x" * 100)
NESTED = ([], {}, [[]], {"a": 1}, [0.0, 0.0, 0.0])
LONGEST = 4_000  # bytes of an input
LONGEST_LINE = 500  # letters of a refusal
COMPILED = 16  # of so many scenes one is compiled


def twist(value: object, draw: Random) -> None:
    """Change one place of a plain value."""
    while True:
        places = list(value) if isinstance(value, dict) else list(range(len(value)))
        if not places:
            return
        key = draw.choice(places)
        inner = value[key]
        if isinstance(inner, dict | list) and inner and draw.random() < 0.9:
            value = inner
            continue
        how = draw.randrange(5)
        if how == 0:
            del value[key]
        elif how == 1 and isinstance(value, list):
            value.append(inner)
        elif how == 2 and isinstance(inner, float | int):
            value[key] = inner * draw.choice((-1, 0, 1e10, 1e-10, 0.5))
        elif how == 3:
            value[draw.choice(places)] = inner
        else:
            strange = draw.choice((*STRANGE, *NESTED))
            value[key] = json.loads(json.dumps(strange)) if isinstance(strange, dict | list) else strange
        return


def twist_json(content: bytes, seed: int) -> bytes:
    """Return JSON of which up to three places are changed; bytes that are not JSON are damaged as such."""
    draw = Random(seed)
    try:
        value = json.loads(content)
        for _ in range(draw.choice((1, 1, 2, 3))):
            twist(value, draw)
        return json.dumps(value).encode()
    except (ValueError, TypeError, RecursionError):
        return damage_bytes(content, draw)


def twist_archive(content: bytes, seed: int) -> bytes:
    """Return a model's file of which an array is changed, left out, or another's."""
    draw = Random(seed)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
        name = draw.choice(sorted(files))
        how = draw.randrange(6)
        if how == 0:
            del files[name]
        elif how == 1:
            files[name] = files[draw.choice(sorted(files))]
        elif how == 2:
            files["scene.npy"] = _as_array(twist_json(_as_text(files["scene.npy"]), seed))
        else:
            files[name] = damage_bytes(files[name], draw) if how == 3 else _damage_values(files[name], draw)
    except Exception:  # it is damaged already
        return damage_bytes(content, draw)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", draw.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
        for entry, data in files.items():
            archive.writestr(entry, data)
    return packed.getvalue()


def _damage_values(array: bytes, draw: Random) -> bytes:
    """Return an array's file with a changed value; its header stays."""
    start = array.index(b"\n") + 1
    if start >= len(array):
        return array
    changed = bytearray(array)
    at = start + 8 * draw.randrange((len(array) - start + 7) // 8)
    changed[at : at + 8] = draw.choice((b"\xff" * 8, b"\0" * 8, bytes(6) + b"\xf0\x7f", draw.randbytes(8)))
    return bytes(changed[: len(array)])


def _as_text(array: bytes) -> bytes:
    import numpy as np

    return str(np.load(io.BytesIO(array), allow_pickle=False)).encode()


def _as_array(text: bytes) -> bytes:
    import numpy as np

    packed = io.BytesIO()
    np.save(packed, np.array(text.decode("utf-8", "replace")), allow_pickle=False)
    return packed.getvalue()


@cache
def scenes() -> tuple[bytes, ...]:
    """Sound scenes in JSON, without diagnostics."""
    from fajin import read
    from fajin.scene.serialization import to_json

    texts = [to_json(read(path, trusted=True)) for path in sorted((Path(__file__).parent / "seeds").glob("*.usda"))]
    plain = [json.loads(text) | {"source": "x", "reports": []} for text in texts]
    return tuple(json.dumps(value).encode() for value in plain)


def models(folder: Path) -> tuple[bytes, ...]:
    """Files of sound models."""
    from fajin import compile
    from fajin.scene.serialization import from_json

    path, found = folder / "sound.npz", []
    for scene in scenes():
        compile(from_json(scene.decode())).write(path)
        found.append(path.read_bytes())
    return tuple(found)


def judge_json(content: bytes) -> str:
    """What becomes of JSON: "scene" or "refused"; raises what no caller expects."""
    from fajin.scene import InvalidScene
    from fajin.scene.serialization import MALFORMED, from_json

    try:
        scene = from_json(content.decode("utf-8", "replace"))
    except MALFORMED:
        return "refused"
    if hash(content) % COMPILED == 0:
        from fuzz_scenes import not_a_number

        from fajin import compile

        with suppress(InvalidScene):
            name = not_a_number(scene, compile(scene))
            assert not name, f"{name} is NaN"
    return "scene"


def judge_model(content: bytes, path: Path) -> str:
    """What becomes of a model's file: "scene" or "refused"; raises what no caller expects."""
    from fuzz_scenes import not_a_number

    from fajin import InvalidScene, Model

    path.write_bytes(content)
    try:
        model = Model.read(path)
    except InvalidScene as error:
        if "\n" in str(error) or len(str(error)) > LONGEST_LINE:
            raise AssertionError(str(error)[:LONGEST_LINE]) from None
        return "refused"
    name = not_a_number(model.scene, model)
    assert not name, f"{name} is NaN"
    return "scene"


def main() -> None:
    """Run libFuzzer on a target."""
    import atheris

    target, words = sys.argv[1], sys.argv[2:]
    folder = Path(tempfile.mkdtemp(prefix="fajin-coverage-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    with atheris.instrument_imports(include=["fajin"]):
        import fajin.model.model
        import fajin.npz
        import fajin.scene.serialization  # noqa: F401
    corpus = folder / "corpus"
    corpus.mkdir()
    for i, content in enumerate(scenes() if target == "json" else models(folder)):
        (corpus / f"{i}").write_bytes(content)

    def judge(content: bytes) -> None:
        judge_json(content) if target == "json" else judge_model(content, folder / "input.npz")

    def mutate(content: bytes, most: int, seed: int) -> bytes:
        if seed % 4 == 0:
            return atheris.Mutate(content, most)
        return (twist_json if target == "json" else twist_archive)(content, seed)[:most]

    longest = LONGEST if target == "json" else 100_000
    options = [sys.argv[0], f"-max_len={longest}", "-timeout=30", "-rss_limit_mb=4000", *words, str(corpus)]
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    atheris.Setup(options, judge, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
