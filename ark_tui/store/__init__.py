"""The truth: DuckDB, leased for one transaction at a time so that many processes share one home."""

from ark_tui.store.lease import Lease
from ark_tui.store.store import Store

__all__ = ["Lease", "Store"]
