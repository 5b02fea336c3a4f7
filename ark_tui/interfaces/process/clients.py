"""Who has the socket of the home open, and who may: processes of the same user."""

from __future__ import annotations

import os
import socket
import struct
import time
from collections import Counter
from typing import Any

from ark_tui.interfaces.http.connection import Connection

CALLS = 32
"""Calls of one process at once; a further one is asked to come again."""


class Clients:
    """The open connections, and the calls under way, by the process at the other end."""

    def __init__(self) -> None:
        self.connections: Counter[int] = Counter()
        self.calls: Counter[int] = Counter()
        self.programs: dict[int, str] = {}
        self.last = time.monotonic()

    def came(self, process: int) -> None:
        """A connection was opened."""
        self.connections[process] += 1
        self.last = time.monotonic()

    def left(self, process: int) -> None:
        """A connection was closed."""
        self.connections[process] -= 1
        if self.connections[process] <= 0:
            del self.connections[process]
            self.programs.pop(process, None)
        self.last = time.monotonic()

    def idle(self) -> float:
        """Seconds since the last client left; 0 while there is one."""
        return 0.0 if self.connections else time.monotonic() - self.last

    def named(self) -> list[str]:
        """The clients as people know them: the program and its process."""
        return [f"{self.programs.get(one, 'client')} {one}" for one in self.connections]


def peer(connection: socket.socket) -> tuple[int, int]:
    """The process and the user at the other end of a Unix socket; the process is 0 where nobody says it."""
    if hasattr(socket, "SO_PEERCRED"):
        process, user, _ = struct.unpack(
            "3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        )
        return process, user
    local_peercred, size = 0x001, 76  # of macOS and the BSDs, whose Python has no getpeereid
    found = connection.getsockopt(0, local_peercred, size)
    return 0, struct.unpack_from("2I", found)[1]


def accepting(clients: Clients) -> type[Connection]:
    """The connections of a home, which are counted. Another user's is closed with a sentence."""

    class Local(Connection):
        process = 0

        def connection_made(self, transport: Any) -> None:
            self.process, user = peer(transport.get_extra_info("socket"))
            self.allowed = user == os.getuid()
            clients.came(self.process)
            super().connection_made(transport)
            self.client = (str(self.process), int(self.allowed))

        def overdue(self) -> float:
            """A client that has asked for nothing yet only says that it is there."""
            asked: object | None = self.cycle
            return super().overdue() if asked else 0.0

        def connection_lost(self, exc: Exception | None) -> None:
            clients.left(self.process)
            super().connection_lost(exc)

    return Local
