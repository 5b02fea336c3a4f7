"""No requirement loses its test: each test of 0.1.0 is there, or `removed.toml` names another."""

from __future__ import annotations

from tests.baseline import ids


def test_every_test_is_there_or_its_successor_is_named() -> None:
    assert ids.missing(ids.kept(), ids.ids(), ids.removed()) == []


def test_a_test_that_goes_without_a_word_or_with_a_wrong_one_is_seen() -> None:
    before, now = ["a.py::test_a", "a.py::test_b"], ["a.py::test_a", "b.py::test_table"]
    assert ids.missing(before, now, {}) == ["a.py::test_b"]
    assert ids.missing(before, now, {"a.py::test_b": "b.py::test_table[tag over HTTP]"}) == []
    assert ids.missing(before, now, {"a.py::test_b": "b.py::test_gone"}) == ["a.py::test_b"]
    assert ids.missing(before, now, {"a.py::test_a": "b.py::test_table"}) == ["a.py::test_b", "a.py::test_a"]
