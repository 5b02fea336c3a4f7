"""`ark-tui warm`: keeps the home open, so that commands are answered at once."""

from __future__ import annotations

import os
import time

import click

from ark_tui.domain import children
from ark_tui.domain.errors import ArkError, UsageError
from ark_tui.domain.wording import counted
from ark_tui.interfaces.cli import knock
from ark_tui.interfaces.cli.app import run
from ark_tui.interfaces.cli.output import Output
from ark_tui.interfaces.cli.session import Session, face, pass_session

BEGUN = 60.0  # seconds within which a process of its own has the door open
PATIENCE = 5.0  # seconds to wait for an answer about who has the door
STEP = 0.05  # seconds between two looks


@click.command("warm", epilog="Example: ark-tui warm --for 60")
@click.option(
    "--for", "minutes", type=click.FloatRange(0, 10_000), default=10.0, show_default=True, metavar="N",
    help="Minutes without a command after which it ends.",
)  # fmt: skip
@click.option("--stop", is_flag=True, help="End it.")
@click.option("--stay", is_flag=True, help="Not in the background: until it ends, or Ctrl-C.")
@face
@pass_session
def command(session: Session, minutes: float, stop: bool, stay: bool, as_json: bool) -> None:
    """Keep the home open, so that commands that only read are answered at once.

    That is done in the background, for ten minutes after the last command. A running workbench, `serve` and
    `mcp` do the same as long as they are open. The answers are the same as without; ARK_WARM=0 asks nobody.
    """
    home = session.settings().home
    if not home.begun():
        raise UsageError(f"There is no home of ark-tui at {home.path}.", "Index a folder first.")
    if stay:
        _stay(session, minutes)
        return
    said = _said("stop" if stop else "who", str(home.path))
    if not stop and not said:
        said = _begin(str(home.path), minutes)
    process, state, who = said or ("0", "ends", "")
    if as_json:
        Output().document({"process": int(process), "who": who, "open": state == "stays"})
    elif stop:
        session.say.notice(_stopped(process, state, who))
    else:
        until = f" for {counted(round(minutes), 'minute')} without any" if who == "warm" else ""
        session.say.notice(f"Commands are answered by {who} (process {process}){until}.")


def _stopped(process: str, state: str, who: str) -> str:
    if not who:
        return "Nothing was kept open."
    return (
        "Ended."
        if state == "ends"
        else f"The home is open in {who} (process {process}), which ends by itself."
    )


def _said(kind: str, home: str) -> tuple[str, str, str] | None:
    """Process, state and name of whoever has the door."""
    told = knock.asked(kind, ["--home", home], os.environ, PATIENCE)
    process, state, who = (told or b"").decode().split(" ", 2) if told else ("", "", "")
    return (process, state, who) if told else None


def _begin(home: str, minutes: float) -> tuple[str, str, str]:
    """Begin a process of its own. Raises `ArkError` where it does not come to open the door."""
    nowhere = children.DEVNULL
    begun = children.start_python(
        "ark_tui", "warm", "--stay", "--for", str(minutes), "--home", home,
        stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True,
    )  # fmt: skip
    until = time.monotonic() + BEGUN
    while time.monotonic() < until and begun.poll() is None:
        if said := _said("who", home):
            return said
        time.sleep(STEP)
    raise ArkError("The home could not be kept open.", "Its disk may know no sockets; commands work without.")


def _stay(session: Session, minutes: float) -> None:
    from ark_tui.interfaces.cli.door import Door

    settings = session.settings()
    door = Door(settings.home, "warm", run, idle=minutes * 60)
    door.open()
    try:
        door.warm(settings)
        door.wait()
    finally:
        door.close()
