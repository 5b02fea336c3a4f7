"""`ark-tui mcp`: serves the home to assistants."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from ark_tui.domain.errors import UsageError
from ark_tui.domain.wording import counted
from ark_tui.interfaces.cli.output import Output
from ark_tui.interfaces.cli.session import Session, face, pass_session

PROGRAM = "assistant"
ASSISTANTS = click.Choice(["claude-code", "claude-desktop", "cursor", "vscode", "codex"])


@click.command("mcp", epilog="Example: ark-tui mcp --install claude-code")
@click.option(
    "--tools", default="", metavar="FAMILIES", help="ark, ralph, kadi, with commas, or all.  [default: ark]"
)
@click.option("--check", is_flag=True, help="Test the connection, list the tools, and end.")
@click.option("--install", type=ASSISTANTS, help="Add ark-tui to the configuration of this assistant.")
@click.option("--uninstall", type=ASSISTANTS, help="Remove it from there.")
@click.option("--yes", is_flag=True, help="Write the configuration without asking.")
@face
@pass_session
def command(
    session: Session, tools: str, check: bool, install: str, uninstall: str, yes: bool, as_json: bool
) -> None:
    """Let an assistant use the home, over MCP.

    MCP is the Model Context Protocol, here on stdin and stdout. The assistant starts this command itself,
    once --install has added it to the configuration.
    """
    if install or uninstall:
        _configure(session, tools, install, uninstall, yes=yes, as_json=as_json)
        return
    from ark_tui.interfaces.client.direct import Direct
    from ark_tui.interfaces.client.stdio import Forwarder, checked

    with closing(session.opener(PROGRAM)()) as home:
        if isinstance(home, Direct):
            from ark_tui.interfaces.mcp import server

            families = [name.strip() for name in tools.split(",") if name.strip()] or server.DEFAULT
            if not check:
                server.serve_stdio(home.engine, families)
                return
            _tell(server.checked(server.Server(home.engine, families)), as_json=as_json)
        elif check:
            _tell(checked(home, tools), as_json=as_json)
        else:
            Forwarder(home, tools).serve()


def _configure(
    session: Session, tools: str, install: str, uninstall: str, *, yes: bool, as_json: bool
) -> None:
    """Show the change of an assistant's configuration and apply it after confirmation."""
    from ark_tui.interfaces.mcp import install as files

    if install and uninstall:
        raise UsageError("Install or uninstall, not both.", "Give one of them.")
    command = _started(session, tools) if install else []
    change = files.change(install or uninstall, command, Path.home(), os.environ)
    out, lines = Output(), change.lines
    if not as_json:
        out.line(f"{change.path}:" if lines else f"{change.path} needs no change.")
        for line in lines:
            out.line(f"  {line}")
        out.flush()
    agreed = yes or (not as_json and sys.stdin.isatty() and bool(lines) and session.say.ask("Write this?"))
    if lines and agreed:
        change.apply()
    if as_json:
        out.document({"file": str(change.path), "lines": [*lines], "written": bool(lines and agreed)})
    elif lines:
        session.say.notice(
            f"Written. Restart {install or uninstall}."
            if agreed
            else "Nothing was written. Add --yes to write it."
        )


def _started(session: Session, tools: str) -> list[str]:
    """The command line that starts this program, which may not be on the assistant's PATH."""
    if session.address:
        raise UsageError(
            "A home on another machine needs a token, which --install does not write.",
            "Add the server by hand: docs/agents.md.",
        )
    script = Path(sys.argv[0])
    found = str(script.absolute()) if script.name == "ark-tui" else shutil.which("ark-tui")
    program = [found] if found else [sys.executable, "-m", "ark_tui"]
    home = session.home or os.environ.get("ARK_HOME", "")
    where = ["--home", str(Path(home).expanduser().absolute())] if home else []
    return [*program, "mcp", *where, *(["--tools", tools] if tools else [])]


def _tell(found: Any, *, as_json: bool) -> None:
    """Print the result of `--check`."""
    if as_json:
        Output().document(found)
        return
    out = Output()
    out.line(f"{len(found['tools'])} tools: {', '.join(found['tools'])}")
    out.line(f"{counted(found['documents'], 'document')} can be searched; the protocol works.")
