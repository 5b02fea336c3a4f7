"""What keeps a document from answering a search at all: filters, options, retention, a successor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from ark_tui.domain.documents import Document
from ark_tui.domain.errors import Hint
from ark_tui.domain.query import (
    Condition,
    Dated,
    Either,
    Every,
    Field,
    Filters,
    Found,
    Has,
    Holds,
    Kind,
    Listed,
    Not,
    Request,
)
from ark_tui.domain.whynot import Remedy, Stage
from ark_tui.index.filters import condition, conjuncts, every
from ark_tui.retrieval import query
from ark_tui.store import documents, items

if TYPE_CHECKING:
    from ark_tui.engine.lost import Held
    from ark_tui.engine.services import Services
    from ark_tui.retrieval.state import Corpus, Search

KEYS: dict[Kind, str] = {"collection": "in"}  # filters that are called otherwise in a query line


@dataclass(frozen=True, slots=True)
class Barrier:
    """Something that keeps a document away: a `condition` of the search, its retention, or its successor."""

    stage: Stage
    what: str
    sentence: str
    remedy: Remedy
    condition: Condition | None = None
    instead: Document | None = None


def found(parts: Services, search: Search, held: Held) -> Iterator[Barrier]:
    """The barriers of a search before a document, in the order in which they are named."""
    own = [one for one in _conditions(search.query.filters) if not _lets(search, one, held)]
    yield from sorted((_of_query(search, one, held) for one in own), key=lambda one: one.stage != "filter")
    for one in _conditions(search.request.filters):
        if not _lets(search, one, held):
            yield _of_request(one, held)
    yield from _expired(parts, search, held)
    yield from _superseded(parts, search, held)


def lifted(barriers: Sequence[Barrier], request: Request, corpus: Corpus) -> tuple[Request, Corpus]:
    """The search, and the corpus, without all of them."""
    stages = {one.stage for one in barriers}
    now = corpus.clock.now()
    for one in barriers:
        if one.condition is not None and one.stage != "restriction":
            request = replace(
                request,
                query=query.without(request.query, one.condition, now, corpus.has_field) or request.query,
            )
    away = [one.condition for one in barriers if one.stage == "restriction"]
    rest = tuple(one for one in _conditions(request.filters) if one not in away)
    return (
        replace(
            request,
            superseded=request.superseded or "superseded" in stages,
            filters=Filters(where=every(rest)) if rest else Filters(),
        ),
        replace(corpus, retention={}) if "retention" in stages else corpus,
    )


def _conditions(filters: Filters) -> list[Condition]:
    return [one for one in conjuncts(condition(filters)) if one != Every(())]


def _lets(search: Search, one: Condition, held: Held) -> bool:
    """Whether a condition is true of a document, as the index evaluates it."""
    if "words" in search.problems:
        return True
    words = search.corpus.words
    only = search.corpus.listed(Filters(where=one, superseded=True))
    return held.number in words.listed(only, words.size()).documents


def _of_query(search: Search, one: Condition, held: Held) -> Barrier:
    stage: Stage = "exclusion" if isinstance(one, Not) else "filter"
    kind = "phrase" if isinstance(one, Holds) else stage
    now = search.corpus.clock.now()
    line = query.without(search.request.query, one, now, search.corpus.has_field)
    say = f"Search without {written(one)}"
    if line:
        remedy = Remedy("query", Hint.run("search", line, say=f"{say}: {{}}."), query=line)
    else:
        remedy = Remedy("other", f"{say}.")
    sentence = f"The {kind} {written(one)} of the query keeps it away: {_fact(one, held.document)}."
    return Barrier(stage, f"the {kind} {written(one)}", sentence, remedy, one)


def _of_request(one: Condition, held: Held) -> Barrier:
    sentence = f"The search is restricted to {written(one)}: {_fact(one, held.document)}."
    remedy = Remedy("option", f"Search without the restriction to {written(one)}.")
    return Barrier("restriction", f"the restriction to {written(one)}", sentence, remedy, one)


def _expired(parts: Services, search: Search, held: Held) -> Iterator[Barrier]:
    with parts.store.read() as lease:
        (item,) = items.get(lease, [held.number], search.corpus.retention)
    if item.until is None or item.until > search.corpus.clock.now():
        return
    days = search.corpus.retention[held.document.layer].total_seconds() / 86_400
    sentence = (
        f"Its retention is over: memories of its layer answer for {days:g} days, until {item.until:%Y-%m-%d}."
    )
    keep = Hint.run(
        "promote", held.document.short_id, layer="semantic", reason="WHY", say="Keep it for good: {}."
    )
    yield Barrier("retention", "its retention", sentence, Remedy("restore", keep))


def _superseded(parts: Services, search: Search, held: Held) -> Iterator[Barrier]:
    if search.request.superseded:
        return
    with parts.store.read() as lease:
        number = lease.number("SELECT successor FROM ark.superseded WHERE document = ?", held.number)
        if number is None:
            return
        successor = documents.documents(lease, [number])[number]
    listed = Hint.run(
        "search", search.request.query, superseded=True, say="List what was superseded, too: {}."
    )
    sentence = f"It was superseded by {successor.short_id} {successor.title}, which answers for it."
    yield Barrier("superseded", "its successor", sentence, Remedy("option", listed), None, successor)


# -- in words --------------------------------------------------------------------------------------


def written(one: Condition) -> str:
    """A condition as a query line has it."""
    if isinstance(one, Field | Listed):
        return _of_field(one if isinstance(one, Field) else one.of)
    match one:
        case Has():
            return f"{KEYS.get(one.kind, one.kind)}:{_quoted(one.value)}"
        case Dated():
            return _of_days(one)
        case Holds() | Found():
            return one.text if one.text.isalnum() else f'"{one.text}"'
        case Not():
            return f"-{written(one.part)}"
        case Every() | Either():
            between = " OR " if isinstance(one, Either) else " "
            return f"({between.join(map(written, one.parts))})"


def _of_days(dated: Dated) -> str:
    first = f"after:{dated.first}" if dated.first else ""
    last = f"before:{dated.last + timedelta(days=1)}" if dated.last else ""
    return " ".join(filter(None, (first, last)))


def _of_field(field: Field) -> str:
    key = f"{query.META if field.key in query.EXAMPLES else ''}{field.key}"
    return (
        f"has:{key}"
        if field.sign == "has"
        else f"{key}:{'' if field.sign == '=' else field.sign}{_quoted(field.value)}"
    )


def _quoted(value: str) -> str:
    return f'"{value}"' if " " in value else value


def _fact(one: Condition, document: Document) -> str:
    """What is so of a document that does not fulfil a condition."""
    said = "that is not true of it"
    match one:
        case Has(kind="tag"):
            said = f"its tags are {', '.join(document.tags)}" if document.tags else "it has no tags"
        case Has():
            said = f"its {one.kind} is {_value(document, one.kind)}"
        case Dated():
            said = f"its date is {document.date}" if document.date else "it has no date"
        case Holds() | Found():
            said = "it does not have these words one after the other"
        case Not():
            said = (
                f"it has {written(one.part)}"
                if isinstance(one.part, Holds)
                else f"{written(one.part)} holds for it"
            )
        case Either() if all(isinstance(part, Has) for part in one.parts):
            said = _fact(one.parts[0], document)
    return said


def _value(document: Document, kind: Kind) -> str:
    """What a filter of that kind looks at."""
    return str(getattr(document, kind, "")) or "another"
