"""The official client, connected with a server within this process."""

from __future__ import annotations

from mcp import Client

from ark_tui.interfaces.mcp.server import Calls, Server


def client(server: Server) -> Client:
    """A client of that server, over a connection of its own."""
    return Client(Calls(lambda _: server).sdk())
