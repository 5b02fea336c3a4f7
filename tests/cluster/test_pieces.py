"""Measures of a corpus by the workers of a cluster are those that this process takes."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ark_tui import settings
from ark_tui.analysis.neighbours import _compare, compared
from ark_tui.domain.errors import ArkError, UsageError
from ark_tui.domain.protocols import NEVER
from ark_tui.engine import Engine
from tests.analysis.graphs import clustered
from tests.soak import audit

if TYPE_CHECKING:
    from ark_tui.analysis.neighbours import Comparison

SAMPLE = Path(__file__).parents[2] / "assets" / "sample"
MEASURES = "novelty,foundations,bridges,boundary,communities,map,gaps"
needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: the extra `cluster`")


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home of the sample, of which nothing is measured."""
    home = tmp_path_factory.mktemp("pieces") / "home"
    with Engine(settings.load(home, environ={})) as engine:
        engine.index([SAMPLE])
    return home


def analysed(home: Path, module: str, *words: str, what: str = MEASURES) -> subprocess.CompletedProcess[str]:
    """Take all measures of a home from the beginning."""
    shutil.rmtree(home / "cache" / "analysis", ignore_errors=True)
    return subprocess.run(
        [sys.executable, "-m", module, "--home", str(home), "analyze", "--json", "--what", what, *words],
        capture_output=True, text=True, check=False, env=audit.surroundings(),
    )  # fmt: skip


def alike(one: Any, other: Any) -> bool:
    """Whether two answers say the same, numbers to a millionth."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(alike(one[name], other[name]) for name in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(alike, one, other))
    return bool(one == pytest.approx(other, abs=1e-6)) if isinstance(one, float) else bool(one == other)


def assert_alike(here: subprocess.CompletedProcess[str], there: subprocess.CompletedProcess[str]) -> None:
    assert here.returncode == there.returncode == 0, there.stderr
    one, other = ({**json.loads(done.stdout), "took_s": 0} for done in (here, there))
    assert one["graph"]["similar"]
    assert one["novelty"]["spectrum"]["eigenvalues"]
    assert alike(one, other)


@needs_ray
@pytest.mark.parametrize("module", ["ark_tui", "tests.cluster.finely"])  # all against all; within cells
def test_two_workers_measure_what_this_process_measures(sample: Path, module: str) -> None:
    here = analysed(sample, module)
    kept = {path.name: path.read_bytes() for path in sample.glob("cache/analysis/*/*/*.npz")}
    there = analysed(sample, module, "--on", "local:2")

    assert_alike(here, there)
    assert {path.name for path in sample.glob("cache/analysis/*/*/*.npz")} == kept.keys()


def test_groups_that_come_with_their_vectors_are_compared_as_those_here() -> None:
    vectors, _ = clustered([40, 30, 20], seed=5)
    groups = [np.arange(0, 90, 2), np.arange(1, 90, 4), np.arange(3, 90, 4)]
    work: list[Comparison] = [(slice(0, 7), (0, 1)), (slice(7, 45), (0, 2, 1)), (slice(2, 9), (1,))]

    here = _compare(NEVER, vectors, 5, groups, work)
    there = [compared(5, part, *((groups[n], vectors[groups[n]]) for n in near)) for part, near in work]

    for one, other in zip(here, there, strict=True):
        assert np.array_equal(one[0], other[0])
        assert np.array_equal(one[1], other[1])
        assert one[2] == pytest.approx(other[2], abs=1e-6)


@pytest.mark.parametrize("on", ["nonsense", "ray://", "local:0"])
def test_what_is_no_cluster_is_refused_and_nothing_is_measured(sample: Path, on: str) -> None:
    shutil.rmtree(sample / "cache" / "analysis", ignore_errors=True)
    with Engine(settings.load(sample, environ={})) as engine:
        with pytest.raises(UsageError, match="is no cluster") as refused:
            engine.analysis.run(on=on)
        assert "ray://HOST:10001" in refused.value.hint
    assert not (sample / "cache" / "analysis").exists()


@needs_ray
def test_a_cluster_that_is_away_is_said_at_once(sample: Path) -> None:
    with (
        Engine(settings.load(sample, environ={})) as engine,
        pytest.raises(ArkError, match="Nothing answers at ray://127"),
    ):
        engine.analysis.run(on="ray://127.0.0.1:1")


@needs_ray
def test_where_all_is_measured_already_no_worker_is_begun(sample: Path) -> None:
    before = "ray" in sys.modules
    with Engine(settings.load(sample, environ={})) as engine:
        engine.analysis.run(["novelty"])
        assert engine.analysis.run(["novelty"], on="local:1").cached
    assert ("ray" in sys.modules) == before


@needs_ray
def test_a_piece_that_no_worker_survives_is_a_sentence_and_of_two_runs_one_is_refused() -> None:
    said = subprocess.run(
        [sys.executable, "-c", ENDS], capture_output=True, text=True, check=True, env=audit.surroundings()
    ).stdout.splitlines()
    assert said == [
        "[3, 5]", "This process has workers at work already.",
        "Each worker that did one piece of the work has died.",
    ]  # fmt: skip


ENDS = """
import operator, os
from ark_tui.domain.errors import ArkError
from ark_tui.domain.protocols import NEVER
from ark_tui.engine.pieces import able
from ark_tui.engine.workers import Address, Workers
from ark_tui.version import VERSION

with Workers(Address.of("local:1"), NEVER) as workers:
    workers.begin(able, VERSION)
    two = workers.hold(2)
    print(list(workers.each(operator.add, [(1, two), (two, 3)])))
    for attempt in (
        lambda: Workers(Address.of("local:1"), NEVER).begin(able, VERSION),
        lambda: list(workers.each(os._exit, [(1,)])),
    ):
        try:
            attempt()
        except ArkError as error:
            print(error.what)
"""


def test_a_worker_with_another_version_says_so() -> None:
    from ark_tui.engine.pieces import able

    with pytest.raises(ArkError, match=r"At the worker .*: ark-tui is .* there, and 0.0.9 at the home"):
        able("0.0.9")
