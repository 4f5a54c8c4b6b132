"""Damage to contents of files: bytes and words changed, left out, doubled, or taken from another file."""

import re
from random import Random

WORDS = re.compile(r"\s+|\w+|.", re.DOTALL)
PIECES = (b"\xff", b"\0", b"(", b"[", b"9", b"-", b"@")
NUMBERS = (2**63, 2**31, 2**16, 1)


def damage_bytes(content: bytes, draw: Random) -> bytes:
    """Return a content with changed, missing or doubled bytes."""
    text = bytearray(content)
    for _ in range(draw.choice((1, 1, 2, 5, 50))):
        at, size = draw.randrange(len(text) or 1), draw.choice((1, 1, 4, 8, 100))
        how = draw.randrange(5)
        if how == 0:
            text[at : at + 1] = bytes([draw.randrange(256)])
        elif how == 1:
            del text[at : at + size]
        elif how == 2:
            text[at:at] = text[at : at + size] * draw.choice((1, 1, 30))
        elif how == 3:
            text[at : at + size] = draw.choice(PIECES) * size
        else:
            text[at : at + 8] = draw.choice(NUMBERS).to_bytes(8, "little")
    return bytes(text)


def exchange_words(text: str, other: str, draw: Random) -> str:
    """Return a text of which some words have the place of others, or of words of another text."""
    words, others = WORDS.findall(text), WORDS.findall(other)
    for _ in range(draw.choice((1, 1, 2, 4))):
        i = draw.randrange(len(words))
        how = draw.randrange(4)
        if how == 0:
            j = draw.randrange(len(words))
            words[i], words[j] = words[j], words[i]
        elif how == 1:
            words[i] = draw.choice(others)
        elif how == 2:
            words[i] = words[i] * draw.choice((0, 2, 3))
        else:
            words[i] = words[draw.randrange(len(words))]
    return "".join(words)


def exchange_lines(text: str, other: str, draw: Random) -> str:
    """Return a text with some lines of another text, or with its own lines elsewhere."""
    lines, others = text.splitlines(), other.splitlines()
    for _ in range(draw.choice((1, 1, 2, 4))):
        at, size = draw.randrange(len(lines)), draw.choice((1, 1, 2, 5))
        start = draw.randrange(len(others))
        source = others[start : start + size] if draw.random() < 0.7 else lines[at : at + size]
        place = draw.randrange(len(lines))
        lines[place : place + draw.choice((0, 0, size))] = source
    return "\n".join(lines) + "\n"
