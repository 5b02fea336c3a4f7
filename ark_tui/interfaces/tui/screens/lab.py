"""The ranking lab: adjust the weights of a profile and compare the hits of a search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partialmethod
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rich.style import Style
from rich.text import Text
from textual import getters, on
from textual.containers import Container, Horizontal
from textual.content import Content
from textual.widgets import Static

from ark_tui import operations
from ark_tui.domain.display import visible_line
from ark_tui.domain.wording import counted
from ark_tui.interfaces.tui.screens.dialog import Dialog
from ark_tui.interfaces.tui.state import actions, strings
from ark_tui.interfaces.tui.state.client import act
from ark_tui.interfaces.tui.state.messages import ProfileChosen
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.requesting import anew
from ark_tui.interfaces.tui.widgets.row_list import RowList, Rows
from ark_tui.operations.operation import WHOLE

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.timer import Timer

    from ark_tui.domain.curation import Judgment
    from ark_tui.domain.errors import ArkError
    from ark_tui.domain.evaluation import Compared, Slider, Tuned, Tuning
    from ark_tui.domain.hits import Hit, SignalInfo
    from ark_tui.domain.query import Request
    from ark_tui.interfaces.tui.state.context import PaneContext
    from ark_tui.operations.operation import Page


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

    KEY = "slider.signal"
    BORDER_TITLE = "Sliders"
    empty = strings.PROFILE_LOADING

    def __init__(self) -> None:
        super().__init__("sliders")
        self.infos: Mapping[str, SignalInfo] = {}

    def pieces(self, row: SliderRow, _part: int, width: int) -> list[ink.Piece]:
        slider = row.slider
        info = ink.info_of(self.infos, slider.signal)
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
            (ink.solid(slider.value / slider.most, max(room, 0)), colour),
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

    KEY = "hit.document.id"
    BORDER_TITLE = "Hits"
    empty = "Searching …"

    def put_hits(self, hits: Sequence[Hit], before: Sequence[int | None], grades: Mapping[str, int]) -> None:
        """List hits with their ranks in the other list. The cursor stays on its document."""
        rows = zip(hits, before, strict=True)
        self.put((RankedHit(hit, at, grades.get(hit.document.id)) for hit, at in rows), keep=True)

    def pieces(self, row: RankedHit, _part: int, width: int) -> list[ink.Piece]:
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


LISTED = 30  # hits
PAUSE = 0.3  # seconds without a key press before the judged queries are evaluated
MUCH = 5  # steps of the keys for large moves
DIGITS = 6
FIGURES = {"ndcg_10": "nDCG@10", "mrr_10": "MRR", "hit_3": "Hit@3"}


class LabScreen(Dialog[None]):
    """Adjusts the weights of a profile. Each step ranks the search again and evaluates the judged queries."""

    SCOPES: ClassVar[actions.Scopes] = ("lab", "dialog")
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings("lab")
    AUTO_FOCUS = "Sliders"
    BORDER_TITLE = "Ranking lab"
    HELP = strings.HELP_LAB

    sliders = getters.query_one(Sliders)
    hits = getters.query_one(RankedHits)

    def __init__(self, context: PaneContext, request: Request, start: Tuning, document: str = "") -> None:
        """`document`: the id of the hit under the cursor."""
        super().__init__(context)
        self._request = replace(request, limit=LISTED, typing=False)
        self._start = start
        self._document = document
        self._moved: dict[str, float] = {}  # by signal
        self._before: list[dict[str, float]] = []
        self._grades: Mapping[str, int] = {}
        self._pause: Timer | None = None

    def compose(self) -> ComposeResult:
        with Container(id="lab"):
            with Horizontal(id="sides"):
                yield RankedHits("ranked")
                yield Sliders()
            yield Static(id="measured")
            yield Static(id="meant")

    def on_mount(self) -> None:
        self.sliders.infos = self.context.signals
        self.query_one("#measured", Static).update(Text(strings.LAB_MEASURING))
        query = self._request.query
        read = act(operations.judging.judgments, query, WHOLE)
        self.request(read, self._know_grades, group="grades")
        self.request(act(operations.workbench.sliders, self._start), self._show_sliders, group="sliders")
        self._rank()

    @property
    def by(self) -> Tuning:
        """The profile with the current slider values."""
        return self._start.moved(self._moved)

    def _show_sliders(self, found: tuple[Slider, ...]) -> None:
        self.sliders.put((SliderRow(one, one.value) for one in found), keep=True)
        self._say_meaning()

    def _rank(self) -> None:
        """Rank the search with the sliders, and evaluate once they stop changing."""
        self._say_title()
        self.request(
            act(operations.workbench.tuned, self._request, self.by, self._start), self._show, group="lab"
        )
        self._pause = anew(self, self._pause, PAUSE, self._measure)

    def _show(self, tuned: Tuned) -> None:
        self.hits.empty = strings.NO_RESULTS_HERE
        first = not self.hits.rows
        self.hits.put_hits(tuned.result.hits, tuned.before, self._grades)
        if first and self._document:
            ids = [row.hit.document.id for row in self.hits.rows]
            self.hits.cursor = ids.index(self._document) if self._document in ids else 0

    def _know_grades(self, found: Page[Judgment]) -> None:
        self._grades = {one.document.id: one.grade for one in found.items}
        rows = self.hits.rows
        if rows:
            hits, before = [row.hit for row in rows], [row.before for row in rows]
            self.hits.put_hits(hits, before, self._grades)

    def _measure(self) -> None:
        self.request(
            act(operations.workbench.compare_tunings, self.by, self._start),
            self._show_measures,
            self._failed,
            group="measures",
        )

    def _show_measures(self, found: Compared | None) -> None:
        said = Text()
        if found is None:
            keys = self.context.keys
            said.append(strings.LAB_NO_JUDGMENTS.format(key=keys["hits.better"]), "not bold")
            said.append(strings.LAB_NO_JUDGMENTS_HINT, "not bold")
        else:
            for key, name in FIGURES.items():
                said.append(f"{name} ", "not bold")
                said.append(f"{found.one.of[key].mean:.3f}", "bold")
                change = found.change.of[key]
                said.append(f" {change.mean:+.3f} ({change.low:+.2f} … {change.high:+.2f})   ", "not bold")
            queries = counted(found.one.queries, "judged query", "judged queries")
            told = f"on {queries}: {found.better} better, {found.worse} worse"
            said.append(f"\n{told} than {self._start.profile} before", "not bold")
        self.query_one("#measured", Static).update(said)

    def _failed(self, error: ArkError) -> None:
        self.query_one("#measured", Static).update(Text(error.what))

    def _move(self, steps: int) -> None:
        row = self.sliders.here
        if row is None:
            return
        one = row.slider
        at = min(one.most, max(0.0, one.value + steps * one.step))
        self._put({**self._moved, one.signal: round(at, DIGITS)})

    action_less = partialmethod(_move, -1)
    action_more = partialmethod(_move, +1)
    action_much_less = partialmethod(_move, -MUCH)
    action_much_more = partialmethod(_move, +MUCH)

    def action_reset(self) -> None:
        """Reset the slider under the cursor to its initial value."""
        if (row := self.sliders.here) is not None:
            self._put({key: value for key, value in self._moved.items() if key != row.slider.signal})

    def _put(self, moved: dict[str, float]) -> None:
        """Set sliders. `undo` reverts it."""
        first = {row.slider.signal: row.start for row in self.sliders.rows}
        moved = {key: value for key, value in moved.items() if value != first[key]}
        if moved != self._moved:
            self._before.append(self._moved)
            self._go_to(moved)

    def action_undo(self) -> None:
        if not self._before:
            self.context.say(strings.NOTHING_TO_UNDO)
            return
        self._go_to(self._before.pop())

    def _go_to(self, moved: dict[str, float]) -> None:
        self._moved = moved
        self.sliders.put(
            (
                SliderRow(replace(row.slider, value=moved.get(row.slider.signal, row.start)), row.start)
                for row in self.sliders.rows
            ),
            keep=True,
        )
        self._rank()

    def action_save(self) -> None:
        """Save the sliders as a custom profile."""
        if not self._moved:
            self.context.say(strings.LAB_NOTHING_TO_SAVE)
            return
        by = self.by

        def named(name: str) -> None:
            keep = act(operations.workbench.save_tuning, name, by)
            self.request(keep, lambda about: self._saved(name, about), group="saving")

        about = strings.LAB_SAVE_HINT
        self.context.dialogs.ask(strings.LAB_ASK_NAME, about, named)

    def _saved(self, name: str, about: str) -> None:
        self.context.reread()
        self.context.say(strings.LAB_SAVED.format(name=name, about=about))
        self.context.dialogs.confirm(
            strings.LAB_ASK_USE.format(name=name),
            (about, strings.LAB_USE_HINT),
            "use it",
            lambda: self._use(name),
        )

    def _use(self, name: str) -> None:
        def used(_: object) -> None:
            self.context.remember(profile="")
            self.context.reread()
            self.context.tell(ProfileChosen())
            self.context.say(strings.PROFILE_CHOSEN.format(name=name))

        self.request(act(operations.home.set_setting, "profile", name), used, group="saving")

    @on(RowList.Chosen, "#ranked")
    def _hit_chosen(self) -> None:
        if (row := self.hits.here) is not None:
            self.context.dialogs.read(row.hit.document.id, row.hit.chunk.id, self._request.query)

    @on(RowList.Moved, "#sliders")
    def _say_meaning(self) -> None:
        row = self.sliders.here
        signal = row.slider.signal if row is not None else ""
        said = f"{signal}: {ink.info_of(self.context.signals, signal).about}" if signal else ""
        self.query_one("#meant", Static).update(Text(said, "not bold"))

    def _say_title(self) -> None:
        moved = f", {counted(len(self._moved), 'weight')} moved" if self._moved else ""
        by = f"{self._start.profile}{moved}"
        self.hits.border_title = Content(f"{visible_line(self._request.query)} · by {by}")
        self.sliders.border_title = Content(by)
