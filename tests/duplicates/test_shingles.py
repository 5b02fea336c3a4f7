"""Texts that share nearly all their 3-shingles are found by keys: none is missed, and nothing is compared
with everything (I10)."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ark_tui.engine import Engine
from ark_tui.index.vectors import alike, serving, shingles
from ark_tui.index.vectors.duplicates import Duplicates
from ark_tui.settings import load
from tests.support import SteadyClock

LETTERS = [a + b + "q" for a in string.ascii_lowercase for b in string.ascii_lowercase]


def overlap(one: str, other: str) -> float:
    """Jaccard of the 3-shingles, worked out plainly."""

    def sets(text: str) -> set[tuple[str, ...]]:
        words = text.split()
        size = min(shingles.SHINGLE, max(len(words), 1))
        return set(zip(*(words[at:] for at in range(size)), strict=False))

    a, b = sets(one), sets(other)
    return len(a & b) / max(len(a | b), 1)


def prose(rng: random.Random, words: int) -> str:
    return " ".join(rng.choice(LETTERS) for _ in range(words))


def found(texts: list[str]) -> set[tuple[int, int]]:
    """Pairs of texts that share a key."""
    kept, asked = shingles.keys(texts, np.arange(len(texts)))
    pairs = shingles.meeting(asked, [np.unique(kept)], np.ones(len(texts), bool))
    return {(int(pair >> 32), int(pair & 0xFFFFFFFF)) for pair in pairs}


@settings(max_examples=200)
@given(
    seed=st.integers(0, 2**32 - 1),
    words=st.sampled_from([0, 1, 2, 3, 9, 11, 12, 13, 19, 30, 60, 150, 400]),
    edits=st.lists(st.sampled_from(["cut", "add", "lead", "swap"]), max_size=6),
)
def test_no_pair_that_overlaps_by_nine_tenths_is_missed(seed: int, words: int, edits: list[str]) -> None:
    rng = random.Random(seed)
    one = prose(rng, words)
    other = one.split()
    for edit in edits:
        if edit == "swap" and other:
            other[rng.randrange(len(other))] = rng.choice(LETTERS)
        elif edit == "cut":
            del other[-1:]
        else:
            other.insert(0 if edit == "lead" else len(other), rng.choice(LETTERS))
    if overlap(one, " ".join(other)) >= shingles.OVERLAP or one == " ".join(other):
        assert found([one, " ".join(other)]) == {(1, 0)}
        assert found([" ".join(other), one]) == {(1, 0)}


def test_texts_that_share_a_third_of_their_sentences_hardly_ever_meet() -> None:
    rng = random.Random(1)
    sentences = [prose(rng, 12) for _ in range(300)]
    texts = [" ".join(rng.sample(sentences, 10)) for _ in range(1000)]
    assert sum(overlap(a, b) > 0.05 for a in texts[:50] for b in texts) > 1000
    assert len(found(texts)) < 10


def test_of_a_text_that_comes_often_with_another_word_pairs_are_linear() -> None:
    rng = random.Random(2)
    text = prose(rng, 150)
    counts = [len(found([f"{text} {prose(rng, 1)}" for _ in range(n)])) for n in (400, 800)]
    assert counts[1] <= 2.2 * counts[0]
    assert counts[1] >= 799  # each with one at least: they are one kind


@settings(max_examples=300)
@given(
    text=st.text(
        st.sampled_from("ab Z09.,:_-#\n\t é—“ß…日本😀\u200b\x1c\xa0ẞİſ²٣ΣÀ\u0307\ud800"), max_size=60
    )
)
@example("".join(map(chr, range(160, 0x250))))  # more characters than are replaced one by one
def test_words_and_numbers_are_those_of_their_patterns(text: str) -> None:
    assert shingles.words(text) == re.findall(r"\w+", text.casefold())
    assert shingles.numbers(text) == {*re.findall(r"\d+(?:[.,:]\d+)*", text)}


def test_a_number_more_is_another_text() -> None:
    text = prose(random.Random(3), 100)
    assert not found([f"{text} 353", f"{text} 354"])
    assert found([f"{text} 353", f"353 {text} 353"])


def test_a_text_is_kept_in_some_hundred_bytes() -> None:
    rng = random.Random(4)
    texts = [prose(rng, 120) for _ in range(100)]
    kept, asked = shingles.keys(texts, np.arange(len(texts)))
    assert kept.nbytes / len(texts) <= 130
    assert asked.nbytes / len(texts) <= 390


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine(load(tmp_path / "home", environ={}), SteadyClock()) as engine:
        yield engine


def test_in_many_rounds_a_key_is_written_a_few_times_only(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Bytes written grow as n log n, not as the number of rounds times n; few files are left."""
    written: list[int] = []
    save = serving.save

    def counting(path: Path, array: shingles.Keys) -> None:
        written.append(len(array))
        save(path, array)

    monkeypatch.setattr(serving, "save", counting)
    duplicates = Duplicates(engine._parts.store, tmp_path, "strict")
    current = serving.Current()
    rng = random.Random(5)
    for row in range(256):
        duplicates.take({row: prose(rng, 60)})
        current = replace(current, serial=row + 1)
        current = replace(current, shingles=duplicates._merged(current))
        duplicates._kept.clear()
    total = sum(len(serving.read_array(tmp_path / f"{name}.npy")) for name in current.shingles)
    assert total == 256 * 7
    assert sum(written) <= total * 9  # log2 of the rounds, and one
    assert len(current.shingles) <= 9


def test_who_begins_anew_knows_no_pairs_of_before(engine: Engine, tmp_path: Path) -> None:
    pairs, groups = np.array([[1, 0]], np.int32), np.array([[8, 5]], np.int64)
    serving.write_arrays(tmp_path / "alike-1", pairs=pairs, groups=groups)
    duplicates = Duplicates(engine._parts.store, tmp_path, "strict")
    for current, count in ((serving.Current(alike="alike-1"), 1), (serving.Current(), 0)):
        duplicates.begin(current)
        assert len(duplicates._pairs) == len(duplicates._groups) == count


def test_what_is_new_looks_up_its_own_keys_and_reads_the_text_of_what_is_alike_only(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(6)
    root = tmp_path / "notes"
    root.mkdir()
    texts = {f"{n}.md": prose(rng, 120) for n in range(200)}
    for name, text in texts.items():
        (root / name).write_text(text, "utf-8")
    engine.index([root])
    asked: list[int] = []
    read: list[int] = []
    meeting, verified = shingles.meeting, alike.verified

    def counting(keys: shingles.Keys, *rest: Any) -> Any:
        asked.append(len(keys))
        return meeting(keys, *rest)

    def reading(pairs: Any, texts: alike.Texts) -> Any:
        def counted(rows: Any) -> dict[int, str]:
            read.extend(rows)
            return texts(rows)

        return verified(pairs, counted)

    monkeypatch.setattr(shingles, "meeting", counting)
    monkeypatch.setattr(alike, "verified", reading)
    (root / "new.md").write_text(texts["7.md"] + " zzz", "utf-8")
    assert engine.index([root]).duplicates == 1
    assert sum(asked) < 60
    assert len(read) == 2
