"""Flat facts of the program: commands, schemas and JSON as `entry → {fact: value}`; what was lost of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import PurePath
from typing import Any

import click

Facts = dict[str, Any]
Entries = dict[str, Facts]

WORDS = {"help", "about", "description", "label", "metavar"}
"""Facts that are prose: they may be worded anew, and must not go."""

TYPES = {"object", "array", "string", "boolean", "number", "null"}

MAPS = ("*Distribution", "*payload", "*causes", "*metadata", "*baselines", "*categories")
"""Paths of JSON objects whose keys are data, not names of fields."""

CHANCE = ("ark-tui analyze", "report a*", "* /jobs*")
"""Answers of measures: which of their lists are empty depends on ids that are drawn."""

# -- the command line ---------------------------------------------------------------------------------------


def commands(group: click.Group, known: Iterable[str] = ()) -> Entries:
    """Every command with its options and arguments. `known` names are looked for where no list has them."""
    found: Entries = {}
    ctx = click.Context(group, info_name="")
    _command(group, "", ctx, {name.split(" --")[0].split(" [")[0] for name in known}, found)
    return found


def _command(command: click.Command, path: str, ctx: click.Context, known: set[str], found: Entries) -> None:
    found[path or "ark-tui"] = {"help": command.get_short_help_str(200)}
    place = 0
    for param in command.get_params(ctx):
        if isinstance(param, click.Option):
            name = max(param.opts, key=len)
        else:
            name, place = f"[{place}]", place + 1
        found[f"{path} {name}".strip()] = _param(param, ctx)
    if not isinstance(command, click.Group):
        return
    below = {name for name in known if name.startswith(path)}
    names = {name[len(path) :].split()[0] for name in below if name[len(path) :].split()}
    for name in sorted({*command.list_commands(ctx), *names}):
        if (one := command.get_command(ctx, name)) is not None:
            _command(one, f"{path} {name}".strip(), click.Context(one, parent=ctx), known, found)


def _param(param: click.Parameter, ctx: click.Context) -> Facts:
    told = param.to_info_dict()
    kind = told["type"]
    facts: Facts = {
        "names": sorted([*param.opts, *param.secondary_opts]) if isinstance(param, click.Option) else [],
        "type": kind["param_type"],
        "required": param.required,
        "multiple": param.multiple,
        "nargs": param.nargs,
        "default": _plain(told["default"]),
        "metavar": param.make_metavar(ctx),
        "help": told.get("help") or "",
        "flag": told.get("is_flag", False),
        "choices": list(kind.get("choices", ())),
        "range": [kind["min"], kind["max"]] if "min" in kind else [],
    }
    quiet: tuple[Any, ...] = (None, False, [], "")
    return {name: value for name, value in facts.items() if value not in quiet}


def _plain(value: Any) -> Any:
    if isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return str(value) if isinstance(value, PurePath) else None


# -- schemas ------------------------------------------------------------------------------------------------

NARROW = (
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength"),
    *("minItems", "maxItems", "pattern", "const"),
)
LIMITS = (*NARROW, "format", "default", "additionalProperties")


def routes(document: Mapping[str, Any]) -> Entries:
    """Every route of an OpenAPI document with its parameters, the fields of its body and its answers."""
    found: Entries = {}
    shared = document.get("components", {}).get("schemas", {})
    for path, methods in document["paths"].items():
        for method, route in methods.items():
            name = f"{method.upper()} {nameless(path)}"
            found[name] = {"help": route.get("description") or route.get("summary", "")}
            found |= _parameters(name, path, route, shared)
            body = route.get("requestBody")
            if body:
                ((kind, content),) = body["content"].items()
                found[f"{name} body"] = {"content": kind, "required": body.get("required", False)}
                found |= fields(content["schema"], shared, f"{name} body")
            for status, answer in route["responses"].items():
                found[f"{name} -> {status}"] = {"content": sorted(answer.get("content", {}))}
    return found


def nameless(path: str) -> str:
    """`/tasks/{task_id}` as `/tasks/{}`: what stands in the place has no name on the wire."""
    return "/".join("{}" if part.startswith("{") else part for part in path.split("/"))


def _parameters(name: str, path: str, route: Mapping[str, Any], shared: Mapping[str, Any]) -> Entries:
    found: Entries = {}
    for one in route.get("parameters", ()):
        place = f"?{one['name']}" if one["in"] == "query" else one["in"]
        if one["in"] == "path":
            place = f"{{{[part for part in path.split('/') if '{' in part].index('{' + one['name'] + '}')}}}"
        elif one["in"] == "header":
            place = f"header {one['name']}"
        found |= fields(one["schema"], shared, f"{name} {place}", required=one.get("required", False))
    return found


def fields(
    schema: Mapping[str, Any], shared: Mapping[str, Any], path: str, *, required: bool = False
) -> Entries:
    """A JSON schema and all that is in it, each with its type and limits."""
    found: Entries = {}
    mine: Facts = {"types": set(), "enum": []}
    for one in _variants(schema, shared):
        for name in LIMITS:
            if name in one and not isinstance(one[name], dict):
                mine[name] = one[name]
        if one.get("description"):
            mine["description"] = one["description"]
        mine["enum"] += one.get("enum", [])
        mine["types"] |= {one["type"]} if isinstance(one.get("type"), str) else set(one.get("type", ()))
        for name, below in one.get("properties", {}).items():
            found |= fields(below, shared, f"{path}.{name}", required=name in one.get("required", ()))
        items = one.get("items")
        if isinstance(items, dict):
            found |= fields(items, shared, f"{path}[]")
    mine |= {"types": sorted(mine["types"]), "required": required}
    return {path: {name: value for name, value in mine.items() if value not in ([], False)}, **found}


def _variants(schema: Mapping[str, Any], shared: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A schema and what it may be instead, references followed."""
    if "$ref" in schema:
        yield from _variants(shared[schema["$ref"].rsplit("/", 1)[1]], shared)
    yield {name: value for name, value in schema.items() if name != "$ref"}
    for several in ("anyOf", "oneOf", "allOf"):
        for one in schema.get(several, ()):
            yield from _variants(one, shared)


def tools(listed: Iterable[Any], families: Mapping[str, str]) -> Entries:
    """Every tool with its family, hints and parameters."""
    found: Entries = {}
    for tool in listed:
        hints = tool.annotations.model_dump(exclude_none=True)
        found[tool.name] = {"family": families.get(tool.name, ""), "description": tool.description, **hints}
        schema = tool.input_schema
        inside = fields(schema, schema.get("$defs", {}), tool.name)
        found |= {name: facts for name, facts in inside.items() if name != tool.name}
    return found


# -- JSON ---------------------------------------------------------------------------------------------------


def shape(value: Any, path: str = "") -> dict[str, set[str]]:
    """The paths in a JSON value with the types at each: lists are merged, and keys that are data are `*`."""
    found: dict[str, set[str]] = {path or ".": {_type(value)}}
    below: Iterable[tuple[str, Any]] = ()
    if isinstance(value, dict):
        data = any(fnmatchcase(path, one) for one in MAPS)
        below = [(f"{path}.{'*' if data else key}".lstrip("."), one) for key, one in value.items()]
    elif isinstance(value, list):
        below = [(f"{path}[]", one) for one in value]
    for place, one in below:
        for name, types in shape(one, place).items():
            found.setdefault(name, set()).update(types)
    return found


def _type(value: Any) -> str:
    names = {dict: "object", list: "array", str: "string", bool: "boolean", int: "number", float: "number"}
    return names.get(type(value), "null")


def shapes(told: Iterable[tuple[str, Any]]) -> Entries:
    """What several answers of the same name have in common, and each has besides."""
    merged: dict[str, dict[str, set[str]]] = {}
    for name, value in told:
        mine = merged.setdefault(name, {})
        for path, types in shape(value).items():
            mine.setdefault(path, set()).update(types)
    return {
        name: {path: " or ".join(sorted(types)) for path, types in sorted(paths.items())}
        for name, paths in merged.items()
    }


# -- what was lost ------------------------------------------------------------------------------------------


def lost(kept: Entries, now: Entries) -> dict[str, str]:
    """What is kept and no longer so, by entry or `entry#fact`, with a sentence. Additions are no loss.

    A new limit is one: what was taken before would be refused. So is something new that has to be given.
    """
    found: dict[str, str] = {}
    for entry, facts in kept.items():
        if entry not in now:
            found[entry] = "it is gone"
            continue
        narrower = {
            name for name in (*NARROW, "required", "range", "choices", "enum") if now[entry].get(name)
        }
        found |= {f"{entry}#{name}": f"it is new: {now[entry][name]}" for name in narrower - facts.keys()}
        for name, value in facts.items():
            if name not in now[entry] and _unseen(entry, name, now[entry]):
                continue
            if why := _differs(name, value, now[entry].get(name)):
                found[f"{entry}#{name}"] = why
    for entry in now.keys() - kept.keys():
        owner = max((one for one in now if entry.startswith((f"{one} ", f"{one}."))), key=len, default="")
        if owner in kept and now[entry].get("required"):
            found[entry] = f"{owner} did not ask for it, and cannot be used without it now"
    return found


def _unseen(entry: str, path: str, now: Facts) -> bool:
    """Whether it is in a list of a measure that happens to be empty: by chance."""
    lists = [path[: place + 2] for place in range(len(path)) if path.startswith("[]", place)]
    return any(fnmatchcase(entry, one) for one in CHANCE) and any(one not in now for one in lists)


def _differs(name: str, kept: Any, today: Any) -> str:
    if name in WORDS:
        return "" if today else "it has no words any more"
    if name == "required":
        return ""  # what had to be given may become optional
    if isinstance(kept, list) and name not in ("range", "default"):
        gone = [one for one in kept if one not in (today or [])]
        return f"gone: {gone}" if gone else ""
    if isinstance(kept, str) and isinstance(today, str) and kept.split(" or ")[0] in TYPES:
        before, after = set(kept.split(" or ")), set(today.split(" or "))
        return "" if after <= before and before - {"null"} <= after else f"{kept} is now {today}"
    same = kept == today and isinstance(kept, bool) == isinstance(today, bool)
    return "" if same else f"{kept!r} is now {today!r}"
