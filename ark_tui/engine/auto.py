"""What `auto` begins with: the best model at hand that is quick enough here, measured before it is begun.

A corpus that grows from nothing is looked at when it has its first texts, and at each size that doubles: a
model that was quick enough for ten notes is let go of where ten thousand more would take it hours.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from ark_tui.domain.protocols import NEVER, Stop
from ark_tui.domain.untrusted import read_json
from ark_tui.embedding import choice, families, local
from ark_tui.embedding.measuring import PATIENCE, Measured, measure
from ark_tui.embedding.retry import ServerFailure

if TYPE_CHECKING:
    from ark_tui.embedding.choice import Wanted
    from ark_tui.embedding.served import ServedModel
    from ark_tui.settings import Settings

TRIED = 2  # models of a server that are measured at one look
SHARE = 0.5  # of the time that a search waits for the vector of its query: a slower model misses too often


@dataclass(frozen=True, slots=True)
class Corpus:
    """What is to be embedded: texts that have no vector yet, and the words of one on average."""

    texts: int
    words: int


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
        return (
            f"{self.refused} would find more than the static model, but {self.why}; "
            f"to begin with it all the same: `ark-tui models --use {self.refused}`"
        )

    def dumped(self) -> str:
        """As JSON, for the store."""
        return json.dumps(asdict(self))

    @classmethod
    def loaded(cls, text: str) -> Look | None:
        """What `dumped` wrote; None for anything else."""
        try:
            return cls(**read_json(text))
        except (ValueError, TypeError):
            return None


@dataclass(frozen=True, slots=True)
class Tried:
    """A model at hand: `model` where it will do, taking `seconds` for a text; else `why` it will not."""

    name: str
    model: ServedModel | None = None
    seconds: float = 0.0
    why: str = ""


def chosen(settings: Settings, corpus: Corpus, stop: Stop = NEVER) -> tuple[ServedModel | None, Tried | None]:
    """The model to begin with, or None; and the best that was too slow, where one was.

    The better one is taken, of equals the faster.
    """
    tried: list[Tried] = []
    for equals in _groups(choice.at_hand(settings)):
        for wanted in equals:
            own = wanted.provider == local.PROVIDER
            if own or sum(one.why != "" or one.seconds > 0 for one in tried) < TRIED:
                tried.append(_tried(wanted, settings, corpus, stop, alone=len(equals) == 1))
        if fit := [one for one in tried if one.model is not None]:
            best = min(fit, key=lambda one: one.seconds)
            return best.model, next((one for one in tried if one.why), None)
    return None, next((one for one in tried if one.why), None)


def _tried(wanted: Wanted, settings: Settings, corpus: Corpus, stop: Stop, *, alone: bool) -> Tried:
    """One model at hand. One that runs in this process was added by somebody who wants it: none is too slow.

    Where it has no equal beside it, its pace is not asked for either.
    """
    own = wanted.provider == local.PROVIDER
    name, patient = f"{wanted.provider}:{wanted.model}", _patient(settings)
    try:
        model = choice.described(wanted, patient)
        if own and alone:
            return Tried(name, model)
        quick = SHARE * settings.query_budget
        made = choice.embedder(model, patient)
        found = measure(made, corpus.words, corpus.texts, quick=quick, stop=stop)
    except ServerFailure as failure:
        return Tried(name, why="" if own else failure.reason)
    why = "" if own else too_slow(found, settings, corpus)
    return Tried(name, None if why else model, found.text, why)


def outgrown(model: ServedModel, settings: Settings, corpus: Corpus, stop: Stop = NEVER) -> str:
    """Why a model is too slow for what its vectors lack; empty where it is not. Raises `ServerFailure`."""
    if model.provider == local.PROVIDER:
        return ""
    embedder = choice.embedder(model, _patient(settings))
    return too_slow(measure(embedder, corpus.words, corpus.texts, stop=stop), settings, corpus)


def too_slow(found: Measured, settings: Settings, corpus: Corpus) -> str:
    """Why `auto` does not begin with a model of such a pace; empty where it does."""
    if found.query > SHARE * settings.query_budget:
        return f"a query takes it {found.query:.1f} s, and a search waits {settings.query_budget:g} s for it"
    if found.seconds(corpus.texts) > 60 * settings.auto_minutes:
        return f"that takes {found.cost(corpus.texts)}"
    return ""


def _patient(settings: Settings) -> Settings:
    return replace(settings, embedding_timeout=min(PATIENCE, settings.embedding_timeout))


def _groups(models: Sequence[Wanted]) -> Iterator[list[Wanted]]:
    """Models that are thought to be equally good, the best first."""
    return (list(tied) for _, tied in groupby(models, key=lambda one: families.rank(one.model)))
