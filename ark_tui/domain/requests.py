"""Convert search requests to JSON and back, for the log, saved searches and sessions."""

from __future__ import annotations

import builtins
import dataclasses
import types
import typing
from datetime import date
from typing import Any, get_args, get_origin, get_type_hints

from ark_tui.domain import query

KIND = "is"  # names the class of an object in the JSON of a request


def as_json(value: Any) -> Any:
    """Convert a request or a part of it to JSON values, without fields at their default."""
    if dataclasses.is_dataclass(value):
        given = {
            field.name: as_json(getattr(value, field.name))
            for field in dataclasses.fields(value)
            if getattr(value, field.name) != _default(field)
        }
        return {KIND: type(value).__name__, **given}
    if isinstance(value, date):
        return {KIND: "date", "day": value.isoformat()}
    if isinstance(value, tuple):
        return [as_json(one) for one in value]
    return value


def from_json(value: Any) -> Any:
    """Invert `as_json`. Unknown fields are ignored."""
    if isinstance(value, list):
        return tuple(from_json(one) for one in value)
    if not isinstance(value, dict):
        return value
    if value[KIND] == "date":
        return date.fromisoformat(value["day"])
    made: Any = getattr(query, value[KIND])
    known = {field.name for field in dataclasses.fields(made)}
    return made(**{name: from_json(one) for name, one in value.items() if name in known})


def read(value: Any) -> query.Request | None:
    """Read a request from untrusted JSON; None if it is invalid."""
    try:
        request = from_json(value)
        return request if _sound(request, query.Request) and request.query.strip() else None
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError):
        return None


def _sound(value: Any, kind: Any) -> bool:
    """Whether a value matches a type, including all nested values."""
    inside = get_args(kind)
    match get_origin(kind):
        case typing.Union | types.UnionType:
            return any(_sound(value, arm) for arm in inside)
        case typing.Literal:
            return value in inside
        case builtins.tuple:
            return isinstance(value, tuple) and all(_sound(one, inside[0]) for one in value)
    if type(value) is not kind:
        return False
    hints = get_type_hints(kind) if dataclasses.is_dataclass(kind) else {}
    return all(_sound(getattr(value, name), hint) for name, hint in hints.items())


def _default(field: dataclasses.Field[Any]) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default
