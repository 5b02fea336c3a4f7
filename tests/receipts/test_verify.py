"""A receipt run again: the same to the last bit, or what has changed, and why (X5)."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ark_tui.domain import requests
from ark_tui.domain.memory import Scope
from ark_tui.engine import Engine
from ark_tui.operations.encoding import encoded
from tests.receipts.conftest import NOTES, QUERY, Desk, causes, made

BETTER = (
    "---\ndate: 2025-12-24\n---\n# Spectral gap and mixing\n\nThe spectral gap, mixing; mixing, the gap.\n"
)


def test_a_receipt_has_all_that_the_answer_depends_on(desk: Desk) -> None:
    told = desk.take()
    with desk.open() as engine:
        hits = engine.search(requests.from_json(told["request"])).hits
    assert (told["kind"], told["format"], told["query"]) == ("receipt of ark-tui", 1, QUERY)
    assert told["clock"] == {"at": "2026-01-01T00:00:00Z", "today": "2026-01-01"}
    assert told["profile"]["weights"]["bm25"] > 0
    assert told["models"]["vectors"]
    assert told["versions"]["ark-tui"]
    assert told["versions"]["tantivy"]
    assert told["corpus"]["documents"] == len(NOTES)
    for hit, one in zip(told["hits"], hits, strict=True):
        assert (hit["rank"], hit["document"], hit["path"]) == (one.rank, one.document.id, one.document.path)
        assert (hit["score"], hit["signals"]) == (one.score, encoded(one.parts))
        assert hit["characters"] == [one.chunk.start_char, one.chunk.end_char]
        assert len(hit["content"]) == len(hit["text"]) == 32


def test_json_and_back_is_the_same_receipt(desk: Desk) -> None:
    told = desk.take("gap -rice after:last-year in:notes", profile="ark", tags=("theory",), mmr=0.5)
    assert encoded(made(told)) == told


@pytest.mark.parametrize("profile", ["default", "ark"])
def test_a_corpus_that_has_not_changed_verifies_to_the_last_bit(desk: Desk, profile: str) -> None:
    desk.take(profile=profile)
    found = desk.verify()
    assert (found.state, found.causes, found.differences, found.moves) == ("same", (), (), ())


WORDS = (
    "spectral",
    "gap",
    "mixing",
    "time",
    "graph",
    "walk",
    "rye",
    "rice",
    "lid",
    "expanders",
    "the",
    "how",
)
OTHERS = ("fast", "-rice", "tag:theory", "2025", "Fiedler", '"spectral gap"', "gpa")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    return Desk(tmp_path_factory.mktemp("shared"))


@settings(max_examples=10)
@given(
    words=st.lists(st.sampled_from((*WORDS, *OTHERS)), min_size=1, max_size=6),
    mode=st.sampled_from(("hybrid", "keyword", "semantic")),
    profile=st.sampled_from(("default", "ark")),
    mmr=st.sampled_from((None, 0.5)),
)
def test_any_search_verifies_to_the_last_bit(
    shared: Desk, words: list[str], mode: str, profile: str, mmr: float | None
) -> None:
    shared.take(" ".join(words), mode=mode, profile=profile, mmr=mmr)
    assert shared.verify().state == "same"


def test_another_process_verifies_to_the_last_bit(desk: Desk) -> None:
    desk.take()
    command = [
        sys.executable,
        "-m",
        "ark_tui",
        "verify",
        str(desk.receipt),
        "--home",
        str(desk.home),
        "--json",
    ]
    ended = subprocess.run(command, capture_output=True, check=True, text=True)
    (found,) = json.loads(ended.stdout)["receipts"]
    assert (found["state"], found["differences"]) == ("same", [])


def test_another_home_with_the_same_texts_gives_the_same_answer(desk: Desk, tmp_path: Path) -> None:
    desk.take()
    other = Desk(tmp_path / "other")
    shutil.copy(desk.receipt, other.receipt)
    found = other.verify()
    assert found.state in ("same", "close")
    assert not found.moves
    assert found.largest <= 1e-5
    assert "another home with the same texts" in causes(found)["index"]


def test_a_home_that_grew_note_by_note_gives_the_same_answer_once_its_indexes_are_made_at_once(
    desk: Desk, tmp_path: Path
) -> None:
    desk.take()
    other = Desk(tmp_path / "other", grown=True)
    shutil.copy(desk.receipt, other.receipt)
    assert {"index"} == causes(other.verify()).keys()
    with other.open() as engine:
        for follower in engine._parts.local_followers():
            follower.rebuild()
    found = other.verify()
    assert found.state in ("same", "close")
    assert found.largest <= 1e-5
    assert not found.moves


# -- planted changes: each is named with its cause ------------------------------------------------------


def test_an_edited_text_is_named(desk: Desk) -> None:
    desk.take()
    desk.write("walks.md", BETTER)
    desk.index()
    found = desk.verify()
    assert found.state == "changed"
    assert causes(found)["text"].startswith("1 document was edited: walks.md.")
    assert {move.path: move.after for move in found.moves}["walks.md"] == 1
    assert not {"weights", "model", "program", "clock", "curation"} & causes(found).keys()


def test_a_hit_that_is_gone_is_named(desk: Desk) -> None:
    first = desk.take()["hits"][0]["path"]
    (desk.notes / first).unlink()
    desk.index()
    found = desk.verify()
    assert found.state == "changed"
    assert causes(found)["text"] == f"1 document was removed: {first}."
    assert {move.path: move.kind for move in found.moves}[first] == "went"


def test_a_new_better_text_is_named(desk: Desk) -> None:
    desk.take()
    desk.write("new.md", BETTER)
    desk.index()
    found = desk.verify()
    assert found.state == "changed"
    assert causes(found)["text"] == "1 document was added: new.md."
    assert {move.path: (move.kind, move.after) for move in found.moves}["new.md"] == ("came", 1)


def test_a_file_that_is_called_otherwise_or_dated_otherwise_is_named(desk: Desk) -> None:
    desk.take()
    (desk.notes / "gap.md").rename(desk.notes / "hole.md")
    desk.write("walks.md", NOTES["walks.md"].replace("2025-03-09", "2025-03-10"))
    desk.index()
    found = desk.verify()
    assert "gap.md: path gap.md → hole.md." in causes(found)["text"]
    assert "walks.md: date 2025-03-09 → 2025-03-10." in causes(found)["text"]
    assert found.state in ("same", "shifted")


def test_a_text_that_is_not_listed_may_change_scores_and_not_the_answer(desk: Desk) -> None:
    desk.take(limit=2)
    desk.write("oats.md", "---\ndate: 2024-04-04\n---\nOats want milk.\n")
    desk.index()
    found = desk.verify()
    assert found.state == "shifted"
    assert causes(found)["text"] == "1 document was added: oats.md."
    assert not found.moves
    assert found.largest > 1e-5


def test_a_text_that_is_edited_back_is_no_cause_but_what_bm25_still_counts_is(desk: Desk) -> None:
    desk.take()
    desk.write("rye.md", "---\ndate: 2022-05-05\n---\nThe spectral gap, mixing.\n")
    desk.index()
    desk.write("rye.md", NOTES["rye.md"])
    desk.index()
    found = desk.verify()
    assert causes(found).keys() == {"index"}
    assert causes(found)["index"].startswith("BM25 counted 0 deleted texts, and counts ")
    assert found.state == "shifted"
    assert not found.moves


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ("[profiles.default.weights]\nbm25 = 3.0\n", "weights.bm25 0.122 → 3"),
        ("[profiles.default]\nmmr = 0.1\n", "mmr 1 → 0.1"),
        ("[profiles.default.boosts]\nbefore = 0.0\n", "boosts.before 0.4 → 0"),
    ],
)
def test_another_weight_is_named_with_what_it_alone_does(desk: Desk, config: str, told: str) -> None:
    desk.take()
    desk.configure(config)
    found = desk.verify()
    assert causes(found).keys() == {"weights"}
    assert told in causes(found)["weights"]
    (cause,) = found.causes
    assert cause.effect == {"changed": "answer", "shifted": "scores", "same": "nothing"}[found.state]


def test_a_weight_that_changes_nothing_is_told_and_the_answer_is_the_same(desk: Desk) -> None:
    desk.take()
    desk.configure("[profiles.default.weights]\ntemporal = 0.9\n")
    found = desk.verify()
    assert found.state == "same"
    (cause,) = found.causes
    assert (cause.kind, cause.effect) == ("weights", "nothing")


def test_another_configured_profile_is_named(desk: Desk) -> None:
    desk.take()
    desk.configure('profile = "ark"\n')
    found = desk.verify()
    assert "The profile was default, and is ark." in causes(found)["weights"]
    assert "The setting profile was default, and is ark." in causes(found)["settings"]


def test_a_profile_that_is_gone_is_named_and_the_receipts_own_is_used(desk: Desk) -> None:
    desk.configure('[profiles.mine]\nfrom = "ark"\n')
    desk.take(profile="mine")
    desk.configure("")
    found = desk.verify()
    assert found.state == "changed"
    assert found.differences == ()
    assert causes(found)["weights"].startswith("There is no profile mine any more")


def test_another_setting_is_named(desk: Desk) -> None:
    desk.take(profile="ark")
    desk.configure("decay = false\n")
    found = desk.verify()
    assert found.state in ("shifted", "changed")
    assert causes(found) == {"settings": "The setting decay was True, and is False."}


def test_another_model_is_named(desk: Desk) -> None:
    told = desk.take()
    told["models"]["static"] = "static-l1-v0"
    desk.receipt.write_text(json.dumps(told), "utf-8")
    found = desk.verify()
    assert causes(found).keys() == {"model"}
    assert "The model of static was static-l1-v0, and is " in causes(found)["model"]
    assert found.state == "same"


def test_a_signal_that_cannot_run_is_named(desk: Desk) -> None:
    told = desk.take(rerank=False)
    told["lamps"].append({"signal": "rerank", "state": "on", "reason": ""})
    told["request"]["rerank"] = True
    desk.receipt.write_text(json.dumps(told), "utf-8")
    assert "rerank was on, and is off: No re-ranker is here." in causes(desk.verify())["model"]


def test_another_program_or_library_is_named(desk: Desk) -> None:
    told = desk.take()
    told["versions"] |= {"ark-tui": "0.0.9", "tantivy": "0.1.0"}
    desk.receipt.write_text(json.dumps(told), "utf-8")
    found = desk.verify()
    assert found.state == "same"
    assert causes(found).keys() == {"program"}
    assert "ark-tui was 0.0.9, and is " in causes(found)["program"]
    assert "tantivy was 0.1.0, and is " in causes(found)["program"]


LATER = "2031-06-01T00:00:00Z"


def test_the_receipts_clock_is_used_and_what_todays_would_change_is_told(desk: Desk) -> None:
    desk.take("gap after:last-year")
    found = desk.verify(ARK_NOW=LATER)
    assert (found.state, found.differences) == ("same", ())
    assert causes(found) == {"clock": "As of 2031-06-01, the answer is another."}


def test_by_todays_clock_the_day_is_the_cause(desk: Desk) -> None:
    desk.take("gap after:last-year")
    found = desk.verify(today=True, ARK_NOW=LATER)
    assert found.state == "changed"
    assert causes(found) == {"clock": "The day was 2026-01-01, and is 2031-06-01."}
    assert {move.kind for move in found.moves} == {"went"}


def test_a_day_that_does_not_matter_is_not_told(desk: Desk) -> None:
    desk.take()
    assert desk.verify(ARK_NOW=LATER).causes == ()
    desk.take(profile="ark")
    assert causes(desk.verify(ARK_NOW=LATER)) == {"clock": "As of 2031-06-01, the scores are others."}


SAID: tuple[tuple[Callable[[Engine], object], str], ...] = (
    (lambda engine: engine.curation.tag(["gap.md"], ["draft"]), "gap.md: tags theory → draft, theory"),
    (lambda engine: engine.curation.tier(["gap.md"], "wiki"), "gap.md: tier doc → wiki"),
    (lambda engine: engine.curation.pin(["gap.md"]), "gap.md: pinned none → yes"),
    (lambda engine: engine.curation.trash(["gap.md"]), "into the trash"),
    (lambda engine: engine.curation.supersede(["gap.md"], "walks.md"), "gap.md: superseded_by none → "),
)


@pytest.mark.parametrize(("act", "told"), SAID, ids=["tag", "tier", "pin", "trash", "supersede"])
def test_what_a_person_has_said_is_named(desk: Desk, act: Callable[[Engine], object], told: str) -> None:
    desk.take()
    desk.edit(act)
    found = desk.verify()
    assert told in causes(found)["curation"]
    assert "text" not in causes(found)


def test_a_new_message_is_named_where_messages_are_searched(desk: Desk) -> None:
    scope = Scope("default", "default")

    def say(text: str) -> None:
        desk.edit(lambda engine: engine.memory.conversations.add(scope, "user", text))

    say("where is the spectral gap?")
    desk.take("spectral gap in:history")
    say("the spectral gap, the spectral gap")
    found = desk.verify()
    assert found.state == "changed"
    assert causes(found)["text"] == "Messages were added, edited or removed."
    desk.take()
    say("mixing")
    assert desk.verify().state == "same"


def test_changes_that_an_index_has_not_taken_up_are_named(desk: Desk) -> None:
    told = desk.take()
    told["corpus"]["waiting"] = 3
    desk.receipt.write_text(json.dumps(told), "utf-8")
    assert causes(desk.verify()) == {"index": "The indexes lacked 3 changes, and lack 0."}


def test_what_was_used_since_is_named(desk: Desk) -> None:
    told = desk.take(profile="ark")
    desk.edit(lambda engine: [engine.opened(told["hits"][2]["document"]) for _ in range(10)])
    found = desk.verify()
    assert causes(found) == {"use": f"1 document was used: {told['hits'][2]['path']}."}


def test_two_causes_are_told_apart(desk: Desk) -> None:
    desk.take()
    desk.write("new.md", BETTER)
    desk.index()
    desk.configure("[profiles.default.weights]\nbm25 = 3.0\n")
    found = desk.verify()
    assert {"text", "weights"} <= causes(found).keys()
    assert "new.md" in causes(found)["text"]
    assert "weights.bm25" in causes(found)["weights"]
