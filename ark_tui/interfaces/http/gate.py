"""Checks of a request before any route sees it: host, origin, token and size.

Any web page can send requests to a server on this machine. Therefore `Host` must name the server (against DNS
rebinding), `Origin` must be the server's own, and no response allows another origin to read it.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool

from ark_tui.domain.errors import UsageError
from ark_tui.interfaces.calls.state import PRINCIPAL, Refused
from ark_tui.interfaces.http.failures import answer, refusal
from ark_tui.interfaces.reports.shape import LARGEST, Shape

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from ark_tui.domain.principal import Principal

ROOM = 64 * 1024 * 1024  # bytes of all request bodies at once
SMALL = 64 * 1024  # bytes up to which a body is always accepted
PATIENCE = 30.0  # seconds for a body to arrive
LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
HOST = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::[0-9]{1,5})?")
ONCE = frozenset({"host", "origin", "content-length", "authorization", "sec-fetch-site"})
OWN_SITES = frozenset({"none", "same-origin"})  # not from a page, or from the server's own

HEADERS = (
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
)

HINT_HOST = "Use the address that the server listens on, or allow the name: ark-tui serve --allow NAME"
HINT_PAGE = "Ask from a program, without `Origin`."
HINT_TOKEN = "Send the header `Authorization: Bearer TOKEN`; ark-tui serve --require-token shows it."  # noqa: S105


@dataclass(frozen=True, slots=True)
class Rules:
    """Which requests are allowed. `names`: the host names, without port, by which the server may be called.

    `token`: the token of the home. If it is set, a request needs it or a token known to `holder`; if it is
    empty, a request may come without a token.
    """

    names: frozenset[str] = LOOPBACK
    any_address: bool = False  # any numeric IP address is accepted as host
    token: str = field(default="", repr=False)
    holder: Callable[[str], Principal | None] = lambda _: None


def is_loopback(host: str) -> bool:
    """Whether an address can be reached from this machine only."""
    address = _address(host)
    return host == "localhost" or (address is not None and address.is_loopback)


def rules(
    host: str,
    allowed: Iterable[str] = (),
    token: str = "",
    holder: Callable[[str], Principal | None] = lambda _: None,
) -> Rules:
    """The rules of a server that listens on `host`."""
    named = f"[{host}]" if ":" in host else host
    unspecified = host in {"0.0.0.0", "::"}  # noqa: S104 - compared, not listened on
    return Rules(LOOPBACK | {named.lower()} | {name.lower() for name in allowed}, unspecified, token, holder)


class Gate:
    """The outermost ASGI middleware of the server."""

    def __init__(
        self, app: ASGIApp, rules: Rules, largest: int = LARGEST, patience: float = PATIENCE
    ) -> None:
        self.app = app
        self.rules = rules
        self.largest = largest
        self.patience = patience
        self._held = 0  # bytes of all bodies held now

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        send = _with_headers(send)
        held = Held()
        try:
            headers = _single(scope["headers"])
            self._admit(headers, scope)
            scope = {**scope, PRINCIPAL: await self._principal(headers, scope["path"])}
            self._measure(headers)
            body = await self._body(receive, held)
            await self.app(_of_json(scope), _again(body, receive), send)
        except Refused as refused:
            await answer(refused)(scope, receive, send)
        except UsageError as error:
            await answer(refusal(error))(scope, receive, send)
        finally:
            self._held -= held.size

    def _admit(self, headers: Mapping[str, str], scope: Scope) -> None:
        host = headers.get("host", "").lower()
        if not self._named(host):
            raise Refused(421, "The host name is not a name of this server.", HINT_HOST)
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in {f"http://{host}", f"https://{host}"}:
            raise Refused(403, "Web pages cannot use this server.", HINT_PAGE)
        if headers.get("sec-fetch-site", "none") not in OWN_SITES and not _harmless(headers, scope):
            raise Refused(403, "Web pages cannot use this server.", HINT_PAGE)

    def _named(self, host: str) -> bool:
        match = HOST.fullmatch(host)
        if match is None:
            return False
        in_digits = _address(match["name"]) is not None
        return match["name"] in self.rules.names or (self.rules.any_address and in_digits)

    async def _principal(self, headers: Mapping[str, str], path: str) -> Principal | None:
        """The principal of the token sent; None for the token of the home, or where no token is needed."""
        sent = headers.get("authorization", "")
        scheme, _, given = sent.partition(" ")
        token = given.strip() if scheme.lower() == "bearer" else ""
        if path == "/health" or (
            self.rules.token and hmac.compare_digest(token.encode(), self.rules.token.encode())
        ):
            return None
        if token and (found := await run_in_threadpool(self.rules.holder, token)):
            return found
        if sent:
            raise Refused(401, "This token is unknown or revoked.", HINT_TOKEN)
        if self.rules.token:
            raise Refused(401, "This server needs a token.", HINT_TOKEN)
        return None

    def _measure(self, headers: Mapping[str, str]) -> None:
        stated = headers.get("content-length", "0")
        if not stated.isdecimal() or len(stated) > 20 or int(stated) > self.largest:
            raise self._too_large()

    async def _body(self, receive: Receive, held: Held) -> bytes:
        parts: list[bytes] = []
        shape = Shape()
        try:
            async with asyncio.timeout(self.patience):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise Refused(400, "The request is incomplete.", "Send it again.")
                    part = message.get("body", b"")
                    self._take(len(part), held)
                    shape.feed(part)
                    parts.append(part)
                    if not message.get("more_body"):
                        return b"".join(parts)
        except TimeoutError:
            raise Refused(
                408, "The request took too long to arrive.", "Send it again, or less of it."
            ) from None

    def _take(self, size: int, held: Held) -> None:
        """Count received bytes of a body; small bodies are always accepted. Raises `Refused`."""
        held.size += size
        self._held += size
        if held.size > self.largest:
            raise self._too_large()
        if held.size > SMALL and self._held > ROOM:
            raise Refused(503, "Too many requests at once.", "Send it again in a second.")

    def _too_large(self) -> Refused:
        limit = self.largest // (1024 * 1024)
        return Refused(413, f"A request may have {limit} MB.", "Send it in several parts.")


@dataclass(slots=True)
class Held:
    """The number of bytes held for one request."""

    size: int = 0


def _single(raw: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """The headers by name. Raises `Refused` if one of `ONCE` is repeated."""
    headers: dict[str, str] = {}
    for key, value in raw:
        name = key.decode("latin-1").lower()
        if name in headers and name in ONCE:
            raise Refused(400, f"The header {name} is there twice.", "Send it once.")
        headers[name] = value.decode("latin-1")
    return headers


def _harmless(headers: Mapping[str, str], scope: Scope) -> bool:
    """Whether a cross-site request may pass: `/health`, and links to `/docs`."""
    followed = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    return scope["path"] == "/health" or (scope["path"] == "/docs" and scope["method"] == "GET" and followed)


def _with_headers(send: Send) -> Send:
    """Add security headers: no scripts, no MIME sniffing, no caching."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = {name for name, _ in message["headers"]}
            message["headers"] = [*message["headers"], *(one for one in HEADERS if one[0] not in given)]
        await send(message)

    return sent


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The IP address that a host names; None for any other name."""
    try:
        return ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return None


def _of_json(scope: Scope) -> Scope:
    """The request with content type JSON: `curl -d` sends a form type, and no route takes forms."""
    rest = [(name, value) for name, value in scope["headers"] if name.lower() != b"content-type"]
    return {**scope, "headers": [*rest, (b"content-type", b"application/json")]}


def _again(body: bytes, receive: Receive) -> Receive:
    """A `receive` that returns a body that was already read."""
    given = False

    async def next_message() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return next_message
