"""Ollama, through its own client: what it has, embedding, chat, and fetching a model."""

from __future__ import annotations

import socket
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ark_tui.domain.errors import Hint
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, check, ignore
from ark_tui.domain.untrusted import read_json
from ark_tui.domain.work import Progress
from ark_tui.embedding import kinds, pulls, transport
from ark_tui.embedding.kinds import Kind, Kinds
from ark_tui.embedding.retry import Down, NoModel, ServerFailure, Slow, TooLong, Wrong, of_status
from ark_tui.embedding.served import ServedEmbedder, ServedModel
from ark_tui.settings import caller
from ark_tui.settings.kinds import Address, Unfit

if TYPE_CHECKING:
    import httpx
    import ollama

WHO = "Ollama"
HOST = "http://127.0.0.1:11434"  # where Ollama listens unless it is told otherwise
PORT = 11434
CONNECT = 3.0  # seconds
QUICK = 2.0  # seconds for a list: what it has, what that is for, what is loaded
PULL = 600.0  # seconds between two signs of life while a model is fetched
CHECKED = 60.0  # seconds for which a digest that was looked up counts
SET = "Write OLLAMA_HOST, or `ollama_host` in the config, as HOST:PORT, such as 127.0.0.1:11434."
LOCAL = ("127.0.0.1", "localhost", "::1", "0.0.0.0")  # noqa: S104 - names of this machine, nothing is bound


@dataclass(frozen=True, slots=True)
class Installed:
    """A model that a server has. `kind`: None where it was not asked for yet; its name is a guess until then.

    `host`: where it runs, for one that runs elsewhere.
    """

    name: str
    digest: str
    size: int  # bytes
    kind: Kind | None = None
    host: str = ""
    family: str = ""

    @property
    def is_for(self) -> Kind:
        """What it is made for, as far as is known."""
        return self.kind or kinds.guessed(self.name, self.family)

    @property
    def embeds(self) -> bool:
        return self.is_for.embeds

    @property
    def completes(self) -> bool:
        return self.is_for.completes

    @property
    def context(self) -> int:
        """Tokens that it takes; 0 where nobody says."""
        return self.is_for.context

    @property
    def dims(self) -> int:
        """Of its vectors; 0 where nobody says."""
        return self.is_for.dims

    @property
    def remote(self) -> bool:
        """Whether it runs elsewhere: what it is given leaves this machine."""
        return bool(self.host) or plain(self.name).endswith(("-cloud", ":cloud"))

    @property
    def where(self) -> str:
        """Where that is; empty for one that runs on its server."""
        return (self.host or "its vendor's host") if self.remote else ""


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
    kinds: Kinds = field(default_factory=Kinds)
    allow_remote: bool = False  # whether texts may go to a model that runs elsewhere
    took: float = field(default=0.0, init=False)  # seconds of the last vectors, without loading the model

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
        with _readable():
            return [self._entry(one) for one in self._told("/api/tags")["models"] if one.get("model")]

    def installed(self) -> list[Installed]:
        """The models it has, and what each is for: asked for once, and not where one runs elsewhere."""
        found, answers = [], True
        for one in self.listed():
            try:
                found.append(self.known(one) if answers else one)
            except ServerFailure as failure:
                found.append(one)
                answers = not isinstance(failure, (Slow, Down))
        return found

    def known(self, one: Installed) -> Installed:
        """A model with what it is for, as far as its server says it."""
        if one.kind is not None or one.remote:
            return one
        with _readable():
            kind = kinds.of_show(self._told("/api/show", {"model": one.name}))
        if kind is not None:
            self.kinds.keep(one.digest, kind)
        return replace(one, kind=kind)

    def loaded(self) -> list[Loaded]:
        """The models that are in its memory now."""
        with _readable():
            return [
                Loaded(
                    str(one["model"]),
                    str(one.get("digest") or ""),
                    int(one.get("size_vram") or 0) / max(1, int(one.get("size") or 0)),
                )
                for one in self._told("/api/ps")["models"]
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
            found = self.known(found)
        except (Slow, Down):
            raise
        except ServerFailure:  # not told: its name has to do
            pass
        if not (found.embeds or anyway):
            raise Wrong(
                f"{plain(found.name)} is not made for embedding: its vectors would find little.",
                Hint.run(
                    "models",
                    use=f"ollama:{plain(found.name)}",
                    anyway=True,
                    say="`{}` takes it all the same.",
                ),
            )
        length = len(self.embed(found.name, ["dimensions"], dims)[0])
        if dims and length != dims:
            raise Wrong(
                f"{model} has {length} dimensions, not {dims}.", "Set `embedding_dims` to 0 or to fewer."
            )
        return ServedModel.of("ollama", plain(found.name), length, digest=found.digest, asked=dims)

    def embed(self, model: str, texts: Sequence[str], dims: int = 0) -> Sequence[Sequence[float]]:
        """The vectors of texts, which it refuses rather than cut when they are too long."""
        with self._answering(model):
            began = time.monotonic()
            answer = self._client.embed(
                model, list(texts), truncate=False, keep_alive=self.keep_alive, dimensions=dims or None
            )
            self.took = max(0.0, time.monotonic() - began - (answer.load_duration or 0) / 1e9)
            return answer.embeddings

    def hang_up(self) -> None:
        """End what is under way, from another thread: the server stops after the text in hand."""
        self._wire.cut()

    def chat(
        self,
        model: str,
        prompt: Prompt,
        context: int,
        wire: transport.Wire | None = None,
    ) -> Written:
        """An answer that follows a JSON schema, without thinking aloud and without chance.

        `context`: tokens of prompt and answer. `wire`: to cut it from another thread.
        """
        text, done, read = "", "", 0
        silence = prompt.silence or self.timeout
        with self._answering(model, silence), closing(self._made(silence, wire)) as client:
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

    def _entry(self, one: dict[str, Any]) -> Installed:
        digest, told = str(one.get("digest") or ""), kinds.of_entry(one)
        details = one.get("details") or {}
        return Installed(
            str(one["model"]),
            digest,
            int(one.get("size") or 0),
            told or self.kinds.get(digest),
            str(one.get("remote_host") or ""),
            str(details.get("family") or ""),
        )

    def _told(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """The answer to a quick question; raises `ServerFailure` where there is none soon."""
        try:
            answer = self._quick.request("POST" if body else "GET", f"{self.address}{path}", json=body)
        except transport.broken() as error:
            found = transport.failure(error, WHO, self.address, QUICK)
            if isinstance(found, Slow):
                raise Slow(found.what, "It may be stuck: see its own log, or start it anew.") from error
            raise found from error
        with _readable():
            said = read_json(answer.text) if answer.is_success else _error(answer.text)
        if not answer.is_success:
            raise of_status(WHO, str((body or {}).get("model", "")), answer.status_code, said)
        return said

    @cached_property
    def _quick(self) -> httpx.Client:
        import httpx

        options = self._options(QUICK)
        with transport.by_proxies():
            made = httpx.Client(**options)
        weakref.finalize(self, made.close)
        return made

    def _made(self, timeout: float, wire: transport.Wire | None = None) -> ollama.Client:
        transport.load()
        import ollama

        options = self._options(timeout, wire)
        with transport.by_proxies():
            return ollama.Client(self.address, **options)

    def _options(self, timeout: float, wire: transport.Wire | None = None) -> dict[str, Any]:
        """How a client is made; raises `Wrong` where the address is none."""
        import httpx

        if not self._fits:
            raise Wrong(f"OLLAMA_HOST is no address: {self.host}.", SET)
        key = caller.environ().get("OLLAMA_API_KEY", "")
        return {
            "headers": {"Authorization": f"Bearer {key}"} if key else {},
            "timeout": httpx.Timeout(timeout, connect=min(timeout, CONNECT)),
            "event_hooks": (wire or self._wire).hooks,
            "verify": transport.trusted(self.address),
            "follow_redirects": False,  # nothing goes to a server that nobody has named
            # a proxy has no business between two programs of one machine
            "trust_env": urlsplit(self.address).hostname not in LOCAL,
        }

    @contextmanager
    def _answering(self, model: str, seconds: float = 0.0) -> Iterator[None]:
        """Whatever a call may raise, as a `ServerFailure`; `seconds` that it had, where not as ever."""
        transport.load()
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
        self._name, self._context = plain(found.name), found.context
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


@contextmanager
def _readable() -> Iterator[None]:
    """What an answer of another shape than promised raises, as a `ServerFailure`."""
    try:
        yield
    except transport.UNREADABLE as error:
        raise transport.nonsense(WHO) from error


def _error(said: str) -> str:
    """The server's own words in a refusal; the text as it is where it is no JSON."""
    try:
        return str(read_json(said)["error"])
    except (ValueError, TypeError, KeyError):
        return said


def same(one: str, other: str) -> bool:
    """Whether two names are of one model: a missing tag is `latest`."""
    return plain(one) == plain(other)


def plain(name: str) -> str:
    """A name without the tag `latest`."""
    return name.removesuffix(":latest")
