"""Model choice of the setting `auto`: the best available model that is measured to be fast enough.

The choice is made for the first texts and repeated whenever the corpus has doubled: a model that is fast
enough for ten notes is dropped if ten thousand would take hours.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from ark_tui.domain.errors import Hint
from ark_tui.domain.protocols import Stop
from ark_tui.domain.untrusted import read_json
from ark_tui.embedding import choice, local
from ark_tui.embedding.retry import ServerFailure
from ark_tui.embedding.served import cost

if TYPE_CHECKING:
    from ark_tui.embedding.served import ServedModel
    from ark_tui.index.vectors.follower import VectorsFollower
    from ark_tui.settings import Settings

PATIENCE = 5.0  # request timeout in seconds while a model is measured
TRIED = 2  # most models measured per choice
LITTLE = 64  # pending texts up to which the speed is not measured again
SHARE = 0.5  # of the query budget of a search; a slower model would exceed it too often
QUERY = "how long does this model take for a query"


@dataclass(frozen=True, slots=True)
class Look:
    """The last choice of `auto`: the corpus size in chunks; the best rejected model, and why."""

    chunks: int
    refused: str = ""
    why: str = ""

    @property
    def notice(self) -> str:
        """A sentence for the report; empty if no model was rejected."""
        if not self.refused:
            return ""
        return f"{self.refused} would find more than the static model, but {self.why}; " + Hint.run(
            "models", use=self.refused, say="to use it anyway: `{}`"
        )

    def dumped(self) -> str:
        """Serialize as JSON for the store."""
        return json.dumps(asdict(self))

    @classmethod
    def loaded(cls, text: str) -> Look | None:
        """Parse the output of `dumped`; None for anything else."""
        try:
            found = read_json(text)
            return cls(int(found["chunks"]), str(found["refused"]), str(found["why"]))
        except (ValueError, TypeError, KeyError, IndexError, OverflowError):
            return None


class Auto:
    """Chooses among the available models. `follower` makes a follower for a model and settings."""

    def __init__(
        self, settings: Settings, follower: Callable[[ServedModel, Settings], VectorsFollower], stop: Stop
    ) -> None:
        self._settings = settings
        self._patient = replace(settings, embedding_timeout=min(PATIENCE, settings.embedding_timeout))
        self._follower = follower
        self._stop = stop

    def chosen(self) -> tuple[ServedModel | None, str, str]:
        """The first suitable model or None; the name of the best rejected one, and why."""
        refused, why = "", ""
        for wanted in choice.at_hand(self._settings)[:TRIED]:
            try:
                model = choice.described(wanted, self._patient, stop=self._stop)
                if not (problem := self._problem(model)):
                    return model, refused, why
            except ServerFailure as failure:
                problem = failure.reason
            if not refused:
                refused, why = f"{wanted.provider}:{wanted.model}", problem
        return None, refused, why

    def outgrown(self, model: ServedModel) -> str:
        """Why a model is too slow for its pending texts; empty if it is not. Raises `ServerFailure`."""
        follower = self._follower(model, self._patient)
        waiting = follower.state().behind
        if model.provider == local.PROVIDER or waiting <= LITTLE:
            return ""
        return self._slow(follower.try_out(self._stop), waiting)

    def _problem(self, model: ServedModel) -> str:
        """Why a model is unsuitable: a query or a sample of its pending texts takes too long; else empty.

        Vectors of the sample are deleted if the model is rejected and had none before. Raises
        `ServerFailure`.
        """
        budget = self._settings.query_budget
        embedder = choice.embedder(model, self._patient)
        embedder.start()
        began = time.monotonic()
        embedder.embed_query(QUERY)
        if (seconds := time.monotonic() - began) > SHARE * budget:
            return f"a query takes it {seconds:.1f} s, and a search waits {budget:g} s for it"
        follower = self._follower(model, self._patient)
        before, waiting = follower.cached(), follower.state().behind
        why = "broken off"
        try:
            why = self._slow(follower.try_out(self._stop), waiting)
        finally:
            if why and not before:
                follower.drop(0.0)
        return why

    def _slow(self, each: float, texts: int) -> str:
        """Why a model that takes `each` seconds per text is too slow; empty if it is not."""
        return f"that takes {cost(each, texts)}" if each * texts > 60 * self._settings.auto_minutes else ""
