"""`python -m ark_tui`."""

from ark_tui.interfaces.cli import main

if __name__ == "__main__":
    main()
