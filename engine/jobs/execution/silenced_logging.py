"""Silencing of other packages: a lost connection is reported once, by fajin."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def silence_logging(package: str) -> Iterator[None]:
    """Silence the loggers of a package."""
    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == package]
    before = {logging.getLogger(name): logging.getLogger(name).disabled for name in names}
    for logger in before:
        logger.disabled = True
    try:
        yield
    finally:
        for logger, disabled in before.items():
            logger.disabled = disabled
