"""Explaining why a search does not list a document (S20): the cause, and tested remedies."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ark_tui import retrieval
from ark_tui.analysis.terms import counted, salient
from ark_tui.domain.documents import Document
from ark_tui.domain.errors import Hint, NotFound, UsageError
from ark_tui.domain.layers import HISTORY, RETIRED, WORKING
from ark_tui.domain.protocols import NEVER, Stop, check
from ark_tui.domain.query import Condition, Either, Every, Filters, Has, Not, Request
from ark_tui.domain.whynot import Cause, Remedy, WhyNot
from ark_tui.engine import showing
from ark_tui.index.filters import condition, conjuncts, every
from ark_tui.index.protocols import Coverage
from ark_tui.index.words import terms
from ark_tui.index.words.terms import Terms
from ark_tui.retrieval import opening, query, retention
from ark_tui.settings import caller
from ark_tui.store import documents, files, items, trash

if TYPE_CHECKING:
    from ark_tui.domain.hits import Hit, SearchResult
    from ark_tui.engine.services import Services
    from ark_tui.retrieval.state import Search
    from ark_tui.store import Lease
    from ark_tui.store.files import FileRecord

DEEPEST = 1000  # results searched for the document
LIVING = "SELECT number FROM ark.documents WHERE folder = ? AND path = ? AND gone IS NULL ORDER BY item"
CHANGED = "SELECT coalesce(max(number), 0) FROM ark.changes WHERE chunk IN (SELECT unnest(?::BIGINT[]))"
WORDS = 4  # rare words of the document tried in the query


class Found(NamedTuple):
    """A cause with its sentence, remedies, related document and similar names."""

    cause: Cause
    sentence: str
    remedies: Iterable[Remedy] = ()  # lazy, as each is tried by a search
    document: Document | None = None
    near: tuple[str, ...] = ()


def why_not(
    parts: Services, request: Request, ref: str, stop: Stop = NEVER, *, person: bool = True
) -> WhyNot:
    """Explain why a search does not list the document of a reference, and what would change that.

    `person`: also report files outside the indexed folders. Raises `Ambiguous` for an ambiguous name,
    `Cancelled`, and the errors of a search.
    """
    if not request.query.strip():
        raise UsageError("There is nothing to search for.", "Give some words, as in: spectral gap")
    parts.look(stop)
    request = replace(parts.complete(request), typing=False, unlogged=True, explain=False)
    try:
        number, chunk, _ = showing.stored(parts, ref)
    except NotFound:
        living, found = _by_file(parts, ref.strip(), person=person)
        if found:
            return WhyNot(request.query, ref, found.document, found.cause, found.sentence, request.limit,
                          remedies=tuple(found.remedies), near=found.near)  # fmt: skip
        number, chunk = living, None
    return _Inquiry(parts, request, ref, number, chunk, stop).answer()


def cause(parts: Services, request: Request, number: int, stop: Stop) -> Found:
    """Why a search does not list a document of the store."""
    return _Inquiry(parts, request, "", number, None, stop).cause()


# -- files without a document --------------------------------------------------------------------------


def _by_file(parts: Services, ref: str, *, person: bool) -> tuple[int, Found | None]:
    """The document number of a file, or 0 and why there is none."""
    with parts.store.read() as lease:
        with suppress(NotFound):
            return 0, _trashed(lease, ref)
        folders = files.roots(lease)
        places = list(dict.fromkeys(_places(lease, folders, ref)))
        for folder, path in places:
            if number := lease.number(LIVING, folder, path):
                return number, None
        records = {folder: files.known(lease, folder) for folder, _ in places}
        known = [str(row[0]) for row in lease.rows("SELECT DISTINCT path FROM ark.files ORDER BY path")]
    for folder, path in places:
        if found := _at(parts, Path(folders[folder]), folder, path, records[folder].get(path)):
            return 0, found
    outside = caller.folder() / Path(ref).expanduser()
    if person and outside.is_file():
        add = Hint.run("index", outside.resolve().parent, say="Index its folder: {}.")
        return 0, Found("not indexed", f"The file {ref} is in no folder that is indexed.", (Remedy(add),))
    near = tuple(get_close_matches(ref, known, 3))
    look = Remedy(Hint.run("doc list", say="List the documents: {}."))
    similar = f" Similar names: {', '.join(near)}." if near else ""
    return 0, Found("not indexed", f"There is no document or file {ref} here.{similar}", (look,), None, near)


def _trashed(lease: Lease, ref: str) -> Found:
    number = documents.resolve(lease, ref, trash.HELD)
    document = documents.documents(lease, [number])[number]
    back = Hint.run("doc restore", document.short_id, say="Restore it: {}.")
    return Found("hidden", "It is in the trash.", (Remedy(back),), document)


def _places(lease: Lease, folders: dict[str, str], ref: str) -> Iterator[tuple[str, str]]:
    """Candidate collections and paths of a file name."""
    name = ref.removeprefix("./")
    if not name:
        return
    here = Path(os.path.normpath(caller.folder() / Path(ref).expanduser()))
    for folder, root in folders.items():
        for path in (here, Path(os.path.realpath(here.parent), here.name)):
            if path.is_relative_to(root) and path != Path(root):
                yield folder, path.relative_to(root).as_posix()
        if name.startswith(f"{folder}/"):
            yield folder, name.removeprefix(f"{folder}/")
    for table in ("documents", "files"):
        rows = lease.rows(
            f"SELECT DISTINCT folder, path FROM ark.{table} WHERE path = ? OR ends_with(path, ?) "
            "ORDER BY ALL",
            name, f"/{name}",
        )  # fmt: skip
        yield from ((str(folder), str(path)) for folder, path in rows if folder in folders)
    below = os.path.normpath(name)
    yield from ((folder, below) for folder, root in folders.items() if os.path.lexists(Path(root, below)))


def _at(parts: Services, root: Path, folder: str, path: str, record: FileRecord | None) -> Found | None:
    """Why a file has no document; None if the file does not exist and never did."""
    there = os.path.lexists(root / path)
    if not there and record is None:
        return None
    if root.is_dir() and (why := showing.rules(parts.settings, root).why(path)):
        return Found(
            "not indexed", f"The file {path} is left out of {folder}: {why}.", (_unruled(root, path),)
        )
    if record and record.state != "indexed":
        verb = "could not be read" if record.state == "failed" else "was skipped"
        sentence = f"The file {path} {verb}: {record.reason}."
        again = Hint.run("index", root, say="Fix that, then index again: {}.")
        if "too large" in record.reason:
            size = 1 << max(record.size - 1, 1).bit_length()
            again = Hint.run("config set", "max_bytes", size, say="Raise the limit, then index again: {}.")
        rule = (_unruled(root, path),) if "minified" in record.reason or "generated" in record.reason else ()
        return Found("not indexed", sentence, (*rule, Remedy(again)))
    if not there:
        return Found("not indexed", f"Its file {path} is not in {folder} any more.")
    read = Hint.run("index", root, say="Index the folder: {}.")
    return Found(
        "not indexed", f"The file {path} of {folder} has changed and is not indexed yet.", (Remedy(read),)
    )


def _unruled(root: Path, path: str) -> Remedy:
    say = f"Remove the rule, or add the line !{path} to .arkignore in {root}; then index again: {{}}."
    return Remedy(Hint.run("index", root, say=say))


# -- a document ----------------------------------------------------------------------------------------


@dataclass
class _Inquiry:
    """One query and one document of the home. `chunk`: the referenced chunk, if any."""

    parts: Services
    request: Request
    ref: str
    number: int
    chunk: int | None
    stop: Stop

    def cause(self) -> Found:
        """The first cause that applies."""
        several = (self._stored, self._filtered, self._waiting)
        return next(filter(None, (one() for one in several)), None) or self._ranked()

    def answer(self) -> WhyNot:
        """The first cause that applies, with remedies."""
        found = self.cause()
        hit, result = self.found
        return WhyNot(
            self.request.query, self.ref, self.document, found.cause, found.sentence, self.request.limit,
            rank=hit.rank if hit else None,
            of=result.found,
            score=hit.score if hit else None,
            signals=hit.parts if hit else (),
            missing=self.missing,
            remedies=tuple(found.remedies),
            instead=found.document,
            off=result.off,
        )  # fmt: skip

    @cached_property
    def document(self) -> Document:
        """The document."""
        with self.parts.store.read() as lease:
            return documents.documents(lease, [self.number])[self.number]

    @cached_property
    def chunks(self) -> list[int]:
        """The numbers of its chunks."""
        with self.parts.store.read() as lease:
            return lease.numbers("SELECT number FROM ark.chunks WHERE document = ?", self.number)

    @cached_property
    def search(self) -> Search:
        """The parsed query."""
        return opening.read(self.parts.corpus, self.request, self.stop)

    @cached_property
    def found(self) -> tuple[Hit | None, SearchResult]:
        """The hit of the document, if any, in a deep search with the original request."""
        return self._run(self.request)

    def _run(self, request: Request) -> tuple[Hit | None, SearchResult]:
        check(self.stop)
        deep = replace(request, limit=max(DEEPEST, request.limit), below=True)
        result = retrieval.run(self.parts.corpus, deep, self.stop)
        hits = (*result.hits, *result.below)
        return next((hit for hit in hits if hit.document.id == self.document.id), None), result

    def _tried(self, request: Request, what: Hint | str, line: str = "") -> Remedy:
        """A remedy with the resulting rank."""
        hit, _ = self._run(request)
        return Remedy(what, line, hit.rank if hit else None)

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """The query words that are missing in the document."""
        if "words" in self.search.problems:
            return ()
        words, asked = self.search.corpus.words, self.search.terms
        return tuple(
            word
            for stem, word in zip(asked.stems, asked.words, strict=True)
            if not words.score(Coverage(Terms(stems=(stem,), words=(word,)), own=True), self.chunks).any()
        )

    # -- causes --------------------------------------------------------------------------------------

    def _stored(self) -> Found | None:
        """Causes from its stored state: no text, retired, expired, superseded, a message."""
        document, line = self.document, self.request.query
        if document.status == RETIRED:
            back = Hint.run("memory revive", document.short_id, say="Bring it back: {}.")
            return Found("hidden", "It was retired.", (Remedy(back),))
        if not self.chunks:
            return Found("not indexed", "It has no text.")
        if document.layer == WORKING and not retention.only(condition(self.search.filters)):
            history = f"{line} in:{HISTORY}"
            what = Hint.run("search", history, say="Search messages: {}.")
            return Found(
                "messages", "It is a message, and messages are searched separately.", (Remedy(what, history),)
            )
        with self.parts.store.read() as lease:
            (item,) = items.get(lease, [self.number], self.parts.corpus.retention)
            follower = lease.number("SELECT successor FROM ark.superseded WHERE document = ?", self.number)
            successor = documents.documents(lease, [follower])[follower] if follower else None
        if item.until is not None and item.until <= self.parts.clock.now():
            keep = Hint.run(
                "memory promote",
                document.short_id,
                layer="semantic",
                reason="WHY",
                say="Keep it for good: {}.",
            )
            return Found("hidden", f"It expired on {item.until:%Y-%m-%d}.", (Remedy(keep),))
        if successor and not self.request.superseded:
            what = Hint.run("search", line, superseded=True, say="List superseded documents too: {}.")
            sentence = f"It is superseded by {successor.short_id} {successor.title}."
            return Found(
                "hidden", sentence, (self._tried(replace(self.request, superseded=True), what),), successor
            )
        return None

    def _filtered(self) -> Found | None:
        """Filters of the query or of the options that exclude it; remedies remove them."""
        now, fields = self.parts.clock.now(), self.parts.corpus.has_field
        own = [one for one in _conditions(self.search.query.filters) if not self._holds(one)]
        options = [one for one in _conditions(self.request.filters) if not self._holds(one)]
        remedies, names = [], []
        for one in own:
            line = query.without(self.request.query, one, now, fields)
            names.append(_removed(self.request.query, line))
            if line:
                what = Hint.run("search", line, say=f"Search without {names[-1]}: {{}}.")
                remedies.append(self._tried(replace(self.request, query=line), what, line))
        if options:
            rest = tuple(one for one in _conditions(self.request.filters) if one not in options)
            free = replace(self.request, filters=Filters(where=every(rest)) if rest else Filters())
            names += map(_option, options)
            remedies.append(
                self._tried(free, f"Search without the option {', '.join(map(_option, options))}.")
            )
        if not names:
            return None
        cause: Cause = "excluded" if own and all(isinstance(one, Not) for one in own) else "filter"
        return Found(cause, f"{', '.join(names)} excludes it{self._facts()}.", tuple(remedies))

    def _holds(self, one: Condition) -> bool:
        """Whether the document meets a condition, as evaluated by the index."""
        if "words" in self.search.problems:
            return True
        words = self.search.corpus.words
        only = self.search.corpus.listed(Filters(where=one, superseded=True))
        return self.number in words.listed(only, words.size()).documents

    def _facts(self) -> str:
        """The properties of the document that filters use, in words."""
        one = self.document
        tags = f"tags {', '.join(one.tags)}" if one.tags else "no tags"
        return f": it has {tags}, type {one.type}, date {one.date or 'none'}, collection {one.collection}"

    def _waiting(self) -> Found | None:
        if self.document.layer == WORKING or self.found[0]:
            return None
        with self.parts.store.read() as lease:
            changed = lease.count(CHANGED, self.chunks)
        followers = [*self.parts.local_followers(), *self.parts.models.followers()]
        if all(follower.mark().number >= changed for follower in followers):
            return None
        what = Hint.run("index", say="Let the indexes catch up: {}.")
        return Found("waiting", "It is stored, and an index has not caught up with it yet.", (Remedy(what),))

    def _ranked(self) -> Found:
        """The cause from its rank, or from not being ranked at all."""
        hit, result = self.found
        if hit is None:
            return self._unranked(result)
        if hit.rank <= self.request.limit and (hit.band != "below" or self.request.below):
            return Found("listed", f"It is listed, as number {hit.rank} of {result.found}.")
        if hit.band == "below" and not self._full(result):
            why = result.verdict.why if result.verdict and result.verdict.why else "Its score is too low."
            sentence = f"{why} Among low-confidence results it is number {hit.rank:,}{self._lacks()}."
            return Found("low confidence", sentence, self._better())
        sentence = (
            f"It is number {hit.rank:,} of {result.found:,}, and the list ends after {self.request.limit}"
        )
        return Found("ranked lower", f"{sentence}{self._lacks()}.", self._better())

    def _full(self, result: SearchResult) -> bool:
        """Whether the list ends at its limit rather than at low confidence."""
        shown = [one for one in result.hits if self.request.below or one.band != "below"]
        return len(shown) >= self.request.limit

    def _unranked(self, result: SearchResult) -> Found:
        for hit in (*result.hits, *result.below):
            if any(one.id == self.document.id for one in hit.duplicates):
                read = Hint.run("show", hit.document.short_id, say="Read what is listed: {}.")
                name = f"{hit.document.short_id} {hit.document.title}"
                sentence = f"It is a near-duplicate of {name}, number {hit.rank}."
                return Found("hidden", sentence, (Remedy(read),), hit.document)
        sentence = f"It is not among the best candidates of any signal{self._lacks()}."
        return Found("low confidence", sentence, self._better())

    def _lacks(self) -> str:
        return f"; it does not have {', '.join(self.missing)}" if self.missing else ""

    # -- remedies ------------------------------------------------------------------------------------

    def _better(self) -> Iterator[Remedy]:
        """Remedies for a low rank: a longer list, a word of the document, missing words, a judgment."""
        hit, line = self.found[0], self.request.query
        if hit is not None:
            below = {"below": True} if hit.band == "below" else {}
            options: dict[str, str | bool] = {"limit": str(max(hit.rank, self.request.limit)), **below}
            yield Remedy(Hint.run("search", line, say="List more: {}.", **options), rank=hit.rank)
        for word in self._rare_words():
            longer = f"{line} {word}"
            what = Hint.run("search", longer, say=f"Add a word of it, {word}: {{}}.")
            tried = self._tried(replace(self.request, query=longer), what, longer)
            if tried.rank and tried.rank <= self.request.limit:
                yield tried
                break
        if self.missing:
            yield Remedy(f"Write {', '.join(self.missing)} into it, or under aliases in its front matter.")
        yield Remedy(
            Hint.run("eval judge", line, self.document.short_id, "++", say="Mark it as the answer: {}.")
        )

    def _rare_words(self) -> tuple[str, ...]:
        """Words not in the query that are frequent in the document and rare elsewhere (tf × idf)."""
        if self.request.literal or "words" in self.search.problems:
            return ()
        with self.parts.store.read() as lease:
            text = counted(f"{self.document.title}\n{documents.body(lease, self.number)}")
        own = Counter({w: n for w, n in text.items() if terms.stem(w) not in self.search.terms.stems})
        return salient(own, self.search.corpus.words.idf, WORDS)


def _conditions(filters: Filters) -> list[Condition]:
    return [one for one in conjuncts(condition(filters)) if one != Every(())]


def _removed(line: str, shorter: str) -> str:
    """The words of a query line that are missing in a shorter one."""
    left, words = Counter(shorter.split()), []
    for word in line.split() if shorter else ():
        if left[word]:
            left[word] -= 1
        else:
            words.append(word)
    return " ".join(words) or "A filter of the query"


def _option(one: Condition) -> str:
    """Describe a condition of the options in words."""
    if isinstance(one, Either):
        return " or ".join(map(_option, one.parts))
    return f"{one.kind} {one.value}" if isinstance(one, Has) else "of dates or fields"
