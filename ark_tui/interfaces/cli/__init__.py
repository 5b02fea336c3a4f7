"""The command line."""

from __future__ import annotations

import os
import sys

from ark_tui.interfaces.cli import knock


def main() -> None:
    """The `ark-tui` command."""
    os.umask(0o077)  # whatever is written is for its owner alone, here as in the processes that are started
    try:
        code = knock.answered(sys.argv[1:], os.environ)
        if code is None:
            from ark_tui.interfaces import collector

            collector.wait()
            if not sys.argv[1:]:
                from ark_tui.interfaces.cli import alone

                code = alone.opened(os.environ)
        if code is None:
            from ark_tui.interfaces.cli.app import run

            code = run(sys.argv[1:])
    except KeyboardInterrupt:  # while still starting, or while a door is asked
        code = 130
    sys.exit(code)
