"""Export and import of edits as JSON lines for git: one each, sorted, keyed by path and content hash."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from ark_tui.curation import edits, notes, saved
from ark_tui.curation.notes import Cut
from ark_tui.domain.curation import NO, NOTHING, RELATIONS, UNMADE, YES, Aspect, Change, Unmatched
from ark_tui.domain.documents import TIERS
from ark_tui.domain.errors import UsageError
from ark_tui.domain.query import read_request
from ark_tui.domain.untrusted import read_json
from ark_tui.store import Lease, overrides
from ark_tui.store.overrides import OverrideKey

SAID: tuple[Aspect, ...] = ("tag", "tier", "pin", "link", "unlink", "trash", "judge")
"""The kinds of statements about documents, besides notes."""

ITS = ("collection", "path", "item", "hash")

UNREADABLE = "unreadable"
"""The problem of a line that no export writes."""

Line = dict[str, Any]


def lines(lease: Lease) -> list[str]:
    """All edits, one JSON object a line, in an order that depends only on their content."""
    made = [*_notes(lease), *_said(lease), *_searches(lease)]
    made.sort(key=lambda one: [str(one.get(name, "")) for name in (*ITS[:3], "what", "key", "target")])
    return [json.dumps(one, ensure_ascii=False) for one in made]


def read(text: str) -> Iterator[tuple[int, Line | None]]:
    """The lines of an exported file with their numbers; None for one that no export writes."""
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            one = read_json(line)
        except ValueError:
            one = None
        yield number, one if isinstance(one, dict) and _fits(one) else None


class Import:
    """One import: its changes, and the lines that match no document."""

    def __init__(self, lease: Lease, cut: Cut) -> None:
        self._lease = lease
        self._cut = cut
        self._words: dict[OverrideKey, str] = {}
        self._known = _Known(lease)
        self.changes: list[Change] = []
        self.unmatched: list[Unmatched] = []
        self.count = self.unchanged = 0

    def take(self, text: str) -> None:
        """Read a file; invalid lines are reported, and the others are imported.

        Raises `UsageError` if no line is valid.
        """
        lines = list(read(text))
        self.count = len(lines)
        self.unmatched += [Unmatched(number, UNREADABLE, "") for number, one in lines if one is None]
        given = [(number, one) for number, one in lines if one is not None]
        if lines and not given:
            raise UsageError("No line is from an export of `doc export`.", "Nothing was imported.")
        for number, one in given:
            if one["what"] == "note":
                self._note(number, one)
        self._known = _Known(self._lease)
        words = self._lease.rows("SELECT document, aspect, key, value FROM ark.said")
        self._words |= {(int(d), str(aspect), str(key)): str(value) for d, aspect, key, value in words}
        for number, one in given:
            if one["what"] == "saved":
                value = json.dumps(one["value"], ensure_ascii=False)
                self._say(NOTHING, "saved", str(one["key"]), value)
            elif one["what"] != "note":
                self._statement(number, one)

    def _note(self, line: int, one: Line) -> None:
        if self._known.find(one) is not None:
            self.unchanged += 1
            return
        if not str(one["text"]).strip():
            self._miss(line, one)
            return
        number, _ = notes.add(
            self._lease, str(one["title"]), str(one["text"]), str(one["collection"]), self._cut
        )
        self.changes.append(Change(number, "trash", "", UNMADE, None))

    def _statement(self, line: int, one: Line) -> None:
        number, key = self._known.find(one), str(one.get("key", ""))
        if number is None:
            self._miss(line, one)
            return
        if one["what"] == "link":
            target = self._known.find(one["target"])
            if target is None or target == number:
                self._miss(line, one)
                return
            key = f"{key} {self._known.ids[target]}"
        self._say(number, one["what"], key, str(one["value"]))

    def _say(self, number: int, aspect: Aspect, key: str, value: str) -> None:
        before = self._words.get((number, aspect, key))
        if before == value:
            self.unchanged += 1
            return
        self._words[number, aspect, key] = value
        self.changes.append(Change(number, aspect, key, before, value))

    def _miss(self, line: int, one: Line) -> None:
        self.unmatched.append(Unmatched(line, str(one["what"]), f"{one['collection']}/{one['path']}"))


class _Known:
    """Finds documents by collection and path, else by content, else by path in another collection."""

    def __init__(self, lease: Lease) -> None:
        self.ids: dict[int, str] = {}
        self._found: dict[tuple[str, ...], list[int]] = {}
        for number, id_, collection, path, item, hash_ in lease.rows(
            "SELECT number, id, collection, path, item, hash FROM ark.documents "
            "WHERE layer <> 1 AND (gone IS NULL OR number IN "
            "(SELECT document FROM ark.said WHERE aspect = 'trash'))"
        ):
            self.ids[int(number)] = str(id_)
            for key in self._keys(collection, path, item, hash_):
                self._found.setdefault(key, []).append(int(number))

    def find(self, one: Line) -> int | None:
        """The document of a line; None if there is none, or several."""
        place = (str(one.get(name, "")) for name in ITS)
        found = (self._found.get(key, []) for key in self._keys(*place))
        return next((some[0] for some in found if len(some) == 1), None)

    @staticmethod
    def _keys(collection: str, path: str, item: str, hash_: str) -> tuple[tuple[str, ...], ...]:
        return ("place", collection, path, item), ("hash", hash_, item), ("path", path, item)


def _fits(one: Line) -> bool:
    """Whether an export writes such a line."""
    what, key, value = one.get("what"), one.get("key", ""), one.get("value")
    fits: dict[object, Callable[[], bool]] = {
        "tag": lambda: value in {YES, NO} and edits.clean([key]) == [key],
        "tier": lambda: value in TIERS,
        "pin": lambda: value == YES,
        "trash": lambda: value == YES,
        "unlink": lambda: value == YES and " " in key,
        "link": lambda: value == YES and key in RELATIONS and isinstance(one.get("target"), dict),
        "judge": lambda: value in {"0", "1", "2"} and edits.asked(key) == key,
        "note": lambda: isinstance(one.get("text"), str) and isinstance(one.get("title"), str),
        "saved": lambda: saved.NAME.fullmatch(key) is not None and read_request(value) is not None,
    }
    placed = what == "saved" or all(isinstance(one.get(name), str) for name in ("collection", "path"))
    try:
        return what in fits and placed and isinstance(key, str) and fits[what]()
    except (UsageError, TypeError):
        return False


def _said(lease: Lease) -> Iterator[Line]:
    places = _places(lease)
    by_id = dict(places.values())
    for aspect in SAID:
        for word in overrides.all_of(lease, aspect):
            if word.document not in places or word.value == UNMADE:
                continue
            line = {**places[word.document][1], "what": aspect}
            if aspect != "link":
                yield {**line, "key": word.key, "value": word.value}
                continue
            relation, _, target = word.key.partition(" ")
            if target in by_id:
                yield {**line, "key": relation, "value": word.value, "target": by_id[target]}


def _notes(lease: Lease) -> Iterator[Line]:
    """The notes of the store, which exist in no file."""
    places = _places(lease)
    for number, title, titled, body in lease.rows(
        """SELECT number, title, titled, body FROM ark.documents WHERE layer = 0 AND starts_with(path, ?)
           AND folder NOT IN (SELECT name FROM ark.collections WHERE root IS NOT NULL)
           AND number NOT IN (SELECT document FROM ark.said WHERE aspect = 'trash' AND value = ?)""",
        notes.FOLDER,
        UNMADE,
    ):
        if int(number) in places and body:
            title_ = title if titled else ""
            yield {**places[int(number)][1], "what": "note", "title": title_, "text": body}


def _searches(lease: Lease) -> Iterator[Line]:
    for word in overrides.all_of(lease, "saved"):
        yield {"what": "saved", "key": word.key, "value": json.loads(word.value)}


def _places(lease: Lease) -> dict[int, tuple[str, Line]]:
    """The id of each document, and its name in an exported line."""
    rows = lease.rows("SELECT number, id, collection, path, item, hash FROM ark.documents WHERE layer <> 1")
    return {
        int(number): (str(id_), {name: value for name, value in zip(ITS, rest, strict=True) if value})
        for number, id_, *rest in rows
    }
