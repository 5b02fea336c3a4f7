"""`think` and `eval` at a terminal: the answer as it is written, measures, and what is said of them."""

from __future__ import annotations

import json
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.cells import cell_len

from ark_tui.domain.evaluation import METRICS
from tests.cli.conftest import Ark, running
from tests.evaluation.conftest import write_set
from tests.ollama_server import Model, OllamaServer

QUESTION = ("think", "what bounds the mixing time of a chain", "-n", "1")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, indexed: Path) -> Iterator[OllamaServer]:
    with OllamaServer(Model("qwen3:4b", embeds=False)) as server:
        given = {"HOME": indexed, "OLLAMA_HOST": server.host, "CHAT_MODEL": "qwen3:4b", "EMBEDDING": "static"}
        for name, value in given.items():
            monkeypatch.setenv(name if name == "OLLAMA_HOST" else f"ARK_{name}", str(value))
        answer = "The spectral gap bounds it [feed01], \x1b[2J as was shown.\nSo it does."
        server.answer = json.dumps({"answer": answer, "gaps": ["How tightly."]})
        yield server
        server.let_go()


@pytest.mark.usefixtures("server")
def test_the_answer_then_what_is_odd_about_it_then_gaps_and_sources(ark: Ark) -> None:
    told = ark(*QUESTION)
    assert told.code == 0
    lines = told.out.splitlines()
    assert lines[:2] == ["The spectral gap bounds it [feed01], ␛[2J as was shown.", "So it does."]
    assert lines[2:4] == ["", "gap  How tightly."]
    assert "Spectral gaps" in lines[4]
    assert "It cites ids that are not among the sources: feed01." in told.err
    assert "Check the answer: the answer cites none of its sources." in told.err
    assert "\x1b" not in told.out
    assert ark(*QUESTION, "--json").json["dropped_citations"] == ["feed01"]


def test_a_model_that_runs_elsewhere_is_not_asked(ark: Ark, server: OllamaServer) -> None:
    server.models["qwen3:4b"].remote_host = "https://models.example:443"
    told = ark(*QUESTION)
    assert "No answer: qwen3:4b runs elsewhere: what it is asked goes to models.example." in told.err
    assert "Spectral gaps" in told.out
    assert server.asked("/api/chat") == []


def test_the_first_words_are_there_while_the_rest_is_written_and_ctrl_c_ends_it(server: OllamaServer) -> None:
    server.stalls = 10
    with running(*QUESTION) as process:
        assert process.stdout is not None
        assert process.stdout.read(16) == b"The spectral gap"
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert time.monotonic() - began < 10
    server.let_go()
    deadline = time.monotonic() + 20
    while not server.hung_up:
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return write_set(tmp_path / "small")


def test_the_json_has_the_promised_names(ark: Ark, small: Path, home: Path) -> None:
    found = ark("eval", small, "--json")
    assert found.code == 0
    (one,) = found.json["sets"]
    names = {*METRICS, "interval"}
    assert one.keys() >= {"name", "documents", "queries", "categories", "baselines", *names}
    assert one["baselines"].keys() == {"bm25", "cosine", "ark"}
    assert all(baseline.keys() >= names for baseline in one["baselines"].values())
    assert one["categories"]["theory"].keys() >= names
    assert one["interval"].keys() == set(METRICS)
    assert found.json["macro"].keys() >= names
    assert {"ablation", "comparison"}.isdisjoint(one)
    assert not home.exists()


def test_ablation_and_comparison_are_in_the_json_when_asked_for(ark: Ark, small: Path) -> None:
    found = ark("eval", small, "--json", "--profile", "ark", "--ablate", "--compare", "ark", "default").json
    assert found["profile"] == "ark"
    for one in (*found["sets"], found["macro"]):
        assert {"static", "bm25"} <= {off["signal"] for off in one["ablation"]}
        assert all(off.keys() >= {*METRICS, "interval"} for off in one["ablation"])
        comparison = one["comparison"]
        assert (comparison["a"], comparison["b"]) == ("ark", "default")
        assert comparison["difference"].keys() >= {*METRICS, "interval"}
        assert len(comparison["won"]) + len(comparison["lost"]) + comparison["tied"] == 4
        for change in (*comparison["won"], *comparison["lost"]):
            assert change.keys() == {"set", "id", "query", "a", "b"}


def test_people_read_tables_of_eighty_columns(ark: Ark, small: Path, tmp_path: Path) -> None:
    other = write_set(tmp_path / "another set with quite a long name")
    found = ark("eval", small, other, "--ablate", "--compare", "bm25", "cosine")
    assert found.code == 0
    assert re.search(r"^small +4 +[01]\.\d{3}  [01]\.\d\d–[01]\.\d\d", found.out, re.MULTILINE)
    assert re.search(r"^  kitchen +2 ", found.out, re.MULTILINE)
    assert re.search(r"^macro +8 ", found.out, re.MULTILINE)
    assert re.search(r"^bm25 +[+-]0\.\d{3}  [+-]0\.\d{3} … [+-]0\.\d{3}", found.out, re.MULTILINE)
    assert re.search(r"\d won +\d lost +\d tied", found.out)
    assert max(cell_len(line) for line in found.out.splitlines()) <= 80


def test_what_cannot_be_used_is_one_sentence_and_a_usage_error(ark: Ark, small: Path, tmp_path: Path) -> None:
    (small / "queries.jsonl").write_text("{}\n")
    found = ark("eval", small)
    assert (found.code, found.out) == (2, "")
    assert found.err.startswith(f"error: {small / 'queries.jsonl'}:1: no _id.\n")
    assert ark("eval", tmp_path).code == ark("eval").code == 2
