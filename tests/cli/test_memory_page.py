"""docs/memory.md tells the truth: its examples run, in their order, in one home."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from tests.cli.conftest import Ark

PAGE = Path(__file__).parents[2] / "docs" / "memory.md"


def test_every_example_of_the_memory_page_runs(ark: Ark) -> None:
    text = PAGE.read_text("utf-8")
    lines = [line for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL) for line in block.splitlines()]
    names = {"RETRIEVAL": "", "PATTERN": ""}
    tried = []
    for line in lines:
        program, *words = shlex.split(line)
        assert program == "ark-tui"
        told = ark(*(names.get(word, word) for word in words))
        assert told.code == 0, (line, told.err)
        tried.append(" ".join(words[:2]))
        if words[:3] == ["memory", "pattern", "add"]:
            names["PATTERN"] = told.out.split()[0]
        if words[0] == "context" and not names["RETRIEVAL"]:
            assert names["PATTERN"][1:] in told.out, line
            names["RETRIEVAL"] = re.search(r"Retrieval (\w+)", told.out)[1]  # type: ignore[index]
    wanted = {
        "memory fact",
        "outcome report",
        "memory recall",
        "memory expert",
        "memory think",
        "memory stats",
    }
    assert wanted <= set(tried)
    assert ark("memory", "pattern", "--json").json["patterns"][0]["successes"] == 1, "once a retrieval"
