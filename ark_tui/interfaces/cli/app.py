"""`ark-tui`: the root command, and the only place where its errors are shown."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import click
from click.shell_completion import shell_complete

from ark_tui.domain.errors import ArkError, Cancelled, UsageError
from ark_tui.interfaces.cli.commands.export import FILE, export, report_options
from ark_tui.interfaces.cli.diagnostics import Diagnostics, ExitCode
from ark_tui.interfaces.cli.output import COMPLETION, console, on_terminal
from ark_tui.interfaces.cli.session import Session, connect_options, home_option
from ark_tui.version import VERSION

PROGRAM = "ark-tui"
WORKBENCH = "workbench"


def _group() -> ModuleType:
    """Import the commands on demand: the workbench opens without them."""
    return import_module("ark_tui.interfaces.cli.group")


class Root(click.Group):
    """`ark-tui` itself; its commands are those of `group.Commands`."""

    @cached_property
    def within(self) -> click.Group:
        commands: click.Group = _group().Commands()
        return commands

    def list_commands(self, ctx: click.Context) -> list[str]:
        return self.within.list_commands(ctx)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return self.within.get_command(ctx, cmd_name)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands and a line of options, on one screen. `help all` describes the rest."""
        formatter.write("\n")
        self.within.format_commands(ctx, formatter)
        formatter.write(
            "\nOptions:  --home DIR  --connect URL  --version  --help\n"
            "More:     ark-tui help COMMAND, ark-tui help all\n"
        )


@click.command(
    PROGRAM,
    cls=Root,
    invoke_without_command=True,
    context_settings={"terminal_width": 80, "max_content_width": 80},
)
@home_option
@connect_options
@click.option("--export", "file", type=FILE, hidden=True)
@partial(report_options, hidden=True)
@click.version_option(VERSION, prog_name=PROGRAM, message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context, /, file: Path | None, **wanted: Any) -> None:
    """Index your notes, search them, and see why each result ranks where it does.

    Without a command, on a terminal, the workbench opens.
    """
    asked = ctx.invoked_subcommand
    if file is not None or any(wanted.values()):
        _report(ctx, file, wanted)
    elif asked is None and not on_terminal():
        click.echo(ctx.get_help())
        ctx.exit(ExitCode.USAGE)
    elif asked is None:
        workbench(ctx.ensure_object(Session))


def _report(ctx: click.Context, file: Path | None, wanted: dict[str, Any]) -> None:
    """`ark-tui --export FILE` is `ark-tui export FILE`. Raises `UsageError`."""
    example = "Name a file: ark-tui export report.md"
    if ctx.invoked_subcommand is not None:
        raise UsageError(f"A report cannot be combined with `{ctx.invoked_subcommand}`.", example)
    if file is None:
        raise UsageError("The report needs a file.", example)
    export(ctx.ensure_object(Session), file, **wanted)


def workbench(session: Session) -> None:
    """Open the workbench. Raises `UsageError` without a terminal."""
    if not on_terminal():
        raise UsageError("The workbench needs a terminal.", "Run it where you can see it.")
    from ark_tui.interfaces import tui

    tui.run(session.settings(), session.opener(WORKBENCH), session.address)


def run(arguments: Sequence[str], session: Session | None = None) -> int:
    """Run a command line and return its exit code; every failure is reported on stderr."""
    session = session or Session(Diagnostics.of(arguments))
    try:
        code = _invoked(arguments, session)
        console().out.flush()
    except BrokenPipeError:
        _let_stdout_go()
        return ExitCode.DONE
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever it is, panics of Rust, too
        return failed(error, session)
    return code


def failed(error: BaseException, session: Session | None = None) -> int:
    """Report a failure on stderr and return the exit code."""
    session = session or Session(Diagnostics())
    failure = _explained(error, session)
    session.say.error(failure)
    try:
        console().out.flush()
    except OSError:  # flushing was what failed
        _let_stdout_go()
    return ExitCode(failure.exit_code)


def _invoked(arguments: Sequence[str], session: Session) -> int:
    """Run the command without click's own `main`, which exits differently when a pipe closes."""
    if instruction := os.environ.get(COMPLETION):
        return shell_complete(cli, {}, PROGRAM, COMPLETION, instruction)
    try:
        with cli.make_context(PROGRAM, list(arguments), obj=session) as ctx:
            cli.invoke(ctx)
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    return ExitCode.DONE


def _explained(error: BaseException, session: Session) -> ArkError:
    """Convert any failure to an `ArkError` with a hint and an exit code."""
    match error:
        case KeyboardInterrupt() | click.Abort() | Cancelled():
            return Cancelled("Stopped.", "Finished work is kept. The same command continues from there.")
        case click.ClickException():
            return _misused(error)
        case ArkError():
            return error
        case OSError():
            place = f"{error.filename}: " if error.filename else ""
            what = f"{place}{error.strerror or error}."
            return ArkError(what, "Check the file, its permissions and the space on its disk.")
        case _:
            return _fault(error, session)


def _misused(error: click.ClickException) -> UsageError:
    """Convert an error of click to a `UsageError` with a hint on what to type."""
    ctx = error.ctx if isinstance(error, click.UsageError) else None
    path = ctx.command_path if ctx else PROGRAM
    see = f"See `{path} --help`."
    if isinstance(error, click.NoSuchOption):
        return UsageError(f"There is no option {error.option_name}.", _meant(error.possibilities) + see)
    if isinstance(error, click.exceptions.NoSuchCommand):
        from difflib import get_close_matches

        known = ctx.command.list_commands(ctx) if ctx and isinstance(ctx.command, click.Group) else []
        near = get_close_matches(error.command_name, known)
        return UsageError(f"There is no command {error.command_name}.", _meant(near) + see)
    return UsageError(error.format_message().rstrip(".") + ".", see)


def _meant(names: Sequence[str] | None) -> str:
    return f"Did you mean {' or '.join(names)}? " if names else ""


def _fault(error: BaseException, session: Session) -> ArkError:
    """Log an unexpected error with its traceback; under ARK_DEBUG raise it unchanged."""
    import traceback

    from ark_tui.settings import load

    if os.environ.get("ARK_DEBUG"):
        raise error
    what = f"Something unexpected went wrong: {type(error).__name__}: {error}".rstrip(".") + "."
    log = load(session.home).home.logs / "faults.log"
    try:
        log.parent.mkdir(mode=0o700, exist_ok=True)  # fails if there is no home
        with log.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write("".join(traceback.format_exception(error)) + "\n")
    except OSError:
        return ArkError(what, "This is a bug. ARK_DEBUG=1 shows the traceback.")
    return ArkError(what, f"This is a bug. The traceback is in {log}.")


def _let_stdout_go() -> None:
    """The reader closed the pipe: redirect stdout to the null device for the flush at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
