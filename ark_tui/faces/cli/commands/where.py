"""`ark-tui where`: the places of things."""

from __future__ import annotations

import click

from ark_tui.domain.errors import UsageError
from ark_tui.faces.cli.output import Ink, Output
from ark_tui.faces.cli.session import Session, face, pass_session
from ark_tui.faces.reports import wire


@click.command("where", epilog='Example: $EDITOR "$(ark-tui where config)"')
@click.argument("name", required=False)
@face
@pass_session
def command(session: Session, name: str | None, as_json: bool) -> None:
    """Say where everything lies.

    With NAME (home, store, config, …) only that path is printed.
    """
    with session.engine() as engine:
        places = engine.where()
    if name is not None and name not in places:
        raise UsageError(f"There is no place called {name}.", f"There are {', '.join(places)}.")
    out = Output()
    if as_json:
        out.document(wire.where(places if name is None else {name: places[name]}))
    elif name is not None:
        out.line(places[name])
    else:
        for label, path in places.items():
            out.line(Ink(f"{label:<10}", "faint"), path)
