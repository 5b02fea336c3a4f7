"""Texts on the screen: plain English, steps as keys, harmless documents, things by their letters."""

from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

import ark_tui.interfaces.tui as package
from ark_tui.domain.display import visible, visible_line
from ark_tui.domain.errors import Hint
from ark_tui.interfaces.tui.state import actions, keymap, setting_names, strings
from ark_tui.interfaces.tui.state.actions import DONE_BY, NAMED, worded
from ark_tui.interfaces.tui.state.client import Client
from ark_tui.interfaces.tui.state.names import Choice, Folders, best, closeness
from ark_tui.operations.catalog import shipped
from ark_tui.settings.config import OPTIONS

ROOT = Path(package.__file__).parent
TABLES = {"strings.py", "actions.py", "setting_names.py"}
"""Where the words are."""

SENTENCE = re.compile(r"[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}")
NO_SENTENCES = {"pdf epub rtf docx docm dotx pptx pptm ppsx", "xlsx xlsm xlsb xls ods odt ott odp otp"}

QUAINT = re.compile(
    r"takes? in\b|taken in|let(s|ting)? (it |them )?go\b|let in\b|takes? it\b|stands? (in|beside|below)"
    r"|is said\b|is told|knows? of\b|hardly|of before|what there is|\bmend(s|ed)?\b|whoever|put off"
    r"|as it was\b|colour|below the floor|half an index|for a while|at hand\b",
    re.IGNORECASE,
)
"""Words of the old voice, which no text on the screen has."""


def catalogue() -> dict[str, str]:
    """All words by where they are from."""
    found = {name: text for name, text in vars(strings).items() if name.isupper() and isinstance(text, str)}
    for one in actions.ACTIONS:
        found |= {f"{one.id} label": one.label, f"{one.id} help": one.help}
    found |= {f"scope {name}": title for name, title in actions.SCOPE_TITLES.items()}
    found |= {f"state {name}": text for name, text in setting_names.MODEL_STATES.items()}
    return found


def literals(path: Path) -> Iterator[str]:
    """The texts in a module that are not docstrings."""
    tree = ast.parse(path.read_text())
    said = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node.value


def test_every_sentence_is_in_the_catalogue() -> None:
    elsewhere = {
        path.name: found
        for path in ROOT.rglob("*.py")
        if path.name not in TABLES
        and (found := [one for one in literals(path) if SENTENCE.search(one) and one not in NO_SENTENCES])
    }
    assert elsewhere == {}


def test_every_text_of_the_catalogue_is_shown_somewhere() -> None:
    used = set(
        re.findall(r"\bstrings\.([A-Z_0-9]+)", "".join(path.read_text() for path in ROOT.rglob("*.py")))
    )
    assert {name for name in vars(strings) if name.isupper()} == used


def test_the_words_are_plain_english() -> None:
    texts = catalogue()
    assert {name: text for name, text in texts.items() if QUAINT.search(text)} == {}
    helps = {name: text for name, text in texts.items() if name.startswith("HELP_") or name.endswith(" help")}
    assert len(helps) > 100
    assert {
        name: text for name, text in helps.items() if not text.endswith(".") or not text[0].isupper()
    } == {}
    longest = max((part for text in texts.values() for part in re.split(r"[.:;!?] ", text)), key=len)
    assert len(longest.split()) <= 24, longest
    assert all(option.about for option in OPTIONS.values())


NAMES = ("code/fiedler-numpy.md", "search/hnsw.md", "search/hnsw-tuning-server.md", "journal/2025-02-11.md")


def fitting(typed: str, names: tuple[str, ...] = NAMES, most: int = 10) -> list[str]:
    return best(names, lambda name: closeness(typed, name), most)


def test_letters_of_words_in_their_order_are_enough() -> None:
    assert fitting("fdl np")[0] == "code/fiedler-numpy.md"
    assert fitting("HNSW SRV")[0] == "search/hnsw-tuning-server.md"
    assert fitting("xq") == []


def test_a_typing_error_is_forgiven() -> None:
    assert fitting("fielder")[0] == "code/fiedler-numpy.md"


def test_letters_side_by_side_come_before_scattered_ones_and_shorter_names_before_longer() -> None:
    assert fitting("hnsw") == ["search/hnsw.md", "search/hnsw-tuning-server.md"]
    assert closeness("tuning", NAMES[2]) > closeness("tng", NAMES[2]) > 0


def test_the_preview_of_a_folder_counts_the_files_below_it(tmp_path: Path) -> None:
    for name in ("a/b/c/one.md", "a/two.md", ".git/config"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    folders = Folders()
    found = folders.preview(cast("Client", None), Choice("", name=str(tmp_path)))
    assert found.startswith("2 files in it and below: one.md · two.md")


def test_of_equals_the_first_come_first() -> None:
    assert fitting("a", ("ab", "ab", "ac"), 2) == ["ab", "ab"]


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


KEYS = keymap.first_keys(keymap.made({}).actions)


def test_a_step_is_the_key_that_does_it_else_a_command() -> None:
    hint = Hint.run("doctor", repair=True, say="Rebuild it: {}. ") + Hint.run("backup", say="Or first {}.")
    assert worded(hint, KEYS.__getitem__) == "Rebuild it: F10 (repair). Or first ark-tui backup."
    assert worded("Wait.", KEYS.__getitem__) == "Wait."


def test_every_step_with_a_key_is_an_operation_and_an_action() -> None:
    assert DONE_BY.keys() <= {*shipped().names, *shipped().commands}
    assert set(DONE_BY.values()) <= NAMED.keys()
