"""Names of one file are found among those of another in a time that grows with their number, not with its square."""

import pytest

from fajin import selection


@pytest.mark.parametrize(
    ("name", "known", "found"),
    [
        ("/a/elbow:rotX", ["/a/elbow:rotX", "/b/elbow:rotX"], "/a/elbow:rotX"),
        ("elbow", ["/a/elbow:rotX", "/a/wrist:rotX"], "/a/elbow:rotX"),
        ("/b/elbow:rotX", ["/a/elbow:rotX"], "/a/elbow:rotX"),
        ("elbow:rotY", ["/a/elbow:rotX", "/a/elbow:rotY"], "/a/elbow:rotY"),
        ("elbow", ["/a/elbow:rotX", "/b/elbow:rotX"], None),
        ("knee", ["/a/elbow:rotX"], None),
    ],
)
def test_a_name_that_fits_one_column_is_found(name, known, found):
    assert selection.match_names([name], known).get(name) == found


def test_each_name_is_split_once(monkeypatch):
    """Of 300 columns and 300 names."""
    split, names_of = [], selection.names_of
    monkeypatch.setattr(selection, "names_of", lambda full: split.append(full) or names_of(full))
    columns = [f"/hall/arm_{i}/elbow:rotX" for i in range(300)]
    assert selection.match_names(columns, columns) == dict(zip(columns, columns, strict=True))
    assert len(split) == 600
