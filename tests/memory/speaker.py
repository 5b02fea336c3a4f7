"""What the other processes say: `python -m tests.memory.speaker HOME NAME COUNT`, one message at a time.

Each acknowledged message is a line on stdout: its sequence and its text.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ark_tui.domain.memory import Scope
from ark_tui.engine import Engine
from ark_tui.settings import load


def main(home: str, name: str, count: str) -> None:
    settings = load(Path(home), {"lease_timeout": 60.0}, environ={})
    with Engine(settings) as engine:
        for number in range(int(count)):
            said = engine.memory.conversations.add(Scope(), "user", f"{name} says {number}")
            sys.stdout.write(f"{said.sequence} {said.content}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
