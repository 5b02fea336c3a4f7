"""JSON from types: dataclasses become objects by their fields, for `--json`, HTTP and MCP alike.

Times are ISO 8601 in UTC, tuples are lists, paths are strings. `domain.fields` says what is otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from functools import cache
from pathlib import PurePath
from typing import Annotated, Any, TypeAlias, get_args, get_origin, get_type_hints

from ark_tui.domain.fields import As, Key, Named, Of

Json: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a class: where its value is, under which key it stands, and in which way."""

    name: str
    key: str
    type: Any
    ways: frozenset[As]
    of: str = ""
    named: tuple[str, ...] = ()

    def value(self, owner: Any) -> Any:
        """The value, before it is encoded."""
        found = getattr(owner, self.name)
        if self.of and found is not None:
            found = getattr(found, self.of)
        if As.NULL in self.ways and not found and found is not None and not isinstance(found, bool):
            return None
        if As.TEXT in self.ways and found is not None:
            return str(found)
        if self.named:
            return [dict(zip(self.named, one, strict=True)) for one in found]
        return found


@cache
def described(kind: Any) -> tuple[Field, ...]:
    """The fields of a dataclass that stand in its JSON, then the properties that its `also` names."""
    hints = get_type_hints(kind, include_extras=True)
    listed = [_field(one.name, hints[one.name]) for one in fields(kind)]
    listed += [
        _field(name, get_type_hints(getattr(kind, name).fget, include_extras=True)["return"])
        for name in getattr(kind, "also", ())
    ]
    return tuple(one for one in listed if As.HIDDEN not in one.ways)


def _field(name: str, hint: Any) -> Field:
    marks = hint.__metadata__ if get_origin(hint) is Annotated else ()
    return Field(
        name,
        next((one.name for one in marks if isinstance(one, Key)), name),
        get_args(hint)[0] if marks else hint,
        frozenset(one for one in marks if isinstance(one, As)),
        next((one.attribute for one in marks if isinstance(one, Of)), ""),
        next((one.names for one in marks if isinstance(one, Named)), ()),
    )


def encoded(value: Any) -> Any:
    """What `json.dumps` takes of a value."""
    found = value
    match value:
        case Enum():
            found = value.value
        case datetime():
            found = value.isoformat().replace("+00:00", "Z")
        case date():
            found = value.isoformat()
        case PurePath():
            found = str(value)
        case Mapping():
            found = {str(key): encoded(one) for key, one in value.items()}
        case tuple() | list() | frozenset():
            found = [encoded(one) for one in value]
        case _ if is_dataclass(value):
            found = dict(_pairs(value))
    return found


def _pairs(value: Any) -> Iterator[tuple[str, Any]]:
    kind: Any = type(value)
    for field in described(kind):
        found = field.value(value)
        if As.FLAT in field.ways:
            yield from encoded(found).items() if found is not None else ()
        elif not (As.SPARSE in field.ways and (found is None or found in ((), "", []))):
            yield field.key, encoded(found)
