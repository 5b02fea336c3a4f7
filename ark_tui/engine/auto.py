"""What `auto` begins with: the best model at hand that is quick enough here, measured before it is begun.

A corpus that grows from nothing is looked at when it has its first texts, and at each size that doubles: a
model that is quick enough for ten notes is dropped where ten thousand more would take it hours.
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

PATIENCE = 5.0  # seconds for one request while a model is measured; what takes longer is slow enough
TRIED = 2  # models of a server that are measured at one look
LITTLE = 64  # texts that are embedded without looking again how long that takes
SHARE = 0.5  # of the time that a search waits for the vector of its query: a slower model misses too often
QUERY = "how long does this model take for a query"


@dataclass(frozen=True, slots=True)
class Look:
    """When `auto` chose last: the size of the corpus; the best model that was too slow, and why."""

    chunks: int
    refused: str = ""
    why: str = ""

    @property
    def notice(self) -> str:
        """A sentence for the report; empty where no model was refused."""
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


class Auto:
    """Chooses among what is at hand. `follower` makes one of a model whose server is asked with patience."""

    def __init__(
        self, settings: Settings, follower: Callable[[ServedModel, Settings], VectorsFollower], stop: Stop
    ) -> None:
        self._settings = settings
        self._patient = replace(settings, embedding_timeout=min(PATIENCE, settings.embedding_timeout))
        self._follower = follower
        self._stop = stop

    def chosen(self) -> tuple[ServedModel | None, str, str]:
        """The first that will do, or None; the name of the best that was tried and will not do, and why."""
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
        """Why a model is too slow for what its vectors lack, or nothing. Raises `ServerFailure`."""
        follower = self._follower(model, self._patient)
        waiting = follower.state().behind
        if model.provider == local.PROVIDER or waiting <= LITTLE:
            return ""
        return self._slow(follower.try_out(self._stop), waiting)

    def _problem(self, model: ServedModel) -> str:
        """Why a model will not do: its query takes too long, or a few of the texts that it would embed.

        Their vectors are kept where it will do, or where there were some before. Raises `ServerFailure`.
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
        """Why `auto` does not begin with a model that takes so many seconds for a text; or nothing."""
        return f"that takes {cost(each, texts)}" if each * texts > 60 * self._settings.auto_minutes else ""
