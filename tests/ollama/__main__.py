"""`make ollama`: the trials, or, where no server answers, what they would have been."""

from __future__ import annotations

import os
import sys

import pytest

from ark_tui.embedding.ollama import Ollama
from tests.ollama import LIVE


def main() -> int:
    """Run them; without a server, list them and be content."""
    server = Ollama(os.environ.get(LIVE, ""))
    there = server.listens(3.0)
    if not there:
        sys.stdout.write(f"No Ollama answers at {server.address}; OLLAMA_HOST names another. With one:\n")
        sys.stdout.flush()
    listed = [] if there else ["--collect-only"]
    return int(pytest.main(["-m", "ollama", "tests/ollama", "-q", "-rs", *listed]))


if __name__ == "__main__":
    sys.exit(main())
