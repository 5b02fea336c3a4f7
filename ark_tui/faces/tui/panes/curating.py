"""Curation of hits by keys: of the one under the cursor, or of those that are marked."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar, cast

from textual import getters, on, work
from textual.containers import Container

from ark_tui.domain.curation import RELATIONS
from ark_tui.domain.documents import SUPERSEDED_BY
from ark_tui.domain.errors import ArkError
from ark_tui.faces.tui import actions
from ark_tui.faces.tui.messages import Curated, HitUsed, JudgmentsArrived
from ark_tui.faces.tui.parts.results import Results

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.binding import BindingType
    from textual.timer import Timer

    from ark_tui.domain.curation import Done
    from ark_tui.domain.hits import Hit, SearchResult
    from ark_tui.engine import Engine
    from ark_tui.faces.tui.app import ArkApp

TIERS = {"d": "doc", "r": "raw", "f": "reflection", "w": "wiki"}
"""The letter of each tier."""

PAUSE = 0.3
"""Seconds that the list has to stand still before it is looked up how its hits were judged."""


class Curating(Container):
    """What holds results of a search that can be tagged, linked, judged and so on."""

    BINDINGS: ClassVar[list[BindingType]] = [*actions.bindings("curation")]

    results = getters.query_one(Results)

    def __init__(self, *, id: str, classes: str) -> None:  # noqa: A002 - as Textual calls it
        super().__init__(id=id, classes=classes)
        self.result: SearchResult | None = None
        self._look: Timer | None = None

    @property
    def ark(self) -> ArkApp:
        return cast("ArkApp", self.app)

    # -- actions -------------------------------------------------------------------------------------

    def action_mark(self) -> None:
        self.results.mark()

    def action_tag(self) -> None:
        if targets := self._targets():
            self._ask(
                f"Tags for {named(targets)}",
                "With commas; a dash before one takes it off: theory, -draft",
                partial(self._tag, ids(targets)),
            )

    def _tag(self, refs: tuple[str, ...], line: str) -> None:
        words = [word.strip() for word in line.split(",") if word.strip()]
        on = [word for word in words if not word.startswith("-")]
        off = [word.removeprefix("-") for word in words if word.startswith("-")]
        if on:
            self.carry_out(lambda engine: engine.curation.tag(refs, on))
        if off:
            self.carry_out(lambda engine: engine.curation.untag(refs, off))

    def action_tier(self) -> None:
        if targets := self._targets():
            self._choose(f"Tier of {named(targets)}", TIERS, partial(self._tier, ids(targets)))

    def _tier(self, refs: tuple[str, ...], tier: str) -> None:
        self.carry_out(lambda engine: engine.curation.tier(refs, tier))

    def action_pin(self) -> None:
        if targets := self._targets():
            pinned = all(hit.document.pinned for hit in targets)
            refs = ids(targets)
            self.carry_out(lambda engine: engine.curation.pin(refs, on=not pinned))

    def action_trash(self) -> None:
        if targets := self._targets():
            refs = ids(targets)
            self.carry_out(lambda engine: engine.curation.trash(refs))

    def action_link(self) -> None:
        hit = self._hit()
        if hit is not None:
            marked = [one.document.short_id for one in self.results.marked_hits if one != hit]
            relations = ", ".join(RELATIONS)
            self._ask(
                f"Link {named((hit,))} to",
                f"An id, a path or a file name; before it, if you like, how: {relations}",
                partial(self._link, hit.document.id),
                marked[0] if marked else "",
            )

    def _link(self, ref: str, line: str) -> None:
        relation, _, target = line.partition(" ")
        if relation not in RELATIONS or not target.strip():
            relation, target = RELATIONS[0], line
        if relation == SUPERSEDED_BY:
            self.carry_out(lambda engine: engine.curation.supersede([ref], target.strip()))
        else:
            self.carry_out(lambda engine: engine.curation.link(ref, target.strip(), relation))

    def action_merge(self) -> None:
        hit = self._hit()
        if hit is None:
            return
        others = [one.document.id for one in self.results.marked_hits if one != hit]
        others = others or [document.id for document in hit.duplicates]
        if others:
            keep = hit.document.id
            self.carry_out(lambda engine: engine.curation.merge(keep, others))
        else:
            key = self.ark.keys["curation.mark"]
            self.ark.say(f"Mark with {key} what is to be merged into the one under the cursor.")

    def action_better(self) -> None:
        self._judge({None: 1, 0: 1, 1: 2, 2: 2})

    def action_worse(self) -> None:
        self._judge({None: 0, 0: 0, 1: 0, 2: 1})

    def _judge(self, next_grade: dict[int | None, int]) -> None:
        """Judge hits for the query that they were found by; how depends on the grade each has now."""
        targets, result = self._targets(), self.result
        for hit in targets if result else ():
            assert result is not None
            document, query = hit.document.id, result.query.raw
            grade = next_grade[self.results.grades.get(document)]
            self.results.grades = {**self.results.grades, document: grade}
            self.post_message(HitUsed(document, None))
            self.carry_out(partial(_judged, query, document, grade))
        self.results.refresh()

    def action_undo(self) -> None:
        self.carry_out(lambda engine: engine.curation.undo(), back="redo")

    def action_redo(self) -> None:
        self.carry_out(lambda engine: engine.curation.redo())

    # -- carrying out --------------------------------------------------------------------------------

    @work(group="curation", exit_on_error=False)
    async def carry_out(self, act: Callable[[Engine], Done], back: str = "undo") -> None:
        """Do an edit, say what was done, and by which key it is taken `back`."""
        try:
            done = await self.ark.acts.run(act)
        except ArkError as error:
            self.ark.say_error(error)
        else:
            key = self.ark.keys[f"curation.{back}"]
            what = f"{done.what[:1].upper()}{done.what[1:]}"
            said = f"{what} · {key} {'undoes it' if back == 'undo' else 'does it again'}"
            self.ark.say("\n".join([said if done.changed else f"{what}.", *done.notices]))
        self.post_message(Curated())

    # -- how hits were judged ------------------------------------------------------------------------

    def look_up_judgments(self) -> None:
        """Show how the hits were judged, once the list stands still."""
        if self._look is not None:
            self._look.stop()
        self._look = self.set_timer(PAUSE, self._read_judgments)

    def _read_judgments(self) -> None:
        if self.result is not None and self.result.hits and not self.result.partial:
            self._judgments(self.result.query.raw)

    @work(thread=True, exclusive=True, group="judgments", exit_on_error=False)
    def _judgments(self, query: str) -> None:
        try:
            found = self.ark.opening.wait().curation.judgments(query)
        except ArkError as error:
            self.app.call_from_thread(self.ark.say_error, error)
        else:
            self.post_message(JudgmentsArrived(query, {one.document.id: one.grade for one in found}))

    @on(JudgmentsArrived)
    def _judgments_arrived(self, event: JudgmentsArrived) -> None:
        if self.result is not None and self.result.query.raw == event.query:
            self.results.show_grades(event.grades)

    # -- inside --------------------------------------------------------------------------------------

    def _ask(self, title: str, about: str, then: Callable[[str], None], value: str = "") -> None:
        from ark_tui.faces.tui.screens.ask import AskScreen

        self.app.push_screen(AskScreen(title, about, value), lambda line: then(line) if line else None)

    def _choose(self, title: str, choices: dict[str, str], then: Callable[[str], None]) -> None:
        from ark_tui.faces.tui.screens.ask import ChooseScreen

        self.app.push_screen(ChooseScreen(title, choices), lambda one: then(one) if one else None)

    def _targets(self) -> tuple[Hit, ...]:
        """The marked hits, else the one under the cursor; says so where there is none."""
        if marked := self.results.marked_hits:
            return marked
        hit = self._hit()
        return () if hit is None else (hit,)

    def _hit(self) -> Hit | None:
        hit = self.results.hit
        if hit is None:
            self.ark.say("There is no hit under the cursor.")
        return hit


def _judged(query: str, document: str, grade: int, engine: Engine) -> Done:
    return engine.curation.judge(query, document, grade)


def ids(hits: tuple[Hit, ...]) -> tuple[str, ...]:
    """The ids of the documents of some hits."""
    return tuple(hit.document.id for hit in hits)


def named(hits: tuple[Hit, ...]) -> str:
    """The title of one document, or how many there are."""
    return f"“{hits[0].document.title}”" if len(hits) == 1 else f"{len(hits)} documents"
