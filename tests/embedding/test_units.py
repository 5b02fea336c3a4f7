"""Tokens put together from those of words are those of the whole text."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ark_tui.embedding import static, units
from ark_tui.embedding.units import Units

if TYPE_CHECKING:
    from tokenizers import Tokenizer

SAMPLE = Path(__file__).parents[2] / "assets" / "sample"
TEXTS = st.text(st.sampled_from("ab Z09.,-_#*\n\t\r é—“ü…▁<s/>日本😀\u200b\x07"), max_size=80)


def whole(text: str) -> list[int]:
    """As the tokenizer does it by itself."""
    text = text.encode("utf-8", "replace").decode()
    found: list[int] = static.tokenizer().encode(text, add_special_tokens=False).ids
    return found


def test_the_tokens_of_the_sample_are_those_of_the_tokenizer() -> None:
    texts = [path.read_text("utf-8") for path in sorted(SAMPLE.rglob("*.*"))]
    parts = [part for text in texts for part in text.split("\n\n")]
    for text, ids in zip(texts + parts, static.tokens(texts + parts), strict=True):
        assert ids.tolist() == whole(text)


@settings(max_examples=300)
@given(text=TEXTS)
@example("")
@example(" ")
@example("\n")
@example("  two spaces before, and a tail   ")
@example("\nbegins with a break, has\n an indented line\n\nand one that ends in a space \nbefore the end\n")
@example("x" * 39)
@example("x" * 41)
@example("a_very_long_name_without_any_end" * 5)
@example(" " * 200 + "far")
@example("<s>tags</s> of the <unk> tokenizer")
@example("日本語の検索")
@example("an emoji 😀 of four bytes")
@example("lone \ud800 surrogate")
@example("six words                                             after fifty spaces")
@example("\tif unit in (‘„ἀλλά“’): # अ 한국어 \U0001f9d1\u200d\U0001f52c")
def test_the_tokens_of_any_text_are_those_of_the_tokenizer(text: str) -> None:
    """Those of its first words, which are put together from pieces, and those of later ones."""
    assert static.tokens([text])[0].tolist() == whole(text)
    for left in (-1, units.SPELLED):
        known = Units(static.tokenizer, static.pieces)
        known._left = left
        (ids,) = known.whole([text])
        assert ids is None or np.frombuffer(ids, np.uint16).tolist() == whole(text)


def test_a_few_words_load_no_tokenizer_and_many_do(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[Tokenizer] = []

    def tokenizer() -> Tokenizer:
        loaded.append(static.tokenizer())
        return loaded[-1]

    monkeypatch.setattr(units, "SPELLED", 20)
    known = Units(tokenizer, static.pieces)
    known.whole(["the spectral gap"])
    known.whole(["the gap"])
    assert not loaded
    known.whole(["of a graph"])
    assert len(loaded) == 1


def test_a_text_that_an_answer_quotes_is_counted_without_the_tokenizer() -> None:
    text = (SAMPLE / "index.md").read_text("utf-8")
    script = f"from ark_tui.embedding import static; import sys; static.tokens([{text[:1000]!r}])"
    script += "; assert 'tokenizers' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_words_that_were_seen_are_not_tokenised_again(monkeypatch: pytest.MonkeyPatch) -> None:
    known = Units(static.tokenizer, static.pieces)
    known.whole(["the spectral gap"])
    asked: list[list[str]] = []
    tokenised = Units._tokenised

    def counted(self: Units, wanted: list[str]) -> dict[str, bytes]:
        asked.append(wanted)
        return tokenised(self, wanted)

    monkeypatch.setattr(Units, "_tokenised", counted)
    known.whole(["the gap the gap", "a spectral gap"])
    assert asked == [[" a"]]


def test_texts_of_known_words_are_not_learnt_again(monkeypatch: pytest.MonkeyPatch) -> None:
    known = Units(static.tokenizer, static.pieces)
    text = "the spectral gap – of a graph\nand its\n\nlargest eigenvalue"
    known.whole([text])
    learnt = Units._learn_words
    new: list[set[str]] = []

    def counted(self: Units, words: dict[str, bytes], missing: set[str]) -> dict[str, bytes]:
        new.append(missing)
        return learnt(self, words, missing)

    monkeypatch.setattr(Units, "_learn_words", counted)
    known.whole([text, "the gap – of a graph", "graph,  graph \nand the gap"])
    assert new == [{"graph,", "  graph", " "}]


def test_what_is_known_is_asked_for_words_and_never_gone_through() -> None:
    """Thousands of words are known in a process that has indexed, and each answer of MCP asks some times."""

    class Known(dict[str, bytes]):
        def __iter__(self) -> NoReturn:
            raise AssertionError("all words are gone through")

        keys = items = values = __iter__

    plain, guarded = Units(static.tokenizer, static.pieces), Units(static.tokenizer, static.pieces)
    guarded._known = Known(guarded._known)
    texts = ["the spectral gap\nof a graph", "a_long_name/of_a_file/in_some_folder/of_the_repository.py"]
    assert guarded.whole(texts) == plain.whole(texts)


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(units, "REMEMBERED", 4)
    known = Units(static.tokenizer, static.pieces)
    first = known.whole(["one two three"])
    assert known.whole(["four five six one"])[0]
    assert known.whole(["one two three"]) == first
    assert known.counts([" one", " two", " seven", " eight", " nine"]) == [1, 1, 1, 1, 1]


def test_many_texts_are_pooled_as_few_are() -> None:
    texts = [f"text number {n} about graphs and {'chains ' * (n % 5)}" for n in range(100)] + [""]
    ids = static.tokens(texts)
    weights = np.linspace(0.5, 2.0, static.VOCABULARY, dtype=np.float32)
    for weighed in (None, weights):
        singly = np.concatenate([static.pool([one], weighed) for one in ids])
        np.testing.assert_allclose(static.pool(ids, weighed), singly, atol=1e-6)


def test_frequencies_count_a_token_once_per_text() -> None:
    ids = static.tokens(["gap gap gap", "the gap", ""])
    flat, offsets = np.concatenate(ids), np.cumsum([0, *map(len, ids)])
    found = static.frequencies(flat, offsets)
    assert found[ids[0][0]] == 2
    assert found.sum() == len({*ids[0].tolist()}) + len({*ids[1].tolist()})
