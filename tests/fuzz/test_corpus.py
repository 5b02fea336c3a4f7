"""Every input that was ever nasty is tried again; whoever watches the parsers sees what goes wrong."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.fuzz import campaign, flawed, inputs, targets, watch
from tests.fuzz.watch import Watched

SERVERS = {"http", "mcp", "tools", "command line", "backup", "store", "search", "curation"}
"""What has a whole home behind it: of these the ordinary tests try the inputs of their own kind only."""


@pytest.mark.parametrize("target", targets.TARGETS)
def test_no_kept_input_does_what_no_input_may_do(target: str, tmp_path: Path) -> None:
    kind = targets.TARGETS[target].kind
    kept = {
        name: data
        for name, data in inputs.seeds(kind).items()
        if target not in SERVERS or (name.startswith(f"{kind}/") and len(data) < 4_000)
    }
    assert kept
    with Watched(target, tmp_path) as watched:
        faults = {name: answer.fault for name, data in kept.items() if (answer := watched.give(data)).fault}
    assert not faults


def test_the_same_seed_makes_the_same_inputs() -> None:
    given = list(inputs.seeds("json").values())
    first, second, other = (inputs.made(given, Random(seed)) for seed in (1, 1, 2))
    assert [next(first) for _ in range(50)] == [next(second) for _ in range(50)]
    assert next(first) != next(other)


@pytest.mark.parametrize(
    ("word", "fault"),
    [(b"raise", "KeyError"), (b"die", "died with -11"), (b"grow", "more memory"), (b"hang", "no answer")],
)
def test_a_flaw_is_seen_made_small_and_kept(
    word: bytes, fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(targets.TARGETS, "flawed", targets.Aim(flawed.take, "flawed"))
    monkeypatch.setattr(inputs, "seeds", lambda _: {"one": word + b" after"})
    monkeypatch.setattr(campaign, "INPUTS", 0)
    monkeypatch.setattr(watch, "PATIENCE", 0.5)
    result = campaign.run("flawed", tmp_path / "run", 1, tmp_path / "corpus")
    ((path, said),) = result.findings
    assert fault in said
    assert path.parent == tmp_path / "corpus" / "flawed"
    assert path.read_bytes() == word
