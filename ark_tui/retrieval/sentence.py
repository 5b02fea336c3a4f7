"""A sentence for each hit: why it stands above the next one, made of the largest differences of the two.

What sets hit a above hit b is divided so that it adds up: M·(c − d) for each signal, c and d what it gives a
and b, M the product of a's multipliers; and what the multipliers do by themselves, (M − N) times b's sum, N
the product of b's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ark_tui.domain.display import visible_line
from ark_tui.domain.reasons import Difference, Reason, Why

if TYPE_CHECKING:
    from ark_tui.domain.hits import Hit, Part

CLAUSES = 2  # of a sentence
WORTH = 0.15  # of the largest difference: what is less is no reason to tell
TELLING = 0.02  # cosine that a close word has to be worth: without it the query may move, too
EQUAL = 1e-9
MULTIPLIERS = {
    "decay": "it is newer", "access": "it was used more often", "mmr": "it says more that is new",
    "exclusion": "it has less of what is not wanted",
}  # fmt: skip


BETTER: dict[str, str] = {
    "words": "its words fit better", "meaning": "its meaning is closer", "time": "its time fits better",
    "structure": "what is around it does better", "model": "the model finds it better",
}  # fmt: skip
"""By the family of a signal, what is said of a part for which no reason is known."""

Families = Mapping[str, str]
"""From the name of a signal to its family."""


def of(hits: Sequence[Hit], families: Families) -> list[Why]:
    """The sentences of hits as they are listed: each against the next; the last by what it rests on."""
    below = [*hits[1:], None][: len(hits)]
    return [
        above(hit, other, families) if other else _rests(hit, families)
        for hit, other in zip(hits, below, strict=True)
    ]


def above(hit: Hit, other: Hit, families: Families) -> Why:
    """Why a hit stands above another."""
    title = f"“{visible_line(other.document.called)}”"
    because = _best(differences(hit, other, families))
    if abs(hit.score - other.score) < EQUAL:
        return Why(f"Level with {title}: of equals the newer comes first.", other.document.id, ())
    said = ", and ".join(one.says for one in because)
    return Why(f"Above {title} because {said}.", other.document.id, because)


def _rests(hit: Hit, families: Families) -> Why:
    """For the last of a list, or the only one: what most of its score is."""
    parts = sorted(hit.parts, key=lambda part: -part.contribution)
    given = [
        Difference(part.name, part.contribution * hit.factor, _clause(part, None, reason, families), reason)
        for part in parts
        if part.contribution > EQUAL
        for reason in (_reason(part, None),)
    ]
    because = _best(given)
    said = ", and ".join(one.says for one in because)
    return Why(f"Here because {said}." if said else "Here because the filters let it through.", "", because)


def differences(hit: Hit, other: Hit, families: Families) -> list[Difference]:
    """What sets a hit above another, signal by signal; they add up to the difference of the scores."""
    theirs = {part.name: part for part in other.parts}
    found = []
    for part in hit.parts:
        before = theirs.get(part.name)
        points = hit.factor * (part.contribution - (before.contribution if before else 0.0))
        reason = _reason(part, before)
        found.append(Difference(part.name, points, _clause(part, before, reason, families), reason))
    return [*found, *_multiplied(hit, other)]


def _multiplied(hit: Hit, other: Hit) -> Iterator[Difference]:
    """What the multipliers do, as that of which the two have most different values."""
    base = sum(part.contribution for part in other.parts)
    points = (hit.factor - other.factor) * base
    theirs = {one.name: one.value for one in other.multipliers}
    apart = {one.name: one.value - theirs.get(one.name, 1.0) for one in hit.multipliers}
    if apart and abs(points) > EQUAL:
        name = max(apart, key=lambda one: abs(apart[one]))
        mine = next(one.value for one in hit.multipliers if one.name == name)
        says = MULTIPLIERS.get(name, f"{name} counts for more")
        yield Difference(name, points, f"{says} (× {mine:.2f} against {theirs.get(name, 1.0):.2f})")


def _best(found: Sequence[Difference]) -> tuple[Difference, ...]:
    """The largest, each clause once; none that is small beside the largest."""
    ordered = sorted((one for one in found if one.points > EQUAL), key=lambda one: -one.points)
    kept: list[Difference] = []
    for one in ordered:
        new = all(one.says != known.says and not _alike(one, known) for known in kept)
        if new and one.points >= WORTH * ordered[0].points:
            kept.append(one)
    return tuple(kept[:CLAUSES])


def _alike(one: Difference, other: Difference) -> bool:
    """Whether two name the same word at the same place."""
    mine, theirs = one.reason, other.reason
    return (
        mine is not None
        and theirs is not None
        and (mine.found.casefold(), mine.where) == (theirs.found.casefold(), theirs.where)
    )


def _reason(part: Part, other: Part | None) -> Reason | None:
    """The reason of a part that sets it apart most from the other one's."""
    theirs = {_name(reason): reason.value for reason in other.reasons} if other else {}
    named = [one for one in part.reasons if one.kind != "pair" or one.value >= TELLING]
    best = max(named, key=lambda one: one.value - theirs.get(_name(one), 0.0), default=None)
    return best if best and best.value > theirs.get(_name(best), 0.0) else None


def _name(reason: Reason) -> tuple[str, ...]:
    """What makes two reasons of two hits the same."""
    if reason.kind == "word":
        return reason.kind, reason.asked, reason.where
    if reason.kind == "pair":
        return reason.kind, reason.found.casefold()
    if reason.kind == "time":
        return reason.kind, reason.found, reason.where
    return reason.kind, reason.source.document if reason.source else "", reason.where


def _clause(part: Part, other: Part | None, reason: Reason | None, families: Families) -> str:
    """Why a part counts for more than the other one's, or for so much."""
    if reason is None:
        if other is None:
            return f"its {part.name} is {part.raw:.2f}"
        better = BETTER.get(families.get(part.name, ""), "it does better")
        return f"{better} ({part.name} {part.raw:.2f} against {other.raw:.2f})"
    shared = {_name(one) for one in other.reasons} if other else set()
    return reason.weighs_more if _name(reason) in shared else reason.told
