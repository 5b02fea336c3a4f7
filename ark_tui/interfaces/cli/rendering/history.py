"""Conversations and their messages as lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ark_tui.domain.wording import counted
from ark_tui.interfaces.cli.layout import flow
from ark_tui.interfaces.cli.output import WIDTH, Ink
from ark_tui.interfaces.cli.rendering import Lines, Renderer, View, each

LISTED = 10  # conversations that cannot be read; `--json` has all

if TYPE_CHECKING:
    from ark_tui.domain.memory import Conversation, Deleted, ImportedChats, Message, MessageVectors
    from ark_tui.operations.page import Page

LINES = 6  # of a message that are shown


def _conversation(view: View, one: Conversation) -> Lines:
    about = f"  {counted(one.messages, 'message')} since {one.created:%Y-%m-%d %H:%M}"
    yield (
        Ink(one.id, "strong"),
        f"  {one.title}" * bool(one.title),
        Ink(about + view.whose(one.scope, before="  "), "faint"),
    )


def _created(_: View, one: Conversation) -> Lines:
    """Its id alone."""
    yield (one.id,)


def deleted(view: View, gone: Sequence[Deleted]) -> None:
    """What went, and where it may still be."""
    for one in gone:
        view.say.notice(f"Deleted {one.conversation_id} with {counted(one.messages, 'message')}.")
        if one.remains:
            view.say.notice(f"These may still hold them: {', '.join(one.remains)}")


def imported(view: View, found: Sequence[ImportedChats]) -> None:
    """What came in, or would."""
    for one in found:
        size = f"{counted(one.messages, 'message')} in {counted(one.conversations, 'conversation')}"
        since = f", {one.first:%Y-%m-%d} to {one.last:%Y-%m-%d}" if one.first and one.last else ""
        view.out.line(f"{one.format}: {size}, by {counted(one.authors, 'author')}{since}.")
        came = "came in" if one.done else "would come in"
        view.out.line(
            f"{counted(one.new, 'new message')} {came}, {one.messages - one.new:,} were here already."
        )
        if one.left_out:
            view.out.line(f"{counted(one.left_out, 'entry', 'entries')} without text or not shown: left out.")
        for problem in one.problems[:LISTED]:
            view.say.notice(f"Skipped: {problem}.")
        if (more := len(one.problems) - LISTED) > 0:
            view.say.notice(f"{more:,} more were skipped.")


def vectors(view: View, found: Sequence[MessageVectors]) -> None:
    """How many messages have a vector, and for how long."""
    for one in found:
        size = counted(one.vectors, "vector")
        if one.dropped:
            view.out.line(f"{size} of messages dropped; they are found by their words.")
        else:
            view.out.line(f"{size} of messages, {one.made:,} of them new, by {one.model}.")
            view.out.line(f"Messages of the last {one.hours:g} hours are found by meaning, too.")


def _added(_: View, one: Message) -> Lines:
    """Its id and its place."""
    yield Ink(f"#{one.id[:6]}", "strong"), f"  {one.conversation_id}/{one.sequence}"


def _message(view: View, one: Message) -> Lines:
    """Who said what, when and where."""
    where = f"{view.whose(one.scope, after='  ')}{one.conversation_id}/{one.sequence}  #{one.id[:6]}"
    who = f"{one.role} {one.name}".strip()
    yield Ink(who, "strong"), Ink(f"  {one.timestamp:%Y-%m-%d %H:%M}  {where}", "faint")
    if one.score is not None:
        gave = " + ".join(f"{part.name} {part.contribution:.2f}" for part in one.signals if part.contribution)
        yield (Ink(f"  {one.score:.2f} = {gave}", "faint"),)
    for line in flow(one.content, (), WIDTH - 2, LINES):
        yield "  ", *line


def _rest(page: Page[Message]) -> str:
    """How many messages there are besides those of the page."""
    return f"{len(page.items)} of {page.total:,} messages." if len(page.items) < page.total else ""


RENDERERS = {
    "conversations list": each(
        _conversation, "There is no conversation in {scope}: ark-tui history add user SOMETHING"
    ),
    "conversations create": each(_created),
    "conversations close": each(_created),
    "conversations delete": Renderer(deleted),
    "import": Renderer(imported),
    "history vectors": Renderer(vectors),
    "history add": each(_added),
    "history list": each(_message, "Nothing has been said: ark-tui history add user SOMETHING", _rest),
    "history search": each(_message, "Nothing found in {scope}."),
}
