"""`ark-tui common`: what two documents are both linked with."""

from __future__ import annotations

import click

from ark_tui.faces.cli.output import WIDTH, Ink, Output
from ark_tui.faces.cli.session import Session, face, pass_session
from ark_tui.faces.reports import wire_graph


@click.command("common", epilog="Example: ark-tui common fiedler-vector graph-laplacian")
@click.argument("a")
@click.argument("b")
@face
@pass_session
def command(session: Session, a: str, b: str, as_json: bool) -> None:
    """List what two documents are both linked with.

    In whatever direction the links lead. A and B are ids, paths or files' names.
    """
    with session.engine() as engine:
        found = engine.graph.common(a, b)
    out = Output()
    if as_json:
        out.document(wire_graph.shared(found))
        return
    from ark_tui.faces.cli.layout import fit, short

    if not found.documents:
        session.say.notice(f"{found.a.title} and {found.b.title} have no neighbour in common.")
    for one in found.documents:
        out.line(
            Ink(f"{one.short_id}  ", "faint"),
            fit(one.title, 40),
            "  ",
            Ink(short(one.path, WIDTH - 51), "faint"),
        )
