"""What is sent between two machines comes back equal, and nothing but values comes back."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ark_tui.domain import errors
from ark_tui.domain.documents import Chunk, Document
from ark_tui.domain.errors import AlreadyDone, ArkError, Hint, NotFound, QuerySyntaxError
from ark_tui.domain.hits import Around, Evidence, Hit, Multiplier, Part, Snippet
from ark_tui.domain.query import Every, Filters, Has, Request
from ark_tui.domain.reasons import Reason, Source, Why
from ark_tui.operations import wire
from ark_tui.operations.operation import Page
from ark_tui.operations.workbench import News

HIT = Hit(
    1, 0.5, Document("5043640c85188b17", "notes", "gap.md", "Zoë", date=date(2026, 3, 1), tags=("a", "b")),
    Chunk("5043640c85188b17:0", 0, 0, 9, 1, 2, ""), Snippet("the gap", 1, 2, ((4, 7),)), 0,
    (
        Part("bm25", 8.5, 1.0, 2, 0.5, 0.5, (Reason("word", "gap", "gap", "text", 0.5, ((4, 7),)),)),
        Part("link", -math.inf, 0.0, None, 0.5, 0.0, (
            Reason("passage", "", "", "link", 0.1, source=Source("b2", "Lanczos", "lanczos.md", 1, 9)),
        ), "It has no links."),
    ),
    (Multiplier("decay", 1.0),), (Around("title", "Gaps"),), (Document("b2", "notes", "b.md", "B"),), "weak",
    (Evidence("cosine", 0.4, 0.1),),
    Why("It contains “gap”."), "gap.md", 7,
)  # fmt: skip
NUMPY = replace(HIT, parts=(Part("mine", np.float64(0.5), 1.0, 1, 0.5, 0.5),))
BYTES = replace(HIT, file="a\udc80b")  # a name that is no Unicode

VALUES: tuple[Any, ...] = (
    None, True, 3, 0.1, 1 << 80, -math.inf, "Zoë", "a\udc80b", (), (1, ("a", None)), [1, [2]],
    frozenset((1, 2)), {"a": 1}, {"is": "path", "of": "x"}, {1: "a", None: "b", ("x", True): 2},
    datetime(2026, 3, 1, 12, tzinfo=UTC), date(2026, 3, 1), Path("notes/gap.md"), News(1, 2),
    Page((News(1, 2),), 1, 10),
    (HIT, HIT), (BYTES,), (NUMPY,), (HIT, News(1, 2)), HIT,
    Request("gap", filters=Filters(tags=("a",), where=Every((Has("tag", "a"), Has("type", "adr"))))),
)  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_every_value_comes_back_equal_and_of_its_type(value: Any) -> None:
    found = wire.loads(wire.dumps(value))
    assert found == value
    assert type(found) is type(value)


def test_a_hint_keeps_its_steps_for_whoever_words_them() -> None:
    hint = Hint.run("show", "#3fa9c1", say="See its links: {}.", lines=True)
    found = wire.loads(wire.dumps((hint,)))[0]
    assert isinstance(found, Hint)
    assert found.parts == hint.parts


def test_an_error_comes_back_as_what_it_is_with_all_it_knows() -> None:
    found = wire.loads(wire.dumps(QuerySyntaxError("No end.", "Add one.", column=3, line='"gap')))
    assert type(found) is QuerySyntaxError
    assert vars(found) == vars(QuerySyntaxError("No end.", "Add one.", column=3, line='"gap'))


def test_every_error_comes_back_however_it_is_made() -> None:
    kinds = [one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, ArkError)]
    made = [AlreadyDone(), *(one("No.", "Add one.") for one in kinds if one is not AlreadyDone)]
    for error in made:
        found = wire.loads(wire.dumps(error))
        assert (type(found), str(found), vars(found)) == (type(error), str(error), vars(error))


def test_an_error_of_an_interface_comes_back_as_the_nearest_that_everybody_knows() -> None:
    class Missing(NotFound):
        pass

    assert type(wire.loads(wire.dumps(Missing("Not there.")))) is NotFound


@pytest.mark.parametrize(
    "text",
    [
        "", "{", '{"is":"list"}', '{"is":["x"],"of":1}', '{"is":"pathlib.Path","of":["x"]}',
        '{"is":"operations.catalog.Catalog","of":[1]}', '{"is":"domain.query.json","of":[]}',
        '{"is":"settings.secrets.key","of":["ARK_TOKEN"]}', '{"is":"domain..errors.Step","of":[]}',
        '{"is":"domain.errors.Step","of":["a"]}', '{"is":"error","of":["Step",{"is":"dict","of":{}}]}',
        '{"is":"error","of":["NotFound",{"is":"dict","of":{}}]}', '{"is":"time","of":"banana"}',
        "[" * 100_000, '{"is":"packed","of":"é"}', '{"is":"packed","of":""}', '{"is":"packed","of":"kQE="}',
    ],
)  # fmt: skip
def test_what_stands_for_no_value_is_refused(text: str) -> None:
    with pytest.raises(wire.Garbled):
        wire.loads(text)


def test_what_is_no_value_is_not_sent() -> None:
    for value in (object(), ArkError, Path, wire, {"a": object()}):
        with pytest.raises(TypeError):
            wire.dumps(value)
