"""Import chats of other programs: each message once, even if an export is imported again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from ark_tui.domain.display import visible_line
from ark_tui.domain.errors import Cancelled, UsageError
from ark_tui.domain.memory import ImportedChats, Saying, Scope
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, ignore
from ark_tui.domain.wording import counted
from ark_tui.domain.work import Progress
from ark_tui.memory.chats import assistants, mail, messengers, sessions, slack, whatsapp
from ark_tui.memory.chats.source import Chat, Source, opened
from ark_tui.memory.conversations import Conversations
from ark_tui.store.database import ROWS

AT_ONCE = ROWS  # messages of a transaction; with fewer, DuckDB often rewrites row groups to merge them
FIRST = AT_ONCE // 2  # of the first one, so that indexing can begin early
KEPT = 200_000  # messages up to which an export is read into memory once

PROBLEM = 200  # characters of a report of what cannot be read

Talk = tuple[str, str, list[Saying]]


def import_chats(
    conversations: Conversations,
    path: Path,
    scope: Scope,
    *,
    dry_run: bool = False,
    say: Callable[[str], object] = ignore,
    stop: Stop = NEVER,
    progress: OnProgress = ignore,
) -> ImportedChats:
    """Import an export in transactions of at most `AT_ONCE` messages; a stopped import keeps finished ones.

    `say` gets a summary before the import begins; `dry_run` stops there. Raises `UsageError` for a file of
    unknown format, `NotFound` and `Cancelled`.
    """
    with opened(path) as source:
        form = recognised(source)
        keys = conversations.keys(scope)
        kept: list[Chat] = []
        found = _looked_through(form, _keeping(FORMATS[form](source), kept), keys, stop)
        if dry_run or not found.new:
            return replace(found, done=not dry_run)
        where = f"{counted(found.conversations, 'conversation')} of {form}, for {scope.name}"
        say(f"{counted(found.new, 'new message')} of {found.messages:,}, in {where}.")
        taken = 0
        for batch in _batches(_new(kept or FORMATS[form](source), keys)):
            if stop.is_set():
                raise Cancelled
            taken += conversations.take(scope, batch)
            progress(Progress("import", taken, found.new))
    kept.clear()  # the index needs the memory
    if taken:
        conversations.index()
    return replace(found, new=taken, done=True)


def _looked_through(
    form: str, all_chats: Iterator[Chat], keys: Mapping[str, set[str]], stop: Stop
) -> ImportedChats:
    """Count the messages, and the new ones among them."""
    found, authors = ImportedChats(form), set[str]()
    for chat in all_chats:
        if stop.is_set():
            raise Cancelled
        if chat.problem:
            found = replace(found, problems=(*found.problems, visible_line(chat.problem)[:PROBLEM]))
        if not chat.messages:
            continue
        known = keys.get(chat.id, set())
        times = [one.timestamp for one in chat.messages if one.timestamp]
        authors.update(one.name or one.role for one in chat.messages)
        found = replace(
            found,
            conversations=found.conversations + 1,
            new_conversations=found.new_conversations + (not known),
            messages=found.messages + len(chat.messages),
            new=found.new + len({one.key for one in chat.messages} - known),
            left_out=found.left_out + chat.left_out,
            first=min([*times, found.first] if found.first else times, default=None),
            last=max([*times, found.last] if found.last else times, default=None),
        )
    return replace(found, authors=len(authors))


def _keeping(all_chats: Iterator[Chat], kept: list[Chat]) -> Iterator[Chat]:
    """The chats; also stored in `kept` unless they are too many."""
    messages = 0
    for chat in all_chats:
        messages += len(chat.messages)
        if messages <= KEPT:
            kept.append(chat)
        else:
            kept.clear()
        yield chat


def _new(all_chats: Iterable[Chat], keys: Mapping[str, set[str]]) -> Iterator[Talk]:
    """The conversations with their new messages, in pieces of at most `AT_ONCE` messages."""
    for chat in all_chats:
        known = keys.get(chat.id, set())
        said = [one for one in chat.messages if one.key not in known]
        for begin in range(0, len(said), AT_ONCE):
            yield chat.id, chat.title, said[begin : begin + AT_ONCE]


def _batches(talks: Iterator[Talk]) -> Iterator[list[Talk]]:
    """The pieces by transaction; a conversation occurs once in each."""
    batch: dict[str, Talk] = {}
    size, most = 0, min(FIRST, AT_ONCE)
    for id_, title, said in talks:
        if batch and size + len(said) > most:
            yield [*batch.values()]
            batch, size, most = {}, 0, AT_ONCE
        batch.setdefault(id_, (id_, title, []))[2].extend(said)
        size += len(said)
    if batch:
        yield [*batch.values()]


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
"""The readers by name, in the order in which they are tried."""


def recognised(source: Source) -> str:
    """The format of an export: the first whose reader finds a chat. Raises `UsageError` if none does."""
    for name, read in FORMATS.items():
        if any(chat.messages for chat in read(source)):
            return name
    raise UsageError(
        f"No chats were found in {source.path.name}.", f"Supported are exports of {', '.join(FORMATS)}."
    )
