"""Types from JSON: what `encoding` has written becomes the same objects again, or is refused at its place."""

from __future__ import annotations

import builtins
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, datetime
from types import NoneType
from typing import Any, get_args, get_origin

from ark_tui.operations.encoding import Field, described


class Misfit(ValueError):
    """JSON that is not of a type; says where: `hits.0.score is missing`."""


def decoded(kind: Any, value: Any, place: str = "") -> Any:
    """An object of a type from JSON. Raises `Misfit`; keys that the type does not know are passed over.

    For types whose fields stand one by one in their JSON.
    """
    inside, origin = get_args(kind), get_origin(kind)
    match origin:
        case _ if is_dataclass(kind):
            found = _object(kind, value, place)
        case typing.Annotated:
            found = decoded(inside[0], value, place)
        case typing.Union | types.UnionType:
            found = _one_of(inside, value, place)
        case builtins.tuple:
            rows = enumerate(_fitting(list, value, place))
            found = tuple(decoded(inside[0], row, _below(place, number)) for number, row in rows)
        case builtins.dict:
            rows = _fitting(dict, value, place).items()
            found = {name: decoded(inside[1], row, _below(place, name)) for name, row in rows}
        case typing.Literal if value not in inside:
            raise Misfit(f"{place} is none of {', '.join(map(str, inside))}")
        case typing.Literal:
            found = value
        case _:
            found = _plain(kind, value, place)
    return found


def _object(kind: Any, value: Any, place: str) -> Any:
    given: Mapping[str, Any] = _fitting(dict, value, place)
    optional = {field.name for field in fields(kind) if field.default is not MISSING}
    return kind(**dict(_pairs(described(kind), given, optional, place)))


def _pairs(
    known: tuple[Field, ...], given: Mapping[str, Any], optional: set[str], place: str
) -> Iterator[tuple[str, Any]]:
    for field in known:
        if field.key in given:
            yield field.name, decoded(field.type, given[field.key], _below(place, field.key))
        elif field.name not in optional:
            raise Misfit(f"{_below(place, field.key)} is missing")


def _one_of(arms: tuple[Any, ...], value: Any, place: str) -> Any:
    if value is None and NoneType in arms:
        return None
    first, *others = (arm for arm in arms if arm is not NoneType)
    try:
        return decoded(first, value, place)
    except Misfit:
        if not others:
            raise
        return _one_of(tuple(others), value, place)


def _plain(kind: Any, value: Any, place: str) -> Any:
    if kind is Any:
        return value
    if kind in (datetime, date):
        return _time(kind, _fitting(str, value, place), place)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return _fitting(kind, value, place)


def _time(kind: Any, text: str, place: str) -> Any:
    try:
        return kind.fromisoformat(text)
    except ValueError as error:
        raise Misfit(f"{place} is no {'day' if kind is date else 'time'}") from error


def _fitting(kind: Any, value: Any, place: str) -> Any:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        names = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}
        raise Misfit(f"{place or 'it'} is not {names.get(kind, 'a number')}")
    return value


def _below(place: str, name: object) -> str:
    return f"{place}.{name}" if place else str(name)
