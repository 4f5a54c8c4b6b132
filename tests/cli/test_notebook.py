"""The cells of the notebook run one after the other, and give what their text says."""

import json

import numpy as np
import pytest
from commands import working_folder
from paths import ROOT

NOTEBOOK = json.loads((ROOT / "docs" / "first-steps.ipynb").read_text(encoding="utf-8"))
CODE = ["".join(cell["source"]) for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]


def test_cells_run_in_their_order(tmp_path):
    """Arms sag past their targets, the more the farther they lean; picture and layer are there."""
    pytest.importorskip("pandas")
    (tmp_path / "scenes").symlink_to(ROOT / "scenes")
    names: dict = {"__name__": "__main__"}
    with working_folder(tmp_path):
        for cell in CODE:
            exec(cell, names)
    assert names["frame"].index.names == ["time", "world"]
    assert names["picture"].shape == (240, 320, 3)
    assert names["sag"][0] > 0.0
    assert (np.diff(names["sag"]) > 0.0).all()
    assert (tmp_path / "arm7.anim.usda").stat().st_size


def test_the_notebook_is_stored_without_outputs():
    """Outputs would differ in every commit."""
    assert all(not cell["outputs"] for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code")
