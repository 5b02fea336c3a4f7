"""A search as an interface asks for it, as JSON and back: for the log, for saved searches, for a session."""

from __future__ import annotations

import dataclasses
from datetime import date
from typing import Any

from ark_tui.domain import query

KIND = "is"  # names the class of an object in the JSON of a request


def as_json(value: Any) -> Any:
    """A request or a part of it as what JSON knows; fields that have their default are left out."""
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
    """What `as_json` was given. A field that is not known any more is left out."""
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
    """The request that JSON holds, whoever has written it; None where there is none in it."""
    try:
        request = from_json(value)
        return request if isinstance(request.query, str) and request.query.strip() else None
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError):
        return None


def _default(field: dataclasses.Field[Any]) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default
