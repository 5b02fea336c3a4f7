"""A report as Markdown: tables, and plots as fenced text. Text of documents is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ark_tui.interfaces.reports import plots
from ark_tui.interfaces.reports.report import Block, Excerpt, Facts, Figure, Paragraph, Report, Table

_MARKUP = re.compile(r"[\\`*\[\]<>|~&$]")
_UNDERSCORES = re.compile(r"_+")
_AT_THE_START = re.compile(r"^(\d+(?=[.)](?:\s|$))|(?=[#+\-=:]))(.)")
_ADDRESS = re.compile(r"(?<=\w):(?=//)|(?<=www)\.|@", re.IGNORECASE)
_RIGHT = ("count", "number", "share")


def written(report: Report) -> str:
    """The whole report."""
    return "\n".join(_lines(report)).rstrip("\n") + "\n"


def escaped(text: str) -> str:
    """Escape text for one line of Markdown: no markup, links or mentions."""
    return _literal(" ".join(text.split()))


def _literal(line: str) -> str:
    line = _MARKUP.sub(_backslashed, line)
    line = _UNDERSCORES.sub(_within_a_word, line)
    return _ADDRESS.sub(_backslashed, line)


def opening(text: str) -> str:
    """Escape text at the start of a line: no heading, list or rule either."""
    return _AT_THE_START.sub(r"\1\\\2", escaped(text))


def _backslashed(match: re.Match[str]) -> str:
    return "".join(f"\\{character}" for character in match.group())


def _within_a_word(match: re.Match[str]) -> str:
    """Keep underscores between letters: they are not markup, and unescaped easier to read."""
    before, after = match.string[: match.start()][-1:], match.string[match.end() :][:1]
    return match.group() if before.isalnum() and after.isalnum() else _backslashed(match)


def _lines(report: Report) -> Iterator[str]:
    yield f"# {escaped(report.title)}"
    yield ""
    yield f"Made by ark-tui at {report.made}."
    for section in report.sections:
        if not report.single:
            yield ""
            yield f"## {escaped(section.title)}"
        for block in section.visible:
            yield ""
            yield from _block(block)


def _block(block: Block) -> Iterator[str]:
    match block:
        case Paragraph():
            yield opening(block.text)
        case Facts():
            yield from (f"- {escaped(label)}: {escaped(value)}" for label, value in block.rows)
        case Table():
            yield from _table(block)
        case Excerpt():
            yield from _excerpt(block)
        case Figure():
            yield from _figure(block)


def _table(block: Table) -> Iterator[str]:
    yield f"### {escaped(block.title)}"
    yield ""
    if not block.rows:
        yield opening(block.note)
        return
    yield _row([column.label for column in block.shown])
    yield _row(["--:" if column.kind in _RIGHT else ":--" for column in block.shown], raw=True)
    for cells in block.cells:
        yield _row(list(cells))
    for sentence in (block.rest, block.note):
        if sentence:
            yield ""
            yield opening(sentence)


def _row(cells: list[str], *, raw: bool = False) -> str:
    return "| " + " | ".join(cells if raw else map(escaped, cells)) + " |"


def _excerpt(block: Excerpt) -> Iterator[str]:
    yield f"**{escaped(block.title) or '–'}**  "
    yield opening(block.about)
    yield ""
    yield f"> {_marked(block)}"


def _marked(block: Excerpt) -> str:
    """The text with its matches in bold.

    A match stays plain if it follows another at once, or if a sign at its ends would show the asterisks.
    """
    text, done = "", 0
    for start, end in sorted(block.marks):
        match = block.text[start:end]
        if (start > done or not done) and match[:1].isalnum() and match[-1:].isalnum():
            text += f"{_literal(block.text[done:start])}**{_literal(match)}**"
            done = end
    return _AT_THE_START.sub(r"\1\\\2", (text + _literal(block.text[done:])).strip())


def _figure(block: Figure) -> Iterator[str]:
    yield f"### {escaped(block.title)}"
    yield ""
    yield opening(block.about)
    yield ""
    drawn = plots.drawn(block.chart, *plots.size(block.chart))
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", drawn)), default=0))
    yield f"{fence}text"
    yield drawn
    yield fence
