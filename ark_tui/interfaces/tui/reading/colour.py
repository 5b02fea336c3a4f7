"""Source code in a few inks: keywords, strings, remarks, numbers, names that are defined."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from ark_tui.interfaces.tui.reading.blocks import Block, Run, sources

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pygments.lexer import Lexer

    from ark_tui.interfaces.tui.state.colours import Name

LONGEST = 300_000
"""Characters of a program beyond which it is left without colours: a million take more than a second."""

INKS: tuple[tuple[str, Name], ...] = (
    ("Token.Comment", "code-comment"),
    ("Token.Literal.String", "code-string"),
    ("Token.Literal.Number", "code-number"),
    ("Token.Keyword.Constant", "code-number"),
    ("Token.Keyword", "code-keyword"),
    ("Token.Operator.Word", "code-keyword"),
    ("Token.Name.Tag", "code-keyword"),
    ("Token.Name.Function", "code-name"),
    ("Token.Name.Class", "code-name"),
    ("Token.Name.Decorator", "code-name"),
    ("Token.Name.Attribute", "code-name"),
    ("Token.Generic.Inserted", "code-string"),
    ("Token.Generic.Deleted", "code-number"),
)
"""The ink of the kinds of tokens whose names begin so; the first that fits."""


def coloured(block: Block) -> list[Run] | None:
    """The runs of a block of code with its inks; None where its language is not known."""
    lexer = _lexer(block.language) if block.language and len(block.text) <= LONGEST else None
    if lexer is None:
        return None
    found: list[Run] = []
    for start, end, ink in _inks(lexer, block.text):
        styles = () if ink is None else (ink,)
        found += [
            Run(a, run.source + (a - run.at if run.verbatim else 0), styles, run.verbatim)
            for a, _, run in sources(block.runs, start, end)
        ]
    return found


def of_file(path: str, text: str) -> list[Run] | None:
    """The runs of a whole file of source code; None where its name tells no language."""
    from pygments.lexers import get_lexer_for_filename
    from pygments.util import ClassNotFound

    if len(text) > LONGEST:
        return None
    try:
        lexer = get_lexer_for_filename(path.rpartition("/")[2], stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
    if lexer.name in {"Text only", "Markdown"}:
        return None
    return [Run(start, start, () if ink is None else (ink,)) for start, _, ink in _inks(lexer, text)]


@cache
def _lexer(language: str) -> Lexer | None:
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def _inks(lexer: Lexer, text: str) -> Iterator[tuple[int, int, Name | None]]:
    r"""The stretches of a text that have one ink, or none, in order and without gaps.

    The lexer turns `\r\n` into `\n`; so it is given a text in which `\r` is a blank.
    """
    known: dict[str, Name | None] = {}
    at, start, now = 0, 0, None
    for kind, value in lexer.get_tokens(text.replace("\r", " ")):
        name = str(kind)
        if name not in known:
            known[name] = next((ink for prefix, ink in INKS if name.startswith(prefix)), None)
        if known[name] != now and value.strip():
            if at > start:
                yield start, at, now
            start, now = at, known[name]
        at += len(value)
    if len(text) > start:
        yield start, len(text), now
