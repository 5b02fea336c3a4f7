"""Filters never leak: both indexes let through what a plain look at every document does, before ranking."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ark_tui.domain.query import (
    MODES,
    Condition,
    Dated,
    Either,
    Every,
    Filters,
    Has,
    Holds,
    Mode,
    Not,
    Request,
)
from ark_tui.index.filters import both, condition
from ark_tui.index.filters import path_pattern as pattern
from ark_tui.retrieval import run
from ark_tui.retrieval.query import parse
from tests.corpora import Bench, arrival

WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord")
FOLDERS = ("notes", "books")
TAGS = ("red", "blue", "green")
PATHS = ("x/", "y", "x/*.md", "x/d0?.md", "**/z", "x/y", "d03.md", "nowhere")
DAYS = [date(2024, 12, 30) + timedelta(days=40 * n) for n in range(8)]


@dataclass(frozen=True)
class Known:
    """A document as the test knows it."""

    folder: str
    path: str
    chunks: tuple[tuple[str, ...], ...]
    tags: tuple[str, ...]
    tier: str
    type: str
    date: date | None


def made(number: int) -> Known:
    pick = Random(number)
    return Known(
        pick.choice(FOLDERS),
        f"{pick.choice(['x', 'y', 'x/y', 'y/z', 'x/y/z'])}/d{number:02}.md",
        tuple(tuple(pick.choices(WORDS, k=pick.randint(1, 4))) for _ in range(pick.randint(1, 3))),
        tuple(pick.sample(TAGS, pick.randint(0, 3))),
        pick.choice(("doc", "wiki")),
        pick.choice(("note", "plan")),
        pick.choice([*DAYS, None]),
    )


CORPUS = [made(number) for number in range(40)]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    home = Bench(tmp_path_factory.mktemp("home"))
    home.put(
        *(
            arrival(one.path, "\n\n".join(map(" ".join, one.chunks)), folder=one.folder,
                    tags=one.tags, tier=one.tier, type=one.type, date=one.date)
            for one in CORPUS
        )
    )  # fmt: skip
    home.sync()
    home.words.refresh()
    return home


def holds(known: Known, text: str) -> bool:
    wanted = text.split()
    return any(
        list(chunk[at : at + len(wanted)]) == wanted for chunk in known.chunks for at in range(len(chunk))
    )


def true_of(known: Known, part: Condition) -> bool:  # noqa: C901, PLR0911 - one case a kind
    match part:
        case Not():
            return not true_of(known, part.part)
        case Every():
            return all(true_of(known, one) for one in part.parts)
        case Either():
            return any(true_of(known, one) for one in part.parts)
        case Holds():
            return holds(known, part.text)
        case Dated():
            day = known.date
            return day is not None and (part.first or day) <= day <= (part.last or day)
        case Has("path", value):
            return re.fullmatch(pattern(value), known.path) is not None
        case Has("tag", value):
            return value in known.tags
        case Has(kind, value):
            return {"collection": known.folder, "tier": known.tier, "type": known.type}[kind] == value
    raise AssertionError(part)


def names(found: Iterable[Known]) -> set[tuple[str, str]]:
    return {(one.folder, one.path) for one in found}


maybe_day = st.none() | st.sampled_from(DAYS)
LEAVES = st.one_of(
    st.builds(Has, st.just("collection"), st.sampled_from([*FOLDERS, "none"])),
    st.builds(Has, st.just("tag"), st.sampled_from([*TAGS, "none"])),
    st.builds(Has, st.just("tier"), st.sampled_from(["doc", "wiki", "raw"])),
    st.builds(Has, st.just("type"), st.sampled_from(["note", "plan", "none"])),
    st.builds(Has, st.just("path"), st.sampled_from(PATHS)),
    st.builds(Dated, maybe_day, maybe_day),
    st.builds(Holds, st.lists(st.sampled_from(WORDS), min_size=1, max_size=2).map(" ".join)),
)
TREES = st.recursive(
    LEAVES,
    lambda parts: st.one_of(
        st.builds(Not, parts),
        st.builds(Every, st.lists(parts, max_size=3).map(tuple)),
        st.builds(Either, st.lists(parts, max_size=3).map(tuple)),
    ),
    max_leaves=8,
)
FILTERS = st.builds(
    Filters,
    collections=st.lists(st.sampled_from(FOLDERS), max_size=2).map(tuple),
    tags=st.lists(st.sampled_from(TAGS), max_size=2).map(tuple),
    types=st.lists(st.sampled_from(["note", "plan"]), max_size=1).map(tuple),
    paths=st.lists(st.sampled_from(PATHS), max_size=2).map(tuple),
    dated=st.none() | st.builds(Dated, maybe_day, maybe_day),
    where=st.none() | TREES,
)


def examples(count: int) -> settings:
    """So many examples on one home that all of them only read."""
    unhealthy = [HealthCheck.function_scoped_fixture]
    return settings(max_examples=count, suppress_health_check=unhealthy)


def let_through_by_words(home: Bench, filters: Filters) -> set[tuple[str, str]]:
    numbers = set(home.words.listed(filters, 1000).documents)
    return {place for number, place in places(home).items() if number in numbers}


def let_through_by_vectors(home: Bench, filters: Filters) -> set[tuple[str, str]]:
    view = home.vectors.refresh()
    assert view is not None
    numbers = set(view.let_through(view.chunk, home.words.resolved(filters))[1].tolist())
    return {place for number, place in places(home).items() if number in numbers}


def places(home: Bench) -> dict[int, tuple[str, str]]:
    with home.store.read() as lease:
        rows = lease.rows("SELECT number, collection, path FROM ark.documents")
    return {int(number): (str(folder), str(path)) for number, folder, path in rows}


@examples(150)
@given(tree=TREES)
def test_both_indexes_evaluate_any_tree_as_a_look_at_every_document_does(
    bench: Bench, tree: Condition
) -> None:
    expected = names(one for one in CORPUS if true_of(one, tree))
    filters = Filters(where=tree)
    assert let_through_by_words(bench, filters) == expected
    assert let_through_by_vectors(bench, filters) == expected


@examples(50)
@given(a=FILTERS, b=FILTERS)
def test_filters_of_two_places_both_hold_and_never_widen_each_other(
    bench: Bench, a: Filters, b: Filters
) -> None:
    expected = names(one for one in CORPUS if true_of(one, condition(a)) and true_of(one, condition(b)))
    found = both(a, b)
    if found:
        assert let_through_by_words(bench, found) == let_through_by_vectors(bench, found) == expected
    else:
        assert len(expected) == len(CORPUS)


@examples(25)
@given(filters=FILTERS, mode=st.sampled_from(MODES))
def test_no_stage_of_a_search_brings_back_what_the_filters_keep_away(
    bench: Bench, filters: Filters, mode: Mode
) -> None:
    request = Request(" ".join(WORDS), mode=mode, limit=100, profile="default", filters=filters, below=True)
    result = run(bench.corpus(), request)
    expected = names(one for one in CORPUS if true_of(one, condition(filters)))
    found = {(hit.document.collection, hit.document.path) for hit in result.hits}
    assert found <= expected
    if mode == "keyword":
        assert found == expected


@pytest.mark.parametrize(
    ("line", "text"),
    [('"amber birch"', "amber birch"), ('"cedar" tag:red', "cedar"), ('amber "delta ember"', "delta ember")],
)
def test_a_chunk_that_is_shown_for_a_phrase_holds_it(bench: Bench, line: str, text: str) -> None:
    for mode in MODES:
        hits = run(bench.corpus(), Request(line, mode=mode, limit=100, profile="default", below=True)).hits
        assert hits
        with bench.store.read() as lease:
            for hit in hits:
                body = lease.value("SELECT body FROM ark.documents WHERE id = ?", hit.document.id)
                assert text in body[hit.chunk.start_char : hit.chunk.end_char]


@pytest.mark.parametrize(
    "line",
    ["-amber", "-(amber tag:red)", "before:2025-06", "after:2025-06 before:2026", '"amber birch" OR tag:blue',
     "(in:notes tag:red) OR (in:books -tag:red)", "-before:2026 -path:x/", 'amber -"birch cedar"',
     "delta OR type:plan"],
)  # fmt: skip
def test_a_query_line_means_the_same_to_every_mode(bench: Bench, line: str) -> None:
    tree = condition(parse(line, datetime(2026, 1, 1, tzinfo=UTC)).filters)
    expected = names(one for one in CORPUS if true_of(one, tree))
    assert 0 < len(expected) < len(CORPUS)
    found = {
        mode: {
            (document.collection, document.path)
            for hit in run(
                bench.corpus(),
                Request(f"{' '.join(WORDS)} {line}", mode=mode, limit=100, profile="default", below=True),
            ).hits
            for document in (hit.document, *hit.duplicates)  # near-duplicates share a place
        }
        for mode in MODES
    }
    assert found == dict.fromkeys(found, expected)


def test_an_excluded_phrase_or_name_is_excluded_as_it_is_written(tmp_path: Path) -> None:
    home = Bench(tmp_path)
    home.put(
        arrival("cpp.md", "sorting in C++ with std::sort"),
        arrival("c.md", "sorting in C with qsort"),
        arrival("ja.md", "sorting 日本語の検索"),
    )
    home.sync()

    def paths(line: str) -> set[str]:
        hits = run(home.corpus(), Request(line, profile="default", below=True)).hits
        return {hit.document.path for hit in hits}

    assert paths("sorting -C++") == {"c.md", "ja.md"}
    assert paths("sorting -std::sort") == {"c.md", "ja.md"}
    assert paths('sorting -"with qsort"') == {"cpp.md", "ja.md"}
    assert paths("sorting -検索") == {"cpp.md", "c.md"}
    assert paths('sorting "検索"') == {"ja.md"}
