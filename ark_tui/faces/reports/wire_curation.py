"""Curation as JSON: what an edit has done, the log of edits, judgments, saved searches, the queue."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ark_tui.faces.reports.wire import Json, document

if TYPE_CHECKING:
    from ark_tui.domain.curation import Done, Edit, Imported, Item, Judgment, Purged, Queue, SavedSearch
    from ark_tui.domain.documents import Document


def done(result: Done) -> Json:
    """What an edit, an undo or a redo has done; `edit` is null where there was nothing to do."""
    return {
        "done": result.what,
        "changed": result.changed,
        "edit": result.edit,
        "documents": documents(result.documents),
        "notices": list(result.notices),
    }


def judgments(known: Iterable[Judgment]) -> Json:
    """What was judged, by query; `grade` is 2, 1 or 0."""
    return {
        "judgments": [
            {"query": one.query, "grade": one.grade, "document": document(one.document)} for one in known
        ]
    }


def saved(kept: Iterable[SavedSearch]) -> Json:
    """The saved searches, by name."""
    return {
        "saved": [
            {
                "name": one.name,
                "query": one.request.query,
                "mode": one.request.mode,
                "limit": one.request.limit,
                "profile": one.request.profile,
                "superseded": one.request.superseded,
            }
            for one in kept
        ]
    }


def queue(found: Queue) -> Json:
    """What wants attention; `counts` are of all open items, by kind."""
    return {
        "items": [item(one) for one in found.items],
        "counts": dict(found.counts),
        "later": found.later,
    }


def item(one: Item) -> Json:
    """One question, and the keys that answer it."""
    return {
        "id": one.id,
        "kind": one.kind,
        "reason": one.reason,
        "documents": documents(one.documents),
        "choices": [{"key": c.key, "label": c.label, "act": c.act, "asks": c.asks} for c in one.choices],
        "suggestions": list(one.suggestions),
    }


def imported(result: Imported) -> Json:
    """What an import has done; `unmatched` lines name documents that are not here."""
    return {
        **done(result.done),
        "lines": result.lines,
        "applied": result.applied,
        "unchanged": result.unchanged,
        "unmatched": [{"line": one.line, "what": one.what, "path": one.path} for one in result.unmatched],
    }


def purged(found: Purged) -> Json:
    """What was, or would be, deleted from the trash; `remains` are backups that still hold it."""
    return {
        "documents": documents(found.documents),
        "bytes": found.bytes,
        "answers": found.answers,
        "vectors": found.vectors,
        "remains": list(found.remains),
        "finished": found.earlier,
        "purged": found.done,
    }


def documents(found: Iterable[Document]) -> list[Json]:
    """Documents as everywhere, without their text."""
    return [document(one) for one in found]


def edits(log: Iterable[Edit]) -> Json:
    """The log of edits, the newest first."""
    return {
        "edits": [
            {
                "edit": one.number,
                "at": one.at.isoformat().replace("+00:00", "Z"),
                "who": one.who,
                "what": one.what,
                "inverse": one.inverse,
                "state": one.state,
            }
            for one in log
        ]
    }
