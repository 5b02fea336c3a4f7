"""Prints hits with their reasons, texts, and logged searches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from ark_tui.domain.hits import RULES
from ark_tui.domain.plain import beneath, plain
from ark_tui.domain.reasons import phrases
from ark_tui.domain.titles import set_apart
from ark_tui.domain.wording import counted
from ark_tui.interfaces.cli.output import WIDTH, Ink, Output, Piece, cells, fit, flow, short, short_path
from ark_tui.interfaces.cli.rendering import Renderer, View

if TYPE_CHECKING:
    from ark_tui.domain.documents import Document, Passage
    from ark_tui.domain.hits import Band, Expansion, Hit, Part, SearchResult, SignalInfo
    from ark_tui.domain.whynot import Against, Explained, WhyNot
    from ark_tui.interfaces.cli.diagnostics import Diagnostics
    from ark_tui.operations.call import Call

INDENT = "    "
SCORE = 7  # cells
SNIPPET_LINES = 3
WORD_LINES = 6  # of terms and stages
SENTENCE_LINES = 4
REASONS = 3  # per part
REASON_LINES = 4
BESIDE = "   "  # the indent of reasons below a signal
TABLE_BAR = 16  # cells of the bar of the largest share
BLOCKS = " ▏▎▍▌▋▊▉█"
PUBLISHED = "table"  # the signal of a published table
YET = {"nothing has been indexed yet", "no vectors yet"}  # reasons of a home that has nothing
REASON = " " * 13  # the indent of the reasons of a part

PLAIN = click.Option(
    ["--plain"], is_flag=True, help="No color and no bars, one line after another, for screen readers."
)


def hits(view: View, results: Sequence[SearchResult]) -> None:
    """Print the hits of searches, with notices on each search."""
    for result in results:
        narrate(view.say, result)
        explain = bool(view.options.get("explain"))
        signals = view.call.engine.signals() if explain else ()
        Listing(view.out, signals, explain=explain).show(result)


def _code(result: SearchResult) -> int:
    return 1 if unsearchable(result) else 0


def _unkept(call: Call) -> Iterator[str]:
    if why := call.engine.unkept():
        yield f"This search is not in the log: {why.what}"


def passage(view: View, passages: Sequence[Passage]) -> None:
    """Print a text with its matches marked."""
    for one in passages:
        document = one.document
        lines = f"lines {one.start_line}–{one.end_line} of {one.total_lines}"
        view.say.notice(f"{document.short_id} · {document.title} · {one.file or document.path} · {lines}")
        if one.uncounted:
            view.say.notice(f"That it was opened does not count: {one.uncounted}")
        view.out.block(*_marked(one))


def _marked(found: Passage) -> Iterator[Piece]:
    at = 0
    for start, end in found.highlights:
        yield found.text[at:start]
        yield Ink(found.text[start:end], "match")
        at = end
    yield found.text[at:]


def explained(view: View, found: Sequence[Explained]) -> None:
    """Print the parts of a score with their meaning, or why the document is not listed."""
    for one in found:
        if one.missing:
            _missing(view, one.document, one.missing)
        else:
            view.out.line(Ink(one.document.called, "strong"))
            view.out.line(f"rank {one.rank}, score {one.score or 0:.4f}")
        _say(view, one.why.sentence if one.why else "")
        for signal in one.signals:
            part = signal.part
            numbers = (
                f"{fit(part.name, 12)} {part.raw:>8.3f} {part.rank or '–':>5} {part.contribution:>8.4f}  "
            )
            view.out.line(numbers, Ink(short(signal.about, WIDTH - len(numbers)), "faint"))
            for reason in evidence(part, REASON):
                view.out.line(REASON, *reason)
        for factor in one.multipliers:
            view.out.line(f"{'× ' + factor.name:<27} {factor.value:>8.4f}")
        if one.against:
            _against(view, one, one.against)
        for off in one.off:
            view.say.notice(f"Not counted: {off}")


def _against(view: View, one: Explained, other: Against) -> None:
    """Print two breakdowns side by side: raw value, rank, contribution and difference."""
    view.out.line()
    view.out.line(Ink("A  ", "strong"), f"{fit(one.document.called, WIDTH - 20)} {one.rank:>4}.")
    view.out.line(Ink("B  ", "strong"), f"{fit(other.document.called, WIDTH - 20)} {other.rank:>4}.")
    heads = "".join(f" {letter + ' raw':>8} {'rank':>4} {letter:>7}" for letter in "AB")
    view.out.line(Ink(f"{'signal':<12}{heads} {'A - B':>8}", "faint"))
    for row in other.signals:
        cells = "".join(map(_share, (row.first, row.second)))
        view.out.line(f"{fit(row.signal, 12)}{cells} {row.difference:>+8.4f}")
    if other.multiplied:
        view.out.line(f"{'multipliers':<12}{'':44} {other.multiplied:>+7.4f}")
    score = one.score or 0.0
    total = f"{'score':<12}{score:>22.4f}{other.score:>22.4f} {score - other.score:>+8.4f}"
    view.out.line(Ink(total, "strong"))


def _share(part: Part | None) -> str:
    if part is None:
        return f" {'–':>8} {'–':>4} {0:>7.4f}"
    return f" {part.raw:>8.3f} {part.rank or '–':>4} {part.contribution:>7.4f}"


def _say(view: View, text: str) -> None:
    for row in flow(text, (), WIDTH, SENTENCE_LINES):
        view.out.line(*row)


def _missing(view: View, document: Document, found: WhyNot) -> None:
    """Print why a document is not listed: the cause, its rank by each signal, and what would list it."""
    view.out.line(Ink(document.short_id, "strong"), f"  {short(document.title, WIDTH - 10)}")
    view.out.line("  ", Ink(f"{document.collection}/{document.path}", "faint"))
    _paragraph(view, f"{found.cause}: {found.sentence}", "")
    if found.signals:
        view.out.line()
        view.out.line(Ink("Its rank by each signal", "strong"), Ink(f"  {found.of:,} ranked", "faint"))
        rows = ((f"  {one.name}", one.rank or "–", one.contribution) for one in found.signals)
        view.pairs((name, f"{rank:>6}{share:>10.4f}") for name, rank, share in rows)
    if found.remedies:
        view.out.line()
        view.out.line(Ink("What would list it", "strong"))
    for remedy in found.remedies:
        tried = f" Then it is number {remedy.rank:,}." if remedy.rank else ""
        _paragraph(view, f"{remedy.what.removesuffix('.')}.{tried}", "- ")


def _paragraph(view: View, text: str, mark: str) -> None:
    for place, row in enumerate(flow(text, (), WIDTH - len(mark), 12)):
        view.out.line(" " * len(mark) if place else mark, *row)


# -- hits -------------------------------------------------------------------------------------------------


def rule(text: str, *, plain: bool = False) -> str:
    """A horizontal rule with a title; `plain`: the title alone."""
    return text if plain else f"── {text} ".ljust(WIDTH, "─")


def unsearchable(result: SearchResult) -> str:
    """The common reason why all signals are off; empty if some are on or if nothing is indexed yet."""
    reasons = {lamp.reason for lamp in result.lamps if lamp.state == "off"}
    on = any(lamp.state == "on" for lamp in result.lamps)
    return reasons.pop() if not on and len(reasons - YET) == len(reasons) == 1 else ""


def narrate(say: Diagnostics, result: SearchResult) -> None:
    """Write notices on the search as a whole."""
    if why := unsearchable(result):
        say.notice(f"Nothing can be searched. {why}")
        return
    for lamp in result.lamps:
        if (lamp.signal, lamp.state) == (PUBLISHED, "on"):
            say.notice(lamp.reason)
    dark = [lamp for lamp in result.lamps if lamp.state == "off"]
    for lamp in dark:
        say.notice(f"{lamp.signal} off: {lamp.reason}")
    if dark and not any(lamp.state == "on" for lamp in result.lamps):
        say.notice("Nothing can be searched yet. Index a folder first: ark-tui index ~/notes")
        return
    for suggestion in result.suggestions:
        meant = f"; did you mean {' or '.join(suggestion.instead)}?" if suggestion.instead else "."
        if suggestion.searched:
            meant = f". Also searched for “{suggestion.instead[0]}”."
        say.notice(f"“{suggestion.word}” is in no document{meant}")
    say.notice(_summary(result))


def _summary(result: SearchResult) -> str:
    tail = f"profile {result.profile} · {result.took_ms:.0f} ms"
    if result.abstained:
        return _abstained(result, tail)
    if not result.hits:
        return f"No results for “{result.query.raw}”. Try fewer or different words. · {tail}"
    of = f"{len(result.hits)} of " if result.found > len(result.hits) else ""
    return f"{of}{counted(max(result.found, len(result.hits)), 'document')} · {tail}"


def _abstained(result: SearchResult, tail: str) -> str:
    """Why no result is a confident answer, and how many have low confidence."""
    why = result.verdict.why if result.verdict else ""
    weak = sum(hit.band == "weak" for hit in result.hits)
    if weak:
        return f"No confident result for “{result.query.raw}”: {counted(weak, 'weak result')}. {why} · {tail}"
    count = counted(result.below_floor, "low-confidence result")
    lists = f"{count} listed" if result.hits else f"{count}: add --below to list them"
    return f"No results for “{result.query.raw}”. {why} {lists}. · {tail}"


class Listing:
    """Prints hits, each in a few lines; `explain`: with the full table of its parts."""

    def __init__(self, out: Output, signals: Sequence[SignalInfo], *, explain: bool) -> None:
        self._out = out
        self._signals = {signal.name: signal for signal in signals}
        self._explain = explain
        self._largest = 0.0  # share of any hit: all bars have the same scale
        self._titles: dict[str, str] = {}

    def show(self, result: SearchResult) -> None:
        self._largest = result.largest
        self._titles = set_apart(hit.document for hit in result.hits)
        band: Band = "answer"
        for place, hit in enumerate(result.hits):
            if place:
                self._out.line()
            if hit.band != band:
                band = hit.band
                self._out.line(Ink(rule(RULES[band], plain=self._out.plain), "faint"))
            self._hit(hit)
        if self._explain:
            self._workings(result)

    def _hit(self, hit: Hit) -> None:
        room = WIDTH - len(INDENT) - SCORE
        title = short(self._titles[hit.document.id], room)
        style = "struck" if hit.document.superseded_by else "strong"
        score = f"{hit.score:>{SCORE}.3f}" if hit.parts else ""  # a search by filters alone has no scores
        beside = " " * (room - cells(title)) + score if score else ""
        self._out.line(f"{hit.rank:>2}  ", Ink(title, style, hit.file), beside)
        self._text(hit)
        if hit.document.superseded_by:
            self._out.line(INDENT, short(f"superseded by {hit.document.superseded_by}", WIDTH - len(INDENT)))
        self._out.line(INDENT, *_facts(hit, WIDTH - len(INDENT)))
        for other in hit.duplicates:
            place = short_path(other.path, WIDTH - 2 * len(INDENT) - len(other.short_id))
            self._out.line(INDENT, "= ", place, Ink(f" · {other.short_id}", "faint"))
        if self._explain:
            if hit.why:
                self._words(hit.why.sentence, INDENT)
            self._table(hit)
            for one in hit.around:
                self._words(one.said, INDENT)

    def _text(self, hit: Hit) -> None:
        """Print the matching text without markup."""
        read = plain(hit.snippet.text, hit.snippet.highlights, hit.document.path)
        text, matches = beneath(hit.document.title, *read)
        for row in flow(text, matches, WIDTH - len(INDENT), SNIPPET_LINES):
            self._out.line(INDENT, *row)

    def _table(self, hit: Hit) -> None:
        self._out.line(INDENT, Ink("   signal           raw    norm  rank  weight   share", "faint"))
        for part in hit.parts:
            self._out.line(INDENT, *self._row(part))
            for row in evidence(part, INDENT + BESIDE):
                self._out.line(INDENT, BESIDE, *row)
        total = sum(part.contribution for part in hit.parts)
        self._out.line(INDENT, f"{'sum':>45}{total:>8.4f}")
        for factor in hit.multipliers:
            self._out.line(INDENT, f"{'× ' + factor.name:>45}{factor.value:>8.4f}")
        self._out.line(INDENT, f"{'score':>45}", Ink(f"{hit.score:>8.4f}", "strong"))
        if hit.odds:
            said = ", ".join(f"{odd.name} {odd.contribution:+.2f}" for odd in hit.odds)
            self._words(f"chance {hit.percent}, in log-odds: {said}", INDENT)

    def _row(self, part: Part) -> Iterator[Piece]:
        signal = self._signals.get(part.name)
        family = signal.family if signal else ""
        rank = str(part.rank) if part.rank else "–"
        yield Ink(f" {signal.letter if signal else ' '} ", family)
        yield f"{fit(part.name, 12)} {part.raw:>7.3f} {part.normalised:>7.3f} {rank:>5} "
        yield f"{part.weight:>7.2f} {part.contribution:>7.4f}  "
        if not self._out.plain and self._largest > 0:
            yield Ink(_block(abs(part.contribution) / self._largest * TABLE_BAR), family)

    def _workings(self, result: SearchResult) -> None:
        self._out.line()
        for lamp in result.lamps:
            style = {"on": "good", "off": "bad", "idle": "faint"}[lamp.state]
            mark = {"on": "●", "off": "○", "idle": "·"}[lamp.state]
            state = lamp.state if self._out.plain else f"{mark} {lamp.state}"
            about = lamp.reason or (self._signals[lamp.signal].about if lamp.signal in self._signals else "")
            self._out.line(f"{fit(lamp.signal, 10)} ", Ink(fit(state, 7), style), short(about, WIDTH - 18))
        if result.expansion:
            self._words(_expansion(result.expansion))
        if result.stages:
            self._words(", ".join(f"{name} {ms:.1f} ms" for name, ms in result.stages))

    def _words(self, text: str, indent: str = "") -> None:
        for row in flow(text, (), WIDTH - len(indent), WORD_LINES):
            self._out.line(indent, *row)


def evidence(part: Part, indent: str) -> Iterator[list[Ink]]:
    """The note and the reasons of a part, as wrapped lines."""
    said = "; ".join((*((part.note,) if part.note else ()), *phrases(part.reasons, REASONS)))
    for row in flow(said, (), WIDTH - len(indent), REASON_LINES):
        yield [Ink(piece.text, "faint") for piece in row]


def _expansion(added: Expansion) -> str:
    without = f" (without {', '.join(added.without)})" if added.without else ""
    unknown = f"; in no text here: {', '.join(added.unknown)}" if added.unknown else ""
    return f"expanded by {added.source}: {', '.join(added.terms) or 'nothing'}{without}{unknown}"


def _facts(hit: Hit, width: int) -> Iterator[Piece]:
    """The path of a hit and its other facts; the path is shortened to fit."""
    found = hit.document
    place = hit.chunk.place
    lines = f" {place}" if place else f":{hit.snippet.start_line}-{hit.snippet.end_line}"
    rest = [found.short_id, found.collection]
    if found.date:
        rest.append(found.date.isoformat())
    if hit.more:
        rest.append(f"{hit.more} more")
    if hit.chance is not None:
        rest.append(f"chance {hit.percent}")
    if found.stale or found.away:
        rest.append("away" if found.away else "stale")
    tail = " · ".join(("", *rest))
    yield short_path(found.path, max(20, width - len(lines) - len(tail))) + lines
    yield Ink(tail, "faint")


def _block(cells: float) -> str:
    """A bar of some cells, rounded to an eighth of a cell."""
    whole, eighths = divmod(round(cells * 8), 8)
    return "█" * whole + (BLOCKS[eighths] if eighths else "")


RENDERERS = {
    "search": Renderer(hits, (PLAIN,), after=_unkept, code=_code),
    "similar": Renderer(hits, (PLAIN,)),
    "show": Renderer(passage),
    "explain": Renderer(explained),
}
