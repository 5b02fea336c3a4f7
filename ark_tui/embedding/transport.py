"""What the wire may do to a call, as the failure that it means."""

from __future__ import annotations

import socket

from ark_tui.embedding.retry import Down, ServerFailure, Slow, Wrong

LOG = "See the server's own log."


def broken() -> tuple[type[Exception], ...]:
    """What is raised when the wire, and not the server, says no.

    Ollama's client turns a refused connection into Python's own error, except while it streams.
    """
    import httpx

    return (httpx.HTTPError, httpx.InvalidURL, ConnectionError)


def failure(error: Exception, who: str, address: str, seconds: float) -> ServerFailure:
    """The failure behind such an error."""
    import httpx

    match error:
        case httpx.ConnectTimeout():
            return Down(f"{who} cannot be reached.", f"It is expected at {address}.")
        case ConnectionError() | httpx.ConnectError():
            return Down(f"{who} {_unconnected(error)}.", f"It is expected at {address}.")
        case httpx.TimeoutException():
            return Slow(f"{who} did not answer within {seconds:g} s.", "Set `embedding_timeout` higher.")
        case httpx.HTTPError():
            return Down(f"{who} broke off the connection.", LOG)
        case _:
            return Wrong(f"{who} has an address that cannot be used: {address}", "Set another one.")


def _unconnected(error: BaseException) -> str:
    """Why there is no connection, by the error of the system behind the client's own."""
    while not isinstance(error, (socket.gaierror, ConnectionRefusedError)):
        behind = error.__cause__ or error.__context__
        if behind is None:
            return f"cannot be reached: {' '.join(str(error).split()).rstrip('.')}"
        error = behind
    if isinstance(error, socket.gaierror):
        return "is not found: there is no host of that name"
    return "refused the connection"


def nonsense(who: str) -> ServerFailure:
    """An answer that cannot be read."""
    return Wrong(f"{who} gave an answer that makes no sense.", LOG)


UNREADABLE = (ValueError, TypeError, KeyError, IndexError, AttributeError)
"""What reading an answer of another shape than promised may raise."""
