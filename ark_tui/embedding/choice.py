"""Choice of the embedding model, by settings and by what servers offer, and creation of its embedder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ark_tui.domain.errors import UsageError
from ark_tui.domain.protocols import NEVER, Stop
from ark_tui.embedding import families, local
from ark_tui.embedding.ollama import WHO, Installed, Ollama, OllamaEmbedder, plain
from ark_tui.embedding.openai import HOSTS, KEYS, Endpoint, EndpointEmbedder
from ark_tui.embedding.retry import ServerFailure, Wrong
from ark_tui.embedding.served import ServedEmbedder, ServedModel
from ark_tui.embedding.shelf import Shelf
from ark_tui.embedding.waiting import stoppable
from ark_tui.settings import Settings, secrets
from ark_tui.settings.kinds import MODEL, Unfit

STATIC = "static"
AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A requested model.

    `provider`: `static`, `local`, `ollama`, `openai`, `openrouter`, `endpoint`.
    """

    provider: str
    model: str = ""
    url: str = ""


def read(text: str) -> Wanted | None:
    """Parse `static`, `PROVIDER:MODEL`, a model of Ollama or an address; None for `auto`.

    Raises `UsageError` for anything else.
    """
    try:
        name = MODEL.check(text)
    except Unfit as unfit:
        raise UsageError(f"{text} names no model.", f"Say {unfit}.") from unfit
    if name == AUTO:
        return None
    if name == STATIC:
        return Wanted(STATIC)
    if "://" in name:
        url, _, model = name.partition("#")
        return Wanted("endpoint", model, url.rstrip("/"))
    provider, _, model = name.partition(":")
    return Wanted(provider, model)


def wanted(settings: Settings) -> Wanted | None:
    """The model set in the settings; None for `auto`."""
    named = read(settings.embedding)
    if named is None and settings.openrouter and secrets.key(KEYS["openrouter"], settings.home):
        return Wanted("openrouter", settings.openrouter)
    return named


def shelf(settings: Settings) -> Shelf:
    """The local models added to the home."""
    return Shelf(settings.home.models)


def ollama(settings: Settings) -> Ollama:
    """The Ollama server from the settings."""
    remote = bool(settings.values.get("allow_remote"))
    return Ollama(settings.ollama_host, settings.embedding_timeout, settings.keep_alive, remote)


def endpoint(settings: Settings, provider: str, url: str = "") -> Endpoint:
    """An OpenAI-compatible endpoint from the settings."""
    home, variable = settings.home, KEYS[provider]
    address = url or (provider == "openai" and settings.embedding_url) or HOSTS[provider]
    return Endpoint(provider, address, lambda: secrets.key(variable, home), settings.embedding_timeout)


def described(choice: Wanted, settings: Settings, *, anyway: bool = False, stop: Stop = NEVER) -> ServedModel:
    """What identifies the vectors of a requested model. Requests one test vector from its server.

    Raises `ServerFailure`, also for a model not made for embedding unless `anyway` is set; `Cancelled` when
    stopped, even if the server hangs; `UsageError` for the static model, which has no server.
    """
    if choice.provider == STATIC:
        raise UsageError("The static model has no server.")
    if choice.provider == local.PROVIDER:
        return local.described(shelf(settings), choice.model, settings.embedding_dims)
    model, dims = choice.model, settings.embedding_dims
    if choice.provider == "ollama":
        server = ollama(settings)
        return stoppable(WHO, lambda: server.describe(model, dims, anyway=anyway), stop, server.hang_up)
    asked = endpoint(settings, choice.provider, choice.url)
    return stoppable(choice.provider, lambda: asked.describe(model, dims), stop)


def embedder(served: ServedModel, settings: Settings) -> ServedEmbedder:
    """The embedder of a known model. Makes no request."""
    if served.provider == local.PROVIDER:
        return local.LocalEmbedder(served, shelf(settings))
    if served.provider == "ollama":
        return OllamaEmbedder(served, ollama(settings))
    return EndpointEmbedder(served, endpoint(settings, served.provider, served.url))


def elsewhere(served: ServedModel, settings: Settings) -> ServedEmbedder:
    """The embedder of a model chosen by another home. Makes no request.

    Ollama and local models are identified by their weights. Other servers are used only if our own settings
    name them: no text or key is sent to an address chosen by another home.
    """
    if served.provider in {"ollama", local.PROVIDER}:
        return embedder(served, settings)
    named = wanted(settings)
    if named is None or (named.provider, named.model or served.model) != (served.provider, served.model):
        return Unnamed(served)
    ours = endpoint(settings, named.provider, named.url).url if named.provider in KEYS else named.url
    same = ours == (served.url or HOSTS.get(named.provider, ""))
    return embedder(served, settings) if same else Unnamed(served)


class Unnamed(ServedEmbedder):
    """A model of a server that the settings do not name: no request is sent to it."""

    who = "The server of the model"

    def start(self) -> None:
        raise Wrong(
            f"{self.served.name} is not asked from here.",
            "Name it in the setting `embedding` to have it asked.",
        )

    def request(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:  # noqa: ARG002  (none is sent)
        self.start()
        return ()


def added(settings: Settings) -> Wanted | None:
    """The most recently added local embedding model, or None."""
    found = next((one for one in shelf(settings).all() if one.use == "vectors"), None)
    return Wanted(local.PROVIDER, found.name) if found else None


def at_hand(settings: Settings) -> list[Wanted]:
    """The embedding models of the configured Ollama that `auto` may choose, best first."""
    server = ollama(settings)
    try:
        return ranked(served(server.installed())) if server.listens() else []
    except ServerFailure:
        return []


def served(found: Sequence[Installed]) -> list[Wanted]:
    """A server's embedding models that run on the server itself, smallest first."""
    fit = [one for one in found if one.kind.embeds and not one.remote]
    return [Wanted("ollama", plain(one.name)) for one in sorted(fit, key=lambda one: (one.size, one.name))]


def ranked(models: Sequence[Wanted]) -> list[Wanted]:
    """Models by expected quality, best first."""
    return sorted(models, key=lambda one: families.rank(one.model))
