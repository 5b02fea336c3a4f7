"""Curation by references: each call is one edit and then updates the indexes."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Concatenate, ParamSpec

from ark_tui.curation import edits, exchange, judging, notes, purge, queue, saved
from ark_tui.curation.edits import EditPlan
from ark_tui.curation.queue import LETTERS
from ark_tui.domain.curation import (
    YES,
    Act,
    Done,
    Edit,
    Imported,
    Item,
    Judgment,
    Queue,
    SavedSearch,
)
from ark_tui.domain.display import visible_line
from ark_tui.domain.documents import Document, Passage, Purged
from ark_tui.domain.errors import ArkError, Hint, NotFound, UsageError
from ark_tui.domain.failures import if_full
from ark_tui.domain.library import Listing, Page
from ark_tui.domain.protocols import NEVER, Stop
from ark_tui.domain.query import SAVED, Request
from ark_tui.domain.wording import counted
from ark_tui.engine.services import Services
from ark_tui.settings.tree import Tree
from ark_tui.store import Lease, documents, files, listing, overrides

MOST = 1_000_000  # limit of an unpaged list
WAIT = 5.0  # seconds to wait for another thread that writes the same index and applies the edit, too

P = ParamSpec("P")


class Curation:
    """Curation of one home. Every edit can be undone later, also by another process."""

    def __init__(self, parts: Services) -> None:
        self._parts = parts

    def edit(
        self, plan: Callable[Concatenate[Lease, P], EditPlan], *about: P.args, **named: P.kwargs
    ) -> Done:
        """Plan an edit, with a function of `curation.edits` or `curation.saved`, and carry it out.

        Both happen in one transaction.
        """
        self._parts.journal.settle()  # `@1` is the first hit of the last search
        with self._parts.store.write() as lease:
            planned = plan(lease, *about, **named)
            edit = (
                notes.carry_out(lease, planned.what, planned.inverse, planned.changes, self._parts.cut)
                if planned.changes
                else None
            )
            found = tuple(documents.documents(lease, planned.documents).values())
        what = planned.what if edit else "nothing to do: it is so already"
        return self._followed(Done(what, found, edit.number if edit else None, planned.notices))

    def note_to_inbox(self, text: str, *, title: str = "", tags: Sequence[str] = ()) -> Done:
        """Add a note as a new Markdown file in the folder of the setting `inbox`.

        Existing files are never changed or overwritten. Undo hides the note and leaves the file.
        """
        path = write_note(self._parts, text, title)
        place = take_note(self._parts, path)
        return self.edit(lambda lease: edits.new_note(lease, documents.at(lease, *place), tags, YES))

    def judgments(self, query: str = "") -> tuple[Judgment, ...]:
        """Judgments of one query or of all, except of documents in the trash."""
        with self._parts.store.read() as lease:
            return tuple(judging.judgments(lease, query))

    # -- saved searches ----------------------------------------------------------------------------

    def saved(self) -> tuple[SavedSearch, ...]:
        """The saved searches, by name."""
        with self._parts.store.read() as lease:
            return tuple(saved.all_saved(lease))

    def asked(self, line: str) -> Request | None:
        """The request of a query line such as `@weekly after:yesterday`: a saved search plus the rest.

        None if the line does not begin with the name of a saved search.
        """
        if not line.startswith(SAVED):
            return None

        with self._parts.store.read() as lease:
            return saved.asked(lease, line)

    # -- lines for git -----------------------------------------------------------------------------

    def export(self) -> tuple[str, ...]:
        """All curation data as sorted lines of JSON, one object each."""
        with self._parts.store.read() as lease:
            return tuple(exchange.lines(lease))

    def take_over(self, text: str) -> Imported:
        """Import exported lines as one edit; report lines that are invalid or match no document.

        Repeating an import changes nothing.
        """
        taken: list[exchange.Import] = []

        def make(lease: Lease) -> EditPlan:
            one = exchange.Import(lease, self._parts.cut)
            one.take(text)
            taken.append(one)
            what = counted(len(one.changes), "statement")
            return EditPlan(f"imported {what}", f"removed {what} that were imported", tuple(one.changes))

        done = self.edit(make)
        (one,) = taken
        return Imported(done, one.count, len(one.changes), one.unchanged, tuple(one.unmatched))

    # -- the queue ---------------------------------------------------------------------------------

    def queue(self, limit: int = 20, kinds: Sequence[str] = (), stop: Stop = NEVER) -> Queue:
        """Items that need a decision, one of each kind in turn.

        `kinds` are from `domain.curation.KINDS`. `unfound` runs the audit, which searches for every document,
        so it is only included if named.
        """
        unfound = self._unfound(stop) if "unfound" in kinds else []
        self._parts.feed.reached(stop)  # duplicates come from the vectors
        repeats = self._parts.repeats()
        files: list[queue.File] = []
        if not kinds or "stale" in kinds:
            with self._parts.store.read() as lease:
                files = queue.files(lease)
        stale = queue.saved_since(files)  # outside the lease: checking files is slow
        with self._parts.store.read() as lease:
            known = queue.numbers(lease, [document.id for document, _ in unfound])
            lost = [(known[document.id], why) for document, why in unfound if document.id in known]
            return queue.queue(lease, repeats, lost, stale, kinds, limit)

    def item(self, id_: str, stop: Stop = NEVER) -> Item:
        """An item of the queue by its id."""
        kinds = [kind for kind, letter in LETTERS.items() if id_.startswith(letter)]
        for one in self.queue(1_000_000, kinds, stop).items if kinds else ():
            if one.id == id_:
                return one
        raise NotFound(
            f"The queue has no item {id_} any more.", Hint.run("doc queue", say="List the queue: {}")
        )

    def decide(self, item: Item, key: str, text: str = "") -> Done:
        """Decide an item by the key of a choice. `text`: the input of that choice, comma-separated tags."""
        chosen = next((choice for choice in item.choices if choice.key == key), None)
        if chosen is None:
            keys = ", ".join(f"{choice.key} {choice.label}" for choice in item.choices)
            raise UsageError(f"There is no choice {key} here.", f"There are: {keys}.")
        ids = chosen.refs
        acts: dict[Act, Callable[[], Done]] = {
            "merge": lambda: self.edit(edits.merge, ids[0], ids[1:]),
            "supersede": lambda: self.edit(edits.supersede, ids[:1], ids[1]),
            "unlink": lambda: self.edit(edits.unlink, ids[0], ids[1], "contradicts"),
            "tag": lambda: self.edit(edits.tag, ids, text.split(",")),
            "trash": lambda: self.edit(edits.trash, ids),
            "settle": lambda: self._settle(item),
            "index": lambda: self._index_again(item),
            "later": lambda: self._put_off(item),
        }
        return acts[chosen.act]()

    # -- the log -----------------------------------------------------------------------------------

    def undo(self) -> Done:
        """Undo the last edit of any author. `what` describes the effect, as "untagged 3 documents"."""
        with self._parts.store.write() as lease:
            done = notes.undo(lease, self._parts.cut)
        return self._followed(done)

    def redo(self) -> Done:
        """Redo the edit undone last; not possible after another edit."""
        with self._parts.store.write() as lease:
            done = notes.redo(lease, self._parts.cut)
        return self._followed(done)

    def log(self, limit: int = 20, offset: int = 0) -> Page[Edit]:
        """A page of edits, newest first."""
        with self._parts.store.read() as lease:
            return Page(tuple(overrides.latest(lease, limit, offset)), overrides.count(lease), offset)

    def purge(self, *, dry_run: bool = False) -> Purged:
        """Permanently delete documents in the trash: text, vectors, index entries and search log rows.

        The store file and the word index are rewritten, which also erases texts left by earlier deletions.
        Files on disk stay. `remains` lists backups that still contain the texts.
        """
        from ark_tui.engine import erasing

        if dry_run:
            with self._parts.store.read() as lease:
                return replace(purge.due(lease), remains=self.remains())
        earlier = erasing.due(self._parts).asked
        with self._parts.store.write() as lease:
            purged = purge.purge(lease)
        vectors = erasing.finish(self._parts, removed=True).vectors
        return replace(purged, vectors=vectors, remains=self.remains(), earlier=earlier, done=True)

    def erase(self) -> int:
        """Finish an interrupted erasure; return the number of texts erased."""
        from ark_tui.engine import erasing

        return erasing.finish(self._parts).due.asked

    def remains(self) -> tuple[str, ...]:
        """Files that may contain deleted texts: backups and old copies of the store."""
        from ark_tui.engine import erasing

        return erasing.remains(self._parts.settings)

    # -- lists -------------------------------------------------------------------------------------

    def trashed(self) -> tuple[Document, ...]:
        """Documents in the trash, by title."""
        with self._parts.store.read() as lease:
            return listing.page(lease, Listing(trashed=True), 0, MOST).rows

    def trashed_text(self, ref: str) -> Passage:
        """The text of a document in the trash. Raises `NotFound` for any other."""
        from ark_tui.engine import showing

        return showing.trashed(self._parts.store, ref)

    # -- inside ------------------------------------------------------------------------------------

    def _settle(self, item: Item) -> Done:
        said = " ".join((item.kind, *(document.id for document in item.documents[:-1])))
        return self.edit(edits.settle, item.documents[-1].id, said)

    def _index_again(self, item: Item) -> Done:
        """Index the changed file of an item again. This is not an edit."""
        from ark_tui.engine import indexing, showing

        passage = showing.passage(self._parts, item.documents[0].id)
        report = indexing.ingest_file(self._parts, Path(passage.file), tags=())
        problems = tuple(f"{problem.path}: {problem.reason}" for problem in report.problems)
        path = passage.document.path
        what = f"nothing done: {path} cannot be read" if report.left_out else f"indexed {path} again"
        return Done(what, item.documents, None, problems)

    def _put_off(self, item: Item) -> Done:
        with self._parts.store.write() as lease:
            queue.put_off(lease, item.id)
        return Done("put off until tomorrow", item.documents)

    def _unfound(self, stop: Stop) -> list[tuple[Document, str]]:
        from ark_tui.engine.analysing import Analysing

        audit = Analysing(self._parts).run(("audit",), stop=stop).audit
        assert audit is not None
        return [(one.document, one.detail) for one in audit.unfound]

    def _followed(self, done: Done) -> Done:
        """Update the indexes after an edit; an index without its server is updated later."""
        from ark_tui.engine import indexing

        if done.changed:
            indexing.catch_up(self._parts)
        return done


LONGEST_NAME = 60  # characters of a file's name
TRIES = 1000  # names to try


def write_note(parts: Services, text: str, title: str) -> Path:
    """Write a note as a new file, named after its title or the time. Never overwrites a file."""
    where = Path(parts.settings.inbox.strip()).expanduser()
    if not parts.settings.inbox.strip():
        raise UsageError("No inbox is configured.", 'Name a folder in config.toml: inbox = "~/notes/inbox"')
    if not where.is_absolute():
        raise UsageError(f"The inbox {where} is not an absolute path.", "Write it in full in config.toml.")
    if not text.strip():
        raise UsageError("There is no text.", Hint.run("doc note", "a thought", say="Give some: {}"))
    heading = visible_line(" ".join(title.split()))
    body = f"# {heading}\n\n{text}" if heading else text
    body = body if body.endswith("\n") else body + "\n"
    with parts.store.read() as lease:
        followed = files.roots(lease).values()
    root, inside = _within(where, followed)
    stem = _stem(heading) or f"{parts.clock.now():%Y-%m-%d-%H%M%S}"
    for number in range(1, TRIES):
        name = f"{stem}.md" if number == 1 else f"{stem}-{number}.md"
        try:
            if str(root) not in followed:  # a missing root may be an unmounted disk: do not create it
                root.mkdir(parents=True, exist_ok=True)
            _create(root, inside + name, body.encode("utf-8", "backslashreplace"))
        except FileExistsError:
            continue
        except OSError as error:
            raise if_full(error, where) or ArkError(
                f"The note cannot be written to {where}: {error.strerror or error}.",
                "Make the folder writable, or name another `inbox` in config.toml.",
            ) from error
        return where / name
    raise UsageError(f"{where} has {TRIES} notes called {stem}.", "Give this one another title.")


def _within(where: Path, roots: Iterable[str]) -> tuple[Path, str]:
    """The indexed folder that contains the inbox, and the inbox's relative path (symlinks not followed)."""
    above = [root for root in roots if where.is_relative_to(root)]
    root = Path(max(above, key=len)) if above else where
    return root, "".join(f"{name}/" for name in where.relative_to(root).parts)


def _create(root: Path, path: str, data: bytes) -> None:
    """Write a new file; remove it if writing fails."""
    with Tree(root) as tree, tree.create(path) as file:
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        except OSError:
            tree.remove(path)
            raise


def take_note(parts: Services, path: Path) -> tuple[str, str]:
    """Index a new file; return its collection and its path there."""
    from ark_tui.engine import indexing

    report = indexing.ingest_file(parts, path, tags=())
    if report.left_out:
        raise ArkError(f"{path} is written, but cannot be indexed: {report.left_out[0].reason}.")
    with parts.store.read() as lease:
        return indexing.place(path.absolute(), files.roots(lease))


def _stem(title: str) -> str:
    words = re.sub(r"[^\w]+", "-", title.casefold()).strip("-_")
    return words[:LONGEST_NAME].strip("-")
