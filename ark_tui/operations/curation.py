"""Curation: edits of documents' metadata, which can be undone in order."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from ark_tui.domain.curation import Done, Edit, Exported, Imported, Relation
from ark_tui.domain.documents import Tier
from ark_tui.domain.errors import UsageError
from ark_tui.operations.call import Call
from ark_tui.operations.operation import Effect, Page, Param, operation
from ark_tui.operations.params import Limit, Name, Offset, Ref, Refs, Tags, Text

ANSWERED = "-"
"""The file name that returns the lines in the answer."""

LINE = '{"collection": "notes", "path": "gap.md", "what": "pin", "key": "", "value": "yes"}'

Given = Annotated[
    tuple[Name, ...],
    Param("Tags, without #.", example=("draft",), metavar="TAG[,TAG]", argument=True, commas=True),
]
Target = Annotated[Ref, Param("The document that the link leads to.", metavar="TARGET")]
Others = Annotated[Refs, Param("The duplicates: ids, paths or file names.")]


@operation("tag", Effect.SETS, command="doc tag",
      example="ark-tui doc tag draft,theory '#3fa9c1' notes/gap.md",
      route="POST /documents/tag")  # fmt: skip
def tag(call: Call, tags: Given, refs: Refs) -> Done:
    """Tag documents.

    The tags stay when the files change. `undo` removes them again.
    """
    from ark_tui.curation import edits

    return call.engine.curation.edit(edits.tag, refs, tags)


@operation("untag", Effect.SETS, command="doc untag", example="ark-tui doc untag draft @1 @2",
      route="POST /documents/untag")  # fmt: skip
def untag(call: Call, tags: Given, refs: Refs) -> Done:
    """Remove tags from documents.

    A tag that is in the file stays removed, even if the file changes. The file is not written to.
    """
    from ark_tui.curation import edits

    return call.engine.curation.edit(edits.untag, refs, tags)


@operation("tags rename", Effect.SETS, command="doc tags rename",
      example="ark-tui doc tags rename draft essay",
      route="POST /tags/rename")  # fmt: skip
def rename_tag(
    call: Call,
    tag: Annotated[Name, Param("A tag, without #.", example="draft", metavar="TAG", argument=True)],
    to: Annotated[Name, Param("Its new name.", example="essay", metavar="NEW", argument=True)],
) -> Done:
    """Rename a tag on all documents.

    Tags below it (draft/2026) are renamed, too. If the new tag exists, both become one. No file is written
    to. `undo` reverts it.
    """
    from ark_tui.curation import edits

    return call.engine.curation.edit(edits.rename_tag, tag, to)


@operation("tier", Effect.SETS, command="doc tier", example="ark-tui doc tier wiki theory/gap.md",
      route="POST /documents/tier")  # fmt: skip
def tier(
    call: Call,
    tier: Annotated[Tier, Param("How much to trust them; only a person can set wiki.", argument=True)],
    refs: Refs,
) -> Done:
    """Set the tier of documents.

    It overrides the tier in their front matter.
    """
    from ark_tui.curation import edits

    return call.engine.curation.edit(edits.tier, refs, call.may_give(tier))


@operation("pin", Effect.SETS, command="doc pin", example="ark-tui doc pin theory/gap.md",
      route="POST /documents/pin")  # fmt: skip
def pin(call: Call, refs: Refs) -> Done:
    """Pin documents.

    They come first in lists and are marked in results. Pins do not affect ranking.
    """
    from ark_tui.curation import edits

    return call.engine.curation.edit(edits.pin, refs)


@operation("unpin", Effect.SETS, command="doc unpin", example="ark-tui doc unpin theory/gap.md",
      route="POST /documents/unpin")  # fmt: skip
def unpin(call: Call, refs: Refs) -> Done:
    """Unpin documents."""
    from ark_tui.curation import edits

    return call.engine.curation.edit(edits.pin, refs, on=False)


@operation("link", Effect.SETS, command="doc link",
      example="ark-tui doc link draft.md theory/gap.md --as builds_on",
      route="POST /documents/link")  # fmt: skip
def link(
    call: Call,
    ref: Ref,
    target: Target,
    relation: Annotated[Relation, Param("What the link means.", option="--as")] = "links_to",
) -> Done:
    """Link a document to another.

    The link stays when either of them is renamed or changed.
    """
    from ark_tui.curation import edits

    return call.engine.curation.edit(edits.link, ref, target, relation)


@operation("unlink", Effect.SETS, command="doc unlink", example="ark-tui doc unlink draft.md theory/gap.md",
      route="POST /documents/unlink")  # fmt: skip
def unlink(
    call: Call,
    ref: Ref,
    target: Target,
    relation: Annotated[Relation | None, Param("Only links of this relation.", option="--as")] = None,
) -> Done:
    """Remove the links from a document to another.

    Links that are in the file stay removed, even if the file changes. The file is not written to.
    """
    from ark_tui.curation import edits

    return call.engine.curation.edit(edits.unlink, ref, target, relation or "")


@operation("supersede", Effect.SETS, command="doc supersede",
      example="ark-tui doc supersede plan-2024.md plan-2025.md --by plan-2026.md",
      route="POST /documents/supersede")  # fmt: skip
def supersede(
    call: Call,
    refs: Refs,
    successor: Annotated[
        Name, Param("The document that replaces them.", example="plan.md", metavar="REF", option="--by")
    ],
) -> Done:
    """Mark documents as superseded by another one.

    Searches hide them while that document exists, unless they ask for superseded documents.
    """
    from ark_tui.curation import edits

    call.engine.memory.corrections.own(refs, call.reach)
    return call.engine.curation.edit(edits.supersede, refs, successor)


@operation("merge", Effect.DESTROYS, command="doc merge",
      example="ark-tui doc merge theory/gap.md old/gap.md",
      route="POST /documents/merge")  # fmt: skip
def merge(
    call: Call, keep: Annotated[Ref, Param("The document that is kept.", metavar="KEEP")], others: Others
) -> Done:
    """Merge duplicates into one document.

    The others are moved to the trash and superseded by the one that is kept, which gets their tags, links,
    pins and judgments. No text is changed; `undo` reverts it.
    """
    from ark_tui.curation import edits

    call.engine.memory.corrections.own(others, call.reach)
    return call.engine.curation.edit(edits.merge, keep, others)


@operation("trash", Effect.DESTROYS, command="doc trash", example="ark-tui doc trash drafts/old.md",
      route="POST /documents/trash")  # fmt: skip
def trash(call: Call, refs: Refs) -> Done:
    """Move documents to the trash.

    No search finds them. Their text is kept; their files stay as they are and are not indexed again.
    `doc restore` brings them back; a person can delete them for good with `doc purge`.
    """
    from ark_tui.curation import edits

    call.engine.memory.corrections.own(refs, call.reach)
    return call.engine.curation.edit(edits.trash, refs)


@operation("untrash", Effect.SETS, command="doc restore", example="ark-tui doc restore '#3fa9c1'",
      route="POST /documents/untrash")  # fmt: skip
def untrash(call: Call, refs: Refs) -> Done:
    """Restore documents from the trash."""
    from ark_tui.curation import edits

    return call.engine.curation.edit(edits.untrash, refs)


@operation("note", Effect.ADDS, command="doc note", example="ark-tui doc note buy rice --tag shopping",
      route="POST /notes", keyed=False)  # fmt: skip
def note(
    call: Call,
    text: Annotated[str, Param("What it says.", example="buy rice", argument=True, words=True)] = "",
    title: Annotated[
        str | None,
        Param("What to call it; else its first heading or its first words.", example="Food", metavar="TEXT"),
    ] = None,
    tags: Tags = (),
    store: Annotated[bool, Param("Add it to the store, even if an inbox is configured.")] = False,
    replace: Annotated[
        Name | None,
        Param(
            "Change this note of the store: its text, its title, or both.", example="#3fa9c1", metavar="REF"
        ),
    ] = None,
) -> Done:
    """Add a note.

    It becomes a new Markdown file in the folder of the setting `inbox`, else a text in the store. There, the
    same text with the same title is added once. No existing file is changed.
    """
    from ark_tui.curation import edits

    curation, cut = call.engine.curation, call.engine.cut
    if replace is None and call.engine.settings.inbox and not store:
        return curation.note_to_inbox(text, title=title or "", tags=tags)
    if replace is None:
        return curation.edit(edits.note, cut, text, title or "", tags)
    if not text.strip() and title is None:
        raise UsageError("There is nothing to replace.", "Give a text, a title, or both.")
    return curation.edit(edits.rewrite, cut, replace, title, text if text.strip() else None)


@operation("undo", Effect.ADDS, example="ark-tui undo", keyed=False, begins=False)
def undo(call: Call) -> Done:
    """Undo the last edit.

    Repeat it to go further back, to the first edit of anyone. Edits are kept across restarts. `redo`
    does them again.
    """
    return call.engine.curation.undo()


@operation("redo", Effect.ADDS, example="ark-tui redo", keyed=False, begins=False)
def redo(call: Call) -> Done:
    """Redo the edit that was undone last.

    There is nothing to redo after another edit.
    """
    return call.engine.curation.redo()


@operation(
    "edits", Effect.READS, command="undo list", example="ark-tui undo list -n 50",
    listed="edits",
)  # fmt: skip
def edits(call: Call, limit: Limit = 20, offset: Offset = 0) -> Page[Edit]:
    """List the edits, the newest first, undone ones included."""
    found = call.engine.curation.log(limit, offset)
    return Page(found.rows, found.total, limit, offset)


@operation("export-curation", Effect.READS, command="doc export",
      example="ark-tui doc export ~/notes/curation.jsonl",
      route="GET /curation")  # fmt: skip
def export(
    call: Call,
    file: Annotated[
        str,
        Param(
            "The file to write, for a person only; - prints the lines.",
            example="-",
            metavar="FILE",
            argument=True,
        ),
    ] = ANSWERED,
) -> Exported:
    """Export tags, tiers, links, pins, judgments and notes as lines for git.

    Tags, tiers, pins, links, judgments, notes, the trash and saved searches: one JSON object a line, sorted,
    keyed by path and content hash.
    """  # fmt: skip
    if file != ANSWERED and not call.person:
        raise UsageError("Only a person can choose a file to write.", "Leave it out to get the lines.")
    lines = call.engine.curation.export()
    text = "".join(f"{line}\n" for line in lines)
    if file == ANSWERED:
        return Exported(len(lines), None, text)
    path = Path(file).expanduser()
    beside = path.with_name(f"{path.name}.new")
    beside.write_text(text, "utf-8", errors="backslashreplace", newline="\n")
    beside.replace(path)
    return Exported(len(lines), str(path))


@operation("import-curation", Effect.SETS, command="doc import",
      example="ark-tui doc import ~/notes/curation.jsonl",
      route="POST /curation", begins=True)  # fmt: skip
def import_(
    call: Call,
    content: Annotated[
        Text,
        Param("The lines of an export.", example=LINE, metavar="FILE", argument=True, file=True),
    ],
) -> Imported:
    """Import the lines of such an export, as one edit.

    Documents are found by collection and path, else by their content, else by their path alone. Lines without
    a document are reported. Importing the same lines again changes nothing; `undo` reverts it.
    """
    return call.engine.curation.take_over(content)
