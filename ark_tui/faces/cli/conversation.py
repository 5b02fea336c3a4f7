"""`--conversation`: which of a scope's conversations is meant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def conversation(command: F) -> F:
    """The option of commands that read several conversations or one."""
    return click.option(
        "--conversation", default="", metavar="ID", help="Only this conversation; see `conversations`."
    )(command)
