"""The server: an address of its own, a clean end, and nothing said on stdout."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable, Sequence
from types import FrameType

import uvicorn

from ark_tui.domain.errors import UsageError
from ark_tui.domain.protocols import ignore
from ark_tui.engine import Engine, modules
from ark_tui.interfaces.http.app import make
from ark_tui.interfaces.http.connection import Connection
from ark_tui.interfaces.http.gate import is_loopback, rules
from ark_tui.interfaces.http.server_state import state_for
from ark_tui.interfaces.reports import faults

LAST_WORDS = 10  # seconds that requests under way are given at the end
QUIET = 5  # seconds after which an idle connection is closed


def serve(
    engine: Engine,
    host: str,
    port: int,
    *,
    allowed: Sequence[str] = (),
    token: str = "",
    watch: bool = True,
    certificate: tuple[str, str] | None = None,
    say: Callable[[str], object] = ignore,
    ready: Callable[[str], None],
) -> None:
    """Serve until SIGTERM or Ctrl-C; `ready` is told the address. What was acknowledged by then is stored.

    Meanwhile the home is looked after: what was cut off goes on, and with `watch` what is saved in followed
    folders is taken up. `say` is told what a person should know of it.
    `certificate`: files with a certificate and its key, with which the server speaks TLS.

    Raises `UsageError` for an address that cannot be had, or that others can reach while there is no token.
    """
    if not token and not is_loopback(host):
        raise UsageError(
            f"{host} can be reached by others, and there is no token.",
            "Make one and serve with it: ark-tui serve --require-token",
        )
    modules.open_all()
    faults.keep_in(engine.settings.home.logs)
    with _listening(host, port) as listening:
        config = uvicorn.Config(
            make(
                state_for(engine, guarded=bool(token)),
                rules(host, allowed, token, engine.memory.tokens.holder),
            ),
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            http=Connection,
            ws="none",
            proxy_headers=False,
            log_level="critical",  # what a client does wrong is no news; faults of ours are kept by the gate
            timeout_keep_alive=QUIET,
            timeout_graceful_shutdown=LAST_WORDS,
            lifespan="on",
            ssl_certfile=certificate[0] if certificate else None,
            ssl_keyfile=certificate[1] if certificate else None,
        )
        try:
            config.load()
        except OSError as error:
            raise UsageError(
                "The certificate and its key cannot be used.", "Name two PEM files: --certificate CERT KEY"
            ) from error
        shown = f"[{host}]" if ":" in host else host
        ready(f"http{'s' if certificate else ''}://{shown}:{listening.getsockname()[1]}")
        background = engine.background
        background.start(say, watch=watch)
        try:
            _until_told(uvicorn.Server(config), listening, background.end)
        finally:
            background.close()


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host.strip("[]"), port), family=family)
    except (OSError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) else "there is no such port"
        raise UsageError(
            f"{host}:{port} cannot be listened on: {reason or error}.", "Choose another: --port 7071"
        ) from error
    # connections have it from here: asyncio passes sockets of this kind over, and each answer waited 40 ms
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def _until_told(server: uvicorn.Server, listening: socket.socket, end: Callable[[], None]) -> None:
    """Run; uvicorn raises the signal that ended it once more, and by then there is nothing left to stop."""

    def heard(_: int, __: FrameType | None) -> None:
        server.should_exit = True
        end()

    before = {number: signal.signal(number, heard) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        asyncio.run(server.serve(sockets=[listening]))
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
