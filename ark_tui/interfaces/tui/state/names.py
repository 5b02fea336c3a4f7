"""Named items for the picker and for completion: loaded once, then matched fuzzily and previewed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from heapq import nlargest
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar

from ark_tui import operations
from ark_tui.domain.curation import RELATIONS
from ark_tui.domain.display import visible_line
from ark_tui.domain.documents import TIERS, Document
from ark_tui.domain.errors import ArkError
from ark_tui.domain.library import Listing, Page
from ark_tui.domain.plain import beneath, plain
from ark_tui.domain.query import SAVED, Kind
from ark_tui.domain.searches import SavedDiff
from ark_tui.domain.wording import counted
from ark_tui.interfaces.tui.state import strings
from ark_tui.interfaces.tui.state.client import Client
from ark_tui.interfaces.tui.state.configured import tilde
from ark_tui.interfaces.tui.state.wording import moment, unusual_ranking
from ark_tui.operations.operation import WHOLE

Thing = TypeVar("Thing")

SUBSTRING = 2.0  # score of a word that is a substring of the name, relative to a similar one
BEGINS = 0.5  # bonus if it begins a word
LIKE = 85  # minimum similarity to a part of the name in percent
SKIPPED = 0.5  # score of letters that occur in order in a word of the name


class Choice(NamedTuple):
    """A choice: a label, and details at the right."""

    label: str
    about: str = ""
    name: str = ""  # the value; without one it cannot be chosen
    preview: str = ""
    state: str = ""  # its state, shown before `about`
    group: str = ""  # its heading in the unfiltered list


def closeness(typed: str, name: str) -> float:
    """The score of a name for a typed text; 0 if one of the words does not match.

    A word matches as a substring, as a similar part (a typing error), or if a word of the name contains its
    letters in order: `fdl np` matches `fiedler-numpy.md`. Shorter names score higher.
    """
    text = name.casefold()
    parts = [_word(word, text) for word in typed.casefold().split()]
    return sum(parts) + 1 / (2 + len(text)) if all(parts) else 0.0


def best(things: Iterable[Thing], score: Callable[[Thing], float], most: int) -> list[Thing]:
    """The items with a score above 0, best first; ties keep their order."""
    scored = ((score(one), -place, one) for place, one in enumerate(things))
    fitting = (one for one in scored if one[0] > 0)
    return [one for _, _, one in nlargest(most, fitting, key=lambda one: one[:2])]


def _word(word: str, text: str) -> float:
    from rapidfuzz import fuzz
    from rapidfuzz.distance import LCSseq

    at = text.find(word)
    if at >= 0:
        return SUBSTRING + BEGINS * (at == 0 or not text[at - 1].isalnum())
    like = fuzz.partial_ratio(word, text, score_cutoff=LIKE) / 100 if len(word) > 4 else 0.0
    names = ("".join(sign if sign.isalnum() else " " for sign in text)).split()
    in_order = (
        SKIPPED * (1 + len(word) / len(one))
        for one in names
        if one[0] == word[0] and LCSseq.similarity(word, one) == len(word)
    )
    return max(like, *in_order, 0.0)


COUNTED = 100_000
"""Maximum files of a folder that a preview counts."""

MOST = 200
"""Maximum rows."""

NEAREST = 10
"""Similar documents that are listed before the others."""

GROUPS = ("similar", "all others, by title")
"""Groups of documents after the proposed ones."""

LOOKED_AT = 1_500
"""Characters of a text that a preview uses."""

FIELDS: dict[str, Kind] = {
    "tag": "tag", "type": "type", "in": "collection", "tier": "tier", "layer": "layer",
}  # fmt: skip
"""Query fields with a known set of values, and the kind of value of each."""

NAMES = ":"
"""Stands for the field while the name of a field is being typed."""

HAS = "has"
"""The field whose values are names of fields."""

META = "meta."
"""Prefix of a document's own field whose name is the same as a built-in one."""

PLAIN = {"path", "before", "after", "since", "date"}
"""Fields whose values cannot be listed."""

BEGUN = re.compile(
    rf"(?:^(?P<saved>{SAVED})|(?:^|[\s(])-?(?:(?P<field>[^\W\d_][\w.-]*):)?)"
    r"(?P<begun>[^\s\"“„:]*)$"
)
"""The last word of a query: a field value, the name of a saved search, or the beginning of a field name."""

LETTERS = 3
"""Minimum length for completing field names; shorter words begin too many names."""

TIER_MEANS = {
    "doc": strings.TIER_DOC,
    "raw": "rough notes",
    "reflection": strings.TIER_REFLECTION,
    "wiki": "reliable: ranks highest",
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
    """A source of choices. The base class offers a fixed list."""

    hint = strings.PICK_HINT
    does = strings.DOES_SELECT
    empty = strings.PICK_EMPTY
    nothing = strings.PICK_NO_MATCH  # text shown if there are choices but none matches
    looks = False  # has a preview besides the label
    slow = False  # has choices or details that take longer to load

    def __init__(self, known: Sequence[Choice] = (), does: str = "", *, looks: bool = False) -> None:
        self.known = known
        self.does, self.looks = does or self.does, looks or self.looks

    def read(self, _client: Client) -> Sequence[Choice]:
        """Load all choices. Runs in a thread. Raises `ArkError`."""
        return self.known

    def read_more(self, _client: Client) -> Sequence[Choice]:
        """Load the choices again, with what takes longer. Runs in a thread. Raises `ArkError`."""
        return self.known

    def score(self, typed: str, choice: Choice) -> float:
        """The score of a choice for the typed text; 0: no match."""
        return closeness(typed, f"{choice.label} {choice.about}")

    def fitting(self, typed: str, known: Sequence[Choice]) -> list[Choice]:
        """The matching choices, best first. Runs in a thread."""
        if not typed.strip():
            return list(known[:MOST])
        return best(known, partial(self.score, typed), MOST)

    def preview(self, _client: Client, choice: Choice) -> str:
        """The preview of a choice. Runs in a thread."""
        return choice.preview

    def completed(self, choice: Choice) -> str:
        """The text that tab inserts."""
        return choice.label


class Memories(Names):
    """The valid memories of a layer, those that share most words with a text first."""

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
    """Documents, by title, path or id. Proposed ones come first, then similar ones."""

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
        """`first`, `but` (excluded) and `near` are ids. `called`: the group name of the first ones.

        `files`: also documents that are not searchable, and all file types.
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
        """Ids of the documents most similar to `near`; none if there are no vectors."""
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
        by_name = [Choice(f"A file named {name}", "", name)] if self._files and name else []
        return [*found, *by_name]

    def preview(self, client: Client, choice: Choice) -> str:
        if choice.state in {"skipped", "failed"} or not choice.about:
            return ""
        read = operations.workbench.trashed if choice.state else operations.workbench.text
        passage = client.call(read, choice.name)
        return beginning(passage.text, passage.document.path, passage.document.title)


class Counted(Names):
    """Names by descending frequency, also among equally good matches."""

    def score(self, typed: str, choice: Choice) -> float:
        fit = closeness(typed, choice.label)
        return max(1.0, fit // 0.5) if fit else 0.0


class Tag(Counted):
    """An existing tag; those of the document first."""

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
    """A list of tags. The last one is completed; an unknown name creates a new tag."""

    hint = "theory, -draft: a minus removes a tag"
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
            exact = [Choice(begun, "new tag", begun, preview=strings.NEW_TAG_ABOUT)]
        if head.strip(" ,") and not begun:
            return [Choice(before.strip(), "these", before.strip()), *_within(head, dash, found)]
        return _within(head, dash, [*exact, *(one for one in found if one not in exact)])

    def completed(self, choice: Choice) -> str:
        return f"{choice.name}, "


def tagged(client: Client, tag: str, count: int) -> Page[Document]:
    """The first documents with a tag or a tag below it, and their total number."""
    return client.call(operations.workbench.documents, Listing(tags=(tag,)), count, 0)


def _within(head: str, dash: str, found: Iterable[Choice]) -> list[Choice]:
    """Tags as the last item of the list."""
    return [one._replace(label=f"{dash}{one.label}", name=f"{head}{dash}{one.name}") for one in found]


class Tiers(Names):
    """The tiers, each with its number of documents and its meaning."""

    looks = True

    def read(self, client: Client) -> Sequence[Choice]:
        of = {one.name: one.about for one in values(client, "tier")}
        return [Choice(one, of.get(one, "none yet"), one, TIER_MEANS[one]) for one in TIERS]


RELATED = Names([Choice(one, "", one, RELATION_MEANS[one]) for one in RELATIONS], "link", looks=True)
"""Kinds of relations between documents."""


class Folders(Names):
    """Folders of the file system: a path is typed, and its subfolders are listed."""

    hint = "~/notes"
    does = "select · tab open"
    empty = strings.NO_FOLDER
    looks = True

    def fitting(self, typed: str, _known: Sequence[Choice]) -> list[Choice]:
        line = typed.strip() or "~"
        try:
            path = Path(line).expanduser().absolute()
        except RuntimeError:  # no such user
            return []
        begun = "" if line == "~" or line.endswith("/") else path.name
        within = [
            Choice(tilde(one), "", str(one))
            for one in subfolders(path.parent if begun else path)
            if not begun or closeness(begun, one.name)
        ]
        within.sort(key=lambda one: -closeness(begun, Path(one.name).name) if begun else 0)
        here = [Choice(tilde(path), "this folder", str(path))] if typed.strip() and _is_folder(path) else []
        return [*here, *(one for one in within if one.name != str(path))][:MOST]

    def preview(self, _client: Client, choice: Choice) -> str:
        files = list(islice(_files_below(Path(choice.name)), COUNTED))
        more = "at least " if len(files) == COUNTED else ""
        first = f": {' · '.join(sorted(files)[:6])}" if files else ""
        said = strings.FILES_BELOW.format(more=more, files=counted(len(files), "file"), names=first)
        return strings.FILES_ARE_SAFE.format(files=said)

    def completed(self, choice: Choice) -> str:
        return f"{choice.label.rstrip('/')}/"


def subfolders(folder: Path) -> list[Path]:
    """The subfolders of a folder by name, without hidden ones; none if it cannot be read."""
    found = [one for one in _entries(folder) if not one.name.startswith((".", "_"))]
    return sorted(folder / one.name for one in found if _is_folder(folder / one.name))


def _files_below(folder: Path) -> Iterator[str]:
    """The names of all files below a folder, without hidden ones."""
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


def values(client: Client, kind: Kind) -> list[Choice]:
    """The values of a kind in all documents, most frequent first, with counts."""
    found = client.call(operations.workbench.values, kind)
    return [Choice(name, counted(count, "document"), name) for name, count in found.items()]


def stated(client: Client, field: str = "") -> list[Choice]:
    """The values of a document-defined field; without a field, the names of these fields."""
    found = client.call(operations.library.fields, field, WHOLE).items
    return [Choice(one.name, counted(one.documents, "document"), one.name) for one in found]


def saved(client: Client) -> list[Choice]:
    """The saved searches, with their queries."""
    found = client.call(operations.saved.list_, WHOLE).items
    return [
        Choice(f"{SAVED}{one.name}", one.request.query, one.name, unusual_ranking(one.request))
        for one in found
    ]


class SavedSearches(Names):
    """The saved searches. What changed in the results of each since it was last run follows."""

    does = strings.DOES_RUN
    looks = slow = True

    def __init__(self, empty: str, does: str = "") -> None:
        super().__init__(does=does)
        self.empty = empty

    def read(self, client: Client) -> Sequence[Choice]:
        self.known = saved(client)
        return self.known

    def read_more(self, client: Client) -> Sequence[Choice]:
        diffs = {one.name: one for one in client.call(operations.saved.diff)}
        return [_changed(one, diffs[one.name]) if one.name in diffs else one for one in self.known]


def _changed(choice: Choice, diff: SavedDiff) -> Choice:
    less = f", without {'; '.join(diff.off)}" if diff.off else ""
    state = diff.counts or strings.NO_CHANGES if diff.looked else strings.SAVED_NEVER_RUN
    lines = [choice.preview, diff.problem]
    if moves := [f"{one.kind} {one.title or one.path}" for one in diff.moves if one.kind != "stayed"]:
        since = moment(diff.looked) if diff.looked else ""
        lines.append(strings.SAVED_SINCE.format(moment=since, moves=" · ".join(moves)))
    return choice._replace(
        state=visible_line(diff.problem or state + less), preview="\n".join(filter(None, lines))
    )


class Values(Counted):
    """The completions for the last word of a query; empty if there are none."""

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
            return ()  # other parts report a home that cannot be read

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


def beginning(text: str, path: str = "", title: str = "") -> str:
    """The beginning of a document as one paragraph, without front matter, markup and title."""
    head = text[:LOOKED_AT]
    if head.startswith("---\n") and (end := head.find("\n---", 3)) >= 0:
        head = head[end + 4 :].lstrip("\n")
    head, _ = beneath(title, *plain(head, (), path))
    return " ".join(line.strip("#>*- \t") for line in head.splitlines() if line.strip("#>*- \t"))
