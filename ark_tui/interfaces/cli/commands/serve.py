"""`ark-tui serve`: the home over HTTP."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from ark_tui.domain.errors import Cancelled, UsageError
from ark_tui.interfaces.cli.output import Output
from ark_tui.interfaces.cli.session import Session, face, pass_session, stoppable

PROGRAM = "server"


@click.command("serve", epilog="Example: ark-tui serve --port 7071")
@click.option("--host", metavar="ADDRESS", help="Where to listen.  [default: that of the setting `url`]")
@click.option("--port", type=click.IntRange(0, 65535), metavar="N", help="The port; 0 is any free one.")
@click.option(
    "--require-token",
    is_flag=True,
    help="Answer only requests with the home's token, or another of `ark-tui token`; made if there is none.",
)
@click.option("--allow", multiple=True, metavar="NAME", help="Accept this host name, too.")
@click.option(
    "--certificate", nargs=2, metavar="CERT KEY", help="Speak TLS with this certificate: two PEM files."
)
@face
@pass_session
def command(
    session: Session,
    host: str | None,
    port: int | None,
    require_token: bool,
    allow: tuple[str, ...],
    certificate: tuple[str, str] | None,
    as_json: bool,
) -> None:
    """Let programs use the home over HTTP, until Ctrl-C.

    Only this machine can reach it, unless --host says otherwise; any other address requires a token. A
    token that is sent must be valid in any case. /docs describes the routes. The home process listens for
    as long as this command runs.
    """
    if session.address:
        raise UsageError(
            f"The home at {session.address} is served already.", "Leave --connect and ARK_CONNECT out."
        )
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

    asked = require_token or not is_loopback(host)

    def ready(url: str) -> None:
        if as_json:
            Output().document({"url": url, "docs": f"{url}/docs"})
            Output().flush()
        session.say.notice(f"Listening on {url} (Ctrl-C stops). The requests are described at {url}/docs")
        if asked:
            session.say.notice(f"The token{'' if known else ', new'}: {token}")

    files = tuple(str(Path(one).expanduser().absolute()) for one in certificate) if certificate else None
    named: dict[str, Any] = {"allowed": allow, "token": token if asked else "", "certificate": files}
    _listen(session, (host, given.port or 80 if port is None else port), named, ready)


def _listen(session: Session, at: tuple[str, int], named: dict[str, Any], ready: Any) -> None:
    """Listen in the home process, or in this one if it has opened the home itself."""
    from ark_tui.interfaces.client.direct import Direct
    from ark_tui.operations.call import Call

    home = session.opener(PROGRAM)()
    home.warned = session.say.warning
    with stoppable() as stop:
        if isinstance(home, Direct):
            from ark_tui.interfaces.calls.state import state_for
            from ark_tui.interfaces.http.serving import serve

            home.look_after()
            serve(state_for(home.engine), *at, ready=ready, stop=stop, **named)
        else:
            with suppress(Cancelled):  # the normal end
                home.ask("process.listen", Call(home.engine, stop=stop, so_far=ready), at, named)
    home.close()
