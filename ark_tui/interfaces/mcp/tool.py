"""Tools from functions: the parameters give the schema, errors become sentences."""

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
from ark_tui.operations.schema import accepted

if TYPE_CHECKING:
    from ark_tui.domain.principal import Grant
    from ark_tui.engine import Engine

Function: TypeAlias = "Callable[..., Json]"
Explain: TypeAlias = Callable[[str, ArkError], Json]


Brief = Annotated[bool, Field(description="Without texts.")]
KEYWORD = inspect.Parameter.KEYWORD_ONLY

READ: Json = {"readOnlyHint": True}
ADD: Json = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False}
SAME: Json = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": True}
DROP: Json = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True}
"""Annotations by the effect of a tool: it reads, adds, sets, or deletes."""

OFFERED: ContextVar[tuple[str, ...]] = ContextVar("offered", default=())
"""The tool families of the current connection; empty outside of one."""

STEPS: dict[str, str] = {}
"""The start of the equivalent tool call, by operation name: `tasks(action=add`."""

OMITTED = ("title", "examples", "minLength", "maxLength", "minItems", "maxItems", "format")
"""Schema keys that are not listed, but still checked."""

FAR = 10**6
"""Bounds from this value on are not listed: they only protect the store. Nor are bounds of 0 or 1."""


@contextmanager
def offering(families: Sequence[str]) -> Iterator[None]:
    """Run this block for a connection with these tool families."""
    before = OFFERED.set(tuple(families))
    try:
        yield
    finally:
        OFFERED.reset(before)


class Family:
    """The tools of one family, collected as their functions are defined.

    `checked`: its functions call operations, which check the token themselves.
    """

    def __init__(self, explain: Explain | None = None, *, checked: bool = True) -> None:
        self.tools: list[Tool] = []
        self._explain, self._checked = explain or plain, checked

    def tool(self, name: str, hints: Json, *, result: Json | None = None) -> Callable[[Function], Function]:
        """Register a function as a tool. Its first parameter is the engine; its docstring is the description.

        `hints`: READ changes nothing, ADD adds, SAME adds or sets idempotently, DROP deletes. `result`: the
        schema of its answer; fields outside of the schema are removed.
        """

        def offered(function: Function) -> Function:
            _, *parameters = inspect.signature(function, eval_str=True).parameters.values()
            about = " ".join((function.__doc__ or "").split())
            self.add(Tool(name, about, hints, parameters, function, self._explain, self._checked, result))
            return function

        return offered

    def operation(
        self, name: str, hints: Json, function: Callable[..., Any], parameters: str,
        told: Callable[..., Json] | None = None,
    ) -> None:  # fmt: skip
        """Register an operation as a tool.

        `parameters`: those that the tool has, as `name` or `name=published_name`, with `!` if this tool
        requires it; besides those of the operation there is `brief`. `told`: makes the answer from the
        result, and `brief` if the tool has it.
        """
        operation = operation_of(function)
        assert operation
        known = {one.name: one for one in operation.parameters}
        offered = []
        for written in parameters.split():
            own, _, published = written.removesuffix("!").partition("=")
            if own == "brief":
                offered.append(inspect.Parameter(own, KEYWORD, annotation=Brief, default=False))
                continue
            kind: Any = Annotated[accepted(known[own]), Field(alias=published or own)]
            default = inspect.Parameter.empty if written.endswith("!") else known[own].default
            offered.append(inspect.Parameter(own, KEYWORD, annotation=kind, default=default))

        def call(engine: Engine, **given: Any) -> Json:
            brief = {"brief": given.pop("brief")} if "brief" in given else {}
            found = ask(engine, function, **given)
            return told(found, **brief) if told else answer(operation, found)

        self.add(Tool(name, operation.summary, hints, offered, call, self._explain, self._checked, None))

    def add(self, tool: Tool) -> None:
        """Register a tool."""
        self.tools.append(tool)


@dataclass(frozen=True)
class Tool:
    """A function over an engine, with its description for an assistant.

    `parameters` are annotated with types and limits; `explain` converts an error to the JSON of its answers.
    `checked`: its operations check the token, so that any token may call it. `result`: as in `Family.tool`.
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
        """The grant that a token needs."""
        if self.checked or self.hints is READ:
            return "read"
        return "admin" if self.hints is DROP else "write"

    @property
    def confinable(self) -> bool:
        """Whether tokens of an agent may call it."""
        return self.checked

    @cached_property
    def _arguments(self) -> type[BaseModel]:
        """The model that validates arguments. Its fields are numbered, since any word may be a parameter."""
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
        """The full JSON schema of the arguments."""
        schema = self._arguments.model_json_schema(by_alias=True)
        definitions: Json = schema.pop("$defs", {})
        found: Json = _inlined(schema, definitions)
        return found

    @cached_property
    def listed(self) -> Json:
        """The tool as the protocol lists it."""
        schemas = {"inputSchema": _brief(self.schema)}
        if self.result:
            schemas["outputSchema"] = self.result
        return {"name": self.name, "description": self.about, **schemas, "annotations": self.hints}

    def run(self, engine: Engine, arguments: Json, key: str = "") -> Json:
        """Call the tool; errors become error results. `key`: an idempotency key."""
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
        """Validate arguments. Null counts as not given; lists may be JSON strings."""
        names = {_alias(one): one for one in self.parameters}
        given = {
            name: _read(value) if name in names and names[name].annotation is not str else value
            for name, value in arguments.items()
            if value is not None
        }
        model = self._arguments.model_validate(given)
        return {one.name: getattr(model, f"field_{place}") for place, one in enumerate(self.parameters)}


def ask(at: Engine | Call, function: Callable[..., Any], **given: Any) -> Any:
    """Call an operation, which checks the caller's token."""
    operation = operation_of(function)
    assert operation
    return operation(at if isinstance(at, Call) else Call(at), **given)


def asked(engine: Engine, function: Callable[..., Any], **given: Any) -> Json:
    """Call an operation and return its result as JSON."""
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
    """Remove null and fields that the schema does not have."""
    if schema["type"] == "array":
        return [fitted(one, schema["items"]) for one in value]
    if schema["type"] != "object":
        return value
    fields = schema["properties"]
    return {name: fitted(value[name], fields[name]) for name in fields if value.get(name) is not None}


def _read(value: Any) -> Any:
    """Parse a list or object that was sent as a JSON string, as some assistants do."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        with suppress(ValueError, RecursionError):
            return json.loads(value)
    return value


def _alias(parameter: inspect.Parameter) -> str:
    """The name of a parameter in requests."""
    marks = getattr(parameter.annotation, "__metadata__", ())
    return next((one.alias for one in marks if getattr(one, "alias", None)), parameter.name)


def _inlined(schema: Any, definitions: Json) -> Any:
    """A schema with inlined definitions: some strict clients do not resolve `$ref`."""
    if isinstance(schema, list):
        return [_inlined(one, definitions) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        beside = {name: value for name, value in schema.items() if name != "$ref"}
        return _inlined({**definitions[schema["$ref"].rpartition("/")[2]], **beside}, definitions)
    return {name: _inlined(value, definitions) for name, value in schema.items()}


def _brief(schema: Json) -> Json:
    """Shorten a schema, because it takes room in the context window.

    Removes titles, null, and empty defaults.
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
    """Whether a schema key adds something to the parameter's description."""
    if name in OMITTED:
        return False
    if name in ("minimum", "maximum"):
        return bool(1 < abs(value) < FAR) and not re.search(rf"\b{abs(value):,}\b", about)
    return name != "default" or value not in (False, "", [], None)


# -- answers ---------------------------------------------------------------------------------------------


def answered(result: Json, *, failed: bool = False) -> Json:
    """A tool result of the protocol: as text and as structured content."""
    result = hidden(worded(result, called))
    return {
        "content": [{"type": "text", "text": as_text(result)}],
        "structuredContent": result,
        "isError": failed,
    }


def as_text(result: object) -> str:
    """Compact JSON."""
    return json.dumps(result, ensure_ascii=False, separators=(",", ":"))


def failed(name: str, error: Exception, explain: Explain | None = None) -> Json:
    """The result of a failed call; unexpected errors are logged and reported without details."""
    if not isinstance(error, ArkError):
        log.error("tool %s", name, exc_info=error)
        error = ArkError(BUG, BUG_HINT)
    return answered((explain or plain)(name, error), failed=True)


def plain(_: str, error: ArkError) -> Json:
    return {"error": error.what, "hint": error.hint}


def called(operation: Operation, given: Given) -> str:
    """A step of a hint as a tool call; empty if no offered tool does it."""
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
