"""What terminals send for `alt` and a digit, read as that key.

Where a terminal has not the kitty protocol, `alt+3` arrives as the two characters escape and `3`. Textual
takes ten such pairs for what a Mac's option key writes (`£`, `∞`), which a focused text field would insert.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, cast

from textual import _ansi_sequences

if TYPE_CHECKING:
    from textual.events import Key

DIGITS = "0123456789"

AltDigit = Enum("AltDigit", {f"ALT_{digit}": f"alt+{digit}" for digit in DIGITS})  # type: ignore[misc]
"""Textual reads the name of a key from `value`, as of its own `Keys`, which have no such members."""


def learn() -> None:
    """Have Textual read `alt` and a digit as that key, from now on, in this process."""
    sequences = cast("dict[str, Any]", _ansi_sequences.ANSI_SEQUENCES_KEYS)
    sequences.update({f"\x1b{digit}": (key,) for digit, key in zip(DIGITS, AltDigit, strict=True)})


def without_text(key: Key) -> None:
    """Take the letter from a key pressed with `alt`: it is a command, and no text field inserts it."""
    if key.key.startswith("alt+"):
        key.character = None
