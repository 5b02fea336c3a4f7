"""Commands that take free text: every token that is not a declared option is a word."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Any

import click

STDIN = "-"
LONG = re.compile(r"(--[A-Za-z][\w-]*)(=.*)?", re.DOTALL)


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


def or_stdin(text: str) -> str:
    """The text, or stdin if it is `-`."""
    return sys.stdin.buffer.read().decode("utf-8", "replace") if text == STDIN else text


def joined(_: click.Context, __: click.Parameter, value: Any) -> str:
    """Join the words with single spaces."""
    return " ".join(value or ())
