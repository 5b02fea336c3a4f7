"""The models of one home besides the static one: whose vectors searches use, building others, switching.

A model is in force when its vectors are complete. Until then it is being built: its follower embeds beside
the one in force, and what was embedded once stays in its table. The store remembers both.
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
    from ark_tui.index.vectors.reader import Vectors
    from ark_tui.retrieval.expansion import Expander
    from ark_tui.retrieval.state import Served
    from ark_tui.settings import Settings
    from ark_tui.store.links import Edges

ABOUT = "model.json"  # beside a model's vectors: whose they are
WAIT = 60.0  # seconds for another thread that is building the same vectors
ALONE = "The settings allow the static model only."
ALLOW = "Take `embedding = static` out of them first."


class ModelRegistry:
    """The served models of a home. Thread-safe; opens nothing until it is used."""

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
        self._known: dict[str, Served] = {}  # by the fingerprint of the model
        self._readers: dict[str, Vectors] = {}
        self._grows = False  # whether the corpus was empty when `auto` was to choose last

    # -- the models in use ------------------------------------------------------------------------

    @property
    def silenced(self) -> bool:
        """Whether the settings want no server at all."""
        return self._settings.embedding == choice.STATIC

    def in_force(self) -> ServedModel | None:
        """The model that searches use; None for the static one alone."""
        return None if self.silenced else ServedModel.loaded(self._store.models().in_force)

    def building(self) -> ServedModel | None:
        """The model that is to replace it, once its vectors are complete."""
        return None if self.silenced else ServedModel.loaded(self._store.models().building)

    def reader(self, model: ServedModel) -> Vectors:
        """The vectors of a model, for reading."""
        from ark_tui.index.vectors.reader import Vectors

        reader = Vectors(self.folder(model), model.dims, self._edges, lambda: self._mend(model))
        return self._readers.setdefault(model.fingerprint, reader)

    def close(self) -> None:
        """Close the files of vectors."""
        for reader in [*self._readers.values()]:
            reader.close()

    def served(self) -> Served | None:
        """What a search needs of the model in force; None where none is wanted.

        Raises `ModelUnavailable` when one is wanted whose vectors are not complete yet.
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
        """The last change that the wanted model's vectors have; None where no served model is wanted."""
        if model := self.in_force() or self.building():
            return self._follower(model).mark().number
        return 0 if self._unreached() else None

    def ask(self) -> str:
        """Ask the server of the model in force, or being built, for it: why it cannot be used, or nothing."""
        model = self.in_force() or self.building()
        if model is None:
            return ""
        try:
            choice.embedder(model, self._settings).verify()
        except ArkError as error:
            return error.told
        return ""

    def problem(self) -> str:
        """Why the model that texts wait for cannot be asked now; empty where it can, or where none is wanted.

        One that the settings name and that was not reached yet is chosen when its server answers.
        """
        if self.in_force() or self.building():
            return self.ask()
        said = self.prepare()
        return "" if self.building() else " ".join(said)

    def reranker(self, name: str = "") -> Reranker:
        """What re-ranks: `llm`, an added model by its name, or the one that was added last.

        Raises `NoModel` where there is none.
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
        """Whether a re-ranker was added that can be used."""
        return newest(choice.shelf(self._settings)) is not None and local.there()

    @cached_property
    def _judge(self) -> Judge:
        return Judge(self.writers, self._settings.think_timeout)

    @cached_property
    def writers(self) -> Writers:
        """The models that write."""
        settings = self._settings
        return Writers(choice.ollama(settings), settings.chat_model)

    @cached_property
    def expander(self) -> Expander | None:
        """The chat model that finds further terms; None where the settings switch it off."""
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
        """New followers: of the model in force, and of the one being built."""
        known = (self.in_force(), self.building())
        return tuple(self._follower(model) for model in known if model is not None)

    def folder(self, model: ServedModel) -> Path:
        """Where a model's vectors lie."""
        return self._settings.home.vectors / f"{model.fingerprint}.lance"

    # -- choosing ----------------------------------------------------------------------------------

    def prepare(self, stop: Stop = NEVER) -> tuple[str, ...]:
        """Before texts are indexed: choose the model that the settings ask for.

        Returns notices. A server that does not answer changes nothing. Raises `Cancelled`.
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
        """After texts were indexed: choose a model for a corpus that began empty, with the setting `auto`.

        This happens with the first texts, and each time the corpus has doubled. Returns notices.
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
            return ()  # a look that came to nothing is had again at the next occasion
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
        """Switch to a model: build what its vectors lack, beside those in force, and put it in force.

        How long that takes here is told first, as progress and to `say`. Returns the model; None for the
        static one. Interrupted, the same call goes on. Raises `ServerFailure` when its server cannot be used,
        or when it is not made for embedding and not wanted `anyway`: what is in force then stays.
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
        """Put the model being built in force if its vectors are complete; return it if so."""
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
        """Add a model to run in process, from a folder or from the hub, and begin with it where that is new.

        With the setting `auto`, a first one for vectors is used at once.
        Raises `UsageError` for a folder that is no usable model, and what a server may fail with.
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
        """Take an added model away; its vectors stay for the day when it is added again.

        Where it is in use, searches go on with the static one. Raises `NoModel`.
        """
        bare = name.removeprefix(f"{local.PROVIDER}:")
        choice.shelf(self._settings).remove(bare)
        wanted = choice.Wanted(local.PROVIDER, bare)
        if any(one and _named(one, wanted) for one in (self.in_force(), self.building())):
            self._keep(Record("", "", self._settings.embedding))

    def pull(self, name: str, stop: Stop = NEVER, progress: OnProgress = ignore) -> None:
        """Have Ollama fetch a model. Raises `ServerFailure`."""
        wanted = choice.read(name)
        if wanted is None or wanted.provider != "ollama":
            raise UsageError(f"{name} is not a model of Ollama.", "Only Ollama fetches models.")
        if self.silenced:
            raise UsageError(ALONE, ALLOW)
        choice.ollama(self._settings).pull(wanted.model, stop, progress)

    def drop(self, name: str, *, yes: bool = False) -> int:
        """Delete the vectors of a model that searches do not use; returns their bytes.

        Raises `NotFound` for one that has none; `UsageError` for one that is in use and, where `yes` was not
        said, with the size of what would go.
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
                Hint.run("models list", say="`{}` lists those that are kept."),
            )
        total = sum(map(size, kept))
        if not yes:
            shown = f"{total / 1e6:,.1f} MB"
            raise UsageError(
                f"{name} has vectors of {shown}, which would have to be embedded anew.",
                Hint.give(yes=True, say="Say {} to do it."),
            )
        for model in kept.values():
            self._follower(model).drop(WAIT)
        return total

    def listed(self) -> Models:
        """Every model that there are vectors of, that was added, and that Ollama has."""
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
            better: f"auto passes it over: {slow.why}" if slow else "for vectors: the best that is at hand"
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
        """The model that somebody names: one that was added goes by its plain name, too."""
        own = name in choice.shelf(self._settings).names()
        wanted = choice.Wanted(local.PROVIDER, name) if own else choice.read(name)
        if wanted is None:
            raise UsageError("auto is no model.", Hint.run("models list", say="Name one; `{}` lists them."))
        return wanted

    def _asked_for(self) -> Wanted | None:
        """The model to begin with now; None when the one there is stays."""
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
        """The model that the settings name, while its server has not yet said what it is."""
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
        """Choose the best model that is quick enough; where a server has none, nothing is remembered."""
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
        """Drop a model that `auto` chose for a smaller corpus, where it is too slow for this one."""
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
        """Say how long the vectors of a model take here, before they are built."""
        follower = self._follower(model)
        waiting = follower.state().behind
        try:
            seconds = follower.try_out(stop)
        except (ServerFailure, StoreError):
            return  # building says what is wrong, or waits for who builds already
        if not seconds:
            return
        cost = served.cost(seconds, waiting)
        said = f"The vectors of {model.name} take {cost}; everything is searchable meanwhile."
        progress(Progress(follower.name, 0, waiting, said))
        say(said)

    def _twin(self, model: ServedModel) -> ServedModel:
        """The model, or one of the same weights whose vectors are here already under another name."""
        known = [one for _, one in self._abouts() if replace(one, model=model.model) == model]
        return model if model in known or not (known and model.digest) else known[0]

    def _begin(self, model: ServedModel, looked: str = "") -> None:
        """Remember that a model is wanted, and write beside its vectors whose they are.

        `looked`: what `auto` saw, where nobody else wants it.
        """
        now = self._store.models()
        same = now.in_force == model.dumped()
        building = "" if same else model.dumped()
        self._keep(Record(now.in_force, building, self._settings.embedding, looked))
        write_file(self.folder(model) / ABOUT, model.dumped().encode())

    def _kept(self, wanted: Wanted) -> ServedModel | None:
        """The model that is in force or being built, if it is the one that is wanted: no server is asked."""
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

    def _mend(self, model: ServedModel) -> None:
        """Build a damaged table anew, as far as that needs no server."""
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
        """Every model that there are vectors of, with the file that says so."""
        for file in sorted(self._settings.home.vectors.glob(f"*/{ABOUT}")):
            if model := self._about(file):
                yield file, model

    def _with_vectors(self, there: Sequence[Installed] | None) -> Iterator[ModelInfo]:
        """The models that there are vectors of; `there`: what Ollama has, None where it does not say."""
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
        """What is in the server's memory; nothing where it does not say."""
        try:
            return server.loaded()
        except ServerFailure:
            return ()

    def _problem(self, model: ServedModel) -> str:
        """Why a local model cannot be used; servers are asked elsewhere."""
        if model.provider != local.PROVIDER:
            return ""
        try:
            choice.embedder(model, self._settings).verify()
        except ArkError as error:
            return error.what.rstrip(".")
        return ""

    def _added(self, *, pairs: bool) -> Iterator[ModelInfo]:
        """The models that were added: those that score pairs, or the others."""
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
        """The model that a folder of vectors is of; where its file is damaged, as far as the store knows."""
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
        """The best model at hand, while the static one is in use."""
        if self.in_force() or self.building():
            return ""
        own = [choice.Wanted(local.PROVIDER, name.partition(":")[2]) for name in added]
        best = next(iter(choice.ranked([*own, *choice.served(found)])), None)
        return f"{best.provider}:{best.model}" if best else ""


def _building(model: ServedModel) -> str:
    return f"embedding: building the vectors of {model.name}; searches use them once they are complete"


def remark(follower: VectorsFollower) -> str:
    """What there is to say of a follower's work; empty for nothing."""
    embedder = follower.embedder
    split = embedder.split if isinstance(embedder, ServedEmbedder) else 0
    texts = "text was" if split == 1 else "texts were"
    return f"{follower.name}: {split} {texts} too long for it and embedded in pieces" if split else ""


def _gone(model: ServedModel, there: Sequence[Installed] | None) -> str:
    """Why Ollama no longer gives the vectors of a model; empty where it does, or where it does not say."""
    if model.provider != "ollama" or there is None or serving(there, model):
        return ""
    newer = any(same(one.name, model.model) for one in there)
    return "Ollama has another version of it" if newer else "Ollama no longer has it"


def _described(row: ModelInfo, found: Installed | None, taken: str, on_gpu: float | None) -> ModelInfo:
    """A row with what the server says of the model, what it would be `taken` for, and what it runs on."""
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
