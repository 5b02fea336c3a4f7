"""Every input that was ever nasty is tried once more; faults and slow growth are seen."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from random import Random
from types import FrameType

import pytest

from ark_tui.domain.errors import UsageError
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.settings import load
from tests.fuzz import campaign, inputs, targets, watch
from tests.home.conftest import processes

SAMPLE = 10  # new inputs for each reader of files
SHARE = 0.02  # of their length: the ordinary tests look at what happens, long trials at how long it takes
HOMES = {"curation", "backup", "store", "search", "command line", "http", "mcp", "tools"}
"""What has a whole home behind it gets the inputs of its own kind only."""


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[watch.Watched]:
    with watch.Watched(tmp_path_factory.mktemp("watched")) as process:
        yield process


@pytest.mark.parametrize("target", targets.TARGETS)
def test_no_kept_input_does_what_no_input_may_do(target: str, watched: watch.Watched, tmp_path: Path) -> None:
    kind = targets.TARGETS[target].kind
    kept = inputs.seeds(kind, SHARE)
    if target in HOMES | {*targets.PARTS, "pdf"}:
        kept = {name: data for name, data in kept.items() if name.startswith(f"{kind}/")}
    if target in {"store", "search"}:  # the parsers themselves have had all of these
        kept = dict(list(kept.items())[::8])
    assert kept
    if target in targets.READERS:
        made = islice(inputs.made(list(kept.values()), Random(campaign.FIXED)), SAMPLE)
        kept |= {f"made {number}": data for number, data in enumerate(made)}
    with watch.Watched(tmp_path) if target in HOMES else nullcontext(watched) as process:
        given = {name: process.give(target, data) for name, data in kept.items()}
    assert not {name: answer.fault for name, answer in given.items() if answer.fault}
    assert not [home for home in tmp_path.glob("*/home") if processes(home)]


SMALL, LARGE = 0.01, 0.08


def calls(act: Callable[[], object]) -> int:
    """How often Python functions are entered, generators resumed included, while something is done."""
    count = 0

    def heard(_: FrameType, event: str, __: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(heard)
    try:
        act()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("query", "query/closing-words"), ("query", "query/groups"), ("query", "query/ors"),
        ("times", "any/years"), ("times", "query/betweens"), ("markdown", "markdown/headings"),
        ("html", "html/loose"), ("jsonl", "jsonl/faults"), ("json", "json/tilde"),
        ("svg", "rows/svg-texts"),
    ],
)  # fmt: skip
def test_eight_times_the_length_is_no_more_than_ten_times_the_work(target: str, name: str) -> None:
    take = targets.TARGETS[target].run
    short = (inputs.CORPUS / f"{name}.grow").read_bytes()
    take(inputs.grown(short, 2 * SMALL))  # of another length: what is kept of a text helps the same text only
    first, second = (calls(lambda f=f: take(inputs.grown(short, f))) for f in (SMALL, LARGE))  # type: ignore[misc]
    assert second <= 10 * first + 1_000


@pytest.mark.parametrize(
    ("query", "what"),
    [("a " * 10_001, "20,000"), ("path:" + "*a" * 999, "too long"), ("tag:" + "a" * 2_000, "too long")],
)
def test_a_query_that_is_too_long_is_refused_in_a_sentence(home: Path, query: str, what: str) -> None:
    with Engine(load(home, environ={})) as engine:
        engine.ingest_text("green tea")
        with pytest.raises(UsageError, match=what):
            engine.search(Request(query, unlogged=True))


def test_half_a_character_in_a_query_takes_no_hit_away(home: Path) -> None:
    with Engine(load(home, environ={})) as engine:
        engine.ingest_text("green tea")
        assert engine.search(Request("tea \ud800", expand=False)).hits
