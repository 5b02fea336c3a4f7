"""The score of a hit: what every signal contributes, and how the contributions form the score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import ClassVar

from rich.style import Style
from textual.content import Content

from ark_tui.domain.display import visible_line
from ark_tui.domain.hits import Hit, Part, SearchResult, SignalInfo, SignalStatus
from ark_tui.domain.reasons import phrases
from ark_tui.domain.wording import counted
from ark_tui.interfaces.tui.state import actions, strings
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.scrolling import Line, Written

PLAIN = Style.null()
NUMBERS = 29  # width of raw, norm, rank and weight in cells
REASONS = 3  # maximum reasons shown per part
LEAST_BAR = 4
MOST_BAR = 24


class Breakdown(Written):
    """Why a hit is ranked above the next one, with the table of its signals and their reasons."""

    SCOPES: ClassVar[actions.Scopes] = ("move",)
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings(*SCOPES)
    BORDER_TITLE = "Score details"
    HELP = strings.HELP_DETAILS

    def __init__(self) -> None:
        super().__init__("why")
        self.infos: Mapping[str, SignalInfo] = {}
        self._result: SearchResult | None = None
        self._hit: Hit | None = None

    def show(self, result: SearchResult | None, hit: Hit | None) -> None:
        """Show a hit of a result; nothing without a hit."""
        self._result, self._hit = result, hit
        self.border_subtitle = Content(_sum(hit)) if hit else None
        self.lay_out()

    def made(self, width: int) -> Iterator[Line]:
        result, hit = self._result, self._hit
        if result is None or hit is None:
            return
        if hit.why is not None:
            yield from ([(f" {line}", PLAIN)] for line in wrap(hit.why.sentence, max(20, width - 2)))
            yield []
        yield from self._table(result, hit, width)
        yield []
        if result.partial:
            yield [(strings.DETAILS_LOADING, self.ink("muted"))]
        yield from self._origin(result, hit, width)
        yield from self._off(result.lamps, width)

    def _table(self, result: SearchResult, hit: Hit, width: int) -> Iterator[Line]:
        muted, strong = self.ink("muted"), self.ink("strong")
        name = max([6, *(len(part.name) for part in hit.parts)])
        bar = max(0, min(MOST_BAR, width - (name + 4) - NUMBERS - 8))
        bar = bar if bar >= LEAST_BAR else 0
        head = f"   {'signal':<{name}} {'raw':>7}{'norm':>6}{'rank':>6}{'weight':>7}  "
        yield [(ink.shorten(head + " " * bar + "share".rjust(7), width), muted)]
        for part in hit.parts:
            yield self._row(part, name, bar, result.largest)
            yield from self._reasons(part, width)
        at = name + 3 + NUMBERS + bar
        yield self._summed("sum", sum(part.contribution for part in hit.parts), at, muted)
        for multiplier in hit.multipliers:
            yield self._summed(f"× {multiplier.name}", multiplier.value, at, muted)
        yield self._summed("= score", hit.score, at, strong)
        if hit.odds:
            said = " ".join(f"{odd.name} {odd.contribution:+.2f}" for odd in hit.odds)
            for line in wrap(strings.CHANCE.format(percent=hit.percent, parts=said), max(10, width - 2)):
                yield [(f" {line}", muted)]

    def _row(self, part: Part, name: int, bar: int, most: float) -> Line:
        info = ink.info_of(self.infos, part.name)
        colour = self.family(info.family)
        found = part.rank is not None
        style = PLAIN if found else self.ink("muted")
        raw = f"{part.raw:.3f}" if found else "–"
        norm = f"{part.normalised:.2f}" if found else "–"
        rank = str(part.rank) if found else "–"
        numbers = f" {raw:>7}{norm:>6}{rank:>6}{_bare(part.weight):>7}  "
        solid = ink.solid(part.contribution / most if most else 0.0, bar) if bar else ""
        return [
            (f" {info.letter} ", colour + Style(bold=True)),
            (f"{part.name:<{name}}", style),
            (numbers, style),
            (solid, colour),
            (f"{_bare(part.contribution, 3):>7}", style),
        ]

    def _reasons(self, part: Part, width: int) -> Iterator[Line]:
        """The reasons for a part of the score."""
        said = [part.note, *phrases(part.reasons, REASONS)]
        for line in wrap("; ".join(filter(None, said)), max(20, width - 6)):
            yield [(f"     {line}", self.ink("muted"))]

    def _summed(self, label: str, value: float, at: int, style: Style) -> Line:
        return [(label.rjust(at), style), (f"{_bare(value, 3):>7}", style)]

    def _origin(self, result: SearchResult, hit: Hit, width: int) -> Iterator[Line]:
        """The matching chunk, and how the search was run."""
        lines = f"lines {hit.chunk.start_line}–{hit.chunk.end_line}"
        heading = visible_line(hit.chunk.heading)
        stages = " · ".join(f"{name} {_milliseconds(took)}" for name, took in result.stages)
        for text in (
            f"{lines} · {heading}" if heading else lines,
            *(visible_line(one.said) for one in hit.around),
            _same(hit),
            f"profile {result.profile} · {stages}",
        ):
            for line in wrap(text, max(10, width - 2)):
                yield [(f" {line}", self.ink("muted"))]

    def _off(self, lamps: tuple[SignalStatus, ...], width: int) -> Iterator[Line]:
        for lamp in lamps:
            if lamp.state != "on":
                text = f" ○ {lamp.signal} {lamp.state}: {visible_line(lamp.reason)}"
                style = self.ink("warning" if lamp.state == "off" else "muted")
                yield from (
                    [(line, style)] for line in wrap(text, max(20, width - 1), subsequent_indent="   ")
                )


def _same(hit: Hit) -> str:
    """The near-duplicates of a hit: `2 near-duplicates: cards, Index cards`."""
    titles = ", ".join(visible_line(duplicate.title) for duplicate in hit.duplicates)
    count = counted(len(hit.duplicates), "near-duplicate")
    return f"{count}: {titles}" if titles else ""


def _sum(hit: Hit) -> str:
    """`sum .940 × decay .97 = .912`: the contributions, the multipliers and the score."""
    factors = "".join(f" × {factor.name} {_bare(factor.value)}" for factor in hit.multipliers)
    total = _bare(sum(part.contribution for part in hit.parts), 3)
    return f"sum {total}{factors} = {_bare(hit.score, 3)}"


def _bare(value: float, digits: int = 2) -> str:
    """A number without the leading zero: `.186`."""
    text = f"{value:.{digits}f}"
    return text.removeprefix("0") if text.startswith("0.") else text


def _milliseconds(took: float) -> str:
    return f"{took:.0f} ms" if took >= 1 else f"{took:.1f} ms"
