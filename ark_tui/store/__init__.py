"""The store of a home: a DuckDB database, open in one process at a time."""

from ark_tui.store.lease import Lease
from ark_tui.store.store import Store

__all__ = ["Lease", "Store"]
