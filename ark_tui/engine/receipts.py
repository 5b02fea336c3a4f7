"""Receipts of searches: made of an answer, and run again."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, TypeAlias

from ark_tui import retrieval
from ark_tui.domain import receipts as domain
from ark_tui.domain import requests
from ark_tui.domain.protocols import NEVER, Stop
from ark_tui.domain.receipts import Clock, CorpusState, Receipt, ReceiptHit
from ark_tui.engine.searches import as_kept, fingerprint, from_chat
from ark_tui.index.words import files
from ark_tui.settings.clock import FixedClock
from ark_tui.settings.ranking import changed
from ark_tui.store import receipts as store
from ark_tui.version import VERSION

if TYPE_CHECKING:
    from ark_tui.domain.documents import Document
    from ark_tui.domain.hits import Hit, SearchResult
    from ark_tui.domain.profile import Profile
    from ark_tui.domain.query import Request
    from ark_tui.domain.searches import Retrieval
    from ark_tui.engine.services import Services

    Complete: TypeAlias = Callable[[Request], Request]
    Look: TypeAlias = Callable[[Stop], None]

SETTINGS = (
    "profile", "decay", "dedup", "max_tokens", "strategy", "expand", "chat_model", "working_hours",
    "episodic_days",
)  # fmt: skip
"""Settings that bear on what a search answers."""

LIBRARIES = ("tantivy", "lancedb", "duckdb", "numpy", "wordllama", "tokenizers")
"""Libraries whose figures stand in an answer."""

OTHERWISE = "It was answered otherwise when it was asked; this is the answer of when the receipt was made."

FACTS = ("type", "tier", "status", "date", "tags", "pinned", "superseded_by", "collection", "path")
"""What is known of a document and decides who may answer, or is multiplied with."""


class Receipts:
    """`engine.receipts`. `complete` fills in what a request leaves open; `look` takes up what others left."""

    def __init__(self, parts: Services, complete: Complete, look: Look) -> None:
        self._parts = parts
        self._complete = complete
        self._look = look

    def of(
        self,
        request: Request,
        result: SearchResult,
        clock: Clock | None = None,
        profile: Profile | None = None,
    ) -> Receipt:
        """The receipt of an answer that has just been given; by this home's clock and profile, or others."""
        parts, now = self._parts, self._parts.clock.now()
        used = profile or changed(parts.settings.profiles[result.profile], request.adjust)
        with parts.store.read() as lease:
            contents = store.contents(lease, [hit.document.id for hit in result.hits])
            texts = store.texts(lease, [hit.chunk.id for hit in result.hits])
        return Receipt(
            kind=domain.KIND,
            format=domain.FORMAT,
            query=request.query,
            search=result.retrieval_id,
            request=requests.as_json(replace(request, unlogged=False)),
            profile=as_kept(used),
            settings={name: getattr(parts.settings, name) for name in SETTINGS},
            models=self._models(request, result),
            versions=dict(versions()),
            made=now,
            clock=clock or Clock(now, now.date()),
            corpus=self.state(),
            lamps=result.lamps,
            terms=result.expansion.terms,
            chat=from_chat(result),
            found=result.found,
            abstained=result.abstained,
            below_floor=result.below_floor,
            hits=tuple(_hit(hit, contents, texts) for hit in result.hits),
        )

    def run(
        self,
        request: Request,
        stop: Stop = NEVER,
        *,
        clock: Clock | None = None,
        profile: Profile | None = None,
    ) -> Receipt:
        """Search, by another clock or another profile of that name, and make a receipt of the answer.

        It is not kept in the log. Raises what a search raises.
        """
        self._look(stop)
        corpus = self._parts.corpus
        if clock is not None:
            corpus = replace(corpus, clock=FixedClock(clock.at))
        asked = self._complete(request)
        if profile is not None:
            corpus = replace(corpus, profiles={**corpus.profiles, profile.name: profile})
            asked = replace(asked, profile=profile.name, adjust=(), instead="")
        result = retrieval.run(corpus, asked, stop)
        return self.of(request, result, clock, profile)

    def again(self, before: Retrieval, stop: Stop = NEVER) -> Receipt:
        """The receipt of a search of the log: it runs again by the clock of then.

        Where it answers otherwise today, the receipt has today's answer, and its `remark` says so.
        """
        request = replace(before.request, unlogged=False)
        made = self.run(request, stop, clock=Clock(before.at, before.at.date()))
        then = [(one.document, one.chunk, one.score) for one in before.answers]
        now = [(hit.document, hit.chunk, hit.score) for hit in made.hits]
        remark = "" if now == then else OTHERWISE
        return replace(made, search=before.id, remark=remark)

    def state(self) -> CorpusState:
        """What there is to be searched."""
        parts = self._parts
        with parts.store.read() as lease:
            identity, counters = store.identity(lease), store.counters(lease)
            documents, chunks = store.totals(lease)
            content = store.digest(lease)
        return CorpusState(
            identity.store,
            identity.epoch,
            counters.change,
            counters.edit,
            counters.document,
            counters.message,
            documents,
            chunks,
            content,
            sum(follower.state().behind for follower in parts.followers()),
            files.deleted(parts.settings.home.words),
            0,
            0,
        )

    def _models(self, request: Request, result: SearchResult) -> dict[str, str]:
        """The models that had a say, by what they do; one that cannot be told is left out."""
        parts, found = self._parts, {"vectors": fingerprint(self._parts)}
        if parts.embedder:
            found["static"] = parts.embedder.fingerprint
        if any(lamp.signal == "rerank" and lamp.state == "on" for lamp in result.lamps):
            found["rerank"] = parts.models.reranking(request.reranker)
        return found


def _hit(hit: Hit, contents: Mapping[str, str], texts: Mapping[str, str]) -> ReceiptHit:
    document, chunk = hit.document, hit.chunk
    return ReceiptHit(
        hit.rank,
        document.id,
        document.collection,
        document.path,
        document.title,
        contents.get(document.id, ""),
        facts(document),
        chunk.id,
        texts.get(chunk.id, ""),
        (chunk.start_char, chunk.end_char),
        (chunk.start_line, chunk.end_line),
        hit.score,
        hit.band,
        hit.chance,
        hit.parts,
        hit.multipliers,
        hit.moved,
    )


def facts(document: Document) -> dict[str, str]:
    """What decides whether a document may answer, as words; what is empty is left out."""
    known = {name: _word(getattr(document, name)) for name in FACTS}
    return {name: value for name, value in known.items() if value}


def _word(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return ("yes" if value else "") if isinstance(value, bool) else str(value or "")


@cache
def versions() -> tuple[tuple[str, str], ...]:
    """The program, what it computes with, and the kind of machine."""
    libraries = [(name, _installed(name)) for name in LIBRARIES]
    machine = f"{platform.system()} {platform.machine()}"
    return (("ark-tui", VERSION), ("python", platform.python_version()), *libraries, ("machine", machine))


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
