"""The HTTP server: listens on an address, shuts down cleanly, and writes nothing to stdout."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Sequence
from dataclasses import replace

import uvicorn

from ark_tui.domain.errors import UsageError
from ark_tui.domain.protocols import NEVER, Stop
from ark_tui.engine import services
from ark_tui.interfaces.calls.state import ServerState
from ark_tui.interfaces.http.app import make
from ark_tui.interfaces.http.connection import Connection, config
from ark_tui.interfaces.http.gate import is_loopback, rules

LOOK = 0.25  # seconds between two checks for shutdown
QUIET = 5  # seconds after which an idle connection is closed


def serve(
    state: ServerState,
    host: str,
    port: int,
    *,
    allowed: Sequence[str] = (),
    token: str = "",
    certificate: tuple[str, str] | None = None,
    ready: Callable[[str], object],
    stop: Stop = NEVER,
) -> None:
    """Serve an open home until `stop` is set, or, on the main thread, until SIGTERM or Ctrl-C.

    `ready` is called with the URL. Everything acknowledged before the end is stored. `certificate`: the files
    of a TLS certificate and its key.

    Raises `UsageError` for an address that is not available, or that other machines can reach while there is
    no token.
    """
    if not token and not is_loopback(host):
        raise UsageError(
            f"{host} can be reached by others, and there is no token.",
            "Make one and serve with it: ark-tui serve --require-token",
        )
    engine = state.engine
    services.open_all()
    with _listening(host, port) as listening:
        served = config(
            make(
                replace(state, guarded=bool(token)),
                rules(host, allowed, token, engine.memory.tokens.holder),
            ),
            Connection,
            timeout_keep_alive=QUIET,
            lifespan="on",
            ssl_certfile=certificate[0] if certificate else None,
            ssl_keyfile=certificate[1] if certificate else None,
        )
        try:
            served.load()
        except OSError as error:
            raise UsageError(
                "The certificate and its key cannot be used.", "Name two PEM files: --certificate CERT KEY"
            ) from error
        shown = f"[{host}]" if ":" in host else host
        ready(f"http{'s' if certificate else ''}://{shown}:{listening.getsockname()[1]}")
        asyncio.run(_until(uvicorn.Server(served), listening, stop))


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host.strip("[]"), port), family=family)
    except (OSError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) else "there is no such port"
        raise UsageError(
            f"{host}:{port} cannot be listened on: {reason or error}.", "Choose another: --port 7071"
        ) from error
    # connections inherit it: asyncio does not set it for this kind of socket, which cost 40 ms per response
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


async def _until(server: uvicorn.Server, listening: socket.socket, stop: Stop) -> None:
    """Run until stopped. On the main thread uvicorn itself handles signals."""
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    while not (stop.is_set() or serving.done()):
        await asyncio.wait([serving], timeout=LOOK)
    server.should_exit = True
    await serving
