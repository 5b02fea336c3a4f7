"""The collector of cycles waits while the program starts, and takes up its work before anything long."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROBE = """
import gc, sys
from ark_tui.interfaces import cli

def told(*_, **__):
    print(gc.isenabled(), gc.get_freeze_count() > 0, file=sys.stderr)

if "search" in sys.argv:
    from ark_tui.engine import Engine
    Engine.search = told
else:
    import ark_tui.interfaces.tui as tui
    tui.run = told
    sys.stdin.isatty = sys.stdout.isatty = lambda: True
cli.main()
"""


def _told(home: Path, *arguments: str) -> str:
    command = [sys.executable, "-c", PROBE, "--home", str(home), *arguments]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return done.stderr.splitlines()[0]


def test_a_command_runs_with_the_collector_and_the_workbench_starts_without(tmp_path: Path) -> None:
    assert _told(tmp_path, "search", "anything") == "True True"
    assert _told(tmp_path) == "False False"
