"""The curation queue: questions about the corpus, each with its possible answers as data."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from itertools import chain, groupby, zip_longest
from operator import attrgetter
from typing import NamedTuple

from ark_tui.domain.curation import KINDS, Choice, Item, Queue, QueueKind
from ark_tui.domain.documents import Document
from ark_tui.domain.errors import UsageError
from ark_tui.settings.tree import Tree
from ark_tui.store import Lease, documents, overrides

LATER = timedelta(days=1)  # how long a postponed item stays hidden
MOSTLY = 0.5  # share of the shorter document's chunks that a duplicate repeats
SUGGESTED = 3  # tags

LETTERS: dict[QueueKind, str] = {
    "duplicate": "d", "contradiction": "c", "stale": "s", "unfound": "n", "untagged": "u",
}  # fmt: skip
"""The prefix of the id of an item, by kind."""

SAVED = "its file has been saved since it was indexed"

LATER_CHOICE = Choice("l", "later", "later")

Pair = tuple[int, int]
"""The numbers of a chunk and of the earlier chunk that it repeats."""


class File(NamedTuple):
    """A file as it was when it was indexed; `saved` in nanoseconds since 1970."""

    document: int
    root: str
    path: str
    size: int
    saved: int


class Question(NamedTuple):
    """An item without the data of its documents."""

    kind: QueueKind
    numbers: tuple[int, ...]
    reason: str

    def id(self, found: dict[int, Document]) -> str:
        name = " ".join((self.kind, *(found[number].id for number in self.numbers)))
        return LETTERS[self.kind] + hashlib.blake2b(name.encode(), digest_size=3).hexdigest()

    def settling(self, found: dict[int, Document]) -> str:
        """The key that marks the item as settled, on its last document."""
        return " ".join((self.kind, *(found[number].id for number in self.numbers[:-1])))


def queue(
    lease: Lease,
    repeats: Sequence[Pair],
    unfound: Sequence[tuple[int, str]],
    stale: Sequence[int],
    kinds: Sequence[str],
    limit: int,
) -> Queue:
    """The open questions of these kinds, without postponed ones."""
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        raise UsageError(f"The queue has no kind {unknown[0]}.", f"There are {', '.join(KINDS)}.")
    finders: dict[QueueKind, Callable[[], Iterable[Question]]] = {
        "duplicate": lambda: _duplicates(lease, repeats),
        "contradiction": lambda: _contradictions(lease),
        "stale": lambda: [Question("stale", (number,), SAVED) for number in stale],
        "unfound": lambda: [Question("unfound", (number,), why) for number, why in unfound],
        "untagged": lambda: _untagged(lease),
    }
    asked = {kind: list(find()) for kind, find in finders.items() if not kinds or kind in kinds}
    found = documents.documents(lease, [n for some in asked.values() for one in some for n in one.numbers])
    asked = {kind: [one for one in some if one.numbers[-1] in found] for kind, some in asked.items()}
    waiting, settled = _waiting(lease), _settled(lease)
    left: dict[QueueKind, list[Question]] = {}
    later = 0
    for kind, questions in asked.items():
        open_ = [
            question
            for question in questions
            if (question.numbers[-1], question.settling(found)) not in settled
        ]
        left[kind] = [one for one in open_ if one.id(found) not in waiting]
        later += len(open_) - len(left[kind])
    turns = chain.from_iterable(zip_longest(*left.values()))
    shown = [turn for turn in turns if turn is not None][:limit]
    items = tuple(_item(lease, one, found) for one in shown)
    return Queue(items, {kind: len(some) for kind, some in left.items()}, later)


def put_off(lease: Lease, item: str) -> None:
    """Postpone an item."""
    lease.run("DELETE FROM ark.skipped WHERE item = ? OR until <= ?", item, lease.moment)
    lease.run("INSERT INTO ark.skipped VALUES (?, ?)", item, lease.moment + LATER)


def _duplicates(lease: Lease, repeats: Sequence[Pair]) -> Iterator[Question]:
    """Documents that mostly repeat another one, complete duplicates first."""
    if not repeats:
        return
    for keep, other, same, of in lease.rows(
        """WITH pairs AS (SELECT unnest(?::BIGINT[]) AS chunk, unnest(?::BIGINT[]) AS first),
                sizes AS (SELECT document, count(*) AS size FROM ark.chunks GROUP BY 1)
           SELECT b.document, a.document, count(*) AS same, any_value(s.size)
           FROM pairs p JOIN ark.chunks a ON a.number = p.chunk JOIN ark.chunks b ON b.number = p.first
           JOIN sizes s ON s.document = a.document
           WHERE a.document <> b.document
             AND a.document NOT IN (SELECT document FROM ark.superseded)
             AND b.document NOT IN (SELECT document FROM ark.superseded)
           GROUP BY 1, 2 ORDER BY count(*) / any_value(s.size) DESC, 1, 2""",
        [chunk for chunk, _ in repeats],
        [first for _, first in repeats],
    ):
        if same / of >= MOSTLY:
            passages = "all of it is" if same == of else f"{same} of its {of} passages are"
            yield Question("duplicate", (int(keep), int(other)), f"{passages} in the first one, too")


def _contradictions(lease: Lease) -> Iterator[Question]:
    """Documents with a link that says they contradict another one."""
    for source, target in lease.rows(
        """SELECT DISTINCT l.document, l.resolved FROM ark.links l
           JOIN ark.documents d ON d.number = l.resolved AND d.gone IS NULL
           WHERE l.relation = 'contradicts' AND l.document <> l.resolved
             AND l.document NOT IN (SELECT document FROM ark.superseded)
             AND l.resolved NOT IN (SELECT document FROM ark.superseded) ORDER BY ALL"""
    ):
        yield Question("contradiction", (int(source), int(target)), "the first contradicts the second")


def files(lease: Lease) -> list[File]:
    """The files of the documents, each once, as of their indexing."""
    rows = lease.rows(
        """SELECT min(d.number), k.root, d.path, any_value(f.size), any_value(f.mtime_ns) FROM ark.documents d
           JOIN ark.collections k ON k.name = d.folder
           JOIN ark.files f ON f.folder = d.folder AND f.path = d.path
           WHERE d.gone IS NULL AND k.root IS NOT NULL AND f.state = 'indexed'
           GROUP BY k.root, d.path ORDER BY 1"""
    )
    return [File(int(number), root, path, int(size), int(mtime)) for number, root, path, size, mtime in rows]


def saved_since(files: Iterable[File]) -> list[int]:
    """The numbers of documents whose file was saved after it was indexed."""
    found = []
    for root, inside in groupby(sorted(files, key=attrgetter("root", "path")), attrgetter("root")):
        with Tree(root) as tree:
            for one in inside:
                try:
                    stat = tree.stat(one.path)
                except OSError:
                    continue  # deleted; the next `index` handles it
                if (stat.st_size, stat.st_mtime_ns) != (one.size, one.saved):
                    found.append(one.document)
    return sorted(found)


def _untagged(lease: Lease) -> Iterator[Question]:
    """Documents without a tag, last changed first."""
    for row in lease.rows(
        """SELECT number FROM ark.documents WHERE gone IS NULL AND layer = 0
           AND number NOT IN (SELECT document FROM ark.tags) ORDER BY changed DESC, number DESC"""
    ):
        yield Question("untagged", (int(row[0]),), "it has no tag")


def _item(lease: Lease, asked: Question, found: dict[int, Document]) -> Item:
    some = tuple(found[number] for number in asked.numbers)
    suggested = _neighbours_tags(lease, asked.numbers[0]) if asked.kind == "untagged" else ()
    return Item(asked.id(found), asked.kind, some, asked.reason, _choices(asked.kind, some), suggested)


def _choices(kind: QueueKind, some: tuple[Document, ...]) -> tuple[Choice, ...]:
    ids = tuple(one.id for one in some)
    back = tuple(reversed(ids))
    made: dict[QueueKind, tuple[Choice, ...]] = {
        "duplicate": (
            Choice("1", "keep the first", "merge", ids),
            Choice("2", "keep the second", "merge", back),
            Choice("b", "keep both", "settle", ids),
        ),
        "contradiction": (
            Choice("1", "the first is right", "supersede", back),
            Choice("2", "the second is right", "supersede", ids),
            Choice("b", "both stand", "settle", ids),
            Choice("n", "they do not contradict", "unlink", ids),
        ),
        "stale": (Choice("i", "index it", "index", ids), Choice("x", "trash it", "trash", ids)),
        "unfound": (
            Choice("t", "tag it", "tag", ids, asks="tags"),
            Choice("x", "trash it", "trash", ids),
            Choice("b", "leave it", "settle", ids),
        ),
        "untagged": (
            Choice("t", "tag it", "tag", ids, asks="tags"),
            Choice("x", "trash it", "trash", ids),
            Choice("b", "it needs none", "settle", ids),
        ),
    }
    return (*made[kind], LATER_CHOICE)


def _neighbours_tags(lease: Lease, number: int) -> tuple[str, ...]:
    rows = lease.rows(
        """SELECT t.tag FROM ark.documents me JOIN ark.documents d ON d.folder = me.folder AND d.gone IS NULL
             AND regexp_replace(d.path, '[^/]*$', '') = regexp_replace(me.path, '[^/]*$', '')
           JOIN ark.tags t ON t.document = d.number
           WHERE me.number = ? GROUP BY 1 ORDER BY count(DISTINCT d.number) DESC, 1 LIMIT ?""",
        number,
        SUGGESTED,
    )
    return tuple(str(row[0]) for row in rows)


def numbers(lease: Lease, ids: Sequence[str]) -> dict[str, int]:
    """Maps ids to document numbers."""
    rows = lease.rows(
        "SELECT id, number FROM ark.documents WHERE id IN (SELECT unnest(?::VARCHAR[]))", list(ids)
    )
    return {str(id_): int(number) for id_, number in rows}


def _waiting(lease: Lease) -> set[str]:
    return {str(row[0]) for row in lease.rows("SELECT item FROM ark.skipped WHERE until > ?", lease.moment)}


def _settled(lease: Lease) -> set[tuple[int, str]]:
    return {(word.document, word.key) for word in overrides.all_of(lease, "settled")}
