"""Reads the query line: words, "phrases", -exclusions and filters (`in: tag: path: tier: type:`)."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

from ark_tui.domain.documents import TIERS
from ark_tui.domain.errors import QuerySyntaxError
from ark_tui.domain.query import Filters, Query

FILTERS = {"in": "collections", "tag": "tags", "path": "paths", "tier": "tiers", "type": "types"}
TOKEN = re.compile(
    r"""(?P<minus>-(?=["\w]))?
        (?:(?P<key>in|tag|path|tier|type):(?=\S)(?:"(?P<quoted>[^"]*)"?|(?P<value>\S+))
          |"(?P<phrase>[^"]*)"?
          |(?P<word>\S+))""",
    re.VERBOSE | re.IGNORECASE,
)


def parse(line: str) -> Query:
    """Read a query line. A quotation that is still open runs to the end of the line.

    Raises `QuerySyntaxError`, with the column, for a tier that does not exist and for an excluded filter.
    """
    words: list[str] = []
    phrases: list[str] = []
    excluded: list[str] = []
    filters: dict[str, list[str]] = {name: [] for name in FILTERS.values()}
    for token in TOKEN.finditer(line):
        minus, key = token["minus"], (token["key"] or "").lower()
        text = next(
            (part for part in (token["quoted"], token["value"], token["phrase"], token["word"]) if part), ""
        )
        if key:
            if minus:
                raise QuerySyntaxError(
                    f"A filter cannot be excluded: -{key}:{text}",
                    f"Leave out {key}:{text}, or exclude a word: -{text}",
                    column=token.start(),
                )
            filters[FILTERS[key]].append(_checked(key, text, token.start()))
        elif minus:
            excluded.append(text)
        else:
            words.append(text)
            if token["phrase"]:
                phrases.append(text)
    trailing = " " if line[-1:].isspace() and words else ""
    chosen: dict[str, Any] = {name: tuple(dict.fromkeys(values)) for name, values in filters.items()}
    return Query(
        line,
        " ".join(words) + trailing,
        tuple(phrases),
        tuple(excluded),
        Filters(**chosen),
    )


def literal(line: str) -> Query:
    """A line in which nothing is query language: every word of it is a word."""
    return Query(line, line)


def both(a: Filters, b: Filters) -> Filters:
    """The filters of two places together."""
    lists = (f.name for f in fields(Filters) if f.name != "superseded")
    together = {name: (*getattr(a, name), *getattr(b, name)) for name in lists}
    return Filters(**together, superseded=a.superseded or b.superseded)


def _checked(key: str, value: str, column: int) -> str:
    if key == "tag":
        return value.removeprefix("#")
    if key == "tier" and value.lower() not in TIERS:
        raise QuerySyntaxError(
            f"There is no tier {value}.", f"The tiers are {', '.join(TIERS)}.", column=column
        )
    return value.lower() if key == "tier" else value
