"""Work grows with the length of an input, not with its square: calls of Python functions are counted."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

import pytest

from tests.fuzz import inputs, targets

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
        ("query", "query/closing-words"),
        ("query", "query/groups"),
        ("query", "query/ors"),
        ("times", "any/years"),
        ("times", "query/betweens"),
        ("markdown", "markdown/headings"),
        ("html", "html/loose"),
        ("jsonl", "jsonl/faults"),
        ("json", "json/tilde"),
    ],
)
def test_eight_times_the_length_is_no_more_than_ten_times_the_work(target: str, name: str) -> None:
    take = targets.TARGETS[target].run
    short = (inputs.CORPUS / f"{name}.grow").read_bytes()
    take(inputs.grown(short, 2 * SMALL))  # of another length: what is kept of a text helps the same text only
    first, second = (calls(lambda f=f: take(inputs.grown(short, f))) for f in (SMALL, LARGE))  # type: ignore[misc]
    assert second <= 10 * first + 1_000
