"""Fetching a single web page or paper on request, within limits of time and size."""

from __future__ import annotations

import http.client
import ipaddress
import mimetypes
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit

from ark_tui.domain.documents import Document, Draft, content_hash
from ark_tui.domain.errors import ArkError, UsageError
from ark_tui.domain.protocols import NEVER, Stop, check
from ark_tui.domain.work import Problem
from ark_tui.engine import indexing
from ark_tui.ingest.reading import remarks
from ark_tui.ingest.walk import Entry
from ark_tui.store import documents, files
from ark_tui.store.documents import Arrival
from ark_tui.store.files import FileRecord
from ark_tui.version import VERSION

if TYPE_CHECKING:
    from ark_tui.engine.services import Services

SECONDS = 30.0  # total time limit
SILENCE = 10.0  # seconds without data
REDIRECTS = 5
PART = 1 << 16  # bytes per read
PORTS = {"http": 80, "https": 443}
MOVED = (301, 302, 303, 307, 308)
PRIVATE = "{} is an address of this machine or of a private network."


@dataclass(frozen=True, slots=True)
class Fetched:
    """The content of a URL, its type, and the final URL after redirects."""

    url: str
    kind: str  # media type without parameters
    charset: str
    data: bytes


def ingest_url(
    parts: Services, url: str, *, tags: Sequence[str], collection: str, private: bool, stop: Stop = NEVER
) -> Document:
    """Fetch a URL and store its content as a document. The same URL gives the same document.

    Raises `UsageError` for an invalid or private URL, and `ArkError` if it cannot be fetched or read.
    """
    found = fetch(url, limit=parts.settings.max_bytes, private=private, stop=stop)
    now = datetime.now(UTC)
    path = _path(url)
    entry = Entry(path + _suffix(found), len(found.data), time.time_ns(), 0)
    data = found.data
    if found.charset and found.kind.startswith("text/"):
        with suppress(LookupError, UnicodeDecodeError):
            data = data.decode(found.charset).encode()
    drafts = parts.reader.read(entry, data)
    if isinstance(drafts, Problem):
        raise ArkError(f"The content of {found.url} cannot be read: {drafts.reason}.")
    said = (("url", found.url), ("fetched", f"{now:%Y-%m-%d}"), ("fetched_at", f"{now:%Y-%m-%dT%H:%M:%SZ}"))
    drafts = tuple(_of(draft, path, said) for draft in drafts)
    record = FileRecord(
        collection, path, 0, 0, 0, time.time_ns(), content_hash(data), "indexed", remarks(drafts)
    )
    parts.models.prepare()
    with parts.store.write() as lease:
        files.open_collection(lease, collection)
        documents.put(lease, [Arrival(record, drafts, None, tuple(tags))])
        number = documents.at(lease, collection, path)
        document = documents.documents(lease, [number])[number]
    indexing.catch_up(parts)
    return document


def fetch(url: str, *, limit: int, private: bool, stop: Stop) -> Fetched:
    """Fetch a URL with at most `REDIRECTS` redirects, `limit` bytes and `SECONDS`.

    `private`: allow addresses of this machine and of private networks. Raises `UsageError` and `ArkError`.
    """
    until, here = time.monotonic() + SECONDS, url
    for _ in range(REDIRECTS + 1):
        try:
            with _asked(here, until, private) as response:
                target = response.headers.get("Location", "")
                if response.status in MOVED and target:
                    here = urljoin(here, target)
                    continue
                if response.status != http.client.OK:
                    raise ArkError(f"{here} answers {response.status} {response.reason}.")
                headers = response.headers
                data = b"".join(_unpacked(response, limit, stop))
                return Fetched(here, headers.get_content_type(), headers.get_content_charset(""), data)
        except (OSError, http.client.HTTPException, zlib.error, ValueError) as error:
            if time.monotonic() >= until:
                raise ArkError(f"{here} takes more than {SECONDS:.0f} s.") from error
            raise ArkError(f"{here} cannot be fetched: {str(error) or type(error).__name__}.") from error
    raise ArkError(f"{url} redirects more than {REDIRECTS} times.")


@contextmanager
def _asked(url: str, until: float, private: bool) -> Iterator[http.client.HTTPResponse]:
    """The response to one request. A timer closes the connection at time `until`."""
    parts = urlsplit(url)
    if parts.scheme not in PORTS or not parts.hostname:
        raise UsageError(f"{url} is not a web address.", "It begins with https:// or http://.")
    connection = http.client.HTTPConnection(parts.hostname, parts.port or PORTS[parts.scheme])
    connection.sock = _connected(parts, private)
    late = threading.Timer(max(0.0, until - time.monotonic()), _shut, [connection])
    late.start()
    try:
        if parts.scheme == "https":
            connection.sock = ssl.create_default_context().wrap_socket(
                connection.sock, server_hostname=parts.hostname
            )
        target = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~") + (
            f"?{parts.query}" if parts.query else ""
        )
        connection.request(
            "GET", target, headers={"User-Agent": f"ark-tui/{VERSION}", "Accept-Encoding": "identity"}
        )
        yield connection.getresponse()
    finally:
        late.cancel()
        connection.close()


def _connected(parts: SplitResult, private: bool) -> socket.socket:
    """Connect to the IP address that was checked, which prevents DNS rebinding."""
    port = parts.port or PORTS[parts.scheme]
    found = socket.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)
    open_ = [place for *_, place in found if private or ipaddress.ip_address(place[0]).is_global]
    if not open_:
        raise UsageError(
            PRIVATE.format(parts.hostname), "Allow private addresses with `private` if you want this."
        )
    return socket.create_connection((str(open_[0][0]), port), timeout=SILENCE)


def _shut(connection: http.client.HTTPConnection) -> None:
    with suppress(OSError, AttributeError):  # it may be closed already
        connection.sock.shutdown(socket.SHUT_RDWR)


def _unpacked(response: http.client.HTTPResponse, limit: int, stop: Stop) -> Iterator[bytes]:
    """The decompressed body of a response. Raises `ValueError` above `limit` bytes."""
    packed = response.headers.get("Content-Encoding", "identity").lower()
    if packed not in ("identity", "gzip", "deflate"):
        raise ValueError(f"its answer has the encoding {packed}")
    unpack = zlib.decompressobj(zlib.MAX_WBITS | 32) if packed != "identity" else None
    size = 0
    while part := response.read1(PART):
        check(stop)
        part = unpack.decompress(part, limit + 1) if unpack else part
        size += len(part)
        if size > limit or (unpack and unpack.unconsumed_tail):
            raise ValueError(f"it has more than {limit >> 20} MB")
        yield part
    if response.length or (unpack and not unpack.eof):
        raise ValueError("it is incomplete")


def _path(url: str) -> str:
    """The path of a document: host, path and query, so links between pages resolve."""
    parts = urlsplit(url)
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.netloc.rpartition('@')[2]}{unquote(parts.path).rstrip('/')}{query}"


def _suffix(found: Fetched) -> str:
    """The file suffix from which the reader determines the format."""
    if found.kind == "text/html":
        return ".html"
    named = PurePosixPath(urlsplit(found.url).path).suffix
    return (mimetypes.guess_extension(found.kind) if found.kind != "text/plain" else None) or named or ".txt"


def _of(draft: Draft, path: str, said: tuple[tuple[str, str], ...]) -> Draft:
    """Set path, title and fields of a draft; without a title of its own, the path is its title."""
    title = draft.title if draft.titled else path
    return replace(draft, path=path, title=title, fields=(*draft.fields, *said))
