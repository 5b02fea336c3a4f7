"""`ark-tui completion`: prints a shell's completion script."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from ark_tui.interfaces.cli.app import PROGRAM
from ark_tui.interfaces.cli.output import COMPLETION, Output
from ark_tui.interfaces.cli.session import face

SHELLS = ("bash", "zsh", "fish")


@click.command("completion", epilog='Example: eval "$(ark-tui completion bash)"')
@click.argument("shell", type=click.Choice(SHELLS))
@face
@click.pass_context
def command(ctx: click.Context, shell: str, as_json: bool) -> None:
    """Print a shell script for completion."""
    kind = get_completion_class(shell)
    assert kind is not None
    script = kind(ctx.find_root().command, {}, PROGRAM, COMPLETION).source()
    out = Output()
    if as_json:
        out.document({"shell": shell, "script": script})
    else:
        out.block(script)
