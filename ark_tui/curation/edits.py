"""Edits of documents: each function plans one, for `Curation.edit` to carry out.

Documents are named by references: ids, paths, file names, or `@1` for the first hit of the last search.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ark_tui.curation import notes
from ark_tui.curation.notes import Cut
from ark_tui.domain import memory
from ark_tui.domain.curation import NO, NOTHING, RELATIONS, UNMADE, YES, Aspect, Change
from ark_tui.domain.documents import SUPERSEDED_BY, Document
from ark_tui.domain.errors import Hint, NotFound, UsageError
from ark_tui.domain.layers import OWN, WORKING
from ark_tui.domain.unicode import composed
from ark_tui.domain.wording import counted
from ark_tui.store import Lease, documents, files, links, overrides
from ark_tui.store.overrides import Override, OverrideKey
from ark_tui.store.trash import HELD

Refs: TypeAlias = Sequence[str]

LONGEST_TAG = 100  # characters
JUDGED = {2: "is the best answer", 1: "is an answer", 0: "is no answer"}
UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class EditPlan:
    """A planned edit: its changes, and the messages for it and for its undo."""

    what: str
    inverse: str
    changes: tuple[Change, ...] = ()
    documents: tuple[int, ...] = ()  # that it is about
    notices: tuple[str, ...] = field(default=())


def tag(lease: Lease, refs: Refs, tags: Sequence[str]) -> EditPlan:
    """Tag documents. The tag stays even if the file also has it and drops it later."""
    return _tagged(lease, named(lease, refs), tags)


def _tagged(lease: Lease, numbers: Sequence[int], tags: Sequence[str]) -> EditPlan:
    wanted = clean(tags)
    said, whom = _said(lease, numbers, "tag", wanted, YES)
    return said.plan(f"tagged {whom} with {', '.join(wanted)}", f"untagged {whom}")


def retag(lease: Lease, refs: Refs, on: Sequence[str], off: Sequence[str]) -> EditPlan:
    """Add and remove tags in one edit."""
    numbers = named(lease, refs)
    plans = [
        *([_tagged(lease, numbers, on)] if on else ()), *([_removed(lease, numbers, off)] if off else ()),
    ]  # fmt: skip
    return EditPlan(
        "; ".join(plan.what for plan in plans),
        "; ".join(plan.inverse for plan in reversed(plans)),
        tuple(change for plan in plans for change in plan.changes),
        tuple(numbers),
    )


def untag(lease: Lease, refs: Refs, tags: Sequence[str]) -> EditPlan:
    """Remove tags. A removed tag stays off even if the file has it."""
    return _removed(lease, named(lease, refs), tags)


def _removed(lease: Lease, numbers: Sequence[int], tags: Sequence[str]) -> EditPlan:
    wanted = clean(tags)
    saying = _ChangeBuilder(lease, numbers)
    known = documents.documents(lease, numbers)
    for number in numbers:
        for one in wanted:
            word = saying.words.get((number, "tag", one))
            if one in known[number].tags:
                saying.say(number, "tag", one, None if word and word.own is None else NO)
    off = any(
        word.value == NO
        for (_, aspect, key), word in saying.words.items()
        if aspect == "tag" and key in wanted
    )
    if not saying.changes and not off:
        raise NotFound(
            _untagged(known, wanted), _tags_said(sorted({tag for one in known.values() for tag in one.tags}))
        )
    whom = called(lease, saying.changed)
    return saying.plan(f"removed {', '.join(wanted)} from {whom}", f"tagged {whom} again")


def rename_tag(lease: Lease, old: str, new: str) -> EditPlan:
    """Rename a tag and the tags below it on all documents, including those in the trash.

    If a document has both tags, they become one. Raises `NotFound` if no document has the old tag.
    """
    (old,), (new,) = clean([old]), clean([new])
    rows = lease.rows(
        "SELECT DISTINCT document, tag FROM ark.tags WHERE starts_with(tag || '/', ?) ORDER BY ALL", f"{old}/"
    )
    renamed = {(int(number), str(one)): f"{new}{str(one)[len(old) :]}" for number, one in rows}
    if not renamed:
        there = lease.rows("SELECT DISTINCT tag FROM ark.tags ORDER BY tag LIMIT 20")
        raise NotFound(f"No document has the tag {old}.", _tags_said([str(one) for (one,) in there]))
    saying = _ChangeBuilder(lease, list(dict.fromkeys(number for number, _ in renamed)))
    given = {(number, to) for (number, _), to in renamed.items()}
    for number, to in sorted(given - renamed.keys()):
        saying.say(number, "tag", to, YES)
    for number, one in renamed.keys() - given:
        word = saying.words.get((number, "tag", one))
        saying.say(number, "tag", one, None if word and word.own is None else NO)
    whom = called(lease, saying.changed)
    return saying.plan(f"renamed the tag {old} to {new} on {whom}", f"restored the tag {old} on {whom}")


def rename_collection(lease: Lease, old: str, new: str) -> EditPlan:
    """Rename a collection to a name that is not in use; its documents keep their ids and edits.

    Raises `NotFound` for an unknown collection and `UsageError` for a name in use.
    """
    new = new.strip()
    check_collection(lease, old)
    taken = {files.DEFAULT, *OWN, *(one.name for one in files.collections(lease))} - {old}
    if not new or "/" in new or new in taken:
        what = f"The name {new} is taken." if new and "/" not in new else "That is not a valid name."
        raise UsageError(what, "Give another one, without a slash.")
    changes = (Change(NOTHING, "collection", "", old, new),) if new != old else ()
    return EditPlan(
        f"renamed the collection {old} to {new}", f"renamed the collection {new} to {old}", changes
    )


def tier(lease: Lease, refs: Refs, tier: str) -> EditPlan:
    """Set the tier of documents."""
    wanted = memory.tier(tier)
    said, whom = _said(lease, named(lease, refs), "tier", [""], wanted)
    return said.plan(f"set the tier of {whom} to {wanted}", f"restored the tier of {whom}")


def pin(lease: Lease, refs: Refs, *, on: bool = True) -> EditPlan:
    """Pin documents to the top of lists, or unpin them. Pins do not affect ranking."""
    said, whom = _said(lease, named(lease, refs), "pin", [""], YES if on else None)
    told = f"pinned {whom}", f"unpinned {whom}"
    return said.plan(*(told if on else reversed(told)))


def link(lease: Lease, ref: str, to: str, relation: str = "links_to") -> EditPlan:
    """Link one document to another. The link survives renames and changes of either."""
    check_relation(relation)
    source, target = _one(lease, ref), _one(lease, to)
    a, b = _two(lease, source, target, f"cannot be linked to itself as {relation}")
    saying = _ChangeBuilder(lease, [source])
    saying.say(source, "link", f"{relation} {b.id}", YES)
    return saying.plan(
        f"linked “{a.title}” to “{b.title}” as {relation}", f"unlinked “{a.title}” from “{b.title}”"
    )


def unlink(lease: Lease, ref: str, to: str, relation: str = "") -> EditPlan:
    """Remove the links from one document to another: those made by hand, and those in the file."""
    if relation:
        check_relation(relation)
    source, target = _one(lease, ref), _one(lease, to)
    a, b = _two(lease, source, target, "has no link to itself")
    rows = lease.rows(
        "SELECT DISTINCT relation, target, origin FROM ark.links "
        "WHERE document = ? AND resolved = ? AND (? = '' OR relation = ?) ORDER BY ALL",
        source, target, relation, relation,
    )  # fmt: skip
    if not rows:
        as_ = f" as {relation}" if relation else ""
        raise NotFound(
            f"“{a.title}” has no link to “{b.title}”{as_}.",
            Hint.run("show", a.short_id, say="See its links: {}; a link has a direction."),
        )
    saying = _ChangeBuilder(lease, [source])
    for kind, written, origin in rows:
        if origin == "user":
            saying.say(source, "link", f"{kind} {b.id}", None)
        else:
            saying.say(source, "unlink", f"{kind} {written}", YES)
    told = f"“{a.title}” from “{b.title}”"
    return saying.plan(f"unlinked {told}", f"linked {told.replace('from', 'to', 1)} again")


def supersede(lease: Lease, refs: Refs, by: str) -> EditPlan:
    """Mark documents as superseded by another one: searches hide them while that one exists."""
    numbers, successor = named(lease, refs), _one(lease, by)
    saying = _ChangeBuilder(lease, numbers)
    for number in numbers:
        _, new = _two(lease, number, successor, "cannot supersede itself")
        _no_circle(lease, number, successor)
        replaced(saying, number, new.id)
    whom = called(lease, saying.changed)
    return saying.plan(f"superseded {whom} by {called(lease, [successor])}", f"restored {whom} to results")


def trash(lease: Lease, refs: Refs) -> EditPlan:
    """Move documents to the trash: they are hidden; their text and their files stay."""
    numbers = named(lease, refs)
    saying = _ChangeBuilder(lease, numbers)
    for number, found in documents.documents(lease, numbers).items():
        if found.layer == WORKING:
            raise UsageError(f"{found.short_id} is a message.", "It goes when its conversation is deleted.")
        saying.say(number, "trash", "", YES)
    whom = called(lease, saying.changed)
    return saying.plan(f"moved {whom} to the trash", f"restored {whom} from the trash")


def untrash(lease: Lease, refs: Refs) -> EditPlan:
    """Restore documents from the trash."""
    said, whom = _said(lease, named(lease, refs, trashed=True), "trash", [""], None)
    return said.plan(f"restored {whom} from the trash", f"moved {whom} to the trash again")


def merge(lease: Lease, ref: str, others: Refs) -> EditPlan:
    """Merge documents with the same content into one.

    The others move to the trash, superseded by it; it gets their tags, links, pins and judgments.
    """
    keep, rest = _one(lease, ref), named(lease, others)
    rest = [number for number in rest if number != keep]
    if not rest:
        raise UsageError(f"{called(lease, [keep])} cannot be merged with itself.", "Name several documents.")
    found = documents.documents(lease, [keep, *rest])
    saying = _ChangeBuilder(lease, [keep, *rest])
    for number in rest:
        _unite(saying, found[keep], keep, found[number], number)
        replaced(saying, number, found[keep].id)
    _unite_links(lease, saying, keep, rest)
    for number in rest:
        saying.say(number, "trash", "", YES)
    whom = called(lease, rest)
    return saying.plan(f"merged {whom} into {called(lease, [keep])}", f"separated {whom} again")


def judge(lease: Lease, query: str, ref: str, grade: int | None) -> EditPlan:
    """Judge how well a document answers a query: 2, 1 or 0; None removes the judgment."""
    if grade not in {None, 0, 1, 2}:
        raise UsageError(f"There is no grade {grade}.", "It is 2, 1 or 0.")
    line = asked(query)
    said, whom = _said(lease, [_one(lease, ref)], "judge", [line], None if grade is None else str(grade))
    told = "has no judgment" if grade is None else JUDGED[grade]
    return said.plan(f"{whom} {told} for “{line}”", f"restored the judgment of {whom} for “{line}”")


def regrade(lease: Lease, query: str, refs: Refs, step: Mapping[int | None, int]) -> EditPlan:
    """Judge documents, each with the grade after its current one: `BETTER` or `WORSE`."""
    line, numbers = asked(query), named(lease, refs)
    saying = _ChangeBuilder(lease, numbers)
    words = {number: saying.words.get((number, "judge", line)) for number in numbers}
    grades = {number: step[int(word.value) if word else None] for number, word in words.items()}
    for number, grade in grades.items():
        saying.say(number, "judge", line, str(grade))
    whom = called(lease, numbers)
    told = JUDGED[grades[numbers[0]]] if len(grades) == 1 else "are judged"
    return saying.plan(f"{whom} {told} for “{line}”", f"restored the judgment of {whom} for “{line}”")


def asked(query: str) -> str:
    """A query in the form under which judgments are stored: with single blanks."""
    line = " ".join(query.split())
    if not line or UNSEEN.search(line):
        raise UsageError("The query of a judgment is empty or has control characters.", "Give its words.")
    return line


def settle(lease: Lease, ref: str, what: str) -> EditPlan:
    """Mark a question of the curation queue as answered, so that it is not asked again."""
    said, whom = _said(lease, [_one(lease, ref)], "settled", [what], YES)
    return said.plan(f"kept {whom} unchanged", f"reopened the question about {whom}")


def note(
    lease: Lease, cut: Cut, text: str, title: str = "", tags: Sequence[str] = (), collection: str = "default"
) -> EditPlan:
    """Add a note to the store. The same text and title give the same note; then only its tags may be new.

    `cut` splits it into chunks.
    """
    number, new = notes.add(lease, title.strip(), text, collection, cut)
    if new:
        return new_note(lease, number, tags, UNMADE)
    return _tagged(lease, [number], tags) if tags else EditPlan("", "", (), (number,))


def new_note(lease: Lease, number: int, tags: Sequence[str], made: str) -> EditPlan:
    """A new note; undo moves it to the trash. `made`: the value of its trash flag after that."""
    saying = _ChangeBuilder(lease, [number])
    before = saying.words.get((number, "trash", ""))
    saying.changes.append(Change(number, "trash", "", before.value if before else made, None))
    for one in clean(tags) if tags else []:
        saying.say(number, "tag", one, YES)
    whom = called(lease, [number])
    return saying.plan(f"added the note {whom}", f"removed the note {whom}")


def rewrite(lease: Lease, cut: Cut, ref: str, title: str | None = None, text: str | None = None) -> EditPlan:
    """Change the title or text of a stored note; None leaves it unchanged. `cut` splits it into chunks."""
    number = _one(lease, ref)
    before = notes.as_it_is(lease, number, cut)
    after = notes.changed(before, title, text)
    changes = () if before == after else (Change(number, "note", "", before, after),)
    whom = called(lease, [number])
    return EditPlan(f"changed the note {whom}", f"restored the note {whom}", changes, (number,))


def replaced(saying: _ChangeBuilder, number: int, successor: str) -> None:
    """Replace the successor of a document."""
    for _, aspect, key in list(saying.words):
        if aspect == "link" and key.startswith(f"{SUPERSEDED_BY} ") and not key.endswith(successor):
            saying.say(number, "link", key, None)
    saying.say(number, "link", f"{SUPERSEDED_BY} {successor}", YES)


def clean(tags: Iterable[str]) -> list[str]:
    """Tags in stored form: single blanks, no `#`. Raises `UsageError` for an invalid tag."""
    found = []
    for written in map(composed, tags):
        one = " ".join(written.replace("\t", " ").split()).removeprefix("#").strip()
        if UNSEEN.search(written.strip()):
            raise UsageError("A tag cannot have control characters in it.", "Type it again by hand.")
        if not one:
            raise UsageError(
                "A tag needs a name.", Hint.run("doc tag", "draft", "#3fa9c1", say="Example: {}")
            )
        if "," in one or len(one) > LONGEST_TAG:
            long = f"has more than {LONGEST_TAG} characters"
            why = "has a comma, which separates tags" if "," in one else long
            raise UsageError(f"The tag {one[:40]} {why}.", "Give several tags one by one.")
        found.append(one)
    if not found:
        raise UsageError("No tag is given.", Hint.run("doc tag", "draft", "#3fa9c1", say="Example: {}"))
    return list(dict.fromkeys(found))


def check_collection(lease: Lease, name: str) -> None:
    """Raises `NotFound` for an unknown collection, and `UsageError` for that of notes."""
    known = [one.name for one in files.collections(lease) if one.name not in OWN]
    if name not in known:
        raise NotFound(f"There is no collection {name}.", f"There are {', '.join(known)}.")
    if name == files.DEFAULT:
        raise UsageError(f"The collection {name} cannot be renamed.", "It is for texts.")


def check_relation(relation: str) -> None:
    if relation not in RELATIONS:
        raise UsageError(f"There is no relation {relation}.", f"There are {', '.join(RELATIONS)}.")


def called(lease: Lease, numbers: Iterable[int]) -> str:
    """“The title” of one document, or the number of several."""
    wanted = list(dict.fromkeys(numbers))
    if len(wanted) != 1:
        return counted(len(wanted), "document")
    return f"“{documents.documents(lease, wanted)[wanted[0]].title}”"


def _one(lease: Lease, ref: str) -> int:
    return named(lease, [ref])[0]


class _ChangeBuilder:
    """Collects changes, leaving out those that are in effect already."""

    def __init__(self, lease: Lease, numbers: Sequence[int]) -> None:
        self.words: dict[OverrideKey, Override] = overrides.of(lease, numbers)
        self.numbers = tuple(numbers)
        self.changes: list[Change] = []
        self._said: set[OverrideKey] = set()

    @property
    def changed(self) -> list[int]:
        """The documents with changes, or all of them if none has."""
        return list(dict.fromkeys(change.document for change in self.changes)) or list(self.numbers)

    def say(self, number: int, aspect: Aspect, key: str, value: str | None) -> None:
        word = self.words.get((number, aspect, key))
        before = word.value if word else None
        if before != value and (number, aspect, key) not in self._said:
            self._said.add((number, aspect, key))
            self.changes.append(Change(number, aspect, key, before, value))

    def plan(self, what: str, inverse: str) -> EditPlan:
        return EditPlan(what, inverse, tuple(self.changes), self.numbers)


def _said(
    lease: Lease, numbers: Sequence[int], aspect: Aspect, keys: Sequence[str], value: str | None
) -> tuple[_ChangeBuilder, str]:
    """The same statements about several documents, and what to call those that they change."""
    said = _ChangeBuilder(lease, numbers)
    for number in numbers:
        for key in keys:
            said.say(number, aspect, key, value)
    return said, called(lease, said.changed)


def _unite(saying: _ChangeBuilder, keep: Document, to: int, other: Document, number: int) -> None:
    """Move the edits of a merged document to the one that stays."""
    for tag in other.tags:
        if tag not in keep.tags:
            saying.say(to, "tag", tag, YES)
    if other.pinned:
        saying.say(to, "pin", "", YES)
    for (owner, aspect, key), word in list(saying.words.items()):
        if owner == number and aspect == "judge" and (to, "judge", key) not in saying.words:
            saying.say(to, "judge", key, word.value)


def _unite_links(lease: Lease, saying: _ChangeBuilder, keep: int, rest: Sequence[int]) -> None:
    """Move the links of merged documents to the one that stays."""
    rows = links.edges(lease, [keep, *rest])
    there = {tuple(edge) for edge in rows}
    among_them = {keep, *rest}
    wanted = []
    for source, target, relation in rows:
        if source in rest and target not in among_them and relation != SUPERSEDED_BY:
            wanted.append((keep, target, relation))
        elif target in rest and source not in among_them:
            wanted.append((source, keep, relation))
    ids = {number: one.id for number, one in documents.documents(lease, [w[1] for w in wanted]).items()}
    saying.words |= overrides.of(lease, [source for source, _, _ in wanted])
    for source, target, relation in wanted:
        if (source, target, relation) not in there and relation in RELATIONS:
            saying.say(source, "link", f"{relation} {ids[target]}", YES)


def _two(lease: Lease, a: int, b: int, why_not: str) -> tuple[Document, Document]:
    found = documents.documents(lease, [a, b])
    if a == b:
        raise UsageError(f"“{found[a].title}” {why_not}.", "Name two documents.")
    return found[a], found[b]


def _no_circle(lease: Lease, number: int, successor: int) -> None:
    """Refuse documents that supersede each other in a circle."""
    rows = lease.rows("SELECT document, successor FROM ark.superseded")
    successors = {int(document): int(by) for document, by in rows}
    at, seen = successor, {successor}
    while (at := successors.get(at, at)) not in seen:
        seen.add(at)
    if number in seen:
        old, new = called(lease, [number]), called(lease, [successor])
        raise UsageError(
            f"{new} is itself superseded by {old}.",
            Hint.run("doc unlink", "NEW", "OLD", say="Unlink them first: {}"),
        )


def _untagged(known: dict[int, Document], wanted: Sequence[str]) -> str:
    whom = f"“{next(iter(known.values())).title}” has" if len(known) == 1 else "None of them has"
    return f"{whom} no tag {' or '.join(wanted)}."


def _tags_said(tags: Sequence[str]) -> str:
    return f"There are {', '.join(tags[:20])}." if tags else "They have no tags at all."


CHUNK = re.compile(r"(#?[0-9a-f]{4,16}):\d+")


def named(lease: Lease, refs: Sequence[str], *, trashed: bool = False) -> list[int]:
    """The numbers of the referenced documents, each once. Raises `NotFound`, `Ambiguous`, `UsageError`.

    `trashed`: look in the trash instead.
    """
    if not refs:
        raise UsageError("No document is named.", "Name one: an id such as #3fa9c1, a path, or @1.")
    return list(dict.fromkeys(_number(lease, ref, trashed=trashed) for ref in refs))


def _number(lease: Lease, ref: str, *, trashed: bool) -> int:
    name = ref.strip()
    if not name.strip("#./"):
        raise UsageError(
            "The name of a document is empty.", "Name one: an id such as #3fa9c1, a path, or @1."
        )
    if chunk := CHUNK.fullmatch(name):
        name = chunk[1]
    if trashed:
        return documents.resolve(lease, name, HELD)
    try:
        return documents.resolve(lease, name)
    except NotFound:
        _say_if_trashed(lease, name)
        raise


def _say_if_trashed(lease: Lease, name: str) -> None:
    """Raise an error that says a document is in the trash, if it is."""
    try:
        number = documents.resolve(lease, name, HELD)
    except NotFound:
        return
    found = documents.documents(lease, [number])[number]
    raise NotFound(
        f"{found.title} is in the trash.", Hint.run("doc restore", found.short_id, say="Bring it back: {}.")
    )
