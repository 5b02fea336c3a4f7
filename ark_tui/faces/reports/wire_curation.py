"""Curation as JSON: what an edit has done, the log of edits, judgments, saved searches, the queue."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ark_tui.faces.reports.wire import Json, document

if TYPE_CHECKING:
    from ark_tui.domain.curation import Done, Edit, Judgment, SavedSearch
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
