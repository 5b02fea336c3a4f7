"""Choice of the chat model of an Ollama, for query expansion, answers and re-ranking.

A remote model is never chosen automatically. If configured, it is used only if the settings allow it, and
every use shows where the texts are sent.
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

SMALLEST = 4096  # minimum context in tokens: always the same for short prompts, to avoid reloading the model
UNKNOWN = 4096  # context in tokens assumed for a model that does not state it
BYTES = 3  # minimum bytes per token, for estimates


@dataclass(frozen=True, slots=True)
class Writer:
    """A chat model. `host`: where it runs, if remote. `context`: size in tokens."""

    model: str
    host: str = ""
    context: int = UNKNOWN
    unasked: bool = False  # chosen automatically, not in the settings

    @property
    def remark(self) -> str:
        """A notice to show when it is used, or ""."""
        if self.host:
            return f"{self.model} goes to {self.host}"
        return f"by {self.model}, as no `chat_model` is named" if self.unasked else ""

    def room(self, prompt: Prompt) -> int:
        """The context to request: the least power of two for prompt and response, up to the model's limit."""
        size = SMALLEST
        while size < tokens(prompt.messages) + prompt.longest:
            size *= 2
        return min(size, max(self.context, 1))


class Writers:
    """The chat models of one server. Thread-safe; the constructor makes no request.

    `named`: the setting `chat_model`.
    """

    def __init__(self, server: Ollama, named: str) -> None:
        self.server = server
        self.named = named

    def chosen(self) -> Writer:
        """The configured model; else the smallest local chat model.

        Raises `ServerFailure` if there is none, or if it runs elsewhere and the settings do not allow that.
        """
        if not self.named:
            return self._smallest()
        found = Installed(self.named)
        if not found.remote:  # judged by name only
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
        """Send a prompt and return the response. `prompt.told` is called in another thread.

        When stopped, the connection is closed. Raises `ServerFailure` and `Cancelled`.
        """
        server = self.server.http
        http = Http(WHO, server.address, server.timeout, server.key, server.variable)

        def asked() -> Written:
            return self.server.chat(writer.model, prompt, writer.room(prompt), http)

        try:
            return stoppable(WHO, asked, stop)
        finally:
            http.hang_up()
            http.close()

    def _known(self, found: Installed) -> Writer:
        with suppress(ServerFailure):  # the chat request will report the error
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
    """An upper estimate of the tokens of a prompt, from its bytes."""
    return sum(estimate(message["content"]) + 8 for message in messages)


def estimate(text: str) -> int:
    """An upper estimate of the tokens of a text."""
    return -(-len(text.encode("utf-8", "replace")) // BYTES)
