"""How a plain function becomes a tool: its parameters are the schema, its errors are sentences."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from ark_tui.domain.errors import BUG, BUG_HINT, ArkError
from ark_tui.interfaces.reports.faults import log
from ark_tui.interfaces.reports.shape import of_json, place_of
from ark_tui.interfaces.reports.text import hidden
from ark_tui.operations.call import Call
from ark_tui.operations.catalog import Given, worded
from ark_tui.operations.encoding import Json
from ark_tui.operations.operation import Operation

if TYPE_CHECKING:
    from ark_tui.domain.principal import Grant
    from ark_tui.engine import Engine

Function: TypeAlias = "Callable[..., Json]"
Explain: TypeAlias = Callable[[str, ArkError], Json]


def _hints(*, reads: bool = False, destroys: bool = False, repeats: bool = True) -> Json:
    return {
        "readOnlyHint": reads, "destructiveHint": destroys, "idempotentHint": repeats, "openWorldHint": False,
    }  # fmt: skip


OFFERED: ContextVar[tuple[str, ...]] = ContextVar("offered", default=())
"""The families of tools of the connection that is answered; none outside of one."""

READ, ADD, SAME, DROP = _hints(reads=True), _hints(repeats=False), _hints(), _hints(destroys=True)

UNSAID = ("title", "examples", "minLength", "maxLength", "format")
"""What a schema of a tool leaves out; it is checked all the same."""

FAR = 10**6
"""Bounds from here on are only there so that no number is too large for the store."""

KEY = inspect.Parameter(
    "idempotency_key",
    inspect.Parameter.KEYWORD_ONLY,
    default="",
    annotation=Annotated[str, Field(max_length=200, description="Once a day by key.")],
)


@contextmanager
def offering(families: Sequence[str]) -> Iterator[None]:
    """Answer for a connection with these families of tools."""
    before = OFFERED.set(tuple(families))
    try:
        yield
    finally:
        OFFERED.reset(before)


class Family:
    """The tools of one family, gathered as their functions are defined."""

    def __init__(self, explain: Explain | None = None) -> None:
        self.tools: list[Tool] = []
        self._explain = explain or plain

    def tool(
        self, name: str, hints: Json, *, keyed: bool = False, own: bool = False
    ) -> Callable[[Function], Function]:
        """Offer a function of the engine and the tool's parameters; its docstring says when to use it.

        `hints`: READ changes nothing, ADD adds, SAME adds or sets but nothing more when called again, DROP
        takes away. `keyed`: it adds, and takes an idempotency key. `own`: it heeds whose items are.
        """

        def offered(function: Function) -> Function:
            _, *parameters = inspect.signature(function, eval_str=True).parameters.values()
            parameters += [KEY] if keyed else []
            about = inspect.cleandoc(function.__doc__ or "")
            grant: Grant = "read" if hints is READ else "admin" if hints is DROP else "write"
            self.tools.append(Tool(name, about, hints, parameters, function, self._explain, grant, own))
            return function

        return offered


@dataclass(frozen=True)
class Tool:
    """A function over an engine, with what an assistant has to know of it.

    `parameters` are annotated with types and their limits; `explain` puts an error into the shape of its
    answers. `grant`, `confinable`: as of an operation.
    """

    name: str
    about: str
    hints: Json
    parameters: Sequence[inspect.Parameter]
    function: Function
    explain: Explain
    grant: Grant
    confinable: bool

    @cached_property
    def _arguments(self) -> type[BaseModel]:
        """The model that arguments are checked by. Its fields have numbers: any word may be a parameter."""
        fields: dict[str, Any] = {
            f"field_{place}": (
                Annotated[one.annotation, Field(alias=_alias(one))],
                ... if one.default is one.empty else one.default,
            )
            for place, one in enumerate(self.parameters)
        }
        config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)
        return create_model(f"{self.name}Arguments", __config__=config, **fields)

    @cached_property
    def schema(self) -> Json:
        """The whole JSON schema of its arguments."""
        schema = self._arguments.model_json_schema(by_alias=True)
        definitions: Json = schema.pop("$defs", {})
        found: Json = _inlined(schema, definitions)
        return found

    @property
    def listed(self) -> Json:
        """As the protocol lists it."""
        schema = _brief(self.schema)
        told = {"name": self.name, "description": self.about, "inputSchema": schema}
        return {**told, "annotations": self.hints}

    def run(self, engine: Engine, arguments: Json) -> Json:
        """The result of a call, as the protocol has it: errors are sentences."""
        try:
            given = self._checked(arguments)
        except ValidationError as error:
            known = ", ".join(map(_alias, self.parameters)) or "none"
            failure = {"error": _sentence(error), "hint": f"Parameters of {self.name}: {known}."}
            return answered(failure, failed=True)
        try:
            call = Call(engine)
            with call.admitted(self), engine.asked(given.pop(KEY.name, ""), call.scope.agent):
                return answered(self.function(engine, **given))
        except Exception as error:  # noqa: BLE001 - a call that fails is an answer, not the end of the server
            return failed(self.name, error, self.explain)

    def _checked(self, arguments: Json) -> Json:
        """Arguments by the names of parameters; null is not given, and lists may come as texts of JSON."""
        names = {_alias(one): one for one in self.parameters}
        given = {
            name: _read(value) if name in names and names[name].annotation is not str else value
            for name, value in arguments.items()
            if value is not None
        }
        model = self._arguments.model_validate(given)
        return {one.name: getattr(model, f"field_{place}") for place, one in enumerate(self.parameters)}


def _read(value: Any) -> Any:
    """A list or object that was sent as a text of JSON, as some assistants do."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        with suppress(ValueError, RecursionError):
            return json.loads(value)
    return value


def _alias(parameter: inspect.Parameter) -> str:
    """What a parameter is called on the wire."""
    said = getattr(parameter.annotation, "__metadata__", ())
    return next((one.alias for one in said if getattr(one, "alias", None)), parameter.name)


def _inlined(schema: Any, definitions: Json) -> Any:
    """A schema in which definitions stand where they are used: strict clients follow no `$ref`."""
    if isinstance(schema, list):
        return [_inlined(one, definitions) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        beside = {name: value for name, value in schema.items() if name != "$ref"}
        return _inlined({**definitions[schema["$ref"].rpartition("/")[2]], **beside}, definitions)
    return {name: _inlined(value, definitions) for name, value in schema.items()}


def _brief(schema: Json) -> Json:
    """A schema that says what an assistant has to know: it is read within a context window.

    Without titles that repeat names, without null and defaults that are nothing; an example stands in the
    sentence.
    """
    arms = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    if len(arms) == 1:
        said = {name: value for name, value in schema.items() if name != "anyOf" and value is not None}
        schema = {**arms[0], **said}
    if "examples" in schema and "description" in schema:
        schema = {**schema, "description": _with_example(schema)}
    return {
        name: _brief(value) if isinstance(value, dict) else value
        for name, value in schema.items()
        if isinstance(value, dict) or _telling(name, value, str(schema.get("description")))
    }


def _telling(name: str, value: Any, about: str) -> bool:
    """Whether a word of a schema helps whoever calls the tool, beside the sentence on a parameter."""
    if name in UNSAID:
        return False
    if name in ("minimum", "maximum"):
        return bool(abs(value) < FAR) and not re.search(rf"\b{abs(value):,}\b", about)
    nothing = value is False or value in ("", [])
    return name not in ("default", "additionalProperties") or not nothing


def _with_example(schema: Json) -> str:
    """The sentence on a parameter, with an example where neither it nor the default is one."""
    about, (example,) = str(schema["description"]), schema["examples"]
    shown = ", ".join(map(str, example)) if isinstance(example, list) else str(example)
    plain = (
        isinstance(example, bool | int)
        or shown in about
        or len(about) > 50  # long enough to be clear; a model reads every token
        or (not isinstance(example, str) and schema.get("default"))
    )
    return about if plain else f"{about} E.g. {shown}"


def answered(result: Json, *, failed: bool = False) -> Json:
    """A result as the protocol has it: as a text, and as it is."""
    result = hidden(worded(result, called))
    return {
        "content": [{"type": "text", "text": as_text(result)}],
        "structuredContent": result,
        "isError": failed,
    }


def as_text(told: object) -> str:
    """JSON as an assistant reads it."""
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def failed(name: str, error: Exception, explain: Explain | None = None) -> Json:
    """The result of a call that failed; of what was not to be expected only that."""
    if not isinstance(error, ArkError):
        log.error("tool %s", name, exc_info=error)
        error = ArkError(BUG, BUG_HINT)
    return answered((explain or plain)(name, error), failed=True)


def plain(_: str, error: ArkError) -> Json:
    return {"error": error.what, "hint": error.hint}


def called(operation: Operation, given: Given) -> str:
    """A step as a call, with its family where that is not offered."""
    step = f"{operation.tool}({', '.join(f'{name}={value}' for name, value in given.items())})"
    offered = OFFERED.get()
    return step if not offered or operation.family in offered else f"{step}, {absent(operation)}"


def absent(operation: Operation) -> str:
    """Where a tool is that a connection does not offer."""
    return f"in the family {operation.family} that is not offered here"


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    place = place_of(first["loc"])
    match first["type"]:
        case "extra_forbidden":
            return f"There is no parameter {place}."
        case "missing":
            return f"{place} is missing."
        case _:
            return f"{place}: {of_json(first['msg'])}."
