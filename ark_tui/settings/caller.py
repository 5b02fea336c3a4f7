"""Who makes a call: the folder that relative paths start from, the environment, whose memory, which clock.

The home process answers for other processes. What belongs to one call is set for the thread that carries it
out, so that nothing of the process that happened to start the home reaches another's call. Where nothing is
set, this process calls for itself.
"""

from __future__ import annotations

import os
from collections import ChainMap
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

IDENTITY = {
    "agent": "ARK_AGENT_ID",
    "session": "ARK_SESSION_ID",
    "project": "ARK_PROJECT_ID",
    "now": "ARK_NOW",
}
"""What a caller is called, by the variables that say it."""

COMMAND_LINE = "command line"
"""The program of a caller that shows what is wrong with its settings with each call."""


@dataclass(frozen=True, slots=True)
class Caller:
    """One caller. `overrides`: settings that its command line gives. `program`: what asks, for people."""

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
    """The folder that relative paths start from."""
    caller = CALLER.get()
    return caller.folder if caller else Path.cwd()


_own: ChainMap[str, str] = ChainMap({}, os.environ)


def withdraw(environ: Mapping[str, str]) -> None:
    """Take variables out of this process's environment, which libraries read whoever calls.

    Where nobody calls, as in the background, `environ` still has them.
    """
    _own.maps[0].update(environ)
    for name in environ:
        os.environ.pop(name, None)


def environ() -> Mapping[str, str]:
    """The environment variables that settings and keys are read from."""
    caller = CALLER.get()
    return caller.environ if caller else _own


def agent() -> str:
    """Whose memory the caller means; empty where it says nothing."""
    caller = CALLER.get()
    return caller.agent if caller else ""


def session() -> str:
    """Which session of the agent the caller means; empty where it says nothing."""
    caller = CALLER.get()
    return caller.session if caller else ""


def project() -> str:
    """Which project the caller means; empty where it says nothing."""
    caller = CALLER.get()
    return caller.project if caller else ""


class CallersClock:
    """The clock of the home process: the fixed moment of a caller that has one, else the machine's."""

    def now(self) -> datetime:
        """The moment, in UTC."""
        caller = CALLER.get()
        if caller and caller.now:
            try:
                return moment(caller.now)
            except ValueError:
                return datetime.now(UTC)
        return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class FixedClock:
    """A clock that stands still, for reports that must come out the same (`ARK_NOW`)."""

    moment: datetime

    def now(self) -> datetime:
        return self.moment


def moment(text: str) -> datetime:
    """An ISO 8601 date or time, in UTC unless it says otherwise; raises `ValueError`."""
    read = datetime.fromisoformat(text.strip())
    return read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)
