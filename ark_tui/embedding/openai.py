"""Endpoints with OpenAI's embedding API: OpenAI, OpenRouter, llama.cpp, vLLM, TEI and others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from ark_tui.domain.errors import ConfigError
from ark_tui.embedding.retry import NoKey, Wrong
from ark_tui.embedding.served import ServedEmbedder, ServedModel
from ark_tui.embedding.transport import Http

HOSTS = {"openai": "https://api.openai.com/v1", "openrouter": "https://openrouter.ai/api/v1"}
KEYS = {
    "openai": "OPENAI_API_KEY",
    "openrouter": "OPENROUTER_API_KEY",
    "endpoint": "EMBEDDING_API_KEY",
}
"""The environment variable, or entry in the home's file `keys`, with the key of a provider."""


class Endpoint:
    """One endpoint. The constructor makes no request; all calls raise `ServerFailure`.

    `key` is called for each request and its result is not stored; without a key, no authorization is sent.
    """

    def __init__(self, provider: str, url: str, key: Callable[[], str], timeout: float = 120.0) -> None:
        self.provider, self.url, self.timeout = provider, url, timeout
        self._key = key

    @property
    def who(self) -> str:
        """The server's name in messages."""
        names = {"openai": "OpenAI", "openrouter": "OpenRouter"}
        default = self.url == HOSTS.get(self.provider)
        return names[self.provider] if default else urlsplit(self.url).netloc

    @property
    def base(self) -> str:
        """The base URL, to which `/embeddings` and `/models` are appended."""
        bare = self.url.rstrip("/").removesuffix("/embeddings")
        return bare if urlsplit(bare).path.strip("/") else f"{bare.rstrip('/')}/v1"

    @cached_property
    def http(self) -> Http:
        """The HTTP connections."""
        return Http(self.who, self.base, self.timeout, self._readable_key, KEYS[self.provider])

    def _readable_key(self) -> str:
        try:
            return self._key()
        except ConfigError as error:
            raise NoKey(error.what, error.hint) from error

    def models(self) -> list[str]:
        """The names of its models."""
        found = self.http.call("GET", "models")
        with self.http.readable():
            return [str(one["id"]) for one in found["data"]]

    def embed(self, model: str, texts: Sequence[str], dims: int = 0) -> Sequence[Sequence[float]]:
        """The vectors of texts, in order."""
        body: dict[str, Any] = {"model": model, "input": list(texts), "encoding_format": "float"}
        if dims:
            body["dimensions"] = dims
        found = self.http.call("POST", "embeddings", body, model=model)
        with self.http.readable():
            rows = sorted(found["data"], key=lambda row: int(row["index"]))
            return [row["embedding"] for row in rows]

    def describe(self, model: str, dims: int = 0) -> ServedModel:
        """What identifies a model's vectors.

        `dims`: for provider `endpoint`, the expected dimensions; for others, the requested ones.
        """
        asked = dims if self.provider != "endpoint" else 0
        name = model or self._only()
        with self.http.readable():
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


class EndpointEmbedder(ServedEmbedder):
    """A model behind an endpoint as an `Embedder`."""

    most = 128  # texts per request: hosted services work best with large requests

    def __init__(self, served: ServedModel, endpoint: Endpoint) -> None:
        super().__init__(served)
        self.who = endpoint.who
        self._endpoint = endpoint

    def start(self) -> None:
        self._endpoint.http.start()

    def hang_up(self) -> None:
        self._endpoint.http.hang_up()

    def request(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return self._endpoint.embed(self.served.model, texts, self.served.asked)
