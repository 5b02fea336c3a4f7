"""Write the list of signals for the settings, which check weights without importing the signals."""

import json
import sys
from dataclasses import astuple

from ark_tui.retrieval.signals import SIGNALS
from ark_tui.settings import ranking

if __name__ == "__main__":
    known = [[astuple(signal.info), signal.backend, signal.quiet] for signal in SIGNALS]
    ranking.NAMES.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n", "utf-8")
    sys.stdout.write(f"{ranking.NAMES.name} is written.\n")
