"""One open home: its store, indexes and models, each opened on first use, and the search that uses them."""

from __future__ import annotations

import os
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from functools import cache, cached_property
from importlib import import_module
from pkgutil import walk_packages
from typing import TYPE_CHECKING, Any, cast

from ark_tui.domain.errors import ArkError, Cancelled, Hint, StoreError, UsageError
from ark_tui.domain.layers import EPISODIC, WORKING
from ark_tui.domain.protocols import NEVER, Stop
from ark_tui.ingest.decode import storable
from ark_tui.settings import caller
from ark_tui.settings.home import OTHERS

if TYPE_CHECKING:
    from pathlib import Path

    from ark_tui.domain.documents import Draft
    from ark_tui.domain.hits import SearchResult
    from ark_tui.domain.memory import Scope
    from ark_tui.domain.protocols import Clock, Embedder, OnWait
    from ark_tui.domain.query import Request
    from ark_tui.embedding.reranker import Reranker
    from ark_tui.embedding.served import ServedModel
    from ark_tui.engine.following import ChangeFeed, MessageIndex
    from ark_tui.engine.journal import Journal
    from ark_tui.engine.models import ModelRegistry
    from ark_tui.engine.runs import Runs
    from ark_tui.index.follower import Follower
    from ark_tui.index.vectors.duplicates import Rule
    from ark_tui.index.vectors.follower import VectorsFollower
    from ark_tui.index.vectors.snapshot import Snapshot, Vectors
    from ark_tui.index.words.follower import WordsFollower
    from ark_tui.index.words.messages import MessagesFollower, MessageWords
    from ark_tui.index.words.reader import Words
    from ark_tui.ingest.reading import Reading
    from ark_tui.retrieval import Corpus
    from ark_tui.retrieval.expansion import Expander
    from ark_tui.retrieval.state import Served
    from ark_tui.settings import Settings
    from ark_tui.store import Store
    from ark_tui.store.links import Edges

# One BLAS thread: the search is bound by memory bandwidth, so more threads do not help (design §4).
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")


CATCH_UP_AT_ONCE = 500  # most changes that a search applies first; more are left to `index` or `sync`
LONGEST = 20_000  # characters of a query


class Services:
    """What the parts of an engine share. Heavy modules are imported on first use."""

    def __init__(self, settings: Settings, clock: Clock, on_wait: OnWait, *, begins: bool = True) -> None:
        os.umask(OTHERS)  # files written by this process, also by native code, are private to their owner
        self.settings = settings
        self._begins = begins  # whether a missing home is created
        self.clock = clock
        self.on_wait = on_wait
        self.failures: list[str] = []  # that abort nothing
        self.measures: dict[tuple[str, str], dict[str, Any]] = {}  # of analyses, by model and state
        self._looked: set[str] = set()  # kinds of indexes already checked by `look`

    @contextmanager
    def afterwards(self, failed: list[str] | None = None) -> Iterator[None]:
        """Turn errors of work after a commit into notices: the texts are already stored.

        With `failed`, reasons are appended there instead, for the caller to report. `Cancelled` is raised.
        """
        try:
            yield
        except Cancelled:
            raise
        except (ArkError, OSError) as error:
            why = error.told if isinstance(error, ArkError) else f"{error}."
            told = self.failures if failed is None else failed
            notice = why if told is failed else f"The indexes do not follow yet: {why}".strip()
            if notice not in told:
                told.append(notice)

    @cached_property
    def store(self) -> Store:
        from ark_tui.store import Store

        home = self.settings.home
        if not (self._begins or home.begun()):
            raise StoreError(
                f"There is no home of ark-tui at {home.path}.",
                Hint.run("index", "FOLDER", say="Check the name, or index a folder to create it: {}"),
            )
        tightened = home.create()
        store = Store(home, self.clock, self.settings.lease_timeout, self.on_wait)
        if tightened:
            store.repairs.append(
                f"Other users could read the home {home.path}. Its permissions are now yours only."
            )
        return store

    @cached_property
    def embedder(self) -> Embedder | None:
        """The static model, whose vectors are always computed; None if it is not available."""
        from ark_tui.embedding import static

        return static.StaticEmbedder() if static.available() else None

    @cached_property
    def words(self) -> Words:
        from ark_tui.index.words.reader import Words

        return Words(self.settings.home.words, lambda: self._repair(self.words_follower()))

    @cached_property
    def vectors(self) -> Vectors:
        from ark_tui.embedding import static
        from ark_tui.index.vectors.snapshot import Vectors

        return Vectors(
            self.vectors_folder, static.DIMS, self._edges, lambda: self._repair(self.vectors_follower())
        )

    def _open_vectors(self) -> Snapshot | None:
        """Open the vectors for one search. Keyword searches never call this, so they load no vectors."""
        return self.vectors.open()

    def _edges(self) -> Edges:
        from ark_tui.store import links

        with self.store.read() as lease:
            return links.all_edges(lease)

    def _firsts(self, chunks: Sequence[int]) -> list[int]:
        """For each chunk, the first of its duplicates; the chunk itself if it has none."""
        snapshot = self.vectors.open()
        return [*chunks] if snapshot is None else snapshot.firsts(chunks).tolist()

    @property
    def vectors_folder(self) -> Path:
        from ark_tui.embedding.static import StaticEmbedder

        fingerprint = self.embedder.fingerprint if self.embedder else StaticEmbedder.fingerprint
        return self.settings.home.vectors / f"{fingerprint}.lance"

    @cached_property
    def models(self) -> ModelRegistry:
        """The served models: the one in use and the one being built."""
        from ark_tui.engine.models import ModelRegistry

        return ModelRegistry(self.store, self.settings, self._edges, self.on_wait)

    @cached_property
    def runs(self) -> Runs:
        """Runs of long work."""
        from ark_tui.engine.runs import Runs

        return Runs(self.store)

    def wait_for_indexes(self, stop: Stop = NEVER) -> None:
        """Wait until the indexes contain the commits of this process, or until `stop` is set."""
        if "feed" in self.__dict__:
            self.feed.reached(stop)

    @cached_property
    def feed(self) -> ChangeFeed:
        """The thread that applies small changes to the indexes."""
        from ark_tui.engine.following import ChangeFeed

        return ChangeFeed(cache(self.local_followers), self.store.change, self.afterwards)

    def followers(self) -> tuple[Follower, ...]:
        """New followers of all indexes, fast ones first. Each thread needs its own set."""
        return (*self.local_followers(), self.messages_follower(), *self.models.followers())

    def local_followers(self, kinds: Container[str] = ("words", "vectors")) -> tuple[Follower, ...]:
        """New followers of the document indexes that need no server."""
        words = self.words_follower() if "words" in kinds else None
        vectors = self.vectors_follower() if "vectors" in kinds else None
        return tuple(one for one in (words, vectors) if one)

    def words_follower(self) -> WordsFollower:
        from ark_tui.index.words.follower import WordsFollower

        return WordsFollower(self.store, self.settings.home.words)

    def vectors_follower(self) -> VectorsFollower | None:
        from ark_tui.index.vectors.follower import VectorsFollower

        if self.embedder is None:
            return None
        rule = cast("Rule", self.settings.dedup)
        return VectorsFollower(self.store, self.vectors_folder, self.embedder, rule)

    def model_in_use(self) -> ServedModel | None:
        """The served model that searches use, or None."""
        return None if self.unserved() else self.models.in_force()

    @cached_property
    def corpus(self) -> Corpus:
        """The corpus that searches run on. Raises `StoreError` if the store is missing."""
        if self.settings.home.has_lost_store():
            raise StoreError(
                f"The store {self.settings.home.store} is missing.", self.store.database.way_back()
            )
        from ark_tui.retrieval import Corpus

        return Corpus(
            self.store, self.words, self._open_vectors, self.settings.profiles, self.clock,
            decay=self.settings.decay, retention=self.retention, messages=self.messages.caught_up,
            served=self._served, expander=self._expander, reranker=self._reranker,
            expands_unasked=bool(self.settings.chat_model) or not self.settings.expand,
            firsts=self._firsts,
        )  # fmt: skip

    def scope(self, agent: str = "", session: str = "") -> Scope:
        """The agent and session: the given names, else the caller's, else those of the settings."""
        from ark_tui.domain.memory import Scope

        settings = self.settings
        return Scope(
            agent or caller.identity("agent") or settings.agent_id,
            session or caller.identity("session") or settings.session_id,
        )

    @property
    def project(self) -> str:
        """The caller's project, else that of the settings; empty for none."""
        return caller.identity("project") or self.settings.project_id

    @property
    def reader(self) -> Reading:
        """The file reader configured by the settings."""
        from ark_tui.ingest.reading import Reading

        own = self.settings
        return Reading(max_tokens=own.max_tokens, strategy=own.strategy, max_bytes=own.max_bytes)

    def cut(self, title: str, body: str, path: str) -> Draft:
        """The draft of a text without a file."""
        return self.reader.text(body, path=path, title=title)

    def repeats(self) -> list[tuple[int, int]]:
        """Pairs of duplicate chunks, from the vector index: (chunk, its first occurrence)."""
        view = self.vectors.refresh()
        return [] if view is None else [(int(a), int(b)) for a, b in view.repeats.tolist()]

    def share(self, other: Services) -> None:
        """Share the store and measures of `other`, which serves the same home with other settings."""
        self.__dict__["store"] = other.store
        self.measures = other.measures

    def unserved(self) -> bool:
        """Whether only the static model is wanted, by settings and stored record; loads no models."""
        record = self.store.models()
        return self.settings.embedding in ("auto", "static") and not record.in_force and not record.building

    def _served(self) -> Served | None:
        return None if self.unserved() else self.models.served()

    def _expander(self) -> Expander | None:
        return self.models.expander if self.settings.expand else None

    def _reranker(self, name: str) -> Reranker:
        return self.models.reranker(name)

    @property
    def retention(self) -> dict[int, timedelta]:
        """Retention in retrieval by memory layer; layers not listed have no limit."""
        settings = self.settings
        return {
            WORKING: timedelta(hours=settings.working_hours),
            EPISODIC: timedelta(days=settings.episodic_days),
        }

    @cached_property
    def messages(self) -> MessageIndex:
        """The word index of messages, updated on demand."""
        from ark_tui.engine.following import MessageIndex

        return MessageIndex(lambda: self.message_words, self.messages_follower, self.afterwards)

    @cached_property
    def message_words(self) -> MessageWords:
        from ark_tui.index.words.messages import MessageWords

        return MessageWords(self.settings.home.messages, lambda: self._repair(self.messages_follower()))

    def messages_follower(self) -> MessagesFollower:
        """A new follower of the word index of messages."""
        from ark_tui.index.words.messages import MessagesFollower

        return MessagesFollower(self.store, self.settings.home.messages)

    def _repair(self, follower: Follower | None) -> None:
        """Rebuild a damaged local index, unless another thread is writing it."""
        if follower is not None:
            follower.sync()

    # -- searching ---------------------------------------------------------------------------------

    @cached_property
    def journal(self) -> Journal:
        """The log of searches."""
        from ark_tui.engine.journal import Journal

        return Journal(self.store, self.clock, self.settings.profiles, self.fingerprint)

    def fingerprint(self) -> str:
        """The fingerprint of the model that searches use; empty if there is none."""
        if served := self.model_in_use():
            return served.fingerprint
        return self.embedder.fingerprint if self.embedder else ""

    def search(self, request: Request, stop: Stop = NEVER) -> SearchResult:
        """Run a search. It is logged unless the request is `typing` or `unlogged`."""
        from ark_tui import retrieval

        self.look(stop, words_only=request.mode == "keyword")
        request = self.complete(request)
        result = retrieval.run(self.corpus, request, stop)
        if not (request.typing or request.unlogged):
            self.journal.keep(request, result)
        return result

    def complete(self, request: Request) -> Request:
        """A request with the profile and the agent that apply if it names none."""
        if len(request.query) > LONGEST:
            raise UsageError(f"A query may have {LONGEST:,} characters.", "Search for a part of it.")
        served = request.mode != "keyword" and self.model_in_use() is not None
        suits, alone = (self.settings.ranked_by(served=some) for some in (served, False))
        return replace(
            request,
            query=storable(request.query),
            profile=request.profile or suits,
            instead="" if request.profile or suits == alone else alone,
            agent=request.agent or self.scope().agent,
        )

    def look(self, stop: Stop, *, words_only: bool = False) -> None:
        """Before the first search, update the indexes if only a few changes are missing.

        Skipped while a run is active, because a run updates the indexes itself. `words_only`: leave the
        vectors to a later search.
        """
        self.wait_for_indexes(stop)
        kinds = {"words"} if words_only else {"words", "vectors"}
        if kinds <= self._looked:
            return
        fresh, self._looked = kinds - self._looked, self._looked | kinds
        latest = self.store.change()
        if self.runs.busy():
            return
        for follower in self.local_followers(fresh):  # searches do not wait for servers
            mark = follower.mark()
            outdated = mark.version not in ("", follower.version)  # written by another version: rebuilt once
            lost = not mark.version and follower.begun()
            if outdated or lost or 0 < latest - mark.number <= CATCH_UP_AT_ONCE:
                with self.afterwards():
                    follower.sync(stop)

    # -- the end -----------------------------------------------------------------------------------

    def close(self) -> None:
        """Write pending log entries, stop the threads, and close the store and the vector files."""
        if "journal" in self.__dict__:
            self.journal.settle()
        for name in ("feed", "messages", "vectors", "models", "store"):
            if name in self.__dict__:
                getattr(self, name).close()


MODULES = (
    "store",
    "embedding",
    "index",
    "ingest",
    "retrieval",
    "curation",
    "memory",
    "analysis",
    "evaluation",
)


@cache
def open_all() -> None:
    """Import every package once, in this thread; their modules are still imported on first use.

    If two threads concurrently import a package and a module in it, Python breaks the import deadlock with a
    partially initialized module, and one thread fails with `KeyError`.
    """
    for name in MODULES:
        package = import_module(f"ark_tui.{name}")
        for walk_package in walk_packages(package.__path__, f"{package.__name__}."):
            if walk_package.ispkg:
                import_module(walk_package.name)
