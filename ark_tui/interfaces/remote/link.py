"""HTTP to one server: connections that are kept, a deadline for silence, requests that can be given up."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import h11

from ark_tui.domain.errors import Cancelled, ConfigError, UsageError
from ark_tui.domain.protocols import Stop

CONNECTING = 5.0  # seconds for a connection to be made
SILENCE = 15.0  # seconds without a word, where a server that works gives a sign of life each second
LOOK_EVERY = 0.02  # seconds between two looks at the stop token while waiting
KEPT = 4  # seconds for which an idle connection is used again: the server closes it after five
PIECE = 1 << 16
OK = 200


class Broken(OSError):
    """The connection ended before the answer did. `asked`: the server may have got the whole request."""

    def __init__(self, why: str, *, asked: bool) -> None:
        super().__init__(why)
        self.asked = asked


class Untrusted(Broken):
    """The server's certificate is none that is trusted here."""


class Rejected(Exception):
    """An answer that is no success."""

    def __init__(self, status: int, body: bytes) -> None:
        super().__init__(status)
        self.status, self.body = status, body


@dataclass(frozen=True)
class Address:
    """Where a server is: the URL in its parts."""

    url: str
    host: str
    port: int
    path: str
    tls: ssl.SSLContext | None = field(default=None, repr=False)

    @classmethod
    def of(cls, url: str, ca: str = "") -> Address:
        """Raises `UsageError` for what is no address, `ConfigError` for certificates that cannot be used.

        `ca`: a file of certificates that are trusted in place of those of the system.
        """
        given = urlsplit(url if "://" in url else f"http://{url}")
        try:
            port = given.port or {"http": 80, "https": 443}[given.scheme]
        except (KeyError, ValueError):
            port = 0
        if not (port and given.hostname) or given.username is not None:
            raise UsageError(f"{url} is no address of a server.", "It looks like https://ark.example:7070.")
        tls = None
        if given.scheme == "https":
            try:
                tls = ssl.create_default_context(cafile=str(Path(ca).expanduser()) if ca else None)
            except OSError as error:  # among them what `ssl` says of a file that holds none
                raise ConfigError(
                    f"{ca} holds no certificate that can be used.", "Name a PEM file: --ca FILE"
                ) from error
        return cls(given._replace(path=given.path.rstrip("/"), query="", fragment="").geturl(),
                   given.hostname, port, given.path.rstrip("/"), tls)  # fmt: skip

    @property
    def name(self) -> str:
        """Host and port, as people write them."""
        return urlsplit(self.url).netloc


class Wire:
    """One connection."""

    def __init__(self, address: Address) -> None:
        self.last = 0.0  # when it was used
        self.used = False
        try:
            plain = socket.create_connection((address.host, address.port), CONNECTING)
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._socket = (
                address.tls.wrap_socket(plain, server_hostname=address.host) if address.tls else plain
            )
        except ssl.SSLCertVerificationError as error:
            why = f"its certificate is not trusted ({error.verify_message})"
            raise Untrusted(why, asked=False) from error
        except OSError as error:
            raise Broken(error.strerror or str(error), asked=False) from error
        self._http = h11.Connection(h11.CLIENT)

    @property
    def fresh(self) -> bool:
        """Whether another request may go over it."""
        return self._http.our_state is h11.IDLE and time.monotonic() - self.last < KEPT

    def close(self) -> None:
        self._socket.close()

    def send(self, target: str, headers: Iterable[tuple[str, str]], body: bytes) -> None:
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

    def answer(self, stop: Stop) -> Iterator[bytes]:
        """The pieces of the body as they come. Raises `Broken`, `Rejected`, `Cancelled`."""
        status, refusal = OK, b""
        for event in self._events(stop):
            if isinstance(event, h11.Response):
                status = event.status_code
            elif isinstance(event, h11.Data) and status == OK:
                yield bytes(event.data)
            elif isinstance(event, h11.Data):
                refusal += event.data
        if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE:
            self._http.start_next_cycle()
        self.last, self.used = time.monotonic(), True
        if status != OK:
            raise Rejected(status, refusal)

    def _events(self, stop: Stop) -> Iterator[object]:
        """What is heard until the end of an answer."""
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
    """Connections to one server, as many as there are requests at once; may be used by several threads."""

    def __init__(self, address: Address, token: str) -> None:
        self.address = address
        self._headers = (
            ("Host", address.name),
            ("Authorization", f"Bearer {token}"),
            ("Accept-Encoding", "identity"),
        )
        self._hold = threading.Lock()
        self._idle: list[Wire] = []
        self._closed = False

    def post(
        self, path: str, body: bytes, stop: Stop, headers: Iterable[tuple[str, str]] = ()
    ) -> Iterator[bytes]:
        """The lines of an answer as they come.

        Raises `Rejected`, `Broken`, and `Cancelled` when it is stopped: the server hears that nobody listens.
        """
        sent = (*self._headers, *headers, ("Content-Length", str(len(body))))
        while True:
            wire = self._taken()
            try:
                wire.send(f"{self.address.path}{path}", sent, body)
                yield from _lines(wire.answer(stop))
            except Broken as broken:
                wire.close()
                if wire.used and not broken.asked:
                    continue  # it had been closed while it was idle
                raise
            except BaseException:
                wire.close()
                raise
            self._give_back(wire)
            return

    def _taken(self) -> Wire:
        with self._hold:
            while self._idle:
                wire = self._idle.pop()
                if wire.fresh:
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
        """Close what is idle; what is under way ends by itself."""
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
