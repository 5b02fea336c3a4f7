"""Tables by rows with column names, subtitles by time, logs by day (requirement I21)."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from itertools import accumulate

from ark_tui.domain.documents import Draft
from ark_tui.ingest.chunk.strategies import paragraphs
from ark_tui.ingest.formats.file import File
from ark_tui.ingest.markdown import HEADING, Block
from ark_tui.ingest.readers.content import COLUMNS, Text

SAMPLE = 8_192  # characters used to detect the delimiter
CELL = 1 << 20  # maximum characters of a cell

_CUE = re.compile(r"^(?:(\d+):)?(\d\d):(\d\d)[.,]\d{3}[ \t]+-->.*$", re.MULTILINE)
_MARKUP = re.compile(r"<[^<>\n]*>|\{\\[^{}\n]*\}")
_NUMBER = re.compile(r"\n[ \t]*\n\S*\s*\Z")  # number or name of the next cue

_STAMP = re.compile(
    r"^(?:[\[(]?|\S{1,99} \S{1,99} \S{1,99} \[)(?:"  # in the common log format, address and names come first
    r"(\d{4})[-/.](\d\d)[-/.](\d\d)|(\d\d)/([A-Z][a-z]{2})/(\d{4})"
    r"|([A-Z][a-z]{2}) ([ \d]\d) \d\d:\d\d:\d\d )",
    re.MULTILINE,
)
"""Dates of log lines: ISO 8601, the common log format, or syslog without a year (RFC 3164)."""


def table(file: File) -> tuple[Draft, ...]:
    """The file as it is; chunks have whole rows, with the column names as heading."""
    try:
        blocks = list(_rows(file.text, "\t" if file.name.lower().endswith(".tsv") else ""))
    except csv.Error:
        blocks = list(paragraphs(file.text))
    return (file.plain("table", blocks),)


def _rows(text: str, mark: str) -> Iterator[Block]:
    starts = [0, *accumulate(map(len, text.splitlines(keepends=True)))]
    csv.field_size_limit(CELL)
    rows = csv.reader(text.splitlines(keepends=True), delimiter=mark or _mark(text))
    line = 0
    for number, row in enumerate(rows):
        if number == 0:
            yield Block(0, HEADING, 1, ", ".join(" ".join(name.split()) for name in row[:COLUMNS] if name))
        else:
            yield Block(starts[line])
        line = rows.line_num


def _mark(text: str) -> str:
    """Detect the delimiter: the most frequent one in the first line."""
    first = text[:SAMPLE].partition("\n")[0]
    return max(",;\t|", key=first.count)


def subtitles(file: File) -> tuple[Draft, ...]:
    """The spoken text, one line per cue, with the minute as location heading."""
    text, last = Text(), ""
    cues = list(_CUE.finditer(file.text))
    if not cues:
        return (file.plain("text", paragraphs(file.text)),)
    for cue, after in zip(cues, [*cues[1:], None], strict=True):
        said = file.text[cue.end() : after.start() if after else len(file.text)]
        said = _MARKUP.sub("", _NUMBER.sub("", said) if after else said)
        minute = f"{int(cue[1] or 0)}:{cue[2]}"
        if minute != last:
            text.place(minute, 1)
        text.say(" ".join(said.split()), "\n\n" if minute != last else "\n")
        last = minute
    return (file.read(text.content(), "subtitles"),)


def log(file: File) -> tuple[Draft, ...]:
    """The file as it is; chunks have whole entries of one day, with the day as heading."""
    return (file.plain("log", tuple(_entries(file.text)) or paragraphs(file.text)),)


def _entries(text: str) -> Iterator[Block]:
    last = ""
    for stamp in _STAMP.finditer(text):
        said = ("-" if stamp[1] else " ").join(part.strip() for part in stamp.groups() if part)
        yield Block(stamp.start()) if said == last else Block(stamp.start(), HEADING, 1, said)
        last = said
