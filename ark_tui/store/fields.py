"""Custom fields of documents: front matter, and the metadata of texts.

Keys are compared without case; `-`, `_` and a blank are the same. A value matches `=` if it is equal or
contains the wanted words in sequence: `author:ann` finds `Ann Lee`, `due:2026-03` finds a day in that month.
`<` and `>` compare numbers if both are numbers, else texts, which is right for dates. Two keys are derived
from the text itself: `lang:python`, `lang:de`, and `symbol:Store.commit` or a part of that name.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from operator import ge, gt, le, lt
from typing import TYPE_CHECKING, Any

from ark_tui.domain.unicode import composed

if TYPE_CHECKING:
    from ark_tui.domain.query import Field
    from ark_tui.store.lease import Lease

STATED = ""  # the JSON key above fields from the document itself, in contrast to those set by a program
LANG, SYMBOL = "lang", "symbol"
TOLD = {
    LANG: "c.language <> ''",
    SYMBOL: "c.kind = 'symbol' AND c.heading <> ''",
}
"""Derived keys with the condition on their chunks: the language of code or prose; the symbols of code."""
_VALUE = {LANG: "c.language", SYMBOL: "c.heading"}
ENGLISH = "en"  # the language of prose without another language

COMPARE = {">": gt, ">=": ge, "<": lt, "<=": le}

_WORD = re.compile(r"[^\W_]+")
_DATE = re.compile(r"\d{4}(-\d\d)?")  # a month or year, which includes its days
_BETWEEN = re.compile(r"[,;<>()\"]")
_LINK = re.compile(r"\[\[([^\]|#]*)[^\]]*\]\]")


def written(pairs: Iterable[tuple[str, str]]) -> str:
    """The JSON of a document's own fields; a key with several values has a list."""
    values: dict[str, list[str]] = {}
    for key, value in pairs:
        values.setdefault(key, []).append(value)
    stated = {key: some if len(some) > 1 else some[0] for key, some in values.items()}
    return json.dumps({STATED: stated}, ensure_ascii=False)


def fold(key: str) -> str:
    """A key in comparable form."""
    return "-".join(composed(key).casefold().replace("_", " ").replace("-", " ").split())


def documents(lease: Lease, wanted: Field) -> list[int]:
    """The documents that match a field, by number, ascending."""
    found = {
        number
        for number, pairs in _pairs(lease, wanted.key)
        if any(key == wanted.key and _fits(wanted, value) for key, value in pairs)
    }
    if (wanted.key, wanted.sign, wanted.value) == (LANG, "=", ENGLISH):
        found |= {number for number, _ in _told(lease, "''", "c.kind = 'text' AND c.language = ''")}
    return sorted(found)


def known(lease: Lease, key: str) -> bool:
    """Whether any document has this key."""
    folded = fold(key)
    return any(folded == other for _, pairs in _pairs(lease, folded) for other, _ in pairs)


def keys(lease: Lease) -> Counter[str]:
    """All keys with the number of their documents."""
    return Counter(key for key, _ in {(key, number) for number, pairs in _pairs(lease) for key, _ in pairs})


def values(lease: Lease, key: str) -> Counter[str]:
    """The values of a key with the number of their documents."""
    folded = fold(key)
    found = {
        (value, number)
        for number, pairs in _pairs(lease, folded)
        for other, value in pairs
        if other == folded
    }
    return Counter(value for value, _ in found)


def _pairs(lease: Lease, key: str = "") -> Iterator[tuple[int, list[tuple[str, str]]]]:
    """Documents with their normalized keys and values: candidates for a key, or all."""
    part = max(_WORD.findall(key), key=len, default="")
    for name in (key,) if key in TOLD else TOLD if not key else ():
        for number, value in _told(lease, _VALUE[name], TOLD[name]):
            yield number, [(name, value)]
    for number, value in lease.rows(
        """SELECT m.document, m.value FROM ark.metadata m JOIN ark.documents d ON d.number = m.document
           WHERE d.gone IS NULL AND contains(lower(m.value), ?)""",
        part if part.isascii() else "",
    ):
        yield int(number), list(_flat(json.loads(value)))


def _told(lease: Lease, value: str, where: str) -> Iterator[tuple[int, str]]:
    """Values derived from chunks, by document; messages are excluded."""
    for number, said in lease.rows(
        f"""SELECT DISTINCT c.document, {value} FROM ark.chunks c
            JOIN ark.documents d ON d.number = c.document
            WHERE d.gone IS NULL AND d.layer <> 1 AND {where}"""
    ):
        yield int(number), str(said)


def _flat(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """The scalars of a JSON value with their keys; nested keys become `outer.inner`."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _flat(inner, f"{key}.{fold(name)}" if key else fold(name))
    elif isinstance(value, list):
        for inner in value:
            yield from _flat(inner, key)
    elif value is not None:
        yield key, value if isinstance(value, str) else json.dumps(value)


def _fits(wanted: Field, value: str) -> bool:
    if wanted.sign == "has":
        return True
    own = composed(_LINK.sub(r"\1", value)).casefold()
    if wanted.key == SYMBOL:
        return wanted.sign == "=" and f".{wanted.value}." in f".{own}."
    if wanted.sign == "=":
        return (
            own == wanted.value
            or _words(wanted.value) in _words(own)
            or (_day(wanted.value) and own.startswith(f"{wanted.value}-"))
        )
    compare = COMPARE[wanted.sign]
    mine, other = _number(own), _number(wanted.value)
    if mine is not None and other is not None:
        return bool(compare(mine, other))
    if _day(wanted.value):
        own = own[: len(wanted.value)]  # the day 2026-03-14 is not after 2026-03
    return bool(own) and bool(compare(own, wanted.value))


def _words(text: str) -> str:
    """The words of a text, each surrounded by blanks."""
    return f" {' '.join(_BETWEEN.sub(' ', text).split())} "


def _day(text: str) -> bool:
    return _DATE.fullmatch(text) is not None


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
