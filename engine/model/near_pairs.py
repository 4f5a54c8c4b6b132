"""Pairs of colliders whose bounding boxes overlap, of those that a model lists and of those that it does not list."""

from collections.abc import Mapping

import numpy as np

from ..tables.topology import TABLES

_ISLAND, _PAIR = TABLES["ISLANDS"], TABLES["PAIRS"]
_COLLIDER = TABLES["COLLIDERS"]


def near_pairs(tables: Mapping[str, np.ndarray], low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the shapes A and B of the pairs whose boxes overlap, in the order of the pairs' numbers.

    Args:
        tables: tables of a model.
        low: lower corner of the box of each collider, (C, 3).
        high: upper corner.
    """
    rows = [np.zeros((0, 2), int)]
    for words in tables["ISLANDS"]:
        first, end = (words[_ISLAND[word]] for word in ("PAIR", "PAIR_END"))
        if not words[_ISLAND["LISTS_PAIRS"]]:
            rows.append(_unlisted(tables, words, low, high))
            first = words[_ISLAND["EARLY_PAIR_END"]]
        items = slice(first + words[_ISLAND["PAIR_SHIFT"]], end + words[_ISLAND["PAIR_SHIFT"]])
        ends = tables["PAIRS"][items][:, [_PAIR["COLLIDER_A"], _PAIR["COLLIDER_B"]]]
        near = (low[ends[:, 0]] < high[ends[:, 1]]) & (low[ends[:, 1]] < high[ends[:, 0]])
        rows.append(ends[near.all(axis=1)])
    found = np.concatenate(rows)
    return found[:, 0], found[:, 1]


def _unlisted(tables: Mapping[str, np.ndarray], island: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return the early pairs of an island that does not list them whose boxes overlap, (N, 2)."""
    colliders, rows = tables["COLLIDERS"], [np.zeros((0, 2), int)]
    first, end = island[_ISLAND["COLLIDER"]], island[_ISLAND["COLLIDER_END"]]
    kind, rank, body = (colliders[:, _COLLIDER[word]] for word in ("KIND", "RANK", "BODY"))
    for a in range(first, end):
        near = (low[a] < high[a + 1 : end]) & (low[a + 1 : end] < high[a])
        others = a + 1 + np.flatnonzero(near.all(axis=1))
        rows.append(np.stack([np.full_like(others, a), others], axis=1))
    found = np.concatenate(rows)
    found = found[body[found[:, 0]] != body[found[:, 1]]]
    found = found[np.lexsort((found[:, 1], found[:, 0], body[found[:, 1]], body[found[:, 0]]))]
    sides = np.where(rank[found[:, :1]] > rank[found[:, 1:]], found[:, ::-1], found)
    items = tables["PAIR_KINDS"][colliders[sides[:, 0], _COLLIDER["KIND_ROW"]] + kind[sides[:, 1]], 0]
    apart = [np.isin(other, _apart(tables, one)).item() for one, other in sides.tolist()]
    kept = (items >= 0) & ~np.array(apart, bool)
    turned = tables["PAIRS"][items[kept], _PAIR["REVERSED"]] > 0
    return np.where(turned[:, None], sides[kept][:, ::-1], sides[kept])


def _apart(tables: Mapping[str, np.ndarray], collider: int) -> np.ndarray:
    """Return the colliders of higher rank that exceptions keep from a collider."""
    words = tables["COLLIDERS"][collider]
    return tables["APART"][words[_COLLIDER["APART"]] : words[_COLLIDER["APART_END"]], 0]
