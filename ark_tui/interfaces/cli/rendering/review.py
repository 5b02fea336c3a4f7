"""Candidates beside the places they rest on, and what a run of consolidation has made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ark_tui.domain.wording import counted
from ark_tui.interfaces.cli.layout import flow, short
from ark_tui.interfaces.cli.output import WIDTH, Ink
from ark_tui.interfaces.cli.rendering import Lines, Renderer, View, each

if TYPE_CHECKING:
    from ark_tui.domain.review import Accuracy, Candidate, Consolidated

LINES = 4  # of a claim or a place that are shown


def consolidated(view: View, runs: Sequence[Consolidated]) -> None:
    """What was proposed, and what is left."""
    for run in runs:
        if run.stretches:
            size = f"{counted(run.stretches, 'stretch', 'stretches')} of {counted(run.messages, 'message')}"
            view.out.line(f"{run.model} read {size}: {counted(run.proposed, 'candidate')}, "
                          f"{run.unsupported} of them not held by their sources.")  # fmt: skip
        elif not (run.problem or run.waiting):
            view.out.line("All that is over has been taken up. A conversation is over after ten quiet "
                          "minutes, or by: ark-tui conversations close")  # fmt: skip
        for count, what in ((run.supported_again, "found again"), (run.let_in, "let in as the settings say"),
                            (run.passed_over, "passed over: no answer could be used")):  # fmt: skip
            if count:
                view.out.line(f"{count:,} {what}.")
        if run.problem:
            view.say.warning(f"{'Deferred: ' if run.deferred else ''}{run.problem}")
        if run.waiting:
            view.say.notice(f"{counted(run.waiting, 'stretch', 'stretches')} left for the next run.")


def _candidate(view: View, one: Candidate) -> Lines:
    yield Ink(f"{one.kind} #{one.id[:8]}", "strong"), Ink(
        f"  {one.relation} · {one.model}{view.whose(one.scope, before=' · ')}"
        + f" · found {one.support} times" * (one.support > 1), "faint"
    )  # fmt: skip
    for line in flow(one.claim.replace("\n", " → "), (), WIDTH - 2, LINES):
        yield "  ", *line
    for problem in one.problems:
        yield Ink(f"  ! {problem}", "warning"), ""
    if one.reason:
        yield f"  because: {short(one.reason, WIDTH - 11)}", ""
    if one.target_text:
        yield Ink(short(f"  {one.relation}: {' '.join(one.target_text.split())}", WIDTH), "faint"), ""
    for span in one.spans:
        where = f"{span.conversation_id}/{span.sequence} {span.role}: "
        yield Ink(short(f"  > {where}{' '.join(span.text.split())}", WIDTH), "faint"), ""


def _decided(_: View, one: Candidate) -> Lines:
    yield Ink(f"#{one.id[:8]}", "strong"), f"  {one.state}" + (f" as #{one.made[:6]}" if one.made else "")


def _model(_: View, one: Accuracy) -> Lines:
    share = "nothing decided yet" if one.share is None else f"{one.share:.0%} let in"
    about = f"{one.proposed:,} proposed, {one.accepted:,} accepted, {one.rejected:,} rejected"
    yield Ink(one.model, "strong"), f"  {share}: {about}, {one.unsupported:,} not held by their sources"


NOTHING = "Nothing waits for a decision: ark-tui consolidate"

RENDERERS = {
    "consolidate": Renderer(consolidated),
    "review list": each(_candidate, NOTHING),
    **{f"review {verb}": each(_decided) for verb in ("accept", "edit", "reject", "merge", "later", "undo")},
    "review accuracy": each(_model, "Nothing has been proposed yet: ark-tui consolidate"),
}
