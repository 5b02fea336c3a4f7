"""Filters that both indexes must understand alike: one tree of conditions, which each of them evaluates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

from ark_tui.domain.errors import UsageError
from ark_tui.domain.globs import MOST_FOLDERS
from ark_tui.domain.query import Condition, Either, Every, Field, Filters, Found, Has, Holds, Kind, Not
from ark_tui.domain.unicode import composed

WILDCARDS = {"*": "[^/]*", "?": "[^/]"}
EARLIEST, LATEST = -(2**31) + 1, 2**31 - 1  # days since 1970 that a date cannot have


def condition(filters: Filters) -> Condition:
    """All that the filters ask, as one tree."""
    parts: list[Condition] = []
    alternatives: tuple[tuple[Kind, tuple[str, ...]], ...] = (
        ("collection", filters.collections),
        ("tier", filters.tiers),
        ("layer", filters.layers),
        ("type", filters.types),
        ("path", filters.paths),
    )
    for kind, values in alternatives:
        if values:
            parts.append(either(tuple(Has(kind, value) for value in values)))
    parts += [Has("tag", composed(tag)) for tag in filters.tags]
    if filters.dated:
        parts.append(filters.dated)
    if filters.where:
        parts.append(filters.where)
    return every(tuple(parts))


def both(a: Filters, b: Filters) -> Filters:
    """What passes the filters of two places: a value of one never adds an alternative to the other's."""
    if not a or not b:
        return a or b
    return replace(a, where=every(tuple(part for part in (a.where, condition(b)) if part)))


def every(parts: tuple[Condition, ...]) -> Condition:
    """`Every` of the parts, without needless levels."""
    flat = tuple(one for part in parts for one in (part.parts if isinstance(part, Every) else (part,)))
    return flat[0] if len(flat) == 1 else Every(flat)


def either(parts: tuple[Condition, ...]) -> Condition:
    """`Either` of the parts, without needless levels."""
    flat = tuple(one for part in parts for one in (part.parts if isinstance(part, Either) else (part,)))
    return flat[0] if len(flat) == 1 else Either(flat)


def conjuncts(tree: Condition) -> tuple[Condition, ...]:
    """The conditions of which each must be true."""
    return tree.parts if isinstance(tree, Every) else (tree,)


def shown(tree: Condition) -> tuple[Condition, ...]:
    """The conjuncts that are about nothing but text.

    A document must fulfil all of them, and a chunk that is shown at least one: who asks for an exact
    phrase wants to see it.
    """
    return tuple(
        part
        for part in conjuncts(tree)
        if texts(part) and all(isinstance(text, Holds | Found) for text in texts(part))
    )


def texts(part: Condition) -> tuple[Condition, ...]:
    """The alternatives of a conjunct."""
    return part.parts if isinstance(part, Either) else (part,)


Asked = TypeVar("Asked", Holds, Field)


def resolved(
    tree: Condition, kind: type[Asked], find: Callable[[Asked], Condition | None]
) -> Condition | None:
    """The tree with what `find` makes of each condition of a kind; None where that is nothing to ask for."""
    if isinstance(tree, kind):
        return find(tree)
    if isinstance(tree, Not):
        part = resolved(tree.part, kind, find)
        return Not(part) if part else None
    if isinstance(tree, Every | Either):
        parts = tuple(one for part in tree.parts if (one := resolved(part, kind, find)))
        return type(tree)(parts) if parts or not tree.parts else None
    return tree


def asks_for(tree: Condition | None, kind: type[Holds | Field]) -> bool:
    """Whether it has such a condition, which is to be `resolved` before an index can evaluate the tree."""
    return tree is not None and any(isinstance(one, kind) for one in walk(tree))


def walk(tree: Condition) -> Iterator[Condition]:
    """Every node of the tree."""
    yield tree
    if isinstance(tree, Not):
        yield from walk(tree.part)
    elif isinstance(tree, Every | Either):
        for part in tree.parts:
            yield from walk(part)


def positive(tree: Condition) -> Iterator[Condition]:
    """Every node that nothing negates."""
    yield tree
    if isinstance(tree, Every | Either):
        for part in tree.parts:
            yield from positive(part)


def path_pattern(wanted: str) -> str:
    """A regular expression over a whole path, in the common subset of tantivy's and Python's.

    `docs/` and `docs` match a folder or file of that name anywhere; `a/b` a run of them; `*` and `?` match
    within one name; `**` across names.
    """
    if wanted.count("**") > MOST_FOLDERS:
        raise UsageError(f"`**` may be in a path {MOST_FOLDERS} times.", "Name more of the path.")
    parts = re.split(r"(\*\*|\*|\?)", composed(wanted).strip("/"))
    inner = "".join(".*" if part == "**" else WILDCARDS.get(part) or quoted(part) for part in parts)
    return f"(.*/)?{inner}(/.*)?"


def quoted(text: str) -> str:
    """A regular expression for just this text."""
    return re.sub(r"([.+^$(){}\[\]|\\])", r"\\\1", text)
