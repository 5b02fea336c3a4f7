"""Error messages for failed background work."""

from __future__ import annotations

from ark_tui.domain.errors import ArkError

FULL = "No space left"


def in_words(error: BaseException | None) -> ArkError:
    """Convert any exception to an `ArkError`; an `ArkError` is returned unchanged."""
    if isinstance(error, ArkError):
        return error
    if FULL in str(error):
        return ArkError(
            "The disk is full; what you did last may not be kept.", "Free some space, then do it again."
        )
    return ArkError(
        f"Something unexpected went wrong: {type(error).__name__}: {error}",
        "This is a bug; the same in a terminal keeps a log of it.",
    )
