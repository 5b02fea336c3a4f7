"""`python -m ark_tui.interfaces.process HOME`: the home process. A client starts it, nobody else need."""

import sys
from pathlib import Path

from ark_tui.interfaces.process.process import run

if __name__ == "__main__":
    sys.exit(run(Path(sys.argv[1])))
