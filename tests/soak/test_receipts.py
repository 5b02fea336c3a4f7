"""Receipts of judged queries verify to the last bit in another process: the sample and two public sets."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from ark_tui.engine import Engine
from ark_tui.operations.call import Call
from ark_tui.operations.find import search
from ark_tui.settings import load
from tests.evaluation.conftest import SHARED
from tests.soak import figures

pytestmark = pytest.mark.soak

ROOT = Path(__file__).parents[2]
SUITE = "receipts"


def asked(judged: Path) -> list[str]:
    """The queries of a judged set."""
    lines = (judged / "queries.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line)["text"] for line in lines]


def states(folder: Path, notes: Path, queries: Sequence[str]) -> Counter[str]:
    """What becomes of the receipts of searches, verified in a process of its own."""
    home, suite = folder / "home", folder / SUITE
    suite.mkdir()
    with Engine(load(home, environ={})) as engine:
        engine.index([notes])
        for number, query in enumerate(queries):
            search(Call(engine, person=True), query, receipt=suite / f"{number}.json")
    command = [sys.executable, "-m", "ark_tui", "verify", str(suite), "--json", "--home", str(home)]
    ended = subprocess.run(command, capture_output=True, check=True, text=True)
    return Counter(one["state"] for one in json.loads(ended.stdout)["receipts"])


def test_receipts_of_the_sample_verify_to_the_last_bit(tmp_path: Path) -> None:
    passed = figures.begin("Receipts of the sample")
    queries = asked(ROOT / "assets" / "judged")
    assert states(tmp_path, ROOT / "assets" / "sample", queries) == {"same": len(queries)}
    passed(f"{len(queries)} of {len(queries)} the same to the last bit")


@pytest.mark.parametrize("name", ["med", "cranfield"])
def test_receipts_of_a_public_set_verify_to_the_last_bit(tmp_path: Path, name: str) -> None:
    if not (SHARED / name).is_dir():
        pytest.skip(f"the public set {name} is not beside the project")
    passed = figures.begin(f"Receipts of {name}")
    notes = tmp_path / "notes"
    notes.mkdir()
    shutil.copy(SHARED / name / "corpus.jsonl", notes)
    queries = asked(SHARED / name)
    assert states(tmp_path, notes, queries) == {"same": len(queries)}
    passed(f"{len(queries)} of {len(queries)} the same to the last bit")
