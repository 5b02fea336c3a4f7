"""What a command has at hand: the settings, the engine, and somewhere to speak."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ark_tui.faces.cli.diagnostics import Diagnostics

if TYPE_CHECKING:
    from ark_tui.engine import Engine
    from ark_tui.settings import Settings

F = TypeVar("F", bound=Callable[..., Any])


@dataclass
class Session:
    """One run of the command line."""

    say: Diagnostics
    home: Path | None = None
    _settings: Settings | None = field(default=None, init=False)

    def settings(self, overrides: Mapping[str, object] | None = None) -> Settings:
        """The settings, with what the command line says; what could not be used is said once."""
        from ark_tui.settings import load

        if self._settings is None:
            self._settings = load(self.home, overrides or {})
            for warning in self._settings.warnings:
                self.say.warning(warning)
        return self._settings

    @contextmanager
    def engine(self, overrides: Mapping[str, object] | None = None) -> Iterator[Engine]:
        """The engine of the home, closed when the command ends."""
        settings = self.settings(overrides)
        from ark_tui.engine import Engine

        with Engine(settings) as engine:
            yield engine


pass_session = click.make_pass_decorator(Session)


def face(command: F) -> F:
    """The options that every command has."""
    command = click.option(
        "--json",
        "as_json",
        is_flag=True,
        help="Print one JSON document; notices become JSON lines on stderr.",
    )(command)
    return home_option(command)


def home_option(command: F) -> F:
    """`--home`, before the command's name or after it."""
    return click.option(
        "--home",
        type=click.Path(path_type=Path),
        metavar="DIR",
        expose_value=False,
        is_eager=True,
        callback=_at_home,
        help="The folder that ark-tui keeps everything in.  [default: $ARK_HOME, else ~/.ark]",
    )(command)


def _at_home(ctx: click.Context, _: click.Parameter, home: Path | None) -> None:
    session = ctx.find_object(Session)
    if home is not None and session is not None:
        session.home = home


@contextmanager
def stoppable() -> Iterator[threading.Event]:
    """A stop token that Ctrl-C sets, so that work ends between two batches; a second Ctrl-C ends at once."""
    stop = threading.Event()

    def ask(_: int, __: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
