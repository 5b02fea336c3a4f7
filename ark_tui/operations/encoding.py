"""JSON from types: dataclasses become objects, for `--json`, HTTP and MCP alike.

Times are ISO 8601 in UTC, tuples are lists, paths are strings. Annotations of `domain.fields` define
exceptions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import date, datetime
from enum import Enum
from functools import cache
from pathlib import PurePath
from types import NoneType
from typing import Annotated, Any, TypeAlias, get_args, get_origin, get_type_hints

from ark_tui.domain.fields import As, Key, Named, Of, Some

Json: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a dataclass: attribute, JSON key, and encoding."""

    name: str
    key: str
    type: Any
    ways: frozenset[As]
    of: str = ""
    named: tuple[str, ...] = ()

    def value(self, owner: Any) -> Any:
        """The value of the field before encoding."""
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
    """The fields of a dataclass in its JSON, then the properties listed in `also`."""
    names = (*(field.name for field in fields(kind)), *getattr(kind, "also", ()))
    listed = [one for name in names for one in _shown(name, _hint(kind, name))]
    return tuple(one for one in listed if As.HIDDEN not in one.ways)


def _hint(kind: Any, name: str) -> Any:
    """The annotation of a field, or of a property."""
    hints = get_type_hints(kind, include_extras=True)
    if name in hints:
        return hints[name]
    return get_type_hints(getattr(kind, name).fget, include_extras=True)["return"]


def _shown(name: str, hint: Any) -> Iterator[Field]:
    """The field, or the selected attributes that replace it."""
    some = next((one for one in getattr(hint, "__metadata__", ()) if isinstance(one, Some)), None)
    if some is None:
        yield _field(name, hint)
        return
    inside = get_args(hint)[0]
    owner = next((arm for arm in get_args(inside) if arm is not NoneType), inside)
    absent = frozenset({As.SPARSE} if owner is not inside else ())
    for attribute in some.attributes:
        one = _field(attribute, _hint(owner, attribute))
        yield replace(one, name=name, of=attribute, ways=one.ways - {As.HIDDEN} | absent)


def _field(name: str, hint: Any) -> Field:
    marks = hint.__metadata__ if get_origin(hint) is Annotated else ()
    of = next((mark.attribute for mark in marks if isinstance(mark, Of)), "")
    return Field(
        name,
        next((mark.name for mark in marks if isinstance(mark, Key)), name),
        Any if of else get_args(hint)[0] if marks else hint,
        frozenset(mark for mark in marks if isinstance(mark, As)),
        of,
        next((mark.names for mark in marks if isinstance(mark, Named)), ()),
    )


def encoded(value: Any) -> Any:
    """Encode a value for `json.dumps`."""
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


def picked(value: Any, names: Collection[str]) -> dict[str, Any]:
    """Encode only these keys of a dataclass."""
    return dict(_pairs(value, names))


def _pairs(value: Any, names: Collection[str] | None = None) -> Iterator[tuple[str, Any]]:
    kind: Any = type(value)
    for field in described(kind):
        if names is not None and field.key not in names:
            continue
        found = field.value(value)
        if As.FLAT in field.ways:
            yield from encoded(found).items() if found is not None else ()
            continue
        whole = getattr(value, field.name) if field.of else found
        if As.SPARSE not in field.ways or (whole is not None and whole not in ((), "", [])):
            yield field.key, encoded(found)
