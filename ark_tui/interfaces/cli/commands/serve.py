"""`ark-tui serve`: the home over HTTP."""

from __future__ import annotations

from urllib.parse import urlsplit

import click

from ark_tui.interfaces.cli import door
from ark_tui.interfaces.cli.app import run
from ark_tui.interfaces.cli.output import Output
from ark_tui.interfaces.cli.session import Session, face, pass_session


@click.command("serve", epilog="Example: ark-tui serve --port 7071")
@click.option("--host", metavar="ADDRESS", help="Where to listen.  [default: that of the setting `url`]")
@click.option("--port", type=click.IntRange(0, 65535), metavar="N", help="0: any port that is free.")
@click.option(
    "--require-token",
    is_flag=True,
    help="Answer only requests with the home's token, or another of `ark-tui token`; made if there is none.",
)
@click.option("--allow", multiple=True, metavar="NAME", help="A further host name to be called by.")
@click.option(
    "--certificate", nargs=2, metavar="CERT KEY", help="Speak TLS with this certificate: two PEM files."
)
@click.option("--no-watch", is_flag=True, help="Take up nothing that is saved in followed folders.")
@face
@pass_session
def command(
    session: Session,
    host: str | None,
    port: int | None,
    require_token: bool,
    allow: tuple[str, ...],
    certificate: tuple[str, str] | None,
    no_watch: bool,
    as_json: bool,
) -> None:
    """Let programs use the home over HTTP, until Ctrl-C.

    Only this machine can reach it, unless --host says otherwise; any other address requires a token. A
    token that is sent must be valid in any case. /docs describes the routes. Meanwhile what is saved in
    followed folders is indexed, what was cut off continues, and texts that wait for vectors get them: see
    `ark-tui jobs`.
    """
    settings = session.settings()
    given = urlsplit(settings.url)
    host = host or given.hostname or "127.0.0.1"
    from ark_tui.interfaces import http
    from ark_tui.settings import secrets

    token = secrets.key(http.TOKEN, settings.home)
    known = bool(token)
    if require_token and not token:
        settings.home.create()
        token = secrets.made(http.TOKEN, settings.home)
    from ark_tui.interfaces.http.gate import is_loopback
    from ark_tui.interfaces.http.serving import serve

    asked = require_token or not is_loopback(host)

    def ready(url: str) -> None:
        if as_json:
            Output().document({"url": url, "docs": f"{url}/docs"})
        session.say.notice(f"Listening on {url} (Ctrl-C stops). What there is: {url}/docs")
        if asked:
            session.say.notice(f"The token{'' if known else ', new'}: {token}")

    with session.engine() as engine, door.opened(settings.home, "the server", run):
        serve(
            engine,
            host,
            given.port or 80 if port is None else port,
            allowed=allow,
            token=token if asked else "",
            watch=settings.watch and not no_watch,
            certificate=certificate,
            say=session.say.warning,
            ready=ready,
        )
