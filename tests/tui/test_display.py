"""Text from documents, made harmless."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from ark_tui.domain.display import visible, visible_line

ANYTHING = st.text(st.characters(codec=None, exclude_categories=()), max_size=200)


@given(ANYTHING)
def test_length_stays_so_that_offsets_hold(text: str) -> None:
    assert len(visible(text)) == len(text)
    assert len(visible_line(text)) == len(text)


@given(ANYTHING)
def test_nothing_is_left_that_a_terminal_acts_on(text: str) -> None:
    for shown in (visible(text).replace("\r\n", ""), visible_line(text)):
        kinds = {unicodedata.category(character) for character in shown if character not in "\n\t"}
        assert not kinds & {"Cc", "Cs", "Zl", "Zp"}
        assert not any("\u202a" <= c <= "\u202e" or "\u2066" <= c <= "\u2069" for c in shown)
        shown.encode("utf-8")


@given(ANYTHING)
def test_twice_is_once(text: str) -> None:
    assert visible(visible(text)) == visible(text)


def test_stand_ins_are_visible() -> None:
    assert visible("\x1b]52;c;aGk=\x07") == "␛]52;c;aGk=␇"
    assert visible("\x9b2J\x7f\u202e\udc80") == "�2J␡↔�"
    assert visible("a\rb") == "a␍b"


def test_characters_that_hide_in_a_word_are_marked_where_no_script_needs_them() -> None:
    for hidden in "\u200b\u2060\u2063\u206f\ufeff\u180e\u200c\u200d":
        assert visible(f"pass{hidden}word") == "pass�word"
    assert visible("می\u200cخواهم") == "می\u200cخواهم"
