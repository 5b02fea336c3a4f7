"""What can be named, for the one picker and for completion: read once, narrowed by letters, looked at."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from ark_tui import operations
from ark_tui.domain.curation import RELATIONS
from ark_tui.domain.documents import TIERS
from ark_tui.domain.errors import ArkError
from ark_tui.domain.library import Listing
from ark_tui.domain.plain import beneath, plain
from ark_tui.domain.query import SAVED
from ark_tui.domain.wording import counted
from ark_tui.interfaces.tui.state import strings
from ark_tui.interfaces.tui.state.choice import Choice, best, closeness
from ark_tui.interfaces.tui.state.configured import tilde
from ark_tui.operations.page import WHOLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ark_tui.domain.documents import Document
    from ark_tui.domain.paging import Page
    from ark_tui.domain.query import Kind
    from ark_tui.interfaces.tui.state.client import Client

COUNTED = 100_000
"""Files of a folder that a preview counts at most."""

MOST = 200
"""Rows; who sees more has typed too little."""

NEAREST = 10
"""Documents that come before those that say something else."""

GROUPS = (strings.GROUP_SIMILAR, strings.GROUP_OTHERS)
"""What documents are beside those that come first."""

LOOKED_AT = 1_500
"""Characters of a text that a preview looks at."""

FIELDS: dict[str, Kind] = {
    "tag": "tag", "type": "type", "in": "collection", "tier": "tier", "layer": "layer",
}  # fmt: skip
"""The fields of a query whose values are known, and what documents say for each."""

NAMES = ":"
"""In place of a field, where what is begun is the name of one."""

HAS = "has"
"""The field whose values are names of fields."""

META = "meta."
"""What stands before a field that is called like one of ours."""

PLAIN = {"path", "before", "after", "since", "date"}
"""Fields whose values nobody can list."""

BEGUN = re.compile(
    rf"(?:^(?P<saved>{SAVED})|(?:^|[\s(])-?(?:(?P<field>[^\W\d_][\w.-]*):)?)"
    r"(?P<begun>[^\s\"“„:]*)$"
)
"""The last word of a query line: a value of a field, the name of a saved search, or perhaps of a field."""

LETTERS = 3
"""Of a word that may become the name of a field; shorter ones begin too many words."""

TIER_MEANS = {
    "doc": strings.TIER_DOC,
    "raw": strings.TIER_RAW,
    "reflection": strings.TIER_REFLECTION,
    "wiki": strings.TIER_WIKI,
}
RELATION_MEANS = {
    "links_to": strings.RELATION_LINKS,
    "builds_on": strings.RELATION_BUILDS,
    "derives_from": strings.RELATION_DERIVES,
    "contradicts": strings.RELATION_CONTRADICTS,
    "tensions": strings.RELATION_TENSIONS,
    "superseded_by": strings.RELATION_SUPERSEDED,
    "post_mortem": strings.RELATION_POST_MORTEM,
}


class Names:
    """What can be picked. By itself: some choices that are known already."""

    hint = strings.PICK_HINT
    does = strings.DOES_SELECT
    empty = strings.PICK_EMPTY
    nothing = strings.PICK_NO_MATCH  # where there is something, but not of what is typed
    looks = False  # there is something to look at beside the label

    def __init__(self, known: Sequence[Choice] = (), does: str = "", *, looks: bool = False) -> None:
        self.known = known
        self.does, self.looks = does or self.does, looks or self.looks

    def read(self, client: Client) -> Sequence[Choice]:
        """All there are; in a thread. Raises `ArkError`."""
        del client
        return self.known

    def score(self, typed: str, choice: Choice) -> float:
        """How well a choice fits what was typed; 0: not at all."""
        return closeness(typed, f"{choice.label} {choice.about}")

    def fitting(self, typed: str, known: Sequence[Choice]) -> list[Choice]:
        """Those that fit, best first; in a thread."""
        if not typed.strip():
            return list(known[:MOST])
        return best(known, partial(self.score, typed), MOST)

    def preview(self, client: Client, choice: Choice) -> str:
        """What there is to be seen of a choice; in a thread."""
        del client
        return choice.preview

    def completed(self, choice: Choice) -> str:
        """What tab writes into the line."""
        return choice.label


class Memories(Names):
    """What is remembered in a layer, and holds; what shares most words with a text comes first."""

    hint = strings.MEMORY_HINT
    empty = strings.NO_MEMORIES
    looks = True

    def __init__(self, does: str, layer: str, text: str) -> None:
        super().__init__(does=does)
        self._layer, self._words = layer, {*text.casefold().split()}

    def read(self, client: Client) -> Sequence[Choice]:
        found = client.call(operations.memories.memories, layers=(self._layer,), limit=WHOLE).items
        known = [
            Choice(one.document.title, one.owner, one.document.id, one.text)
            for one in found
            if not one.document.superseded_by
        ]
        return sorted(known, key=lambda one: -len(self._words.intersection(one.preview.casefold().split())))


class Documents(Names):
    """Documents, by their title, their path or their id; some that are proposed first, then the nearest."""

    hint = strings.DOCUMENT_HINT
    looks = True

    def __init__(
        self,
        does: str,
        first: Iterable[str] = (),
        but: Iterable[str] = (),
        *,
        called: str = "",
        near: str = "",
        files: bool = False,
    ) -> None:
        """`first`, `but` and `near`: ids; `called`: what the first ones are.

        `files`: also what no search finds, and files of any name.
        """
        super().__init__(does=does)
        self._first, self._but, self._near, self._files = {*first}, {*but}, near, files
        self._groups = (called, *GROUPS)

    def read(self, client: Client) -> Sequence[Choice]:
        places = {ref: (1, place) for place, ref in enumerate(self._nearest(client))}
        places |= dict.fromkeys(self._first, (0, 0))
        found = [
            Choice(one.title or one.place, one.place, one.ref, state=one.state,
                   group=self._groups[places.get(one.ref, (2, 0))[0]] if places else "")
            for one in client.call(operations.workbench.findable)
            if one.ref not in self._but and (self._files or not one.state)
        ]  # fmt: skip
        return sorted(found, key=lambda one: places.get(one.name, (2, 0)))

    def _nearest(self, client: Client) -> Iterable[str]:
        """Ids of the documents that say something like what `near` says; none where no vector is stored."""
        if self._near:
            with suppress(ArkError):
                for hit in client.call(operations.find.similar, self._near, NEAREST).hits:
                    yield hit.document.id

    def score(self, typed: str, choice: Choice) -> float:
        if typed.startswith("#"):
            return float(choice.name.startswith(typed[1:].strip()))
        return super().score(typed, choice)

    def fitting(self, typed: str, known: Sequence[Choice]) -> list[Choice]:
        found, name = super().fitting(typed, known), typed.strip()
        by_name = [Choice(strings.FILE_NAMED.format(name=name), "", name)] if self._files and name else []
        return [*found, *by_name]

    def preview(self, client: Client, choice: Choice) -> str:
        if choice.state in {"skipped", "failed"} or not choice.about:
            return ""
        read = operations.workbench.trashed if choice.state else operations.workbench.text
        passage = client.call(read, choice.name)
        return beginning(passage.text, passage.document.path, passage.document.title)


class Counted(Names):
    """Names that come the most frequent first: of those that fit as well, too, not the shortest."""

    def score(self, typed: str, choice: Choice) -> float:
        fit = closeness(typed, choice.label)
        return max(1.0, fit // 0.5) if fit else 0.0


class Tag(Counted):
    """One tag of those that there are; those of a document first."""

    does = strings.DOES_SELECT
    empty = strings.NO_TAGS
    looks = True

    def __init__(self, first: Iterable[str] = (), does: str = "") -> None:
        super().__init__(does=does)
        self._first = {*first}

    def read(self, client: Client) -> Sequence[Choice]:
        return sorted(values(client, "tag"), key=lambda one: one.name not in self._first)

    def preview(self, client: Client, choice: Choice) -> str:
        tag = choice.name.rpartition(",")[2].strip().removeprefix("-")
        page = tagged(client, tag, 4)
        titles = " · ".join(one.called for one in page.rows)
        return f"{counted(page.total, 'document')}: {titles}" if page.rows else choice.preview


class Tags(Tag):
    """A list of tags: the last one is completed, and what is no tag yet is one then."""

    hint = strings.TAGS_HINT
    does = strings.DOES_TAG
    empty = strings.NO_TAGS_TYPE

    def fitting(self, typed: str, known: Sequence[Choice]) -> list[Choice]:
        before, comma, last = typed.rpartition(",")
        dash = "-" if last.strip().startswith("-") else ""
        begun = last.strip().removeprefix("-")
        head = f"{before.strip()}{comma} " if comma else ""
        taken = {one.strip().removeprefix("-") for one in before.split(",")}
        found = super().fitting(begun, [one for one in known if one.name not in taken])
        exact = [one for one in found if one.name == begun]
        if begun and not exact:
            exact = [Choice(begun, strings.NEW_TAG, begun, preview=strings.NEW_TAG_ABOUT)]
        if head.strip(" ,") and not begun:
            return [Choice(before.strip(), "these", before.strip()), *_within(head, dash, found)]
        return _within(head, dash, [*exact, *(one for one in found if one not in exact)])

    def completed(self, choice: Choice) -> str:
        return f"{choice.name}, "


class TagName(Tag):
    """Another name for a tag: what is typed, or a tag that there is, with which it becomes one."""

    hint = strings.TAG_NAME_HINT
    nothing = strings.TAG_NAME_NO_MATCH
    does = strings.DOES_RENAME

    def __init__(self, tag: str) -> None:
        super().__init__()
        self._own = tag

    def fitting(self, typed: str, known: Sequence[Choice]) -> list[Choice]:
        new = typed.strip()
        there = [one for one in super().fitting(new, known) if one.name not in {new, self._own}]
        return [*([Choice(new, "", new)] if new and new != self._own else ()), *there]

    def preview(self, client: Client, choice: Choice) -> str:
        own, there = (tagged(client, one, 0).total for one in (self._own, choice.name))
        both = strings.TAG_ON_BOTH.format(count=there) if there else ""
        return strings.TAG_RENAMES.format(tag=self._own, count=counted(own, "document"), both=both)


def tagged(client: Client, tag: str, count: int) -> Page[Document]:
    """The first documents that have a tag, or one below it, and how many there are."""
    return client.call(operations.workbench.documents, Listing(tags=(tag,)), count, 0)


def _within(head: str, dash: str, found: Iterable[Choice]) -> list[Choice]:
    """Tags as the last of a list."""
    return [one._replace(label=f"{dash}{one.label}", name=f"{head}{dash}{one.name}") for one in found]


class CollectionName(Names):
    """A name for a collection: what is typed, and what it would be of; names that are taken stand below."""

    does = strings.DOES_RENAME
    empty = strings.TYPE_A_NAME
    looks = True

    def __init__(self, name: str, documents: int) -> None:
        super().__init__()
        self._own, self._documents = name, documents

    def read(self, client: Client) -> Sequence[Choice]:
        found = client.call(operations.library.collections, WHOLE).items
        taken = [one for one in found if one.name != self._own]
        return [Choice(one.name, f"taken: {counted(one.documents, 'document')}", "") for one in taken]

    def fitting(self, typed: str, known: Sequence[Choice]) -> list[Choice]:
        name = typed.strip()
        given = [
            Choice(
                name,
                "",
                name,
                strings.COLLECTION_RENAMES.format(name=name, documents=counted(self._documents, "document")),
            )
        ]
        return [*(given if name and name not in [one.label for one in known] else ()), *known]


class Tiers(Names):
    """The tiers, each with how much is of it and what it means."""

    looks = True

    def read(self, client: Client) -> Sequence[Choice]:
        of = {one.name: one.about for one in values(client, "tier")}
        return [Choice(one, of.get(one, strings.NONE_YET), one, TIER_MEANS[one]) for one in TIERS]


RELATED = Names(
    [Choice(one, "", one, RELATION_MEANS[one]) for one in RELATIONS], strings.DOES_LINK, looks=True
)
"""How two documents can be related."""


class Folders(Names):
    """Folders of the disk: what is typed is a path, and below it stand the folders that are in it."""

    hint = "~/notes"
    does = strings.DOES_FOLDER
    empty = strings.NO_FOLDER
    looks = True

    def fitting(self, typed: str, known: Sequence[Choice]) -> list[Choice]:
        del known
        line = typed.strip() or "~"
        try:
            path = Path(line).expanduser().absolute()
        except RuntimeError:  # there is nobody of that name
            return []
        begun = "" if line == "~" or line.endswith("/") else path.name
        within = [
            Choice(tilde(one), "", str(one))
            for one in subfolders(path.parent if begun else path)
            if not begun or closeness(begun, one.name)
        ]
        within.sort(key=lambda one: -closeness(begun, Path(one.name).name) if begun else 0)
        here = (
            [Choice(tilde(path), strings.THIS_FOLDER, str(path))]
            if typed.strip() and _is_folder(path)
            else []
        )
        return [*here, *(one for one in within if one.name != str(path))][:MOST]

    def preview(self, client: Client, choice: Choice) -> str:
        del client
        files = list(islice(_files_below(Path(choice.name)), COUNTED))
        more = strings.AT_LEAST if len(files) == COUNTED else ""
        first = f": {' · '.join(sorted(files)[:6])}" if files else ""
        said = strings.FILES_BELOW.format(more=more, files=counted(len(files), "file"), names=first)
        return strings.FILES_ARE_SAFE.format(files=said)

    def completed(self, choice: Choice) -> str:
        return f"{choice.label.rstrip('/')}/"


def subfolders(folder: Path) -> list[Path]:
    """The folders in a folder, by name, without those that are hidden; none where it cannot be read."""
    found = [one for one in _entries(folder) if not one.name.startswith((".", "_"))]
    return sorted(folder / one.name for one in found if _is_folder(folder / one.name))


def _files_below(folder: Path) -> Iterator[str]:
    """The names of the files in a folder and below, without those that are hidden."""
    for _, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (name for name in files if not name.startswith("."))


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(islice(entries, 10_000))
    except (OSError, ValueError):
        return []


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


# -- in a query line -----------------------------------------------------------------------------------


def values(client: Client, kind: Kind) -> list[Choice]:
    """What documents say of a kind, the most frequent first, each with how many do."""
    found = client.call(operations.workbench.values, kind)
    return [Choice(name, counted(count, "document"), name) for name, count in found.items()]


def stated(client: Client, field: str = "") -> list[Choice]:
    """What documents state under a field of their own; of none, the fields that there are."""
    found = client.call(operations.library.fields, field, WHOLE).items
    return [Choice(one.name, counted(one.documents, "document"), one.name) for one in found]


def saved(client: Client) -> list[Choice]:
    """The saved searches, with what each looks for."""
    found = client.call(operations.saved.list_, WHOLE).items
    return [Choice(f"{SAVED}{one.name}", one.request.query, one.name) for one in found]


class Values(Counted):
    """What can stand where a word of a query line has been begun; empty where nothing is offered."""

    def __init__(self, text: str) -> None:
        super().__init__()
        found = BEGUN.search(text)
        self.begun = found["begun"] if found else ""
        self.before = text[: len(text) - len(self.begun)]
        self.field = (found["field"] or found["saved"] or "").lower() if found else ""
        if not self.field and len(self.begun) >= LETTERS and self.begun[0].isalpha():
            self.field = NAMES
        elif self.field in PLAIN:
            self.field = ""

    def read(self, client: Client) -> Sequence[Choice]:
        try:
            if self.field == SAVED:
                return saved(client)
            if self.field in FIELDS:
                return values(client, FIELDS[self.field])
            return stated(client, "" if self.field in {HAS, NAMES} else self.field.removeprefix(META))
        except ArkError:
            return ()  # of a home that cannot be read others speak

    def score(self, typed: str, choice: Choice) -> float:
        if self.field != NAMES:
            return super().score(typed, choice)
        begins = choice.name.startswith(typed.casefold()) and choice.name != typed.casefold()
        return float(begins)

    def fitting(self, typed: str, known: Sequence[Choice]) -> list[Choice]:
        found = super().fitting(typed, [one for one in known if '"' not in one.name])
        return [] if [one.name for one in found] == [typed] else found

    def completed(self, choice: Choice) -> str:
        if self.field == NAMES:
            return f"{self.before}{choice.name}:"
        name = f'"{choice.name}"' if " " in choice.name else choice.name
        return f"{self.before}{name} "


# -- looking -------------------------------------------------------------------------------------------


def beginning(text: str, path: str = "", title: str = "") -> str:
    """How a document begins, as it reads: without front matter, marks and its own title, as one paragraph."""
    head = text[:LOOKED_AT]
    if head.startswith("---\n") and (end := head.find("\n---", 3)) >= 0:
        head = head[end + 4 :].lstrip("\n")
    head, _ = beneath(title, *plain(head, (), path))
    return " ".join(line.strip("#>*- \t") for line in head.splitlines() if line.strip("#>*- \t"))
