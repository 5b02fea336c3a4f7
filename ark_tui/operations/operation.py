"""The declaration of operations: functions whose signatures define all interfaces."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from enum import Enum
from functools import cached_property
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, TypeVar, Union, get_args, get_origin

from ark_tui.operations.encoding import encoded

if TYPE_CHECKING:
    from ark_tui.domain.principal import Grant
    from ark_tui.operations.call import Call

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")
MISSING = inspect.Parameter.empty
HIT = re.compile(r"@\d+")  # a reference to a hit of the last search

BROAD = frozenset(("backup", "jobs"))
"""Groups of operations that concern the whole home: changes by them need the grant `admin`."""

WHOLE = 1_000_000
"""The limit that returns a whole list."""


class Effect(Enum):
    """The effect of an operation on the home."""

    READS = "changes nothing"
    ADDS = "adds something, and once more when it is called again"
    SETS = "adds or sets, and nothing more when it is called again"
    DESTROYS = "takes something away"


@dataclass(frozen=True, slots=True)
class Param:
    """Metadata of a parameter, in `Annotated`. The last value that is set wins.

    `about`: one sentence with the unit. `option`, `short`: its command line options; `argument`: it is a
    positional argument; `words`: it takes all words that are not options; `each`: several may be given, and
    the operation is called once for each. `commas`: values are comma-separated; `file`: the value is the
    content of the named file. `least` and `most`: bounds of a number or of a text's length; `wire`: its name
    in HTTP and MCP. `lone`: a single value may be given without a list. `personal`: only a person may give
    it.
    """

    about: str = ""
    example: Any = None
    least: float | None = None
    most: float | None = None
    metavar: str = ""
    option: str = ""
    short: str = ""
    argument: bool = False
    words: bool = False
    each: bool = False
    commas: bool = False
    file: bool = False
    wire: str = ""
    lone: bool = False
    personal: bool = False

    def under(self, other: Param) -> Param:
        """The values set in `other`, and those of this one for the rest."""
        said = {field.name: getattr(other, field.name) for field in fields(other)}
        return replace(self, **{name: value for name, value in said.items() if value != _NOTHING[name]})


_NOTHING = {field.name: field.default for field in fields(Param)}


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an operation.

    `type` excludes None, which `optional` indicates; with `several` values it is the type of one.
    """

    name: str
    type: Any
    default: Any
    optional: bool
    several: bool
    said: Param

    @property
    def required(self) -> bool:
        """Whether it is required."""
        return self.default is MISSING

    @property
    def choices(self) -> tuple[str, ...]:
        """The allowed values of a `Literal`; empty for other types."""
        return get_args(self.type) if get_origin(self.type) is Literal else ()

    @property
    def wire(self) -> str:
        """Its name in HTTP and MCP."""
        return self.said.wire or self.name.rstrip("_")

    @property
    def flag(self) -> str:
        """Its option on the command line, unless it is an argument."""
        return self.said.option or f"--{self.name.rstrip('_').replace('_', '-')}"


@dataclass(frozen=True)
class Operation:
    """An operation of the program.

    `command`: the words typed after `ark-tui`; if several operations share them, a command written by hand
    selects one. The `name` can be typed too. `route`: method and path; `status`: of a success. `listed`: the
    key of a listed result. `scoped`: it concerns the memory of an agent and a session. `owned`: it shows only
    visible items, so that tokens of an agent may use it, as with `scoped`. `keyed`: it takes an idempotency
    key. `begins`: it creates a home if there is none. `personal`: only a person may call it. `long`: over
    HTTP it runs as a job, after `check`, called with the same arguments, has raised nothing. `heavy`: it
    searches, with limited concurrency on a server. `streams`: its answer can be streamed.
    """

    name: str
    effect: Effect
    function: Callable[..., Any]
    command: str
    example: str
    route: str
    keyed: bool
    begins: bool
    status: int = 200
    listed: str = ""
    scoped: bool = False
    personal: bool = False
    long: bool = False
    heavy: bool = False
    check: Callable[..., Any] | None = None
    streams: bool = False
    owned: bool = False

    @property
    def confinable(self) -> bool:
        """Whether tokens of an agent may be used for it."""
        return self.scoped or self.owned

    @property
    def grant(self) -> Grant:
        """The grant that a token needs."""
        if self.route.startswith("GET ") or (self.effect is Effect.READS and not self.long):
            return "read"
        whole = self.long or self.path[0] in BROAD or (self.effect is Effect.DESTROYS and not self.scoped)
        return "admin" if whole else "write"

    @property
    def about(self) -> str:
        """The description: its docstring."""
        return inspect.cleandoc(self.function.__doc__ or "")

    @property
    def summary(self) -> str:
        """The first paragraph of the description, on one line."""
        return " ".join(self.about.partition("\n\n")[0].split())

    @property
    def path(self) -> tuple[str, ...]:
        """The words of its name: the group, if any, and the verb."""
        return tuple(self.name.split())

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters, without the call."""
        signature = inspect.signature(self.function, eval_str=True)
        return tuple(_parameter(parameter) for parameter in list(signature.parameters.values())[1:])

    @cached_property
    def result(self) -> Any:
        """The return type."""
        return inspect.signature(self.function, eval_str=True).return_annotation

    def __call__(self, call: Call, **given: Any) -> Any:
        if any(_names_a_hit(value) for value in given.values()):
            call.engine.unkept()  # the log defines what `@1` refers to
        with call.admitted(self):
            return self.function(call, **given)


def operation(name: str, effect: Effect, **about: Any) -> Callable[[F], F]:
    """Declare a function as an operation; the function itself is unchanged. `about`: fields of `Operation`.

    The default command is the name, the default route `/group/verb`, with GET for read-only operations. An
    operation that adds takes an idempotency key and creates a home, unless `about` says otherwise.
    """
    adds = effect is Effect.ADDS
    route = f"{'GET' if effect is Effect.READS else 'POST'} /{name.replace(' ', '/')}"
    usual: dict[str, Any] = {"command": name, "route": route, "keyed": adds, "begins": adds}

    def declared(function: F) -> F:
        function.__operation__ = Operation(name, effect, function, **usual | about)  # type: ignore[attr-defined]
        return function

    return declared


def operation_of(function: object) -> Operation | None:
    """The operation that a function declares; None if it is not one."""
    found = getattr(function, "__operation__", None)
    return found if isinstance(found, Operation) else None


def declared_in(module: object) -> Iterator[Operation]:
    """The operations declared in a module, in order."""
    for found in map(operation_of, vars(module).values()):
        if found and found.function.__module__ == getattr(module, "__name__", ""):
            yield found


def _names_a_hit(value: object) -> bool:
    several = value if isinstance(value, tuple | list) else (value,)
    return any(isinstance(one, str) and HIT.fullmatch(one.strip()) for one in several)


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """A part of a list: `total` counts the whole list, `offset` the skipped items; `limit` 0 lists nothing.

    `notice`: a sentence on missing items, if any.
    """

    items: tuple[T, ...]
    total: int
    limit: int
    offset: int = 0
    notice: str = ""

    @property
    def more(self) -> int | None:
        """The offset of the next page; None at the end."""
        after = self.offset + len(self.items)
        return after if self.limit and after < self.total else None


def page(found: Sequence[T], limit: int, offset: int = 0) -> Page[T]:
    """Cut a page out of a complete list."""
    return Page(tuple(found[offset : offset + limit]), len(found), limit, offset)


def answer(operation: Operation, result: Any) -> Any:
    """The JSON of a result; lists are under the key `listed`."""
    if isinstance(result, Page):
        stretch = {"total": result.total, "limit": result.limit, "offset": result.offset, "more": result.more}
        notice = {"notice": result.notice} if result.notice else {}
        return {operation.listed: encoded(result.items), **stretch, **notice}
    return {operation.listed: encoded(result)} if isinstance(result, tuple) else encoded(result)


def _parameter(one: inspect.Parameter) -> Parameter:
    said, kind, optional, several = Param(), one.annotation, False, False
    while (origin := get_origin(kind)) in (Annotated, Union, UnionType, tuple):
        inside = get_args(kind)
        if origin is Annotated:
            kind = inside[0]
            for mark in inside[:0:-1]:
                said = mark.under(said) if isinstance(mark, Param) else said
        elif origin is tuple:
            kind, several = inside[0], True
        else:
            (kind,) = (arm for arm in inside if arm is not NoneType)
            optional = True
    return Parameter(one.name, kind, one.default, optional, several, said)
