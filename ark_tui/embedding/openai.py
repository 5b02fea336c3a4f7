"""Endpoints that speak OpenAI's embedding protocol: OpenAI, OpenRouter, llama.cpp, vLLM, TEI and others."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ark_tui.domain.errors import ConfigError
from ark_tui.domain.untrusted import read_json
from ark_tui.embedding import transport
from ark_tui.embedding.retry import NoKey, Wrong, of_status
from ark_tui.embedding.served import ServedEmbedder, ServedModel

if TYPE_CHECKING:
    import httpx

CONNECT = 5.0  # seconds
HOSTS = {"openai": "https://api.openai.com/v1", "openrouter": "https://openrouter.ai/api/v1"}
KEYS = {
    "openai": "OPENAI_API_KEY",
    "openrouter": "OPENROUTER_API_KEY",
    "endpoint": "EMBEDDING_API_KEY",
}
"""The variable, or the line of the home's file `keys`, that holds the key of a provider."""


@dataclass
class Endpoint:
    """One address. Making one touches nothing; every call raises `ServerFailure`.

    `key` is asked for when it is needed and kept nowhere; without one, no authorisation is sent.
    """

    provider: str
    url: str
    key: Callable[[], str]
    timeout: float = 120.0

    @property
    def who(self) -> str:
        """The server as sentences name it."""
        names = {"openai": "OpenAI", "openrouter": "OpenRouter"}
        default = self.url == HOSTS.get(self.provider)
        return names[self.provider] if default else urlsplit(self.url).netloc

    @property
    def base(self) -> str:
        """The address without its last step: `/embeddings` and `/models` come after it."""
        bare = self.url.rstrip("/").removesuffix("/embeddings")
        return bare if urlsplit(bare).path.strip("/") else f"{bare.rstrip('/')}/v1"

    def start(self) -> None:
        """Load and make the client, which takes its time; nothing is sent."""
        _ = self._client

    def hang_up(self) -> None:
        """End what is under way, from another thread."""
        self._wire.cut()

    def models(self) -> list[str]:
        """The names of what it serves."""
        found = self._answered("GET", "models", "")
        with self._readable():
            return [str(one["id"]) for one in found["data"]]

    def embed(self, model: str, texts: Sequence[str], dims: int = 0) -> Sequence[Sequence[float]]:
        """The vectors of texts, in their order."""
        body: dict[str, Any] = {"model": model, "input": list(texts), "encoding_format": "float"}
        found = self._answered("POST", "embeddings", model, body | ({"dimensions": dims} if dims else {}))
        with self._readable():
            rows = sorted(found["data"], key=lambda row: int(row["index"]))
            return [row["embedding"] for row in rows]

    def describe(self, model: str, dims: int = 0) -> ServedModel:
        """What identifies a model's vectors.

        A bare endpoint's `dims` are what it is expected to give; elsewhere they are asked for.
        """
        asked = dims if self.provider != "endpoint" else 0
        name = model or self._only()
        length = len(self.embed(name, ["dimensions"], asked)[0])
        if dims and length != dims:
            raise Wrong(
                f"{self.who} gave vectors of {length} dimensions, not {dims}.", "Set EMBEDDING_DIMS right."
            )
        url = "" if self.url == HOSTS.get(self.provider) else self.url
        return ServedModel.of(self.provider, name, length, url=url, asked=asked)

    def _only(self) -> str:
        names = self.models()
        if not names:
            raise Wrong(f"{self.who} names no model.", "Name one behind the address: https://…/v1#MODEL")
        return names[0]

    def _answered(self, method: str, path: str, model: str, body: dict[str, Any] | None = None) -> Any:
        try:
            key = self.key()
        except ConfigError as error:
            raise NoKey(error.what, error.hint) from error
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        try:
            answer = self._client.request(method, f"{self.base}/{path}", json=body, headers=headers)
        except transport.broken() as error:
            raise transport.failure(error, self.who, self.base, self.timeout) from error
        except UnicodeEncodeError:  # not chained: its text holds the key
            raise NoKey(f"The key for {self.who} is not plain text.", f"Set {KEYS[self.provider]}.") from None
        if answer.is_success:
            with self._readable():
                return answer.json()
        if answer.status_code == 401 and not key:
            raise NoKey(f"{self.who} wants a key.", f"Set {KEYS[self.provider]}.")
        said = answer.text.replace(key, "…") if key else answer.text
        raise of_status(self.who, model, answer.status_code, _message(said))

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except transport.UNREADABLE as error:
            raise transport.nonsense(self.who) from error

    @cached_property
    def _wire(self) -> transport.Wire:
        return transport.Wire()

    @cached_property
    def _client(self) -> httpx.Client:
        import httpx

        with transport.by_proxies():
            made = httpx.Client(
                timeout=httpx.Timeout(self.timeout, connect=CONNECT),
                event_hooks=self._wire.hooks,
                verify=transport.trusted(self.url),
                follow_redirects=False,
            )
        weakref.finalize(self, made.close)
        return made


class EndpointEmbedder(ServedEmbedder):
    """A model behind an endpoint as an `Embedder`."""

    most = 128  # texts in a request: those who serve many like them large

    def __init__(self, served: ServedModel, endpoint: Endpoint) -> None:
        super().__init__(served)
        self._endpoint = endpoint

    @property
    def who(self) -> str:  # type: ignore[override]
        """The server as sentences name it."""
        return self._endpoint.who

    def start(self) -> None:
        self._endpoint.start()

    def hang_up(self) -> None:
        self._endpoint.hang_up()

    def request(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return self._endpoint.embed(self.served.model, texts, self.served.asked)


def _message(said: str) -> str:
    """What `{"error": {"message": …}}` and its relatives say; nothing where it is no JSON."""
    try:
        error = read_json(said)["error"]
        return str(error["message"] if isinstance(error, dict) else error)
    except (ValueError, TypeError, KeyError):
        return ""
