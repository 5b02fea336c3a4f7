"""Where the sample notes are."""

from __future__ import annotations

from pathlib import Path

import ark_tui

PLACES = ("sample", "../assets/sample")
"""Relative to the package: in an installed one, and in a checkout."""


def folder() -> Path | None:
    """The folder with the sample notes; None where they are not installed."""
    package = Path(ark_tui.__file__).parent
    return next((place.resolve() for name in PLACES if (place := package / name).is_dir()), None)
