"""Parser of the query language (docs/search.md, docs/decisions/0006-query-language.md).

```
line    = clause*
clause  = operand ("OR" operand)*                    OR binds tighter than juxtaposition
operand = ["-"] ("(" line ")" | filter | "phrase" | word)
filter  = key ":" (value | "value")
key     = in | tag | path | tier | layer | type | before | after | since | date | has | meta.FIELD | FIELD
```

Words affect only the ranking; everything else filters. In a line without a filter, phrase, exclusion or OR,
parentheses are text; unbalanced parentheses are always text. A FIELD is a front matter key of some document;
a word with a colon whose key is in no document is text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NoReturn, TypeAlias

from ark_tui.domain.dates import query as dates
from ark_tui.domain.documents import TIERS
from ark_tui.domain.errors import QuerySyntaxError, UsageError
from ark_tui.domain.query import (
    Condition,
    Dated,
    Every,
    Field,
    Filters,
    Has,
    Holds,
    Kind,
    Not,
    Query,
    Sign,
)
from ark_tui.domain.unicode import composed
from ark_tui.index.filters import both, condition, conjuncts, either, every
from ark_tui.index.words.terms import STOP_WORDS, words
from ark_tui.retrieval import exclusion
from ark_tui.store import fields as field_keys

__all__ = ["both", "literal", "parse", "without"]

DEEPEST = 32  # maximum nesting of parentheses
LONG = 60  # tokens; in longer lines `without` does not search for a condition

KINDS: dict[str, Kind] = {
    "in": "collection", "tag": "tag", "path": "path", "tier": "tier", "layer": "layer", "type": "type",
}  # fmt: skip
EXAMPLES = {
    "in": "notes", "tag": "theory", "path": "docs/", "tier": "wiki", "layer": "3", "type": "plan",
    "before": "2026-01", "after": "last-month", "since": "last-month", "date": "2026-03", "has": "due",
}  # fmt: skip
WHEN: dict[str, Sign] = {"before": "<", "after": ">=", "since": ">="}
END = (date.min, date.max)  # the period of an invalid date
DATES = "2026, 2026-01-15, Q1-2026, yesterday, last-month, 3-days"

META = "meta."  # prefix for a field that has the name of a filter
SIGN = re.compile(r"(?P<sign>[<>]=?|=|)\s*(?P<value>.*)", re.DOTALL)

LEXEME = r"""(?P<minus>-(?=["“„(\w]))?
    (?:(?P<open>\()
      |(?P<close>\))
      |(?P<key>%s):(?!:)
        (?:["“„](?P<quoted>[^"“”„]*)(?P<end>["“”])?|(?P<value>\S*))
      |["“„](?P<phrase>[^"“”„]*)(?P<closed>["“”])?
      |(?P<word>\S+))"""
FIELD = re.compile(r"(?:^|(?<=[\s(-]))(?P<key>[^\W\d_][\w.-]*):(?=[^\s:/])")  # a possible field

OPERATORS: dict[str, Literal["OR", "AND", "NOT"]] = {"OR": "OR", "AND": "AND", "NOT": "NOT"}

What = Literal["word", "phrase", "filter", "(", ")", "OR", "AND", "NOT"]


def no_field(_: str) -> bool:
    """Default of `fields`: no document has fields."""
    return False


def parse(
    line: str,
    now: datetime,
    *,
    typing: bool = False,
    literally: Container[str] = (),
    fields: Callable[[str], bool] = no_field,
) -> Query:
    """Parse a query line; relative dates count from `now`.

    `fields`: whether any document has a given field; called for each `name:value` that is not a filter.
    `typing`: ignore an unfinished part at the end of the line.
    `literally`: words to take literally, never as an exclusion.
    Raises `QuerySyntaxError` with the column of the error.
    """
    line = composed(line)
    tokens = _without_mere_brackets(list(_tokens(line, fields)))
    if not _has_syntax(line, tokens):
        mere = _All(tuple(_Word(word) for word in line.split()))
        return _query(line, mere, literally, unfinished=_ends_open(line))
    tree = _Parser(line, tokens, now, typing=typing).line()
    last = tokens[-1]
    unfinished = _ends_open(line) and last.what == "word" and not last.minus
    return _query(line, tree, literally, unfinished=unfinished)


def without(line: str, part: Condition, now: datetime, fields: Callable[[str], bool] = no_field) -> str:
    """Remove one condition (as returned by `conjuncts`) from a line; empty if that is impossible.

    The words of a removed phrase stay as words. All other conditions stay unchanged.
    """
    tokens = [token for token in _tokens(line, fields) if token.what != "AND"]
    if len(tokens) > LONG:
        return ""

    def conditions(line: str) -> set[Condition]:
        return set(conjuncts(condition(parse(line, now, fields=fields).filters))) - {Every(())}

    wanted = conditions(line) - {part}
    for size in range(1, len(tokens) + 1):
        for first in range(len(tokens) - size + 1):
            for shorter in _cut(line, tokens[first : first + size]):
                try:
                    if conditions(shorter) == wanted:
                        return shorter
                except QuerySyntaxError:
                    continue
    keyless = (_without_key(line, tokens, key) for key in dict.fromkeys(token.key for token in tokens))
    return next((one for one in keyless if conditions(one) == wanted), "")


def _cut(line: str, tokens: list[_Token]) -> Iterator[str]:
    """The line without these adjacent tokens, if their parentheses balance; words of a single phrase stay."""
    if sum((token.what == "(") - (token.what == ")") for token in tokens):
        return
    before, after = line[: tokens[0].column].rstrip(), line[tokens[-1].end :].lstrip()
    if len(tokens) == 1 and tokens[0].what == "phrase" and not tokens[0].minus:
        yield " ".join(filter(None, (before, tokens[0].text.strip(), after)))
    yield " ".join(filter(None, (before, after)))


def _without_key(line: str, tokens: list[_Token], key: str) -> str:
    """The line without all filters of one key, which are alternatives."""
    for token in reversed([token for token in tokens if token.what == "filter" and token.key == key]):
        line = " ".join(filter(None, (line[: token.column].rstrip(), line[token.end :].lstrip())))
    return line


def only_times(text: str, now: datetime, literally: Container[str] = ()) -> bool:
    """Whether a text consists of times and stop words only."""
    rest = dates.without_times(text, now, literally)
    return rest != text and not set(words(rest)) - STOP_WORDS


def literal(line: str) -> Query:
    """A query that takes the whole line as words, without query syntax."""
    return Query(line, line)


# -- tokens ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Token:
    what: What
    text: str
    column: int
    end: int
    minus: bool = False
    key: str = ""
    closed: bool = True  # False if the closing quotation mark is missing


@lru_cache
def _pattern(keys: frozenset[str]) -> re.Pattern[str]:
    """The regular expression for tokens, given the filter keys."""
    named = "|".join(sorted(map(re.escape, keys)))
    return re.compile(LEXEME % rf"{named}|{re.escape(META)}[\w.-]+", re.VERBOSE | re.IGNORECASE)


def _keys(line: str, fields: Callable[[str], bool]) -> frozenset[str]:
    """The filter keys, and the document fields in this line."""
    named = {match["key"].lower() for match in FIELD.finditer(line)} - EXAMPLES.keys() if ":" in line else ()
    return frozenset({*EXAMPLES, *(key for key in named if not key.startswith(META) and fields(key))})


def _tokens(line: str, fields: Callable[[str], bool]) -> Iterator[_Token]:
    for match in _pattern(_keys(line, fields)).finditer(line):
        column, minus = match.start(), bool(match["minus"])
        if match["open"] or match["close"]:
            yield _Token("(" if match["open"] else ")", match[0], column, match.end(), minus)
        elif match["key"] and match["quoted"] is not None:
            closed = match["end"] is not None
            yield _Token("filter", match["quoted"], column, match.end(), minus, match["key"].lower(), closed)
        elif match["phrase"] is not None:
            closed = match["closed"] is not None
            yield _Token("phrase", match["phrase"], column, match.end(), minus, closed=closed)
        else:
            yield from _run(match, minus)


def _run(match: re.Match[str], minus: bool) -> Iterator[_Token]:
    """Split a word or value from the closing parentheses after it: in `(a OR b)`, not in `f(x)` or `:)`."""
    key = (match["key"] or "").lower()
    run = match["value"] if key else match["word"]
    surplus = max(0, run.count(")") - run.count("("))
    closing = min(surplus, len(run) - len(run.rstrip(")")))
    if not key and not any(map(str.isalnum, run)):
        closing = 0
    text, end = run[: len(run) - closing], match.end() - closing
    if key:
        yield _Token("filter", text, match.start(), end, minus, key)
    elif not minus and text in OPERATORS:
        yield _Token(OPERATORS[text], text, match.start(), end)
    else:
        yield _Token("word", text, match.start(), end, minus)
    for place in range(end, match.end()):
        yield _Token(")", ")", place, place + 1)


def _without_mere_brackets(tokens: list[_Token]) -> list[_Token]:
    """Remove unbalanced parentheses, which are common in typed and pasted text."""
    opened: list[int] = []
    mere: set[int] = set()
    for at, token in enumerate(tokens):
        if token.what == "(":
            opened.append(at)
        elif token.what == ")" and opened:
            opened.pop()
        elif token.what == ")":
            mere.add(at)
    mere.update(opened)
    return [token for at, token in enumerate(tokens) if at not in mere]


def _has_syntax(line: str, tokens: list[_Token]) -> bool:
    """Whether the line contains query syntax.

    An OR in an all-caps line or at its beginning is a word. So is a NOT in an all-caps line or at its end.
    """
    if any(token.minus or token.what in ("filter", "phrase") for token in tokens):
        return True
    return line != line.upper() and (
        any(token.what == "OR" for token in tokens[1:])
        or any(token.what == "NOT" and then.what == "word" for token, then in pairwise(tokens))
    )


def _ends_open(line: str) -> bool:
    return bool(line) and not line[-1].isspace()


# -- tree ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Word:
    text: str


@dataclass(frozen=True, slots=True)
class _Phrase:
    text: str


@dataclass(frozen=True, slots=True)
class _Filter:
    condition: Has | Dated | Field


@dataclass(frozen=True, slots=True)
class _No:
    part: _Node


@dataclass(frozen=True, slots=True)
class _All:
    parts: tuple[_Node, ...]


@dataclass(frozen=True, slots=True)
class _Any:
    parts: tuple[_Node, ...]


_Node: TypeAlias = _Word | _Phrase | _Filter | _No | _All | _Any


class _Parser:
    """Recursive descent parser of one line."""

    def __init__(self, line: str, tokens: list[_Token], now: datetime, *, typing: bool) -> None:
        self._line = line
        self._capitals = line == line.upper()  # determined once: a line may have thousands of NOT
        self._tokens = tokens
        self._now = now
        self._typing = typing
        self._at = 0

    def line(self) -> _All:
        return self._clauses(depth=0)

    def _clauses(self, depth: int) -> _All:
        parts: list[_Node] = []
        while not self._done() and not self._peek(")"):
            if self._take("AND"):
                self._check_sides(left=bool(parts))
            elif (clause := self._clause(depth)) is not None:
                parts.append(clause)
        return _All(tuple(parts))

    def _clause(self, depth: int) -> _Node | None:
        """Operands joined by OR; None if all of them are unfinished."""
        parts = [] if self._peek("OR") else [self._operand(depth)]
        while self._take("OR"):
            self._check_sides(left=bool(parts))
            if not self._done():
                parts.append(self._operand(depth))
        known = tuple(part for part in parts if part is not None)
        return (known[0] if len(known) == 1 else _Any(known)) if known else None

    def _check_sides(self, *, left: bool) -> None:
        """Raise `QuerySyntaxError` if the OR or AND just taken lacks an operand."""
        operator = self._tokens[self._at - 1]
        if left and (self._typing if self._done() else not self._peek(")", "OR", "AND")):
            return
        self._refuse(
            f"{operator.text} has nothing to its {'right' if left else 'left'}.",
            f"Add a word or a filter there; to search for the word, write {operator.text.lower()}.",
            operator,
        )

    def _operand(self, depth: int) -> _Node | None:
        token = self._next()
        if token.what == "NOT":
            return self._not(token, depth)
        node = self._plain(token, depth)
        return _No(node) if token.minus and node is not None else node

    def _not(self, token: _Token, depth: int) -> _Node | None:
        """NOT acts like a minus; at the end, or before a word in an all-caps line, it is a word."""
        meant = ("(", "filter", "phrase", *(() if self._capitals else ("word",)))
        if not self._peek(*meant):
            return _Word(token.text)
        node = self._operand(depth)
        return node.part if isinstance(node, _No) else _No(node) if node is not None else None

    def _plain(self, token: _Token, depth: int) -> _Node | None:
        if token.what == "(":
            return self._group(token, depth + 1)
        if token.what == "filter":
            return self._filter(token)
        if token.what == "phrase":
            meant = not token.minus and exclusion.awaits(self._line, token.column)
            return _All(tuple(map(_Word, token.text.split()))) if meant else _Phrase(token.text)
        return _Word(token.text)

    def _group(self, opened: _Token, depth: int) -> _Node:
        if depth > DEEPEST:
            self._refuse("Parentheses are not read so deep.", "Leave some of them out.", opened)
        inside = self._clauses(depth)
        self._take(")")
        return inside

    def _filter(self, token: _Token) -> _Node | None:
        """The condition of a filter; None if it is invalid and still being typed."""
        unfinished = self._typing and token.end == len(self._line)
        problem, hint = _problem(token.key, token.text, self._now)
        if not problem:
            return _Filter(_made(token.key, token.text, self._now))
        if not unfinished:
            self._refuse(problem, hint, token)
        return None

    def _refuse(self, what: str, hint: str, token: _Token) -> NoReturn:
        raise QuerySyntaxError(what, hint, column=token.column, line=self._line)

    def _done(self) -> bool:
        return self._at >= len(self._tokens)

    def _peek(self, *wanted: What) -> _Token | None:
        return None if self._done() or self._tokens[self._at].what not in wanted else self._tokens[self._at]

    def _take(self, wanted: What) -> bool:
        found = self._peek(wanted) is not None
        self._at += found
        return found

    def _next(self) -> _Token:
        self._at += 1
        return self._tokens[self._at - 1]


# -- filters ---------------------------------------------------------------------------------------


def _problem(key: str, value: str, now: datetime) -> tuple[str, str]:
    """The error message and hint for an invalid filter; both empty if it is valid."""
    if not value.strip("/ " if key == "path" else "# " if key == "tag" else " "):
        return (
            f"{key}: has no value.",
            f"Write {key}:{EXAMPLES[key]}, without a space; to search for the word, leave the colon out.",
        )
    if key == "tier" and value.lower() not in TIERS:
        return f"There is no tier {value}.", f"The tiers are {', '.join(TIERS)}."
    if key == "layer":
        return _layer_problem(value)
    if key in ("before", "after", "since", "date"):
        said = _signed(value)[1] if key == "date" else value
        if (dates.days_of(said, now) or END)[1] == date.max:
            return f"{value} is not a date.", f"Dates are written like {DATES}."
    elif key not in KINDS and key != "has" and not _signed(value)[1]:
        return f"{key}: has no value.", f"Write {key}:{value}3, or has:{key}."
    return "", ""


def _layer_problem(value: str) -> tuple[str, str]:
    try:
        from ark_tui.domain import memory

        memory.layer(value)
    except UsageError as error:
        return error.what, error.hint
    return "", ""


def _made(key: str, value: str, now: datetime) -> Has | Dated | Field:
    if key in KINDS:
        return Has(KINDS[key], _named(key, value))
    if key == "has":
        return Field(field_keys.fold(value.removeprefix(META)))
    sign, said = _signed(value)
    if key in EXAMPLES:
        return _dated(WHEN.get(key, sign), dates.days_of(said, now) or END)
    if sign != "=" and (days := dates.days_of(said, now)) and not said.replace(".", "").isdigit():
        said = said if re.fullmatch(r"\d{4}-\d\d", said) else str(days[0])
    return Field(field_keys.fold(key.removeprefix(META)), sign, said.casefold())


def _signed(value: str) -> tuple[Sign, str]:
    """The comparison operator of a value (default `=`), and the value without it."""
    match = SIGN.fullmatch(value.strip())
    assert match
    return match["sign"] or "=", match["value"].strip()  # type: ignore[return-value]


def _dated(sign: Sign, days: tuple[date, date]) -> Dated:
    """The period that compares so with `days`. `<=` extends to their end, `>` begins after it."""
    first, last = days
    one = timedelta(days=1)
    match sign:
        case "<":
            return Dated(last=first - one)
        case "<=":
            return Dated(last=last)
        case ">":
            return Dated(first=last + one)
        case ">=":
            return Dated(first=first)
    return Dated(first, last)


def _named(key: str, value: str) -> str:
    if key == "tag":
        return value.removeprefix("#")
    if key == "layer":
        from ark_tui.domain import memory

        return str(memory.layer(value))
    return value.lower() if key == "tier" else value


def _filters(tree: _All) -> Filters:
    """Put top-level filters into the fields of `Filters`, and all other conditions into its tree."""
    equal: dict[str, list[Condition]] = {}
    values: dict[Kind, list[str]] = {kind: [] for kind in KINDS.values()}
    dated: Dated | None = None
    where: list[Condition] = []
    for part in tree.parts:
        condition = _condition(part, strict=False)
        if isinstance(condition, Has):
            values[condition.kind].append(condition.value)
        elif isinstance(condition, Dated):
            dated = _narrowed(dated, condition)
        elif isinstance(condition, Field) and condition.sign == "=":
            equal.setdefault(condition.key, []).append(condition)
        elif condition:
            where.append(condition)
    where = [*(either(tuple(dict.fromkeys(some))) for some in equal.values()), *where]
    unique = {kind: tuple(dict.fromkeys(found)) for kind, found in values.items()}
    return Filters(
        unique["collection"], unique["tag"], unique["tier"], unique["type"], unique["path"], dated,
        every(tuple(where)) if where else None, layers=unique["layer"],
    )  # fmt: skip


def _narrowed(a: Dated | None, b: Dated) -> Dated:
    firsts = [one.first for one in (a, b) if one and one.first]
    lasts = [one.last for one in (a, b) if one and one.last]
    return Dated(max(firsts, default=None), min(lasts, default=None))


# -- meaning ---------------------------------------------------------------------------------------


def _query(line: str, tree: _All, literally: Container[str], *, unfinished: bool) -> Query:
    words = " ".join(_ranking(tree))
    text, negated = exclusion.split(words, literally)
    still_typed = unfinished and words[-1:] == text[-1:]
    return Query(
        line,
        text if still_typed or not text else f"{text} ",
        tuple(_phrases(tree)),
        tuple(_excluded(tree)),
        _filters(tree),
        negated,
        tuple((one.said, one.things) for one in exclusion.understood(words, literally)),
    )


def _condition(node: _Node, *, strict: bool) -> Condition | None:
    """The condition of a node. Words are a condition only if `strict`: then a document must contain them."""
    match node:
        case _Filter():
            return node.condition
        case _Phrase():
            return _holds(node.text)
        case _Word():
            return _holds(node.text) if strict else None
        case _No():
            part = _condition(node.part, strict=True)
            return Not(part) if part else None
        case _All():
            return _every(node, strict=strict)
        case _Any():
            return _either(node, strict=strict)


def _holds(text: str) -> Holds | None:
    return Holds(text) if any(map(str.isalnum, text)) else None


def _every(node: _All, *, strict: bool) -> Condition | None:
    """The conjunction of the parts; several values of one kind are alternatives, as at the top level."""
    found: list[Condition] = []
    alternatives: dict[str, list[Condition]] = {}
    telling = {part.text.lower() for part in node.parts if isinstance(part, _Word)} - STOP_WORDS
    for part in node.parts:
        condition = _condition(part, strict=strict)
        if isinstance(part, _Word) and telling and part.text.lower() not in telling:
            continue
        if isinstance(condition, Has) and condition.kind != "tag":
            alternatives.setdefault(condition.kind, []).append(condition)
        elif isinstance(condition, Field) and condition.sign == "=":
            alternatives.setdefault(f"{META}{condition.key}", []).append(condition)
        elif condition:
            found.append(condition)
    found += [either(tuple(values)) for values in alternatives.values()]
    return every(tuple(found)) if found else None


def _either(node: _Any, *, strict: bool) -> Condition | None:
    """The disjunction of the parts.

    If all parts are words, they affect only the ranking. Words next to a filter are required if it fails.
    """
    found = [_condition(part, strict=strict) for part in node.parts]
    if not strict and any(found):
        found = [one or _condition(part, strict=True) for one, part in zip(found, node.parts, strict=True)]
    known = tuple(one for one in found if one)
    return either(known) if known else None


def _ranking(node: _Node) -> Iterator[str]:
    """The ranking words, in order."""
    match node:
        case _Word() | _Phrase():
            if node.text.strip():
                yield node.text
        case _All() | _Any():
            for part in node.parts:
                yield from _ranking(part)


def _phrases(node: _Node) -> Iterator[str]:
    match node:
        case _Phrase():
            if node.text.strip():
                yield node.text
        case _All() | _Any():
            for part in node.parts:
                yield from _phrases(part)


def _excluded(node: _Node) -> Iterator[str]:
    match node:
        case _No():
            yield from _ranking(node.part)
        case _All() | _Any():
            for part in node.parts:
                yield from _excluded(part)
