"""What `auto` begins with: the best model at hand that is quick enough here, measured before it is begun.

A corpus that grows from nothing is looked at when it has its first texts, and at each size that doubles: a
model that was quick enough for ten notes is let go of where ten thousand more would take it hours.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from ark_tui.domain.errors import Hint
from ark_tui.domain.protocols import NEVER, Stop
from ark_tui.domain.untrusted import read_json
from ark_tui.embedding import choice, families, local
from ark_tui.embedding.measuring import PATIENCE, Measured, query_time
from ark_tui.embedding.retry import ServerFailure

if TYPE_CHECKING:
    from ark_tui.embedding.choice import Wanted
    from ark_tui.embedding.served import ServedModel
    from ark_tui.index.vectors.follower import VectorsFollower
    from ark_tui.settings import Settings

TRIED = 2  # models of a server that are measured at one look
LITTLE = 64  # texts that are embedded without looking again how long that takes
LONGEST = TRIED * 2 * PATIENCE  # seconds for what `ahead` asks
SHARE = 0.5  # of the time that a search waits for the vector of its query: a slower model misses too often


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen when it was looked last. `refused`: the best model that was too slow, and `why`."""

    chunks: int
    refused: str = ""
    why: str = ""

    @property
    def said(self) -> str:
        """What a person is told; empty where nothing was refused."""
        if not self.refused:
            return ""
        return f"{self.refused} would find more than the static model, but {self.why}; " + Hint.run(
            "models", use=self.refused, say="to begin with it all the same: `{}`"
        )

    def dumped(self) -> str:
        """As JSON, for the store."""
        return json.dumps(asdict(self))

    @classmethod
    def loaded(cls, text: str) -> Look | None:
        """What `dumped` wrote; None for anything else."""
        try:
            found = read_json(text)
            return cls(int(found["chunks"]), str(found["refused"]), str(found["why"]))
        except (ValueError, TypeError, KeyError, IndexError, OverflowError):
            return None


@dataclass(frozen=True, slots=True)
class Tried:
    """A model at hand: `model` where it will do, taking `seconds` for a text; else `why` it will not."""

    name: str
    model: ServedModel | None = None
    seconds: float = 0.0
    why: str = ""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a model at hand is and the seconds that a query takes it; or why it cannot be used."""

    model: ServedModel | None = None
    query: float = 0.0
    failure: ServerFailure | None = None


def ahead(settings: Settings) -> dict[str, Seen]:
    """What needs no corpus to be seen, so that texts can be read meanwhile: of the best models at hand.

    As far as to the first that runs in this process, or answers a query soon enough.
    """
    found: dict[str, Seen] = {}
    for wanted in choice.at_hand(settings)[:TRIED]:
        if wanted.provider == local.PROVIDER:
            break
        seen = found[_name(wanted)] = _seen(wanted, _patient(settings))
        if seen.model and seen.query <= SHARE * settings.query_budget:
            break
    return found


class Auto:
    """Chooses among what is at hand. `follower` makes one of a model whose server is asked with patience.

    `known`: what `ahead` has seen.
    """

    def __init__(
        self,
        settings: Settings,
        follower: Callable[[ServedModel, Settings], VectorsFollower],
        stop: Stop,
        known: Mapping[str, Seen] | None = None,
    ) -> None:
        self._settings = settings
        self._patient = _patient(settings)
        self._known = known or {}
        self._follower = follower
        self._stop = stop
        self._left = TRIED

    def chosen(self) -> tuple[ServedModel | None, Tried | None]:
        """The model to begin with, or None; and the best that was too slow, where one was.

        The better one is taken, of equals the faster.
        """
        tried: list[Tried] = []
        for equals in _groups(choice.at_hand(self._settings)):
            tried += [self._tried(equal, alone=len(equals) == 1) for equal in equals if self._may_try(equal)]
            if fit := [one for one in tried if one.model is not None]:
                best = min(fit, key=lambda one: one.seconds)
                return best.model, next((one for one in tried if one.why), None)
        return None, next((one for one in tried if one.why), None)

    def outgrown(self, model: ServedModel) -> str:
        """Why a model is too slow for what its vectors lack, or nothing. Raises `ServerFailure`."""
        follower = self._follower(model, self._patient)
        waiting = follower.state().behind
        if model.provider == local.PROVIDER or waiting <= LITTLE:
            return ""
        return self._slow(follower.try_out(self._stop), waiting)

    def _may_try(self, wanted: Wanted) -> bool:
        if wanted.provider != local.PROVIDER:
            self._left -= 1
        return wanted.provider == local.PROVIDER or self._left >= 0

    def _tried(self, wanted: Wanted, *, alone: bool) -> Tried:
        """One model at hand. What runs in this process was added by somebody who wants it: never too slow.

        Where it has no equal beside it, its pace is not asked for either.
        """
        own, name = wanted.provider == local.PROVIDER, _name(wanted)
        seen = self._known.get(name) or _seen(wanted, self._patient, self._stop, alone=own and alone)
        try:
            if seen.failure or seen.model is None:
                return Tried(name, why="" if own or seen.failure is None else seen.failure.reason)
            if own and alone:
                return Tried(name, seen.model)
            budget = self._settings.query_budget
            if not own and seen.query > SHARE * budget:
                return Tried(
                    name, why=f"a query takes it {seen.query:.1f} s, and a search waits {budget:g} s for it"
                )
            return self._built(name, seen.model)
        except ServerFailure as failure:
            return Tried(name, why="" if own else failure.reason)

    def _built(self, name: str, model: ServedModel) -> Tried:
        """Build a few of its vectors; they are kept where it will do, or where there were some before."""
        follower = self._follower(model, self._patient)
        before, waiting = follower.cached(), follower.state().behind
        seconds = 0.0
        why = "broken off"
        try:
            seconds = follower.try_out(self._stop)
            why = "" if model.provider == local.PROVIDER else self._slow(seconds, waiting)
        finally:
            if why and not before:
                follower.drop(0.0)
        return Tried(name, None if why else model, seconds, why)

    def _slow(self, seconds: float, texts: int) -> str:
        """Why `auto` does not begin with a model of such a pace; empty where it does."""
        found = Measured(seconds)
        if found.seconds(texts) <= 60 * self._settings.auto_minutes:
            return ""
        return f"that takes {found.cost(texts)}"


def _name(wanted: Wanted) -> str:
    return f"{wanted.provider}:{wanted.model}"


def _patient(settings: Settings) -> Settings:
    return replace(settings, embedding_timeout=min(PATIENCE, settings.embedding_timeout))


def _seen(wanted: Wanted, patient: Settings, stop: Stop = NEVER, *, alone: bool = False) -> Seen:
    """A look at a model; of one that stands `alone` no query is asked."""
    took: list[float] = []
    try:
        model = choice.described(wanted, patient, stop=stop, told=took.append)
        if not (took or alone):
            took.append(query_time(choice.embedder(model, patient)))
        return Seen(model, took[0] if took else 0.0)
    except ServerFailure as failure:
        return Seen(failure=failure)


def _groups(models: Sequence[Wanted]) -> Iterator[list[Wanted]]:
    """Models that are thought to be equally good, the best first."""
    return (list(tied) for _, tied in groupby(models, key=lambda one: families.rank(one.model)))
