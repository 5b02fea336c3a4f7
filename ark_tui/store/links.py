"""Links between documents, by number: their targets, and which document supersedes which.

A link is stored as written, together with the number of its target. The target is looked up by name when the
link, or a document of that name, is added or removed, in the same transaction. If no document has the name
any more, the link keeps its target: the document has been renamed.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ark_tui.domain.documents import OCCURRED_IN, SUPERSEDED_BY, Draft, LinkDraft
from ark_tui.domain.unicode import composed
from ark_tui.store import changes
from ark_tui.store.changes import ALIAS, aliases_of

if TYPE_CHECKING:
    from datetime import date

    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.store.lease import Lease

ELSEWHERE = 50  # added to the rank of a name in another collection
FROM_THE_TOP = 20  # added to the rank of a link's name without the folder of its document
BY_NAME = "4, 5, 6, 7"  # ranks of partial paths, which several files may share
SURENESS = f"CASE n.rank WHEN {ALIAS} THEN 8 ELSE n.rank END"
"""The rank of a name in SQL: aliases rank below all file names."""
DEEP = 4  # the longest partial path, in parts

Name: TypeAlias = tuple[int, str, str]
"""A document's number, its collection, and a name of it there."""


class Edge(NamedTuple):
    """A resolved link, by document numbers."""

    source: int
    target: int
    relation: str


class Edges(NamedTuple):
    """All links between two different documents, as columns."""

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    relation: NDArray[np.int32]  # index in `relations`, from 1
    relations: list[str]


class Occurrence(NamedTuple):
    """A document linked to a month or quarter. `own`: its date, unless it is the modification time."""

    document: int
    node: str
    own: date | None


@dataclass(frozen=True, slots=True)
class Known:
    """The stored links and names of some documents, before they are rewritten."""

    resolved: dict[tuple[int, str, str], int]  # document, relation, target → resolved target
    written: dict[int, set[tuple[str, str, str]]]  # relation, target, anchor; without those made by the user
    names: set[Name]
    aliases: dict[int, tuple[str, ...]]


def fold(name: str) -> str:
    """A name in comparable form, independent of case and Unicode composition."""
    folded = composed(name).casefold().replace("\\", "/").strip().lstrip("/")
    return posixpath.normpath(folded) if "./" in folded or "//" in folded else folded


def names(path: str, item: str, others: Iterable[str], *, note: bool) -> dict[str, int]:
    """The names by which a link can refer to a document, each with its rank.

    Rank order: the full path before partial paths; with suffix before without. An item of a file has its own
    id, and the file's names with the item as anchor. `others`: the document's id and source id. A `note`
    ranks above another file with the same stem.
    """
    parts = path.split("/")
    ranked: list[tuple[str, int]] = [(item, 3)] if item else []
    for start in range(len(parts)):
        whole, length = start == 0, len(parts) - start
        if not whole and length > DEEP:
            continue
        name = "/".join(parts[start:])
        if item:
            ranked.append((f"{name}#{item}", 0 if whole else 4))
            continue
        stem = name.removesuffix(PurePosixPath(name).suffix)
        ranked += [(name, 0 if whole else 4), (stem, (1 if note else 6) if whole else (5 if note else 7))]
    ranked += [(name, 3) for name in others if name]
    found: dict[str, int] = {}
    for name, rank in ranked:
        key = fold(name)
        found[key] = min(rank, found.get(key, rank))
    return found


def name_rows(document: int, collection: str, id_: str, draft: Draft) -> list[tuple[int, str, str, int]]:
    """The rows for the names of a document."""
    called = names(draft.path, draft.item, (id_, draft.source_id), note=draft.format == "markdown")
    given = [(document, collection, name, ALIAS) for name in aliases(draft)]
    return [*((document, collection, name, rank) for name, rank in called.items()), *given]


def aliases(draft: Draft) -> tuple[str, ...]:
    """The aliases of a document in stored form, sorted."""
    return tuple(sorted(set(map(fold, draft.aliases))))


def written(draft: Draft) -> set[tuple[str, str, str]]:
    """The links of a document as a set, to detect changes."""
    return {(link.relation, link.target, link.anchor) for link in draft.links}


def row(document: int, link: LinkDraft, known: Known) -> tuple[object, ...]:
    """The row for a link, with its former target."""
    period = link.relation == OCCURRED_IN
    before = known.resolved.get((document, link.relation, link.target))
    return (
        document, link.relation, link.target, link.anchor, link.line, link.origin,
        "" if period else fold(link.target), None if period else before,
    )  # fmt: skip


def known(lease: Lease, numbers: Sequence[int]) -> Known:
    """The stored links and names of these documents."""
    if not numbers:
        return Known({}, {}, set(), {})
    found = Known({}, {number: set() for number in numbers}, set(), aliases_of(lease, numbers))
    for document, relation, target, anchor, origin, resolved in lease.rows(
        "SELECT document, relation, target, anchor, origin, resolved FROM ark.links "
        "WHERE document IN (SELECT unnest(?::BIGINT[]))",
        list(numbers),
    ):
        if resolved is not None:
            found.resolved[document, relation, target] = int(resolved)
        if origin != "user":
            found.written[document].add((relation, target, anchor))
    found.names.update(_names_of(lease, numbers))
    return found


def leave(lease: Lease, numbers: Sequence[int]) -> set[str]:
    """Delete the names and links of removed documents. Returns the names, for `settle`."""
    left = {name for _, _, name in _names_of(lease, numbers)}
    lease.delete("names", "document", numbers)
    lease.delete("links", "document", numbers)
    return left


def forget(lease: Lease, numbers: Sequence[int]) -> None:
    """Clear the target of all links to permanently deleted documents."""
    lease.run(
        "UPDATE ark.links SET resolved = NULL WHERE resolved IN (SELECT unnest(?::BIGINT[]))", list(numbers)
    )


def add(lease: Lease, number: int, relation: str, target: int) -> None:
    """Link a document to another one, in addition to the links in its text."""
    id_ = str(lease.value("SELECT id FROM ark.documents WHERE number = ?", target))
    draft = LinkDraft(relation, id_, origin="front matter")
    written = row(number, draft, Known({(number, relation, id_): target}, {}, set(), {}))
    lease.insert("links", [written])
    _settle_superseded(lease)


def drop(lease: Lease, number: int, relation: str) -> None:
    """Delete the links of a relation that `add` has made from a document."""
    lease.run(
        "DELETE FROM ark.links WHERE document = ? AND relation = ? AND origin = 'front matter'",
        *(number, relation),
    )
    _settle_superseded(lease)


def successors(lease: Lease, number: int) -> list[int]:
    """The chain of successors of a document, to the last."""
    found: list[int] = []
    known = _without_circles(_successors(lease))
    while (number := known.get(number, 0)) and number not in found:
        found.append(number)
    return found


def predecessors(lease: Lease, number: int) -> list[int]:
    """The documents that a document supersedes, directly or indirectly."""
    known, found = _without_circles(_successors(lease)), [number]
    for one in found:
        found += [old for old, new in known.items() if new == one and old not in found]
    return found[1:]


def settle(lease: Lease, numbers: Sequence[int], changed: Collection[str]) -> None:
    """Resolve the links of these documents again, and all links by a name that was added or removed."""
    touched = set(changed) | {name.partition("#")[0] for name in changed}
    asked = list(numbers), list(touched)
    if (numbers or touched) and lease.rows(_ANY, *asked):
        lease.run(_RESOLVE, *asked)
    _settle_superseded(lease)


def edges(lease: Lease, numbers: Sequence[int]) -> list[Edge]:
    """All resolved links from or to these documents, between existing documents."""
    rows = lease.rows(
        """SELECT DISTINCT l.document, l.resolved, l.relation
           FROM (SELECT document, resolved, relation FROM ark.links
                 WHERE document IN (SELECT unnest(?::BIGINT[]))
                 UNION ALL SELECT document, resolved, relation FROM ark.links
                 WHERE resolved IN (SELECT unnest(?::BIGINT[]))) l
           JOIN ark.documents d ON d.number = l.resolved
           WHERE d.gone IS NULL AND l.document <> l.resolved ORDER BY ALL""",
        list(numbers),
        list(numbers),
    )
    return [Edge(int(source), int(target), str(relation)) for source, target, relation in rows]


def all_edges(lease: Lease) -> Edges:
    """All resolved links, each once; their ends may include removed documents."""
    relations = [
        str(row[0])
        for row in lease.rows(
            "SELECT DISTINCT relation FROM ark.links WHERE resolved IS NOT NULL ORDER BY relation"
        )
    ]
    found = lease.columns(
        "SELECT DISTINCT document, resolved, list_position(?::VARCHAR[], relation)::INTEGER AS relation "
        "FROM ark.links WHERE resolved IS NOT NULL AND resolved <> document",
        relations,
    )
    return Edges(found["document"], found["resolved"], found["relation"], relations)


def occurrences(lease: Lease, periods: Sequence[str]) -> list[Occurrence]:
    """The existing documents that are linked to these periods."""
    rows = lease.rows(
        """SELECT l.document, l.target, CASE WHEN d.date_source <> 'modified' THEN d.date END
           FROM ark.links l JOIN ark.documents d ON d.number = l.document
           WHERE l.relation = ? AND l.target IN (SELECT unnest(?::VARCHAR[])) AND d.gone IS NULL
           ORDER BY ALL""",
        OCCURRED_IN,
        list(periods),
    )
    return [Occurrence(int(document), str(node), own) for document, node, own in rows]


# -- inside ------------------------------------------------------------------------------------------

_SHARED = """coalesce(nullif(list_position(list_transform(
    list_zip(string_split(c.folder, '/'), string_split(w.name, '/')),
    lambda pair: coalesce(pair[1] = pair[2], false)), false), 0), 1)"""
"""The index of the first folder, from the top, in which a name and the link's document differ."""

_WANTED = """l.name <> '' AND (l.document IN (SELECT unnest($1::BIGINT[]))
                                OR l.name IN (SELECT unnest($2::VARCHAR[]))
                                OR l.resolved IS NULL
                                   AND regexp_extract(l.name, '[^/]*$') IN (SELECT unnest($2::VARCHAR[])))"""
_ANY = f"SELECT 1 FROM ark.links l WHERE {_WANTED} LIMIT 1"
"""Whether any link needs resolving. Usually none does, and planning the full query takes ten times longer."""

# Joins each link with all documents of its name (or of its anchor as an item; or of its name without the
# folder of its own document, since a Markdown link may be relative to the root). The lowest rank wins; among
# files of the same name the nearest: first those below the link's folder, then the shortest path, then the
# one with most folders in common. If several remain, the link has no target. Links by a name that no
# document has are not changed.
_RESOLVE = f"""
UPDATE ark.links SET resolved = picked.document FROM (
    WITH wanted AS (
        SELECT l.rowid AS link, l.name, lower(l.anchor) AS anchor, d.collection,
               coalesce(regexp_extract(w.name, '^.*/'), '') AS folder
        FROM ark.links l JOIN ark.documents d ON d.number = l.document
        LEFT JOIN ark.names w ON w.document = l.document AND w.rank = 0
        WHERE {_WANTED}
    ), called AS (
        SELECT link, collection, folder, name, 0 AS step FROM wanted
        UNION ALL SELECT link, collection, folder, name || '#' || anchor, 0 FROM wanted WHERE anchor <> ''
        UNION ALL SELECT link, collection, folder, substring(name, length(folder) + 1), {FROM_THE_TOP}
        FROM wanted WHERE folder <> '' AND starts_with(name, folder)
    ), found AS (
        SELECT c.link, c.folder, n.document, n.rank IN ({BY_NAME}) AS named,
               {SURENESS} + c.step + CASE WHEN n.collection = c.collection THEN 0 ELSE {ELSEWHERE} END AS rank
        FROM called c JOIN ark.names n ON n.name = c.name
    ), surest AS (
        SELECT DISTINCT ON (link, document) * FROM found
        QUALIFY rank = min(rank) OVER (PARTITION BY link)
    ), counted AS (
        SELECT *, count(*) OVER (PARTITION BY link) AS many FROM surest
    ), nearest AS (
        SELECT link, document FROM counted WHERE many = 1
        UNION ALL
        SELECT c.link, c.document FROM counted c
        LEFT JOIN ark.names w ON w.document = c.document AND w.rank = 0
        WHERE c.many > 1
        QUALIFY rank() OVER (PARTITION BY c.link ORDER BY
            c.named AND NOT (c.rank < {ELSEWHERE} AND starts_with(w.name, c.folder)),
            CASE WHEN c.named THEN length(w.name) ELSE 0 END,
            CASE WHEN c.named THEN -{_SHARED} ELSE 0 END) = 1
    )
    SELECT link, CASE WHEN count(*) = 1 THEN min(document) END AS document FROM nearest GROUP BY link
) picked
WHERE links.rowid = picked.link AND links.resolved IS DISTINCT FROM picked.document
"""


def _names_of(lease: Lease, numbers: Sequence[int]) -> list[Name]:
    return [
        (int(document), str(collection), str(name))
        for document, collection, name in lease.rows(
            "SELECT document, collection, name FROM ark.names WHERE document IN (SELECT unnest(?::BIGINT[]))",
            list(numbers),
        )
    ]


def _settle_superseded(lease: Lease) -> None:
    """Recompute which documents are superseded, and log the chunks of those that changed."""
    now = _without_circles(_successors(lease))
    before: dict[int, int] = dict(lease.rows("SELECT document, successor FROM ark.superseded"))
    if now == before:
        return
    other = [document for document in {*now, *before} if now.get(document) != before.get(document)]
    lease.delete("superseded", "document", other)
    lease.insert("superseded", [(document, now[document]) for document in other if document in now])
    changes.touch(lease, [document for document in other if (document in now) != (document in before)])


def _successors(lease: Lease) -> dict[int, int]:
    """The stated successor of each document: the user's link first, then the first one in the text."""
    found: dict[int, int] = {}
    for document, successor in lease.rows(
        """SELECT l.document, l.resolved FROM ark.links l
           JOIN ark.documents a ON a.number = l.document JOIN ark.documents b ON b.number = l.resolved
           WHERE l.relation = ? AND a.gone IS NULL AND b.gone IS NULL AND l.document <> l.resolved
           ORDER BY l.document, l.origin <> 'user', l.line""",
        SUPERSEDED_BY,
    ):
        found.setdefault(int(document), int(successor))
    return found


def _without_circles(successors: dict[int, int]) -> dict[int, int]:
    """Remove cycles: documents that supersede each other stay visible; otherwise none could be found."""
    return {
        document: successor
        for document, successor in successors.items()
        if not _circles(document, successors)
    }


def _circles(document: int, successors: dict[int, int]) -> bool:
    seen, at = {document}, successors[document]
    while at in successors and at not in seen:
        seen.add(at)
        at = successors[at]
    return at == document
