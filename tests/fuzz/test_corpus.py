"""Every input that was ever nasty is tried once more; who watches the parsers sees what goes wrong."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from tests.fuzz import campaign, inputs, targets, watch

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
