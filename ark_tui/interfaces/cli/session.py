"""The context of a command: settings, home, and diagnostics."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ark_tui.interfaces.cli.diagnostics import Diagnostics

if TYPE_CHECKING:
    from ark_tui.domain.jobs import Stopping
    from ark_tui.interfaces.client.opening import AnyHome
    from ark_tui.settings import Settings

F = TypeVar("F", bound=Callable[..., Any])


@dataclass
class Session:
    """One run of the command line."""

    say: Diagnostics
    home: Path | None = None
    direct: bool = False  # whether this process opens the home itself
    overrides: dict[str, object] = field(default_factory=dict)  # settings given by options
    key: str = ""  # idempotency key for added items
    connect: str = ""  # the URL of a home served by another machine
    token: str = ""
    ca: str = ""
    _settings: Settings | None = field(default=None, init=False)

    def settings(self, overrides: Mapping[str, object] | None = None) -> Settings:
        """The settings, including those of the command line; warns once about invalid ones."""
        from ark_tui.settings import load

        if self._settings is None:
            self._settings = load(self.home, {**self.overrides, **(overrides or {})})
            for warning in self._settings.warnings:
                self.say.warning(warning)
        return self._settings

    @property
    def address(self) -> str:
        """The URL of the served home; empty for a home of this machine."""
        return self.connect or os.environ.get("ARK_CONNECT", "").strip()

    def opener(self, program: str, *, begins: bool = True) -> Callable[[], AnyHome]:
        """A function that opens the home for a program of this name. Raises `UsageError`, `ArkError`."""
        from ark_tui.interfaces.client import local, opening
        from ark_tui.interfaces.client.home import ServedHome

        environ = os.environ
        caller = opening.caller(program, environ, self.overrides)

        def made() -> AnyHome:
            if self.address:
                token = self.token or environ.get("ARK_TOKEN", "").strip()
                return ServedHome(self.address, token, caller, self.ca or environ.get("ARK_CA", "").strip())
            if self.direct or opening.direct(environ):
                return opening.opened_here(self.settings(), self.say.notice, begins=begins)
            place = local.place(self.home, environ, Path.cwd())
            return opening.reached(place, caller, self.settings, self.say.notice, begins=begins)

        return made

    @contextmanager
    def opened(self, *, begins: bool = True) -> Iterator[AnyHome]:
        """Open the home until the end of the command; `begins`: create it if needed."""
        from ark_tui.settings.caller import COMMAND_LINE

        home = self.opener(COMMAND_LINE, begins=begins)()
        home.warned = self.say.warning
        with closing(home):
            yield home


pass_session = click.make_pass_decorator(Session)


def face(command: F) -> F:
    """Add the options that every command has."""
    command = click.option(
        "--json",
        "as_json",
        is_flag=True,
        help="Print one JSON document; notices and errors are JSON lines on stderr.",
    )(command)
    return home_option(command)


def scoped(command: F) -> F:
    """Add `--agent` and `--session`, which select the memory scope."""
    for name, about in (
        ("session", "Which of the agent's sessions.  [default: $ARK_SESSION_ID, else default]"),
        ("agent", "Whose memory; ALL: everyone's.  [default: $ARK_AGENT_ID, else default]"),
    ):
        command = click.option(
            f"--{name}", metavar="NAME", expose_value=False, callback=_kept(f"{name}_id"), help=about
        )(command)
    return command


def keyed(command: F) -> F:
    """Add `--idempotency-key`, for commands that add something."""
    return click.option(
        "--idempotency-key",
        metavar="KEY",
        expose_value=False,
        callback=_kept("key"),
        help="Repeating the command with the same key within a day changes nothing more.",
    )(command)


def _kept(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    """A callback that stores an option in this attribute of the session, else as a setting."""

    def keep(ctx: click.Context, _: click.Parameter, value: Any) -> None:
        session = ctx.find_object(Session)
        if value is None or session is None:
            return
        if hasattr(session, name):
            setattr(session, name, value)
        else:
            session.overrides[name] = value

    return keep


def connect_options(command: F) -> F:
    """Add `--connect` and related options, before the command's name."""
    for name, metavar, about in (
        ("ca", "FILE", "Certificates to trust there.  [$ARK_CA]"),
        ("token", "TOKEN", "Its token.  [$ARK_TOKEN]"),
        ("connect", "URL", "Use a home that another machine serves.  [$ARK_CONNECT]"),
    ):
        option = click.option(
            f"--{name}", metavar=metavar, expose_value=False, is_eager=True, callback=_kept(name), help=about
        )
        command = option(command)
    return click.option(
        "--direct", is_flag=True, default=None, expose_value=False, is_eager=True, callback=_kept("direct"),
        help="Open the home in this process.  [$ARK_DIRECT]",
    )(command)  # fmt: skip


def home_option(command: F) -> F:
    """Add `--home`, before or after the command's name."""
    return click.option(
        "--home",
        type=click.Path(path_type=Path),
        metavar="DIR",
        expose_value=False,
        is_eager=True,
        callback=_kept("home"),
        help="The home: the folder with everything that ark-tui stores.  [default: $ARK_HOME, else ~/.ark]",
    )(command)


@contextmanager
def stoppable() -> Iterator[Stopping]:
    """A stop token that Ctrl-C and SIGTERM set; a second signal interrupts at once."""
    from ark_tui.domain.jobs import Stopping

    stop = Stopping()

    def ask(number: int, _: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.given_up = number == signal.SIGINT
        stop.set()

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
