"""One model server over HTTP: JSON calls, requests that another thread can cut off, failures in words."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from urllib.parse import urlsplit
from weakref import WeakSet, finalize

from ark_tui.domain.untrusted import read_json
from ark_tui.embedding.retry import Down, NoKey, ServerFailure, Slow, Wrong, of_status

if TYPE_CHECKING:
    import httpx


class Closable(Protocol):
    """A client that can be closed."""

    def close(self) -> None:
        """Close its connections."""


Client = TypeVar("Client", bound=Closable)

CONNECT = 3.0  # seconds
LOG = "See the server's own log."
PROXIES = "See HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY. One of SOCKS needs the package socksio."
LOCAL = ("127.0.0.1", "localhost", "::1", "0.0.0.0")  # noqa: S104 - names of this machine, nothing is bound
UNREADABLE = (ValueError, TypeError, KeyError, IndexError, AttributeError)
"""What reading an answer of another shape than promised may raise."""


class Http:
    """The connections to one server. Making one touches nothing; calls raise `ServerFailure`. Thread-safe.

    `who`: the server as sentences name it. `timeout`: seconds for one answer. `key`: asked for with each
    request and kept nowhere; `variable`: of the environment, that holds it. Redirects are followed only with
    `redirects`: nothing goes to a server that the settings do not name.
    """

    def __init__(
        self,
        who: str,
        address: str,
        timeout: float,
        key: Callable[[], str] = lambda: "",
        variable: str = "",
        *,
        redirects: bool = False,
    ) -> None:
        self.who, self.address, self.timeout = who, address, timeout
        self.key, self.variable, self._redirects = key, variable, redirects
        self._streams: WeakSet[Any] = WeakSet()
        self._cuts = 0
        self._mutex = threading.Lock()

    def start(self) -> None:
        """Make the client, which takes its time; nothing is sent."""
        _ = self._client

    def call(
        self, method: str, path: str, body: object = None, *, model: str = "", timeout: float = 0.0
    ) -> Any:
        """The JSON of an answer. `model`: the one that a refusal may be about."""
        with self.opened(method, path, body, model=model, timeout=timeout) as answer, self.readable():
            return read_json(answer.read())

    @contextmanager
    def opened(
        self, method: str, path: str, body: object = None, *, model: str = "", timeout: float = 0.0
    ) -> Iterator[httpx.Response]:
        """An answer of success, to be read within; whatever the wire does becomes a `ServerFailure`."""
        key, seconds = self.key(), timeout or self.timeout
        if not key.isascii():
            raise NoKey(f"The key for {self.who} is not plain text.", f"Set {self.variable}.")
        headers = {"Content-Type": "application/json"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        content = None if body is None else json.dumps(body)
        with (
            self.answering(seconds),
            self._client.stream(
                method, f"{self.address}/{path}", content=content, headers=headers, timeout=_limits(seconds)
            ) as answer,
        ):
            if not answer.is_success:
                raise self.refused(answer.status_code, answer.read().decode("utf-8", "replace"), model)
            yield answer

    @contextmanager
    def answering(self, seconds: float) -> Iterator[None]:
        """Turn whatever a client raises within this into a `ServerFailure`. `seconds`: its timeout."""
        import httpx

        try:
            yield
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise self._broken(error, seconds) from error
        except ConnectionError as error:  # Ollama's client has it in place of httpx's
            raise self._broken(error.__context__ or error, seconds) from error

    @contextmanager
    def readable(self) -> Iterator[None]:
        """Within this, an answer of another shape than promised is a `ServerFailure`."""
        try:
            yield
        except UNREADABLE as error:
            raise Wrong(f"{self.who} gave an answer that makes no sense.", LOG) from error

    def hang_up(self) -> None:
        """End every request that is under way, from another thread; later ones make new connections.

        Closing a client would close no socket that a thread is reading from.
        """
        with self._mutex:
            self._cuts += 1
            streams = [*self._streams]
            self._streams.clear()
        for stream in streams:
            _end(stream)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    @cached_property
    def _client(self) -> httpx.Client:
        import httpx

        return self.made(lambda options: httpx.Client(**options))

    def made(self, make: Callable[[dict[str, Any]], Client], timeout: float = 0.0) -> Client:
        """A client made with the options of httpx that these connections have. `timeout`: in seconds."""
        import ssl

        import httpx

        secure = self.address.lower().startswith("https:") or self._redirects
        options = {
            "event_hooks": {"request": [self._watch]},
            # reading the certificates takes 20 ms; a context without any refuses whatever would need one
            "verify": httpx.create_ssl_context() if secure else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
            "follow_redirects": self._redirects,
            "trust_env": urlsplit(self.address).hostname not in LOCAL,  # no proxy within one machine
            "timeout": _limits(timeout or self.timeout),
        }
        try:
            client = make(options)
        except (ValueError, ImportError, httpx.InvalidURL) as error:
            raise Wrong("A proxy that the environment names cannot be used.", PROXIES) from error
        finalize(self, client.close)
        return client

    def _watch(self, request: httpx.Request) -> None:
        key = "" if self._redirects else self.key()
        if key.isascii() and key:  # Ollama's client knows only that of this process's environment
            request.headers["Authorization"] = f"Bearer {key}"
        request.extensions["trace"] = partial(self._connected, self._cuts)

    def _connected(self, cuts: int, _: str, about: Mapping[str, Any]) -> None:
        """Remember a connection that is being made; end one whose request was cut off meanwhile."""
        stream = about.get("return_value")
        if not hasattr(stream, "get_extra_info"):
            return
        with self._mutex:
            self._streams.add(stream)
            late = cuts != self._cuts
        if late:
            _end(stream)

    def refused(self, status: int, said: str, model: str) -> ServerFailure:
        """The failure behind a status of HTTP and the text of its answer."""
        key = self.key()
        if status == 401 and not key:
            return NoKey(f"{self.who} wants a key.", f"Set {self.variable}.")
        with suppress(*UNREADABLE):
            error = read_json(said)["error"]
            said = str(error["message"] if isinstance(error, dict) else error)
        return of_status(self.who, model, status, said.replace(key, "…") if key else said)

    def _broken(self, error: BaseException, seconds: float) -> ServerFailure:
        """The failure behind what the client raised."""
        import httpx

        expected = f"It is expected at {self.address}."
        match error:
            case httpx.ConnectTimeout():
                return Down(f"{self.who} cannot be reached.", expected)
            case httpx.ConnectError():
                return Down(f"{self.who} {_unconnected(error)}.", expected)
            case httpx.TimeoutException():
                return Slow(
                    f"{self.who} did not answer within {seconds:g} s.", "Set `embedding_timeout` higher."
                )
            case httpx.ProxyError():
                return Down(f"A proxy does not let {self.who} be reached.", PROXIES)
            case httpx.HTTPError():
                return Down(f"{self.who} broke off the connection.", LOG)
        return Wrong(f"{self.who} has an address that cannot be used: {self.address}", "Set another one.")


def _limits(seconds: float) -> httpx.Timeout:
    import httpx

    return httpx.Timeout(seconds, connect=min(seconds, CONNECT))


def _end(stream: Any) -> None:
    with suppress(OSError):
        stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)


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
