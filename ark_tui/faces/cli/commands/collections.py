"""`ark-tui collections`: what there is, under which names, and which folders are followed."""

from __future__ import annotations

from shlex import quote

import click

from ark_tui.domain.wording import counted
from ark_tui.faces.cli.output import Output
from ark_tui.faces.cli.rendering.corpus import collection as described
from ark_tui.faces.cli.session import Session, face, pass_session
from ark_tui.operations.encoding import encoded


@click.group(
    "collections", invoke_without_command=True, epilog="Example: ark-tui collections rename notes work"
)
@face
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """List the collections, rename one, or let one go."""
    if ctx.invoked_subcommand is not None:
        return
    session = ctx.find_object(Session)
    assert session is not None
    with session.engine() as engine:
        state = engine.status()
    out = Output()
    if as_json:
        out.document({"collections": encoded(state.collections)})
        return
    for one in state.collections:
        out.line(described(one))


@command.command("rename", epilog="Example: ark-tui collections rename notes work")
@click.argument("name", metavar="NAME")
@click.argument("to", metavar="NEW")
@face
@pass_session
def rename(session: Session, name: str, to: str, as_json: bool) -> None:
    """Give a collection another name.

    Its documents stay the same ones, with all that was said of them; searches know it as in:NEW. Renaming it
    again takes that back. Saved searches that name it by in: are left as they are.
    """
    with session.engine() as engine:
        engine.library.rename(name, to)
    if as_json:
        Output().document({"collection": to.strip(), "was": name})
    else:
        Output().line(f"the collection {name} is called {to.strip()} now")


@command.command("let-go", epilog="Example: ark-tui collections let-go notes --yes")
@click.argument("name", metavar="NAME")
@click.option("--yes", is_flag=True, help="Do it; without, only what would leave is said.")
@click.option("--dry-run", is_flag=True, help="Only say what would leave, also with --yes.")
@face
@pass_session
def let_go(session: Session, name: str, yes: bool, dry_run: bool, as_json: bool) -> None:
    """Follow the folder of a collection no more.

    Its documents leave the home with their text, vectors and words; the files are not touched. What you said
    of them (tags, tiers, links, judgments) is kept under the collection's name: indexing the folder by that
    name, as is said afterwards, brings both back. A folder that the configuration names is taken up again by
    the next `ark-tui index`. Texts without a file are never let go of: put them into the trash.
    """
    done = yes and not dry_run
    with session.engine() as engine:
        roots = {one.name: one.root for one in engine.status().collections}
        count = engine.library.let_go(name, dry_run=not done)
    back = f"ark-tui index {quote(roots.get(name) or '')} --collection {quote(name)}"
    if as_json:
        Output().document({"collection": name, "documents": count, "done": done, "back": back})
        return
    documents = counted(count, "document")
    if done:
        Output().line(f"let go of {name}: {documents} left")
        session.say.notice(f"To bring it back: {back}")
    else:
        session.say.notice(f"Would let go of {name}: {documents} would leave. Say --yes to do it.")
