"""The command line."""

from __future__ import annotations

import sys

from ark_tui.faces import collector


def main() -> None:
    """The `ark-tui` command."""
    collector.wait()
    try:
        from ark_tui.faces.cli.app import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # while still starting
        code = 130
    sys.exit(code)
