"""`search` and the pages of memory at the command line."""

from __future__ import annotations

import math
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from ark_tui.settings.ranking import shipped
from tests.cli.conftest import Ark

HARMFUL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def test_hits_come_with_title_place_score_and_snippet(ark: Ark, indexed: Path) -> None:
    found = ark("search", "spectral gap", "-n", "1", "--home", indexed)
    assert found.code == 0
    lines = found.out.splitlines()
    assert re.fullmatch(r" 1  Spectral gaps +[01]\.\d{3}", lines[0])
    assert "bounds its mixing time" in lines[1]
    assert re.match(r" {4}gap\.md:\d+-\d+ · #[0-9a-f]{6} · notes · 2025-11-02", lines[-1])
    assert "profile default" in found.err


def test_the_json_has_the_promised_names(ark: Ark, indexed: Path) -> None:
    found = ark("search", "spectral gap", "--json", "--home", indexed).json
    assert found.keys() >= {
        *("query", "retrieval_id", "profile", "took_ms", "abstained", "below_floor", "truncated"),
        *("lamps", "expansion", "hits"),
    }
    assert found["expansion"].keys() == {"terms", "source", "without"}
    assert all(lamp.keys() == {"signal", "state", "reason"} for lamp in found["lamps"])
    hit = found["hits"][0]
    assert hit.keys() >= {"rank", "score", "document", "chunk", "snippet", "more", "signals", "multipliers"}
    names = {"id", "short_id", "title", "path", "collection", "tier", "type", "tags", "date", "stale"}
    assert hit["document"].keys() >= names
    assert hit["chunk"].keys() >= {"id", "start_line", "end_line", "start_char", "end_char"}
    assert hit["signals"][0].keys() == {"name", "raw", "normalised", "rank", "weight", "contribution"}
    assert hit["document"]["tags"] == ["theory"]
    assert hit["document"]["tier"] == "wiki"


def test_a_hit_says_how_likely_it_is_an_answer(ark: Ark, indexed: Path) -> None:
    found = ark("search", "spectral gap", "--json", "--home", indexed).json["hits"][0]
    percent = f"{found['chance']:.0%}".replace("%", " %")
    told = ark("search", "spectral gap", "--explain", "-n", "1", "--home", indexed).out
    assert f" · chance {percent}" in told
    assert re.search(rf"chance {percent}, in log-odds: lead [+]\d", told)


def test_explain_shows_every_part_of_every_score(ark: Ark, indexed: Path) -> None:
    found = ark("search", "spectral gap", "--explain", "--profile", "ark", "-n", "1", "--home", indexed)
    assert re.search(r"signal +raw +norm +rank +weight +share", found.out)
    assert re.search(r" b bm25 ", found.out)
    assert re.search(r"× decay +0\.\d{4}", found.out)
    shares = [
        float(row[1])
        for row in re.finditer(r"^ {5}[a-z] .* (-?\d\.\d{4})(?:  .*)?$", found.out, re.MULTILINE)
    ]
    factors = [float(row[1]) for row in re.finditer(r"× \w+ +(\d\.\d{4})", found.out)]
    (score,) = re.findall(r"score +(\d\.\d{4})", found.out)
    assert sum(shares) * math.prod(factors) == pytest.approx(float(score), abs=5e-4)
    assert re.search(r"^bm25 +● on", found.out, re.MULTILINE)


def test_explain_against_another_result_sets_both_breakdowns_side_by_side(ark: Ark, indexed: Path) -> None:
    hits = ark("search", "spectral", "--json", "--below", "--home", indexed).json["hits"]
    one, two = (hit["document"]["path"] for hit in hits[:2])
    asked = ("explain", one, "spectral", "--against", two, "--home", indexed)
    told = ark(*asked, "--json").json
    other = told["against"]
    assert (told["path"], other["document"]["path"]) == (one, two)
    added = sum(row["difference"] for row in other["signals"]) + other["multiplied"]
    assert added == pytest.approx(told["score"] - other["score"])
    table = ark(*asked).out
    assert "A - B" in table
    assert all(row["signal"] in table for row in other["signals"])


def test_explain_begins_with_a_sentence_that_the_json_has_too_and_shows_what_earned_each_part(
    ark: Ark, indexed: Path
) -> None:
    asked = ("search", "spectral gap", "--explain", "--home", indexed)
    shown, hits = " ".join(ark(*asked).out.split()), ark(*asked, "--json").json["hits"]
    for hit in hits:
        assert " ".join(hit["why"]["sentence"].split()) in shown
    assert "“gap” in the title (in 1 of 5 passages)" in shown
    plain = ark("search", "spectral gap", "--json", "--home", indexed).json["hits"]
    assert not any("why" in hit or "reasons" in part for hit in plain for part in hit["signals"])


def test_bars_of_all_hits_have_one_scale(ark: Ark, indexed: Path) -> None:
    found = ark("search", "spectral gap", "--explain", "--below", "--home", indexed).out
    rows = re.findall(r"^ {5}[a-z] \w+ .* (\d\.\d{4})(?:  ([█▏▎▍▌▋▊▉]*))?$", found, re.MULTILINE)
    longest = max(float(share) for share, _ in rows)
    eighths = {bar: 8 * bar.count("█") + "▏▎▍▌▋▊▉".find(bar[-1]) + 1 for _, bar in rows if bar}
    assert len(rows) > 10
    assert all(abs(eighths[bar] - 128 * float(share) / longest) <= 1 for share, bar in rows if bar)


def test_no_hits_is_done_and_said(ark: Ark, indexed: Path) -> None:
    found = ark("search", "tag:nowhere bread", "--home", indexed)
    assert (found.code, found.out) == (0, "")
    assert "No results for “tag:nowhere bread”" in found.err


def test_a_home_without_anything_says_what_to_do(ark: Ark, empty: Path, home: Path) -> None:
    shutil.copytree(empty, home)
    found = ark("search", "bread")
    assert (found.code, found.out) == (0, "")
    assert "ark-tui index" in found.err


@pytest.mark.parametrize("extra", [(), ("--explain",), ("--plain",), ("--json",)])
def test_text_from_documents_cannot_act_on_a_terminal(
    ark: Ark, indexed: Path, extra: tuple[str, ...]
) -> None:
    found = ark("search", "esrever spectral", "-n", "5", "--home", indexed, *extra)
    assert "Evil" in found.out
    assert not HARMFUL.search(found.out.replace("\n", ""))


@pytest.mark.parametrize("extra", [(), ("--explain",), ("--plain",)])
@pytest.mark.parametrize("query", ["spectral", "文字索引"])
def test_no_line_is_wider_than_eighty_columns(
    ark: Ark, indexed: Path, query: str, extra: tuple[str, ...]
) -> None:
    found = ark("search", query, "--home", indexed, *extra)
    assert found.out
    assert max(cell_len(line) for line in found.out.splitlines()) <= 80


def test_plain_output_has_neither_bars_nor_boxes(ark: Ark, indexed: Path) -> None:
    found = ark("search", "spectral", "--plain", "--explain", "--home", indexed)
    assert not re.search("[\u2500-\u25ff\x1b]", found.out)


def test_what_is_about_nothing_lists_nothing_unless_it_is_asked_for(ark: Ark, indexed: Path) -> None:
    done = ark("search", "aphids", "tomatoes", "--home", indexed)
    assert (done.code, done.out) == (0, "")
    assert "No word of the query is in this corpus." in done.err
    assert "add --below to list them" in done.err
    found = ark("search", "aphids", "tomatoes", "--home", indexed, "--json").json
    assert (found["abstained"], found["hits"]) == (True, [])
    assert found["below_floor"] > 0 > found["verdict"]["log_odds"]
    below = ark("search", "aphids", "tomatoes", "--home", indexed, "--below", "--json").json
    assert below["abstained"]
    assert len(below["hits"]) == below["below_floor"]


def signals(ark: Ark, home: Path, *options: str) -> dict[str, dict[str, Any]]:
    """The parts of the best hit by signal."""
    found = ark("search", "spectral gap", "--json", "--profile", "default", *options, "--home", home).json
    return {part["name"]: part for part in found["hits"][0]["signals"]}


def test_set_changes_one_number_for_one_search(ark: Ark, indexed: Path) -> None:
    before = signals(ark, indexed)
    after = signals(ark, indexed, "--set", "weight.bm25=0.5", "--set", "weight.maxsim=0")
    given = {**shipped()["default"].weights, "bm25": 0.5}
    whole = sum(given[name] for name in after)
    assert {name: part["weight"] for name, part in after.items()} == pytest.approx(
        {name: given[name] / whole for name in after}
    ), "each a share of the weights in force"
    assert "maxsim" in before.keys() - after.keys()
    assert signals(ark, indexed) == before
