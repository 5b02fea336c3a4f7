"""Detection of moved files, so that data about a document is kept when its file moves, even if edited.

A new file counts as moved if the same content no longer exists at its old path; if it has the inode or name
of a missing file and shares some of its text; or if most of its text equals that of a file missing from this
folder.
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

FEW = 64  # files: up to here, content is looked up per file and edited files are compared
WORDS = 3  # length of the word n-grams by which texts are compared
LONGEST = 200_000  # characters of a text that are compared
SOME = 0.3  # minimum similarity if the inode is the same (the system may reuse inodes)
MOST = 0.5  # minimum similarity if only the name or the text matches
ENOUGH = 20  # n-grams in common if only the text matches: files from one template share some, too

Place: TypeAlias = tuple[str, str]
"""A collection with a folder, and a path in that folder."""

Rows: TypeAlias = frozenset[tuple[str, ...]]

_WORD = re.compile(r"\w+")


class Folder(NamedTuple):
    """The state of a folder during one scan."""

    collection: str
    roots: Mapping[str, str]  # folders of all collections, by collection
    noted: Mapping[str, str]  # notes on the folders (`files.noted`)
    new: Sequence[Entry]  # files that the last scan did not see
    there: Callable[[str, str], bool]  # whether content with this hash still exists at a path
    left: Callable[[], Iterable[tuple[str, int]]]  # missing paths and their inodes


class Moves:
    """Moves into one folder. `taken`: places whose document was already moved, in any scan of this run."""

    def __init__(self, store: Store, folder: Folder, taken: set[Place]) -> None:
        self._store = store
        self._folder = folder
        self._taken = taken
        self._few = len(folder.new) <= FEW
        self._places: dict[str, list[Place]] | None = None  # by content hash, if many files are new
        self._rows: dict[Place, Rows] = {}

    def origin(self, entry: Entry, digest: str, drafts: Sequence[Draft]) -> Place | None:
        """The old place of a new file's document, or None. Marks the place as taken."""
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
        """All places known for this content. If many files are new, one query loads all content."""
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

    # -- edited files ----------------------------------------------------------------------------------

    def _of_edited(self, entry: Entry, drafts: Sequence[Draft]) -> Place | None:
        """The place whose text is most similar to that of a new file, if above the thresholds.

        The similarity is the Dice coefficient of the word n-grams.
        """
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
        """Candidate places with the minimum similarity and the minimum number of common n-grams."""
        by_inode, by_name, left = self._gone
        everywhere = left if len(left) <= FEW else ()
        for places, needed in (
            (everywhere, (MOST, ENOUGH)),
            (by_name[_name(entry.path)][:FEW], (MOST, 1)),
            (by_inode[entry.inode], (SOME, 1)),  # last: of several limits, the most lenient counts
        ):
            yield from ((place, needed) for place in places if place not in self._taken)

    @cached_property
    def _gone(self) -> tuple[dict[int, list[Place]], dict[str, list[Place]], list[Place]]:
        """Missing files: by inode, by name, and as a list those of this folder."""
        here = self._folder.collection
        left = [((here, path), inode) for path, inode in self._folder.left()]
        by_inode, by_name = defaultdict[int, list[Place]](list), defaultdict[str, list[Place]](list)
        for place, inode in (*left, *self._gone_elsewhere()):
            by_inode[inode].append(place)
            by_name[_name(place[1])].append(place)
        return by_inode, by_name, [place for place, _ in left]

    def _gone_elsewhere(self) -> list[tuple[Place, int]]:
        """Missing files of other folders with the name or inode of a new file; only if few files are new."""
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
    """The word n-grams of texts (n = `WORDS`); a shorter text gives one n-gram of all its words."""
    words = _WORD.findall("\n".join(bodies)[:LONGEST].casefold())
    return frozenset(zip(*(words[first:] for first in range(min(WORDS, len(words)))), strict=False))
