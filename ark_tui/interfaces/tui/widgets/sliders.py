"""Sliders for the weights of a ranking profile, and the resulting hits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich.style import Style

from ark_tui.domain.display import visible_line
from ark_tui.interfaces.tui.state import strings
from ark_tui.interfaces.tui.widgets import ink, signal_bar
from ark_tui.interfaces.tui.widgets.row_list import Rows

if TYPE_CHECKING:
    from ark_tui.domain.evaluation import Slider
    from ark_tui.domain.hits import Hit, SignalInfo

PLAIN = Style.null()
NAME = 17  # width of a slider's name, if a bar fits
VALUE = 7
REMARK = 11  # width of the previous value, if it fits
ROOM = 44  # minimum width at which it fits
SCORED = 48  # minimum width for score and previous rank
GRADES = {2: "++", 1: "+", 0: "-"}


class SliderRow(NamedTuple):
    """A slider with its current and its initial value."""

    slider: Slider
    start: float

    @property
    def moved(self) -> bool:
        """Whether the value differs from the initial one."""
        return abs(self.slider.value - self.start) > 1e-9


class Sliders(Rows[SliderRow]):
    """One line each: name, value, bar, initial value."""

    BORDER_TITLE = "Sliders"
    empty = strings.PROFILE_LOADING

    def __init__(self) -> None:
        super().__init__("sliders")
        self.infos: Mapping[str, SignalInfo] = {}

    def name_of(self, row: SliderRow) -> str:
        return row.slider.signal

    def pieces(self, row: SliderRow, part: int, width: int) -> list[ink.Piece]:
        del part
        slider = row.slider
        info = signal_bar.info_of(self.infos, slider.signal)
        colour = self.family(info.family)
        style = PLAIN if slider.value else self.ink("muted")
        letter = (f"{info.letter} ", colour + Style(bold=True))
        wide = min(NAME, width - 2 - VALUE - 2)
        name = ink.shorten(slider.signal, wide - 1).ljust(wide)
        value = f"{slider.value:>{VALUE - 1}.3f} "
        remark = f" was {row.start:.3f}" if row.moved and width >= ROOM else ""
        room = width - 2 - wide - VALUE - (REMARK if width >= ROOM else 0)
        return [
            letter,
            (name, style + Style(bold=row.moved)),
            (value, self.ink("accent") if row.moved else style),
            (signal_bar.solid(slider.value / slider.most, max(room, 0)), colour),
            (ink.shorten(remark, REMARK), self.ink("muted")),
        ]


class RankedHit(NamedTuple):
    """A hit, its rank in the other list (None if it is missing there), and its grade."""

    hit: Hit
    before: int | None
    grade: int | None = None

    @property
    def step(self) -> str:
        """`▲3`: three ranks up. `new`: missing in the other list."""
        if self.before is None:
            return "new"
        by = self.before - self.hit.rank
        return f"{'▲' if by > 0 else '▼'}{abs(by)}" if by else ""


class RankedHits(Rows[RankedHit]):
    """One line each: rank, rank in the other list, change, grade, title, score."""

    BORDER_TITLE = "Hits"
    empty = "Searching …"

    def name_of(self, row: RankedHit) -> str:
        return row.hit.document.id

    def put_hits(self, hits: Sequence[Hit], before: Sequence[int | None], grades: Mapping[str, int]) -> None:
        """List hits with their ranks in the other list. The cursor stays on its document."""
        rows = zip(hits, before, strict=True)
        self.put((RankedHit(hit, at, grades.get(hit.document.id)) for hit, at in rows), keep=True)

    def pieces(self, row: RankedHit, part: int, width: int) -> list[ink.Piece]:
        del part
        muted, hit = self.ink("muted"), row.hit
        step = row.step
        style = muted if step.startswith("▼") or not step else self.ink("accent")
        before = f"({row.before})" if row.before else "(–)"
        roomy = width >= SCORED
        grade = GRADES.get(row.grade, "") if row.grade is not None else ""
        left: list[ink.Piece] = [
            (f"{hit.rank:>3} ", Style(bold=True)),
            (f"{before:>5} " if roomy else "", muted),
            (f"{step:<4}", style),
            (f"{grade:<2} ", self.ink("strong")),
        ]
        right: list[ink.Piece] = [(f" {hit.score:.3f}", muted)] if roomy else []
        room = width - ink.cells(left) - ink.cells(right)
        left.append((ink.shorten(visible_line(hit.document.title), room), PLAIN))
        return ink.justified(left, right, width)
