"""Commands generated from operations: options and arguments from the signature, help from docstrings."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, get_args, get_origin

import click

from ark_tui.domain.errors import UsageError
from ark_tui.domain.untrusted import read_json
from ark_tui.interfaces.cli import rendering
from ark_tui.interfaces.cli.output import Output
from ark_tui.interfaces.cli.rendering import generic
from ark_tui.interfaces.cli.session import Session, face, keyed, scoped, stoppable
from ark_tui.operations.call import Call
from ark_tui.operations.encoding import encoded
from ark_tui.operations.operation import Operation, Page, Parameter, answer

STDIN = "-"
LONG = re.compile(r"(--[A-Za-z][\w-]*)(=.*)?", re.DOTALL)
ALL = "all"
"""The word that selects all choices."""

TOLD = 10**6
"""Bounds above this value only protect the store and are not shown."""


class IntRange(click.IntRange):
    """A range that does not show an upper bound above `TOLD`."""

    def _describe_range(self) -> str:
        if self.max is not None and self.max > TOLD:
            return f"x>={self.min}" if self.min is not None and self.min > -TOLD else ""
        return super()._describe_range()


class FreeText(click.Command):
    """A command whose only argument is free text, including dashes.

    Declared options are options wherever they stand, an unknown `--long` is an error, every other token is a
    word, as is everything after a bare `--`. (click's `ignore_unknown_options` does not work here: it takes
    `-notes` for `-n otes`.)
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse options first, then words, in the order that click expects."""
        options, words = self._sorted(ctx, args)
        return super().parse_args(ctx, [*options, "--", *words])

    def _sorted(self, ctx: click.Context, args: Sequence[str]) -> tuple[list[str], list[str]]:
        declared = self._declared(ctx)
        options: list[str] = []
        words: list[str] = []
        waiting = list(args)
        while waiting:
            token = waiting.pop(0)
            long = LONG.fullmatch(token)
            name = long[1] if long else token
            if token == "--":  # noqa: S105 - no password
                return options, words + waiting
            if name in declared:
                options.append(token)
                if _wants_value(declared[name]) and not (long and long[2]):
                    if not waiting and not ctx.resilient_parsing:
                        raise click.BadOptionUsage(name, f"The option {name} needs a value.", ctx)
                    options += waiting[:1]
                    del waiting[:1]
            elif long and not ctx.resilient_parsing:
                raise click.NoSuchOption(name, possibilities=declared, ctx=ctx)
            else:
                words.append(token)
        return options, words

    def _declared(self, ctx: click.Context) -> dict[str, click.Option]:
        options = (param for param in self.get_params(ctx) if isinstance(param, click.Option))
        return {name: option for option in options for name in (*option.opts, *option.secondary_opts)}


def _wants_value(option: click.Option) -> bool:
    return not option.is_flag and not option.count


class Made(FreeText):
    """The command of an operation, whose help also describes its arguments."""

    def __init__(self, operation: Operation, **about: Any) -> None:
        super().__init__(operation.command.split()[-1], **about)
        self.operation = operation

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse free text if the operation takes words, else as click does."""
        if any(parameter.said.words for parameter in self.operation.parameters):
            return super().parse_args(ctx, args)
        return click.Command.parse_args(self, ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the arguments with descriptions, then the options."""
        arguments = [parameter for parameter in self.operation.parameters if parameter.said.argument]
        if arguments:
            with formatter.section("Arguments"):
                formatter.write_dl([(_metavar(argument), _sentence(argument)) for argument in arguments])
        super().format_options(ctx, formatter)


class Choice(click.Choice[str]):
    """One of some words, case-insensitive."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        known = {choice.lower(): choice for choice in self.choices}
        return super().convert(known.get(str(value).strip().lower(), value), param, ctx)


def command(operation: Operation) -> Made:
    """The command of an operation, with the options of its renderer."""
    renderer = generic.of(operation)
    made = Made(
        operation,
        params=[*map(_param, operation.parameters), *renderer.options],
        callback=_callback(operation, renderer),
        help=operation.about,
        epilog=f"Example: {operation.example}",
    )
    if operation.keyed:
        made = keyed(made)
    return face(scoped(made) if operation.scoped else made)


def _callback(operation: Operation, renderer: rendering.Renderer) -> Any:
    looks = {option.name for option in renderer.options}

    @click.pass_context
    def run(ctx: click.Context, /, as_json: bool, **given: Any) -> None:
        session = ctx.ensure_object(Session)
        wanted = list(_each(operation, {name: value for name, value in given.items() if name not in looks}))
        with ExitStack() as stack:
            home = stack.enter_context(session.opened(begins=operation.begins))
            call = Call(home.engine, person=True)

            def carry_out(**named: Any) -> Any:
                return home.ask(operation, call, (), named, session.key)

            if operation.long:
                call.stop = stack.enter_context(stoppable())
                call.progress, call.say = stack.enter_context(session.say.progress()), session.say.notice
            view = rendering.View(session.say, call, given | wanted[0], as_json)
            if renderer.run:
                renderer.run(view, lambda **more: carry_out(**{**wanted[0], **more}))
                return
            results = [carry_out(**one) for one in wanted]
            _say(session, renderer, results)
            if as_json:
                Output().document(_json(operation, results))
            elif renderer.show:
                renderer.show(view, results)
            Output().flush()
            for remark in renderer.after(call):
                session.say.notice(remark)
        ctx.exit(max(map(renderer.code, results)))

    return run


def _say(session: Session, renderer: rendering.Renderer, results: Sequence[Any]) -> None:
    for result in results:
        for text in renderer.warnings(result):
            session.say.warning(text)
        for text in renderer.remarks(result):
            session.say.notice(text)


def _json(operation: Operation, results: Sequence[Any]) -> Any:
    """The JSON of the answer, or the list of answers if the operation was called for several items."""
    if operation.listed and not any(map(_lists, (operation.result, *get_args(operation.result)))):
        return {operation.listed: encoded(results)}
    return answer(operation, results[0])


def _lists(kind: Any) -> bool:
    return get_origin(kind) in (Page, tuple)


def _each(operation: Operation, given: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The arguments of each call: one per named item, if several may be named."""
    known = {parameter.name: _value(parameter, given[parameter.name]) for parameter in operation.parameters}
    several = next((parameter.name for parameter in operation.parameters if parameter.said.each), "")
    if not several:
        yield known
    for value in known[several] if several else ():
        yield known | {several: value}


def _value(parameter: Parameter, value: Any) -> Any:
    if parameter.said.words:
        value = or_stdin(value)
    if parameter.type is dict or getattr(parameter.type, "__origin__", None) is dict:
        return (
            tuple(_object(parameter, one) for one in value)
            if parameter.several
            else _object(parameter, value)
        )
    if parameter.said.file:
        return _content(value)
    if parameter.optional and (value == () or (parameter.said.words and not value)):
        return None
    if parameter.several:
        return tuple(value.split(",") if isinstance(value, str) else value)
    return value


def _content(name: str) -> str:
    """The text of a file, or of stdin. Raises `UsageError` if it is not UTF-8."""
    data = sys.stdin.buffer.read() if name == STDIN else Path(name).expanduser().read_bytes()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{name} is not UTF-8.", "Name a file of text.") from error


def _object(parameter: Parameter, text: str | None) -> dict[str, Any] | None:
    if not text:
        return None
    hint = f"It looks like {parameter.said.example}."
    name = parameter.wire.removesuffix("s") if parameter.several else parameter.wire
    try:
        found = read_json(text)
    except ValueError as error:
        raise UsageError(f"The {name} is not JSON: {error}.", hint) from error
    if not isinstance(found, dict):
        raise UsageError(f"The {name} is not a JSON object.", hint)
    return found


def _param(one: Parameter) -> click.Parameter:
    if one.said.argument:
        several = (one.several and not one.said.commas) or one.said.words or one.said.each
        # click takes even None as a default, and then the argument is never missing
        default: dict[str, Any] = {} if one.required else {"default": None if several else one.default}
        return click.Argument(
            [one.name],
            nargs=-1 if several else 1,
            required=one.required and not one.said.words,
            type=_type(one),
            metavar=None if one.said.words else _metavar(one) if one.required else f"[{_metavar(one)}]",
            callback=joined if one.said.words else None,
            **default,
        )
    name = one.flag
    about: dict[str, Any] = {"help": _sentence(one), "multiple": one.several and not one.said.commas}
    if one.type is bool:
        about |= {"is_flag": True} if not one.optional else {"default": None}
        names = [f"{name}/--no-{name[2:]}" if one.optional else name]
    elif one.said.commas:
        names = [name]
        about |= {"metavar": one.said.metavar or "NAMES", "default": ALL, "show_default": True}
        about |= {"callback": _listed(one)}
    else:
        metavar = one.said.metavar or ("N" if one.type in (int, float) else None)
        about |= {"type": _type(one), "metavar": metavar, "required": one.required}
        names = [one.said.short, name] if one.said.short else [name]
        if not (one.required or one.several):
            about |= {"default": one.default, "show_default": one.default not in ("", None)}
    return click.Option([one.name, *names], **about)


def _listed(one: Parameter) -> Callable[[click.Context, click.Parameter, str], tuple[str, ...]]:
    """A callback that parses comma-separated choices; `all` gives an empty tuple."""

    def read(_: click.Context, __: click.Parameter, value: str) -> tuple[str, ...]:
        wanted = tuple(filter(None, (name.strip() for name in value.split(","))))
        hint = f"It is some of {', '.join(one.choices)}, with commas between; or {ALL}."
        if unknown := [name for name in wanted if name not in (*one.choices, ALL)]:
            raise UsageError(f"There is no {_metavar(one).lower()} {unknown[0]}.", hint)
        if not wanted:
            raise UsageError(f"No {one.wire} is named.", hint)
        return () if ALL in wanted else wanted

    return read


def _type(one: Parameter) -> Any:
    if one.choices:
        return Choice(one.choices)
    least, most = one.said.least, one.said.most
    if one.type is int:
        least, most = (None if limit is None else int(limit) for limit in (least, most))
        return IntRange(least, most)
    if one.type is float:
        return click.FloatRange(least, most)
    return click.Path(path_type=Path) if one.type is Path else str


def _metavar(one: Parameter) -> str:
    name = one.said.metavar or one.name.rstrip("_").upper()
    return f"{name}..." if (one.several and not one.said.commas) or one.said.each else name


def _sentence(one: Parameter) -> str:
    """The description of a parameter, with its example unless it contains it."""
    said, example = one.said.about, one.said.example
    if one.said.words:
        said += " - alone reads it from stdin."
    if one.said.commas and one.choices:
        return f"{said} With commas between: {', '.join(one.choices)}."
    if one.said.file:
        return f"{said} Read from FILE; - is stdin."
    if example is None or isinstance(example, bool) or one.choices:
        return said
    shown = ", ".join(map(str, example)) if isinstance(example, tuple) else str(example)
    return said if shown in said else f"{said} E.g. {shown}"


def or_stdin(text: str) -> str:
    """The text, or stdin if it is `-`."""
    return sys.stdin.buffer.read().decode("utf-8", "replace") if text == STDIN else text


def joined(_: click.Context, __: click.Parameter, value: Any) -> str:
    """Join the words with single spaces."""
    return " ".join(value or ())
