"""What ark-tui 0.1.0 was before its structure was changed: kept, and compared with what it is today.

`make inventory` prints what has come and gone; `python -m tests.baseline.inventory --keep` takes it anew.
"""
