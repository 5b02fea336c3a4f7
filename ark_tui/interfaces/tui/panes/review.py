"""The review queue: proposed knowledge, with its sources and the knowledge it would replace."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, ClassVar

from textual import getters
from textual.content import Content

from ark_tui import operations
from ark_tui.domain.display import visible_line
from ark_tui.domain.review import AGENT, REPLACES, RETIRES, Accuracy, Candidate
from ark_tui.interfaces.tui.panes.pane import Pane
from ark_tui.interfaces.tui.state import actions, strings
from ark_tui.interfaces.tui.state.client import act
from ark_tui.interfaces.tui.state.names import Memories
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.paged_list import ListDetail
from ark_tui.interfaces.tui.widgets.row_list import Rows
from ark_tui.interfaces.tui.widgets.scrolling import Paragraph, Sheet

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ark_tui.interfaces.tui.state.client import Act, Client
    from ark_tui.interfaces.tui.state.context import PaneContext

MOST = 1_000  # maximum candidates listed
EDITED = {"episode": "summary", "fact": "text", "pattern": "solution", "directive": "text"}
"""Fields of a candidate that can be edited in one line."""

LAYERED = {"episode": "episodic", "fact": "semantic", "pattern": "pattern", "directive": "directive"}
"""The layer that stores an accepted candidate."""

DECISIONS = {"accept", "edit", "merge", "reject", "later"}
"""Actions that need a candidate under the cursor."""


class Candidates(Rows[Candidate]):
    """Candidates, two lines each: the statement; its kind and whether the sources support it."""

    KEY = "id"
    DEFAULT_CLASSES = "panel"
    BORDER_TITLE = "Proposed"
    EMPTY = strings.NO_CANDIDATES
    ROW_HEIGHT = 2
    empty = "Reading …"

    def show(self, found: tuple[Candidate, ...], total: int) -> None:
        """Show the pending candidates."""
        self.empty = self.EMPTY
        self.put(found, keep=True)
        self.border_subtitle = Content(f"{total:,} to review" if total else "")

    def pieces(self, row: Candidate, part: int, width: int) -> list[ink.Piece]:
        muted = self.ink("muted")
        if part == 0:
            return [(ink.shorten(_line(row), width), self.ink("strong"))]
        right: list[ink.Piece] = [] if row.supported else [(strings.NOT_SUPPORTED, self.ink("warning"))]
        if row.relation == RETIRES:
            right = [(strings.WOULD_RETIRE, self.ink("warning"))]
        later = " · later" if row.state == "later" else ""
        relation = f" · {row.relation}" if row.relation != "new" else ""
        return ink.ended(f"{row.kind}{relation}{later}", muted, right, width)


class Evidence(Sheet):
    """Details of a candidate."""

    DEFAULT_CLASSES = "panel"
    BORDER_TITLE = "Sources"


class ReviewPane(ListDetail, Pane):
    """A candidate with its sources, and one key for each decision."""

    SCOPES: ClassVar[actions.Scopes] = ("review",)
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings(*SCOPES)
    BORDER_TITLE = "Review"
    HELP = strings.HELP_REVIEW
    AT_ONCE = True

    candidates = getters.query_one(Candidates)
    evidence = getters.query_one(Evidence)

    def __init__(self, context: PaneContext) -> None:
        super().__init__(context, id="review")
        self._accuracy: tuple[Accuracy, ...] = ()

    @property
    def listed(self) -> Candidates:
        """The candidates."""
        return self.candidates

    def compose(self) -> ComposeResult:
        yield Candidates("candidates")
        yield Evidence("evidence")

    def shown(self) -> None:
        self.request(_read, self._show, group="review")

    def home_changed(self) -> None:
        """Reload: a run may have proposed more."""
        self.shown()

    def show_here(self) -> None:
        one = self.candidates.here
        self.evidence.show(tuple(_told(one, self._accuracy)) if one else ())

    def _show(self, found: tuple[tuple[Candidate, ...], int, tuple[Accuracy, ...]]) -> None:
        rows, total, self._accuracy = found
        self.candidates.show(rows, total)
        self.show_here()

    def check_action(self, action: str, _parameters: tuple[object, ...]) -> bool | None:
        """Enable decisions only with a candidate under the cursor."""
        return self.candidates.here is not None if action in DECISIONS else True

    def action_accept(self) -> None:
        self._with(
            lambda one: self._do(
                act(operations.review.accept, one.id),
                "Retired" if one.relation == RETIRES else "Accepted",
                one,
            )
        )

    def action_edit(self) -> None:
        self._with(self._edit)

    def action_merge(self) -> None:
        self._with(self._merge)

    def action_reject(self) -> None:
        self._with(lambda one: self._do(act(operations.review.reject, one.id), "Refused", one))

    def action_later(self) -> None:
        self._with(lambda one: self._do(act(operations.review.later, one.id), strings.DONE_LATER, one))

    def action_undo(self) -> None:
        self._do(act(operations.review.undo), "Undone")

    def _with(self, then: Callable[[Candidate], object]) -> None:
        if (one := self.candidates.here) is not None:
            then(one)

    def _edit(self, one: Candidate) -> None:
        name = EDITED[one.kind]

        def changed(text: str) -> None:
            self._do(
                lambda client: client.call(operations.review.edit, one.id, **{name: text}),
                strings.DONE_EDITED,
                one,
            )

        title = f"{name.capitalize()} of this {one.kind}"
        before = str(one.value.get(name, ""))
        self.context.dialogs.ask(title, strings.ASK_CANDIDATE_HINT, changed, before)

    def _merge(self, one: Candidate) -> None:
        def merged(item: str) -> None:
            self._do(act(operations.review.merge, one.id, item), "Merged", one)

        known = Memories(strings.DOES_MERGE, LAYERED[one.kind], one.claim)
        self.context.dialogs.name(strings.ASK_SAME_MEMORY.format(kind=one.kind), known, merged)

    def _do(self, decision: Act[Candidate], done: str, about: Candidate | None = None) -> None:
        """Run a decision and report it. `about`: the candidate before it."""

        def say(one: Candidate) -> None:
            back = (
                ""
                if one.state == "pending"
                else " · " + strings.KEY_UNDO.format(key=self.context.keys["review.undo"])
            )
            self.context.say(f"{done}: {ink.shorten(_line(about or one), 60)}{back}")

        self.edit(decision, say, after=self.shown)


def _line(one: Candidate) -> str:
    """The statement of a candidate, in one line."""
    return visible_line(one.claim.replace("\n", " → "))


def _read(client: Client) -> tuple[tuple[Candidate, ...], int, tuple[Accuracy, ...]]:
    found = client.call(operations.review.list_, limit=MOST)
    return found.items, found.total, client.call(operations.review.accuracy).items


def _told(one: Candidate, accuracy: tuple[Accuracy, ...]) -> Iterator[Paragraph]:
    """The details of a candidate as paragraphs."""
    yield Paragraph(f"{one.kind}: {one.claim}", "strong")
    for learned in one.value.get("learnings", ()):
        yield Paragraph(f"· {learned}", indent=2)
    for problem in one.problems:
        yield Paragraph(f"! {problem}", "warning")
    if one.reason:
        yield Paragraph(f"Because: {one.reason}")
    if one.relation == RETIRES:
        yield Paragraph(strings.REVIEW_RETIRES, "heading")
    elif one.target_text:
        replaced = strings.REVIEW_REPLACES if one.relation in REPLACES else strings.REVIEW_ADDS
        yield Paragraph(f"\n{replaced} ({one.relation}):", "heading")
        yield Paragraph(one.target_text, "muted", indent=2)
    by_agent = one.model.startswith(f"{AGENT} ")
    if one.spans or not by_agent:
        yield Paragraph("\nSources:" if one.spans else strings.REVIEW_NO_SOURCES, "heading")
    for span in one.spans:
        yield Paragraph(f"{span.conversation_id}/{span.sequence} {span.role}", "muted", indent=2)
        yield Paragraph(f"{span.text}\n", indent=4)
    share = next((known.share for known in accuracy if known.model == one.model), None)
    of_it = "" if share is None else strings.REVIEW_SHARE.format(share=share)
    times = f"Found {one.support} times. " if one.support > 1 else ""
    yield Paragraph(strings.REVIEW_PROPOSED.format(times=times, model=one.model, share=of_it), "muted")
