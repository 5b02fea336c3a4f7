"""The store of a home: DuckDB, which one process has open."""

from ark_tui.store.lease import Lease
from ark_tui.store.store import Store

__all__ = ["Lease", "Store"]
