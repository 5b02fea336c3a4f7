"""What purging the trash deletes and what it leaves, in words."""

from __future__ import annotations

from pathlib import Path

from ark_tui.domain.curation import Done
from ark_tui.domain.documents import Purged
from ark_tui.domain.wording import counted

NAMED = 8  # documents


def said(due: Purged) -> list[str]:
    """What would go, what stays, and where it is held all the same; a line each."""
    count = len(due.documents)
    them = "it" if count == 1 else "them"
    goes = (
        f"Goes for good: {counted(count, 'document')}, {due.bytes:,} bytes of text, with vectors and words, "
        f"{counted(due.answers, 'row')} of the log of searches, and what you said of them. No undo brings "
        f"{them} back."
    )
    lines = [
        goes,
        *([f"{counted(due.links, 'link')} to {them} will lead nowhere."] if due.links else []),
        *(f"  {document.short_id} {document.title}" for document in due.documents[:NAMED]),
    ]
    if count > NAMED:
        lines.append(f"  and {count - NAMED:,} more")
    lines += ["", "Stays: the files on disk. They are not taken up again before they change."]
    if due.remains:
        lines += ["", "Stays, and may hold them still, until you delete it yourself:"]
        lines += [f"  {Path(path).parent.name}/{Path(path).name}" for path in due.remains]
    else:
        lines.append("No backup of this home holds them.")
    return lines


def done(purged: Purged) -> Done:
    """What has gone."""
    gone = counted(len(purged.documents), "document")
    what = f"deleted {gone} and {counted(purged.vectors, 'vector')} for good"
    names = ", ".join(Path(path).name for path in purged.remains)
    return Done(what, notices=(f"These may still hold them: {names}",) if names else ())
