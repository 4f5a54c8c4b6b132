"""Where the recorded scenes and robots lie, and the folder of example scenes."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def golden() -> Path:
    """Folder of small scenes recorded from PhysX: scenes/NAME.usda, golden.json, golden.npz."""
    return HERE / "golden"


@pytest.fixture(scope="session")
def robots() -> Path:
    """Folder of robots recorded from PhysX: NAME.usda, NAME.drive.usda (the scene to simulate), NAME.npz."""
    return HERE / "robots"


@pytest.fixture(scope="session")
def scenes() -> Path:
    """Folder of the example scenes, one phenomenon a file."""
    return HERE.parent / "scenes"
