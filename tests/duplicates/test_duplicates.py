"""Near-duplicates share a place in the results, and stand alone again when the other goes (I10)."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.index.vectors import duplicates
from ark_tui.index.vectors.duplicates import Wording
from ark_tui.settings import load
from tests.support import SteadyClock

SAMPLE = Path(__file__).parents[2] / "assets" / "sample"

TEXT = (
    "The regiment was raised in spring and marched to the coast before the summer ended. Its men came from "
    "the villages along the river, where the harvest had failed twice, and most of them had never seen the "
    "sea. They were drilled on the dunes, quartered in barns, and paid in promises; in the autumn a third of "
    "them went home without leave, and nobody was sent to bring them back."
)
NUMBERED = TEXT.replace("The regiment", "The 353rd regiment")

Write = Callable[[str, str], Path]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder


@pytest.fixture
def write(root: Path) -> Write:
    def written(path: str, text: str) -> Path:
        file = root / path
        file.write_text(text, "utf-8")
        then = time.time() - 60
        os.utime(file, (then, then))
        return file

    return written


def found(engine: Engine, query: str, **more: object) -> dict[str, list[str]]:
    """Path of each hit → paths of what is listed under it."""
    result = engine.search(Request(query, below=True, **more))  # type: ignore[arg-type]
    return {hit.document.path: [one.path for one in hit.duplicates] for hit in result.hits}


@pytest.mark.parametrize("mode", ["hybrid", "keyword", "semantic"])
def test_a_text_with_a_word_changed_is_listed_under_the_one_that_was_there(
    engine: Engine, root: Path, write: Write, mode: str
) -> None:
    write("a.md", TEXT)
    engine.index([root])
    write("b.md", TEXT.replace("quartered in barns", "quartered in sheds"))
    assert engine.index([root]).duplicates == 1
    hits = found(engine, "regiment marched to the coast", mode=mode)
    assert list(hits.items()) in ([("a.md", ["b.md"])], [("b.md", ["a.md"])])


def test_where_scores_tie_the_first_comes_before_its_copies(engine: Engine, root: Path, write: Write) -> None:
    for name in ("z.md", "a.md", "m.md"):
        write(name, TEXT)
        engine.index([root])
    assert found(engine, "regiment coast") == {"z.md": ["a.md", "m.md"]}


def test_it_stands_alone_again_when_the_other_goes_and_is_grouped_when_that_comes_back(
    engine: Engine, root: Path, write: Write
) -> None:
    first = write("a.md", TEXT)
    write("b.md", TEXT.replace("twice", "again"))
    engine.index([root])
    assert len(found(engine, "regiment coast")) == 1
    first.unlink()
    engine.index([root])
    assert found(engine, "regiment coast") == {"b.md": []}
    write("a.md", TEXT)
    engine.index([root])
    assert len(found(engine, "regiment coast")) == 1


def test_it_stands_alone_when_a_filter_keeps_the_other_away(engine: Engine, root: Path, write: Write) -> None:
    write("a.md", f"---\ntags: [keep]\n---\n{TEXT}")
    write("b.md", f"---\ntags: [other]\n---\n{TEXT}")
    engine.index([root])
    assert found(engine, "regiment tag:other") == {"b.md": []}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (NUMBERED, NUMBERED.replace("353rd", "354th")),
        (TEXT.replace("The regiment", "str2int"), TEXT.replace("The regiment", "int2str")),
        (TEXT, TEXT[: len(TEXT) * 3 // 4]),
    ],
    ids=["other number", "other identifier", "a quarter missing"],
)
def test_other_numbers_other_identifiers_or_much_less_text_is_another_text(
    engine: Engine, root: Path, write: Write, one: str, other: str
) -> None:
    write("a.md", one)
    write("b.md", other)
    assert engine.index([root]).duplicates == 0
    assert found(engine, "regiment villages along the river").keys() == {"a.md", "b.md"}


def test_the_comparison_can_be_switched_off(tmp_path: Path, root: Path, write: Write) -> None:
    write("a.md", TEXT)
    write("b.md", TEXT.replace("twice", "again"))
    counted = {}
    for rule in ("off", "strict"):
        config = load(tmp_path / "home", {"dedup": rule}, environ={})
        with Engine(config, SteadyClock()) as engine:
            engine.index([root])
            engine.sync()
            counted[rule] = len(found(engine, "regiment coast"))
    assert counted == {"off": 2, "strict": 1}


def test_a_rebuilt_table_groups_the_same(engine: Engine, root: Path, write: Write) -> None:
    write("a.md", TEXT)
    write("b.md", TEXT.replace("twice", "again"))
    engine.index([root])
    before = found(engine, "regiment coast")
    for follower in engine.followers():
        follower.rebuild()
    assert found(engine, "regiment coast") == before


def test_in_the_sample_the_strict_rule_takes_nothing_for_the_same(tmp_path: Path) -> None:
    """Its copies have a dozen words changed; the overlap of their shingles is about 0.8."""
    with Engine(load(tmp_path / "home", environ={}), SteadyClock()) as engine:
        assert engine.index([SAMPLE]).duplicates == 0


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(30, 400), st.integers(0, 3))
def test_texts_that_overlap_by_nine_tenths_meet_as_candidates(seed: int, size: int, edits: int) -> None:
    numbers = np.random.default_rng(seed)
    words = [f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in numbers.integers(0, 600, size).tolist()]
    changed = [*words]
    for at in numbers.integers(0, size, min(edits, size // 60)).tolist():
        changed[at] = "other"
    one, other = Wording.of(" ".join(words)), Wording.of(" ".join(changed))
    shared = len(np.intersect1d(one.shingles, other.shingles))
    overlap = shared / len(np.union1d(one.shingles, other.shingles))
    assert one.same(other) == (overlap >= duplicates.OVERLAP)
    if overlap >= duplicates.OVERLAP:
        keys, corpus = one.keys()[None], np.stack([Wording.of("another text").keys(), other.keys()])
        assert duplicates.candidates(keys, corpus, np.array([1, 2]))[0] == [1]


def test_a_group_is_led_by_its_first_chunk_and_chunks_of_one_text_belong_together() -> None:
    chunk, key = np.array([3, 5, 7, 8, 9]), np.array([10, 20, 30, 20, 40])
    repeated, first = duplicates.firsts(chunk, key, {30: [10], 40: [99]})
    assert list(zip(repeated.tolist(), first.tolist(), strict=True)) == [(7, 3), (8, 5)]
