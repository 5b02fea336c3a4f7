"""`ark-tui`: its commands, each loaded when it is asked for, and the one place where errors are shown."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from importlib import import_module
from pkgutil import iter_modules
from textwrap import fill, indent
from typing import Any, Unpack

import click
from click.shell_completion import shell_complete

from ark_tui.domain.errors import ArkError, Cancelled, UsageError
from ark_tui.interfaces import collector
from ark_tui.interfaces.cli import commands, made
from ark_tui.interfaces.cli.diagnostics import Diagnostics, ExitCode
from ark_tui.interfaces.cli.lines import LINES
from ark_tui.interfaces.cli.report_options import Wanted, report_options
from ark_tui.interfaces.cli.session import Session, home_option
from ark_tui.operations.catalog import Catalog, shipped
from ark_tui.version import VERSION

SECTIONS = {
    "Take in and find": "index search show similar ingest ingest-file note searches rerun saved judge eval",
    "Curate": "documents queue tag untag tier pin unpin link unlink supersede merge trash untrash undo "
    "redo edits export-curation import-curation",
    "Keep beside it": "tasks scratch history conversations scopes",
    "Know and learn": "context recall expert think remember outcome facts patterns directives memories "
    "promote revive memory-stats",
    "See the shape of it": "analyze traverse paths common subgraph",
    "Look after the home": "status health jobs collections models where doctor backup restore purge serve "
    "mcp config completion",
}
"""The commands in the order of the help. What is in none of them comes last, under `MORE`."""

MORE = "More"

BY_HAND = tuple(module.name.replace("_", "-") for module in iter_modules(commands.__path__))
"""Commands that are no operation: they serve, or write a file; each is a module."""

COMMANDS = (*(name.replace(" ", "-") for name in shipped().names), *BY_HAND)
"""Every command by its flat name, which is taken, too: `tasks-add` for `tasks add`."""

BEGINNING = frozenset({*("eval", "serve", "mcp"), *(name.replace(" ", "-") for name in shipped().beginning)})
"""The commands that begin a home where there is none, or do without one; what only reads makes nothing."""

PROGRAM = "ark-tui"
COMPLETION = "_ARK_TUI_COMPLETE"
"""The variable by which a shell asks for completions."""


class Commands(click.Group):
    """The commands, each imported when it is needed: those of the operations, and a few made by hand."""

    def __init__(self, *, catalog: Catalog | None = None, **about: Any) -> None:
        super().__init__(**about)
        self.catalog = catalog or shipped()

    def sections(self) -> Iterator[tuple[str, list[str]]]:
        """Titles, and the commands below each."""
        waiting = dict.fromkeys([*(name.split()[0] for name in self.catalog.names), *BY_HAND])
        for title, names in SECTIONS.items():
            yield title, [name for name in names.split() if waiting.pop(name, "") is None]
        if waiting:
            yield MORE, [*waiting]

    def list_commands(self, _: click.Context) -> list[str]:
        return [name for _, names in self.sections() for name in names]

    def get_command(self, _: click.Context, cmd_name: str) -> click.Command | None:
        found = cmd_name if cmd_name in self.catalog.names else cmd_name.replace("-", " ", 1)
        if cmd_name in LINES:
            return made.Line(cmd_name, self.catalog, LINES[cmd_name])
        if self.catalog.group(cmd_name):
            return made.Group(cmd_name, self.catalog)
        if found in self.catalog.names:
            return made.command(self.catalog.get(found))
        if cmd_name not in BY_HAND:
            return None
        module = import_module(f"ark_tui.interfaces.cli.commands.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def format_commands(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        """The names, section by section: all of them on one screen."""
        for title, names in self.sections():
            with formatter.section(title):
                told = fill("  ".join(names), formatter.width - 2, break_on_hyphens=False)
                formatter.write(f"{indent(told, '  ')}\n")


@click.command(
    PROGRAM,
    cls=Commands,
    invoke_without_command=True,
    context_settings={"terminal_width": 80, "max_content_width": 80},
    epilog="Without a command, on a terminal, the workbench opens.  Example: ark-tui index ~/notes, or "
    "ark-tui --export report.html --report overview --report analysis",
)
@home_option
@report_options
@click.version_option(VERSION, prog_name=PROGRAM, message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context, **wanted: Unpack[Wanted]) -> None:
    """A knowledge workbench: index folders, search them, and see why each hit stands where it stands."""
    ctx.ensure_object(Session).begins = ctx.invoked_subcommand in BEGINNING
    if any(wanted.values()):
        collector.go_on()
        from ark_tui.interfaces.cli import exporting

        exporting.export(ctx, wanted)
        return
    if ctx.invoked_subcommand is not None:
        collector.go_on()
        return
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        click.echo(ctx.get_help())
        ctx.exit(ExitCode.USAGE)
    from ark_tui.interfaces import tui

    tui.run(ctx.ensure_object(Session).settings())


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; whatever fails is one sentence on stderr."""
    say = Diagnostics(as_json="--json" in arguments or "--jsonl" in arguments)
    session = Session(say)
    try:
        code = _invoked(arguments, session)
        sys.stdout.flush()
    except BrokenPipeError:
        _let_stdout_go()
        return ExitCode.DONE
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001 - the one place where errors are shown; panics of Rust, too
        failure = _explained(error, session)
        say.error(failure)
        _flushed()
        return ExitCode(failure.exit_code)
    return code


def _invoked(arguments: Sequence[str], session: Session) -> int:
    """The command itself; click's own `main` would end the process in its own way when a pipe closes."""
    if instruction := os.environ.get(COMPLETION):
        return shell_complete(cli, {}, PROGRAM, COMPLETION, instruction)
    try:
        with cli.make_context(PROGRAM, list(arguments), obj=session) as ctx:
            cli.invoke(ctx)
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    return ExitCode.DONE


def _explained(error: BaseException, session: Session) -> ArkError:
    """Any failure as a sentence, a next step and an exit code."""
    match error:
        case KeyboardInterrupt() | click.Abort() | Cancelled():
            return Cancelled("Stopped.", "What was done is kept; the same command goes on from there.")
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
    """What click complains of, in our words: what is wrong, then what to type."""
    ctx = error.ctx if isinstance(error, click.UsageError) else None
    path = ctx.command_path if ctx else PROGRAM
    see = f"See `{path} --help`."
    if isinstance(error, click.NoSuchOption):
        return UsageError(f"There is no option {error.option_name}.", _meant(error.possibilities) + see)
    if isinstance(error, click.exceptions.NoSuchCommand):
        known = ctx.command.list_commands(ctx) if ctx and isinstance(ctx.command, click.Group) else []
        near = get_close_matches(error.command_name, known)
        return UsageError(f"There is no command {error.command_name}.", _meant(near) + see)
    return UsageError(error.format_message().rstrip(".") + ".", see)


def _meant(names: Sequence[str] | None) -> str:
    return f"Did you mean {' or '.join(names)}? " if names else ""


def _fault(error: BaseException, session: Session) -> ArkError:
    """A bug: kept with its traceback where the person can find it, raised as it is under ARK_DEBUG."""
    import traceback

    from ark_tui.settings import load

    if os.environ.get("ARK_DEBUG"):
        raise error
    what = f"Something unexpected went wrong: {type(error).__name__}: {error}".rstrip(".") + "."
    log = load(session.home).home.logs / "faults.log"
    try:
        log.parent.mkdir(mode=0o700, exist_ok=True)  # in the home, if there is one
        with log.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write("".join(traceback.format_exception(error)) + "\n")
    except OSError:
        return ArkError(what, "This is a bug; ARK_DEBUG=1 shows where.")
    return ArkError(what, f"This is a bug; where it happened is written in {log}.")


def _let_stdout_go() -> None:
    """Nobody reads any more: what Python still wants to flush at exit goes nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _flushed() -> None:
    """What was printed before the failure, unless that was the failure."""
    try:
        sys.stdout.flush()
    except OSError:
        _let_stdout_go()
