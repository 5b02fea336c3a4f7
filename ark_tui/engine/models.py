"""The served embedding models of one home: choosing, building vectors, switching.

A model comes into use when its vectors are complete. Until then it is being built, while searches use the
previous model. Finished embeddings stay in its table. Both models are recorded in the store.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from ark_tui.domain.errors import (
    ArkError,
    Cancelled,
    Hint,
    ModelUnavailable,
    NotFound,
    StoreError,
    UsageError,
)
from ark_tui.domain.models import ModelInfo, Models
from ark_tui.domain.protocols import NEVER, OnProgress, OnWait, Stop, ignore
from ark_tui.domain.wording import counted
from ark_tui.domain.work import Progress
from ark_tui.embedding import choice, local, served, static
from ark_tui.embedding.ollama import plain, same, serving
from ark_tui.embedding.reranker import LLM, CrossEncoder, Judge, newest
from ark_tui.embedding.retry import NoModel, ServerFailure
from ark_tui.embedding.served import QueryVectors, ServedEmbedder, ServedModel
from ark_tui.embedding.writer import Writers
from ark_tui.engine import auto
from ark_tui.engine.auto import Auto
from ark_tui.settings.home import size, write_file
from ark_tui.store import Lease, Store, changes, documents, models
from ark_tui.store.models import Record

if TYPE_CHECKING:
    from pathlib import Path

    from ark_tui.embedding.choice import Wanted
    from ark_tui.embedding.ollama import Installed, Loaded, Ollama
    from ark_tui.embedding.reranker import Reranker
    from ark_tui.embedding.shelf import Added
    from ark_tui.index.vectors.follower import VectorsFollower
    from ark_tui.index.vectors.snapshot import Vectors
    from ark_tui.retrieval.expansion import Expander
    from ark_tui.retrieval.state import Served
    from ark_tui.settings import Settings
    from ark_tui.store.links import Edges

ABOUT = "model.json"  # file in the folder of vectors that describes their model
WAIT = 60.0  # seconds to wait for another thread that builds the same vectors
ALONE = "The settings allow the static model only."
ALLOW = "Take `embedding = static` out of them first."


class ModelRegistry:
    """The served models of a home. Thread-safe; opened on first use."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        edges: Callable[[], Edges],
        on_wait: OnWait = ignore,
    ) -> None:
        self._store = store
        self._settings = settings
        self._edges = edges
        self._on_wait = on_wait
        self._mutex = threading.Lock()
        self._known: dict[str, Served] = {}  # by model fingerprint
        self._readers: dict[str, Vectors] = {}
        self._grows = False  # whether `auto` found an empty corpus, so it must choose later

    # -- the models in use ------------------------------------------------------------------------

    @property
    def silenced(self) -> bool:
        """Whether the settings allow only the static model."""
        return self._settings.embedding == choice.STATIC

    def in_force(self) -> ServedModel | None:
        """The model that searches use; None if only the static one."""
        return None if self.silenced else ServedModel.loaded(self._store.models().in_force)

    def building(self) -> ServedModel | None:
        """The model being built, which replaces the one in use when its vectors are complete."""
        return None if self.silenced else ServedModel.loaded(self._store.models().building)

    def reader(self, model: ServedModel) -> Vectors:
        """The reader of a model's vectors."""
        from ark_tui.index.vectors.snapshot import Vectors

        reader = Vectors(self.folder(model), model.dims, self._edges, lambda: self._repair(model))
        return self._readers.setdefault(model.fingerprint, reader)

    def close(self) -> None:
        """Close the vector files."""
        for reader in [*self._readers.values()]:
            reader.close()

    def served(self) -> Served | None:
        """The model in use as a search needs it; None if no served model is configured.

        Raises `ModelUnavailable` if the configured model's vectors are not complete yet.
        """
        if model := self.in_force():
            return self._opened(model)
        if model := self.building():
            waiting = self._follower(model).state().behind
            raise ModelUnavailable(
                f"the vectors of {model.name} are being built, {counted(waiting, 'chunk')} to go"
            )
        if wanted := self._unreached():
            raise ModelUnavailable(
                f"{wanted} could not be asked yet; " + Hint.run("index", say="`{}` tries again")
            )
        return None

    def reached(self) -> int | None:
        """The last change in the configured model's vectors; None if no served model is configured."""
        if model := self.in_force() or self.building():
            return self._follower(model).mark().number
        return 0 if self._unreached() else None

    def ask(self) -> str:
        """Check the model in use or being built; return why it cannot be used, or an empty string."""
        model = self.in_force() or self.building()
        if model is None:
            return ""
        try:
            choice.embedder(model, self._settings).verify()
        except ArkError as error:
            return error.told
        return ""

    def problem(self) -> str:
        """Why pending texts cannot be embedded now; empty if they can, or if no served model is configured.

        Also tries to choose the configured model, if its server was not reached before.
        """
        if self.in_force() or self.building():
            return self.ask()
        said = self.prepare()
        return "" if self.building() else " ".join(said)

    def reranker(self, name: str = "") -> Reranker:
        """The re-ranker: `llm`, an added model by its name, or by default the one added last.

        Raises `NoModel` if there is none.
        """
        if name == LLM:
            return self._judge
        shelf = choice.shelf(self._settings)
        if not name:
            last = newest(shelf)
            if last is None:
                raise NoModel(
                    "No re-ranker is here.", Hint.run("models add", "ms-marco-minilm", say="`{}` brings one.")
                )
            name = last.name
        return CrossEncoder(shelf, name.removeprefix(f"{local.PROVIDER}:"), self._settings.rerank_budget)

    def reranks(self) -> bool:
        """Whether a usable re-ranker was added."""
        return newest(choice.shelf(self._settings)) is not None and local.there()

    @cached_property
    def _judge(self) -> Judge:
        return Judge(self.writers, self._settings.think_timeout)

    @cached_property
    def writers(self) -> Writers:
        """The chat models."""
        settings = self._settings
        return Writers(choice.ollama(settings), settings.chat_model)

    @cached_property
    def expander(self) -> Expander | None:
        """Query expansion by a chat model; None if disabled."""
        from ark_tui.retrieval.expansion import Expander

        if not self._settings.expand:
            return None
        return Expander(
            self.writers,
            self._settings.home.cache / "expansions",
            self._settings.expand_budget,
            on_wait=self._on_wait,
        )

    def followers(self) -> tuple[VectorsFollower, ...]:
        """New followers of the model in use and of the one being built."""
        known = (self.in_force(), self.building())
        return tuple(self._follower(model) for model in known if model is not None)

    def folder(self, model: ServedModel) -> Path:
        """The folder of a model's vectors."""
        return self._settings.home.vectors / f"{model.fingerprint}.lance"

    # -- choosing ----------------------------------------------------------------------------------

    def prepare(self, stop: Stop = NEVER) -> tuple[str, ...]:
        """Choose the configured model, before texts are indexed. Return notices.

        If its server is unavailable, nothing changes. Raises `Cancelled`.
        """
        if self.silenced:
            return ()
        try:
            wanted = self._asked_for()
            if wanted is not None:
                return self._begun(wanted, stop)
        except Cancelled:
            raise
        except ArkError as error:
            return ("embedding: " + error.told,)
        return ()

    def consider(self, stop: Stop = NEVER) -> tuple[str, ...]:
        """With the setting `auto`, choose a model after texts were indexed. Return notices.

        This happens for the first texts of an empty corpus and whenever the corpus has doubled.
        """
        now = self._store.models()
        look = auto.Look.loaded(now.looked)
        if self.silenced or choice.wanted(self._settings) or not (look or self._grows):
            return ()
        with self._store.read() as lease:
            chunks = documents.totals(lease)[1]
        if not chunks or (look and chunks < 2 * look.chunks) or (look is None and now != Record()):
            return ()
        self._grows = False
        try:
            model = self.in_force() or self.building()
            return self._reconsidered(model, chunks, stop) if model else self._considered(chunks, stop)
        except ServerFailure:
            return ()  # retried after the next texts
        except StoreError as error:
            return ("embedding: " + error.told,)

    def use(
        self,
        name: str,
        stop: Stop = NEVER,
        progress: OnProgress = ignore,
        say: Callable[[str], object] = ignore,
        *,
        anyway: bool = False,
    ) -> ServedModel | None:
        """Switch to a model: build its missing vectors, then use it. Return it, or None for the static one.

        The expected time is first reported as progress and to `say`. After an interruption, the same call
        resumes. Raises `ServerFailure` if the server cannot be used, or if the model is not made for
        embedding (unless `anyway`); then the previous model stays in use.
        """
        wanted = self._meant(name)
        if wanted.provider == choice.STATIC:
            self._keep(Record(choice.STATIC, "", self._settings.embedding))
            return None
        if self.silenced:
            raise UsageError(ALONE, ALLOW)
        model = self._twin(choice.described(wanted, self._settings, anyway=anyway, stop=stop))
        self._begin(model)
        if not self._complete(model):
            self._tell_time(model, stop, progress, say)
            self._follower(model).sync(stop, progress, WAIT)
        self.settle()
        return model

    def settle(self) -> ServedModel | None:
        """Use the model being built if its vectors are complete; return it if so."""
        model = self.building()
        if model is None or not self._complete(model):
            return None
        with self._store.write() as lease:
            now = models.record(lease)
            if now.building != model.dumped() or not self._has_all(lease, model):
                return None
            models.keep(lease, replace(now, in_force=now.building, building=""))
        return model

    def add(
        self, name: str, folder: Path | None = None, stop: Stop = NEVER, progress: OnProgress = ignore
    ) -> Added:
        """Add a model that runs in this process, from a folder or from the hub.

        An embedding model is chosen at once if the settings ask for it, or as the first one with `auto`.
        Raises `UsageError` for a folder without a usable model, and `ServerFailure`.
        """
        if folder is None and self.silenced:
            raise UsageError(
                ALONE, f"{ALLOW} " + Hint.run("models add", from_="FOLDER", say="Or name a folder: `{}`.")
            )
        shelf, hub = choice.shelf(self._settings), self._settings.model_hub
        made = local.add(shelf, name, folder, hub, stop, progress)
        if made.use == "vectors":
            self.prepare()
        return made

    def remove(self, name: str) -> None:
        """Remove an added model; its vectors stay, in case it is added again.

        If it is in use, searches switch to the static model. Raises `NoModel`.
        """
        bare = name.removeprefix(f"{local.PROVIDER}:")
        choice.shelf(self._settings).remove(bare)
        wanted = choice.Wanted(local.PROVIDER, bare)
        if any(one and _named(one, wanted) for one in (self.in_force(), self.building())):
            self._keep(Record("", "", self._settings.embedding))

    def pull(self, name: str, stop: Stop = NEVER, progress: OnProgress = ignore) -> None:
        """Let Ollama download a model. Raises `ServerFailure`."""
        wanted = choice.read(name)
        if wanted is None or wanted.provider != "ollama":
            raise UsageError(f"{name} is not a model of Ollama.", "Only Ollama fetches models.")
        if self.silenced:
            raise UsageError(ALONE, ALLOW)
        choice.ollama(self._settings).pull(wanted.model, stop, progress)

    def drop(self, name: str, *, yes: bool = False) -> int:
        """Delete the vectors of an unused model; return their size in bytes.

        Raises `NotFound` if it has none, and `UsageError` if it is in use or, with the size, without `yes`.
        """
        wanted = self._meant(name)
        used = (self.in_force(), self.building())
        found = {file.parent: model for file, model in self._abouts() if _named(model, wanted)}
        if wanted.provider == choice.STATIC or (found and all(model in used for model in found.values())):
            raise UsageError(
                f"{name} is in use.", Hint.run("models", use="NAME", say="Switch to another first: `{}`.")
            )
        kept = {folder: model for folder, model in found.items() if model not in used}
        if not kept:
            raise NotFound(
                f"There are no vectors of {name}.",
                Hint.run("models list", say="`{}` lists the stored ones."),
            )
        total = sum(map(size, kept))
        if not yes:
            shown = f"{total / 1e6:,.1f} MB"
            raise UsageError(
                f"{name} has vectors of {shown}, which would have to be embedded again.",
                Hint.give(yes=True, say="Add {} to do it."),
            )
        for model in kept.values():
            self._follower(model).drop(WAIT)
        return total

    def listed(self) -> Models:
        """All models that have vectors, were added, or are installed in Ollama."""
        server = choice.ollama(self._settings)
        found: list[Installed] = []
        problem = "the settings allow the static model only" if self.silenced else ""
        if not self.silenced:
            try:
                found = server.installed()
            except ServerFailure as failure:
                problem = failure.reason
        there = None if problem else found
        added = [*self._added(pairs=False)]
        rows = [*self._with_vectors(there), self._static()]
        names = {row.name for row in rows}
        rows += [row for row in added if row.name not in names]
        here = {f"ollama:{plain(one.name)}": one for one in found}
        rows += [ModelInfo(name, "at hand") for name in here if name not in names]
        better = self._better([row.name for row in added if not row.problem], found)
        look = auto.Look.loaded(self._store.models().looked)
        slow = look if look and look.refused == better else None
        taken = {
            better: f"auto passes it over: {slow.why}" if slow else "for vectors: the best one available"
        }
        if self._settings.chat_model:
            taken[f"ollama:{plain(self._settings.chat_model)}"] = "for writing: `chat_model` names it"
        loaded = {f"ollama:{plain(one.name)}": one.on_gpu for one in (self._loaded(server) if found else ())}
        rows = [
            _described(row, here.get(row.name), taken.get(row.name, ""), loaded.get(row.name)) for row in rows
        ]
        order = ("in use", "being built", "kept", "at hand")
        return Models(
            tuple(sorted(rows, key=lambda row: order.index(row.state))),
            server.address,
            problem,
            self._settings.embedding,
            better,
            tuple(self._added(pairs=True)),
            slow.notice if slow else "",
        )

    # -- inside ------------------------------------------------------------------------------------

    def _meant(self, name: str) -> Wanted:
        """Parse the name of a model; added models may omit the provider. Raises `UsageError`."""
        own = name in choice.shelf(self._settings).names()
        wanted = choice.Wanted(local.PROVIDER, name) if own else choice.read(name)
        if wanted is None:
            raise UsageError(
                "auto is not a model.", Hint.run("models list", say="Name one; `{}` lists them.")
            )
        return wanted

    def _asked_for(self) -> Wanted | None:
        """The model to switch to now; None to keep the current one."""
        now = self._store.models()
        named = choice.wanted(self._settings)
        if named is None:
            if now.in_force or now.building:
                return None
            self._grows = self._grows or self._empty()
            return choice.added(self._settings)
        chosen = now.in_force or now.building
        return None if chosen and now.setting == self._settings.embedding else named

    def _unreached(self) -> str:
        """The configured model while it is not yet in use, else empty."""
        now = self._store.models()
        named = self._settings.embedding
        if self.silenced or named == choice.AUTO or (now.in_force and now.setting == named):
            return ""
        return named

    def _begun(self, wanted: Wanted, stop: Stop) -> tuple[str, ...]:
        if wanted.provider == choice.STATIC:
            return ()
        model = self._kept(wanted) or self._twin(choice.described(wanted, self._settings, stop=stop))
        before = self.in_force()
        self._begin(model)
        return () if before == model else (_building(model),)

    def _considered(self, chunks: int, stop: Stop) -> tuple[str, ...]:
        """Choose the best model that is fast enough; record nothing if no model was tried."""
        model, refused, why = Auto(self._settings, self._follower, stop).chosen()
        if model is None and not refused:
            return ()
        look = auto.Look(chunks, refused, why)
        if model is None:
            self._keep(replace(self._store.models(), looked=look.dumped()))
        else:
            self._begin(model, look.dumped())
        said = (f"embedding: {look.notice}",) if look.notice else ()
        return (*said, *((_building(model),) if model else ()))

    def _reconsidered(self, model: ServedModel, chunks: int, stop: Stop) -> tuple[str, ...]:
        """Drop the model that `auto` chose for a smaller corpus if it is now too slow."""
        why = Auto(self._settings, self._follower, stop).outgrown(model)
        look = auto.Look(chunks, model.name if why else "", why)
        if not why:
            self._keep(replace(self._store.models(), looked=look.dumped()))
            return ()
        self._keep(Record("", "", self._settings.embedding, look.dumped()))
        return (f"embedding: the corpus has outgrown its model: {look.notice}",)

    def _tell_time(
        self, model: ServedModel, stop: Stop, progress: OnProgress, say: Callable[[str], object]
    ) -> None:
        """Report how long building the vectors of a model will take."""
        follower = self._follower(model)
        waiting = follower.state().behind
        try:
            seconds = follower.try_out(stop)
        except (ServerFailure, StoreError):
            return  # the build reports the error, or waits for another thread that builds
        if not seconds:
            return
        cost = served.cost(seconds, waiting)
        said = f"The vectors of {model.name} take {cost}; everything is searchable meanwhile."
        progress(Progress(follower.name, 0, waiting, said))
        say(said)

    def _twin(self, model: ServedModel) -> ServedModel:
        """The model, or one with the same weights that already has vectors under another name."""
        known = [one for _, one in self._abouts() if replace(one, model=model.model) == model]
        return model if model in known or not (known and model.digest) else known[0]

    def _begin(self, model: ServedModel, looked: str = "") -> None:
        """Record a model as being built, and describe it in the folder of its vectors.

        `looked`: the `Look` of `auto`, if `auto` chose the model.
        """
        now = self._store.models()
        same = now.in_force == model.dumped()
        building = "" if same else model.dumped()
        self._keep(Record(now.in_force, building, self._settings.embedding, looked))
        write_file(self.folder(model) / ABOUT, model.dumped().encode())

    def _kept(self, wanted: Wanted) -> ServedModel | None:
        """The model in use or being built if it is the wanted one; sends no request."""
        for model in (self.in_force(), self.building()):
            if (
                model
                and _named(model, wanted)
                and self._settings.embedding_dims in {0, model.asked, model.dims}
            ):
                return model
        return None

    def _empty(self) -> bool:
        with self._store.read() as lease:
            return documents.totals(lease)[0] == 0

    def _complete(self, model: ServedModel) -> bool:
        with self._store.read() as lease:
            return self._has_all(lease, model)

    def _has_all(self, lease: Lease, model: ServedModel) -> bool:
        follower = self._follower(model)
        mark, identity = follower.mark(), changes.identity(lease)
        fits = (mark.store, mark.epoch, mark.version) == (identity.store, identity.epoch, follower.version)
        return fits and not changes.behind(lease, mark.number)

    def _keep(self, record: Record) -> None:
        with self._store.write() as lease:
            models.keep(lease, record)

    def _opened(self, model: ServedModel) -> Served:
        from ark_tui.retrieval.state import Served

        key = model.fingerprint
        with self._mutex:
            if key not in self._known:
                embedder = choice.embedder(model, self._settings)
                self._known[key] = Served(
                    model.name,
                    self.reader(model).open,
                    QueryVectors(embedder),
                    self._settings.query_budget,
                )
            return self._known[key]

    def _repair(self, model: ServedModel) -> None:
        """Rebuild a damaged table, as far as that needs no server."""
        follower = self._follower(model)
        if follower.cached():
            with suppress(ModelUnavailable):
                follower.sync()

    def _follower(self, model: ServedModel, settings: Settings | None = None) -> VectorsFollower:
        from ark_tui.index.vectors.follower import VectorsFollower

        return VectorsFollower(
            self._store, self.folder(model), choice.embedder(model, settings or self._settings)
        )

    def _abouts(self) -> Iterator[tuple[Path, ServedModel]]:
        """Every model that has vectors, with the file that describes it."""
        for file in sorted(self._settings.home.vectors.glob(f"*/{ABOUT}")):
            if model := self._about(file):
                yield file, model

    def _with_vectors(self, there: Sequence[Installed] | None) -> Iterator[ModelInfo]:
        """The models that have vectors. `there`: models installed in Ollama, None if unknown."""
        in_force, building = self.in_force(), self.building()
        for file, model in self._abouts():
            state = self._follower(model).state()
            yield ModelInfo(
                model.name,
                "in use" if model == in_force else "being built" if model == building else "kept",
                model.dims,
                model.fingerprint,
                state.behind,
                size(file.parent),
                self._problem(model) or _gone(model, there),
                pace=1 / each if (each := served.pace(file.parent)) else 0.0,
            )

    @staticmethod
    def _loaded(server: Ollama) -> Sequence[Loaded]:
        """Models loaded in the server's memory; empty if unknown."""
        try:
            return server.loaded()
        except ServerFailure:
            return ()

    def _problem(self, model: ServedModel) -> str:
        """Why a local model cannot be used; empty for models of servers."""
        if model.provider != local.PROVIDER:
            return ""
        try:
            choice.embedder(model, self._settings).verify()
        except ArkError as error:
            return error.what.rstrip(".")
        return ""

    def _added(self, *, pairs: bool) -> Iterator[ModelInfo]:
        """The added models: those that score pairs (re-rankers) if `pairs`, else the others."""
        shelf = choice.shelf(self._settings)
        for name in shelf.names():
            known, problem = None, ""
            try:
                known = shelf.get(name)
                shelf.verify(known)
            except ArkError as error:
                problem = error.what.rstrip(".")
            if (known is not None and known.use == "pairs") == pairs:
                dims, taken = known.dims if known else 0, size(shelf.folder / name)
                yield ModelInfo(f"{local.PROVIDER}:{name}", "at hand", dims, bytes=taken, problem=problem)

    def _about(self, file: Path) -> ServedModel | None:
        """The model of a folder of vectors, from its file or, if that is damaged, from the store."""
        name = file.parent.name.removesuffix(".lance")
        with suppress(OSError):
            kept = ServedModel.loaded(file.read_text("utf-8", "replace"))
            if kept is not None and kept.fingerprint == name:
                return kept
        used = (self.in_force(), self.building())
        return next((model for model in used if model and model.fingerprint == name), None)

    def _static(self) -> ModelInfo:
        folder = self._settings.home.vectors / f"{static.StaticEmbedder.fingerprint}.lance"
        return ModelInfo(
            choice.STATIC,
            "kept" if self.in_force() else "in use",
            static.DIMS,
            static.StaticEmbedder.fingerprint,
            0,
            size(folder),
            "" if static.available() else "it is not installed",
        )

    def _better(self, added: list[str], found: Sequence[Installed]) -> str:
        """The best available model if only the static one is in use, else empty."""
        if self.in_force() or self.building():
            return ""
        own = [choice.Wanted(local.PROVIDER, name.partition(":")[2]) for name in added]
        best = next(iter(choice.ranked([*own, *choice.served(found)])), None)
        return f"{best.provider}:{best.model}" if best else ""


def _building(model: ServedModel) -> str:
    return f"embedding: building the vectors of {model.name}; searches use them once they are complete"


def remark(follower: VectorsFollower) -> str:
    """A remark about texts that were split for embedding; empty if there are none."""
    embedder = follower.embedder
    split = embedder.split if isinstance(embedder, ServedEmbedder) else 0
    texts = "text was" if split == 1 else "texts were"
    return f"{follower.name}: {split} {texts} too long for it and embedded in pieces" if split else ""


def _gone(model: ServedModel, there: Sequence[Installed] | None) -> str:
    """Why Ollama no longer serves a model; empty if it does or if unknown."""
    if model.provider != "ollama" or there is None or serving(there, model):
        return ""
    newer = any(same(one.name, model.model) for one in there)
    return "Ollama has another version of it" if newer else "Ollama no longer has it"


def _described(row: ModelInfo, found: Installed | None, taken: str, on_gpu: float | None) -> ModelInfo:
    """Add to a row the server's details of the model, its use (`taken`), and its processor."""
    if on_gpu is not None:
        share = round(100 * on_gpu)
        runs = "processor" if not share else "GPU" if share >= 100 else f"{share} % on the GPU"
        row = replace(row, runs=runs)
    if found is None:
        return replace(row, taken=taken)
    return replace(
        row,
        dims=row.dims or found.kind.dims,
        purpose=found.kind.purpose,
        size=found.size,
        context=found.kind.context,
        host=found.where,
        taken=taken,
    )


def _named(model: ServedModel, wanted: Wanted) -> bool:
    return (model.provider, _untagged(model.model)) == (wanted.provider, _untagged(wanted.model)) and (
        wanted.provider != "endpoint" or model.url == wanted.url
    )


def _untagged(name: str) -> str:
    return name.removesuffix(":latest")
