"""A line without end costs no more than its length: no pattern may take the square of it."""

from __future__ import annotations

import re

import pytest

from ark_tui.index.words import analysis


def test_identifiers_are_looked_for_in_pieces_no_longer_than_a_term(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []

    class Counted:
        def finditer(self, text: str) -> list[re.Match[str]]:
            looked.append(len(text))
            return list(real.finditer(text))

    real = analysis.IDENTIFIER
    monkeypatch.setattr(analysis, "IDENTIFIER", Counted())
    letters = "thequickbrownfoxjumpsoverthelazydog" * 100
    assert analysis.identifiers(letters) == []
    assert not looked
    minified = "var(aB.getJson,x)=>{return;" * 100 + "HttpClient"
    assert {"getjson", "httpclient"} <= set(analysis.identifiers(minified))
    assert max(looked) <= analysis.LONGEST


def test_a_name_in_a_short_word_is_found_with_its_parts() -> None:
    assert {*analysis.identifiers("see HttpClient, then C++")} == {"httpclient", "http", "client", "c++"}
    assert analysis.names("see HttpClient, then C++") == ["HttpClient", "C++"]
