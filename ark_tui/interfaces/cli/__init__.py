"""The command line."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from ark_tui.interfaces.cli import knock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ark_tui.interfaces.cli.session import Session


FILES = 4_096
"""Files that may be open at once: a search maps up to nine for each segment of vectors."""


def main() -> None:
    """The `ark-tui` command."""
    os.umask(0o077)  # whatever is written is for its owner alone, here as in the processes that are started
    try:
        code = knock.answered(sys.argv[1:], os.environ)
        if code is None:
            from ark_tui.domain import collector

            collector.wait()
            more_files()
            code = _workbench() if not sys.argv[1:] else None
        if code is None:
            code = _run(sys.argv[1:])
    except KeyboardInterrupt:  # while still starting, or while a door is asked
        code = 130
    sys.exit(code)


def more_files() -> None:
    """Let this process have `FILES` files open, if it may: some systems begin with 256."""
    import resource

    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if most == resource.RLIM_INFINITY else min(FILES, most)
    if now != resource.RLIM_INFINITY and now < wanted:
        with suppress(OSError, ValueError):  # the system has a limit of its own
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def _workbench() -> int | None:
    """The exit code of the workbench, if it could be opened without a command line."""
    from ark_tui.interfaces.cli import alone

    try:
        return 0 if alone.opened(os.environ, _run) else None
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001 - as the command line says it
        from ark_tui.interfaces.cli.app import failed

        return failed(error)


def _run(arguments: Sequence[str], session: Session | None = None) -> int:
    from ark_tui.interfaces.cli.app import run

    return run(arguments, session)
