"""Memories as lines: what there is, where it stands, what goes; and contexts made of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from ark_tui.domain.curation import Purged
from ark_tui.domain.knowledge import Context
from ark_tui.domain.memory import LAYERS, Emptied, Forgotten, Item, Purge, ScopeInfo, Standing
from ark_tui.domain.recall import MemoryStats, Remembered
from ark_tui.domain.review import Amended
from ark_tui.domain.wording import counted
from ark_tui.interfaces.cli.layout import fit, short
from ark_tui.interfaces.cli.output import WIDTH, Ink
from ark_tui.interfaces.cli.rendering import Lines, Renderer, View, each, titled


def _scope(_: View, one: ScopeInfo) -> Lines:
    about = (
        f"  {counted(one.messages, 'message')} in {counted(one.conversations, 'conversation')}, "
        f"{counted(one.items, 'memory', 'memories')}, {counted(one.tasks, 'task')}, "
        f"{counted(one.scratch, 'key')}"
    )
    yield Ink(one.scope.name, "strong"), Ink(about, "faint")


def _item(view: View, one: Item) -> Lines:
    """What it is, where it stands, whether it is over."""
    about, whose = one.document, view.whose(one.scope, before="  ")
    faded = one.until and one.until <= view.call.engine.now()
    over = "  retired" if one.retired else "  faded" if faded else ""
    where = f"  {LAYERS.get(about.layer, 'note'):<9} {about.tier:<10}"
    room = WIDTH - len(about.short_id) - len(where) - len(over) - len(whose) - 2
    yield (
        Ink(about.short_id, "strong"), Ink(where, "faint"), f"  {short(about.title, room)}",
        Ink(over + whose, "faint"),
    )  # fmt: skip


def standing(view: View, found: Sequence[Standing]) -> None:
    """Its tier and layer with the moves that led there."""
    for one in found:
        layer = f"layer {one.layer} {LAYERS[one.layer]}" if one.layer else "no layer"
        view.out.line(*titled(one.document))
        view.out.line(f"        tier {one.document.tier}, {layer}")
        for move in one.moves:
            change = f"{move.axis} {move.was or '–'} → {move.became or '–'}"
            lead = f"        {move.moment:%Y-%m-%d %H:%M}  {move.agent}  {change}  "
            view.out.line(Ink(lead, "faint"), move.reason)
        if not one.moves:
            view.say.notice("It has not been moved.")


def _revived(_: View, one: Item) -> Lines:
    yield titled(one.document, "is back: ")


def _amended(_: View, one: Amended) -> Lines:
    """What came of it: what says it now, or which candidate waits."""
    said = "retired" if one.status == "done" else f"is proposed, as candidate #{one.candidate[:8]}"
    instead = f", #{one.replacement[:6]} says it now" if one.replacement else ""
    yield Ink(f"#{one.id[:6]}", "strong"), f"  {said}{instead}"


def forgotten(view: View, found: Sequence[Forgotten]) -> None:
    """What is gone, or would be; what says the same and stays."""
    (one,) = found
    for item in one.items:
        view.out.line(Ink(item.document.short_id, "strong"), f"  {short(item.document.title, WIDTH - 10)}")
    for message in one.messages:
        said = f"{message.conversation_id}/{message.sequence}"
        view.out.line(Ink(said, "strong"), f"  {short(message.content, WIDTH - len(said) - 2)}")
    kinds = (counted(len(one.items), "memory", "memories"), counted(len(one.messages), "message"),
             counted(one.candidates, "candidate"))  # fmt: skip
    what = ", ".join(kinds)
    if one.done:
        view.say.notice(f"Forgot {what}, {counted(one.vectors, 'vector')}.")
    else:
        view.say.notice(f"Would forget {what} ({one.bytes:,} bytes of text). Say --yes to do it.")
    if one.rest_on:
        view.say.notice(f"It was made of {', '.join(one.rest_on)}, which stay; --sources takes them, too.")
    if one.remains:
        view.say.notice(f"Backups may still hold it: {', '.join(one.remains)}")


def _remembered(_: View, one: Remembered) -> Lines:
    yield titled(one.document)


def unindexed(kept: Remembered) -> Iterator[str]:
    """Why no search finds it yet."""
    if kept.problem:
        yield f"It is kept, but not indexed yet: {kept.problem}"


def stats(view: View, found: Sequence[MemoryStats]) -> None:
    """Counts by tier."""
    (one,) = found
    last = one.last_reflection_at
    rows = {
        "documents": f"{one.total_documents:,}",
        **{str(tier): f"{count:,}" for tier, count in one.by_tier.items()},
        "new": f"{one.new_since:,} since {one.since:%Y-%m-%d %H:%M}",
        "chunks": f"{one.chunks_per_doc_p50} per document, 90th percentile {one.chunks_per_doc_p90}",
        "last reflection": f"{last:%Y-%m-%d}" if last else "none",
    }
    view.pairs(rows, 16)


def context(view: View, found: Sequence[Context]) -> None:
    """Its text; on request every factor of every score."""
    (one,) = found
    view.out.block(one.text)
    if view.options["explain"]:
        _explain(view, one)
    for notice in _notices(one):
        view.say.notice(notice)


def _explain(view: View, found: Context) -> None:
    view.out.line()
    head = "          kind       score = similarity × recency × confidence"
    view.out.line(Ink(head, "faint"))
    for item in found.items:
        view.out.line(
            Ink(f"{item.label:<8}  ", "strong"), fit(item.kind, 10), f"{item.score:>6.3f}  ",
            f"{item.similarity:>9.3f}   {item.recency:>6.3f}   {item.confidence:>8.3f}  ",
            Ink(short(item.document.title, WIDTH - 60), "faint"),
        )  # fmt: skip


def _notices(found: Context) -> Iterator[str]:
    yield f"{found.tokens} of {found.budget} tokens · retrieval {found.retrieval_id}"
    if found.left_out:
        yield f"{found.left_out} more did not fit; give a larger --budget."
    if found.masked:
        yield f"{found.masked} secrets are masked."
    yield from found.notices


def purged(view: View, found: Sequence[Emptied]) -> None:
    """What is gone, or would be, of the memory and of the trash."""
    for one in found:
        for document in (*(item.document for item in one.memory.items), *one.trash.documents):
            view.out.line(Ink(document.short_id, "strong"), "  ", short(document.title, WIDTH - 10))
        for notice in (*_trash(one.trash), _memory(one.memory, view.call.scope.name)):
            view.say.notice(notice)


def _memory(found: Purge, whose: str) -> str:
    kinds = (
        counted(found.messages, "message"),
        counted(len(found.items), "memory", "memories"),
        counted(found.notes, "deleted note"),
    )
    what = ", ".join(kinds)
    if not (found.messages or found.items or found.notes):
        return f"Nothing of {whose} is past its retention."
    if found.done:
        return f"Deleted {what}, {counted(found.vectors, 'vector')}."
    return f"Would delete {what} ({found.bytes:,} bytes of text). Say --yes to do it."


def _trash(found: Purged) -> Iterator[str]:
    if found.earlier:
        were, are = ("was", "it is") if found.earlier == 1 else ("were", "they are")
        what = counted(found.earlier, "text")
        yield f"{what} that had been deleted earlier {were} still in the files; {are} gone now."
    what = f"{counted(len(found.documents), 'document')} of the trash ({found.bytes:,} bytes of text)"
    if not found.documents:
        yield "The trash is empty."
    elif found.done:
        rows = f"{counted(found.answers, 'row')} of searches"
        yield f"Deleted {what}, {counted(found.vectors, 'vector')}, {rows}."
    else:
        yield f"Would delete {what}. Say --yes to do it."
    if found.remains:
        yield f"Backups may still hold deleted texts: {', '.join(found.remains)}"


EXPLAIN = click.Option(["--explain"], is_flag=True, help="List every factor of every score after the text.")

RENDERERS = {
    "scopes": each(_scope, "Nothing is remembered yet."),
    "memories": each(_item, "Nothing is remembered in {scope}."),
    "promote": Renderer(standing),
    "retire": each(_amended),
    "correct": each(_amended),
    "forget": Renderer(forgotten),
    "revive": each(_revived),
    "purge": Renderer(purged),
    "memory-stats": Renderer(stats),
    "remember": each(_remembered, remarks=unindexed),
    "context": Renderer(context, options=(EXPLAIN,)),
}
