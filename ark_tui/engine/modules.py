"""The modules below the engine, imported before several threads use them.

Modules are imported when they are first needed. Two threads that do so at once, one by a package and the
other by a module in it, get it half made: Python breaks the deadlock that way, and one of them fails with
`KeyError`. Once every package is there, no later import can end so.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import walk_packages

from ark_tui.embedding import static

MODULES = (
    "store",
    "embedding",
    "index",
    "ingest",
    "retrieval",
    "curation",
    "memory",
    "analysis",
    "evaluation",
)


@cache
def open_all() -> None:
    """Import every package, once and on this thread; the modules in them, and what is heavy, wait."""
    for name in MODULES:
        package = import_module(f"ark_tui.{name}")
        for walk_package in walk_packages(package.__path__, f"{package.__name__}."):
            if walk_package.ispkg:
                import_module(walk_package.name)


def warm() -> None:
    """Import and load what a new text needs: a second that the first file saved need not wait."""
    if static.available():
        static.load()
        static.pool(static.tokens(["warm"]))
