"""Mail: one document per message, including attachments in readable formats (I21)."""

from __future__ import annotations

import email
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from email import policy
from email.message import EmailMessage, MIMEPart
from email.utils import parsedate_to_datetime
from pathlib import PurePosixPath
from typing import Any

from ark_tui.ingest.decode import Unreadable, decode
from ark_tui.ingest.formats import webpage
from ark_tui.ingest.markdown import HTML
from ark_tui.ingest.readers import READERS, missing, texts
from ark_tui.ingest.readers.content import Content, Text

DEEPEST = 10  # maximum nesting of attached messages
SAID = {"From": "from", "To": "to", "Cc": "cc", "List-Id": "list"}
BEGINNING = re.compile(rb"^From .*\d{4}.*$", re.MULTILINE)  # separator line of a message in an mbox
ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)
_BARE_BOUNDARY = re.compile(  # an unquoted boundary with characters that require quotes
    rb"(?mi)^(Content-Type:[^\n]*(?:\n[ \t][^\n]*)*?\bboundary=)([^\s;\"]*[=/:?,][^\s;\"]*)"
)
_ID = re.compile(r"<([^<>\s]+)>")


def message(data: bytes) -> Iterator[Content]:
    """Read one message."""
    yield _content(parsed(data))


def box(data: bytes) -> Iterator[Content]:
    """Read every message of an mbox; messages without text are skipped."""
    seen: dict[str, int] = {}
    found = False
    for number, one in enumerate(parted(data), 1):
        with suppress(Unreadable):
            yield _content(parsed(one), seen, number)
            found = True
    if not found:
        raise Unreadable("no text in it")


def parted(data: bytes) -> Iterator[bytes]:
    """Split an mbox into messages; a file without mbox separators is one message.

    A message begins with a line `From ...` with a year, after a blank line. The escape `>From` is undone.
    """
    if not BEGINNING.match(data):
        yield data
        return
    blank = (b"\n\n", b"\r\n\r\n")
    begun = [
        one for one in BEGINNING.finditer(data) if not one.start() or data.endswith(blank, 0, one.start())
    ]
    ends = [*(one.start() for one in begun[1:]), len(data)]
    for one, end in zip(begun, ends, strict=True):
        yield ESCAPED.sub(rb"\1", data[one.end() : end].lstrip(b"\r\n"))


def parsed(data: bytes) -> EmailMessage:
    """Parse a message. Missing quotes around a MIME boundary are added."""
    found = email.message_from_bytes(_BARE_BOUNDARY.sub(rb'\1"\2"', data), policy=policy.default)
    assert isinstance(found, EmailMessage)
    return found


def _content(found: EmailMessage, seen: dict[str, int] | None = None, number: int = 0) -> Content:
    """The content of a message. In an mbox, its Message-ID is its item. Replies share the field `thread`."""
    text = Text()
    subject = header(found, "Subject")
    _take(text, found, 1)
    before, own = ids(found, "References", "In-Reply-To"), next(iter(ids(found, "Message-ID")), "")
    item = ""
    if seen is not None:
        item = own or str(number)
        seen[item] = seen.get(item, 0) + 1
        item = item if seen[item] == 1 else f"{item}~{seen[item]}"
    fields = [(key, value) for name, key in SAID.items() if (value := header(found, name))]
    thread = before[0] if before else own
    day = _day(header(found, "Date"))
    return text.content(
        title=subject, date=day, item=item, fields=(*fields, *([("thread", thread)] if thread else [])),
    )  # fmt: skip


def _take(text: Text, found: Any, level: int) -> None:
    """Add the subject of a message as a heading, and all its parts."""
    text.heading(header(found, "Subject"), min(level, 6))
    _part(text, found, level)


def _part(text: Text, part: MIMEPart, level: int) -> None:
    """Add a MIME part with its nested parts."""
    kind, within = part.get_content_type(), part.get_payload()
    if part.get_content_maintype() == "message" and isinstance(within, list):
        for message in within if level < DEEPEST else ():
            if kind == "message/delivery-status":
                text.say("\n".join(f"{name}: {header(message, name)}" for name in message))
                text.say(words(message))
            else:
                _take(text, message, level + 1)
    elif part.is_multipart():
        parts = list(part.iter_parts())
        for one in [_chosen(parts)] if kind == "multipart/alternative" and parts else parts:
            _part(text, one, level)
    elif part.get_content_maintype() in ("text", "multipart"):  # a multipart without parts
        text.heading(part.get_filename() or "", 2)
        for paragraph in re.split(r"\n\s*\n", words(part)):
            text.say(paragraph)
    else:
        _attach(text, part)


def _chosen(parts: Sequence[MIMEPart]) -> MIMEPart:
    """Choose an alternative: the first with plain text, else the last, which is the richest."""
    return next((part for part in parts if _is_plain(part)), parts[-1])


def _is_plain(part: MIMEPart) -> bool:
    plain = (one for one in part.walk() if one.get_content_type() == "text/plain")
    return any(words(one).strip() for one in plain)


def words(part: Any) -> str:
    """The decoded text of a text part; "" if it is unreadable."""
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else str(part.get_payload()).encode("utf-8", "replace")
    try:
        text = decode(data, part.get_content_charset("")).text.replace("\r\n", "\n")
        if part.get_content_type() == "text/html":
            return webpage.seen(text).body
    except Unreadable:
        return ""
    return _unwrapped(text, part.get_param("delsp")) if part.get_param("format") == "flowed" else text


def _unwrapped(text: str, delsp: object) -> str:
    """Join the lines of a `format=flowed` text (RFC 3676): a trailing space continues the line.

    The signature separator is never joined, nor are lines of different quote depths.
    """
    lines: list[str] = []
    flowing, depth = False, 0
    for line in text.split("\n"):
        quotes = len(line) - len(line.lstrip(">"))
        words = line[quotes:].removeprefix(" ")
        if flowing and quotes == depth and words != "-- ":
            lines[-1] += words
        else:
            lines.append(f"{'>' * quotes} {words}" if quotes else words)
        flowing, depth = words.endswith(" ") and words != "-- ", quotes
        if flowing and str(delsp).lower() == "yes":
            lines[-1] = lines[-1][:-1]
    return "\n".join(lines)


def _attach(text: Text, part: MIMEPart) -> None:
    """Add the name of an attachment, and its text if its format is readable."""
    name = part.get_filename() or part.get_content_type()
    text.heading(name, 2)
    suffix = PurePosixPath(name).suffix.lower()
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes) or missing(suffix):
        return
    with suppress(Unreadable):
        if suffix in READERS:
            for content in texts(suffix, payload):
                text.take(content.text, content.blocks, below=2)
        elif "signature" not in part.get_content_subtype():
            plain = decode(payload).text
            text.say(webpage.seen(plain).body if suffix in (*HTML, ".svg") else plain)


def header(found: Any, name: str) -> str:
    """A decoded header on one line; "" if it is missing or invalid."""
    raw = next((value for key, value in found.raw_items() if key.lower() == name.lower()), "")
    try:
        text = decode(str(raw).encode("utf-8", "surrogateescape")).text
        return " ".join(str(policy.default.header_factory(name, " ".join(text.split()))).split())
    except (ValueError, IndexError, AttributeError):  # raised for headers that the library cannot parse
        return ""


def ids(found: EmailMessage, *names: str) -> list[str]:
    """The message ids in these headers, in order."""
    return _ID.findall(" ".join(header(found, name) for name in names))


def _day(written: str) -> str:
    with suppress(ValueError, TypeError):
        return f"{parsedate_to_datetime(written):%Y-%m-%d}"
    return ""
