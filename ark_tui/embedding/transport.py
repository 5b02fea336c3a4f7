"""HTTP client for one model server: JSON requests, cancellation from other threads, error messages."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from weakref import WeakSet, finalize

from ark_tui.domain.untrusted import read_json
from ark_tui.embedding.retry import Down, NoKey, ServerFailure, Slow, Wrong, of_status

if TYPE_CHECKING:
    import httpx


CONNECT = 3.0  # seconds
LOG = "See the server's own log."
PROXIES = "See HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY. One of SOCKS needs the package socksio."
LOCAL = ("127.0.0.1", "localhost", "::1", "0.0.0.0")  # noqa: S104 - names of this machine, nothing is bound
NO_STATUS = -1  # of an error in the middle of a response
UNREADABLE = (ValueError, TypeError, KeyError, IndexError, AttributeError)
"""Exceptions from reading a response of an unexpected structure."""


class Http:
    """The connections to one server. The constructor sends nothing; calls raise `ServerFailure`. Thread-safe.

    `who`: the server's name in messages. `timeout`: seconds for one response. `key`: called for each request,
    its result is not stored; `variable`: the environment variable with the key. Redirects are followed only
    with `redirects`, so that nothing is sent to a server that the settings do not name.
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
        """Create the client, which is slow; no request is sent."""
        _ = self._client

    def call(
        self, method: str, path: str, body: object = None, *, model: str = "", timeout: float = 0.0
    ) -> Any:
        """Send a request; return the JSON of the response. `model`: named in error messages."""
        with self.opened(method, path, body, model=model, timeout=timeout) as answer, self.readable():
            return read_json(answer.read())

    @contextmanager
    def opened(
        self, method: str, path: str, body: object = None, *, model: str = "", timeout: float = 0.0
    ) -> Iterator[httpx.Response]:
        """Send a request; yield a successful response. Errors become `ServerFailure`, also while reading."""
        import httpx

        key, seconds = self.key(), timeout or self.timeout
        if not key.isascii():
            raise NoKey(f"The key for {self.who} is not plain text.", f"Set {self.variable}.")
        headers = {"Content-Type": "application/json"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        content = None if body is None else json.dumps(body)
        try:
            with self._client.stream(
                method, f"{self.address}/{path}", content=content, headers=headers, timeout=_limits(seconds)
            ) as answer:
                if not answer.is_success:
                    raise self.refused(answer.status_code, answer.read().decode("utf-8", "replace"), model)
                yield answer
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise self._broken(error, seconds) from error

    def told(
        self, method: str, path: str, body: object, *, model: str = "", timeout: float = 0.0
    ) -> Generator[Any, None, None]:
        """Send a request; yield the lines of its response, which are JSON objects, as they arrive."""
        with self.opened(method, path, body, model=model, timeout=timeout) as answer, self.readable():
            for line in filter(None, answer.iter_lines()):
                part = read_json(line)
                if "error" in part:  # its status was sent before
                    raise self.refused(NO_STATUS, line, model)
                yield part

    @contextmanager
    def readable(self) -> Iterator[None]:
        """Convert exceptions from a response of an unexpected structure into `Wrong`."""
        try:
            yield
        except UNREADABLE as error:
            raise Wrong(f"{self.who} gave an invalid answer.", LOG) from error

    def hang_up(self) -> None:
        """Cancel all running requests from another thread; later ones open new connections.

        Closing the client would not close a socket that a thread is reading from.
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
        import ssl

        import httpx

        secure = self.address.lower().startswith("https:") or self._redirects
        try:
            client = httpx.Client(
                event_hooks={"request": [self._watch]},
                # loading certificates takes 20 ms; a context without any rejects every TLS connection
                verify=httpx.create_ssl_context() if secure else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
                follow_redirects=self._redirects,
                trust_env=urlsplit(self.address).hostname not in LOCAL,  # no proxy for local servers
                timeout=_limits(self.timeout),
            )
        except (ValueError, ImportError, httpx.InvalidURL) as error:
            raise Wrong("A proxy that the environment names cannot be used.", PROXIES) from error
        finalize(self, client.close)
        return client

    def _watch(self, request: httpx.Request) -> None:
        request.extensions["trace"] = partial(self._connected, self._cuts)

    def _connected(self, cuts: int, _: str, about: Mapping[str, Any]) -> None:
        """Register a new connection; close it if its request was canceled meanwhile."""
        stream = about.get("return_value")
        if not hasattr(stream, "get_extra_info"):
            return
        with self._mutex:
            self._streams.add(stream)
            late = cuts != self._cuts
        if late:
            _end(stream)

    def refused(self, status: int, said: str, model: str) -> ServerFailure:
        """The failure for an HTTP status and the text of the response. The key is masked."""
        key = self.key()
        if status == 401 and not key:
            return NoKey(f"{self.who} needs a key.", f"Set {self.variable}.")
        with suppress(*UNREADABLE):
            error = read_json(said)["error"]
            said = str(error["message"] if isinstance(error, dict) else error)
        return of_status(self.who, model, status, said.replace(key, "…") if key else said)

    def _broken(self, error: BaseException, seconds: float) -> ServerFailure:
        """The failure for an exception of the client."""
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
    """Why a connection failed, from the system error behind the client's exception."""
    while not isinstance(error, (socket.gaierror, ConnectionRefusedError)):
        behind = error.__cause__ or error.__context__
        if behind is None:
            return f"cannot be reached: {' '.join(str(error).split()).rstrip('.')}"
        error = behind
    if isinstance(error, socket.gaierror):
        return "is not found: unknown host"
    return "refused the connection"
