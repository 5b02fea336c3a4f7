"""Which model of an Ollama writes, and what is known of its pace: for terms, answers and orders alike.

One that runs elsewhere is never taken by itself. Named by a person, it is asked only where the settings
allow it, and every use of it says where the texts go.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from ark_tui.domain.documents import content_hash
from ark_tui.domain.protocols import NEVER, Stop
from ark_tui.domain.untrusted import read_json
from ark_tui.embedding import ollama
from ark_tui.embedding.ollama import WHO, Installed, Ollama, Prompt, Written
from ark_tui.embedding.retry import NoModel, ServerFailure, Wrong
from ark_tui.embedding.transport import Wire
from ark_tui.embedding.waiting import stoppable
from ark_tui.settings.home import checked, read_checked, write_file

VENDOR = "its vendor"  # where a model runs whose name alone says that it runs elsewhere
AWAY = ("-cloud", ":cloud")  # how the names of models end that always run elsewhere
CHOSEN = "chosen"  # the file with the name of the model that was chosen by itself
AGE = 86_400.0  # seconds for which a measured pace counts
SMALLEST = 4096  # tokens of context; less is never asked for, so that a model is not loaded anew for each use
UNKNOWN = 4096  # tokens of context that a model is taken to have which does not say
BYTES = 3  # of text that are a token, at the least


@dataclass(frozen=True, slots=True)
class Writer:
    """A model that writes. `host`: where it runs, if that is elsewhere. `context`: tokens."""

    model: str
    host: str = ""
    context: int = UNKNOWN
    unasked: bool = False  # nobody has named it

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

    `named`: the setting `chat_model`. `folder`: where the choice and paces are kept; it may be deleted.
    """

    def __init__(
        self, server: Ollama, named: str, folder: Path, *, remote: bool = False,
        clock: Callable[[], float] = time.time,
    ) -> None:  # fmt: skip
        self.server = server
        self.named = named
        self._folder = folder
        self._remote = remote
        self._clock = clock

    def chosen(self) -> Writer:
        """The model that is named; else the one taken before; else the smallest that writes on this machine.

        Raises `ServerFailure`: where there is none, or where it runs elsewhere and nobody allowed that.
        """
        if not self.named:
            return self._by_itself()
        found = Installed(self.named, "", 0)
        if not _away(found):  # by its name
            found = self.server.has(self.named)
        if not _away(found):
            return self._known(found)
        host = urlsplit(found.host if "://" in found.host else f"//{found.host}").hostname or VENDOR
        if not self._remote:
            raise Wrong(
                f"{self.named} runs elsewhere: what it is asked goes to {host}.",
                "Set `allow_remote = true` in config.toml if it may, or name another `chat_model`.",
            )
        return Writer(self.named, host)

    def write(
        self,
        writer: Writer,
        prompt: Prompt,
        stop: Stop = NEVER,
    ) -> Written:
        """The answer to a prompt, whose pieces are told in a thread of its own.

        Stopped, the connection is closed. Raises `ServerFailure` and `Cancelled`.
        """
        wire = Wire()

        def asked() -> Written:
            return self.server.chat(writer.model, prompt, writer.room(prompt), wire)

        try:
            return stoppable(WHO, asked, stop)
        finally:
            wire.cut()

    # -- pace --------------------------------------------------------------------------------------

    def pace(self, what: str) -> float:
        """The seconds that the named model took for something here, of late; 0: unknown."""
        try:
            seconds, when = map(float, read_json(read_checked(self._place(what)) or b""))
        except (ValueError, TypeError):
            return 0.0
        return seconds if 0 <= self._clock() - when < AGE else 0.0

    def keep_pace(self, what: str, seconds: float) -> None:
        """Keep it for the next process; where that may not be written, it is measured again."""
        self._write(self._place(what), [seconds, self._clock()])

    # -- inside ------------------------------------------------------------------------------------

    def _known(self, found: Installed) -> Writer:
        with suppress(ServerFailure):  # the chat itself will say what is wrong
            found = self.server.known(found)
        return Writer(ollama.plain(found.name), "", found.context or UNKNOWN, unasked=not self.named)

    def _by_itself(self) -> Writer:
        here = self.server.installed()
        able = [one for one in here if one.completes and not _away(one)]
        if not able:
            away = " that runs here" if any(one.completes for one in here) else ""
            raise NoModel(f"{WHO} has no chat model{away}.", "Get one, such as `ollama pull qwen3:4b`.")
        before = self._before()
        found = next((one for one in able if one.name == before), None) or min(able, key=_size)
        if found.name != before:
            self._write(self._folder / CHOSEN, found.name)
        return self._known(found)

    def _before(self) -> str:
        try:
            return str(read_json(read_checked(self._folder / CHOSEN) or b""))
        except ValueError:
            return ""

    def _place(self, what: str) -> Path:
        return self._folder / content_hash(f"{what} {self.server.address} {self.named}".encode())

    def _write(self, place: Path, value: object) -> None:
        try:
            write_file(place, checked(json.dumps(value).encode()))
        except OSError:
            return


def tokens(messages: Sequence[dict[str, str]]) -> int:
    """An upper estimate of the tokens of a prompt, by its bytes."""
    return sum(estimate(message["content"]) + 8 for message in messages)


def estimate(text: str) -> int:
    """An upper estimate of the tokens of a text."""
    return -(-len(text.encode("utf-8", "replace")) // BYTES)


def _away(one: Installed) -> bool:
    """Whether a model runs elsewhere, in whatever letters its name is written."""
    return one.remote or ollama.plain(one.name.strip().lower()).endswith(AWAY)


def _size(one: Installed) -> tuple[int, str]:
    return one.size, one.name
