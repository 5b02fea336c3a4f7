"""What the design promises in numbers, one script per row: `python -m benchmarks` runs them all."""

import os

import ark_tui.engine.services  # noqa: F401  sets one BLAS thread, as in the program, before numpy is imported

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # or every command that is timed compiles its source anew
