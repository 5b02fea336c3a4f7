"""Two answers to the same search: where hits moved, and which figures are others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from ark_tui.domain.profile import Profile
from ark_tui.domain.receipts import CLOSE, FIRST, Difference, Receipt, ReceiptHit, State
from ark_tui.domain.searches import Move
from ark_tui.settings import ranking

if TYPE_CHECKING:
    Figure: TypeAlias = float | str | None


def compared(before: Receipt, after: Receipt) -> State:
    """How alike two answers are."""
    if _answer(before) != _answer(after):
        return "changed"
    found = list(differences(before, after))
    if not found:
        return "same"
    near = all(distance(one) <= CLOSE for one in found)
    return "close" if near else "shifted"


def _answer(receipt: Receipt) -> tuple[bool, list[tuple[str, str]]]:
    return receipt.abstained, [(hit.document, hit.band) for hit in receipt.hits[:FIRST]]


def moves(before: Receipt, after: Receipt) -> Iterator[Move]:
    """The hits that do not stand where they stood."""
    then, now = ({hit.document: hit for hit in receipt.hits} for receipt in (before, after))
    for id_, hit in {**now, **then}.items():
        ranks = (then[id_].rank if id_ in then else None), (now[id_].rank if id_ in now else None)
        if ranks[0] != ranks[1]:
            yield Move(id_, hit.title, hit.path, *ranks)


def differences(before: Receipt, after: Receipt) -> Iterator[Difference]:
    """The figures of hits that are others now."""
    then, now = ({hit.document: hit for hit in receipt.hits} for receipt in (before, after))
    for id_, hit in {**now, **then}.items():
        if id_ not in then or id_ not in now:
            yield Difference(
                hit.path, "rank", *(one[id_].rank if id_ in one else None for one in (then, now))
            )
            continue
        was, is_ = _figures(then[id_]), _figures(now[id_])
        for name in dict.fromkeys((*was, *is_)):
            if was.get(name) != is_.get(name):
                yield Difference(hit.path, name, was.get(name), is_.get(name))


def _figures(hit: ReceiptHit) -> dict[str, Figure]:
    """Every figure of a hit, by what it is of."""
    found: dict[str, Figure] = {"rank": hit.rank, "score": hit.score, "chance": hit.chance, "band": hit.band}
    found["lines"] = "–".join(map(str, hit.lines))
    for part in hit.signals:
        found |= {
            part.name: part.contribution,
            f"{part.name} raw": part.raw,
            f"{part.name} normalised": part.normalised,
            f"{part.name} weight": part.weight,
        }
    return found | {f"× {factor.name}": factor.value for factor in hit.multipliers}


def distance(one: Difference) -> float:
    """How far two figures are apart; words that are others, such as bands, are 1 apart."""
    if isinstance(one.before, str) or isinstance(one.after, str):
        return 1.0
    return abs((one.before or 0.0) - (one.after or 0.0))


def profile_of(receipt: Receipt) -> Profile:
    """The profile of a receipt; what a profile no longer has is left out of it."""
    table = {key: False if value is None else value for key, value in receipt.profile.items()}
    name = str(table.pop("name"))
    return ranking.derived(Profile(name), name, table, lambda _, __: None)
