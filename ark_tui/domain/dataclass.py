"""`dataclass`, whose methods are compiled when they are first called.

That of the standard library compiles six methods of a class as it is imported, .2 to .5 ms: two fifths of
what a search by words took from a command, for classes most of which it does not use. These have the same
fields, so `fields`, `replace` and `asdict` take them.
"""

from __future__ import annotations

import dataclasses
from dataclasses import MISSING, Field, FrozenInstanceError
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, cast

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from dataclasses import dataclass  # what types are checked by

    Source = tuple[list[str], list[str], dict[str, object]]
    """Of a method: its parameters, the lines of its body, and what they name."""
else:

    def dataclass(cls=None, /, *, frozen=False, slots=False, eq=True, kw_only=False):
        """As `dataclasses.dataclass`."""

        def made(cls):
            return _completed(cls, frozen=frozen, slots=slots, eq=eq, kw_only=kw_only)

        return made if cls is None else made(cls)


def _completed(cls: type, *, frozen: bool, slots: bool, eq: bool, kw_only: bool) -> type:
    own = set(vars(cls))
    if "__eq__" in own and vars(cls).get("__hash__") is None:
        own -= {"__hash__"}  # Python itself has put None there
    cls.__doc__ = vars(cls).get("__doc__") or cls.__name__  # else its signature would be worked out for it
    cls = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)(cls)
    methods: dict[str, object] = {"__init__": _compiled(cls, "__init__", _init), "__repr__": _repr}
    if eq:
        methods["__eq__"] = _compiled(cls, "__eq__", _eq)
        methods["__hash__"] = _compiled(cls, "__hash__", _hash) if frozen else None
    if frozen:
        own -= {"__setattr__", "__delattr__"}
        methods |= {"__setattr__": _setattr, "__delattr__": _delattr}
        if slots:
            methods |= {"__getstate__": _getstate, "__setstate__": _setstate}
    for name in methods.keys() - own:
        setattr(cls, name, methods[name])
    return cls


def _compiled(cls: type, name: str, write: Callable[[type], Source]) -> Callable[..., object]:
    """A method of a class that is compiled when it is called, and then takes this one's place."""

    def first(self: object, *args: object, **named: object) -> object:
        parameters, body, known = write(cls)
        lines = [f"def {name}({', '.join(parameters)}):", *body]
        made: dict[str, Any] = {}
        exec("\n ".join(lines), known, made)  # noqa: S102 - made of the names of a class's own fields
        method = made[name]
        method.__qualname__, method.__module__ = f"{cls.__qualname__}.{name}", cls.__module__
        setattr(cls, name, method)
        return method(self, *args, **named)

    return first


def _init(cls: type) -> Source:
    known: dict[str, object] = {"MISSING": MISSING, "assign": object.__setattr__}
    parameters: dict[bool, list[str]] = {False: ["self"], True: []}
    body: list[str] = []
    for one in _fields(cls):
        value, default = _value(one, known)
        if one.init:
            parameters[bool(one.kw_only)].append(one.name + default)
        slot: Any = vars(cls).get(one.name)
        if not value:
            continue
        if hasattr(slot, "__set__"):
            known[f"set_{one.name}"] = slot.__set__
            body.append(f"set_{one.name}(self, {value})")  # past the refusal of what is frozen
        else:
            body.append(f"assign(self, {one.name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    marked = ["*", *parameters[True]] if parameters[True] else []
    return [*parameters[False], *marked], body or ["pass"], known


def _value(one: Field[Any], known: dict[str, object]) -> tuple[str, str]:
    """What a field is set to, and its default as a parameter; either may be empty."""
    if one.default_factory is not MISSING:
        known[f"make_{one.name}"] = one.default_factory
        made = f"make_{one.name}()"
        return (f"{made} if {one.name} is MISSING else {one.name}" if one.init else made), "=MISSING"
    if one.default is not MISSING:
        known[f"default_{one.name}"] = one.default
        return (one.name if one.init else f"default_{one.name}"), f"=default_{one.name}"
    return one.name * one.init, ""


def _eq(cls: type) -> Source:
    mine, theirs = (_tuple(whose, _fields(cls)) for whose in ("self", "other"))
    same = "other.__class__ is self.__class__"
    return ["self", "other"], [f"return {mine} == {theirs} if {same} else NotImplemented"], {}


def _hash(cls: type) -> Source:
    fields = (one for one in _fields(cls) if one.hash is not False)
    return ["self"], [f"return hash({_tuple('self', fields)})"], {}


def _tuple(whose: str, fields: Iterable[Field[Any]]) -> str:
    return "(" + "".join(f"{whose}.{one.name}, " for one in fields if one.compare) + ")"


def _fields(cls: type) -> tuple[Field[Any], ...]:
    return dataclasses.fields(cast("Any", cls))


# -- the same for all ---------------------------------------------------------------------------------------


@recursive_repr()
def _repr(self: Any) -> str:
    parts = (f"{one.name}={getattr(self, one.name)!r}" for one in _fields(type(self)) if one.repr)
    return f"{type(self).__qualname__}({', '.join(parts)})"


def _setattr(self: object, name: str, value: object) -> None:  # noqa: ARG001
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delattr(self: object, name: str) -> None:  # noqa: ARG001
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _getstate(self: Any) -> list[object]:
    return [getattr(self, one.name) for one in _fields(type(self))]


def _setstate(self: Any, state: list[object]) -> None:
    for one, value in zip(_fields(type(self)), state, strict=True):
        object.__setattr__(self, one.name, value)
