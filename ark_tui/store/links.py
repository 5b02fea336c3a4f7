"""Links between documents, by number: where each leads, and what has taken whose place.

A link is stored as it is written, with the number of the document that it leads to. That is looked up by
name when the link or a document of that name arrives or goes, in the same transaction. A name that nobody
bears any more leaves the link where it was: the document has been renamed.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from ark_tui.domain.documents import OCCURRED_IN, SUPERSEDED_BY, Draft, LinkDraft
from ark_tui.domain.unicode import composed
from ark_tui.store import changes
from ark_tui.store.changes import ALIAS, aliases_of

if TYPE_CHECKING:
    from datetime import date

    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.store.lease import Lease

LINK_COLUMNS = {
    "document": "BIGINT", "relation": "VARCHAR", "target": "VARCHAR", "anchor": "VARCHAR", "line": "INTEGER",
    "origin": "VARCHAR", "name": "VARCHAR", "resolved": "BIGINT",
}  # fmt: skip
NAME_COLUMNS = {"document": "BIGINT", "collection": "VARCHAR", "name": "VARCHAR", "rank": "TINYINT"}

ELSEWHERE = 50  # added to the rank of a name in another collection
FROM_THE_TOP = 20  # likewise of one that a link has without the folder of its document
BY_NAME = "4, 5, 6, 7"  # ranks of the last parts of a path, which several files may have
SURENESS = f"CASE n.rank WHEN {ALIAS} THEN 8 ELSE n.rank END"
"""The rank of a name in SQL: what another document calls itself comes after every file of that name."""
DEEP = 4  # names of a path that a partial one may have

Direction = Literal["out", "in"]


Name: TypeAlias = tuple[int, str, str]
"""A document's number, its collection, and what it can be called there."""


class Edge(NamedTuple):
    """A link that leads somewhere, by document numbers."""

    source: int
    target: int
    relation: str


class Edges(NamedTuple):
    """All links that lead from one document to another, side by side."""

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    relation: NDArray[np.int32]  # place in `relations`, from 1
    relations: list[str]


class Step(NamedTuple):
    """A document `hops` links away from where the walk began, and the link by which it was reached."""

    document: int
    hops: int
    via: int  # the document before it
    relation: str
    direction: Direction


class Occurrence(NamedTuple):
    """A document that names, or is of, a month or quarter. `own`: its date, unless that is of its saving."""

    document: int
    node: str
    own: date | None


@dataclass(frozen=True, slots=True)
class Known:
    """What is stored of some documents' links and names before they are written anew."""

    resolved: dict[tuple[int, str, str], int]  # document, relation, target → where it led
    written: dict[int, set[tuple[str, str, str]]]  # relation, target, anchor; those of the person left out
    names: set[Name]
    aliases: dict[int, tuple[str, ...]]


def fold(name: str) -> str:
    """A name as it is compared: letters of any case and any composition are the same."""
    folded = composed(name).casefold().replace("\\", "/").strip().lstrip("/")
    return posixpath.normpath(folded) if "./" in folded or "//" in folded else folded


def names(path: str, item: str, others: Iterable[str], *, note: bool) -> dict[str, int]:
    """What a link may call a document, each name with its rank.

    Its path, whole before in part, with its suffix before without; an item of a file by its own id, and by
    the file's with the item as anchor. `others`: the document's id, its source id. A `note` comes before
    another file of the same stem.
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
    """What a document can be called, as it is stored."""
    called = names(draft.path, draft.item, (id_, draft.source_id), note=draft.format == "markdown")
    given = [(document, collection, name, ALIAS) for name in aliases(draft)]
    return [*((document, collection, name, rank) for name, rank in called.items()), *given]


def aliases(draft: Draft) -> tuple[str, ...]:
    """The other names that a document gives itself, as they are stored, sorted."""
    return tuple(sorted(set(map(fold, draft.aliases))))


def written(draft: Draft) -> set[tuple[str, str, str]]:
    """The links of a document, each once, to tell whether they have changed."""
    return {(link.relation, link.target, link.anchor) for link in draft.links}


def row(document: int, link: LinkDraft, known: Known) -> tuple[object, ...]:
    """A link as it is stored, leading where it led before."""
    period = link.relation == OCCURRED_IN
    before = known.resolved.get((document, link.relation, link.target))
    return (
        document, link.relation, link.target, link.anchor, link.line, link.origin,
        "" if period else fold(link.target), None if period else before,
    )  # fmt: skip


def known(lease: Lease, numbers: Sequence[int]) -> Known:
    """What is stored of these documents."""
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
    """Documents go: so do their names and links. Returns the names, for `settle`."""
    left = {name for _, _, name in _names_of(lease, numbers)}
    lease.delete("names", "document", numbers)
    lease.delete("links", "document", numbers)
    return left


def forget(lease: Lease, numbers: Sequence[int]) -> None:
    """Documents go for good: no link remembers having led to them."""
    lease.run(
        "UPDATE ark.links SET resolved = NULL WHERE resolved IN (SELECT unnest(?::BIGINT[]))", list(numbers)
    )


def add(lease: Lease, number: int, relation: str, target: int) -> None:
    """Link a document to another one, besides the links that its text has."""
    id_ = str(lease.value("SELECT id FROM ark.documents WHERE number = ?", target))
    draft = LinkDraft(relation, id_, origin="front matter")
    written = row(number, draft, Known({(number, relation, id_): target}, {}, set(), {}))
    lease.insert("links", LINK_COLUMNS, [written])
    _settle_superseded(lease)


def drop(lease: Lease, number: int, relation: str) -> None:
    """Take the links of a relation from a document that `add` has made."""
    lease.run(
        "DELETE FROM ark.links WHERE document = ? AND relation = ? AND origin = 'front matter'",
        *(number, relation),
    )
    _settle_superseded(lease)


def successors(lease: Lease, number: int) -> list[int]:
    """What has taken the place of a document, then what has taken the place of that, to the last."""
    found: list[int] = []
    known = _without_circles(_successors(lease))
    while (number := known.get(number, 0)) and number not in found:
        found.append(number)
    return found


def predecessors(lease: Lease, number: int) -> list[int]:
    """Whose place a document has taken, and whose place those had taken."""
    known, found = _without_circles(_successors(lease)), [number]
    for one in found:
        found += [old for old, new in known.items() if new == one and old not in found]
    return found[1:]


def settle(lease: Lease, numbers: Sequence[int], changed: Collection[str]) -> None:
    """Look up again the links of these documents, and all that use a name which has come or gone."""
    touched = set(changed) | {name.partition("#")[0] for name in changed}
    asked = list(numbers), list(touched)
    if (numbers or touched) and lease.rows(_ANY, *asked):
        lease.run(_RESOLVE, *asked)
    _settle_superseded(lease)


def edges(lease: Lease, numbers: Sequence[int]) -> list[Edge]:
    """All links from or to these documents that lead from one living document to another."""
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
    """Every link that leads somewhere, each once; documents that are gone may be among the ends."""
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


def neighbours(
    lease: Lease, numbers: Sequence[int], hops: int = 1, relations: Collection[str] = ()
) -> list[Step]:
    """The documents within so many links, nearest first, each by the first way it is reached.

    Links are followed in both directions; only those of the `relations`, if any are named.
    """
    seen = set(numbers)
    front, steps = list(seen), list[Step]()
    for hop in range(1, hops + 1):
        fresh: dict[int, Step] = {}
        for step in _around(edges(lease, front), set(front), hop):
            if step.document not in seen and (not relations or step.relation in relations):
                fresh.setdefault(step.document, step)
        steps += fresh.values()
        seen.update(fresh)
        front = list(fresh)
        if not front:
            break
    return steps


def occurrences(lease: Lease, periods: Sequence[str]) -> list[Occurrence]:
    """Which living documents are linked to these periods."""
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
"""The place of the first folder, from the top, that a name has not in common with the document of a link."""

_WANTED = """l.name <> '' AND (l.document IN (SELECT unnest($1::BIGINT[]))
                                OR l.name IN (SELECT unnest($2::VARCHAR[]))
                                OR l.resolved IS NULL
                                   AND regexp_extract(l.name, '[^/]*$') IN (SELECT unnest($2::VARCHAR[])))"""
_ANY = f"SELECT 1 FROM ark.links l WHERE {_WANTED} LIMIT 1"
"""Whether there is any to be looked up: most texts have none, and to plan the look is ten times as much."""

# Each link with all documents that bear its name (or, with its anchor, that of an item; or what it says
# without the folder that its own document is in: a Markdown link may be meant from the top). The surest rank
# decides; among files of one name the nearest: those below the link's folder, then the shortest path, then
# that with most folders in common. Where two are the same still, none is meant. Links whose name nobody bears
# are left alone.
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
    """Work out anew which documents are superseded, and tell the indexes of those for which that changed."""
    now = _without_circles(_successors(lease))
    before: dict[int, int] = dict(lease.rows("SELECT document, successor FROM ark.superseded"))
    if now == before:
        return
    other = [document for document in {*now, *before} if now.get(document) != before.get(document)]
    lease.delete("superseded", "document", other)
    lease.insert(
        "superseded",
        {"document": "BIGINT", "successor": "BIGINT"},
        [(document, now[document]) for document in other if document in now],
    )
    changes.touch(lease, [document for document in other if (document in now) != (document in before)])


def _successors(lease: Lease) -> dict[int, int]:
    """Where each document says that it is superseded: a person's word counts, then the first in the text."""
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
    """Documents that supersede each other in a circle are all shown: nobody could find any of them."""
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


def _around(found: Iterable[Edge], front: set[int], hop: int) -> Iterator[Step]:
    """Both directions of each link, as seen from the front."""
    for source, target, relation in found:
        if source in front:
            yield Step(target, hop, source, relation, "out")
        if target in front:
            yield Step(source, hop, target, relation, "in")
