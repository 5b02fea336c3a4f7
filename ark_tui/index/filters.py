"""Filters as one tree of conditions, so that all indexes evaluate them alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

from ark_tui.domain.query import Condition, Either, Every, Field, Filters, Found, Has, Holds, Kind, Not
from ark_tui.domain.unicode import composed

WILDCARDS = {"*": "[^/]*", "?": "[^/]"}
EARLIEST, LATEST = -(2**31) + 1, 2**31 - 1  # days since 1970, outside the range of dates


def condition(filters: Filters) -> Condition:
    """The filters as one condition tree."""
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
    """The conjunction of two filters: values of one never become alternatives to those of the other."""
    if not a or not b:
        return a or b
    return replace(a, where=every(tuple(part for part in (a.where, condition(b)) if part)))


def every(parts: tuple[Condition, ...]) -> Condition:
    """`Every` of the parts, flattened."""
    flat = tuple(one for part in parts for one in (part.parts if isinstance(part, Every) else (part,)))
    return flat[0] if len(flat) == 1 else Every(flat)


def either(parts: tuple[Condition, ...]) -> Condition:
    """`Either` of the parts, flattened."""
    flat = tuple(one for part in parts for one in (part.parts if isinstance(part, Either) else (part,)))
    return flat[0] if len(flat) == 1 else Either(flat)


def conjuncts(tree: Condition) -> tuple[Condition, ...]:
    """The parts of a conjunction, or the condition itself."""
    return tree.parts if isinstance(tree, Every) else (tree,)


def shown(tree: Condition) -> tuple[Condition, ...]:
    """The conjuncts that consist of text conditions only.

    A document must match all of them, and a result chunk at least one, so that it shows the phrase.
    """
    return tuple(
        part
        for part in conjuncts(tree)
        if texts(part) and all(isinstance(text, Holds | Found) for text in texts(part))
    )


def texts(part: Condition) -> tuple[Condition, ...]:
    """The alternatives of a disjunction, or the condition itself."""
    return part.parts if isinstance(part, Either) else (part,)


Asked = TypeVar("Asked", Holds, Field)


def resolved(
    tree: Condition, kind: type[Asked], find: Callable[[Asked], Condition | None]
) -> Condition | None:
    """Replace each condition of a kind by the result of `find`; None if nothing remains."""
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
    """Whether the tree has a condition of this kind, which must be `resolved` before evaluation."""
    return tree is not None and any(isinstance(one, kind) for one in walk(tree))


def walk(tree: Condition) -> Iterator[Condition]:
    """All nodes of the tree."""
    yield tree
    if isinstance(tree, Not):
        yield from walk(tree.part)
    elif isinstance(tree, Every | Either):
        for part in tree.parts:
            yield from walk(part)


def positive(tree: Condition) -> Iterator[Condition]:
    """All nodes that are not negated."""
    yield tree
    if isinstance(tree, Every | Either):
        for part in tree.parts:
            yield from positive(part)


def path_pattern(wanted: str) -> str:
    """A regular expression for a whole path, in the common subset of tantivy's and RE2's syntax.

    `docs/` and `docs` match a folder or file of that name anywhere; `a/b` a sequence of them; `*` and `?`
    match within one name; `**` across names.
    """
    readable = composed(wanted).encode("utf-8", "replace").decode()
    parts = re.split(r"(\*\*|\*|\?)", readable.strip("/"))
    inner = "".join(".*" if part == "**" else WILDCARDS.get(part) or quoted(part) for part in parts)
    return f"(.*/)?{inner}(/.*)?"


def quoted(text: str) -> str:
    """A regular expression that matches exactly this text."""
    return re.sub(r"([.+*?^$(){}\[\]|\\])", r"\\\1", text)
