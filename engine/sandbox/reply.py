"""Constants of the protocol between a process and the server that reads files for it."""

MARK = "fajin-reply "
"""Start of the line before an answer; what else a Python prints while it starts is skipped."""

SMALLEST_CPU = 1  # [s] limits of processor time are whole seconds
