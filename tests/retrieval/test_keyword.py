"""A search by words alone answers as the whole pipeline does, and takes next to nothing for it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ark_tui.domain.documents import Chunk, Document
from ark_tui.domain.hits import SearchResult
from ark_tui.domain.protocols import NEVER
from ark_tui.domain.query import Filters, Request
from ark_tui.index.words import reader
from ark_tui.retrieval import Corpus, keyword, opening, pipeline, run
from ark_tui.retrieval.shown import stale
from ark_tui.retrieval.timing import Timer
from ark_tui.store.found import Found
from tests.corpora import Bench, arrival

WORDS = (
    *("apple", "cellar", "pear", "quince", "reciprocal", "rank"),
    *("fusion", "RRF", "graph", "walk", "walnut", "http_client"),
)
FIRST = "Reciprocal rank fusion (RRF) adds shares of ranks.\n\nApples keep in the cellar."


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    home = Bench(tmp_path_factory.mktemp("home"), dedup="strict")
    same = "Walnuts and apples keep in the same cellar for many long winters, " * 4
    home.put(
        arrival("first.md", FIRST, title="Fusion of ranks", tags=("food",)),
        arrival("same.md", same),
        arrival("again.md", same),
        *(
            arrival(
                f"{n}.md",
                "\n\n".join(f"{WORDS[(n * k) % 12]} {WORDS[k]} and {n} {k}" for k in range(n % 5 + 1)),
            )
            for n in range(40)
        ),
    )
    home.sync()
    return home


def answered(corpus: Corpus, request: Request) -> SearchResult | None:
    return keyword.answered(opening.read(corpus, request, NEVER), Timer())


def comparable(result: SearchResult) -> SearchResult:
    return replace(result, retrieval_id="", took_ms=0.0, stages=())


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    words=st.lists(st.sampled_from([*WORDS, "strawberry", "the", "keep", "food"]), min_size=1, max_size=6),
    profile=st.sampled_from(["default", "ark"]),
    limit=st.integers(1, 12),
    tags=st.sampled_from([(), ("food",)]),
    adjust=st.sampled_from([(), ("fusion=rrf",), ("weight.coverage=0",)]),
    typing=st.booleans(),
)
def test_it_is_the_answer_of_the_pipeline(
    bench: Bench,
    words: list[str],
    profile: str,
    limit: int,
    tags: tuple[str, ...],
    adjust: tuple[str, ...],
    typing: bool,
) -> None:
    request = Request(
        " ".join(words), mode="keyword", profile=profile, limit=limit, filters=Filters(tags=tags),
        adjust=adjust, typing=typing,
    )  # fmt: skip
    corpus = replace(bench.corpus(), decay=False)
    quick = answered(corpus, request)
    whole = pipeline.ranking(corpus, request).answer()
    assert quick is not None
    assert comparable(quick) == comparable(whole)


def test_repetitions_are_listed_under_the_first_of_them(bench: Bench) -> None:
    quick = answered(bench.corpus(), Request("walnuts winters", mode="keyword", profile="default"))
    assert quick is not None
    assert [(hit.document.path, [one.path for one in hit.duplicates]) for hit in quick.hits[:1]] == [
        ("same.md", ["again.md"])
    ]


@pytest.mark.parametrize(
    "query", ["apple not about pears", "apples of 2024", 'apples "in the cellar" -pear', ""]
)
def test_what_needs_more_is_left_to_the_pipeline(bench: Bench, query: str) -> None:
    request = Request(query, mode="keyword", profile="default")
    quick = answered(bench.corpus(), request)
    whole = pipeline.ranking(bench.corpus(), request).answer()
    assert quick is None or comparable(quick) == comparable(whole)
    assert run(bench.corpus(), request).hits == whole.hits


def test_it_takes_no_lease_no_vectors_and_few_native_calls(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> Any:
        raise AssertionError("a search by words needs that not")

    called: Counter[str] = Counter()
    call = reader._Searcher._call

    def counted(self: reader._Searcher, method: Any, *given: Any, **named: Any) -> Any:
        called[method.__name__] += 1
        return call(self, method, *given, **named)

    corpus = replace(bench.corpus(), vectors=never)
    request = Request("apple walnut graph", mode="keyword", profile="default", limit=3)
    run(corpus, request)  # opens the index
    monkeypatch.setattr(bench.store, "read", never)
    monkeypatch.setattr(pipeline, "ranking", never)
    monkeypatch.setattr(reader._Searcher, "_call", counted)
    assert len(run(corpus, request).hits) == 3
    assert called["doc"] <= 3 + 20, "the texts that are shown, and those that may define an alias"
    assert called["search"] <= 6
    assert called["doc_freq"] == 0, "what the first search has counted is known"


def test_a_file_behind_a_link_that_has_taken_a_folders_place_is_stale(tmp_path: Path) -> None:
    inside, outside = tmp_path / "root" / "sub", tmp_path / "outside"
    inside.mkdir(parents=True)
    file = inside / "a.md"
    file.write_text("Apples.")
    stat = file.stat()
    document = Document("d", "notes", "sub/a.md", "a")
    found = Found(
        1, document, Chunk("d:0", 0, 0, 7, 1, 1), "Apples.", str(tmp_path / "root"), 7, stat.st_mtime_ns
    )
    assert not stale(found)
    inside.rename(outside)
    assert stale(found)
    inside.symlink_to(outside)
    assert stale(found)
