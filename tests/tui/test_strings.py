"""The words on the screen: one catalogue of them, in plain English."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import ark_tui.interfaces.tui as package
from ark_tui.interfaces.tui.state import actions, setting_rows, strings
from ark_tui.settings.config import OPTIONS

ROOT = Path(package.__file__).parent
TABLES = {"strings.py", "actions.py", "setting_rows.py"}
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
    found |= {f"section {one.name}": one.about for one in setting_rows.SECTIONS}
    found |= {f"state {name}": text for name, text in setting_rows.MODEL_STATES.items()}
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
    assert len(helps) > 150
    assert {
        name: text for name, text in helps.items() if not text.endswith(".") or not text[0].isupper()
    } == {}
    longest = max((part for text in texts.values() for part in re.split(r"[.:;!?] ", text)), key=len)
    assert len(longest.split()) <= 24, longest
    assert all(option.about for option in OPTIONS.values())
