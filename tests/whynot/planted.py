"""A home in which documents are lost on purpose: so many for each stage of the way to a list of hits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from ark_tui.domain.documents import Document
from ark_tui.domain.layers import EPISODIC, SEMANTIC
from ark_tui.domain.memory import Scope
from ark_tui.domain.query import Filters, Request
from ark_tui.domain.whynot import Stage
from ark_tui.engine import Engine
from ark_tui.engine.indexing import reading
from ark_tui.settings import load
from ark_tui.store import documents, files
from ark_tui.store.documents import Arrival
from ark_tui.store.files import FileRecord
from tests.support import SteadyClock

HERE = Scope()
SUBJECTS = (
    *("otters", "bridges", "sourdough", "glaciers", "violins", "beekeeping", "harbours", "chess", "orchids"),
    *("tunnels", "pottery", "comets", "falconry", "turbines", "mosaics", "lighthouses", "saffron", "canals"),
    *("geysers", "looms"),
)
"""One for each of the documents that are lost at a stage."""

FILLER = (
    "The committee met on a {day} and wrote down what had been agreed about item {number}, its budget, its "
    "dates and who was to answer for it until the next meeting of the {subject} group in room {number}."
)
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
LARGEST = 20_000  # bytes of a file


@dataclass(frozen=True)
class Loss:
    """A document, the search that it is expected in, and the stage that truly loses it."""

    stage: Stage
    request: Request
    ref: str


class Plants:
    """The home. What is planted for one stage is lost at no other."""

    def __init__(self, folder: Path, count: int) -> None:
        self.count, self.root, self.elsewhere = count, folder / "notes", folder / "elsewhere"
        self.clock = SteadyClock()
        environ = {"ARK_MAX_BYTES": str(LARGEST), "ARK_IGNORE": "configured-*"}
        self.engine = Engine(load(folder / "home", environ=environ), self.clock)
        self.losses: list[Loss] = []
        for number in range(60):
            text = FILLER.format(number=number, subject=SUBJECTS[number % 20], day=DAYS[number % 5])
            self._write(f"minutes/{number}.md", f"# Minutes {number}\n\n{text}\n")
        before: list[Callable[[], None]] = [
            *(self._ignored, self._skipped, self._deleted, self._trash, self._empty, self._filter),
            *(self._exclusion, self._restriction, self._superseded, self._duplicate, self._chunk, self._rank),
            *(self._floor, self._candidates, self._listed),
        ]
        for plant in before:
            plant()
        self.engine.index([self.root])
        after: list[Callable[[], None]] = [
            *(self._unknown, self._outside, self._unread, self._failed, self._gone, self._to_trash),
            *(
                self._retired,
                self._messages,
                self._retention,
                self._nothing,
                self._one_for_another,
                self._second_chunk,
            ),
            self._waiting,
        ]
        for plant in after:
            plant()

    def close(self) -> None:
        self.engine.close()

    # -- by hand -----------------------------------------------------------------------------------

    def _write(self, path: str, text: str | bytes) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    def _each(self) -> Iterator[tuple[int, str]]:
        return ((number, SUBJECTS[number]) for number in range(self.count))

    def _lost(self, stage: Stage, query: str, ref: str, **given: object) -> None:
        request = Request(query, limit=50, expand=False)
        self.losses.append(Loss(stage, Request(**{**_fields(request), **given}), ref))  # type: ignore[arg-type]

    def _document(self, path: str) -> Document:
        return self.engine.document(path)

    # -- files ---------------------------------------------------------------------------------------

    def _unknown(self) -> None:
        for number, subject in self._each():
            self._lost("unknown", subject, f"never/was-{subject}-{number}.md")

    def _outside(self) -> None:
        self.elsewhere.mkdir()
        for _, subject in self._each():
            file = self.elsewhere / f"far-{subject}.md"
            file.write_text(f"# {subject}\n", "utf-8")
            self._lost("outside", subject, str(file))

    def _ignored(self) -> None:
        self._write(".arkignore", "*.draft.md\n!kept.draft.md\nattic/\n")
        ways = ("{}.draft.md", "attic/deep/{}.md", "_hidden/{}.md", "configured-{}.md", "{}.log")
        for number, subject in self._each():
            path = ways[number % len(ways)].format(subject)
            self._write(path, f"# {subject}\n\nAll about {subject}.\n")
            self._lost("ignored", subject, path if number % 2 else str(self.root / path))

    def _skipped(self) -> None:
        for number, subject in self._each():
            content = (b"\0\1\2" * 9, subject.encode() * LARGEST, b"%PDF-1.7 ")[number % 3]
            path = f"skipped/{subject}{('.bin', '.md', '.pdf')[number % 3]}"
            self._write(path, content)
            self._lost("skipped", subject, path)

    def _failed(self) -> None:
        """As a run that may not read a file notes it: whoever tests this may read any."""
        records = []
        for _, subject in self._each():
            file = self._write(f"failed/{subject}.md", f"# {subject}\n")
            seen = file.stat()
            records.append(
                FileRecord(
                    *("notes", f"failed/{subject}.md", seen.st_size, seen.st_mtime_ns, seen.st_ino, 0, ""),
                    "failed",
                    "permission denied",
                )
            )
            self._lost("failed", subject, f"failed/{subject}.md")
        with self.engine._parts.store.write() as lease:
            files.put(lease, records)

    def _unread(self) -> None:
        for number, subject in self._each():
            path = f"unread/{subject}.md"
            self._write(path, f"# {subject}\n\nNew words on {subject}.\n")
            self._lost("unread", subject, path if number % 2 else str(self.root / path))

    def _deleted(self) -> None:
        for _, subject in self._each():
            self._write(f"deleted/{subject}.md", f"# Lost {subject}\n\nThe {subject} that went.\n")

    def _gone(self) -> None:
        for _, subject in self._each():
            (self.root / f"deleted/{subject}.md").unlink()
            self._lost("deleted", subject, f"deleted/{subject}.md")
        with self.engine._parts.store.write() as lease:
            documents.remove(lease, "notes", [f"deleted/{subject}.md" for _, subject in self._each()])
        self.engine.sync()

    # -- the home ------------------------------------------------------------------------------------

    def _trash(self) -> None:
        for _, subject in self._each():
            self._write(f"trash/{subject}.md", f"# Thrown {subject}\n\nThe {subject} that was thrown away.\n")

    def _to_trash(self) -> None:
        refs = [f"trash/{subject}.md" for _, subject in self._each()]
        self.engine.curation.trash(refs)
        for ref in refs:
            self._lost("trash", Path(ref).stem, ref)

    def _retired(self) -> None:
        for number, subject in self._each():
            item = self.engine.memory.items.add(
                f"A retired fact about {subject}, {number}.", HERE, layer=SEMANTIC
            )
            self.engine.memory.items.retire(item.document.id, "out of date", "me")
            self._lost("retired", subject, item.document.id)

    def _empty(self) -> None:
        for _, subject in self._each():
            self._write(f"empty/{subject}.md", f"---\ntitle: Only {subject}\n---\n")
            self._lost("empty", subject, f"empty/{subject}.md")

    def _waiting(self) -> None:
        """Committed, and taken up by no index: what a search finds while a folder is being read."""
        self.engine.search(Request("minutes"))
        arrivals = []
        for _, subject in self._each():
            path = f"waiting/{subject}.md"
            self._write(path, "")
            draft = reading(self.engine._parts).text(f"Fresh news of {subject}.", path=path, title=subject)
            record = FileRecord("notes", path, 0, 0, 0, 0, subject, "indexed")
            arrivals.append(Arrival(record, (draft,)))
            self._lost("waiting", subject, path)
        with self.engine._parts.store.write() as lease:
            documents.put(lease, arrivals)

    # -- what keeps away -----------------------------------------------------------------------------

    def _messages(self) -> None:
        for number, subject in self._each():
            said = self.engine.memory.conversations.add(
                HERE, "user", f"Tell me of {subject}, please, {number}."
            )
            self._lost("messages", subject, said.id)

    def _filter(self) -> None:
        ways = ("{} tag:never", "{} path:elsewhere", "{} type:adr", "{} before:2019", '{} "no such phrase"')
        for number, subject in self._each():
            head = f"---\ndate: 2025-05-05\ntags: [own]\n---\n# Kept {subject}"
            text = f"{head}\n\nThe {subject} that is filtered.\n"
            self._write(f"filter/{subject}.md", text)
            self._lost("filter", ways[number % len(ways)].format(subject), f"filter/{subject}.md")

    def _exclusion(self) -> None:
        ways = ("{} -unwanted", '{} -"quite unwanted"', "{} -path:exclusion", "{} -tag:bad")
        for number, subject in self._each():
            text = f"---\ntags: [bad]\n---\n# Bad {subject}\n\nThe {subject} that is quite unwanted.\n"
            self._write(f"exclusion/{subject}.md", text)
            self._lost("exclusion", ways[number % len(ways)].format(subject), f"exclusion/{subject}.md")

    def _restriction(self) -> None:
        ways = (Filters(tags=("other",)), Filters(collections=("default",)), Filters(tiers=("wiki",)))
        for number, subject in self._each():
            self._write(f"restriction/{subject}.md", f"# Plain {subject}\n\nThe {subject} outside of it.\n")
            self._lost("restriction", subject, f"restriction/{subject}.md", filters=ways[number % 3])

    def _retention(self) -> None:
        refs = [
            self.engine.memory.items.add(
                f"An episode of {subject}, {number}.", HERE, layer=EPISODIC
            ).document.id
            for number, subject in self._each()
        ]
        self.engine.sync()
        self.clock.pass_by(days=timedelta(days=400).days)
        for (_, subject), ref in zip(self._each(), refs, strict=True):
            self._lost("retention", subject, ref)

    def _superseded(self) -> None:
        for _, subject in self._each():
            old = (
                f"---\nsuperseded_by: newer-{subject}\n---\n# Old {subject}\n\nWhat was held of {subject}.\n"
            )
            self._write(f"superseded/older-{subject}.md", old)
            self._write(f"superseded/newer-{subject}.md", f"# New {subject}\n\nWhat holds of {subject}.\n")
            self._lost("superseded", subject, f"older-{subject}")

    # -- the ranking ---------------------------------------------------------------------------------

    def _candidates(self) -> None:
        """Nothing of the query in it, and each signal looks at five texts."""
        for number, subject in self._each():
            asked = SUBJECTS[(number + 7) % len(SUBJECTS)]
            self._write(f"candidates/{subject}.md", f"# {subject}\n\nQuiet words, such as {subject} alone.\n")
            self._lost(
                "candidates", asked, f"candidates/{subject}.md", mode="keyword",
                adjust=("depth=5", "weight.neighbour=0", "weight.expanded=0"),
            )  # fmt: skip

    def _chunk(self) -> None:
        for _, subject in self._each():
            first = f"# Parts {subject}x\n\n" + f"{subject}x and {subject}x. " * 60
            rest = "## Elsewhere\n\n" + "Nothing of that kind stands in these lines. " * 60
            self._write(f"chunk/{subject}.md", f"{first}\n\n{rest}\n")

    def _second_chunk(self) -> None:
        """By its own words the first passage is listed, and the last one is asked for."""
        for _, subject in self._each():
            found = self._document(f"chunk/{subject}.md")
            with self.engine._parts.store.read() as lease:
                number = documents.resolve(lease, found.id)
                last = lease.count("SELECT max(ordinal) FROM ark.chunks WHERE document = ?", number)
            self._lost("chunk", f"{subject}x", f"{found.id}:{last}")

    def _duplicate(self) -> None:
        for _, subject in self._each():
            text = (
                f"# Twice {subject}y\n\nThe very same {subject}y, word by word, for whoever likes it twice.\n"
            )
            self._write(f"duplicate/a-{subject}.md", text)
            self._write(f"duplicate/b-{subject}.md", text)

    def _one_for_another(self) -> None:
        """Of two that say the same, the one that was stored first is ranked for both."""
        for _, subject in self._each():
            pair = [self._document(f"duplicate/{letter}-{subject}.md") for letter in "ab"]
            (hit,) = self.engine.search(Request(f"{subject}y", limit=1, unlogged=True)).hits
            (other,) = (one for one in pair if one.id != hit.document.id)
            self._lost("duplicate", f"{subject}y", other.id)

    def _rank(self) -> None:
        """Two are all that the list has room for, and both are about nothing else."""
        for _, subject in self._each():
            word = f"{subject}z"
            for place in "ab":
                text = f"# {word}\n\n{word} {place}{word}: {word}, and {word} {place}.\n"
                self._write(f"rank/{place}-{subject}.md", text)
            self._write(
                f"rank/c-{subject}.md", f"# Aside, {subject}\n\nAmong much else there is {word} here.\n"
            )
            self._lost("rank", word, f"rank/c-{subject}.md", limit=2)

    def _floor(self) -> None:
        for number, subject in self._each():
            other = SUBJECTS[(number + 5) % len(SUBJECTS)]
            self._write(
                f"floor/{subject}.md", f"# {subject}q w\n\n{subject}q wall: the {subject}q wall itself.\n"
            )
            self._write(
                f"floor/far-{subject}.md", f"# Far {other}\n\nA wall of {other} has nothing to do with it.\n"
            )
            self._lost("floor", f"{subject}q wall", f"floor/far-{subject}.md")

    def _nothing(self) -> None:
        """Words that nobody has, and so many candidates that each document is one."""
        for number, subject in self._each():
            self._lost(
                "nothing", f"qzx{number}vw kwq{number}zz", f"listed/{subject}.md", adjust=("depth=2000",)
            )

    def _listed(self) -> None:
        for _, subject in self._each():
            self._write(f"listed/{subject}.md", f"# {subject}k\n\nThe {subject}k at last.\n")
            self._lost("listed", f"{subject}k", f"listed/{subject}.md")


def _fields(request: Request) -> dict[str, object]:
    return {name: getattr(request, name) for name in request.__dataclass_fields__}
