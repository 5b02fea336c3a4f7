"""Faults of a server: a sentence for whoever asked, the traceback for the home's logs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from logging.handlers import RotatingFileHandler
from pathlib import Path

from ark_tui.domain.errors import FAULTS, ArkError

LARGEST = 1_000_000  # bytes; one older file is kept beside it

log = logging.getLogger("ark_tui")


def kept(work: Callable[[], object]) -> None:
    """Do what may fail without harm; a failure is noted."""
    try:
        work()
    except ArkError as error:
        log.warning("%s: %s", getattr(work, "__name__", work), error.what)
    except Exception:
        log.exception("%s", getattr(work, "__name__", work))


def keep_in(folder: Path) -> None:
    """Write what is logged from now on into a file of that folder."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    handler = RotatingFileHandler(
        folder / FAULTS, "a", LARGEST, backupCount=1, encoding="utf-8", delay=True, errors="backslashreplace"
    )
    handler.setFormatter(logging.Formatter("%(asctime)s %(name)s: %(message)s"))
    log.addHandler(handler)
