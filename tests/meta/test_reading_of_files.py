"""Files from others are read in one place, which has the caps; each other place that reads a file is listed here."""

import ast

from meta.house import tree
from paths import ROOT

READERS = {"input_file.py", "npz.py", "recording/mcap_log.py", "fit/torch_archive.py"}
"""The places that read files of users: each checks size and kind before."""

WITHOUT_READERS = {"sandbox", "compiler", "device"}
"""Folders without files of users: pipes of child processes, and compiled kernels."""

LIBRARY = {"csv.reader", "csv.DictReader", "np.load", "np.loadtxt", "np.genfromtxt", "np.fromfile", "json.load"} | {
    "tomllib.loads", "tomllib.load", "parquet.read_table", "parquet.read_schema", "parquet.read_metadata",
    "pyarrow.parquet.read_table", "zipfile.ZipFile", "ZipFile", "pickle.load", "pickle.loads", "zipfile.is_zipfile",
}  # fmt: skip
PATHS = {"read_text", "read_bytes"}

OWN = {
    "jobs/execution/payload.py": "files of the job, hashed before; results of shards on machines of the job",
    "visual/look/page.py": "scripts of fajin",
    "recording/joint_log.py": "writes an archive",
    "recording/log_columns.py": "numbers in lines that `input_file` has read",
    "usd/read/mesh_pieces.py": "the source of what cuts meshes",
    "usd/stage/prescan.py": "packages, in the child process",
}
"""Other files that use a reader of libraries, and what they read."""


def calls(path) -> set[str]:
    """Readers that a file calls."""
    found = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name in LIBRARY or name.rpartition(".")[2] in PATHS:
                found.add(name)
    return found


def test_files_of_users_are_read_in_one_place():
    """`input_file` for text and tables, `npz` for archives; MCAP and PyTorch have a place each."""
    engine = ROOT / "engine"
    files = {path.relative_to(engine).as_posix(): calls(path) for path in sorted(engine.rglob("*.py"))}
    users = {name for name, found in files.items() if found and name.split("/")[0] not in WITHOUT_READERS}
    assert users - READERS - set(OWN) == set()
    assert set(OWN) - users == set(), "no longer needed"
    assert {"input_file.py", "npz.py"} <= users
