"""The query line, as people type it (S13)."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import event, example, given
from hypothesis import strategies as st

from ark_tui.domain.errors import QuerySyntaxError
from ark_tui.domain.query import Dated, Either, Every, Filters, Has, Holds, Not, Query
from ark_tui.index.filters import condition
from ark_tui.index.words import terms
from ark_tui.retrieval import query
from ark_tui.retrieval.query import literal

NOW = datetime(2026, 11, 21, tzinfo=UTC)


def parse(line: str, *, typing: bool = False) -> Query:
    return query.parse(line, NOW, typing=typing)


def test_filters_phrases_and_exclusions_are_taken_out_of_the_text() -> None:
    found = parse('spectral gap tag:theory in:notes path:"my docs/" tier:WIKI type:plan "mixing time" -draft')
    assert found.text.strip() == "spectral gap mixing time"
    assert found.phrases == ("mixing time",)
    assert found.excluded == ("draft",)
    assert found.filters == Filters(
        ("notes",), ("theory",), ("wiki",), ("plan",), ("my docs/",),
        where=Every((Holds("mixing time"), Not(Holds("draft")))),
    )  # fmt: skip


class Counted(str):
    """A line that counts how often all of it is put into capitals."""

    __slots__ = ("times",)

    def upper(self) -> str:
        self.times: int = getattr(self, "times", 0) + 1
        return super().upper()


def test_a_line_of_very_many_not_is_looked_at_once_and_not_for_each() -> None:
    line = Counted("a " + "NOT b " * 500)
    assert len(parse(line).excluded) == 500
    assert line.times <= 2


PLAIN = [
    "std::vec http://x.org foo:bar", "a - b", "C++ -", "path::Path", "foo (bar)", "(a", "a) b", "f(x) = (y",
    'print("hello")', "what is (roughly", ":)", ":-( or :-)", "--force", "Portland, or Salem", "OR gate",
    "TO BE OR NOT TO BE", "5'11\" tall", 'a 12" record', "and AND and", "not NOT", "#tag", "x->y", "1) first",
]  # fmt: skip


@pytest.mark.parametrize("line", PLAIN)
def test_what_only_looks_like_syntax_is_text(line: str) -> None:
    found = parse(line)
    assert found.text == line
    assert not found.filters
    assert found.phrases == found.excluded == ()


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("f(x) tag:a", "f(x)"),
        ("smile :) tag:a", "smile :)"),
        ("std::vec (in C++) tag:a", "std::vec in C++"),
        ("http://x.org/a(b) -draft", "http://x.org/a(b)"),
        ("rock AND roll tag:a", "rock roll"),
        ("graphs (of words -draft", "graphs of words"),
        ("1) first 2) second tag:a", "1 first 2 second"),
    ],
)
def test_beside_real_syntax_too(line: str, text: str) -> None:
    assert parse(line).text.strip() == text


T, U = Has("tag", "t"), Has("tag", "u")


@pytest.mark.parametrize(
    ("line", "meaning"),
    [
        ("a tag:t OR tag:u b", Either((T, U))),
        ("(tag:t OR tag:u) -tag:v", Every((Either((T, U)), Not(Has("tag", "v"))))),
        ("tag:t (tag:u OR type:x type:y)", Every((T, Either((U, Has("type", "x"))), Has("type", "y")))),
        ("-(tag:t tag:u)", Not(Every((T, U)))),
        ("NOT tag:t", Not(T)),
        ("tag:t AND tag:u", Every((T, U))),
        ('"a b" OR tag:t', Either((Holds("a b"), T))),
        ('-"a b"', Not(Holds("a b"))),
        ("-(cat dog)", Not(Every((Holds("cat"), Holds("dog"))))),
        ("-(cat OR dog)", Not(Either((Holds("cat"), Holds("dog"))))),
        ("spectral OR tag:t", Either((Holds("spectral"), T))),
        ("(the cat) OR tag:t", Either((Holds("cat"), T))),
        ("(cat tag:t) OR tag:u", Either((T, U))),
        ("cat OR dog", Every(())),
        ("(cat OR dog) (bird)", Every(())),
        ("in:a in:b", Either((Has("collection", "a"), Has("collection", "b")))),
        ("(in:a in:b) OR tag:t", Either((Has("collection", "a"), Has("collection", "b"), T))),
        ("after:2025 before:2026-03", Dated(date(2025, 1, 1), date(2026, 2, 28))),
        ("after:2025 after:last-month", Dated(date(2026, 10, 1), None)),
        ("-before:2026", Not(Dated(None, date(2025, 12, 31)))),
        ('before:"14 March 2026"', Dated(None, date(2026, 3, 13))),
        ("“exact words” tag:#t", Every((T, Holds("exact words")))),
        ('"" cat', Every(())),
        ('"?!" cat', Every(())),
    ],
)  # fmt: skip
def test_conditions_mean_what_people_expect(line: str, meaning: object) -> None:
    assert condition(parse(line).filters) == meaning


def test_words_rank_wherever_they_stand_but_behind_a_minus() -> None:
    assert parse('a OR (b "c d" tag:t) -e -(f g)').text.strip() == "a b c d"
    assert parse("a -e -(f g)").excluded == ("e", "f", "g")


@pytest.mark.parametrize(
    ("line", "column", "what"),
    [
        ("graphs tier:gold", 7, "tier gold"),
        ("tag:a OR", 6, "nothing to its right"),
        ("spectral OR", 9, "nothing to its right"),
        ("OR tag:a", 0, "nothing to its left"),
        ("tag:a OR OR tag:b", 6, "nothing to its right"),
        ("(tag:a OR) b", 7, "nothing to its right"),
        ("tag:a AND", 6, "nothing to its right"),
        ("x before:soon", 2, "soon is not a date"),
        ("x after:2026-13", 2, "not a date"),
        ("x tag: y", 2, "tag: has no value"),
        ("x in:", 2, "in: has no value"),
        ('x tag:""', 2, "no value"),
        ("x path:/", 2, "no value"),
        ("x -tier:gold", 2, "tier gold"),
        ("(" * 40 + "tag:a" + ")" * 40, 32, "so deep"),
    ],
)
def test_wrong_syntax_is_an_error_at_its_column_that_says_what_to_do(
    line: str, column: int, what: str
) -> None:
    with pytest.raises(QuerySyntaxError, match=what) as caught:
        parse(line)
    assert caught.value.column == column
    assert caught.value.hint


@pytest.mark.parametrize(
    ("line", "same_as"),
    [
        ('rank "fusion of', 'rank "fusion of"'), ("(tag:a OR tag:b", "(tag:a OR tag:b)"),
        ("tag:a OR", "tag:a"), ("tag:a OR ", "tag:a"), ("x tag:a AND", "x tag:a"), ("x tag:", "x"),
        ("x -tag:", "x"), ("x tier:wi", "x"), ("x before:2026-", "x"), ("x (tag:a OR (", "x tag:a"),
        ("x tag:a -(", "x tag:a"), ("x tag:a -", "x tag:a -"), ('x tag:"a b', 'x tag:"a b"'),
    ],
)  # fmt: skip
def test_what_is_still_being_typed_is_no_error(line: str, same_as: str) -> None:
    found, whole = parse(line, typing=True), parse(same_as)
    assert (found.text.strip(), found.phrases) == (whole.text.strip(), whole.phrases)
    assert condition(found.filters) == condition(whole.filters)


def test_what_is_wrong_before_the_end_is_an_error_while_typing_too() -> None:
    with pytest.raises(QuerySyntaxError):
        parse("tier:gold x", typing=True)


@pytest.mark.parametrize("line", ["tag:", "after:202", "tier:wi"])
def test_a_filter_alone_that_is_still_being_typed_asks_for_nothing_yet(line: str) -> None:
    assert condition(parse(line, typing=True).filters) == Every(())


@pytest.mark.parametrize(
    ("line", "same_as"),
    [
        ("graphs (of words tag:a", "graphs of words tag:a"),
        ("tag:a) b", "tag:a b"),
        ("tag:a () b", "tag:a b"),
        ('say "hello', 'say "hello"'),
    ],
)
def test_what_has_no_partner_is_text_and_no_error(line: str, same_as: str) -> None:
    found, whole = parse(line), parse(same_as)
    assert (found.text.split(), found.phrases) == (whole.text.split(), whole.phrases)
    assert condition(found.filters) == condition(whole.filters)


def test_only_a_word_at_the_very_end_may_be_unfinished() -> None:
    def prefix(line: str) -> str:
        return terms.read(parse(line, typing=True).text, typing=True).prefix

    assert prefix("spectral ga") == prefix("tag:t spectral ga") == "ga"
    assert prefix("spectral gap ") == prefix("spectral gap tag:t") == prefix('"spectral gap"') == ""
    assert prefix("spectral gap without li") == prefix("spectral gap -li") == ""


def test_a_literal_line_is_words_and_nothing_else() -> None:
    line = 'tag:x OR ("a -b without c'
    assert literal(line) == Query(line, line)


MARKS = '( ) OR AND NOT - " tag:a tier:wiki tier:x before:2026 in: cat the a)b -( path:" without after:soon'
PIECES = st.sampled_from(MARKS.split())


def read_or_refused(line: str, *, typing: bool) -> Query | QuerySyntaxError:
    try:
        return parse(line, typing=typing)
    except QuerySyntaxError as refused:
        return refused


@given(st.text(max_size=80) | st.lists(PIECES, max_size=14).map(" ".join) | st.lists(PIECES).map("".join))
@example("(" * 5000)
@example("-(" * 5000 + "tag:a")
@example("(a OR " * 30 + "tag:a" + ")" * 30)
@example("x OR " * 300 + "tag:a")
@example('"x y" without ' * 300)
def test_any_line_can_be_read_or_is_refused_with_a_column_inside_it(line: str) -> None:
    for typing in (False, True):
        found = read_or_refused(line, typing=typing)
        if isinstance(found, QuerySyntaxError):
            event("refused")
            assert 0 <= found.column < len(line)
            assert found.what
            assert found.hint
        else:
            assert found.raw == line
            assert all(word in line for word in found.text.split())
            condition(found.filters)
            terms.read(found.text, phrases=found.phrases, typing=typing)


@given(st.lists(st.sampled_from(["cat", "(bar)", "f(x)", "or", "http://x", "a:b", "–", "don't"]), min_size=1))
def test_a_line_of_plain_words_is_its_own_text(words: list[str]) -> None:
    found = parse(" ".join(words))
    assert found.text == " ".join(words)
    assert not found.filters


def test_stop_words_are_dropped_from_the_query_unless_nothing_is_left() -> None:
    assert terms.read("what is the spectral gap").stems == ("spectral", "gap")
    assert terms.read("to be or not to be").stems == ("to", "be", "or", "not")


def test_identifiers_and_text_without_spaces_become_terms_of_their_own() -> None:
    found = terms.read("rrf_merge C++ 検索エンジン")
    assert found.identifiers == ("rrf_merge", "rrfmerge", "c++")
    assert found.spaceless == ("検索", "索エ", "エン", "ンジ", "ジン")
    assert terms.read("猫").spaceless == ("猫",)
