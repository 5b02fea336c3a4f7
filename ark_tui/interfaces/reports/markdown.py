"""A report as Markdown: tables, and plots as fenced text. Text of documents is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ark_tui.interfaces.reports import plots
from ark_tui.interfaces.reports.report import Block, Excerpt, Facts, Figure, Paragraph, Report, Table, Value
from ark_tui.interfaces.reports.text import shortened

_MARKUP = re.compile(r"[\\`*\[\]<>|~&$]")
_UNDERSCORES = re.compile(r"_+")
_AT_THE_START = re.compile(r"^(\d+(?=[.)](?:\s|$))|(?=[#+\-=:]))(.)")
_ADDRESS = re.compile(r"(?<=\w):(?=//)|(?<=www)\.|@", re.IGNORECASE)

SHOWN = 50  # rows of a table; JSON and Parquet have all
LONGEST = 300  # characters of a cell
LABELS = {
    "at": "When", "normalised": "Normalized",
    "ndcg_10": "nDCG@10", "recall_10": "Recall@10", "hit_3": "Hit@3", "mrr_10": "MRR@10",
}  # fmt: skip
"""Labels of columns that are not just their name."""


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
        if len(report.sections) > 1:
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
    shown = [place for place, name in enumerate(block.columns) if name not in block.hidden]
    names, kinds = list(block.columns), list(block.columns.values())
    yield _row(LABELS.get(names[at]) or names[at].replace("_", " ").capitalize() for at in shown)
    yield _row("--:" if kinds[at] in {int, float} else ":--" for at in shown)
    for row in block.rows[:SHOWN]:
        yield _row(escaped(_cell(row[at])) for at in shown)
    rest = f"The first {SHOWN} of {len(block.rows):,}; as JSON or Parquet the report has all."
    for sentence in (rest if len(block.rows) > SHOWN else "", block.note):
        if sentence:
            yield ""
            yield opening(sentence)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(value: Value) -> str:
    match value:
        case None:
            return "–"
        case float():
            return f"{value:,.3f}"
        case int():
            return f"{value:,}"
        case _:
            return shortened(str(value), LONGEST)  # dates in ISO format


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
    if block.about:
        yield opening(block.about)
        yield ""
    drawn = plots.drawn(block.chart).plain
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", drawn)), default=0))
    yield f"{fence}text"
    yield drawn
    yield fence
