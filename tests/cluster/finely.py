"""The command line where pieces are so small that a corpus of a few pages has many: `python -m … WORDS`."""

from __future__ import annotations

from ark_tui.analysis import neighbours
from ark_tui.engine import survey
from ark_tui.interfaces.cli import main

neighbours.EXACT, neighbours.AT_ONCE, survey.AT_ONCE, survey.MEANT = 30, 3, 16, 7

if __name__ == "__main__":
    main()
