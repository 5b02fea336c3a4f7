"""What stands before a chunk is in the indexes with it, and follows every change of what that is."""

from __future__ import annotations

from pathlib import Path

import pytest

from ark_tui.domain.hits import Hit
from ark_tui.domain.query import Request
from ark_tui.retrieval import run
from ark_tui.store import before, documents, overlay
from ark_tui.store.documents import Arrival
from tests.corpora import Bench, arrival

TALK = (
    "Ann: Which database did you choose in the end?",
    "Bob: Postgres. Mostly for the extensions.",
    "Ann: And who looks after the backups now?",
    "Bob: My sister does. Every night.",
)


def turn(place: int, text: str, path: str = "") -> Arrival:
    return arrival(path or f"{place}.md", text, source="talk", place=place)


@pytest.fixture
def talk(tmp_path: Path) -> Bench:
    home = Bench(tmp_path / "home")
    home.put(*(turn(place, text) for place, text in enumerate(TALK, 1)))
    home.put(arrival("other.md", "Bread wants time.", source="book", place=3), arrival("alone.md", "Alone."))
    home.sync()
    return home


def indexed(home: Bench) -> dict[str, str]:
    """By the beginning of each text: what the index has before it, which must be what the store says."""
    home.sync()
    home.words.refresh()
    with home.store.read() as lease:
        numbers = [int(number) for (number,) in lease.rows("SELECT number FROM ark.chunks ORDER BY number")]
        now = {number: one.before for number, one in documents.found(lease, numbers).items() if one.before}
    cards = home.words.shown(numbers)
    assert {number: one.before for number, one in cards.items() if one.before} == now
    return {one.text[:9]: one.before for one in cards.values() if one.before}


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("", ""),
        ("One.", "One."),
        ("One. Two! Three? ", "Two! Three?"),
        ('He said "so." Then he left.\n\n', 'He said "so." Then he left.'),
        ("# Heading\n\n- first\n- second\n", "- first\n- second"),
        ("一。二。三。", "二。三。"),
        ("word " * 200, ("word " * 80).strip()),
    ],
)
def test_the_end_of_a_text_is_its_last_two_sentences(text: str, end: str) -> None:
    found = before.ending(text)

    assert found == end or (len(text) > before.LONGEST and end.endswith(found) and len(found) > 380)


def test_a_turn_has_the_one_before_it_and_a_chunk_the_one_above(talk: Bench) -> None:
    talk.put(arrival("long.md", "First. Second. Third.\n\nIt follows."))

    assert indexed(talk) == {
        TALK[1][:9]: "Ann: Which database did you choose in the end?",
        TALK[2][:9]: "Bob: Postgres. Mostly for the extensions.",
        TALK[3][:9]: "Ann: And who looks after the backups now?",
        "It follow": "Second. Third.",
    }


def test_what_stands_before_follows_edits_insertions_moves_and_removals(talk: Bench) -> None:
    talk.put(turn(1, "Ann: Which editor?"))
    assert indexed(talk)[TALK[1][:9]] == "Ann: Which editor?"
    talk.put(turn(2, "Zoe: Wait.", "between.md"), turn(3, TALK[1], "2.md"), turn(5, TALK[2], "3.md"))
    assert indexed(talk)["Zoe: Wait"] == "Ann: Which editor?"
    assert indexed(talk)[TALK[1][:9]] == "Zoe: Wait."
    talk.remove("between.md")
    assert indexed(talk)[TALK[1][:9]] == "Ann: Which editor?"
    with talk.store.write() as lease:  # to the trash and back
        number = int(lease.value("SELECT number FROM ark.documents WHERE path = '1.md'"))
        overlay.apply(lease, {(number, "trash", ""): "yes"})
    assert TALK[1][:9] not in indexed(talk)
    with talk.store.write() as lease:
        overlay.apply(lease, {(number, "trash", ""): None})
    assert indexed(talk)[TALK[1][:9]] == "Ann: Which editor?"
    talk.put(arrival("1.md", "Ann: Which editor?"))  # no part of the talk any more
    assert TALK[1][:9] not in indexed(talk)


def test_only_what_follows_a_changed_text_is_taken_up_again(talk: Bench) -> None:
    talk.put(*(turn(place, text) for place, text in enumerate(TALK, 1)))
    assert talk.words_follower.state().behind == 0
    talk.put(turn(2, TALK[1].replace("Postgres", "SQLite")))
    assert talk.words_follower.state().behind == 2


def answers(home: Bench, query: str, mode: str = "hybrid") -> list[Hit]:
    home.sync()
    asked = Request(query, mode=mode, profile="default", below=True)  # type: ignore[arg-type]
    result = run(home.corpus(), asked)
    return list(result.hits or result.below)


@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
def test_an_answer_is_found_by_the_question_before_it(talk: Bench, mode: str) -> None:
    paths = [hit.document.path for hit in answers(talk, "who looks after the backups", mode)]

    assert paths[:2] == ["3.md", "4.md"]


def test_a_hit_says_what_brought_it_and_shows_only_its_own_text(talk: Bench) -> None:
    hit = next(hit for hit in answers(talk, "backups") if hit.document.path == "4.md")

    assert [one.said for one in hit.around] == [
        "by what stands before it: Ann: And who looks after the backups now?"
    ]
    assert hit.snippet.text == TALK[3]
    assert hit.snippet.highlights == ()
    first = next(hit for hit in answers(talk, "backups") if hit.document.path == "3.md")
    assert first.around == ()
