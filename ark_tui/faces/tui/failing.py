"""Work that fails unexpectedly, in words. Whoever began it, the app hears of it and goes on."""

from __future__ import annotations

from textual.worker import Worker

from ark_tui.domain.errors import ArkError

Worker.StateChanged.bubble = True  # Textual tells the part alone that began the work, and no part listens

FULL = "No space left"


def in_words(error: BaseException | None) -> ArkError:
    """What a person is told of a failure that nobody has foreseen."""
    if FULL in str(error):
        return ArkError(
            "The disk is full; what you did last may not be kept.", "Free some space, then do it again."
        )
    return ArkError(
        f"Something unexpected went wrong: {type(error).__name__}: {error}",
        "This is a bug; the same in a terminal (`ark-tui search`) keeps a log of it.",
    )
