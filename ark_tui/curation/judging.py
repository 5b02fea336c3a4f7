"""A person's judgments: which document answers which query. They are edits, and can be undone."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from ark_tui.domain.curation import Judgment
from ark_tui.domain.errors import Hint, UsageError
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


def export(lease: Lease, folder: Path) -> int:
    """Write corpus.jsonl, queries.jsonl, qrels/test.tsv (BEIR) and qrels.trec; returns their number."""
    known = list(judgments(lease))
    if not known:
        raise UsageError(
            "There are no judgments yet.",
            Hint.run("eval judge", "spectral gap", "@1", "+", say="Example: {}"),
        )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} already exists.", "Name a new folder, or an empty one.")
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    rows = [(query_id(one.query), one.document.id, one.grade) for one in known]
    queries = [query for query, _ in groupby(known, key=lambda one: one.query)]
    _lines(folder / "corpus.jsonl", _corpus(lease))
    _lines(
        folder / "queries.jsonl",
        (json.dumps({"_id": query_id(q), "text": q}, ensure_ascii=False) for q in queries),
    )
    _lines(
        folder / "qrels" / "test.tsv",
        ("query-id\tcorpus-id\tscore", *(f"{query}\t{id_}\t{grade}" for query, id_, grade in rows)),
    )
    _lines(folder / "qrels.trec", (f"{query} 0 {id_} {grade}" for query, id_, grade in rows))
    return len(known)


def _corpus(lease: Lease) -> Iterator[str]:
    for id_, title, body in lease.rows(
        "SELECT id, title, body FROM ark.documents WHERE gone IS NULL AND layer <> 1 ORDER BY id"
    ):
        yield json.dumps({"_id": id_, "title": title, "text": body}, ensure_ascii=False)


def _lines(path: Path, lines: Iterator[str] | tuple[str, ...]) -> None:
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
        file.writelines(f"{line}\n" for line in lines)
