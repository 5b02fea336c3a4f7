"""Logging of unexpected errors with tracebacks into the home's logs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from logging.handlers import RotatingFileHandler
from pathlib import Path

from ark_tui.domain.errors import FAULTS, ArkError

LARGEST = 1_000_000  # bytes per file; one older file is kept

log = logging.getLogger("ark_tui")


def kept(work: Callable[[], object]) -> None:
    """Run work whose failure is not fatal, and log a failure."""
    try:
        work()
    except ArkError as error:
        log.warning("%s: %s", getattr(work, "__name__", work), error.what)
    except Exception:
        log.exception("%s", getattr(work, "__name__", work))


def keep_in(folder: Path) -> None:
    """Write log messages into a file of that folder from now on."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    handler = RotatingFileHandler(
        folder / FAULTS, "a", LARGEST, backupCount=1, encoding="utf-8", delay=True, errors="backslashreplace"
    )
    handler.setFormatter(logging.Formatter("%(asctime)s %(name)s: %(message)s"))
    log.addHandler(handler)
