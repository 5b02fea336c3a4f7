"""The formats of exports that are known, and which one an export has.

A format is a module's function that yields a `Chat` for each conversation. Ids and keys are made of what the
export says, so that the same message has the same in every export of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ark_tui.domain.errors import UsageError
from ark_tui.memory.chats import assistants, mail, messengers, sessions, slack, whatsapp
from ark_tui.memory.chats.chat import Chat
from ark_tui.memory.chats.source import Source, opened

__all__ = ["FORMATS", "Chat", "opened", "recognised"]

FORMATS: Mapping[str, Callable[[Source], Iterator[Chat]]] = {
    "Slack": slack.read,
    "ChatGPT": assistants.chatgpt,
    "Claude": assistants.claude,
    "Claude Code": sessions.claude_code,
    "Codex": sessions.codex,
    "Telegram": messengers.telegram,
    "Signal": messengers.signal,
    "Discord": messengers.discord,
    "transcript": assistants.transcripts,
    "WhatsApp": whatsapp.read,
    "mail": mail.read,
}
"""By name, in the order in which they are tried: the first that finds a chat knows the export."""


def recognised(source: Source) -> str:
    """The format of an export. Raises `UsageError` where none of them finds a chat."""
    for name, read in FORMATS.items():
        if any(chat.messages for chat in read(source)):
            return name
    raise UsageError(
        f"No chat is found in {source.path.name}.", f"Known are exports of {', '.join(FORMATS)}."
    )
