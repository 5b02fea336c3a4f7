"""The caller of an operation: working folder, environment variables, memory scope and clock.

The home process serves requests of other processes. The caller is a context variable, set for the thread that
processes a request, so that the environment of the process that started the home does not affect other
clients. Without a caller, the values of this process apply.
"""

from __future__ import annotations

import os
from collections import ChainMap
from collections.abc import Mapping
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

IDENTITY = {
    "agent": "ARK_AGENT_ID",
    "session": "ARK_SESSION_ID",
    "project": "ARK_PROJECT_ID",
    "now": "ARK_NOW",
}
"""Fields that identify a caller, with their environment variables."""

COMMAND_LINE = "command line"
"""The `program` of callers to which warnings about settings are shown with each call."""


@dataclass(frozen=True, slots=True)
class Caller:
    """One caller. `overrides`: settings from its command line. `program`: its name for display."""

    folder: Path
    environ: Mapping[str, str] = field(default_factory=dict)
    overrides: Mapping[str, object] = field(default_factory=dict)
    agent: str = ""
    session: str = ""
    project: str = ""
    now: str = ""
    program: str = ""


CALLER: ContextVar[Caller | None] = ContextVar("caller", default=None)


def folder() -> Path:
    """The folder to which relative paths refer."""
    caller = CALLER.get()
    return caller.folder if caller else Path.cwd()


_own: ChainMap[str, str] = ChainMap({}, os.environ)


def withdraw(environ: Mapping[str, str]) -> None:
    """Remove variables from this process's environment, which libraries read regardless of the caller.

    Without a caller, as in background work, `environ` still has them.
    """
    _own.maps[0].update(environ)
    for name in environ:
        os.environ.pop(name, None)


def environ() -> Mapping[str, str]:
    """The environment variables for settings and keys."""
    caller = CALLER.get()
    return caller.environ if caller else _own


def identity(what: Literal["agent", "session", "project"]) -> str:
    """The agent, session or project that the caller names, or ""."""
    caller = CALLER.get()
    return str(getattr(caller, what)) if caller else ""


class CallersClock:
    """The clock of the home process: the caller's fixed time, if set, else the system time."""

    def now(self) -> datetime:
        """The time in UTC."""
        caller = CALLER.get()
        with suppress(ValueError):
            if caller and caller.now:
                return moment(caller.now)
        return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class SystemClock:
    """The system clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class FixedClock:
    """A clock with a fixed time, for reproducible reports (`ARK_NOW`)."""

    moment: datetime

    def now(self) -> datetime:
        return self.moment


def moment(text: str) -> datetime:
    """Parse an ISO 8601 date or time; UTC if it has no offset. Raises `ValueError`."""
    read = datetime.fromisoformat(text.strip())
    return read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)
