"""The command line."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """The `ark-tui` command."""
    os.umask(0o077)  # files are private to their owner, here and in started processes
    try:
        from ark_tui.interfaces.cli.app import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # during startup
        code = 130
    sys.exit(code)
