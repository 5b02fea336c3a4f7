"""The commands of what is known and learned: data on stdout, the same in JSON, one sentence for a mistake."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Ark

HARMFUL = "evil \x1b]52;c;aGk=\x07 [/] \x1b[2J \u202eesrever \x9b31m"


@pytest.mark.parametrize(
    "added",
    [
        ["facts-add", HARMFUL],
        ["patterns-add", HARMFUL, "--solution", HARMFUL],
        ["directives-add", "MUST", HARMFUL],
        ["remember", HARMFUL, "--source", "a page", "--tag", "evil\x1b[2J"],
    ],
)
def test_what_is_kept_never_acts_on_the_terminal(ark: Ark, added: list[str]) -> None:
    for line in (
        added,
        ["facts-list"],
        ["patterns-list"],
        ["directives-list"],
        ["context", HARMFUL, "--explain"],
        ["context", HARMFUL, "--json"],
        ["recall", "evil", "--role", "researcher", "--plain"],
        ["think", "evil"],
    ):
        told = ark(*line)
        assert told.code == 0, told.err
        for text in (told.out, told.err):
            assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(text)
