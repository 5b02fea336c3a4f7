"""How a function becomes a tool: its parameters are the schema, its errors are sentences."""

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
from ark_tui.operations.operation import Operation, answer, operation_of

if TYPE_CHECKING:
    from ark_tui.domain.principal import Grant
    from ark_tui.engine import Engine

Function: TypeAlias = "Callable[..., Json]"
Explain: TypeAlias = Callable[[str, ArkError], Json]


READ: Json = {"readOnlyHint": True}
ADD: Json = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False}
SAME: Json = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": True}
DROP: Json = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True}
"""What a tool does to the home: it changes nothing, adds, sets, or takes away."""

OFFERED: ContextVar[tuple[str, ...]] = ContextVar("offered", default=())
"""The families of tools of the connection that is answered; none outside of one."""

STEPS: dict[str, str] = {}
"""By the name of an operation, the beginning of a call of a tool that does the same: `tasks(action=add`."""

OMITTED = ("title", "examples", "minLength", "maxLength", "minItems", "maxItems", "format")
"""What a listed schema leaves out; it is checked all the same."""

FAR = 10**6
"""Bounds from here on only keep numbers small enough for the store; a bound of 0 or 1 is plain."""


@contextmanager
def offering(families: Sequence[str]) -> Iterator[None]:
    """Answer for a connection with these families of tools."""
    before = OFFERED.set(tuple(families))
    try:
        yield
    finally:
        OFFERED.reset(before)


class Family:
    """The tools of one family, gathered as their functions are defined.

    `checked`: its functions ask operations, each of which checks the token itself.
    """

    def __init__(self, explain: Explain | None = None, *, checked: bool = True) -> None:
        self.tools: list[Tool] = []
        self._explain, self._checked = explain or plain, checked

    def tool(self, name: str, hints: Json, *, result: Json | None = None) -> Callable[[Function], Function]:
        """Offer a function of the engine and the tool's parameters; its docstring says when to use it.

        `hints`: READ changes nothing, ADD adds, SAME adds or sets but nothing more when called again, DROP
        takes away. `result`: the schema of its answer, which leaves out what the schema does not name.
        """

        def offered(function: Function) -> Function:
            _, *parameters = inspect.signature(function, eval_str=True).parameters.values()
            about = " ".join((function.__doc__ or "").split())
            self.add(Tool(name, about, hints, parameters, function, self._explain, self._checked, result))
            return function

        return offered

    def add(self, tool: Tool) -> None:
        """Offer a tool."""
        self.tools.append(tool)


@dataclass(frozen=True)
class Tool:
    """A function over an engine, with what an assistant has to know of it.

    `parameters` are annotated with types and their limits; `explain` puts an error into the shape of its
    answers. `checked`: its operations check the token, so that any may call it. `result`: as of `Family`.
    """

    name: str
    about: str
    hints: Json
    parameters: Sequence[inspect.Parameter]
    function: Function
    explain: Explain
    checked: bool
    result: Json | None

    @property
    def grant(self) -> Grant:
        """What a token has to grant for it."""
        if self.checked or self.hints is READ:
            return "read"
        return "admin" if self.hints is DROP else "write"

    @property
    def confinable(self) -> bool:
        """Whether tokens of an agent are for it."""
        return self.checked

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

    @cached_property
    def listed(self) -> Json:
        """As the protocol lists it."""
        schemas = {"inputSchema": _brief(self.schema)}
        if self.result:
            schemas["outputSchema"] = self.result
        return {"name": self.name, "description": self.about, **schemas, "annotations": self.hints}

    def run(self, engine: Engine, arguments: Json, key: str = "") -> Json:
        """The result of a call, as the protocol has it: errors are sentences. `key`: an idempotency key."""
        try:
            given = self._checked(arguments)
        except ValidationError as error:
            known = ", ".join(map(_alias, self.parameters)) or "none"
            failure = {"error": _sentence(error), "hint": f"Parameters of {self.name}: {known}."}
            return answered(failure, failed=True)
        try:
            call = Call(engine)
            with call.admitted(self), engine.asked("" if self.hints is READ else key, call.scope.agent):
                found = self.function(engine, **given)
            return answered(fitted(found, self.result) if self.result else found)
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


def ask(at: Engine | Call, function: Callable[..., Any], **given: Any) -> Any:
    """What an operation returns, where the caller's token is for it."""
    operation = operation_of(function)
    assert operation
    return operation(at if isinstance(at, Call) else Call(at), **given)


def asked(engine: Engine, function: Callable[..., Any], **given: Any) -> Json:
    """The same as JSON."""
    operation = operation_of(function)
    assert operation
    found: Json = answer(operation, ask(engine, function, **given))
    return found


# -- schemas ---------------------------------------------------------------------------------------------

TEXT: Json = {"type": "string"}
TEXTS: Json = {"type": "array", "items": TEXT}
WHOLE: Json = {"type": "integer"}
NUMBER: Json = {"type": "number"}
YES: Json = {"type": "boolean"}


def record(*required: str, **fields: Json) -> Json:
    """The schema of an object."""
    return {"type": "object", "properties": fields, **({"required": [*required]} if required else {})}


def many(item: Json) -> Json:
    """The schema of a list."""
    return {"type": "array", "items": item}


def fitted(value: Any, schema: Json) -> Any:
    """A value without what its schema does not name, and without null."""
    if schema["type"] == "array":
        return [fitted(one, schema["items"]) for one in value]
    if schema["type"] != "object":
        return value
    fields = schema["properties"]
    return {name: fitted(value[name], fields[name]) for name in fields if value.get(name) is not None}


def _read(value: Any) -> Any:
    """A list or object that was sent as a text of JSON, as some assistants do."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        with suppress(ValueError, RecursionError):
            return json.loads(value)
    return value


def _alias(parameter: inspect.Parameter) -> str:
    """What a parameter is called on the wire."""
    marks = getattr(parameter.annotation, "__metadata__", ())
    return next((one.alias for one in marks if getattr(one, "alias", None)), parameter.name)


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
    """A schema with what an assistant needs: it is read within a context window.

    Without titles that repeat names, and without null and defaults that say nothing.
    """
    arms = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    if len(arms) == 1:
        rest = {name: value for name, value in schema.items() if name != "anyOf" and value is not None}
        schema = {**arms[0], **rest}
    return {
        name: _brief(value) if isinstance(value, dict) else value
        for name, value in schema.items()
        if isinstance(value, dict) or _telling(name, value, str(schema.get("description")))
    }


def _telling(name: str, value: Any, about: str) -> bool:
    """Whether a word of a schema helps an assistant, beside the sentence on a parameter."""
    if name in OMITTED:
        return False
    if name in ("minimum", "maximum"):
        return bool(1 < abs(value) < FAR) and not re.search(rf"\b{abs(value):,}\b", about)
    return name != "default" or value not in (False, "", [], None)


# -- answers ---------------------------------------------------------------------------------------------


def answered(result: Json, *, failed: bool = False) -> Json:
    """A result as the protocol has it: as a text, and as it is."""
    result = hidden(worded(result, called))
    return {
        "content": [{"type": "text", "text": as_text(result)}],
        "structuredContent": result,
        "isError": failed,
    }


def as_text(result: object) -> str:
    """JSON as an assistant reads it."""
    return json.dumps(result, ensure_ascii=False, separators=(",", ":"))


def failed(name: str, error: Exception, explain: Explain | None = None) -> Json:
    """The result of a call that failed; of what was not to be expected only that."""
    if not isinstance(error, ArkError):
        log.error("tool %s", name, exc_info=error)
        error = ArkError(BUG, BUG_HINT)
    return answered((explain or plain)(name, error), failed=True)


def plain(_: str, error: ArkError) -> Json:
    return {"error": error.what, "hint": error.hint}


def called(operation: Operation, given: Given) -> str:
    """A step as a call of a tool; empty where no tool that is offered does it."""
    start, offered = STEPS.get(operation.name, ""), OFFERED.get()
    if not start or (offered and "ark" not in offered):
        return ""
    name, _, action = start.partition("(")
    return f"{name}({', '.join(filter(None, (action, *(f'{key}={value}' for key, value in given.items()))))})"


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
