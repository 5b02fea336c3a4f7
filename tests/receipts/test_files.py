"""Receipts as files: how they are written, read, refused, and how commands end."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ark_tui.domain.errors import UsageError
from ark_tui.engine import Engine
from ark_tui.operations import find, receipts
from ark_tui.operations.call import Call
from tests.cli.conftest import Ark
from tests.receipts.conftest import THEN, Desk


@pytest.fixture
def at(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """The home that commands use, at its time."""
    monkeypatch.setenv("ARK_HOME", str(desk.home))
    monkeypatch.setenv("ARK_NOW", THEN)
    return desk


def test_a_search_writes_a_receipt_beside_what_it_answers(at: Desk, ark: Ark) -> None:
    plain = ark("search", "spectral gap", "--json").json
    with_receipt = ark("search", "spectral gap", "--json", "--receipt", at.receipt)
    assert [hit["score"] for hit in with_receipt.json["hits"]] == [hit["score"] for hit in plain["hits"]]
    told = at.read()
    assert told["search"] == with_receipt.json["retrieval_id"]
    assert [hit["document"] for hit in told["hits"]] == [hit["id"] for hit in documents(plain)]
    assert [hit["score"] for hit in told["hits"]] == [hit["score"] for hit in plain["hits"]]
    assert (
        f"Receipt written: {at.receipt}"
        in ark("search", "spectral gap", "--receipt", at.receipt, "--overwrite").err
    )
    assert sorted(path.name for path in at.folder.iterdir()) == ["home", "notes", "receipt.json"]


def documents(found: Any) -> list[Any]:
    return [hit["document"] for hit in found["hits"]]


def test_a_file_that_is_there_is_kept_unless_it_may_be_replaced(at: Desk, ark: Ark) -> None:
    at.receipt.write_text("mine", "utf-8")
    refused = ark("search", "spectral gap", "--receipt", at.receipt)
    assert (refused.code, refused.out) == (2, "")
    assert "is there already. --overwrite writes in its place." in " ".join(refused.err.split())
    assert at.receipt.read_text("utf-8") == "mine"
    assert ark("search", "spectral gap", "--receipt", at.receipt, "--overwrite").code == 0
    assert at.read()["query"] == "spectral gap"


@pytest.mark.parametrize("place", ["", "nowhere/r.json"])
def test_a_place_that_will_not_do_is_refused_before_the_search(at: Desk, ark: Ark, place: str) -> None:
    before = ark("searches", "--json").json
    assert ark("search", "spectral gap", "--receipt", at.folder / place).code == 2
    assert ark("searches", "--json").json == before


def test_a_search_of_the_log_has_a_receipt_by_its_id(at: Desk, ark: Ark) -> None:
    asked = ark("search", "spectral gap", "--profile", "ark", "--json").json
    told = ark("receipt", asked["retrieval_id"][:6]).json
    assert (told["search"], told["profile"]["name"]) == (asked["retrieval_id"], "ark")
    assert [hit["score"] for hit in told["hits"]] == [hit["score"] for hit in asked["hits"]]
    assert "remark" not in told
    written = ark("receipt", asked["retrieval_id"], at.receipt)
    assert (written.code, written.out) == (0, "")
    assert ark("verify", at.receipt).code == 0
    assert ark("receipt", "zzzz").code == 1


def test_one_that_was_answered_otherwise_says_so_and_has_the_clock_of_then(at: Desk, ark: Ark) -> None:
    asked = ark("search", "spectral gap", "--json").json
    at.write("new.md", "The spectral gap, once more.\n")
    at.index()
    found = ark("receipt", asked["retrieval_id"])
    assert found.json["remark"].startswith("It was answered otherwise when it was asked")
    assert found.json["remark"] in " ".join(found.err.split())
    assert found.json["clock"]["today"] == THEN[:10]


def test_exit_codes_are_0_for_the_same_1_for_a_changed_answer_2_for_what_cannot_be_read(
    at: Desk, ark: Ark
) -> None:
    at.take(limit=2)
    assert ark("verify", at.receipt).code == 0
    at.write("oats.md", "Oats want milk.\n")
    at.index()
    shifted = ark("verify", at.receipt, "--json")
    assert (shifted.code, shifted.json["receipts"][0]["state"]) == (0, "shifted")
    at.write("new.md", "# Spectral gap and mixing\n\nThe spectral gap, mixing: mixing, the gap.\n")
    at.index()
    changed = ark("verify", at.receipt, "--json")
    assert (changed.code, changed.json["code"]) == (1, 1)
    at.receipt.write_text("{", "utf-8")
    assert ark("verify", at.receipt).code == 2
    assert ark("verify").code == 2
    assert ark("verify", at.folder / "nowhere.json").code == 2


def test_folders_are_suites_with_a_line_for_each_receipt_and_details_on_request(at: Desk, ark: Ark) -> None:
    suite = at.folder / "suite" / "deep"
    suite.mkdir(parents=True)
    for name, query in (("gap", "spectral gap mixing"), ("rice", "cooking rice"), ("walk", "random walk")):
        at.take(query, limit=1)
        at.receipt.rename(suite / f"{name}.json")
    same = ark("verify", at.folder / "suite")
    assert [line.split()[0] for line in same.out.splitlines()] == ["same"] * 3
    assert "3 receipts: 3 same." in same.err
    at.write("new.md", "# Spectral gap and mixing\n\nThe spectral gap, mixing: mixing, the gap.\n")
    at.index()
    (suite / "walk.json").write_text("[]", "utf-8")
    short = ark("verify", at.folder / "suite")
    assert short.code == 2
    assert [line.split()[0] for line in short.out.splitlines()] == ["changed", "shifted", "unreadable"]
    long = ark("verify", at.folder / "suite", "-v").out
    assert "text: 1 document was added: new.md." in long
    assert "new.md – → 1" in long
    assert all(len(line) <= 80 for line in long.splitlines())
    assert ark("verify", at.notes).code == 2  # no receipt in it


def without(*keys: str) -> Callable[[dict[str, Any]], object]:
    """Takes a part out of a receipt, by its place."""

    def cut(told: dict[str, Any]) -> None:
        *way, last = keys
        part: Any = told
        for key in way:
            part = part[int(key) if key.isdigit() else key]
        del part[last]

    return cut


DAMAGED: tuple[tuple[Callable[[dict[str, Any]], object], str], ...] = (
    (without("kind"), "It is no receipt of ark-tui."),
    (lambda told: told.update(kind="invoice"), "It is no receipt of ark-tui."),
    (lambda told: told.update(format=99), "It is of a newer ark-tui: format 99, and this one reads 1."),
    (lambda told: told.update(format="1"), "It is a damaged receipt: format is not a number."),
    (without("corpus"), "It is a damaged receipt: corpus is missing."),
    (without("hits", "0", "score"), "It is a damaged receipt: hits.0.score is missing."),
    (lambda told: told["hits"][0].update(score="1"), "hits.0.score is not a number."),
    (lambda told: told["hits"][0].update(score=True), "hits.0.score is not a number."),
    (lambda told: told.update(hits={}), "hits is not a list."),
    (lambda told: told["clock"].update(at="soon"), "clock.at is no time."),
    (lambda told: told["hits"][0].update(band="gold"), "hits.0.band is none of answer, weak, below."),
    (lambda told: told.update(request={}), "It names no search that could be run."),
    (lambda told: told.update(request={"is": "os"}), "It names no search that could be run."),
    (lambda told: told["request"].update(limit="3"), "It names no search that could be run."),
    (lambda told: told["request"].update(filters={"is": "Has"}), "It names no search that could be run."),
    (lambda told: told.update(profile={}), "It is a damaged receipt: profile.name is not a text."),
)


@pytest.mark.parametrize(("damage", "told"), DAMAGED, ids=[told for _, told in DAMAGED])
def test_what_is_damaged_or_foreign_is_refused_in_one_sentence(
    at: Desk, ark: Ark, damage: Callable[[dict[str, Any]], object], told: str
) -> None:
    receipt = at.take()
    damage(receipt)
    at.receipt.write_text(json.dumps(receipt), "utf-8")
    found = ark("verify", at.receipt, "--json")
    assert found.code == 2
    (one,) = found.json["receipts"]
    assert one["state"] == "unreadable"
    assert told in one["why"]
    assert one["why"].count(". ") == 0


@pytest.mark.parametrize("text", ["", "{", "null", '"text"', "[" * 5000, "\x00\xff", "[1, 2]"])
def test_what_is_no_json_or_none_of_ours_is_refused(at: Desk, ark: Ark, text: str) -> None:
    at.receipt.write_text(text, "latin-1")
    found = ark("verify", at.receipt)
    assert found.code == 2
    assert "It is no" in found.out
    assert "unreadable" in found.out


def test_a_receipt_cut_anywhere_never_ends_in_a_traceback(at: Desk, ark: Ark) -> None:
    at.take()
    whole = at.receipt.read_text("utf-8")
    for end in range(0, len(whole) - 2, len(whole) // 7):
        at.receipt.write_text(whole[:end], "utf-8")
        assert ark("verify", at.receipt).code == 2


def test_programs_give_receipts_and_name_no_files(at: Desk) -> None:
    told = at.take()
    with at.open() as engine:
        program = Call(engine)
        (found,) = receipts.verify(program, receipts=(told,)).receipts
        assert (found.file, found.state) == ("receipt 1", "same")
        for refused in (
            lambda: receipts.verify(program, (at.receipt,)),
            lambda: receipts.receipt(program, told["search"], at.folder / "theirs.json"),
            lambda: find.search(program, "gap", receipt=at.folder / "theirs.json"),
        ):
            with pytest.raises(UsageError, match="Only a person names"):
                refused()
    assert not (at.folder / "theirs.json").exists()


def test_making_and_verifying_keeps_no_search_in_the_log(at: Desk) -> None:
    at.take()
    with at.open() as engine:
        (kept,) = log(engine)
        receipts.receipt(Call(engine, person=True), kept)
        receipts.verify(Call(engine, person=True), (at.receipt,))
        assert log(engine) == [kept]


def log(engine: Engine) -> list[str]:
    return [one.id for one in engine.search_log()]


def test_names_that_are_not_unicode_are_written_and_read(at: Desk) -> None:
    (at.notes / Path("gap\udce9.md")).write_text("The spectral gap, twice.\n", "utf-8")
    at.index()
    at.take()
    assert at.verify().state == "same"
