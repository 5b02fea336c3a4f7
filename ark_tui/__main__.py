"""`python -m ark_tui`, which has the current folder on `sys.path`: nothing of it is imported."""

import sys

if not sys.flags.safe_path:
    del sys.path[0]

from ark_tui.interfaces.cli import main

if __name__ == "__main__":
    main()
