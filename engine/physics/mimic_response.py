"""Scratch of mimic joints, kept for the length of a step: their rates, and their responses to each other.

m = w.mimic_scratch[j];  m.rate, m.max_correction;  m.response[n], of the n-th mimic joint of the articulation
"""

from .stored import cells, stored
from .views import View

COLUMNS = {"rate": 0, "max_correction": 1}
RESPONSE = len(COLUMNS)


class MimicScratch(View):
    """Scratch of all mimic joints of a world."""

    def __init__(self, w):
        self.w = w

    def __getitem__(self, j):
        return MimicScratchItem(self.w, j)


class MimicScratchItem(View):
    """Scratch of one mimic joint."""

    def __init__(self, w, j):
        vars(self).update(_w=w, _j=j, response=MimicResponses(self))

    def at(self, column):
        """Return a column of the scratch."""
        w = self._w
        row = w.header.mimic_responses + self._j * w.header.mimic_response_stride + column
        return stored(None, cells(w, w.scratch, w.first_scratch, row, 1))

    def __getattr__(self, name):
        if name not in COLUMNS:
            raise AttributeError(f"mimic joints have no scratch row {name.upper()}")
        return self.at(COLUMNS[name])

    def __setattr__(self, name, value):
        getattr(self, name)._assign(value)


class MimicResponses(View):
    """Change of the rate of each mimic joint per unit impulse of one of them."""

    def __init__(self, item):
        self.item = item

    def __getitem__(self, n):
        return self.item.at(RESPONSE + n)
