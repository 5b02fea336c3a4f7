"""Applies overrides to what files state: tags, tiers and links.

`ark.tags`, `ark.links` and the tier in `ark.documents` always hold the effective values. The file's value is
stored as `own` in the override, so that deleting the override restores it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from ark_tui.domain.curation import NO, YES
from ark_tui.store import changes, links, overrides, trash
from ark_tui.store.lease import Lease, among
from ark_tui.store.overrides import Override, OverrideKey

OVER = ("tag", "tier", "link", "unlink")
"""The aspects that override values from files."""

FILE, USER = "file", "user"


def apply(lease: Lease, wanted: dict[OverrideKey, str | None]) -> None:
    """Set overrides (None: delete) and update everything that depends on them."""
    documents = list(dict.fromkeys(document for document, _, _ in wanted))
    before = overrides.of(lease, documents)
    tossed = [d for (d, aspect, _), value in wanted.items() if aspect == "trash" and value is not None]
    found = [d for (d, aspect, _), value in wanted.items() if aspect == "trash" and value is None]
    living = set(_living(lease, documents))
    names = trash.back(lease, [number for number in found if number not in living])
    living |= set(found)
    by_aspect: dict[str, dict[OverrideKey, str | None]] = {}
    for place, value in wanted.items():
        by_aspect.setdefault(place[1], {})[place] = value
    _tags(lease, by_aspect.pop("tag", {}), before)
    _tiers(lease, by_aspect.pop("tier", {}), before)
    _unlinks(lease, by_aspect.pop("unlink", {}), before)
    for plain in by_aspect.values():  # these override no value from a file
        overrides.drop(lease, list(plain))
        overrides.keep(
            lease, [Override(*place, value) for place, value in plain.items() if value is not None]
        )
    linked = [d for d, aspect, _ in wanted if aspect in {"link", "unlink"}]
    _links(lease, [d for d in {*linked, *found} if d in living])
    names |= trash.put(lease, [number for number in tossed if number in living])
    changes.touch(lease, [d for (d, aspect, _) in wanted if aspect in OVER])
    if any(aspect == "pin" for _, aspect, _ in wanted):
        lease.changed.add("pins")
    links.settle(lease, [*linked, *found], names)


def renew(lease: Lease, documents: Sequence[int]) -> None:
    """Apply the overrides of documents again after their files were read."""
    words = overrides.of(lease, documents, OVER)
    if not words:
        return
    _tags_again(lease, [word for word in words.values() if word.aspect == "tag"])
    _tiers_again(lease, [word for word in words.values() if word.aspect == "tier"])
    _strike(lease, [word for word in words.values() if word.aspect == "unlink"])
    _links(lease, [word.document for word in words.values() if word.aspect == "link"])


def trash_again(lease: Lease, documents: Sequence[int]) -> None:
    """Keep documents in the trash after their files were read, with the new text."""
    numbers = trash.held(lease, documents)
    if numbers:
        links.settle(lease, [], trash.put(lease, numbers))


# -- tags: a row exists or not, whatever its origin ----------------------------------------------------


def _tags(lease: Lease, wanted: dict[OverrideKey, str | None], before: dict[OverrideKey, Override]) -> None:
    rows = _origins(lease, wanted)
    words = [
        Override(*place, value or "", before[place].own if place in before else _joined(rows.get(place, ())))
        for place, value in wanted.items()
    ]
    _set_tags(lease, words)
    overrides.drop(lease, list(wanted))
    overrides.keep(lease, [word for word in words if word.value])


def _tags_again(lease: Lease, words: Sequence[Override]) -> None:
    """Update `own` from the tags of the file that were just written."""
    rows = _origins(lease, [word.place for word in words])
    renewed = []
    for word in words:
        there = set(rows.get(word.place, ()))
        given = USER in (word.own or "").split(",") or (word.value == NO and USER in there)
        own = _joined([*([FILE] if FILE in there else []), *([USER] if given else [])])
        renewed.append(word._replace(own=own))
    _set_tags(lease, renewed)
    overrides.keep(lease, renewed)


def _set_tags(lease: Lease, words: Sequence[Override]) -> None:
    """Rewrite the rows of these tags: by the override, or by `own` if it has no value."""
    if not words:
        return
    lease.run(
        "DELETE FROM ark.tags WHERE (document, tag) IN (SELECT (unnest(?::BIGINT[]), unnest(?::VARCHAR[])))",
        [word.document for word in words],
        [word.key for word in words],
    )
    rows = []
    for word in words:
        below = set((word.own or "").split(",")) - {""}
        origins = set() if word.value == NO else below | ({USER} if word.value == YES else set())
        rows += [(word.document, word.key, origin) for origin in sorted(origins)]
    lease.insert("tags", rows)


def _origins(lease: Lease, places: Iterable[OverrideKey]) -> dict[OverrideKey, list[str]]:
    found: dict[OverrideKey, list[str]] = {}
    wanted = set(places)
    for document, tag, origin in lease.rows(
        f"SELECT DISTINCT document, tag, origin FROM ark.tags WHERE document {among(p[0] for p in wanted)}"
    ):
        found.setdefault((int(document), "tag", str(tag)), []).append(str(origin))
    return {place: origins for place, origins in found.items() if place in wanted}


def _joined(origins: Iterable[str]) -> str | None:
    return ",".join(sorted(set(origins))) or None


# -- tiers --------------------------------------------------------------------------------------------


def _tiers(lease: Lease, wanted: dict[OverrideKey, str | None], before: dict[OverrideKey, Override]) -> None:
    if not wanted:
        return
    now = _stored_tiers(lease, [document for document, _, _ in wanted])
    words, tiers = [], {}
    for place, value in wanted.items():
        if place[0] not in now:
            continue
        own = before[place].own if place in before else now[place[0]]
        tiers[place[0]] = value or own or ""
        if value:
            words.append(Override(*place, value, own))
    overrides.drop(lease, list(wanted))
    overrides.keep(lease, words)
    _set_tiers(lease, tiers)


def _tiers_again(lease: Lease, words: Sequence[Override]) -> None:
    if not words:
        return
    now = _stored_tiers(lease, [word.document for word in words])
    overrides.keep(lease, [word._replace(own=now.get(word.document, word.own)) for word in words])
    _set_tiers(lease, {word.document: word.value for word in words})


def _stored_tiers(lease: Lease, documents: Sequence[int]) -> dict[int, str]:
    return dict(lease.rows(f"SELECT number, tier FROM ark.documents WHERE number {among(documents)}"))


def _set_tiers(lease: Lease, tiers: dict[int, str]) -> None:
    for tier in set(tiers.values()):
        of_it = [document for document, one in tiers.items() if one == tier]
        lease.run(f"UPDATE ark.documents SET tier = ? WHERE number {among(of_it)}", tier)


# -- links --------------------------------------------------------------------------------------------


def _links(lease: Lease, documents: Sequence[int]) -> None:
    """Rebuild the links that a user made from existing documents; they refer to an id, not a name."""
    if not documents:
        return
    lease.run(f"DELETE FROM ark.links WHERE origin = 'user' AND document {among(documents)}")
    words = overrides.of(lease, documents, ("link",)).values()
    keys = [tuple(word.key.split(" ", 1)) for word in words]
    ends: dict[str, tuple[int, str]] = {
        str(id_): (int(number), str(path))
        for id_, number, path in lease.rows(
            "SELECT id, number, path FROM ark.documents WHERE id IN (SELECT unnest(?::VARCHAR[]))",
            [id_ for _, id_ in keys],
        )
    }
    rows = [
        (word.document, relation, ends[id_][1], "", 0, USER, "", ends[id_][0])
        for word, (relation, id_) in zip(words, keys, strict=True)
        if id_ in ends
    ]
    lease.insert("links", rows)


def _unlinks(
    lease: Lease, wanted: dict[OverrideKey, str | None], before: dict[OverrideKey, Override]
) -> None:
    """Hide or restore links of a file, by the user's overrides."""
    back = [before[place] for place, value in wanted.items() if value is None and place in before]
    _put_back(lease, back)
    overrides.drop(lease, [word.place for word in back])
    fresh = [Override(*place, value) for place, value in wanted.items() if value and place not in before]
    overrides.keep(lease, fresh)
    _strike(lease, fresh)


def _strike(lease: Lease, words: Sequence[Override]) -> None:
    """Delete the rows of hidden links and store them in the override."""
    for word in words:
        relation, _, target = word.key.partition(" ")
        rows = lease.rows(
            "DELETE FROM ark.links WHERE document = ? AND relation = ? AND target = ? AND origin <> 'user' "
            "RETURNING anchor, line, origin",
            word.document,
            relation,
            target,
        )
        lease.wrote = True
        overrides.keep(lease, [word._replace(own=json.dumps(rows) if rows else None)])


def _put_back(lease: Lease, words: Sequence[Override]) -> None:
    """Restore hidden links of a file; `settle` resolves their targets."""
    aside = set(trash.held(lease, [word.document for word in words]))
    living = set(_living(lease, [word.document for word in words]))
    for word in words:
        relation, _, target = word.key.partition(" ")
        rows = [
            (word.document, relation, target, anchor, line, origin, links.fold(target), None)
            for anchor, line, origin in json.loads(word.own or "[]")
        ]
        if word.document in aside:
            lease.insert("trashed_links", rows)
        elif word.document in living:
            lease.insert("links", rows)


def _living(lease: Lease, numbers: Iterable[int]) -> list[int]:
    return lease.numbers(f"SELECT number FROM ark.documents WHERE gone IS NULL AND number {among(numbers)}")
