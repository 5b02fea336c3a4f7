"""Lossless JSON serialization of arguments and results between two processes of one version.

`encoding` makes JSON for programs: it renames, leaves out and flattens. Here every object comes back equal.
Text, numbers, booleans and None are themselves and a tuple is an array; everything else is `{"is": kind,
"of": …}`, where kind is `list`, `set`, `dict` (an object, or pairs if a key is not a text), `time`, `day`,
`path`, `hint`, `error`, or the name of a class of `PACKAGES`, with the values of its fields in order.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from functools import cache
from importlib import import_module
from operator import attrgetter
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Any, TypeAlias

from ark_tui.domain import errors
from ark_tui.domain.errors import ArkError, Hint

VERSION_HEADER = "ark-version"

PACKAGES = ("domain", "operations", "settings")
"""Packages of `ark_tui` whose dataclasses, named tuples and enumerations can be sent."""

PLAIN = frozenset((str, int, float, bool, type(None)))

Tell: TypeAlias = Callable[[Any], Any]


class Garbled(ValueError):
    """JSON that cannot be decoded."""


def dumps(value: Any) -> str:
    """Serialize a value. Raises `TypeError` for one that cannot be sent."""
    return json.dumps(plain(value), separators=(",", ":"))


def loads(text: str | bytes) -> Any:
    """Deserialize a value. Raises `Garbled`."""
    try:
        return _read(json.loads(text))
    except Garbled:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, ImportError, RecursionError) as error:
        raise Garbled(f"{type(error).__name__}: {error}") from error


def plain(value: Any) -> Any:
    """Convert a value for `json.dumps`. Raises `TypeError` for one that cannot be sent."""
    kind = type(value)
    if kind in PLAIN:
        return value
    if kind is tuple:
        return [one if type(one) in PLAIN else plain(one) for one in value]
    return _teller(kind)(value)  # type: ignore[arg-type]


@cache
def _getter(kind: Any) -> Tell:
    """A getter of an object's field values and its class, so that it always returns a tuple."""
    return attrgetter(*_names(kind), "__class__")


@cache
def _teller(kind: type) -> Tell:
    """The serializer for a class that is neither plain nor a tuple."""
    if is_dataclass(kind):
        name, get = _named(kind), _getter(kind)
        return lambda value: {
            "is": name, "of": [one if type(one) in PLAIN else plain(one) for one in get(value)[:-1]]
        }  # fmt: skip
    if issubclass(kind, Enum):
        name = _named(kind)
        return lambda value: {"is": name, "of": value.value}
    if issubclass(kind, tuple):
        name = _named(kind)
        return lambda value: {"is": name, "of": [plain(one) for one in value]}
    for base, tell in TELLERS:
        if issubclass(kind, base):
            return tell
    raise TypeError(f"{kind.__name__} cannot be sent")


def _error(error: ArkError) -> Any:
    known = next(one for one in type(error).__mro__ if getattr(errors, one.__name__, None) is one)
    return {"is": "error", "of": [known.__name__, _dict(vars(error))]}


def _dict(value: Mapping[Any, Any]) -> Any:
    if all(type(key) is str for key in value):
        return {"is": "dict", "of": {key: plain(one) for key, one in value.items()}}
    return {"is": "dict", "of": [[plain(key), plain(one)] for key, one in value.items()]}


TELLERS: tuple[tuple[type, Tell], ...] = (
    (Hint, lambda value: {"is": "hint", "of": [plain(part) for part in value.parts]}),
    (str, str),
    (float, float),
    (int, int),
    (list, lambda value: {"is": "list", "of": [plain(one) for one in value]}),
    (frozenset, lambda value: {"is": "set", "of": [plain(one) for one in value]}),
    (Mapping, _dict),
    (datetime, lambda value: {"is": "time", "of": value.isoformat()}),
    (date, lambda value: {"is": "day", "of": value.isoformat()}),
    (PurePath, lambda value: {"is": "path", "of": str(value)}),
    (ArkError, _error),
)


def _read(value: Any) -> Any:
    kind = type(value)
    if kind in PLAIN:
        return value
    if kind is list:
        return tuple([one if type(one) in PLAIN else _read(one) for one in value])
    return _reader(value["is"])(value["of"])


@cache
def _reader(name: str) -> Tell:
    """The deserializer for a kind."""
    if name in READERS:
        return READERS[name]
    package, _, attribute = name.rpartition(".")
    if name.partition(".")[0] not in PACKAGES or not all(map(str.isidentifier, name.split("."))):
        raise Garbled(f"{name} is not a class that can be sent")
    kind = getattr(import_module(f"ark_tui.{package}"), attribute)
    if not (isinstance(kind, type) and _named(kind) == name):
        raise Garbled(f"{name} is not a class that can be sent")
    if is_dataclass(kind):
        return _object_reader(kind, _names(kind))
    if issubclass(kind, Enum):
        return kind
    if issubclass(kind, tuple):
        return lambda values: kind(*map(_read, values))
    raise Garbled(f"{name} is not a class that can be sent")


def _object_reader(kind: Any, names: tuple[str, ...]) -> Tell:
    def read(told: Any) -> Any:
        if len(told) != len(names):
            raise Garbled(f"{kind.__name__} has {len(names)} fields")
        return kind(*[one if type(one) in PLAIN else _read(one) for one in told])

    return read


def _an_error(told: Any) -> ArkError:
    name, values = told
    kind = getattr(errors, name)
    if not issubclass(kind, ArkError):
        raise Garbled(f"{name} is no error")
    values = _read(values)
    found: ArkError = kind.__new__(kind, values["what"])  # constructors differ
    ArkError.__init__(found, values["what"], values["hint"])
    vars(found).update(values)
    return found


def _a_dict(told: Any) -> dict[Any, Any]:
    if isinstance(told, dict):
        return {key: _read(one) for key, one in told.items()}
    return {_read(key): _read(one) for key, one in told}


READERS: Mapping[str, Tell] = MappingProxyType(
    {
        "hint": lambda told: Hint.of(*map(_read, told)),
        "list": lambda told: [_read(one) for one in told],
        "set": lambda told: frozenset(_read(one) for one in told),
        "dict": _a_dict,
        "time": datetime.fromisoformat,
        "day": date.fromisoformat,
        "path": Path,
        "error": _an_error,
    }
)


@cache
def _names(kind: Any) -> tuple[str, ...]:
    """The fields of the constructor, in order. Raises `TypeError` for keyword-only ones."""
    found = [field for field in fields(kind) if field.init]
    if any(field.kw_only for field in found):
        raise TypeError(f"{kind.__name__} cannot be sent")
    return tuple(field.name for field in found)


def _named(kind: type) -> str:
    """The name of a class in JSON. Raises `TypeError` if it cannot be sent."""
    package, _, module = kind.__module__.partition(".")
    if package != "ark_tui" or module.partition(".")[0] not in PACKAGES:
        raise TypeError(f"{kind.__module__}.{kind.__name__} cannot be sent")
    return f"{module}.{kind.__qualname__}"
