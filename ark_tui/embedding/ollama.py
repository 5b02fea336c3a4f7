"""Ollama, through its own client: what it has, embedding, chat, and fetching a model."""

from __future__ import annotations

import time
import weakref
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ark_tui.domain.protocols import NEVER, OnProgress, Stop, check, ignore
from ark_tui.domain.work import Progress
from ark_tui.embedding import families, pulls, transport
from ark_tui.embedding.retry import NoModel, Wrong, of_status
from ark_tui.embedding.served import ServedEmbedder, ServedModel
from ark_tui.settings.kinds import Address, Unfit

if TYPE_CHECKING:
    import ollama

WHO = "Ollama"
HOST = "http://127.0.0.1:11434"  # where Ollama listens unless it is told otherwise
PORT = 11434
CONNECT = 3.0  # seconds
PULL = 600.0  # seconds between two signs of life while a model is fetched
CHECKED = 60.0  # seconds for which a digest that was looked up counts
SET = "Write OLLAMA_HOST, or `ollama_host` in the config, as HOST:PORT, such as 127.0.0.1:11434."
LOCAL = ("127.0.0.1", "localhost", "::1", "0.0.0.0")  # noqa: S104 - names of this machine, nothing is bound


@dataclass(frozen=True, slots=True)
class Installed:
    """A model that a server has."""

    name: str
    digest: str
    size: int

    @property
    def embeds(self) -> bool:
        return families.embeds(self.name)


@dataclass
class Ollama:
    """One server. Making one touches nothing; every call raises `ServerFailure`."""

    host: str = ""
    timeout: float = 120.0  # seconds for one answer
    keep_alive: str = "10m"

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

    def start(self) -> None:
        """Load and make the client, which takes its time; nothing is sent."""
        with self._answering(""):
            _ = self._client

    def listens(self, seconds: float = 0.3) -> bool:
        """Whether anybody answers at the address: a look that costs nothing where nobody does."""
        import socket

        if not self._fits:
            return False
        parts = urlsplit(self.address)
        try:
            with socket.create_connection((parts.hostname or "", parts.port or PORT), timeout=seconds):
                return True
        except OSError:
            return False

    def installed(self) -> list[Installed]:
        """The models it has."""
        with self._answering(""):
            found = self._client.list().models
            return [Installed(one.model, one.digest or "", int(one.size or 0)) for one in found if one.model]

    def has(self, model: str) -> Installed:
        """One model by its name, with or without its tag; raises `NoModel`."""
        for one in self.installed():
            if same(one.name, model):
                return one
        raise NoModel(f"{WHO} has no model {model}.", f"Get it with `ark-tui models --pull {model}`.")

    def describe(self, model: str, dims: int = 0) -> ServedModel:
        """What identifies a model's vectors; `dims` asks for fewer dimensions than it has."""
        found = self.has(model)
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
        self._wire.cut()

    def chat(self, model: str, messages: Sequence[dict[str, str]], schema: dict[str, Any]) -> str:
        """An answer that follows a JSON schema, without thinking aloud and without chance."""
        with self._answering(model):
            answer = self._client.chat(
                model,
                list(messages),
                format=schema,
                think=False,
                options={"temperature": 0},
                keep_alive=self.keep_alive,
            )
            return answer.message.content or ""

    def pull(self, model: str, stop: Stop = NEVER, progress: OnProgress = ignore) -> None:
        """Fetch a model; a fetch that was stopped goes on from there at the next.

        One that is there already is enough where the registry is away, or does not know it.
        """
        try:
            self._fetch(model, stop, progress)
        except (pulls.Away, NoModel):
            if not any(same(one.name, model) for one in self.installed()):
                raise

    def _fetch(self, model: str, stop: Stop, progress: OnProgress) -> None:
        last = ""
        with self._answering(model), closing(self._made(PULL)) as client, pulls.in_words(model):
            for line in client.pull(model, stream=True):
                check(stop)
                last = line.status or ""
                if line.total:
                    progress(Progress("pull", line.completed or 0, line.total, last))
        if last != "success":
            raise pulls.broken(model)

    @cached_property
    def _wire(self) -> transport.Wire:
        return transport.Wire()

    @cached_property
    def _client(self) -> ollama.Client:
        made = self._made(self.timeout)
        weakref.finalize(self, made.close)
        return made

    def _made(self, timeout: float) -> ollama.Client:
        import httpx
        import ollama

        if not self._fits:
            raise Wrong(f"OLLAMA_HOST is no address: {self.host}.", SET)
        local = urlsplit(self.address).hostname in LOCAL
        with transport.by_proxies():
            return ollama.Client(
                self.address,
                timeout=httpx.Timeout(timeout, connect=CONNECT),
                event_hooks=self._wire.hooks,
                follow_redirects=False,  # nothing goes to a server that nobody has named
                trust_env=not local,  # a proxy has no business between two programs of one machine
            )

    @contextmanager
    def _answering(self, model: str) -> Iterator[None]:
        """Whatever a call may raise, as a `ServerFailure`."""
        transport.load()
        import ollama

        try:
            yield
        except ollama.ResponseError as error:
            raise of_status(WHO, model, error.status_code, str(error.error)) from error
        except transport.broken() as error:
            raise transport.failure(error, WHO, self.address, self.timeout) from error
        except transport.UNREADABLE as error:
            raise transport.nonsense(WHO) from error


class OllamaEmbedder(ServedEmbedder):
    """A model of an Ollama as an `Embedder`."""

    who = WHO

    def __init__(self, served: ServedModel, server: Ollama) -> None:
        super().__init__(served)
        self._server = server
        self._checked = -CHECKED

    def start(self) -> None:
        self._server.start()

    def hang_up(self) -> None:
        self._server.hang_up()

    def verify(self) -> None:
        """Raises `Wrong` when the model of that name is not the one whose vectors the corpus has."""
        if time.monotonic() - self._checked < CHECKED:
            return
        found = self._server.has(self.served.model)
        if found.digest != self.served.digest:
            raise Wrong(
                f"{WHO} has another version of {self.served.model} than the corpus was embedded with.",
                f"`ark-tui models --use {self.served.name}` builds its vectors anew.",
            )
        self._checked = time.monotonic()

    def request(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return self._server.embed(self.served.model, texts, self.served.asked)


def same(one: str, other: str) -> bool:
    """Whether two names are of one model: a missing tag is `latest`."""
    return plain(one) == plain(other)


def plain(name: str) -> str:
    """A name without the tag `latest`."""
    return name.removesuffix(":latest")
