"""Ollama, through its own client: what it has, embedding, chat, and fetching a model."""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ark_tui.domain.protocols import NEVER, OnProgress, Stop, check, ignore
from ark_tui.domain.work import Progress
from ark_tui.embedding import families, transport
from ark_tui.embedding.retry import Down, NoModel, Wrong, of_status
from ark_tui.embedding.served import ServedEmbedder, ServedModel

if TYPE_CHECKING:
    import ollama

WHO = "Ollama"
HOST = "http://127.0.0.1:11434"  # where Ollama listens unless it is told otherwise
PORT = 11434
CONNECT = 3.0  # seconds
PULL = 600.0  # seconds between two signs of life while a model is fetched
CHECKED = 60.0  # seconds for which a digest that was looked up counts
LOCAL = ("127.0.0.1", "localhost", "::1", "0.0.0.0")  # noqa: S104 - names of this machine, nothing is bound


@dataclass(frozen=True, slots=True)
class Installed:
    """A model that a server has. `host`: where it runs, for one that runs elsewhere."""

    name: str
    digest: str
    size: int
    host: str = ""
    context: int = 0  # tokens that it takes; 0 where nobody says

    @property
    def embeds(self) -> bool:
        return families.embeds(self.name)

    @property
    def completes(self) -> bool:
        return not self.embeds

    @property
    def remote(self) -> bool:
        """Whether it runs elsewhere: what it is given leaves this machine."""
        return bool(self.host) or plain(self.name).endswith(("-cloud", ":cloud"))


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

    @property
    def address(self) -> str:
        """Scheme, name and port."""
        text = self.host or HOST
        parts = urlsplit(text if "://" in text else f"http://{text}")
        port = parts.port or ({"https": 443}.get(parts.scheme, 80) if "://" in text else PORT)
        name = parts.hostname or "127.0.0.1"
        return f"{parts.scheme}://{f'[{name}]' if ':' in name else name}:{port}{parts.path.rstrip('/')}"

    def start(self) -> None:
        """Load and make the client, which takes its time; nothing is sent."""
        with self._answering(""):
            _ = self._client

    def listens(self, seconds: float = 0.3) -> bool:
        """Whether anybody answers at the address: a look that costs nothing where nobody does."""
        import socket

        parts = urlsplit(self.address)
        try:
            with socket.create_connection((parts.hostname or "", parts.port or PORT), timeout=seconds):
                return True
        except OSError:
            return False

    def installed(self) -> list[Installed]:
        """The models it has."""
        with self._answering(""):
            answer = self._client._client.get("/api/tags")  # noqa: SLF001 - its own `list` drops `remote_host`
            if not answer.is_success:
                raise of_status(WHO, "", answer.status_code, answer.text)
            return [
                Installed(
                    str(one["model"]),
                    str(one.get("digest") or ""),
                    int(one.get("size") or 0),
                    str(one.get("remote_host") or ""),
                )
                for one in answer.json()["models"]
            ]

    def known(self, one: Installed) -> Installed:
        """A model with the context that its server says it has."""
        with self._answering(one.name):
            told = self._client.show(one.name).modelinfo or {}
        context = next((int(told[key]) for key in told if key.endswith(".context_length")), 0)
        return replace(one, context=context)

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

    def chat(
        self,
        model: str,
        messages: Sequence[dict[str, str]],
        schema: dict[str, Any],
        *,
        context: int,
        longest: int,
        silence: float = 0.0,
        told: Callable[[str], None] = lambda _: None,
        wire: transport.Wire | None = None,
    ) -> Written:
        """An answer that follows a JSON schema, without thinking aloud and without chance.

        `context`: tokens of prompt and answer; `longest`: of the answer. `told` gets each piece as it comes;
        `silence`: the seconds that may pass between two, those of other calls where it is 0.
        `wire`: to cut it from another thread.
        """
        text, done, read = "", "", 0
        silence = silence or self.timeout
        with self._answering(model, silence), closing(self._made(silence, wire)) as client:
            for part in client.chat(
                model,
                list(messages),
                format=schema,
                think=False,
                stream=True,
                options={"temperature": 0, "num_ctx": context, "num_predict": longest},
                keep_alive=self.keep_alive,
            ):
                if piece := part.message.content or "":
                    text += piece
                    told(piece)
                if part.done:
                    done, read = part.done_reason or "stop", int(part.prompt_eval_count or 0)
        return Written(text, done == "stop", read)

    def pull(self, model: str, stop: Stop = NEVER, progress: OnProgress = ignore) -> None:
        """Fetch a model; a fetch that was stopped goes on from there at the next."""
        last = ""
        with self._answering(model), closing(self._made(PULL)) as client:
            for line in client.pull(model, stream=True):
                check(stop)
                last = line.status or ""
                if line.total:
                    progress(Progress("pull", line.completed or 0, line.total, last))
        if last != "success":
            raise Down(f"{WHO} broke off while fetching {model}.", "The same command goes on from there.")

    @cached_property
    def _client(self) -> ollama.Client:
        made = self._made(self.timeout)
        weakref.finalize(self, made.close)
        return made

    def _made(self, timeout: float, wire: transport.Wire | None = None) -> ollama.Client:
        import httpx
        import ollama

        local = urlsplit(self.address).hostname in LOCAL
        return ollama.Client(
            self.address,
            timeout=httpx.Timeout(timeout, connect=CONNECT),
            follow_redirects=False,  # nothing goes to a server that nobody has named
            trust_env=not local,  # a proxy has no business between two programs of one machine
            event_hooks=wire.hooks if wire else None,
        )

    @contextmanager
    def _answering(self, model: str, seconds: float = 0.0) -> Iterator[None]:
        """Whatever a call may raise, as a `ServerFailure`; `seconds` that it had, where not as ever."""
        import ollama

        try:
            yield
        except ollama.ResponseError as error:
            raise of_status(WHO, model, error.status_code, str(error.error)) from error
        except transport.broken() as error:
            raise transport.failure(error, WHO, self.address, seconds or self.timeout) from error
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
