"""Constants of the protocol between a process and the server that reads files for it."""

IDLE_SECONDS = 30.0
"""Time for which a server waits for its next file; it ends itself after twice this time, and with its memory."""

MARK = "fajin-reply "
"""Start of the line before an answer; what else a Python prints while it starts is skipped."""
