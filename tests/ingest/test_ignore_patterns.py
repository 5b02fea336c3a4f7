"""A pattern decides as it is written, however many wildcards it has, and says so where it is none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pathspec.patterns.gitignore.base import GitIgnorePatternError
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from ark_tui.ingest.ignore import _BELOW, Ignore, _rule

PATTERNS = st.lists(
    st.sampled_from(["a", "b", "*", "?", "/", "**/", "/**/", "[ab]", "*a", "(", "."]), max_size=9
)
PATHS = st.lists(st.sampled_from(["a", "b", "/", "(", "."]), min_size=1, max_size=12)


@settings(max_examples=400)
@given(pattern=PATTERNS.map("".join), path=PATHS.map("".join))
def test_a_pattern_matches_what_its_translation_matches(pattern: str, path: str) -> None:
    try:
        regex, _ = GitIgnoreSpecPattern.pattern_to_regex(pattern.rstrip("/"))
        rule = _rule(pattern)
    except GitIgnorePatternError:
        return
    if rule is None or regex is None:
        return
    plain = str(regex).replace(_BELOW, r"\Z")
    assert bool(re.search(rule.regex, path, re.DOTALL)) == bool(re.search(plain, path, re.DOTALL)), rule.regex


@pytest.mark.parametrize(
    "pattern",
    [
        "*a" * 30 + "b",
        "*?" * 40 + "b",
        "*[ab]" * 30 + "c",
        "**/a/" * 40 + "b",
        "a/**/" * 40 + "c",
        "**/*/" * 40 + "c",
    ],
)
def test_a_pattern_of_many_wildcards_is_decided_at_once(pattern: str) -> None:
    rules = Ignore([pattern])
    assert not rules.file("a" * 200 + "/" + "a/" * 60 + "x")


def test_a_pattern_that_is_none_is_named_and_the_others_hold(tmp_path: Path) -> None:
    (tmp_path / ".arkignore").write_text("[z-a]\n*.tmp\n")
    rules = Ignore.of(tmp_path)
    assert rules.file("a.tmp")
    (problem,) = rules.problems
    assert (problem.path, problem.reason) == (".arkignore", "line 1 is not an ignore pattern: [z-a]")
