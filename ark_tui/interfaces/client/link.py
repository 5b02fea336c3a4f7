"""HTTP to a home: reused connections, a read timeout, requests that can be cancelled.

A home of this machine is reached by a Unix socket, any other by TCP, with TLS for https URLs.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

import h11

from ark_tui.domain.errors import Cancelled, ConfigError, UsageError
from ark_tui.domain.protocols import Stop, ignore

if TYPE_CHECKING:
    import ssl

CONNECTING = 5.0  # seconds to connect
SILENCE = 40.0  # seconds without data; a call sends a keep-alive each second, MCP each 15 seconds
LOOK_EVERY = 0.02  # seconds between two checks of the stop token while waiting
KEPT = 4  # seconds for which an idle connection is reused; the server closes it after 5
PIECE = 1 << 16
OK, NO_CONTENT = 200, 204
LONGEST_PATH = 100  # bytes of a socket path; systems allow 104 or 108

Headers: TypeAlias = Iterable[tuple[str, str]]


class Broken(OSError):
    """The connection ended before the response did. `asked`: the server may have the whole request."""

    def __init__(self, why: str, *, asked: bool) -> None:
        super().__init__(why)
        self.asked = asked


class Untrusted(Broken):
    """The server's certificate is not trusted."""


class Rejected(Exception):
    """A response with an error status."""

    def __init__(self, status: int, body: bytes) -> None:
        super().__init__(status)
        self.status, self.body = status, body


class Address(Protocol):
    """The address of a home."""

    @property
    def name(self) -> str:
        """The address for display."""

    @property
    def path(self) -> str:
        """The prefix of all request paths."""

    def connect(self) -> socket.socket:
        """A new connection. Raises `Broken`."""


@dataclass(frozen=True, slots=True)
class SocketAddress:
    """The Unix socket of a home on this machine."""

    file: Path
    path: str = ""

    @property
    def name(self) -> str:
        return "localhost"

    def connect(self) -> socket.socket:
        """Open a connection. Raises `Broken`, and `PermissionError` if the socket is another user's."""
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.settimeout(CONNECTING)
            connection.connect(os.fspath(self.file))
        except PermissionError:
            connection.close()
            raise
        except OSError as error:
            connection.close()
            raise Broken(error.strerror or str(error), asked=False) from error
        return connection


@dataclass(frozen=True)
class ServerAddress:
    """The address of a server: the parts of its URL."""

    url: str
    host: str
    port: int
    path: str
    tls: ssl.SSLContext | None = field(default=None, repr=False)

    @classmethod
    def of(cls, url: str, ca: str = "") -> ServerAddress:
        """Parse a URL. Raises `UsageError` if it is invalid, `ConfigError` if certificates cannot be used.

        `ca`: a file of certificates that are trusted instead of those of the system.
        """
        from urllib.parse import urlsplit

        given = urlsplit(url if "://" in url else f"http://{url}")
        try:
            port = given.port or {"http": 80, "https": 443}[given.scheme]
        except (KeyError, ValueError):
            port = 0
        if not (port and given.hostname) or given.username is not None:
            raise UsageError(f"{url} is no address of a server.", "It looks like https://ark.example:7070.")
        tls = None
        if given.scheme == "https":
            import ssl

            try:
                tls = ssl.create_default_context(cafile=str(Path(ca).expanduser()) if ca else None)
            except OSError as error:  # includes the SSLError for a file without certificates
                raise ConfigError(
                    f"{ca} holds no certificate that can be used.", "Name a PEM file: --ca FILE"
                ) from error
        return cls(given._replace(path=given.path.rstrip("/"), query="", fragment="").geturl(),
                   given.hostname, port, given.path.rstrip("/"), tls)  # fmt: skip

    @property
    def name(self) -> str:
        """Host and port as written in the URL."""
        from urllib.parse import urlsplit

        return urlsplit(self.url).netloc

    def connect(self) -> socket.socket:
        """Open a connection. Raises `Broken` and `Untrusted`."""
        try:
            plain = socket.create_connection((self.host, self.port), CONNECTING)
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return self.tls.wrap_socket(plain, server_hostname=self.host) if self.tls else plain
        except OSError as error:
            if why := getattr(error, "verify_message", ""):
                raise Untrusted(f"its certificate is not trusted ({why})", asked=False) from error
            raise Broken(error.strerror or str(error), asked=False) from error


class Wire:
    """One connection."""

    def __init__(self, address: Address) -> None:
        self.last = 0.0  # time of last use
        self.used = False
        self._socket = address.connect()
        self._http = h11.Connection(h11.CLIENT)

    @property
    def fresh(self) -> bool:
        """Whether the connection can be used for another request."""
        return self._http.our_state is h11.IDLE and time.monotonic() - self.last < KEPT

    def close(self) -> None:
        self._socket.close()

    def send(self, target: str, headers: Headers, body: bytes) -> None:
        """Send a request."""
        request = h11.Request(method="POST", target=target, headers=[*headers])
        told = b"".join(
            self._http.send(one) or b"" for one in (request, h11.Data(data=body), h11.EndOfMessage())
        )
        try:
            self._socket.settimeout(SILENCE)
            self._socket.sendall(told)
            self._socket.settimeout(LOOK_EVERY)
        except OSError as error:
            raise Broken(error.strerror or str(error), asked=False) from error

    def answer(self, stop: Stop, told: Callable[[Mapping[str, str]], object] = ignore) -> Iterator[bytes]:
        """The parts of the response body as they arrive; `told` gets the headers.

        Raises `Broken`, `Rejected`, `Cancelled`.
        """
        status, refusal = OK, b""
        for event in self._events(stop):
            if isinstance(event, h11.Response):
                status = event.status_code
                told({name.decode(): value.decode("latin-1") for name, value in event.headers})
            elif isinstance(event, h11.Data) and OK <= status <= NO_CONTENT:
                yield bytes(event.data)
            elif isinstance(event, h11.Data):
                refusal += event.data
        if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE:
            self._http.start_next_cycle()
        self.last, self.used = time.monotonic(), True
        if not OK <= status <= NO_CONTENT:
            raise Rejected(status, refusal)

    def _events(self, stop: Stop) -> Iterator[object]:
        """The h11 events until the end of a response."""
        heard = time.monotonic()
        while True:
            try:
                event = self._http.next_event()
            except h11.RemoteProtocolError as error:
                raise Broken("the answer broke off, or is no HTTP", asked=True) from error
            if event is h11.NEED_DATA:
                self._http.receive_data(self._received(stop, heard))
                heard = time.monotonic()
                continue
            if isinstance(event, h11.ConnectionClosed):
                raise Broken("it was closed", asked=True)
            if isinstance(event, h11.EndOfMessage):
                return
            yield event

    def _received(self, stop: Stop, heard: float) -> bytes:
        while True:
            try:
                piece = self._socket.recv(PIECE)
            except TimeoutError:
                if stop.is_set():
                    raise Cancelled from None
                if time.monotonic() - heard > SILENCE:
                    raise Broken(f"nothing was heard for {SILENCE:.0f} s", asked=True) from None
                continue
            except OSError as error:
                raise Broken(error.strerror or str(error), asked=True) from error
            return piece


class Link:
    """A thread-safe pool of connections to one server, one per concurrent request."""

    def __init__(self, address: Address, token: str = "") -> None:
        self.address = address
        bearer = [("Authorization", f"Bearer {token}")] if token else []
        self._headers = (("Host", address.name), ("Accept-Encoding", "identity"), *bearer)
        self._hold = threading.Lock()
        self._idle: list[Wire] = []
        self._process = os.getpid()
        self._closed = False

    def post(
        self,
        path: str,
        body: bytes,
        stop: Stop,
        headers: Headers = (),
        told: Callable[[Mapping[str, str]], object] = ignore,
    ) -> Iterator[bytes]:
        """The lines of a response as they arrive; `told` gets the headers.

        Raises `Rejected`, `Broken`, and `Cancelled` when stopped: closing the connection signals that to the
        server.
        """
        sent = (*self._headers, *headers, ("Content-Length", str(len(body))))
        while True:
            wire = self._taken()
            try:
                wire.send(f"{self.address.path}{path}", sent, body)
                yield from _lines(wire.answer(stop, told))
            except Broken as broken:
                wire.close()
                if wire.used and not broken.asked:
                    continue  # the server closed it while it was idle
                raise
            except BaseException:
                wire.close()
                raise
            self._give_back(wire)
            return

    def _taken(self) -> Wire:
        with self._hold:
            forked = self._process != os.getpid()  # the idle connections belong to the parent process
            self._process = os.getpid()
            while self._idle:
                wire = self._idle.pop()
                if wire.fresh and not forked:
                    return wire
                wire.close()
        return Wire(self.address)

    def _give_back(self, wire: Wire) -> None:
        with self._hold:
            if wire.fresh and not self._closed:
                self._idle.append(wire)
                return
        wire.close()

    def close(self) -> None:
        """Close idle connections; active ones are closed at the end of their request."""
        with self._hold:
            self._closed = True
            for wire in self._idle:
                wire.close()
            self._idle.clear()


def _lines(pieces: Iterator[bytes]) -> Iterator[bytes]:
    rest = b""
    for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        yield from lines
    if rest:
        yield rest
