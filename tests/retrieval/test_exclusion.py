"""What a query says in plain words that it is not about (S14)."""

from __future__ import annotations

import json
from math import isclose
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.retrieval import run
from ark_tui.retrieval.exclusion import split
from tests.corpora import Bench, filled

ASSETS = Path(__file__).parents[2] / "assets"


@pytest.mark.parametrize(
    ("query", "text", "negated"),
    [
        ("sorting methods not about quicksort", "sorting methods", ("quicksort",)),
        ("graphs, not about trees", "graphs", ("trees",)),
        ("documents that are not about search", "documents", ("search",)),
        ("backup plan without rsync", "backup plan", ("rsync",)),
        ("how to sort without using libraries in python", "how to sort in python", ("libraries",)),
        ("spectral clustering excluding code", "spectral clustering", ("code",)),
        ("cats but not dogs", "cats", ("dogs",)),
        ("search engines except Google", "search engines", ("Google",)),
        ("everything except for the cat", "everything", ("cat",)),
        ("animals other than cats and dogs in winter", "animals in winter", ("cats", "dogs")),
        ("BM25 idf saturation, not Rust", "BM25 idf saturation", ("Rust",)),
        ("PageRank walk, no damping", "PageRank walk", ("damping",)),
        ("maps without the history of Rome?", "maps", ("history of Rome",)),
        ("Zettelkasten ohne Schlagwörter", "Zettelkasten", ("Schlagwörter",)),
        ("Suche nicht über Vektoren", "Suche", ("Vektoren",)),
        ("not about graphs: spectral theory", "spectral theory", ("graphs",)),
        ("methods without matrices, without graphs", "methods", ("matrices", "graphs")),
    ],
)
def test_what_is_not_meant_is_taken_out_of_the_text(query: str, text: str, negated: tuple[str, ...]) -> None:
    assert split(query) == (text, negated)


@pytest.mark.parametrize(
    "query",
    [
        "to be or not to be", "not only BM25 but also cosine", "without loss of generality",
        "with or without you", "doctors without borders", "sampling without replacement", "file not found",
        "module not importing", "works locally but not in production", "python try except finally",
        "python except multiple exceptions", "it's not about the money", "without", "foo without",
        "python without python", "if not exists", "why is it not about to end", "none other than Euler",
        "learn how to do without sugar", "knot theory",
    ],
)  # fmt: skip
def test_set_phrases_and_other_uses_of_the_words_are_left_alone(query: str) -> None:
    assert split(query) == (query, ())


def test_words_that_are_meant_literally_exclude_nothing() -> None:
    text = "backup plan without rsync, not about tar"
    assert split(text, literally=("without rsync",)) == ("backup plan without rsync", ("tar",))


PIECES = st.sampled_from(["without", "not about", "but not", "except", ",", "and", "cat", "the", "in", "x."])


@given(st.text(max_size=60) | st.lists(PIECES, max_size=10).map(" ".join))
def test_any_text_keeps_something_to_rank_by(text: str) -> None:
    kept, negated = split(text)
    assert kept.strip() or kept == text
    assert all(thing.strip() for thing in negated)
    assert negated or kept == text


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return filled(
        tmp_path_factory.mktemp("home"),
        {
            "rsync.md": "A backup plan with rsync: rsync copies what has changed.",
            "tar.md": "A backup plan with tar: one archive every night.",
            "bare.md": "A backup plan without rsync, for machines that have none.",
            "long.md": "A backup plan in two parts: first the plan for the backup.\n\nThen rsync.",
        },
    )


def test_it_lowers_by_a_factor_that_is_shown_and_keeps_nothing_away(bench: Bench) -> None:
    found = run(bench.corpus(), Request("backup plan without rsync", profile="default", below=True))
    factors = {hit.document.path: {m.name: m.value for m in hit.multipliers} for hit in found.hits}
    assert isclose(factors["rsync.md"]["exclusion"], 0.04)  # named so, too
    assert isclose(factors["long.md"]["exclusion"], 0.52)
    assert factors["tar.md"] == factors["bare.md"] == {"exclusion": 1.0}
    assert found.hits[-1].document.path == "rsync.md"
    for hit in found.hits:
        assert isclose(hit.summed(), hit.score, rel_tol=1e-12)


def test_a_quotation_after_it_is_not_asked_for(bench: Bench) -> None:
    found = run(bench.corpus(), Request('backup plan without "rsync copies"', profile="default", below=True))
    assert found.query.negated == ("rsync copies",)
    assert found.hits[-1].document.path == "rsync.md"


def test_a_phrase_with_an_exclusion_in_it_finds_the_text_that_has_it_word_for_word(tmp_path: Path) -> None:
    notes = {"a.md": "Headers are the default for all answers except errors and redirects.",
             "b.md": "The default for all answers is plain text."}  # fmt: skip
    phrase = "default for all answers except errors"
    found = run(filled(tmp_path, notes).corpus(), Request(phrase, profile="default"))
    assert found.hits[0].document.path == "a.md"
    assert [one.value for one in found.hits[0].multipliers] == [1.0]


def test_where_nothing_is_negated_there_is_no_factor(bench: Bench) -> None:
    for query in ("backup plan", "backup plan -rsync"):
        assert all(not hit.multipliers for hit in run(bench.corpus(), Request(query, profile="default")).hits)
    literal = run(bench.corpus(), Request("backup without rsync", profile="default", literal=True))
    assert all(not hit.multipliers for hit in literal.hits)


UNREAD = {"systems consolidation hippocampus not imported"}
"""A bare "not" says too often what is missing ("file not found"), so it is left alone."""


def pairs() -> list[dict[str, str]]:
    lines = (ASSETS / "judged" / "negation.jsonl").read_text("utf-8").splitlines()
    return [pair for pair in map(json.loads, lines) if pair["query"] not in UNREAD]


@pytest.mark.parametrize("pair", pairs(), ids=lambda pair: pair["query"])
def test_in_the_sample_the_note_without_the_word_comes_first(sample: Engine, pair: dict[str, str]) -> None:
    hits = sample.search(Request(pair["query"], limit=200, profile="default")).hits
    place = {hit.document.path: hit.rank for hit in hits}
    assert place[pair["prefer"]] < place.get(pair["avoid"], 10**6)


def test_all_but_the_one_kind_of_the_judged_pairs_are_tried() -> None:
    assert len(pairs()) == 12
