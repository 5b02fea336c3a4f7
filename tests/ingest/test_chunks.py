"""Chunks keep exact places, lose no text and respect their limits, whatever the strategy (I9)."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ark_tui.domain.documents import ChunkDraft
from ark_tui.domain.errors import UsageError
from ark_tui.embedding.static import tokenizer
from ark_tui.ingest.chunk.cutting import chunk
from ark_tui.ingest.chunk.pack import Measure
from ark_tui.settings.config import STRATEGIES
from tests.ingest.texts import TEXTS, words

each_strategy = pytest.mark.parametrize("strategy", STRATEGIES)
WHOLE = 8


def texts_of(body: str, chunks: tuple[ChunkDraft, ...]) -> list[str]:
    return [body[c.start_char : c.end_char] for c in chunks]


@each_strategy
@settings(max_examples=60)
@given(body=TEXTS, limit=st.integers(2, 40), data=st.data())
def test_every_word_is_in_a_chunk_at_the_place_it_says(
    strategy: str, body: str, limit: int, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(body) // 2))
    chunks = chunk(body, strategy, limit, measure=words, start=start, overlap=limit // 3)

    covered = [False] * len(body)
    for c in chunks:
        text = body[c.start_char : c.end_char]
        assert text == text.rstrip() != ""
        assert c.start_line == body.count("\n", 0, c.start_char) + 1
        assert c.end_line == body.count("\n", 0, c.end_char) + 1
        covered[c.start_char : c.end_char] = [True] * len(text)
    assert not [i for i in range(start, len(body)) if not covered[i] and not body[i].isspace()]
    assert all(c.start_char >= start for c in chunks)


@each_strategy
@settings(max_examples=60)
@given(body=TEXTS, limit=st.integers(2, 40))
def test_only_windows_overlap_and_only_fences_exceed_the_limit(strategy: str, body: str, limit: int) -> None:
    chunks = chunk(body, strategy, limit, measure=words, overlap=limit // 3)
    ruler = words(body)

    for before, after in pairwise(chunks):
        assert before.start_char < after.start_char
        assert strategy == "sliding-window" or before.end_char <= after.start_char
    for c in chunks:
        text = body[c.start_char : c.end_char]
        most = limit * (WHOLE if "```" in text or "~~~" in text else 1)
        assert c.tokens == ruler.count(c.start_char, c.end_char) <= most


UNITS = ("word ", "word", "日本語。", "a b\n", "🙂", "```\n", "> ", "[[", " \n", "- x\n", "# h\n", "\t")


@each_strategy
def test_a_text_of_any_shape_and_length_is_cut(strategy: str, tokens: Measure) -> None:
    for unit in UNITS:
        body = unit * (60_000 // len(unit))

        chunks = chunk(body, strategy, measure=tokens)

        assert sum(c.end_char - c.start_char for c in chunks) >= len("".join(body.split())), unit
        assert all(c.tokens <= 500 * WHOLE for c in chunks), unit


def test_a_megabyte_in_one_line_is_cut_within_the_limit_and_keeps_its_sentinels(tokens: Measure) -> None:
    body = ("lorem ipsum dolor sit amet " * 40_000)[:1_000_000]
    for share in (0.01, 0.5, 0.99):
        place = int(share * len(body))
        body = body[:place] + f"SENTINEL{int(share * 100):03}" + body[place + 11 :]

    chunks = chunk(body, measure=tokens)

    assert max(c.tokens for c in chunks) <= 500
    assert {c.start_line for c in chunks} == {c.end_line for c in chunks} == {1}
    for sentinel in ("SENTINEL001", "SENTINEL050", "SENTINEL099"):
        assert sum(sentinel in text for text in texts_of(body, chunks)) == 1


def test_a_section_is_a_chunk_that_knows_the_headings_above_it() -> None:
    body = (
        "intro\n\n# Graphs\n\n## Laplacian\n\nD - A\n\n## Cuts\nfew edges\n### Sparse\nfewer\n# Trees\nnone\n"
    )

    chunks = chunk(body, "markdown-headers", measure=words)

    assert [(c.heading, c.start_line, c.end_line) for c in chunks] == [
        ("", 1, 1),
        ("Graphs › Laplacian", 3, 7),
        ("Graphs › Cuts", 9, 10),
        ("Graphs › Cuts › Sparse", 11, 12),
        ("Trees", 13, 14),
    ]


@pytest.mark.parametrize("strategy", ["markdown-headers", "code-blocks", "text"])
@settings(max_examples=50)
@given(
    parts=st.lists(
        st.tuples(
            st.sampled_from(["", "# One two\n\n", "### Three\n"]),
            st.sampled_from(["Four five.", "Six. " * 9, "Seven " * 40, "```\nx = 1\n```"]),
        ),
        min_size=1,
        max_size=6,
    ),
    limit=st.integers(24, 60),
)
def test_a_heading_is_never_a_chunk_by_itself(
    strategy: str, parts: list[tuple[str, str]], limit: int
) -> None:
    body = "\n\n".join(heading + text for heading, text in parts) + "\n\n## Last\n"

    for text in texts_of(body, chunk(body, strategy, limit, measure=words)):
        assert any(line and not line.startswith("#") for line in text.splitlines()), text


def test_headings_at_the_end_go_with_what_stands_before(tokens: Measure) -> None:
    body = "# A\n\nfirst\n\n## B\n\nsecond\n\n## C\n\n### D\n"

    chunks = chunk(body, "markdown-headers", measure=tokens)

    assert [(c.heading, c.end_line) for c in chunks] == [("A", 3), ("A › B", 11)]
    assert texts_of(body, chunks)[1] == "## B\n\nsecond\n\n## C\n\n### D"
    assert texts_of("# Only\n", chunk("# Only\n", measure=tokens)) == ["# Only"]


def test_a_heading_stays_with_the_sentence_before_the_code(tokens: Measure) -> None:
    lead = "word " * 96
    body = f"## How it is done here\n\n{lead}end:\n\n```\nx\n```\n"

    (code,) = texts_of(body, chunk(body, "code-blocks", measure=tokens))

    assert code.startswith("## How")


def test_a_long_section_is_cut_between_paragraphs_and_keeps_its_heading() -> None:
    paragraphs = [" ".join([f"p{n}"] * 30) for n in range(10)]
    body = "# Long\n\n" + "\n\n".join(paragraphs)

    chunks = chunk(body, "markdown-headers", 100, measure=words)

    assert {c.heading for c in chunks} == {"Long"}
    assert "\n\n".join(texts_of(body, chunks)) == body
    assert all(text.count(f"p{n}") in (0, 30) for text in texts_of(body, chunks) for n in range(10))


def test_a_sentence_is_not_cut_when_there_is_another_way() -> None:
    body = " ".join(f"Sentence {n} has seven words in it." for n in range(100))

    for text in texts_of(body, chunk(body, "paragraph", 50, measure=words)):
        assert text.startswith("Sentence")
        assert text.endswith("in it.")


def test_three_headings_make_auto_go_by_headings_and_those_in_fences_do_not_count() -> None:
    headed = "# A\n\nx\n\n# B\n\ny\n\n# C\n\nz\n"
    fenced = "```\n# A\n# B\n# C\n```\n\ntext\n"

    assert [c.heading for c in chunk(headed, measure=words)] == ["A", "B", "C"]
    assert len(chunk(fenced, measure=words)) == 1


def test_three_complete_fences_make_auto_go_by_code_and_an_open_one_does_not_count() -> None:
    fence = "```python\nx = 1\n```\n\n"

    assert [c.kind for c in chunk(fence * 3, measure=words)] == ["code"] * 3
    assert len(chunk(fence * 2 + "```python\nx = 1\n", measure=words)) == 1


def test_code_keeps_its_language_and_the_sentences_before_it() -> None:
    body = "A remark.\n\n## How\n\nDo it like this:\n\n```Python\nx = 1\n```\n\nThat was all.\n"

    chunks = chunk(body, "code-blocks", measure=words)

    assert [(c.kind, c.language, c.heading) for c in chunks] == [
        ("text", "", ""),
        ("code", "python", "How"),
        ("text", "", "How"),
    ]
    assert texts_of(body, chunks)[1].startswith("## How\n\nDo it like this:")


def test_only_the_last_sentences_of_a_long_paragraph_go_with_the_code() -> None:
    body = " ".join(f"Sentence {n}." for n in range(200)) + "\n\n```\nx\n```\n"

    text, code = texts_of(body, chunk(body, "code-blocks", measure=words))

    assert text.endswith("Sentence 149.")
    assert code.startswith("Sentence 150.")


@pytest.mark.parametrize("before", ["", "- item\n\n  ", "> "])
def test_a_fence_stays_whole_up_to_eight_times_the_limit(before: str) -> None:
    prefix = " " * len(before.rpartition("\n")[2]) if not before.startswith(">") else "> "
    code = "".join(f"{prefix}line {n}\n" for n in range(100))
    body = f"text\n\n{before}```\n{code}{prefix}```\n\nmore text\n"

    chunks = chunk(body, "markdown-headers", 40, measure=words)

    assert sum("line 0\n" in text and "line 99\n" in text for text in texts_of(body, chunks)) == 1


def test_a_fence_beyond_that_is_cut_between_lines() -> None:
    body = "```\n" + "".join(f"line {n}\n" for n in range(1000)) + "```\n"

    chunks = chunk(body, "markdown-headers", 40, measure=words)

    assert len(chunks) > 40
    assert all(text.startswith(("line", "```")) for text in texts_of(body, chunks))


def test_windows_overlap_by_fifty_tokens() -> None:
    body = " ".join(f"w{n}" for n in range(2000))

    first, second, *_ = texts_of(body, chunk(body, "sliding-window", measure=words))

    assert first.split()[-50:] == second.split()[:50]


def test_the_strategy_text_keeps_to_256_tokens() -> None:
    body = "\n".join(f"line {n} of a log" for n in range(2000))

    assert 200 < max(c.tokens for c in chunk(body, "text", measure=words)) <= 256


def test_indentation_stays_with_the_first_line() -> None:
    body = "\n\n    indented = 1\n    more = 2\n"

    assert texts_of(body, chunk(body, "text", measure=words)) == ["    indented = 1\n    more = 2"]


def test_an_unknown_strategy_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match="no chunk strategy magic") as error:
        chunk("text", "magic", measure=words)
    assert "markdown-headers" in error.value.hint


@settings(max_examples=100)
@given(body=TEXTS)
@example(body="over " * 300)
@example(body="a_very_long_name_without_any_end" * 50)
def test_counts_are_those_of_the_tokenizer(tokens: Measure, body: str) -> None:
    body = body.encode("utf-8", "replace").decode()
    counted = tokens(body).count(0, len(body))
    real = len(tokenizer().encode("\n" + body, add_special_tokens=False)) - 2

    assert real <= counted <= real * 1.25 + 3
