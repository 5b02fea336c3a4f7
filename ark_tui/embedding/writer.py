"""Which model of an Ollama writes: for terms, answers and orders alike.

One that runs elsewhere is never taken by itself. Named by a person, it is asked only where the settings
allow it, and every use of it says where the texts go.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from ark_tui.domain.protocols import NEVER, Stop
from ark_tui.embedding.ollama import WHO, Installed, Ollama, Prompt, Written, plain
from ark_tui.embedding.retry import NoModel, ServerFailure, Wrong
from ark_tui.embedding.transport import Http
from ark_tui.embedding.waiting import stoppable

SMALLEST = 4096  # tokens of context; less is never asked for, so that a model is not loaded anew for each use
UNKNOWN = 4096  # tokens of context that a model is taken to have which does not say
BYTES = 3  # of text that are a token, at the least


@dataclass(frozen=True, slots=True)
class Writer:
    """A model that writes. `host`: where it runs, if that is elsewhere. `context`: tokens."""

    model: str
    host: str = ""
    context: int = UNKNOWN
    unasked: bool = False  # the settings do not name it

    @property
    def remark(self) -> str:
        """What is to be said where it is used; empty for nothing."""
        if self.host:
            return f"{self.model} goes to {self.host}"
        return f"by {self.model}, as no `chat_model` is named" if self.unasked else ""

    def room(self, prompt: Prompt) -> int:
        """The context to ask for: the least power of two that holds prompt and answer, within what it has."""
        size = SMALLEST
        while size < tokens(prompt.messages) + prompt.longest:
            size *= 2
        return min(size, max(self.context, 1))


class Writers:
    """The models of one server that may write. Thread-safe; making one touches nothing.

    `named`: the setting `chat_model`.
    """

    def __init__(self, server: Ollama, named: str) -> None:
        self.server = server
        self.named = named

    def chosen(self) -> Writer:
        """The model that is named; else the smallest that writes on this machine.

        Raises `ServerFailure`: there is none, or it runs elsewhere and the settings do not allow that.
        """
        if not self.named:
            return self._smallest()
        found = Installed(self.named)
        if not found.remote:  # by its name
            found = self.server.has(self.named)
        if not found.remote:
            return self._known(found)
        if not self.server.allow_remote:
            raise Wrong(
                f"{self.named} runs elsewhere: what it is asked goes to {found.where}.",
                "Set `allow_remote = true` in config.toml if it may, or name another `chat_model`.",
            )
        return Writer(self.named, found.where)

    def write(self, writer: Writer, prompt: Prompt, stop: Stop = NEVER) -> Written:
        """The answer to a prompt, whose pieces are told in a thread of its own.

        Stopped, the connection is closed. Raises `ServerFailure` and `Cancelled`.
        """
        server = self.server.http
        http = Http(WHO, server.address, server.timeout, server.key, server.variable)

        def asked() -> Written:
            return self.server.chat(writer.model, prompt, writer.room(prompt), http)

        try:
            return stoppable(WHO, asked, stop)
        finally:
            http.hang_up()

    def _known(self, found: Installed) -> Writer:
        with suppress(ServerFailure):  # the chat itself will say what is wrong
            self.server.learn(found)
        return Writer(plain(found.name), "", found.kind.context or UNKNOWN, unasked=not self.named)

    def _smallest(self) -> Writer:
        here = self.server.installed()
        able = [one for one in here if one.kind.completes and not one.remote]
        if not able:
            away = " that runs here" if any(one.kind.completes for one in here) else ""
            raise NoModel(f"{WHO} has no chat model{away}.", "Get one, such as `ollama pull qwen3:4b`.")
        return self._known(min(able, key=lambda one: (one.size, one.name)))


def tokens(messages: Sequence[dict[str, str]]) -> int:
    """An upper estimate of the tokens of a prompt, by its bytes."""
    return sum(estimate(message["content"]) + 8 for message in messages)


def estimate(text: str) -> int:
    """An upper estimate of the tokens of a text."""
    return -(-len(text.encode("utf-8", "replace")) // BYTES)
