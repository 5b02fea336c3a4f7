"""The command line."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """The `ark-tui` command."""
    os.umask(0o077)  # whatever is written is for its owner alone, here as in the processes that are started
    try:
        from ark_tui.interfaces.cli.app import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # while still starting
        code = 130
    sys.exit(code)
