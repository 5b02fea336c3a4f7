"""The clients of the home socket. Only processes of the same user may connect."""

from __future__ import annotations

import os
import socket
import struct
import time
from collections import Counter
from typing import Any

from ark_tui.interfaces.http.connection import Connection

CALLS = 32
"""Concurrent calls of one process; further ones are refused and can be retried."""


class Clients:
    """The open connections and running calls, by process id of the client."""

    def __init__(self) -> None:
        self.connections: Counter[int] = Counter()
        self.calls: Counter[int] = Counter()
        self.programs: dict[int, str] = {}
        self.last = time.monotonic()

    def came(self, process: int) -> None:
        """Register an opened connection."""
        self.connections[process] += 1
        self.last = time.monotonic()

    def left(self, process: int) -> None:
        """Remove a closed connection."""
        self.connections[process] -= 1
        if self.connections[process] <= 0:
            del self.connections[process]
            self.programs.pop(process, None)
        self.last = time.monotonic()

    def idle(self) -> float:
        """Seconds since the last client left; 0 while there is one."""
        return 0.0 if self.connections else time.monotonic() - self.last

    def named(self) -> list[str]:
        """The clients for display: program and process id."""
        return [f"{self.programs.get(one, 'client')} {one}" for one in self.connections]


def peer(connection: socket.socket) -> tuple[int, int]:
    """The process id and user id of the peer of a Unix socket; process id 0 where the system has none."""
    if hasattr(socket, "SO_PEERCRED"):
        process, user, _ = struct.unpack(
            "3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        )
        return process, user
    local_peercred, size = 0x001, 76  # for macOS and the BSDs, where Python has no getpeereid
    found = connection.getsockopt(0, local_peercred, size)
    return 0, struct.unpack_from("2I", found)[1]


def accepting(clients: Clients) -> type[Connection]:
    """A connection class that registers its connections with `clients` and checks the user."""

    class Local(Connection):
        process = 0

        def connection_made(self, transport: Any) -> None:
            self.process, user = peer(transport.get_extra_info("socket"))
            self.allowed = user == os.getuid()
            clients.came(self.process)
            super().connection_made(transport)
            self.client = (str(self.process), int(self.allowed))

        def overdue(self) -> float:
            """0 before the first request: an idle connection shows that the client is alive."""
            asked: object | None = self.cycle
            return super().overdue() if asked else 0.0

        def connection_lost(self, exc: Exception | None) -> None:
            clients.left(self.process)
            super().connection_lost(exc)

    return Local
