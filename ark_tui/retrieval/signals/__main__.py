"""Writes the names of the signals for the settings, which check the weights of profiles by them."""

import json
import sys

from ark_tui.retrieval.signals import SIGNALS
from ark_tui.settings import ranking

if __name__ == "__main__":
    names = json.dumps([signal.info.name for signal in SIGNALS], indent=1)
    ranking.NAMES.write_text(names + "\n", "utf-8")
    sys.stdout.write(f"{ranking.NAMES.name} is written.\n")
