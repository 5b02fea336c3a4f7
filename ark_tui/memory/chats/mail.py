"""Mail as conversations: one for each thread of an mbox, a Maildir or single messages.

A thread is identified by its first message, which replies name in `References`. Its messages are sorted by
date, independent of the order of files; those without a date come last.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import parseaddr
from typing import Any

from ark_tui.domain.documents import content_hash
from ark_tui.ingest.readers.mail import header, ids, parsed, parted, words
from ark_tui.memory.chats.source import FAULTS, MAILDIR, Chat, Source, chat, each

HEADER = re.compile(rb"\A(?:[!-9;-~]+:[ \t].*\r?\n(?:[ \t].*\r?\n)*){2,}\r?\n")
ANSWER = re.compile(r"^(?:(?:re|aw|antw|sv|fwd?|wg)(?:\[\d+\])?:\s*)+", re.IGNORECASE)

Mail = tuple[str, EmailMessage]
"""A message with its id."""


def read(source: Source) -> Iterator[Chat]:
    """The threads, in the order of their first messages."""
    threads: dict[str, list[Mail]] = {}
    parents: dict[str, str] = {}
    found, broken = list[Mail](), list[Chat]()
    for one in _mails(source):
        if isinstance(one, Chat):
            broken.append(one)
        else:
            found.append(one)
    for own, mail in found:
        before = ids(mail, "References", "In-Reply-To")
        if before and before[0] != own:
            parents[own] = before[0]
    for own, mail in found:
        threads.setdefault(_root(own, parents), []).append((own, mail))
    yield from broken
    yield from each(((f"The thread {root}", (root, mails)) for root, mails in threads.items()), _thread)


def _thread(thread: tuple[str, list[Mail]]) -> Iterator[Chat]:
    root, mails = thread
    mails.sort(key=lambda mail: _moment(mail[1]) or datetime.max.replace(tzinfo=UTC))
    subject = ANSWER.sub("", header(mails[0][1], "Subject"))
    yield chat(f"mail-{root}", subject, mails, _message)


def _mails(source: Source) -> Iterator[Mail | Chat]:
    """The messages, and a `Chat` with a problem for each unreadable one."""
    alone = len(source.names) == 1 and not source.names[0].lower().endswith((".json", ".jsonl", ".txt"))
    for name in source.names if alone else source.matching("*.mbox", "*.mbx", "*.eml", *MAILDIR):
        data = source.bytes(name)
        for place, raw in enumerate(parted(data), 1):
            if HEADER.match(raw):
                try:
                    found = parsed(raw)
                    yield next(iter(ids(found, "Message-ID")), content_hash(raw)[:16]), found
                except FAULTS as error:
                    yield Chat("", name, (), problem=f"Message {place} of {name} cannot be read: {error}")


def _root(own: str, parents: Mapping[str, str]) -> str:
    seen = {own}
    while (own_ := parents.get(own)) and own_ not in seen:
        seen.add(own_)
        own = own_
    return own


def _message(mail: Mail) -> Mapping[str, Any] | None:
    own, found = mail
    name, address = parseaddr(header(found, "From"))
    body = found.get_body(("plain", "html"))
    text = words(body) if body is not None else ""
    files = [f"[file: {part.get_filename() or part.get_content_type()}]" for part in found.iter_attachments()]
    moment = _moment(found)
    text = "\n".join((text.strip(), *files)).strip()
    return {
        "id": own[:200],
        "role": "user",
        "name": (name or address)[:200],
        "content": text or header(found, "Subject"),
        **({"timestamp": moment.isoformat()} if moment else {}),
    }


def _moment(mail: EmailMessage) -> datetime | None:
    try:
        return mail["Date"].datetime.astimezone()  # type: ignore[no-any-return]
    except (ValueError, IndexError, AttributeError, OverflowError):  # no date, or an invalid one
        return None
