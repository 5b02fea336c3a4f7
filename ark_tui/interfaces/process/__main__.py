"""`python -m ark_tui.interfaces.process HOME`: run the home process. Clients start it themselves."""

import sys
from pathlib import Path

from ark_tui.interfaces.process.process import run

if __name__ == "__main__":
    sys.exit(run(Path(sys.argv[1])))
