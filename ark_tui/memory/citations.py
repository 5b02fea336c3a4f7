"""Citations: short labels for documents, and what a model's answer cites."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from ark_tui.domain.documents import SHORT

_BRACKETS = re.compile(r"(?P<gap>(?<![ \t])[ \t]+|(?<![\w\])]))\[(?P<inside>[^\[\]]{1,200})\]")
_BETWEEN = re.compile(r"[,;\s]+")
_LIKE_AN_ID = re.compile(r"#[0-9A-Za-z]{1,16}|[0-9a-f]{4,16}")
_NUMBER = re.compile(r"\d{1,3}")


def labels(ids: Sequence[str]) -> dict[str, str]:
    """The shortest unique prefix of each id, at least six digits."""
    length = SHORT
    while len({id_[:length] for id_ in ids}) < len(set(ids)):
        length += 1
    return {id_: id_[:length] for id_ in ids}


def checked(answer: str, known: Collection[str]) -> tuple[str, tuple[str, ...]]:
    """The answer without citations of unknown labels, and those unknown labels, each once.

    `[3fa9c1]`, `[#3fa9c1]` and `[3fa9c1, 77ab01]` cite, and so does a lone number; brackets around anything
    else are text.
    """
    dropped: dict[str, None] = {}

    def kept(match: re.Match[str]) -> str:
        names = _names(match["inside"])
        dropped.update(dict.fromkeys(name for name in names if name not in known))
        good = "".join(f"[{name}]" for name in names if name in known)
        return match["gap"] + good if good else "" if names else match[0]

    return _BRACKETS.sub(kept, answer).strip(), tuple(dropped)


def cited(answer: str, known: Collection[str]) -> tuple[str, ...]:
    """The labels that an answer cites, in its order, each once."""
    names = (name for match in _BRACKETS.finditer(answer) for name in _names(match["inside"]))
    return tuple(dict.fromkeys(name for name in names if name in known))


def _names(inside: str) -> list[str]:
    """The labels in a pair of brackets; empty if it is not a citation."""
    tokens = [token for token in _BETWEEN.split(inside.strip()) if token]
    number = len(tokens) == 1 and _NUMBER.fullmatch(tokens[0])
    if not number and not all(_LIKE_AN_ID.fullmatch(token) for token in tokens):
        return []
    return [token.removeprefix("#") for token in tokens]
