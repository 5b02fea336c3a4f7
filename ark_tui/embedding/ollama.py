"""Ollama: the models it has and what they are for; embedding, chat and downloads through its own client.

Lists of models are read without that client, which drops what a model is for.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ark_tui.domain.errors import Hint
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, check, ignore
from ark_tui.domain.work import Progress
from ark_tui.embedding import families
from ark_tui.embedding.retry import Down, NoModel, ServerFailure, Slow, TooLong, Wrong
from ark_tui.embedding.served import ServedEmbedder, ServedModel
from ark_tui.embedding.transport import Http
from ark_tui.settings import caller
from ark_tui.settings.kinds import Address, Unfit

if TYPE_CHECKING:
    import ollama

WHO = "Ollama"
HOST = "http://127.0.0.1:11434"  # where Ollama listens by default
PORT = 11434
KEY = "OLLAMA_API_KEY"
QUICK = 2.0  # seconds for a list: what it has, what that is for, what is loaded
PULL = 600.0  # seconds between two signs of life while a model is fetched
CHECKED = 60.0  # seconds for which a digest that was looked up counts
SET = "Write OLLAMA_HOST, or `ollama_host` in the config, as HOST:PORT, such as 127.0.0.1:11434."
AWAY = ("-cloud", ":cloud")  # how the names of models end that always run elsewhere
MISSING = ("file does not exist", "manifest unknown", "not found")
"""What Ollama passes on from a registry that does not have a model."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What a model is made for. `context`: tokens that it takes, `dims`: of its vectors; 0 where not said."""

    embeds: bool = False
    completes: bool = False
    context: int = 0
    dims: int = 0

    @property
    def purpose(self) -> str:
        """In words; empty for what is neither."""
        return " and ".join(("embedding",) * self.embeds + ("writing",) * self.completes)

    @classmethod
    def of_entry(cls, entry: Mapping[str, Any]) -> Kind | None:
        """By an entry of `/api/tags`; None where the server does not tell it there."""
        told = entry.get("capabilities")
        if not told:
            return None
        details = entry.get("details") or {}
        return cls._of(told, details.get("context_length"), details.get("embedding_length"))

    @classmethod
    def of_show(cls, answer: Mapping[str, Any]) -> Kind | None:
        """By an answer of `/api/show`; None where that does not tell it.

        Servers from before capabilities tell how vectors are pooled, which only models for embedding have.
        """
        info = answer.get("model_info") or {}
        sizes = {str(key).rpartition(".")[2]: value for key, value in info.items()}
        told = answer.get("capabilities") or (
            () if not info else ("embedding",) if "pooling_type" in sizes else ("completion",)
        )
        return cls._of(told, sizes.get("context_length"), sizes.get("embedding_length")) if told else None

    @classmethod
    def guessed(cls, name: str, family: str = "") -> Kind:
        """Of a model of which its server does not tell it."""
        embeds = "bert" in family or families.embeds(name)
        return cls(embeds, not embeds)

    @classmethod
    def _of(cls, told: Iterable[object], context: object, dims: object) -> Kind:
        names = {str(one) for one in told}
        embeds = "embedding" in names
        return cls(embeds, "completion" in names, _count(context), _count(dims) if embeds else 0)


def _count(value: object) -> int:
    return value if isinstance(value, int) and 0 < value < 1 << 40 else 0


_KINDS: dict[str, Kind] = {}  # by digest, as far as servers were asked in this process


@dataclass(frozen=True, slots=True)
class Installed:
    """A model that a server has. `host`: where it runs, for one that runs elsewhere."""

    name: str
    digest: str = ""
    size: int = 0  # bytes
    told: Kind | None = None  # None where it was not asked for yet: its name is a guess until then
    host: str = ""
    family: str = ""

    @property
    def kind(self) -> Kind:
        """What it is made for, as far as is known."""
        return self.told or _KINDS.get(self.digest) or Kind.guessed(self.name, self.family)

    @property
    def remote(self) -> bool:
        """Whether it runs elsewhere: what it is given leaves this machine."""
        return bool(self.host) or plain(self.name.strip().lower()).endswith(AWAY)

    @property
    def where(self) -> str:
        """The host that it runs on; empty for one that runs on its server."""
        if not self.remote:
            return ""
        return urlsplit(self.host if "://" in self.host else f"//{self.host}").hostname or "its vendor"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model in a server's memory. `on_gpu`: the share of it that is on a GPU, from 0 to 1."""

    name: str
    digest: str
    on_gpu: float


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a chat model is asked to write: JSON that follows a schema, without chance.

    `longest`: tokens of the answer. `silence`: the seconds that may pass between two of its pieces, those of
    other calls where it is 0; `told` gets each piece as it comes.
    """

    messages: Sequence[dict[str, str]]
    schema: dict[str, Any]
    longest: int
    silence: float = 0.0
    told: Callable[[str], None] = lambda _: None


@dataclass(frozen=True, slots=True)
class Written:
    """What a chat model wrote. `whole`: it came to its own end, neither broken off nor too long.

    `read`: tokens of the prompt as the server counted them; 0 where it has not said.
    """

    text: str
    whole: bool = True
    read: int = 0


@dataclass
class Ollama:
    """One server. Making one touches nothing; every call raises `ServerFailure`."""

    host: str = ""
    timeout: float = 120.0  # seconds for one answer
    keep_alive: str = "10m"
    allow_remote: bool = False  # whether texts may go to a model that runs elsewhere
    key: str = field(default_factory=lambda: caller.environ().get(KEY, ""), repr=False)  # of who calls

    @property
    def address(self) -> str:
        """Scheme, name and port; what was given, where that is no address."""
        if not self._fits:
            return self.host
        text = self.host or HOST
        parts = urlsplit(text if "://" in text else f"http://{text}")
        port = parts.port or ({"https": 443}.get(parts.scheme, 80) if "://" in text else PORT)
        name = parts.hostname or "127.0.0.1"
        return f"{parts.scheme}://{f'[{name}]' if ':' in name else name}:{port}{parts.path.rstrip('/')}"

    @property
    def _fits(self) -> bool:
        try:
            Address(bare=True).check(self.host)
        except Unfit:
            return False
        return True

    @cached_property
    def http(self) -> Http:
        """Its connections. Raises `Wrong` where the address is none."""
        if not self._fits:
            raise Wrong(f"OLLAMA_HOST is no address: {self.host}.", SET)
        return Http(WHO, self.address, self.timeout, lambda: self.key, KEY)

    def start(self) -> None:
        """Make the client, which takes its time; nothing is sent."""
        _ = self._client

    def listens(self, seconds: float = 0.3) -> bool:
        """Whether something listens at the address; quick where nothing does."""
        if not self._fits:
            return False
        parts = urlsplit(self.address)
        try:
            with socket.create_connection((parts.hostname or "", parts.port or PORT), timeout=seconds):
                return True
        except OSError:
            return False

    def listed(self) -> list[Installed]:
        """The models it has, by one quick request; what they are for is known where it says so there."""
        found = self._quick("GET", "api/tags")
        with self.http.readable():
            return [_entry(one) for one in found["models"] if one.get("model")]

    def installed(self) -> list[Installed]:
        """The models it has, and what each is for: asked for once, and not where one runs elsewhere."""
        found = self.listed()
        for one in found:
            try:
                self.learn(one)
            except (Slow, Down):
                break
            except ServerFailure:
                continue
        return found

    def learn(self, one: Installed) -> None:
        """Have its server say what a model is for, where that is not known."""
        if one.told is None and not one.remote and one.digest not in _KINDS:
            shown = self._quick("POST", "api/show", {"model": one.name})
            with self.http.readable():
                kind = Kind.of_show(shown)
            if kind is not None:
                _KINDS[one.digest] = kind

    def loaded(self) -> list[Loaded]:
        """The models that are in its memory now."""
        found = self._quick("GET", "api/ps")
        with self.http.readable():
            return [
                Loaded(
                    str(one["model"]),
                    str(one.get("digest") or ""),
                    int(one.get("size_vram") or 0) / max(1, int(one.get("size") or 0)),
                )
                for one in found["models"]
            ]

    def has(self, model: str) -> Installed:
        """One model by its name, with or without its tag; raises `NoModel`."""
        for one in self.listed():
            if same(one.name, model):
                return one
        raise NoModel(f"{WHO} has no model {model}.", Hint.run("models", pull=model, say="Get it with `{}`."))

    def permitted(self, one: Installed) -> Installed:
        """The model; raises `Wrong` for one that runs elsewhere, where that is not allowed."""
        if one.remote and not self.allow_remote:
            raise Wrong(
                f"{plain(one.name)} runs elsewhere: every text would go to {one.where}.",
                "Where you want that, set `allow_remote = true` in config.toml.",
            )
        return one

    def describe(self, model: str, dims: int = 0, *, anyway: bool = False) -> ServedModel:
        """What identifies a model's vectors; `dims` asks for fewer dimensions than it has.

        Raises `Wrong` for one that is not made for embedding, unless it is wanted `anyway`.
        """
        found = self.permitted(self.has(model))
        try:
            self.learn(found)
        except (Slow, Down):
            raise
        except ServerFailure:  # not told: its name has to do
            pass
        if not (found.kind.embeds or anyway):
            name = f"ollama:{plain(found.name)}"
            raise Wrong(
                f"{plain(found.name)} is not made for embedding: its vectors would find little.",
                Hint.run("models", use=name, anyway=True, say="`{}` takes it all the same."),
            )
        with self.http.readable():
            length = len(self.embed(found.name, ["dimensions"], dims)[0])
        if dims and length != dims:
            raise Wrong(
                f"{model} has {length} dimensions, not {dims}.", "Set `embedding_dims` to 0 or to fewer."
            )
        return ServedModel.of("ollama", plain(found.name), length, digest=found.digest, asked=dims)

    def embed(self, model: str, texts: Sequence[str], dims: int = 0) -> Sequence[Sequence[float]]:
        """The vectors of texts, which it refuses rather than cut when they are too long."""
        with self._answering(model):
            return self._client.embed(
                model, list(texts), truncate=False, keep_alive=self.keep_alive, dimensions=dims or None
            ).embeddings

    def hang_up(self) -> None:
        """End what is under way, from another thread: the server stops after the text in hand."""
        self.http.hang_up()

    def chat(self, model: str, prompt: Prompt, context: int, http: Http | None = None) -> Written:
        """An answer that follows a JSON schema, without thinking aloud and without chance.

        `context`: tokens of prompt and answer. `http`: connections that another thread may cut off.
        """
        text, done, read = "", "", 0
        silence = prompt.silence or self.timeout
        with self._answering(model, silence), closing(self._made(silence, http)) as client:
            for part in client.chat(
                model,
                list(prompt.messages),
                format=prompt.schema,
                think=False,
                stream=True,
                options={"temperature": 0, "num_ctx": context, "num_predict": prompt.longest},
                keep_alive=self.keep_alive,
            ):
                if piece := part.message.content or "":
                    text += piece
                    prompt.told(piece)
                if part.done:
                    done, read = part.done_reason or "stop", int(part.prompt_eval_count or 0)
        return Written(text, done == "stop", read)

    def pull(self, model: str, stop: Stop = NEVER, progress: OnProgress = ignore) -> None:
        """Fetch a model; a fetch that was stopped goes on from there at the next."""
        last = ""
        try:
            with self._answering(model, PULL), closing(self._made(PULL)) as client:
                for line in client.pull(model, stream=True):
                    check(stop)
                    last = line.status or ""
                    if line.total:
                        progress(Progress("pull", line.completed or 0, line.total, last))
        except Wrong as failure:
            if any(mark in failure.what for mark in MISSING):
                raise NoModel(
                    f"{WHO}'s registry has no model {model}.", "See how its name and its tag are written."
                ) from failure
            raise
        if last != "success":
            raise Down(f"Fetching {model} was broken off.", "The same command goes on from there.")

    @cached_property
    def _client(self) -> ollama.Client:
        return self._made(self.timeout)

    def _made(self, timeout: float, http: Http | None = None) -> ollama.Client:
        import ollama

        return (http or self.http).made(lambda options: ollama.Client(self.address, **options), timeout)

    @contextmanager
    def _answering(self, model: str, seconds: float = 0.0) -> Iterator[None]:
        """Turn whatever Ollama's client raises within this into a `ServerFailure`."""
        import ollama

        with self.http.readable(), self.http.answering(seconds or self.timeout):
            try:
                yield
            except ollama.ResponseError as error:
                raise self.http.refused(error.status_code, error.error, model) from error

    def _quick(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """The answer to a quick question; raises `ServerFailure` where there is none soon."""
        try:
            model = str((body or {}).get("model", ""))
            return self.http.call(method, path, body, model=model, timeout=min(QUICK, self.timeout))
        except Slow as slow:
            raise Slow(slow.what, "It may be stuck: see its own log, or start it anew.") from slow


def _entry(one: Mapping[str, Any]) -> Installed:
    return Installed(
        str(one["model"]),
        str(one.get("digest") or ""),
        int(one.get("size") or 0),
        Kind.of_entry(one),
        str(one.get("remote_host") or ""),
        str((one.get("details") or {}).get("family") or ""),
    )


class OllamaEmbedder(ServedEmbedder):
    """A model of an Ollama as an `Embedder`."""

    who = WHO

    def __init__(self, served: ServedModel, server: Ollama) -> None:
        super().__init__(served)
        self._server = server
        self._name = served.model  # the server's name for it
        self._context = 0  # tokens, where the server says it
        self._checked = -CHECKED

    def start(self) -> None:
        self._server.start()

    def hang_up(self) -> None:
        self._server.hang_up()

    def verify(self) -> None:
        """Raises `Wrong` when the model of that name is not the one whose vectors the corpus has.

        The same weights under another name will do.
        """
        if time.monotonic() - self._checked < CHECKED:
            return
        found = serving(self._server.listed(), self.served)
        if found is None:
            found = self._server.has(self.served.model)
            raise Wrong(
                f"{WHO} has another version of {self.served.model} than the corpus was embedded with.",
                Hint.run("models", use=self.served.name, say="`{}` builds its vectors anew."),
            )
        self._server.permitted(found)
        self._name, self._context = plain(found.name), found.kind.context
        self._checked = time.monotonic()

    def request(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Raises `TooLong` without asking for a text that has more words than the model takes tokens."""
        if self._context and any(len(text.split()) > self._context for text in texts):
            raise TooLong(f"A text has more than the {self._context} tokens of {self._name}.")
        return self._server.embed(self._name, texts, self.served.asked)


def serving(found: Sequence[Installed], wanted: ServedModel) -> Installed | None:
    """Which of a server's models gives the very vectors of a model: the same weights, whatever their name."""
    weights = [one for one in found if one.digest == wanted.digest]
    named = (weight for weight in weights if same(weight.name, wanted.model))
    return next(named, weights[0] if weights and wanted.digest else None)


def same(one: str, other: str) -> bool:
    """Whether two names are of one model: a missing tag is `latest`."""
    return plain(one) == plain(other)


def plain(name: str) -> str:
    """A name without the tag `latest`."""
    return name.removesuffix(":latest")
