"""What the wire may do to a call, as the failure that it means."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from ark_tui.embedding.retry import Down, ServerFailure, Slow, Wrong

if TYPE_CHECKING:
    import ssl

    import httpx

LOG = "See the server's own log."
PROXIES = "See HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY. One of SOCKS needs the package socksio."
_loading = threading.Lock()


def load() -> None:
    """Import Ollama's client, which makes one from the environment at once, whatever stands there."""
    with _loading:
        try:
            import_module("ollama")
        except unusable():
            names = [name for name in os.environ if name == "OLLAMA_HOST" or name.lower().endswith("_proxy")]
            aside = {name: os.environ.pop(name) for name in names}
            try:
                import_module("ollama")
            finally:
                os.environ.update(aside)


def trusted(address: str) -> ssl.SSLContext:
    """The certificates to trust at an address; reading them takes 20 ms.

    Where it is a plain one nothing asks for any, and a context that has none refuses whatever would.
    """
    import ssl

    secure = address.lower().startswith("https:")
    return _certificates() if secure else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


@cache
def _certificates() -> ssl.SSLContext:
    import httpx

    return httpx.create_ssl_context()


def unusable() -> tuple[type[Exception], ...]:
    """What making a client raises over an address or a proxy that makes no sense or needs a package."""
    import httpx

    return (ValueError, ImportError, httpx.InvalidURL)


@contextmanager
def by_proxies() -> Iterator[None]:
    """A client is made, which reads the environment's proxies. Raises `Wrong` where those cannot be used."""
    try:
        yield
    except unusable() as error:
        raise Wrong("A proxy that the environment names cannot be used.", PROXIES) from error


class Wire:
    """The connections of one client, so that another thread can cut what is under way on them.

    A client offers no such thing: closing it closes no socket that a thread is reading from.
    """

    def __init__(self) -> None:
        self._streams: WeakSet[Any] = WeakSet()
        self._cuts = 0
        self._hold = threading.Lock()

    @property
    def hooks(self) -> dict[str, list[Callable[..., Any]]]:
        """What the client is to be made with, as its `event_hooks`."""
        return {"request": [self._watch]}

    def cut(self) -> None:
        """End every request that is under way; those that follow make new connections."""
        with self._hold:
            self._cuts += 1
            streams = [*self._streams]
            self._streams.clear()
        for stream in streams:
            _end(stream)

    def _watch(self, request: httpx.Request) -> None:
        request.extensions["trace"] = partial(self._made, self._cuts)

    def _made(self, cuts: int, _: str, about: Mapping[str, Any]) -> None:
        """Remember a connection that is being made; end one whose request was cut meanwhile."""
        stream = about.get("return_value")
        if not hasattr(stream, "get_extra_info"):
            return
        with self._hold:
            self._streams.add(stream)
            late = cuts != self._cuts
        if late:
            _end(stream)


def _end(stream: Any) -> None:
    with suppress(OSError):
        stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)


def broken() -> tuple[type[Exception], ...]:
    """What is raised when the wire, and not the server, says no.

    Ollama's client turns a refused connection into Python's own error, except while it streams.
    """
    import httpx

    return (httpx.HTTPError, httpx.InvalidURL, ConnectionError)


def failure(error: Exception, who: str, address: str, seconds: float) -> ServerFailure:
    """The failure behind such an error."""
    import httpx

    match error:
        case httpx.ConnectTimeout():
            return Down(f"{who} cannot be reached.", f"It is expected at {address}.")
        case ConnectionError() | httpx.ConnectError():
            return Down(f"{who} {_unconnected(error)}.", f"It is expected at {address}.")
        case httpx.TimeoutException():
            return Slow(f"{who} did not answer within {seconds:g} s.", "Set `embedding_timeout` higher.")
        case httpx.ProxyError():
            return Down(f"A proxy does not let {who} be reached.", PROXIES)
        case httpx.HTTPError():
            return Down(f"{who} broke off the connection.", LOG)
        case _:
            return Wrong(f"{who} has an address that cannot be used: {address}", "Set another one.")


def _unconnected(error: BaseException) -> str:
    """Why there is no connection, by the error of the system behind the client's own."""
    while not isinstance(error, (socket.gaierror, ConnectionRefusedError)):
        behind = error.__cause__ or error.__context__
        if behind is None:
            return f"cannot be reached: {' '.join(str(error).split()).rstrip('.')}"
        error = behind
    if isinstance(error, socket.gaierror):
        return "is not found: there is no host of that name"
    return "refused the connection"


def nonsense(who: str) -> ServerFailure:
    """An answer that cannot be read."""
    return Wrong(f"{who} gave an answer that makes no sense.", LOG)


UNREADABLE = (ValueError, TypeError, KeyError, IndexError, AttributeError)
"""What reading an answer of another shape than promised may raise."""
