"""Texts that are too long for a model: cut where it hurts least, embedded in pieces, averaged by length."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ark_tui.embedding.retry import TooLong

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

VERSION = 1  # part of a fingerprint: another way of cutting gives other vectors
SHORTEST = 64  # characters; a model that refuses so few refuses something else
NEAR = 0.25  # share of the text, on either side of its middle, where a better place to cut is looked for
PLACES = ("\n\n", "\n", ". ", " ")


def halves(text: str) -> tuple[str, str]:
    """The text in two, cut near its middle after a paragraph, a line, a sentence or a word.

    Nothing is lost: the two together are the text.
    """
    middle = len(text) // 2
    low, high = middle - int(len(text) * NEAR), middle + int(len(text) * NEAR)
    for mark in PLACES:
        places = [text.rfind(mark, low, middle), text.find(mark, middle, high)]
        found = [place + len(mark) for place in places if place >= 0]
        if found:
            cut = min(found, key=lambda place: abs(place - middle))
            return text[:cut], text[cut:]
    return text[:middle], text[middle:]


def pieces(text: str, fits: Callable[[str], bool]) -> list[str]:
    """The halves, or halves of halves, of a text that fit; one that fits is its only piece.

    Raises `TooLong` when even the shortest pieces do not.
    """
    if fits(text):
        return [text]
    if len(text) < SHORTEST:
        raise TooLong("The model refuses even the shortest pieces of a text.", "Take another model.")
    return [piece for half in halves(text) if half.strip() for piece in pieces(half, fits)]


def embed(text: str, one: Callable[[str], NDArray[np.float32]]) -> NDArray[np.float32]:
    """The unit vector of a text that `one` refused as too long: the mean of its pieces, by length.

    Raises `TooLong` when even the shortest pieces are refused.
    """
    total = sum(vector * float(len(piece)) for piece, vector in _pieces(text, one))
    assert not isinstance(total, int)
    norm = float((total @ total) ** 0.5)
    unit: NDArray[np.float32] = (total / norm if norm else total).astype("float32")
    return unit


def _pieces(text: str, one: Callable[[str], NDArray[np.float32]]) -> list[tuple[str, NDArray[np.float32]]]:
    if len(text) < SHORTEST:
        raise TooLong("The model refuses even the shortest pieces of a text.", "Take another model.")
    found: list[tuple[str, NDArray[np.float32]]] = []
    for piece in halves(text):
        if not piece.strip():
            continue
        try:
            found.append((piece, one(piece)))
        except TooLong:
            found += _pieces(piece, one)
    return found
