"""`ark-tui mcp`: the home for assistants."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import click

from ark_tui.domain.wording import counted
from ark_tui.interfaces.cli.output import Output
from ark_tui.interfaces.cli.session import Session, face, pass_session

PROGRAM = "assistant"


@click.command("mcp", epilog="Example: ark-tui mcp --tools search,memory")
@click.option(
    "--tools", default="", metavar="FAMILIES", help="Which tools to offer, with commas; all: every one."
)
@click.option("--check", is_flag=True, help="Say whether it would work, and end.")
@face
@pass_session
def command(session: Session, tools: str, check: bool, as_json: bool) -> None:
    """Let an assistant use the home, over MCP.

    That is the Model Context Protocol, on stdin and stdout. An assistant starts this itself; --check tells
    a person whether it can.
    """
    from ark_tui.interfaces.client.direct import Direct
    from ark_tui.interfaces.client.stdio import Forwarder, checked

    with closing(session.opener(PROGRAM)()) as home:
        if isinstance(home, Direct):
            from ark_tui.interfaces.mcp import server

            families = [name.strip() for name in tools.split(",") if name.strip()] or server.DEFAULT
            if not check:
                from ark_tui.interfaces.mcp import stdio

                stdio.serve(home.engine, families)
                return
            _tell(server.checked(server.make(home.engine, families)), as_json=as_json)
        elif check:
            _tell(checked(home, tools), as_json=as_json)
        else:
            Forwarder(home, tools).serve()


def _tell(found: Any, *, as_json: bool) -> None:
    """What a check has found."""
    if as_json:
        Output().document(found)
        return
    out = Output()
    out.line(f"{len(found['tools'])} tools: {', '.join(found['tools'])}")
    out.line(f"{counted(found['documents'], 'document')} can be searched; the protocol works.")
