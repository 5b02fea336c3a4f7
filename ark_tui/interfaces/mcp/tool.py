"""How a plain function becomes a tool: its parameters are the schema, its errors are sentences."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import ConfigDict, Field, ValidationError

from ark_tui.domain.errors import BUG, BUG_HINT, ArkError
from ark_tui.interfaces.reports.faults import log
from ark_tui.interfaces.reports.text import hidden
from ark_tui.operations.catalog import Given, worded
from ark_tui.operations.encoding import Json
from ark_tui.operations.operation import Operation

if TYPE_CHECKING:
    from ark_tui.engine import Engine

Function: TypeAlias = "Callable[..., Json]"
Explain: TypeAlias = Callable[[str, ArkError], Json]


def _hints(*, reads: bool = False, destroys: bool = False, repeats: bool = True) -> ToolAnnotations:
    return ToolAnnotations(
        read_only_hint=reads, destructive_hint=destroys, idempotent_hint=repeats, open_world_hint=False
    )


READ, ADD, SAME, DROP = _hints(reads=True), _hints(repeats=False), _hints(), _hints(destroys=True)

UNSAID = ("title", "examples", "minLength", "maxLength")
"""What a schema of a tool leaves out; it is checked all the same."""

FAR = 10**6
"""Bounds from here on are only there so that no number is too large for the store."""

KEY = inspect.Parameter(
    "idempotency_key",
    inspect.Parameter.KEYWORD_ONLY,
    default="",
    annotation=Annotated[str, Field(max_length=200, description="The same key within a day adds nothing.")],
)


class Family:
    """The tools of one family, gathered as their functions are defined."""

    def __init__(self, explain: Explain | None = None) -> None:
        self._offers: list[Callable[[Engine], Tool]] = []
        self._explain = explain

    def tool(
        self, name: str, hints: ToolAnnotations, *, keyed: bool = False
    ) -> Callable[[Function], Function]:
        """Offer a function of the engine and the tool's parameters; its docstring says when to use it.

        `hints`: READ changes nothing, ADD adds, SAME adds or sets but nothing more when called again, DROP
        takes away. `keyed`: it adds, and takes an idempotency key.
        """

        def offered(function: Function) -> Function:
            about = inspect.cleandoc(function.__doc__ or "")

            def made(engine: Engine) -> Tool:
                _, *parameters = inspect.signature(function, eval_str=True).parameters.values()
                parameters += [KEY] if keyed else []
                return build(engine, name, about, hints, parameters, function, self._explain)

            self._offers.append(made)
            return function

        return offered

    def tools(self, engine: Engine) -> list[Tool]:
        """The tools over one engine."""
        return [offer(engine) for offer in self._offers]


def build(
    engine: Engine,
    name: str,
    about: str,
    hints: ToolAnnotations,
    parameters: Sequence[inspect.Parameter],
    function: Function,
    explain: Explain | None = None,
) -> Tool:
    """A tool over an engine: `function` takes it and the parameters, as they are annotated."""
    call = _bound(engine, name, parameters, function, explain or _plain)
    made = Strict.from_function(call, name=name, description=about, annotations=hints)
    arguments = made.fn_metadata.arg_model
    arguments.model_config = ConfigDict(**arguments.model_config, extra="forbid")
    arguments.model_rebuild(force=True)
    made.parameters = _brief(arguments.model_json_schema(by_alias=True))
    return made


class Strict(Tool):
    """A tool that takes null as not given, and says in one sentence what is wrong with its arguments."""

    async def run(self, arguments: Json, context: Any, convert_result: bool = False) -> Any:
        given = {name: value for name, value in arguments.items() if value is not None}
        try:
            return await super().run(given, context, convert_result)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                what = _sentence(error.__cause__)
                known = ", ".join(self.parameters["properties"]) or "none"
                return _failed({"error": what, "hint": f"Parameters of {self.name}: {known}."})
            raise


def _bound(
    engine: Engine, name: str, parameters: Sequence[inspect.Parameter], function: Function, explain: Explain
) -> Callable[..., CallToolResult]:
    """The function without its engine, with results and errors as the protocol wants them."""
    names = {
        _alias(parameter): parameter.name for parameter in parameters
    }  # a word such as `from` is no name in Python

    def call(**arguments: Any) -> CallToolResult:
        given = {names[alias]: value for alias, value in arguments.items()}
        try:
            with engine.asked(given.pop(KEY.name, "")):
                return _answered(function(engine, **given))
        except ArkError as error:
            return _failed(explain(name, error))
        except Exception:  # noqa: BLE001 - a call that fails is an answer, not the end of the server
            log.exception("tool %s", name)
            return _failed(explain(name, ArkError(BUG, BUG_HINT)))

    call.__name__ = name.replace("-", "_")
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters} | {
        "return": CallToolResult
    }
    vars(call)["__signature__"] = inspect.Signature(list(parameters), return_annotation=CallToolResult)
    return call


def _alias(parameter: inspect.Parameter) -> str:
    """What a parameter is called on the wire."""
    said = getattr(parameter.annotation, "__metadata__", ())
    return next((one.alias for one in said if getattr(one, "alias", None)), parameter.name)


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
        if isinstance(value, dict) or _telling(name, value)
    }


def _telling(name: str, value: Any) -> bool:
    """Whether a word of a schema helps whoever calls the tool."""
    if name in UNSAID:
        return False
    if name in ("minimum", "maximum"):
        return bool(abs(value) < FAR)
    return name != "default" or value is True or (value not in ("", []) and value is not False)


def _with_example(schema: Json) -> str:
    """The sentence on a parameter, with an example where neither it nor the default is one."""
    about, (example,) = str(schema["description"]), schema["examples"]
    shown = ", ".join(map(str, example)) if isinstance(example, list) else str(example)
    plain = (
        isinstance(example, bool)
        or shown in about
        or (not isinstance(example, str) and schema.get("default"))
    )
    return about if plain else f"{about} E.g. {shown}"


def _answered(result: Json) -> CallToolResult:
    result = hidden(worded(result, called))
    text = json.dumps(result, ensure_ascii=False, separators=(",", ":"))
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=result)


def _failed(failure: Json) -> CallToolResult:
    answer = _answered(failure)
    answer.is_error = True
    return answer


def _plain(_: str, error: ArkError) -> Json:
    return {"error": error.what, "hint": error.hint}


def called(operation: Operation, given: Given) -> str:
    """A step as a call."""
    return f"{operation.tool}({', '.join(f'{name}={value}' for name, value in given.items())})"


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    match first["type"]:
        case "extra_forbidden":
            return f"There is no parameter {place}."
        case "missing":
            return f"{place} is missing."
        case _:
            return f"{place}: {first['msg']}."
