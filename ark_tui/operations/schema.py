"""Pydantic models from types: the schemas of parameters and results for OpenAPI and MCP.

Imported only by servers, never by the command line.
"""

from __future__ import annotations

import builtins
import re
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from functools import cache
from typing import Annotated, Any, Optional, Union, get_args, get_origin

from pydantic import AfterValidator, BaseModel, Field, create_model

from ark_tui.domain.fields import As
from ark_tui.operations import encoding
from ark_tui.operations.operation import Operation, Page, Parameter

SHARED = frozenset(("Difference", "Failure", "Item", "Move", "Source"))
"""Type names that occur in several modules."""


def accepted(parameter: Parameter) -> Any:
    """The type of a parameter with its limits, description and example."""
    said = parameter.said
    about: dict[str, Any] = {"description": said.about or None}
    if said.example is not None and not parameter.choices:
        about["examples"] = [list(said.example) if isinstance(said.example, tuple) else said.example]
    kind = _limited(parameter)
    if parameter.several:
        one, kind = kind, tuple[kind, ...]  # type: ignore[valid-type]
        kind = Annotated[Union[kind, one], AfterValidator(_listed)] if said.lone else kind  # noqa: UP007 - at run time
    return Annotated[Optional[kind] if parameter.optional else kind, Field(**about)]  # noqa: UP045 - at run time


def _listed(given: Any) -> tuple[Any, ...]:
    return given if isinstance(given, tuple) else (given,)


def _limited(parameter: Parameter) -> Any:
    least, most = parameter.said.least, parameter.said.most
    names = ("min_length", "max_length") if parameter.type is str else ("ge", "le")
    limits: dict[str, Any] = {
        name: limit for name, limit in zip(names, (least, most), strict=True) if limit is not None
    }
    return Annotated[parameter.type, Field(**limits)] if limits else parameter.type


def body(operation: Operation, parameters: tuple[Parameter, ...], base: type[BaseModel]) -> type[BaseModel]:
    """The model of an operation's request body."""
    fields: dict[str, Any] = {
        parameter.wire: (accepted(parameter), ... if parameter.required else parameter.default)
        for parameter in parameters
    }
    return create_model(f"{_title(operation.name)}Body", __base__=base, __doc__=operation.summary, **fields)


def example(parameters: tuple[Parameter, ...]) -> dict[str, Any]:
    """An example body: the required parameters, or else the first."""
    wanted = [one for one in parameters if one.required] or [*parameters[:1]]
    return {one.wire: _shown_value(one) for one in wanted}


def _shown_value(parameter: Parameter) -> Any:
    shown = parameter.said.example
    if shown is None:
        shown = parameter.choices[0] if parameter.choices else True
    if parameter.several:
        return [*shown] if isinstance(shown, tuple) else [shown]
    return shown


def result(operation: Operation) -> Any:
    """The type of an operation's JSON result."""
    return _answered(operation, operation.result)


def _answered(operation: Operation, kind: Any) -> Any:
    if get_origin(kind) in (Union, types.UnionType):
        return Union[tuple(_answered(operation, one) for one in get_args(kind))]  # noqa: UP007 - at run time
    if get_origin(kind) is Page:
        fields: dict[str, Any] = {
            operation.listed: (list[told(get_args(kind)[0])], ...),  # type: ignore[misc]
            "total": (int, ...), "limit": (int, ...), "offset": (int, ...), "more": (int | None, ...),
            "notice": (str | None, None),
        }  # fmt: skip
        return create_model(f"{_title(operation.name)}Page", **fields)
    if get_origin(kind) is tuple:
        listed: dict[str, Any] = {operation.listed: (list[told(get_args(kind)[0])], ...)}  # type: ignore[misc]
        return create_model(f"{_title(operation.name)}List", **listed)
    return told(kind)


@cache
def told(kind: Any) -> Any:
    """The type of an object's JSON."""
    inside = get_args(kind)
    match get_origin(kind):
        case None if is_dataclass(kind):
            fields: dict[str, Any] = dict(_named(key, *field) for key, field in _fields(kind))
            about = (kind.__doc__ or "").partition("\n")[0]
            found: Any = create_model(_name(kind), __doc__=about, **fields)
        case typing.Annotated:
            found = told(inside[0])
        case typing.Union | types.UnionType:
            found = Union[tuple(told(one) for one in inside)]  # noqa: UP007 - at run time
        case builtins.tuple:
            found = list[told(inside[0]) if inside[1:] == (...,) else Any]  # type: ignore[misc]
        case type() as origin if issubclass(origin, Mapping):
            found = dict[str, told(inside[1])]  # type: ignore[misc]
        case _:
            found = kind
    return found


def _name(kind: Any) -> str:
    """The schema name of a type. Names must be unique, since clients generated from them need it."""
    name, module = kind.__name__, kind.__module__.rpartition(".")[2]
    return f"{_title(module)}{name}" if name in SHARED else str(name)


def _fields(kind: Any) -> Iterator[tuple[str, Any]]:
    for field in encoding.described(kind):
        if As.FLAT in field.ways:
            yield from _fields(field.type)
            continue
        found = _shown(field)
        yield field.key, (found | None, None) if As.SPARSE in field.ways else (found, ...)


def _named(key: str, kind: Any, default: Any) -> tuple[str, tuple[Any, Any]]:
    """A field with its key; keys such as `schema` that are methods of every model get an alias."""
    if hasattr(BaseModel, key):
        return f"{key}_", (kind, Field(default, alias=key))
    return key, (kind, default)


def _shown(field: encoding.Field) -> Any:
    if As.TEXT in field.ways:
        return str
    if field.named:
        return list[dict[str, Any]]
    found = told(field.type)
    return found | None if As.NULL in field.ways else found


def _title(name: str) -> str:
    return "".join(word.capitalize() for word in re.split(r"[\s_-]+", name))
