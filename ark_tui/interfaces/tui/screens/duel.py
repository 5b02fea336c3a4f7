"""Two hits side by side: what sets them apart, signal by signal, and what would make them trade places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import TYPE_CHECKING, ClassVar

from rich.style import Style

from ark_tui import operations
from ark_tui.domain.display import visible_line
from ark_tui.domain.reasons import phrases
from ark_tui.interfaces.tui.screens.dialog import Dialog
from ark_tui.interfaces.tui.state.client import act
from ark_tui.interfaces.tui.widgets import ink, signal_bar
from ark_tui.interfaces.tui.widgets.scroller import Line, Written

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ark_tui.domain.duels import Compared, Duel
    from ark_tui.domain.errors import ArkError
    from ark_tui.domain.hits import Hit, Part, SignalInfo
    from ark_tui.domain.query import Request
    from ark_tui.interfaces.tui.state.context import PaneContext

PLAIN = Style.null()
NAME = 12  # cells of a signal's name
NUMBER = 6  # cells of a share
LEAST_BAR, MOST_BAR = 4, 24
REASONS = 2  # that a side shows of a part


class Sides(Written):
    """The lines of a duel."""

    HELP = "Two hits: the share of each signal in either score, and the difference, above 0 for the first."

    def __init__(self, infos: Mapping[str, SignalInfo]) -> None:
        super().__init__("duel")
        self._infos = infos
        self._duel: Duel | None = None
        self._said = "looked up …"

    def show(self, duel: Duel) -> None:
        """Show a duel."""
        self._duel = duel
        self.lay_out()

    def say(self, text: str) -> None:
        """Say why there is none."""
        self._said = text
        self.lay_out()

    def made(self, width: int) -> Iterator[Line]:
        """The duel, or why there is none."""
        return self._made(self._duel, width - 1) if self._duel else _wrapped(self._said, width)

    def _made(self, duel: Duel, width: int) -> Iterator[Line]:
        for letter, hit in zip("AB", (duel.first, duel.second), strict=True):
            yield self._title(letter, hit, width)
        yield []
        yield from _wrapped(duel.sentence, width)
        yield []
        yield from self._table(duel, width)
        yield []
        for said in (*duel.says, *(f"Not counted: {off}" for off in duel.off)):
            yield from _wrapped(said, width)
        yield []
        yield from self._evidence(duel, width)

    def _title(self, letter: str, hit: Hit, width: int) -> Line:
        where = f"{hit.rank}.  {hit.score:.3f}"
        name = ink.shorten(visible_line(hit.document.called), width - len(where) - 5)
        left: Line = [(f"{letter}  ", self.ink("accent")), (name, self.ink("strong"))]
        return ink.justified(left, [(where, self.ink("strong"))], width)

    def _table(self, duel: Duel, width: int) -> Iterator[Line]:
        bar = min(MOST_BAR, (width - NAME - 3 * NUMBER - 12) // 2)
        bar = bar if bar >= LEAST_BAR else 0
        gap = " " * (bar + 1)
        head = f"   {'signal':<{NAME}}{'A':>{NUMBER}}{gap}  {'B':>{NUMBER}}{gap}  {'A − B':>{NUMBER + 1}}"
        yield [(head, self.ink("muted"))]
        both = [part for one in duel.signals for part in (one.first, one.second) if part]
        most = max((part.contribution for part in both), default=0.0)
        for one in duel.signals:
            yield self._row(one, bar, most)
        if duel.multiplied:
            room = 2 * (NUMBER + len(gap)) + 4
            about = f"   {'multipliers':<{NAME}}{'':<{room}}{duel.multiplied:>+{NUMBER + 1}.3f}"
            yield [(about, self.ink("muted"))]
        a, b = duel.first.score, duel.second.score
        scores = (
            f"   {'score':<{NAME}}{a:>{NUMBER}.3f}{gap}  {b:>{NUMBER}.3f}{gap}  {a - b:>+{NUMBER + 1}.3f}"
        )
        yield [(scores, self.ink("strong"))]

    def _row(self, one: Compared, bar: int, most: float) -> Line:
        info = signal_bar.info_of(self._infos, one.signal)
        colour = self.family(info.family)
        return [
            (f" {info.letter} ", colour + Style(bold=True)),
            (f"{one.signal:<{NAME}}", PLAIN),
            *_share(one.first, bar, most, colour),
            ("  ", PLAIN),
            *_share(one.second, bar, most, colour),
            (f"  {one.difference:>+{NUMBER + 1}.3f}", PLAIN),
        ]

    def _evidence(self, duel: Duel, width: int) -> Iterator[Line]:
        """What in the two texts earned each part."""
        for one in duel.signals:
            info = signal_bar.info_of(self._infos, one.signal)
            for letter, part in zip("AB", (one.first, one.second), strict=True):
                said = "; ".join(phrases(part.reasons, REASONS)) if part else ""
                label = f" {info.letter} {one.signal:<{NAME}}{letter}  "
                for at, line in enumerate(wrap(said, max(20, width - len(label)))):
                    style = self.family(info.family) if not at else PLAIN
                    yield [(label if not at else " " * len(label), style), (line, self.ink("muted"))]


def _share(part: Part | None, bar: int, most: float, colour: Style) -> Line:
    """What one side has of a signal: the number, then the bar."""
    given = part.contribution if part else 0.0
    solid = signal_bar.solid(given / most if most else 0.0, bar) if bar else ""
    return [(f"{given:>{NUMBER}.3f} ", PLAIN), (solid, colour)]


def _wrapped(text: str, width: int) -> Iterator[Line]:
    return ([(line, PLAIN)] for line in wrap(text, max(20, width - 1)))


class DuelScreen(Dialog[None]):
    """Looks the duel of two documents up, and shows it."""

    COMPONENT_CLASSES: ClassVar[set[str]] = ink.CLASSES
    AUTO_FOCUS = "Sides"

    def __init__(self, context: PaneContext, request: Request, first: str, second: str) -> None:
        super().__init__(context)
        self._asked = request, first, second

    def compose(self) -> ComposeResult:
        with self.box(f"Duel for “{self._asked[0].query}”"):
            yield Sides(self.context.signals)

    def on_mount(self) -> None:
        sides = self.query_one(Sides)
        self.request(act(operations.workbench.duel, *self._asked), sides.show, self._failed, group="duel")

    def _failed(self, error: ArkError) -> None:
        self.query_one(Sides).say(f"{error.what} {self.context.worded(error.hint)}".strip())
