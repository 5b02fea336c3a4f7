"""Validation of texts, names and scopes before they are stored."""

from __future__ import annotations

from ark_tui.domain.errors import Hint, UsageError
from ark_tui.domain.memory import EVERY, Scope
from ark_tui.ingest.decode import storable

UTF8 = 4  # bytes that a character has at most
LONGEST_NAME = 200  # characters of a key, a conversation's id, an agent


def text(given: str, what: str, longest: int) -> str:
    """A text that can be stored. `longest`: bytes of UTF-8. Raises `UsageError` for an empty or long one."""
    kept = storable(given)
    if not kept.strip():
        raise UsageError(f"There is no text for {what}.", "Give some words.")
    if UTF8 * len(kept) > longest and (size := len(kept.encode())) > longest:
        raise UsageError(
            f"This text is too long for {what}: {size:,} bytes, the limit is {longest:,}.",
            "Shorten it, put it into a file of an indexed folder, or raise max_bytes.",
        )
    return kept


def quoted(text: str) -> str:
    """A text as a quotation for a model: `>` before each line."""
    return "\n".join(f"> {line}" for line in text.splitlines())


def name(given: str, what: str) -> str:
    """A name on one line. Raises `UsageError` for one that is empty, too long or not printable."""
    kept = given.strip()
    if not kept or not kept.isprintable() or len(kept) > LONGEST_NAME:
        raise UsageError(
            f"{given[:40]!r} cannot be {what}.",
            f"It is a name on one line, of at most {LONGEST_NAME} characters.",
        )
    return kept


def one(scope: Scope) -> Scope:
    """A scope to write into. Raises `UsageError` for the scope of all agents."""
    if not scope.whole:
        raise UsageError(
            f"{EVERY} looks into every scope; nothing can be written to all of them.",
            Hint.give(agent=True, say="Name one with {}") + Hint.give(session=True, say=" and {}."),
        )
    return Scope(name(scope.agent, "an agent"), name(scope.session, "a session"))
