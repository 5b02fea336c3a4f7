"""Mail: a message is a document, decoded, its attachments by the rules of their kind (I21)."""

from __future__ import annotations

import email
import re
from collections.abc import Iterator
from contextlib import suppress
from email import policy
from email.message import EmailMessage, MIMEPart
from email.utils import parsedate_to_datetime
from pathlib import PurePosixPath

from ark_tui.ingest.decode import Unreadable, decode
from ark_tui.ingest.formats import webpage
from ark_tui.ingest.readers import READERS, missing, texts
from ark_tui.ingest.readers.content import Content, Text

DEEPEST = 10  # messages within messages that are read
SAID = {"From": "from", "To": "to", "Cc": "cc", "List-Id": "list"}
BEGINNING = re.compile(rb"^From .*\d{4}.*$", re.MULTILINE)  # of a message in an mbox
ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)
_ID = re.compile(r"<([^<>\s]+)>")


def message(data: bytes) -> Iterator[Content]:
    """One message."""
    yield _content(parsed(data))


def box(data: bytes) -> Iterator[Content]:
    """Every message of an mbox; one that says nothing is passed over."""
    seen: dict[str, int] = {}
    found = False
    for number, one in enumerate(parted(data), 1):
        with suppress(Unreadable):
            yield _content(parsed(one), seen, number)
            found = True
    if not found:
        raise Unreadable("no text in it")


def parted(data: bytes) -> Iterator[bytes]:
    """The messages of an mbox; what is none is one message.

    One begins at a line `From ...` with a year, after a blank line. In it `>From` is `From`.
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
    """A message, its headers and parts."""
    found = email.message_from_bytes(data, policy=policy.default)
    assert isinstance(found, EmailMessage)
    return found


def _content(found: EmailMessage, seen: dict[str, int] | None = None, number: int = 0) -> Content:
    """A message; of several, its id is its item. Replies to one another share a source, their thread."""
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


def _take(text: Text, found: EmailMessage, level: int) -> None:
    """The subject of a message as a heading of a level, its body and its attachments."""
    text.heading(header(found, "Subject"), min(level, 6))
    if (
        found.is_multipart() and found.get_content_maintype() == "message"
    ):  # a delivery report, forwarded bare
        parts: Iterator[MIMEPart] = iter([found])
    else:
        body = found.get_body(("plain", "html"))
        if body is not None:
            _say(text, body)
        parts = found.iter_attachments()
    for part in parts:
        _attach(text, part, level)


def _say(text: Text, part: MIMEPart) -> None:
    for paragraph in re.split(r"\n\s*\n", words(part)):
        text.say(paragraph)


def words(part: MIMEPart) -> str:
    """The words of a part of text, in whatever charset; "" where they cannot be read."""
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    try:
        said = decode(data, part.get_content_charset("")).text.replace("\r\n", "\n")
    except Unreadable:
        return ""
    if part.get_content_type() == "text/html":
        return webpage.seen(said).body
    return _unwrapped(said, part.get_param("delsp")) if part.get_param("format") == "flowed" else said


def _unwrapped(text: str, delsp: object) -> str:
    """A text of `format=flowed` (RFC 3676): a line that ends in a blank goes on in the next one.

    The two dashes before a signature are a line of their own, and a line that is quoted deeper or less is
    not joined.
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


def _attach(text: Text, part: MIMEPart, level: int) -> None:
    """An attachment: a message within, or its name and what is in it where its format can be read."""
    if part.is_multipart():
        for within in part.get_payload():
            if isinstance(within, EmailMessage) and level < DEEPEST:
                _take(text, within, level + 1)
        return
    name = part.get_filename() or part.get_content_type()
    text.heading(name, 2)
    if part.get_content_maintype() == "text":
        _say(text, part)
        return
    suffix = PurePosixPath(name).suffix.lower()
    payload = part.get_payload(decode=True)
    if suffix in READERS and not missing(suffix) and isinstance(payload, bytes):
        with suppress(Unreadable):
            for content in texts(suffix, payload):
                text.take(content.text, content.blocks, below=2)


def header(found: EmailMessage, name: str) -> str:
    """A header in one line; "" for one that is not there or cannot be read."""
    try:
        return " ".join(str(found.get(name, "")).split())
    except (ValueError, IndexError, AttributeError):  # of headers that the library cannot parse
        return ""


def ids(found: EmailMessage, *names: str) -> list[str]:
    """The ids of messages that some headers name, in their order."""
    return _ID.findall(" ".join(header(found, name) for name in names))


def _day(written: str) -> str:
    with suppress(ValueError, TypeError):
        return f"{parsedate_to_datetime(written):%Y-%m-%d}"
    return ""
