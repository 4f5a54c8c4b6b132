"""PNG and animated PNG, by zlib alone."""

import struct
import zlib
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

SIGNATURE = b"\x89PNG\r\n\x1a\n"
LEVEL = 6  # of compression
MOST_TERM = 65535  # numerator and denominator of a frame's seconds
KINDS = {1: 0, 3: 2, 4: 6}  # PNG's colour type by channels


def png_bytes(picture: np.ndarray, level: int = LEVEL) -> bytes:
    """Return a picture (h, w, 1 | 3 | 4) uint8 as a PNG file."""
    header = chunk(b"IHDR", header_of(picture))
    return SIGNATURE + header + chunk(b"IDAT", pack_rows(picture, level)) + chunk(b"IEND", b"")


def header_of(picture: np.ndarray) -> bytes:
    """Return the content of a header."""
    height, width, channels = picture.shape
    return struct.pack(">2I5B", width, height, 8, KINDS[channels], 0, 0, 0)


def chunk(name: bytes, content: bytes) -> bytes:
    """Return a chunk: length, name, content, checksum."""
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def pack_rows(picture: np.ndarray, level: int = LEVEL) -> bytes:
    """Return the rows of a picture, compressed; each row is stored as its difference from the row above."""
    height = len(picture)
    rows = picture.reshape(height, -1)
    above = np.concatenate([np.zeros_like(rows[:1]), rows[:-1]])
    return zlib.compress(np.concatenate([np.full((height, 1), 2, np.uint8), rows - above], axis=1).tobytes(), level)


def frame_delay(fps: float) -> tuple[int, int]:
    """Return numerator and denominator, of 16 bits each, of the seconds that a frame lasts."""
    delay = Fraction(1.0 / fps).limit_denominator(MOST_TERM)
    return min(delay.numerator, MOST_TERM), delay.denominator


class ApngEncoder:
    """An animated PNG, frame by frame; a frame holds the rectangle that changed, and what did not change is clear."""

    def __init__(self, frames: int, fps: float):
        self._frames, self._fps = frames, fps
        self._number = 0  # of chunks with a number
        self._last: np.ndarray | None = None

    def encode(self, picture: np.ndarray) -> Iterator[bytes]:
        """Yield the bytes of a frame (h, w, 3 | 4); the first one begins with the file's header."""
        clear = picture.shape[2] == 4  # a picture with an alpha replaces what was there
        whole = picture if clear else np.dstack([picture, np.full(picture.shape[:2], 255, np.uint8)])
        first = self._last is None
        if first:
            yield SIGNATURE + chunk(b"IHDR", header_of(whole))
            yield chunk(b"acTL", struct.pack(">2I", self._frames, 0))
            part, corner = whole, (0, 0)
        else:
            part, corner = self._changed(whole, clear)
        place = (part.shape[1], part.shape[0], corner[1], corner[0])
        delay = frame_delay(self._fps)
        yield chunk(b"fcTL", struct.pack(">5I2H2B", self._next(), *place, *delay, 0, int(not first and not clear)))
        packed = pack_rows(part)
        yield chunk(b"IDAT", packed) if first else chunk(b"fdAT", struct.pack(">I", self._next()) + packed)
        self._last = whole

    def end(self) -> bytes:
        """Return the end of the file."""
        return chunk(b"IEND", b"")

    def _changed(self, picture: np.ndarray, clear: bool) -> tuple[np.ndarray, tuple[int, int]]:
        """Return the rectangle that differs from the last frame, and its corner (row, column)."""
        differs = (picture != self._last).any(axis=2)
        rows, columns = np.flatnonzero(differs.any(axis=1)), np.flatnonzero(differs.any(axis=0))
        if not len(rows):
            return np.zeros((1, 1, 4), np.uint8) if not clear else picture[:1, :1], (0, 0)
        box = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
        part = picture[box].copy()
        if not clear:
            part[~differs[box]] = 0
        return part, (int(rows[0]), int(columns[0]))

    def _next(self) -> int:
        self._number += 1
        return self._number - 1
