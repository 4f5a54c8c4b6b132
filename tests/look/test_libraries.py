"""The libraries of the pages: built from pinned versions, unchanged since, and without requests."""

import hashlib
import json
import re

import pytest
from paths import ROOT

WEB = ROOT / "engine" / "visual" / "look" / "web"
RECORDED = dict(reversed(line.split()) for line in (WEB / "checksums.sha256").read_text().splitlines())
LIBRARIES = ("three.min.js", "uplot.min.js", "uplot.css")
REQUESTS = (
    r"\bfetch\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon|importScripts|\beval\(|new Function|@import|url\("
)


@pytest.mark.parametrize("name", [*LIBRARIES, "LICENSES.txt"])
def test_a_library_is_the_recorded_one(name):
    """An edit of a built file by hand is seen."""
    assert hashlib.sha256((WEB / name).read_bytes()).hexdigest() == RECORDED[name]


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_library_requests_nothing(name):
    """Neither by script nor by style; the only address is the name of a namespace."""
    text = (WEB / name).read_text()
    assert re.findall(REQUESTS, text) == []
    assert set(re.findall(r"https?://[^\"'` )]+", text)) <= {"http://www.w3.org/1999/xhtml"}


def test_versions_are_exact_and_named_with_their_licences():
    """The versions of package.json, of the lock file and of the licences are one."""
    package = json.loads((WEB / "package.json").read_text())
    lock = json.loads((WEB / "package-lock.json").read_text())["packages"]
    licences = (WEB / "LICENSES.txt").read_text()
    for name, version in {**package["dependencies"], **package["devDependencies"]}.items():
        assert re.fullmatch(r"\d+\.\d+\.\d+", version)
        assert lock[f"node_modules/{name}"]["version"] == version
    for name, version in package["dependencies"].items():
        assert f"{name} {version}".lower() in licences.lower()
    assert licences.count("Permission is hereby granted") == 2


def test_a_planted_request_is_seen():
    """The search finds each of its words."""
    assert len(re.findall(REQUESTS, "a.fetch(b);new XMLHttpRequest;new Function('x');url(x)")) == 4
