"""Read access to the word index. Queries are built from analyzed terms, never by parsing raw text."""

from __future__ import annotations

import os
import threading
from array import array
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import partial
from itertools import chain
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tantivy
from tantivy import Occur, Query

from ark_tui.domain.errors import Hint, IndexDamaged, StoreError
from ark_tui.domain.query import Filters, Found, Holds
from ark_tui.index import filters as trees
from ark_tui.index import seal
from ark_tui.index.protocols import Bm25, Coverage, Ranked, Times
from ark_tui.index.seal import MARK
from ark_tui.index.words import analysis, cards, conditions, files
from ark_tui.index.words.counts import Counts, remembered
from ark_tui.index.words.terms import Terms
from ark_tui.index.words.terms import stem as stemmed
from ark_tui.settings.home import read_checked
from ark_tui.store.changes import EPOCH_DAY

if TYPE_CHECKING:
    from ark_tui.index.protocols import Numbers, Scores, WordQuery
    from ark_tui.index.words.conditions import Clause
    from ark_tui.store.found import Found as Shown

EDITS = 2  # maximum difference in length of a suggestion
SUGGESTIONS = 3
COVERED = 10_000  # maximum chunks examined for the coverage of documents
BORROWED = 0.5  # weight of a word that occurs only in a compound or in the preceding text
LARGE = 20_000  # chunks above which ties are not ordered
TIED = 8  # multiple of the limit to retrieve for ordering ties
SPELLINGS = 2.0  # boost of an identifier in another spelling
NESTED = 100  # maximum nested queries, which tantivy evaluates by recursion
SINGLY = 250  # maximum chunks looked up one by one
SINGLE = 64  # maximum chunks for which each part of a score is a nested level
MET = 20_000  # chunks with cached addresses
KEPT = 64  # cached queries and results
ALIKE = 70  # minimum similarity of a suggestion, in percent


class Words:
    """Reader of the word index of one home. Thread-safe.

    `repair`: rebuilds a damaged index, unless another process is writing it.
    """

    def __init__(self, folder: Path, repair: Callable[[], object] | None = None) -> None:
        self.waiting = 0  # chunks known to be missing
        self._folder = folder
        self._repair = repair
        self._seen: tuple[int, int] | None = None
        self.languages: Sequence[str] = ()  # languages of the texts besides English
        self._indexes: dict[Path, tantivy.Index] = {}  # of texts and of facts, by folder
        self._at = -1  # the inode of the folder of texts
        self._newest: _Searcher | None = None  # of texts
        self._facts: _Searcher | None = None
        self._counts: Counts | None = None  # of `_newest`
        self._number = -1  # the last change included when it was opened
        self._opening = threading.Lock()
        self._found: dict[tuple[tuple[int, int], str], Found] = {}

    def refresh(self) -> bool:
        """Load the latest commit; true if there is a new one.

        Raises `StoreError` if the index cannot be read.
        """
        try:
            stat = (self._folder / MARK).stat()
        except OSError:
            self._forget()
            return False
        seen = (stat.st_mtime_ns, stat.st_ino)
        with self._opening:
            if seen == self._seen:
                return False
            mark = read_checked(self._folder / MARK) or {}  # read first: never newer than the index
            version = str(mark.get("version")).removeprefix("words-").partition("+")[0]
            if version != analysis.VERSION:  # the schema differs
                self._forget()
                return False
            self.languages = mark.get("languages", ())
            self._reopen()
            self._seen, self._number = seen, int(mark.get("number", -1))
            return True

    @property
    def ready(self) -> bool:
        """Whether the index exists."""
        return self._newest is not None

    def has(self, change: int) -> bool:
        """Whether the index is up to date with a change of the store."""
        return self.ready and self._number == change

    def shown(self, chunks: Sequence[int]) -> dict[int, Shown]:
        """The display data of chunks, by number, as of the last indexed change.

        Missing and superseded chunks and messages are skipped.
        """
        return {chunk: cards.read(card) for chunk, card in self.cards(chunks).items()}

    def cards(self, chunks: Sequence[int]) -> dict[int, bytes]:
        """The serialized cards of chunks; chunks without one are skipped."""
        facts = self._searcher(self._facts)
        written = (
            (chunk, facts.doc(address)["card"]) for chunk, address in self._addresses(facts, chunks).items()
        )
        return {chunk: card[0] for chunk, card in written if card}

    def days(self, chunks: Sequence[int]) -> dict[int, date | None]:
        """The dates of the chunks' documents, by document number."""
        facts = self._searcher(self._facts)
        where = [*self._addresses(facts, chunks).values()]
        columns = (facts.fast_field_values(name, where) for name in ("document", "day"))
        return {
            number: None if day is None else EPOCH_DAY + timedelta(days=day)
            for number, day in zip(*columns, strict=True)
        }

    def size(self) -> int:
        """The number of chunks in the index."""
        return self._texts() - len(self._gone()) if self.ready else 0

    def search(self, query: WordQuery, k: int, where: Filters, *, count: bool = False) -> Ranked:
        """The `k` best chunks that match the filters; `count`: also count all matches."""
        asked, tied = self._asked(query), isinstance(query, Coverage)
        return self._search(asked, where, k, count=count, tied=tied) if asked and k > 0 else Ranked()

    def score(self, query: WordQuery, chunks: Sequence[int] | Numbers) -> Scores:
        """The score of each chunk; 0 if it does not match or is missing."""
        import numpy as np

        numbers = np.asarray(chunks, np.int64).tolist()
        scores: dict[int, float] = {}
        if numbers and (parts := self._parts(query)):
            found, values, *_ = self._met(
                _beside(self._among(numbers), parts, len(numbers)), len(numbers), self._searcher()
            )
            scores = dict(zip(found, values, strict=True))
        return np.array([scores.get(number, 0.0) for number in numbers])

    def _asked(self, query: WordQuery) -> tantivy.Query | None:
        """The tantivy query; None if nothing can match."""
        parts = self._parts(query)
        return conditions.either(parts) if parts else None

    def _parts(self, query: WordQuery) -> list[tantivy.Query]:
        """The queries whose scores are summed, cached; empty if nothing can match."""
        return remembered(self._searcher().parts, query.key, lambda: self._made(query), KEPT)

    def _made(self, query: WordQuery) -> list[tantivy.Query]:
        match query:
            case Bm25():
                return self._bm25_parts(query.terms, query.boosts) if query.terms else []
            case Coverage():
                return self._coverage_parts(query.terms, own=query.own)
            case Times():
                return _stamped(query.weighed)

    def coverage_of(self, terms: Terms, documents: Sequence[int]) -> dict[int, float]:
        """The coverage of the best chunk of each document; documents without a match are skipped."""
        query = self._asked(Coverage(terms))
        if query is None or not documents:
            return {}
        owners = Query.term_set_query(analysis.schema(), "owner", [str(number) for number in documents])
        must = [(Occur.Must, query), (Occur.Must, Query.const_score_query(owners, 0.0))]
        must += self._let_through(Filters(superseded=True))
        found = self._collect(Query.boolean_query(must), COVERED)
        best: dict[int, float] = {}
        for document, share in zip(found.documents, found.scores, strict=True):
            best.setdefault(document, share)  # the best comes first
        return best

    def _coverage_parts(self, terms: Terms, *, own: bool = False) -> list[tantivy.Query]:
        mass = self._masses(terms, own=own)
        total = sum(weight for _, weight in mass)
        return [Query.boost_query(query, weight / total) for query, weight in mass if query]

    def listed(self, where: Filters, k: int) -> Ranked:
        """Chunks that match the filters, in no order, all with score 0."""
        if not where:
            return Ranked()
        return self._search(Query.const_score_query(Query.all_query(), 0.0), where, k, count=True)

    def resolved(self, where: Filters) -> Filters:
        """Resolve text conditions of the filters, so that any index can evaluate them.

        Text conditions without a word are dropped.
        """
        if where.where is None or not trees.asks_for(where.where, Holds):
            return where
        return replace(where, where=trees.resolved(where.where, Holds, self._find))

    def document_frequency(self, stem: str, word: str = "") -> int:
        """The number of chunks with a stem: the larger of the counts in title and body."""
        return max(self._frequency(field, stem, word) for field in ("body", "title"))

    def rarities(self, terms: Terms) -> list[tuple[float, bool]]:
        """For each term its idf, and whether any chunk contains it, also as a part of an identifier."""
        words = [
            (self.idf(stem, word), bool(self.document_frequency(stem, word) or self._count("names", word)))
            for stem, word in zip(terms.stems, terms.words, strict=True)
        ]
        pairs = [self._count("spaceless", pair) for pair in terms.spaceless]
        return words + [(_idf(count, self._texts()), count > 0) for count in pairs]

    def idf(self, stem: str, word: str = "") -> float:
        """The idf of a stem: ln(1 + (N − n + ½) / (n + ½))."""
        count = self._counted()
        return remembered(
            count.rarities, (stem, word), lambda: _idf(self.document_frequency(stem, word), self._texts())
        )

    def knows(self, word: str) -> bool:
        """Whether any chunk contains a word, its stem, or an identifier with it as a part."""
        stem, fields = stemmed(word), ("exact", "names")
        if not (any(self._count(field, word) for field in fields) or self.document_frequency(stem, word)):
            return False
        if not self._gone():
            return True
        forms = [form for field in ("body", "title") for form in self._forms(field, stem, word)]
        forms += [Query.term_query(analysis.schema(), field, word) for field in fields]
        return self._search(conditions.either(forms), Filters(superseded=True), 1, count=True).count > 0

    def complete(self, prefix: str) -> list[str]:
        """Words of the corpus with this prefix, most frequent first."""
        found = self._counted().completions(prefix)
        return [word for word in found if self.knows(word)] if self._gone() else found

    def suggest(self, word: str) -> tuple[str, ...]:
        """Spelling suggestions for a word that is in no chunk, most likely first.

        Words with the same prefix are tried first; all words only if the first letter may be wrong.
        """
        for start in dict.fromkeys((word[:3], word[:2], word[:1])):
            if best := alike(word, self._words(start, 20_000)):
                return best
        near = Query.fuzzy_term_query(analysis.schema(), "exact", word, 2)
        return alike(word, self._words("", 200_000)) if self._searcher().search(near, 1).hits else ()

    # -- inside ------------------------------------------------------------------------------------

    def _reopen(self) -> None:
        if not files.sound(self._folder):  # while it is written, its seal may lag behind: searches go on
            if self._repair is None:
                self._forget()
                raise seal.damaged("word")
            self._repair()
            self._at = -1
        try:
            with seal.guarded("word"):
                self._load()
        except StoreError as error:
            self._forget()
            raise (error if os.access(self._folder / files.TEXTS, os.W_OK) else _shut()) from None

    def _load(self) -> None:
        places = [self._folder / part for part in (files.TEXTS, files.FACTS)]
        inode = places[0].stat().st_ino
        if inode != self._at:
            self._indexes = {place: _opened(place) for place in places if place.exists()}
            self._at = inode
        found = []
        for index in self._indexes.values():
            index.reload()
            found.append(_Searcher(index.searcher(), self._forget))
        self._newest, self._facts = found[0], found[-1]
        self._counts = Counts(self._newest)

    def _forget(self) -> None:
        """Discard the open index, so that the next refresh checks and opens its files again."""
        self._newest = self._facts = self._counts = self._seen = None
        self._at = -1

    def _words(self, prefix: str, limit: int) -> dict[str, int]:
        """Words with this prefix, and their chunk counts."""
        return dict(self._searcher().terms_with_prefix("exact", prefix, limit=limit))

    def _searcher(self, one: _Searcher | None = None) -> _Searcher:
        """The given searcher, or that of texts. Raises `IndexDamaged` if another thread discarded it."""
        searcher = one or self._newest
        if searcher is None:
            raise seal.damaged("word")
        return searcher

    def _texts(self) -> int:
        """The number of texts that BM25 counts, including deleted ones."""
        return int(self._searcher().num_docs)

    def _counted(self) -> Counts:
        counts = self._counts
        if counts is None:
            raise seal.damaged("word")
        return counts

    def _count(self, field: str, term: str) -> int:
        return self._counted().of(field, term)

    def _search(
        self,
        query: tantivy.Query,
        filters: Filters,
        limit: int,
        *,
        count: bool = False,
        tied: bool = False,
    ) -> Ranked:
        """The best chunks that match the filters; `tied`: many scores will be equal."""
        wanted = self.resolved(filters)
        clauses = [(Occur.Must, query), *conditions.texts(wanted, self.languages), *self._let_through(wanted)]
        asked = Query.boolean_query(clauses) if len(clauses) > 1 else query
        return self._best(asked, limit, count=count, tied=tied)

    def _best(self, query: tantivy.Query, limit: int, *, count: bool, tied: bool) -> Ranked:
        """The best chunks by score; ties by number, ascending.

        Tantivy orders ties by segment, which differs between indexes of the same texts, and hundreds of texts
        with all words may tie. If more tie than are retrieved here, or the corpus is large, tantivy's order
        stays: retrieving all ties would cost more than the search.
        """
        if self._texts() > LARGE:
            return self._collect(query, limit, count=count)
        wide = limit * TIED
        first = wide if tied or self._texts() <= wide else limit + 1
        found = self._collect(query, first, count=count)
        if first < wide and found.scores[limit:] == found.scores[limit - 1 : limit] != ():
            found = self._collect(query, wide, count=count)
        rows = sorted(zip(found.scores, found.chunks, found.documents, strict=True), key=_by_score)[:limit]
        scores, chunks, documents = zip(*rows, strict=True) if rows else ((), (), ())
        return Ranked(chunks, documents, scores, found.count)

    def _let_through(self, wanted: Filters) -> list[Clause]:
        """The clauses of the filters by facts, to be added to a query; cached."""
        facts = self._searcher(self._facts)
        if facts is not self._searcher():
            return remembered(facts.clauses, wanted, lambda: self._resolved_clauses(wanted, facts), KEPT)
        must = conditions.facts(wanted)
        hidden = [(Occur.MustNot, one) for one in self._hidden(wanted, facts)]
        return [(Occur.Must, must), *hidden] if must else hidden

    def _resolved_clauses(self, wanted: Filters, facts: _Searcher) -> list[Clause]:
        """The same if facts are a separate index: resolved to chunks and documents."""
        gone = {*self._gone()}
        for one in self._hidden(wanted, facts):
            gone.update(self._all(one, facts)[0])
        clauses = [(Occur.MustNot, self._among([*gone]))] if gone else []
        must = conditions.facts(wanted)
        return [*clauses, *self._owned(must, facts)] if must else clauses

    def _owned(self, must: tantivy.Query, facts: _Searcher) -> list[Clause]:
        """A clause for the matching documents: includes them, or excludes the others if these are fewer."""
        passing = facts.search(must, 1, count=True).count or 0
        few, occur = (must, Occur.Must) if 2 * passing <= self.size() else (_not(must), Occur.MustNot)
        _, where = self._all(few, facts)
        owners = {str(one) for one in facts.fast_field_values("document", where) if one is not None}
        if occur == Occur.MustNot and not owners:
            return []
        owned = Query.term_set_query(analysis.schema(), "owner", [*owners])
        return [(occur, Query.const_score_query(owned, 0.0))]

    def _hidden(self, filters: Filters, facts: _Searcher) -> list[tantivy.Query]:
        """Queries for the superseded documents and expired memories to hide; empty if there are none.

        A search without them is faster.
        """
        found = [conditions.expired(one) for one in filters.expired if facts.doc_freq("layer", one.layer)]
        if not filters.superseded and facts.doc_freq("hidden", analysis.SUPERSEDED):
            found.append(Query.term_query(analysis.schema(), "hidden", analysis.SUPERSEDED))
        return found

    def _gone(self) -> Sequence[int]:
        """The deleted chunks whose texts are still indexed."""
        facts = self._searcher(self._facts)
        if facts.gone is None:
            gone = Query.term_query(analysis.schema(), "hidden", analysis.GONE)
            facts.gone = self._all(gone, facts)[0] if facts.doc_freq("hidden", analysis.GONE) else []
        return facts.gone

    def _all(self, query: tantivy.Query, searcher: _Searcher) -> tuple[list[int], list[tantivy.DocAddress]]:
        """All chunks that match a query, and their addresses."""
        count = searcher.search(query, 1, count=True).count or 1
        chunks, _, where, _ = self._met(query, count, searcher)
        return chunks, where

    def _find(self, wanted: Holds) -> Found | None:
        """All chunks and documents that contain a text; cached per state of the index."""
        query = conditions.text(wanted.text, self.languages)
        if query is None:
            return None
        state = self._seen or (0, 0)

        def find() -> Found:
            held, where = self._all(Query.const_score_query(query, 0.0), self._searcher())
            owners, gone = self._searcher().fast_field_values("document", where), {*self._gone()}
            rows = {chunk: owner for chunk, owner in zip(held, owners, strict=True) if chunk not in gone}
            documents, chunks = (array("q", sorted({*some})) for some in (rows.values(), rows))
            return Found(wanted.text, state, documents, chunks)

        return remembered(self._found, (state, wanted.text), find, KEPT)

    def _collect(self, query: tantivy.Query, limit: int, *, count: bool = False) -> Ranked:
        searcher = self._searcher()
        chunks, scores, where, total = self._met(query, limit, searcher, count=count)
        documents = searcher.fast_field_values("document", where)
        return Ranked(tuple(chunks), tuple(documents), tuple(scores), total)

    def _met(
        self, query: tantivy.Query, limit: int, searcher: _Searcher, *, count: bool = False
    ) -> tuple[list[int], list[float], list[tantivy.DocAddress], int]:
        """The best chunks, their scores and addresses, and the total of matches (0 without `count`)."""
        result = searcher.search(query, limit, count=count)
        hits = result.hits
        where = [address for _, address in hits]
        chunks: list[int] = searcher.fast_field_values("chunk", where)
        searcher.meet(chunks, where)
        return chunks, [score for score, _ in hits], where, result.count or 0

    def _bm25_parts(self, terms: Terms, boosts: Mapping[str, float]) -> list[tantivy.Query]:
        parts: list[tantivy.Query] = []

        def add(field: str, term: str, boost: float, word: str = "") -> None:
            if boost and (found := self._forms(field, term, word)):
                best = Query.disjunction_max_query(found) if len(found) > 1 else found[0]
                parts.append(Query.boost_query(best, boost))

        for stem, word in zip(terms.stems, terms.words, strict=True):
            add("body", stem, 1.0, word)
            rare = boosts.get("title_word", 0.0)
            rare = rare and rare * self._in_titles(stem, word)
            add("title", stem, boosts.get("title", 0.0) + rare, word)
            add("heading", stem, boosts.get("heading", 0.0), word)
            add("before", stem, boosts.get("before", 0.0), word)
        for name in dict.fromkeys((*terms.identifiers, *terms.words)):
            spelled = name.isalpha() and name not in terms.words  # the common form of all spellings
            add("names", name, SPELLINGS if spelled else boosts.get("identifier", 0.0))
        for pair in terms.spaceless:
            add("spaceless", pair, 1.0)
        return [*parts, *self._beside_words(terms, boosts.get("bigram", 0.0))]

    def _beside_words(self, terms: Terms, bigram: float) -> Iterator[tantivy.Query]:
        """The scored queries besides single words: pairs, compounds, the prefix, phrases."""
        if bigram:
            yield from (Query.boost_query(pair, bigram) for pair in self._side_by_side(terms))
        for one in terms.singly() if terms.compounds else ():
            if made := self._made_of(one):
                yield Query.boost_query(Query.disjunction_max_query(made), BORROWED)
        if terms.prefix and (completed := self._completed(terms)):
            yield Query.disjunction_max_query(completed)
        for phrase in terms.phrases:
            yield conditions.either(conditions.in_a_row(phrase, self.languages))

    def _foreign(self, field: str, stem: str, word: str) -> Iterator[tuple[str, str, int]]:
        """The different stems of a word in other languages, with the language and the chunk count."""
        for language in self.languages if word else ():
            other = stemmed(word, language)
            if other != stem and (count := self._counted().in_language(field, other, language)):
                yield other, language, count

    def with_compounds(self, terms: Terms) -> Terms:
        """Add the compounds of the words, and the parts of words that are compounds."""
        languages = [one for one in self.languages if one in analysis.COMPOUNDING]
        if not (self.ready and languages):
            return terms
        counts, known = self._counted(), dict(zip(terms.stems, terms.words, strict=True))
        for part in [part for word in terms.words for one in languages for part in counts.parts(word, one)]:
            known.setdefault(stemmed(part), part)
        made = {
            word: [one for lang in languages for one in counts.made_of(word, lang)] for word in known.values()
        }
        some = tuple((word, tuple(those)) for word, those in made.items() if those)
        return replace(terms, stems=tuple(known), words=tuple(known.values()), compounds=some)

    def _made_of(self, one: Terms) -> list[tantivy.Query]:
        """Queries for the compounds of a word, in texts of their languages."""
        return [
            conditions.of_language("body", (stem,), language)
            for language in self.languages
            for stem in {stemmed(made, language): None for made in chain(*dict(one.compounds).values())}
            if language in analysis.COMPOUNDING and self._count("body", stem)
        ]

    def _frequency(self, field: str, stem: str, word: str) -> int:
        count = self._count(field, stem)
        if not self.languages:
            return count
        return max((count, *(one[2] for one in self._foreign(field, stem, word))))

    def _forms(self, field: str, stem: str, word: str) -> list[tantivy.Query]:
        """Queries for a word in a field: its stem, and its stems in other languages, if they occur."""
        found = [conditions.of_language(field, (stem,), "")] if self._count(field, stem) else []
        if not self.languages:
            return found
        foreign = self._foreign(field, stem, word)
        return [
            *found,
            *(conditions.of_language(field, (other,), one) for other, one, _ in foreign),
        ]

    def _side_by_side(self, terms: Terms) -> Iterator[tantivy.Query]:
        """Phrase queries for adjacent words, stemmed by each language, if both words occur."""
        for pair in terms.pairs:
            plain = tuple(map(stemmed, pair))
            for language in ("", *self.languages):
                stems = tuple(stemmed(word, language) for word in pair)
                if (not language or stems != plain) and all(self._count("body", stem) for stem in stems):
                    yield conditions.of_language("body", stems, language)

    def _in_titles(self, stem: str, word: str) -> float:
        """The factor that gives a word in titles its idf in texts; in titles even frequent words are rare."""
        return self.idf(stem, word) / _idf(self._frequency("title", stem, word), self._texts())

    def _completed(self, terms: Terms) -> list[tantivy.Query]:
        """Queries for completions of the prefix, without words already in the query."""
        words = {stemmed(word): word for word in reversed(self.complete(terms.prefix))}
        return [
            form
            for stem, word in reversed(words.items())
            if stem not in terms.stems
            for form in self._forms("body", stem, word)
        ]

    def _masses(self, terms: Terms, *, own: bool) -> list[tuple[tantivy.Query | None, float]]:
        """For each term, a query with score 1 and the term's idf; the query is None without a match."""
        masses = [(self._had(one, own=own), self.idf(one.stems[0], one.words[0])) for one in terms.singly()]
        for pair in terms.spaceless:
            here = _constant(self._forms("spaceless", pair, ""))
            masses.append((here, _idf(self._count("spaceless", pair), self._texts())))
        return masses

    def _had(self, one: Terms, *, own: bool) -> tantivy.Query | None:
        """A query with score 1 for texts with a word, less if only a compound or the preceding text has it.

        `own`: ignore the preceding text.
        """
        (stem,), (word,) = one.stems, one.words
        forms = [form for field in ("body", "title", "heading") for form in self._forms(field, stem, word)]
        here = _constant([*forms, *self._forms("names", word, "")])
        before = [] if own else self._forms("before", stem, word)
        found = [part for part in (here, _constant([*before, *self._made_of(one)], BORROWED)) if part]
        return Query.disjunction_max_query(found) if len(found) > 1 else next(iter(found), None)

    def _addresses(self, searcher: _Searcher, chunks: Sequence[int]) -> dict[int, tantivy.DocAddress]:
        """The addresses of existing chunks; most are cached by a search."""
        if unmet := [chunk for chunk in chunks if chunk not in searcher.met]:
            self._met(self._among(unmet), len(unmet), searcher)
        met = searcher.met
        return {chunk: met[chunk] for chunk in chunks if chunk in met}

    def _among(self, chunks: Sequence[int]) -> tantivy.Query:
        """A query for chunks, with score 0. Many chunks use a set query, few use one query each.

        A set query builds an automaton and runs it over the terms of every segment.
        """
        schema, numbers = analysis.schema(), map(str, chunks)
        if len(chunks) > SINGLY:
            ids = Query.term_set_query(schema, "id", list(numbers))
        else:
            each = [Query.term_query(schema, "id", number) for number in numbers]
            ids = conditions.either(each)
        return Query.const_score_query(ids, 0.0)


class _Searcher:
    """Wrapper of tantivy's searcher that converts errors and panics to `IndexDamaged`."""

    def __init__(self, searcher: tantivy.Searcher, forget: Callable[[], None]) -> None:
        self._searcher = searcher
        self._forget = forget
        self.met: dict[int, tantivy.DocAddress] = {}  # cached addresses of chunks
        self.parts: dict[Hashable, list[tantivy.Query]] = {}  # cached parts of queries
        self.clauses: dict[Filters, list[Clause]] = {}  # cached clauses of filters
        self.gone: Sequence[int] | None = None  # cached deleted chunks

    def meet(self, chunks: Sequence[int], addresses: Sequence[tantivy.DocAddress]) -> None:
        """Cache the addresses of chunks."""
        if len(self.met) > MET:
            self.met = {}
        self.met.update(zip(chunks, addresses, strict=True))

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._searcher, name)
        return partial(self._call, found) if callable(found) else found

    def _call(self, method: Callable[..., Any], *given: Any, **named: Any) -> Any:
        try:
            with seal.guarded("word"):
                return method(*given, **named)
        except IndexDamaged:
            self._forget()
            raise


def _opened(place: Path) -> tantivy.Index:
    index = tantivy.Index(analysis.schema(), path=str(place))
    analysis.register(index)
    index.config_reader(reload_policy="manual")
    return index


def _not(query: tantivy.Query) -> tantivy.Query:
    return Query.boolean_query([(Occur.Must, Query.all_query()), (Occur.MustNot, query)])


def _constant(forms: list[tantivy.Query], score: float = 1.0) -> tantivy.Query | None:
    """A query with a constant score for any form of a word; None without forms."""
    return Query.const_score_query(conditions.either(forms), score) if forms else None


def _beside(among: tantivy.Query, parts: list[tantivy.Query], count: int) -> tantivy.Query:
    """Combine a condition that `count` chunks match with a sum of queries.

    The queries are nested so that tantivy evaluates them only for these chunks; a flat sum would be evaluated
    for thousands of chunks around each. Since each level copies the inner ones, many chunks use half as many.
    """
    if len(parts) > NESTED:
        return Query.boolean_query([(Occur.Must, among), (Occur.Should, conditions.either(parts))])
    step = 1 if count <= SINGLE else 2
    for at in range(0, len(parts), step):
        some = [(Occur.Should, part) for part in parts[at : at + step]]
        among = Query.boolean_query([(Occur.Must, among), *some])
    return among


def _shut() -> StoreError:
    """The error if the home is not writable: tantivy needs a lock file even for reading."""
    return StoreError(
        "The word index cannot be opened, because nothing may be written to the home.",
        Hint.give(home=True, say="Make it writable, or copy it and name the copy with {}."),
    )


def _by_score(row: tuple[float, int, int]) -> tuple[float, int]:
    return -row[0], row[1]


def _stamped(weighed: Sequence[tuple[Sequence[str], float]]) -> list[tantivy.Query]:
    schema = analysis.schema()
    return [
        Query.const_score_query(Query.term_set_query(schema, "times", list(stamps)), weight)
        for stamps, weight in weighed
    ]


def _idf(frequency: int, total: int) -> float:
    """BM25's form of Robertson and Spärck Jones's idf: ln(1 + (N − n + ½) / (n + ½))."""
    return log(1 + (total - frequency + 0.5) / (frequency + 0.5))


def alike(word: str, words: Mapping[str, int]) -> tuple[str, ...]:
    """The words most similar to a word, most likely first."""
    from rapidfuzz import fuzz, process

    near = [other for other in words if abs(len(other) - len(word)) <= EDITS]
    found = process.extract(word, near, scorer=fuzz.ratio, score_cutoff=ALIKE, limit=None)
    best = sorted(found, key=lambda one: (one[1], words[one[0]], one[0]), reverse=True)
    return tuple(other for other, *_ in best[:SUGGESTIONS])
