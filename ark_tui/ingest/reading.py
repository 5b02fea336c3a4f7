"""From a file to drafts: load its bytes, decode them, parse them by format."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import partial
from pathlib import PurePosixPath
from typing import BinaryIO

from ark_tui.domain.documents import Draft
from ark_tui.domain.work import Problem
from ark_tui.ingest import formats
from ark_tui.ingest.chunk.cutting import MAX_TOKENS, OVERLAP, VERSION, chunk
from ark_tui.ingest.chunk.pack import Measure, measured
from ark_tui.ingest.decode import Decoded, Unreadable, decode, is_binary, storable, without_payload
from ark_tui.ingest.formats import Format, markdown, sourcecode, webpage
from ark_tui.ingest.formats.file import Cut, File, beginning, read_text
from ark_tui.ingest.readers import NEEDED, OLD, READERS, missing
from ark_tui.ingest.walk import CHANGED, Entry
from ark_tui.settings.tree import Tree, gone
from ark_tui.store.fields import fold

MB = 1 << 20
MAX_BYTES = 32 * MB
HEAD = 8_192  # bytes by which a binary file is recognized before it is read completely

FIRST = 8  # chunks of prose used to detect the language
MAILDIR = ("cur", "new")  # Maildir folders: messages without suffixes
MAIL = re.compile(rb"(?:[A-Za-z-]+:[^\n]*\n(?:[ \t][^\n]*\n)*){3}")  # beginning of a message: three headers
STATED = ("lang", "language")  # fields that state the language of a document
_PAGE = re.compile(r"\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reading:
    """Settings for parsing files. `measure` counts tokens; None uses the tokenizer of the static model."""

    strategy: str = "auto"
    max_tokens: int = MAX_TOKENS
    overlap: int = OVERLAP
    max_bytes: int = MAX_BYTES
    measure: Measure | None = None

    @property
    def cut(self) -> str:
        """A key of all settings that determine the chunks."""
        return f"{VERSION} {self.strategy} {self.max_tokens} {self.overlap}"

    def read(self, entry: Entry, data: bytes) -> tuple[Draft, ...] | Problem:
        """Parse a file into documents: usually one, or one per record."""
        suffix = _suffix(entry.path, data)
        try:
            if suffix in READERS or suffix in OLD:
                return tuple(map(_told, self._apart(entry, suffix, data)))
            format_ = formats.of(suffix)
            decoded = without_payload(decode(data, webpage.charset(data) if format_ is webpage.read else ""))
            notices = (decoded.notice,) if decoded.notice else ()
            file = File(entry.path, decoded.text, _day(entry.mtime_ns), self._chunk(), notices)
            return tuple(map(_told, (format_ or _by_content(file))(file)))
        except Unreadable as reason:
            return Problem(entry.path, str(reason))

    def _apart(self, entry: Entry, suffix: str, data: bytes) -> Iterator[Draft]:
        """The documents of a non-text file, read in a separate process. Raises `Unreadable`."""
        if suffix in OLD or missing(suffix):
            raise Unreadable(OLD.get(suffix, NEEDED))
        from ark_tui.ingest import apart

        for content in apart.read(suffix, data):
            file = File(entry.path, content.text, _day(entry.mtime_ns), self._chunk(), content.notices)
            yield file.read(content, suffix.removeprefix("."))

    def text(self, body: str, *, path: str, title: str = "") -> Draft:
        """Parse a text without a file as Markdown. Without `title`, its first heading is the title."""
        plain = without_payload(Decoded(storable(body))).text
        (draft,) = markdown.read(File("", plain, None, self._chunk()))
        own = title or draft.title
        return _told(replace(draft, path=path, title=own or beginning(draft.body), titled=bool(own)))

    def _chunk(self) -> Cut:
        return partial(
            chunk,
            strategy=self.strategy,
            max_tokens=self.max_tokens,
            overlap=self.overlap,
            measure=self.measure or measured,
        )


def _told(draft: Draft) -> Draft:
    """Set the language of the prose chunks, from a field of the document or by detection."""
    prose = [one for one in draft.chunks if one.kind == "text" and not one.language]
    if not prose:
        return draft
    from ark_tui.index.words import languages

    stated = next((value for key, value in draft.fields if fold(key) in STATED), "")
    sample = "\n".join(draft.body[one.start_char : one.end_char] for one in prose[:FIRST])[: languages.SAMPLE]
    language = languages.written_in(sample, stated)
    if not language:
        return draft
    told = {id(one): replace(one, language=language) for one in prose}
    return replace(draft, chunks=tuple(told.get(id(one), one) for one in draft.chunks))


def _suffix(path: str, data: bytes) -> str:
    """The suffix by which a file is read. PDF and Maildir messages are recognized by content."""
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in READERS or suffix in formats.FORMATS:
        return suffix
    mail = PurePosixPath(path).parent.name in MAILDIR and MAIL.match(data)
    return ".pdf" if data.startswith(b"%PDF-") else ".eml" if mail else suffix


def load(tree: Tree, entry: Entry, max_bytes: int = MAX_BYTES) -> bytes | Problem:
    """Read the bytes of a file; a problem if it cannot be read or has changed since the walk."""
    if entry.size > max_bytes:
        return Problem(
            entry.path, f"too large: {entry.size / MB:,.1f} MB, the limit is {max_bytes / MB:,.0f} MB"
        )
    try:
        with tree.open(entry.path) as file:
            if not _as_seen(entry, file):
                return _changed(entry)
            head = file.read(HEAD)
            if is_binary(head) and _suffix(entry.path, head) not in {*READERS, *OLD}:
                return Problem(entry.path, "binary")
            data = head + file.read(entry.size)  # bounded, even if the file grows
            unchanged = len(data) == entry.size and _as_seen(entry, file)
    except OSError as error:
        if gone(error):
            return _changed(entry)
        return Problem(entry.path, (error.strerror or str(error)).lower(), "failed")
    return data if unchanged else _changed(entry)


def remarks(drafts: Sequence[Draft]) -> str:
    """The notices of an indexed file's drafts, without duplicates."""
    return "; ".join(dict.fromkeys(notice for draft in drafts for notice in draft.notices))


def _by_content(file: File) -> Format:
    """Detect the format from the content, for a file with an unknown name."""
    if sourcecode.language(file.name, file.text[:200]):
        return sourcecode.read
    return webpage.read if _PAGE.match(file.text) else read_text


def _as_seen(entry: Entry, file: BinaryIO) -> bool:
    now = os.fstat(file.fileno())
    return (now.st_size, now.st_mtime_ns, now.st_ino) == entry.mark


def _changed(entry: Entry) -> Problem:
    return Problem(entry.path, CHANGED, "failed")


def _day(mtime_ns: int) -> date | None:
    """The UTC date of a file's last change; None if it is out of range."""
    try:
        return datetime.fromtimestamp(mtime_ns / 1e9, UTC).date()
    except (ValueError, OverflowError, OSError):
        return None
