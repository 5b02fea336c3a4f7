"""Items with values of their own: facts, patterns and directives. A new kind needs a row and operations."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from ark_tui.domain.documents import Draft, LinkDraft, Tier, content_hash
from ark_tui.domain.errors import UsageError
from ark_tui.domain.knowledge import DIRECTIVE, FACT, PATTERN, RULE_KINDS, Directive, Fact, Pattern
from ark_tui.domain.layers import DIRECTIVE as HELD
from ark_tui.domain.layers import PATTERN as SOLVED
from ark_tui.domain.layers import SEMANTIC
from ark_tui.domain.memory import EVERY, Scope, choice
from ark_tui.domain.outcomes import FIRST_CONFIDENCE, Change, Outcome, moved
from ark_tui.index.words import terms
from ark_tui.memory import texts
from ark_tui.memory.items import Items
from ark_tui.store import Lease, Store, items, knowledge, requests

if TYPE_CHECKING:
    from ark_tui.domain.documents import ChunkDraft
    from ark_tui.ingest.reading import Reading


Kept = TypeVar("Kept", bound=Fact | Pattern | Directive)
Values: TypeAlias = dict[str, Any]
EVERYBODY = Scope(EVERY, EVERY)


@dataclass(frozen=True)
class Kind(Generic[Kept]):
    """A kind of item.

    `name`: the type of its documents. `values`: the names of its values, in the order of arguments; they are
    attributes of `Kept`. `check` validates values, with at most so many bytes of text, or raises
    `UsageError`.
    `draft` makes the document; `put` stores values that are not in its text. `same` finds an existing item
    with the same values, owner and project; `renewed`: adding it again updates it. `order`: the sort key of
    lists, oldest first by default. `defaults`: of optional and internal values.
    """

    name: str
    layer: int
    values: tuple[str, ...]
    read: Callable[[Lease, Sequence[int]], dict[int, Kept]]
    check: Callable[[Values, int], Values]
    draft: Callable[[Reading, Values, str], Draft]
    same: Callable[[Lease, Values, tuple[str, str]], int | None]
    put: Callable[[Lease, int, Values], None] = lambda *_: None
    order: Callable[[Kept], Any] = lambda _: 0
    defaults: Mapping[str, Any] = field(default_factory=dict)
    renewed: bool = False


class Known(Generic[Kept]):
    """The items of a kind in a home. `by`: who added an item; `owner`: who sees it.

    `taken_up` tells the indexes of a change.
    """

    def __init__(
        self,
        kind: Kind[Kept],
        store: Store,
        items: Items,
        reading: Reading,
        default: Scope,
        taken_up: Callable[[], object],
    ) -> None:
        self._kind = kind
        self._store = store
        self._items = items
        self._reading = reading
        self._default = default
        self._taken_up = taken_up

    def add(
        self,
        *given: Any,
        by: Scope | None = None,
        tags: Sequence[str] = (),
        tier: Tier = "doc",
        whose: tuple[str, str] | None = None,
        **named: Any,
    ) -> Kept:
        """Add an item; the same values are the same item.

        `whose`: its owner and its project, instead of the defaults of the scope.
        """
        kind, scope = self._kind, texts.one(by or self._default)
        asked = dict(zip(kind.values, given, strict=False)) | named
        with self._store.write() as lease:
            kept = requests.once(
                lease, f"add a {kind.name}", [asked, tags, tier],
                lambda: self.added(lease, asked, scope, tags, tier, whose or self._items.whose(scope)),
                lambda made: made.document.id, lambda id_: knowledge.again(lease, kind.read, id_),
            )  # fmt: skip
        self._taken_up()
        return kept

    def added(
        self,
        lease: Lease,
        given: Mapping[str, Any],
        scope: Scope,
        tags: Sequence[str],
        tier: Tier,
        whose: tuple[str, str],
        links: Sequence[LinkDraft] = (),
    ) -> Kept:
        """As `add`, in the caller's lease. `links`: in addition to those in its text."""
        kind, (owner, project) = self._kind, whose
        values = kind.check({**kind.defaults, **given}, self._reading.max_bytes)
        number = kind.same(lease, values, whose)
        if number is None:
            draft = kind.draft(self._reading, values, f"{kind.name}s/{uuid.uuid4().hex[:12]}")
            draft = replace(
                draft, type=kind.name, layer=kind.layer, tier=tier, agent=scope.agent, session=scope.session,
                date=lease.now().date(), date_source="given", owner=owner, project=project,
                links=(*draft.links, *links),
            )  # fmt: skip
            number = items.put(lease, draft, content_hash(draft.body.encode()), tags)
            kind.put(lease, number, values)
        elif kind.renewed:
            kind.put(lease, number, values)
        return kind.read(lease, [number])[number]

    def list(self, by: Scope = EVERYBODY, *, retired: bool = False) -> tuple[Kept, ...]:
        """The items that a scope added; `retired` ones on request."""
        with self._store.read() as lease:
            numbers = knowledge.numbers(lease, [self._kind.name], by, retired=retired)
            found = self._kind.read(lease, numbers)
        return tuple(sorted((found[number] for number in numbers), key=self._kind.order))


def _fact(values: Values, longest: int) -> Values:
    return values | {"text": texts.text(values["text"], "a fact", longest)}


def _fact_draft(reading: Reading, values: Values, path: str) -> Draft:
    return replace(reading.text(values["text"], path=path), source_id=values["source"])


def _same_fact(lease: Lease, values: Values, whose: tuple[str, str]) -> int | None:
    return knowledge.same(lease, FACT, values["text"], values["source"], whose=whose)


def _pattern(values: Values, longest: int) -> Values:
    checked = {
        name: texts.text(values[name], f"the {name} of a pattern", longest // 2).strip()
        for name in ("problem", "solution")
    }
    return values | checked


def _same_pattern(lease: Lease, values: Values, whose: tuple[str, str]) -> int | None:
    body = values["problem"] + BETWEEN + values["solution"]
    return knowledge.same(lease, PATTERN, body, whose=whose)


def _put_pattern(lease: Lease, number: int, values: Values) -> None:
    names = ("problem", "solution", "confidence", "successes", "failures")
    knowledge.put(lease, "patterns", number, [values[name] for name in names])


EVERYWHERE = ("", "*", "all", "global", "everywhere")
"""Names of the global scope."""

LONGEST = 4000  # bytes of a rule
HIGHEST = 1_000_000
TITLE = 80  # characters
KEPT = 4_096  # scopes in the cache of their words


def _rule(values: Mapping[str, Any], _: int) -> dict[str, Any]:
    """The checked values of a rule. Raises `UsageError`."""
    if abs(values["priority"]) > HIGHEST:
        raise UsageError(
            f"The priority {values['priority']} is out of range.", f"Between −{HIGHEST} and {HIGHEST}."
        )
    text = " ".join(texts.text(values["text"], "a directive", LONGEST).split())
    named, scope = str(values["kind"]), str(values["scope"])
    unknown = f"There is no kind of directive {named or '(empty)'}."
    kind = choice(named, RULE_KINDS, unknown, f"Kinds: {', '.join(RULE_KINDS)}.")
    scope = "" if scope.strip().lower() in EVERYWHERE else texts.name(scope, "a scope")
    return {**values, "kind": kind, "text": text, "scope": scope}


def _rule_draft(reading: Reading, values: Mapping[str, Any], path: str) -> Draft:
    """The document of a rule; its title names its kind."""
    return reading.text(values["text"], path=path, title=f"{values['kind']} {values['text']}"[:TITLE])


def precedence(one: Directive) -> tuple[int, int, str]:
    """The sort key of rules: higher priority first, then MUST, NEVER, PREFER, AVOID."""
    return -one.priority, RULE_KINDS.index(one.kind), one.document.id


def holding(rules: Mapping[int, str], query: str, scopes: Sequence[str]) -> list[int]:
    """The rules that apply: global ones, those of a given scope, and those of scopes that the query mentions.

    `src` includes `src/auth`. A query mentions a scope if it has all words of its name.
    """
    given = [one.strip().lower().rstrip("/") for one in scopes]
    about = frozenset(terms.read(query).stems)
    return [number for number, scope in rules.items() if not scope or _holds(scope, given, about)]


def _holds(scope: str, given: Sequence[str], about: frozenset[str]) -> bool:
    own = scope.lower().rstrip("/")
    if any(one == own or one.startswith(f"{own}/") for one in given):
        return True
    words = _words(scope)
    return bool(words) and words <= about


@lru_cache(KEPT)
def _words(scope: str) -> frozenset[str]:
    return frozenset(terms.read(scope).stems)


def _same_directive(lease: Lease, values: Values, whose: tuple[str, str]) -> int | None:
    wanted = (values["kind"], values["text"], values["scope"], *whose)
    known = knowledge.directives(lease, knowledge.numbers(lease, [DIRECTIVE], EVERYBODY))
    return next(
        (
            number
            for number, one in known.items()
            if (one.kind, one.text, one.scope, one.owner, one.project) == wanted
        ),
        None,
    )


def _put_directive(lease: Lease, number: int, values: Values) -> None:
    knowledge.put(lease, "directives", number, [values["kind"], values["scope"], values["priority"]])


BETWEEN = "\n\n"  # between problem and solution in the text of the document
PROBLEM, SOLUTION = "problem", "solution"
"""Kinds of chunks: patterns are searched by their problem."""


def draft(reading: Reading, values: Mapping[str, Any], path: str) -> Draft:
    """A document of problem and solution, chunked separately, so that no chunk has text of both."""
    first, second = (reading.text(values[name], path=path) for name in (PROBLEM, SOLUTION))
    start, line = len(first.body) + len(BETWEEN), first.body.count("\n") + BETWEEN.count("\n")
    chunks = (
        *(replace(chunk, kind=PROBLEM) for chunk in first.chunks),
        *(_shifted(chunk, start, line) for chunk in second.chunks),
    )
    return replace(
        first, body=first.body + BETWEEN + second.body, chunks=chunks, titled=False,
        links=(*first.links, *second.links),
    )  # fmt: skip


def learn(lease: Lease, number: int, outcome: Outcome) -> Change:
    """The confidence of a pattern after one more outcome."""
    old = knowledge.patterns(lease, [number])[number]
    after = moved(old.confidence, old.tried, outcome)
    successes = old.successes + (outcome == "success")
    failures = old.failures + (outcome == "failure")
    knowledge.put(lease, "patterns", number, (old.problem, old.solution, after, successes, failures))
    return Change(old.document.id, old.document.title, old.confidence, after, successes, failures)


def _shifted(chunk: ChunkDraft, characters: int, lines: int) -> ChunkDraft:
    return replace(
        chunk, kind=SOLUTION, start_char=chunk.start_char + characters, end_char=chunk.end_char + characters,
        start_line=chunk.start_line + lines, end_line=chunk.end_line + lines,
    )  # fmt: skip


KINDS: Mapping[str, Kind[Any]] = {
    "facts": Kind[Fact](
        FACT, SEMANTIC, ("text", "source"), knowledge.facts, _fact, _fact_draft, _same_fact,
        defaults={"source": ""},
    ),
    "patterns": Kind[Pattern](
        PATTERN, SOLVED, ("problem", "solution"), knowledge.patterns, _pattern, draft,
        _same_pattern, _put_pattern, order=lambda one: -one.confidence,
        defaults={"confidence": FIRST_CONFIDENCE, "successes": 0, "failures": 0},
    ),
    "directives": Kind[Directive](
        DIRECTIVE, HELD, ("kind", "text", "scope", "priority"), knowledge.directives, _rule,
        _rule_draft, _same_directive, _put_directive, order=precedence,
        defaults={"scope": "", "priority": 0}, renewed=True,
    ),
}  # fmt: skip
