"""Ollama: its models and their purposes, embedding, chat and downloads, over its HTTP API."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
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
from ark_tui.settings.kinds import Unfit, address

if TYPE_CHECKING:
    from ark_tui.domain.protocols import Matrix

WHO = "Ollama"
HOST = "http://127.0.0.1:11434"  # Ollama's default address
PORT = 11434
KEY = "OLLAMA_API_KEY"
QUICK = 2.0  # timeout in seconds for lists and capabilities of models
PULL = 600.0  # timeout in seconds without data while a model is downloaded
CHECKED = 60.0  # seconds for which a verified digest stays valid
SET = "Write OLLAMA_HOST, or `ollama_host` in the config, as HOST:PORT, such as 127.0.0.1:11434."
AWAY = ("-cloud", ":cloud")  # name endings of models that run in the cloud
MISSING = ("file does not exist", "manifest unknown", "not found")
"""Messages that Ollama passes on when its registry does not have a model."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Capabilities of a model. `context`: size in tokens; `dims`: of its vectors; 0 if unknown."""

    embeds: bool = False
    completes: bool = False
    context: int = 0
    dims: int = 0

    @property
    def purpose(self) -> str:
        """The capabilities in words; "" for none."""
        return " and ".join(("embedding",) * self.embeds + ("writing",) * self.completes)

    @classmethod
    def of_show(cls, answer: Mapping[str, Any]) -> Kind | None:
        """From a response of `/api/show`; None if it has no usable information.

        Old servers give no capabilities, but a pooling type, which only embedding models have.
        """
        info = answer.get("model_info") or {}
        sizes = {str(key).rpartition(".")[2]: value for key, value in info.items()}
        told = answer.get("capabilities") or (
            () if not info else ("embedding",) if "pooling_type" in sizes else ("completion",)
        )
        return cls._of(told, sizes.get("context_length"), sizes.get("embedding_length")) if told else None

    @classmethod
    def guessed(cls, name: str, family: str = "") -> Kind:
        """A guess by name and family, if the server gives no capabilities."""
        embeds = "bert" in family or families.embeds(name)
        return cls(embeds, not embeds)

    @classmethod
    def _of(cls, told: Iterable[object], context: object, dims: object) -> Kind:
        names = {str(one) for one in told}
        embeds = "embedding" in names
        return cls(embeds, "completion" in names, _count(context), _count(dims) if embeds else 0)


def _count(value: object) -> int:
    return value if isinstance(value, int) and 0 < value < 1 << 40 else 0


_KINDS: dict[str, Kind] = {}  # by digest: capabilities fetched in this process


@dataclass(frozen=True, slots=True)
class Installed:
    """A model of a server. `host`: the remote host of a model that runs elsewhere."""

    name: str
    digest: str = ""
    size: int = 0  # bytes
    host: str = ""
    family: str = ""

    @property
    def kind(self) -> Kind:
        """Its capabilities: as its server says, or guessed until it was asked."""
        return _KINDS.get(self.digest) or Kind.guessed(self.name, self.family)

    @property
    def remote(self) -> bool:
        """Whether it runs on another host than its server, so that texts are sent there."""
        return bool(self.host) or plain(self.name.strip().lower()).endswith(AWAY)

    @property
    def where(self) -> str:
        """The remote host that it runs on; "" if it runs on its server."""
        if not self.remote:
            return ""
        return urlsplit(self.host if "://" in self.host else f"//{self.host}").hostname or "its vendor"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model in a server's memory. `on_gpu`: the fraction in GPU memory, from 0 to 1."""

    name: str
    digest: str
    on_gpu: float


@dataclass(frozen=True, slots=True)
class Prompt:
    """A chat request: JSON that follows a schema, at temperature 0.

    `longest`: maximum tokens of the response. `silence`: timeout in seconds between two pieces of the
    response; 0 for the server's default. `told` is called with each piece.
    """

    messages: Sequence[dict[str, str]]
    schema: dict[str, Any]
    longest: int
    silence: float = 0.0
    told: Callable[[str], None] = lambda _: None


@dataclass(frozen=True, slots=True)
class Written:
    """A chat response. `whole`: it is complete, neither interrupted nor truncated.

    `read`: tokens of the prompt as counted by the server; 0 if unknown.
    """

    text: str
    whole: bool = True
    read: int = 0


@dataclass
class Ollama:
    """One Ollama server. The constructor makes no request; all calls raise `ServerFailure`."""

    host: str = ""
    timeout: float = 120.0  # seconds for one response
    keep_alive: str = "10m"
    allow_remote: bool = False  # whether texts may be sent to a model that runs elsewhere
    key: str = field(default_factory=lambda: caller.environ().get(KEY, ""), repr=False)  # the caller's

    @property
    def address(self) -> str:
        """Scheme, host and port; an invalid address is returned unchanged."""
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
            address(bare=True).check(self.host)
        except Unfit:
            return False
        return True

    @cached_property
    def http(self) -> Http:
        """The HTTP connections. Raises `Wrong` for an invalid address."""
        if not self._fits:
            raise Wrong(f"OLLAMA_HOST is not a valid address: {self.host}.", SET)
        return Http(WHO, self.address, self.timeout, lambda: self.key, KEY)

    def start(self) -> None:
        """Create the client, which is slow; no request is sent."""
        self.http.start()

    def listens(self, seconds: float = 0.3) -> bool:
        """Whether a server accepts connections at the address, with a short timeout."""
        if not self._fits:
            return False
        parts = urlsplit(self.address)
        try:
            with socket.create_connection((parts.hostname or "", parts.port or PORT), timeout=seconds):
                return True
        except OSError:
            return False

    def listed(self) -> list[Installed]:
        """The installed models, by one quick request."""
        found = self._quick("GET", "api/tags")
        with self.http.readable():
            return [_entry(one) for one in found["models"] if one.get("model")]

    def installed(self) -> list[Installed]:
        """The installed models with capabilities, fetched once per model and not for remote models."""
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
        """Fetch the capabilities of a model, if unknown."""
        if not one.remote and one.digest not in _KINDS:
            shown = self._quick("POST", "api/show", {"model": one.name})
            with self.http.readable():
                kind = Kind.of_show(shown)
            if kind is not None:
                _KINDS[one.digest] = kind

    def loaded(self) -> list[Loaded]:
        """The models currently loaded in memory."""
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
        """One model by name, with or without its tag. Raises `NoModel`."""
        for one in self.listed():
            if same(one.name, model):
                return one
        raise NoModel(f"{WHO} has no model {model}.", Hint.run("models", pull=model, say="Get it with `{}`."))

    def permitted(self, one: Installed) -> Installed:
        """Return the model. Raises `Wrong` if it runs elsewhere and that is not allowed."""
        if one.remote and not self.allow_remote:
            raise Wrong(
                f"{plain(one.name)} runs elsewhere: every text would go to {one.where}.",
                "To allow it, set `allow_remote = true` in config.toml.",
            )
        return one

    def describe(self, model: str, dims: int = 0, *, anyway: bool = False) -> ServedModel:
        """What identifies a model's vectors; `dims` requests fewer dimensions than it has.

        Raises `Wrong` for a model not made for embedding, unless `anyway` is set.
        """
        found = self.permitted(self.has(model))
        try:
            self.learn(found)
        except (Slow, Down):
            raise
        except ServerFailure:  # unknown capabilities: guess by name
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

    def embed(self, model: str, texts: Sequence[str], dims: int = 0) -> Matrix:
        """The vectors of texts, one per row. Texts that are too long are refused, not truncated."""
        import numpy as np

        body: dict[str, Any] = {"model": model, "input": list(texts), "truncate": False}
        body["keep_alive"] = self.keep_alive
        if dims:
            body["dimensions"] = dims
        found = self.http.call("POST", "api/embed", body, model=model)
        with self.http.readable():
            return np.asarray(found["embeddings"], np.float32)

    def hang_up(self) -> None:
        """Cancel running requests from another thread; the server stops after its current text."""
        self.http.hang_up()

    def chat(self, model: str, prompt: Prompt, context: int, http: Http | None = None) -> Written:
        """A response that follows a JSON schema, at temperature 0 and without thinking.

        `context`: size in tokens for prompt and response. `http`: connections that another thread may cancel.
        """
        body = {
            "model": model, "messages": list(prompt.messages), "format": prompt.schema, "think": False,
            "stream": True, "keep_alive": self.keep_alive,
            "options": {"temperature": 0, "num_ctx": context, "num_predict": prompt.longest},
        }  # fmt: skip
        text, done, read, http = "", "", 0, http or self.http
        with http.readable():
            for part in http.told("POST", "api/chat", body, model=model, timeout=prompt.silence):
                if piece := part["message"].get("content") or "":
                    text += piece
                    prompt.told(piece)
                if part.get("done"):
                    done, read = part.get("done_reason") or "stop", int(part.get("prompt_eval_count") or 0)
        return Written(text, done == "stop", read)

    def pull(self, model: str, stop: Stop = NEVER, progress: OnProgress = ignore) -> None:
        """Download a model; a stopped download resumes at the next call."""
        last = ""
        try:
            body = {"model": model, "stream": True}
            with closing(self.http.told("POST", "api/pull", body, model=model, timeout=PULL)) as parts:
                for part in parts:
                    check(stop)
                    last = str(part.get("status") or "")
                    if part.get("total"):
                        progress(Progress("pull", int(part.get("completed") or 0), int(part["total"]), last))
        except Wrong as failure:
            if any(mark in failure.what for mark in MISSING):
                raise NoModel(
                    f"{WHO}'s registry has no model {model}.", "See how its name and its tag are written."
                ) from failure
            raise
        if last != "success":
            raise Down(f"Fetching {model} was broken off.", "The same command goes on from there.")

    def _quick(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """The response to a quick request. Raises `ServerFailure`, also after a short timeout."""
        try:
            model = str((body or {}).get("model", ""))
            return self.http.call(method, path, body, model=model, timeout=min(QUICK, self.timeout))
        except Slow as slow:
            raise Slow(slow.what, "It may be stuck: check its log, or restart it.") from slow


def _entry(one: Mapping[str, Any]) -> Installed:
    return Installed(
        str(one["model"]),
        str(one.get("digest") or ""),
        int(one.get("size") or 0),
        str(one.get("remote_host") or ""),
        str((one.get("details") or {}).get("family") or ""),
    )


class OllamaEmbedder(ServedEmbedder):
    """An Ollama model as an `Embedder`."""

    who = WHO

    def __init__(self, served: ServedModel, server: Ollama) -> None:
        super().__init__(served)
        self._server = server
        self._name = served.model  # the server's name for it
        self._context = 0  # tokens; 0 if unknown
        self._checked = -CHECKED

    def start(self) -> None:
        self._server.start()

    def hang_up(self) -> None:
        self._server.hang_up()

    def verify(self) -> None:
        """Raise `Wrong` if the model of that name has other weights than the corpus was embedded with.

        The same weights under another name are accepted.
        """
        if time.monotonic() - self._checked < CHECKED:
            return
        found = serving(self._server.listed(), self.served)
        if found is None:
            found = self._server.has(self.served.model)
            raise Wrong(
                f"{WHO} has another version of {self.served.model} than the corpus was embedded with.",
                Hint.run("models", use=self.served.name, say="`{}` builds its vectors again."),
            )
        self._server.permitted(found)
        self._name, self._context = plain(found.name), found.kind.context
        self._checked = time.monotonic()

    def request(self, texts: Sequence[str]) -> Matrix:
        """One request. Raises `TooLong` at once for a text with more words than the context has tokens."""
        if self._context and any(len(text.split()) > self._context for text in texts):
            raise TooLong(f"A text has more than the {self._context} tokens of {self._name}.")
        return self._server.embed(self._name, texts, self.served.asked)


def serving(found: Sequence[Installed], wanted: ServedModel) -> Installed | None:
    """The server's model with the same weights as `wanted`, preferably of the same name; else None."""
    weights = [one for one in found if one.digest == wanted.digest]
    named = (weight for weight in weights if same(weight.name, wanted.model))
    return next(named, weights[0] if weights and wanted.digest else None)


def same(one: str, other: str) -> bool:
    """Whether two names denote the same model: a missing tag means `latest`."""
    return plain(one) == plain(other)


def plain(name: str) -> str:
    """A name without the tag `latest`."""
    return name.removesuffix(":latest")
