"""Where a new file lay before: what was said of a document stays when its file moves, also if it was edited.

The same content lies there no more; or the file has the inode or the name of one that has gone, and some of
its text; or it says mostly what one that has gone from this folder said.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ark_tui.settings.tree import exists
from ark_tui.store import documents, files

if TYPE_CHECKING:
    from ark_tui.domain.documents import Draft
    from ark_tui.ingest.walk import Entry
    from ark_tui.store import Store

FEW = 64  # files whose content is looked up one by one, and that are compared with each other
WORDS = 3  # in a row: what texts are compared by
LONGEST = 200_000  # characters of a text that are compared
SOME = 0.3  # of both texts that must be the same where the inode is, which is given again to another file
MOST = 0.5  # likewise, where nothing but the name or the text tells
ENOUGH = 20  # rows of words that must be the same where only the text tells: a template has some, too

Place: TypeAlias = tuple[str, str]
"""A collection that follows a folder, and a path in it."""

Rows: TypeAlias = frozenset[tuple[str, ...]]

_WORD = re.compile(r"\w+")


class Folder(NamedTuple):
    """What a pass over a folder knows of it."""

    collection: str
    roots: Mapping[str, str]  # of all collections that follow one
    noted: Mapping[str, str]  # of them (`files.noted`)
    new: Sequence[Entry]  # files that the last pass did not see
    there: Callable[[str, str], bool]  # whether content with this hash still lies at a path
    left: Callable[[], Iterable[tuple[str, int]]]  # paths that are there no more, and their inodes


class Moves:
    """The moves to one folder. `taken`: places whose document has gone elsewhere, in any pass."""

    def __init__(self, store: Store, folder: Folder, taken: set[Place]) -> None:
        self._store = store
        self._folder = folder
        self._taken = taken
        self._few = len(folder.new) <= FEW
        self._places: dict[str, list[Place]] | None = None  # of all content, if many files are new
        self._rows: dict[Place, Rows] = {}

    def origin(self, entry: Entry, digest: str, drafts: Sequence[Draft]) -> Place | None:
        """Where the document of a new file lay, which is taken from there."""
        found = next(self._of_content(digest), None) or self._of_edited(entry, drafts)
        if found:
            self._taken.add(found)
        return found

    # -- the same content ------------------------------------------------------------------------------

    def _of_content(self, digest: str) -> Iterator[Place]:
        for folder, path in self._places_of(digest):
            if (folder, path) not in self._taken and not self._is_there(folder, path, digest):
                yield folder, path

    def _places_of(self, digest: str) -> Sequence[Place]:
        """Where this content lies or lay; where many files are new, all content is looked up once."""
        if self._places is None:
            with self._store.read() as lease:
                found = documents.places(lease, digest if self._few else "")
            if self._few:
                return found.get(digest, ())
            self._places = found
        return self._places.get(digest, ())

    def _is_there(self, folder: str, path: str, digest: str) -> bool:
        if folder == self._folder.collection:
            return self._folder.there(path, digest)
        return folder not in self._folder.roots or self._exists(folder, path)

    def _exists(self, folder: str, path: str) -> bool:
        root = self._folder.roots[folder]
        return exists(root, path, files.places(self._folder.noted, root))

    # -- edited since ----------------------------------------------------------------------------------

    def _of_edited(self, entry: Entry, drafts: Sequence[Draft]) -> Place | None:
        """The place whose text is most like that of a new file, and like enough."""
        candidates = dict(self._candidates(entry))
        if not candidates:
            return None
        rows = _rows(draft.body for draft in drafts)
        found: list[tuple[float, Place]] = []
        for place, (least, enough) in candidates.items():
            before = self._rows_of(place)
            same = len(rows & before)
            alike = 2 * same / max(1, len(rows) + len(before))
            if alike >= least and same >= enough:
                found.append((alike, place))
        return max(found)[1] if found else None

    def _candidates(self, entry: Entry) -> Iterator[tuple[Place, tuple[float, int]]]:
        """Where a file may have lain, how much of both texts must be the same, and how many rows of words."""
        by_inode, by_name, left = self._gone
        everywhere = left if len(left) <= FEW else ()
        for places, needed in (
            (everywhere, (MOST, ENOUGH)),
            (by_name[_name(entry.path)][:FEW], (MOST, 1)),
            (by_inode[entry.inode], (SOME, 1)),  # the last word on a place is the most lenient
        ):
            yield from ((place, needed) for place in places if place not in self._taken)

    @cached_property
    def _gone(self) -> tuple[dict[int, list[Place]], dict[str, list[Place]], list[Place]]:
        """What has gone: by inode, by name; and all of it that has gone from this folder."""
        here = self._folder.collection
        left = [((here, path), inode) for path, inode in self._folder.left()]
        by_inode, by_name = defaultdict[int, list[Place]](list), defaultdict[str, list[Place]](list)
        for place, inode in (*left, *self._gone_elsewhere()):
            by_inode[inode].append(place)
            by_name[_name(place[1])].append(place)
        return by_inode, by_name, [place for place, _ in left]

    def _gone_elsewhere(self) -> list[tuple[Place, int]]:
        """What has gone from other folders and may be among the new files, where these are few."""
        new, roots = self._folder.new, self._folder.roots
        if not self._few or len(roots) < 2:
            return []
        names, inodes = [_name(entry.path) for entry in new], [entry.inode for entry in new]
        with self._store.read() as lease:
            found = files.called(lease, self._folder.collection, names, inodes)
        return [
            ((folder, path), inode)
            for folder, path, inode in found
            if folder in roots and not self._exists(folder, path)
        ]

    def _rows_of(self, place: Place) -> Rows:
        if place not in self._rows:
            with self._store.read() as lease:
                self._rows[place] = _rows(documents.bodies(lease, *place))
        return self._rows[place]


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _rows(bodies: Iterable[str]) -> Rows:
    """The words of texts, three in a row; of a text with fewer, all of them."""
    words = _WORD.findall("\n".join(bodies)[:LONGEST].casefold())
    return frozenset(zip(*(words[first:] for first in range(min(WORDS, len(words)))), strict=False))
