"""Why Ollama could not fetch a model, in words: it passes on what registry, network and disk have said."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ark_tui.embedding.retry import Down, NoModel, ServerFailure, Wrong

PASSED_ON = {-1, 400, 500}  # of an answer in which Ollama says what went wrong; -1 is a line of a stream
AGAIN = "The same command goes on from there."


class Away(Down):
    """The registry cannot be reached: nothing was fetched, and what is there stays."""


KINDS: tuple[tuple[type[ServerFailure], tuple[str, ...], str, str], ...] = (
    (
        Wrong,
        ("invalid model name", "invalid model path", "name is invalid"),
        "{} is no name of a model.",
        "Names look like all-minilm or qwen3:4b.",
    ),
    (
        Wrong,
        ("no space left", "not enough space", "disk quota exceeded"),
        "The disk is full: Ollama cannot keep {}.",
        f"Make room there. {AGAIN}",
    ),
    (
        Wrong,
        ("newer version of ollama",),
        "{} needs a newer Ollama.",
        "Update Ollama, then fetch it again.",
    ),
    (
        Away,
        (
            'manifest: get "', "dial tcp", "no such hos", "lookup ", "network is unreachable",
            "proxyconnect", "tls handshake", "x509:", "i/o timeout", "client.timeout",
        ),
        "Ollama cannot reach its registry to fetch {}.",
        "See whether the machine it runs on has a network, and its proxy where it needs one.",
    ),
    (
        NoModel,
        ("file does not exist", "manifest unknown", "not found"),
        "Ollama's registry has no model {}.",
        "See how its name and its tag are written.",
    ),
    (
        Down,
        (
            "eof", "connection reset", "broken pipe", "retries exceeded", "digest mismatch",
            "context canceled", "context deadline", "stream error", "stalled",
        ),
        "Fetching {} was broken off.",
        AGAIN,
    ),
)  # fmt: skip
"""What a failure is, the marks of it in Ollama's words, the first that fit, and what it is to people."""


def failure(model: str, said: str) -> ServerFailure | None:
    """What is wrong, by the server's own words; None where they are of another kind."""
    words = said.lower()
    for kind, marks, what, hint in KINDS:
        if any(mark in words for mark in marks):
            return kind(what.format(model), hint)
    return None


def broken(model: str) -> ServerFailure:
    """A fetch that ended before its end."""
    kind, _, what, hint = KINDS[-1]
    return kind(what.format(model), hint)


@contextmanager
def in_words(model: str) -> Iterator[None]:
    """Whatever ends a fetch too early, as a `ServerFailure`; other errors are raised as they are."""
    import httpx
    import ollama

    try:
        yield
    except ollama.ResponseError as error:
        found = failure(model, str(error.error)) if error.status_code in PASSED_ON else None
        if found is None:
            raise
        raise found from error
    except (httpx.ReadTimeout, httpx.ReadError, httpx.RemoteProtocolError) as error:
        raise broken(model) from error
