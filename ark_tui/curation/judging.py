"""A person's judgments: which document answers which query. They are edits, and can be undone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from ark_tui.domain.curation import Judgment
from ark_tui.store import Lease, documents, overrides


def judgments(lease: Lease, query: str = "") -> Iterator[Judgment]:
    """All judgments of existing documents, by query, best grade first."""
    asked = " ".join(query.split())
    words = [word for word in overrides.all_of(lease, "judge") if not asked or word.key == asked]
    found = documents.documents(lease, [word.document for word in words]) if words else {}
    for word in sorted(words, key=lambda one: (one.key, -int(one.value), found[one.document].id)):
        if documents.alive(lease, word.document):
            yield Judgment(word.key, found[word.document], int(word.value))


def answered(known: Iterable[Judgment]) -> dict[str, dict[str, int]]:
    """The grades of queries with an answer, by query and document id."""
    grades: dict[str, dict[str, int]] = {}
    for one in known:
        grades.setdefault(one.query, {})[one.document.id] = one.grade
    return {query: found for query, found in grades.items() if any(found.values())}


def query_id(query: str) -> str:
    """An id for a query: the same words give the same id."""
    return "q" + hashlib.blake2b(query.encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()
