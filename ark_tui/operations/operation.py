"""What an operation is: a function whose signature holds all that an interface needs to know of it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from enum import Enum
from functools import cached_property
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from ark_tui.operations.encoding import encoded
from ark_tui.operations.page import Page

if TYPE_CHECKING:
    from ark_tui.domain.principal import Grant
    from ark_tui.operations.call import Call

F = TypeVar("F", bound=Callable[..., Any])
MISSING = inspect.Parameter.empty
HIT = re.compile(r"@\d+")  # what a hit of the last search is called

WHOLE = frozenset(("backup", "jobs"))
"""Groups of operations that are about the home as a whole: to change something by them takes `admin`."""


class Effect(Enum):
    """What an operation does to the home."""

    READS = "changes nothing"
    ADDS = "adds something, and once more when it is called again"
    SETS = "adds or sets, and nothing more when it is called again"
    DESTROYS = "takes something away"


@dataclass(frozen=True, slots=True)
class Param:
    """What is said of a parameter, within `Annotated`. Of several, the last that says something holds.

    `about`: one sentence with the unit. `option`, `short`: what the command line calls it; `argument`: it
    stands there without a name, `words` are all words that are no option, and of `each` there may be several,
    for which the operation is called one by one. `commas`: several stand there with commas between; `file`:
    a file's name stands there, and what it holds is meant. `least` and `most` are of a number, or of the
    length of a text; `wire` is its name in HTTP and MCP. `lone`: of several, one may stand there without a
    list. `personal`: only a person may give it.
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
        """What another one says, and this where it says nothing."""
        said = {field.name: getattr(other, field.name) for field in fields(other)}
        return replace(self, **{name: value for name, value in said.items() if value != _NOTHING[name]})


_NOTHING = {field.name: field.default for field in fields(Param)}


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an operation.

    `type` is without None, which `optional` says; where it takes `several` values, it is that of one.
    """

    name: str
    type: Any
    default: Any
    optional: bool
    several: bool
    said: Param

    @property
    def required(self) -> bool:
        """Whether it has to be given."""
        return self.default is MISSING

    @property
    def choices(self) -> tuple[str, ...]:
        """The values that there are, where they are few."""
        return get_args(self.type) if get_origin(self.type) is Literal else ()

    @property
    def wire(self) -> str:
        """Its name in HTTP and MCP."""
        return self.said.wire or self.name.rstrip("_")

    @property
    def flag(self) -> str:
        """Its name on the command line, where it is no argument."""
        return self.said.option or f"--{self.name.rstrip('_').replace('_', '-')}"


@dataclass(frozen=True)
class Operation:
    """A capability of the program.

    `command`: the words that are typed after `ark-tui`; of several operations with the same ones a command
    made by hand picks one. The `name` can be typed, too. `route`: method and path; `status`: of a success.
    `tool`: its name in MCP, in a `family` of tools. `listed`: the key of what it lists. `scoped`: it is about
    the memory of an agent and a session. `owned`: it shows an item to nobody who does not see it, so that
    tokens of an agent are for it, as for all that is scoped. `keyed`: it takes an idempotency key. `begins`:
    it makes a home where there is none. `personal`: only a person may ask for it. `long`: over HTTP it is a
    job, which is begun once `check`, called as the function is, has refused nothing. `heavy`: it searches, of
    which a server does a few at once. `streams`: its answer can be had as it comes.
    """

    name: str
    command: str
    function: Callable[..., Any]
    effect: Effect
    example: str
    route: str
    status: int
    tool: str
    family: str
    listed: str
    scoped: bool
    keyed: bool
    begins: bool
    personal: bool
    long: bool
    heavy: bool
    check: Callable[..., Any] | None = None
    streams: bool = False
    owned: bool = False

    @property
    def confinable(self) -> bool:
        """Whether tokens of an agent are for it."""
        return self.scoped or self.owned

    @property
    def grant(self) -> Grant:
        """What a token has to grant for it."""
        if self.route.startswith("GET ") or (self.effect is Effect.READS and not self.long):
            return "read"
        whole = self.long or self.path[0] in WHOLE or (self.effect is Effect.DESTROYS and not self.scoped)
        return "admin" if whole else "write"

    @property
    def about(self) -> str:
        """What it does, as its docstring says."""
        return inspect.cleandoc(self.function.__doc__ or "")

    @property
    def summary(self) -> str:
        """The first sentence of that."""
        return " ".join(self.about.partition("\n\n")[0].split())

    @property
    def path(self) -> tuple[str, ...]:
        """Its name as words: of its group, where it is in one, and its own."""
        return tuple(self.name.split())

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """What it is called with, but for the call itself."""
        signature = inspect.signature(self.function, eval_str=True)
        return tuple(_parameter(parameter) for parameter in list(signature.parameters.values())[1:])

    @cached_property
    def result(self) -> Any:
        """The type of what it returns."""
        return inspect.signature(self.function, eval_str=True).return_annotation

    def __call__(self, call: Call, **given: Any) -> Any:
        if any(_names_a_hit(value) for value in given.values()):
            call.engine.unkept()  # what `@1` names is known from the log
        with call.admitted(self):
            return self.function(call, **given)


def operation(
    name: str,
    effect: Effect,
    *,
    example: str,
    command: str = "",
    route: str = "",
    status: int = 200,
    tool: str = "",
    family: str = "",
    listed: str = "",
    scoped: bool = False,
    keyed: bool | None = None,
    begins: bool | None = None,
    personal: bool = False,
    long: bool = False,
    heavy: bool = False,
    check: Callable[..., Any] | None = None,
    streams: bool = False,
    owned: bool = False,
) -> Callable[[F], F]:
    """Declare a function as an operation; the function stays what it is.

    By itself the route is `/group/verb`, asked by GET where it only reads, and the tool `group_verb` in the
    family that the module's FAMILY names, or else in one that is called as the module.
    """
    adds = effect is Effect.ADDS

    def declared(function: F) -> F:
        method = "GET" if effect is Effect.READS else "POST"
        function.__operation__ = Operation(  # type: ignore[attr-defined]
            name,
            command or name,
            function,
            effect,
            example,
            route or f"{method} /{name.replace(' ', '/')}",
            status,
            tool or name.replace(" ", "_").replace("-", "_"),
            family or function.__globals__.get("FAMILY") or function.__module__.rpartition(".")[2],
            listed,
            scoped,
            adds if keyed is None else keyed,
            adds if begins is None else begins,
            personal,
            long,
            heavy,
            check,
            streams,
            owned,
        )
        return function

    return declared


def operation_of(function: object) -> Operation | None:
    """What a function has been declared as; None for one that is no operation."""
    found = getattr(function, "__operation__", None)
    return found if isinstance(found, Operation) else None


def declared_in(module: object) -> Iterator[Operation]:
    """The operations of a module, in their order."""
    for found in map(operation_of, vars(module).values()):
        if found and found.function.__module__ == getattr(module, "__name__", ""):
            yield found


def _names_a_hit(value: object) -> bool:
    several = value if isinstance(value, tuple | list) else (value,)
    return any(isinstance(one, str) and HIT.fullmatch(one.strip()) for one in several)


def answer(operation: Operation, result: Any) -> Any:
    """The JSON of a result; what is listed stands under its key."""
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
