"""Importing all packages before several threads use them.

Modules are imported on first use. If two threads concurrently import a package and a module in it, Python
breaks the import deadlock with a partially initialized module, and one thread fails with `KeyError`. Once all
packages are imported, this cannot happen.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import walk_packages

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
    """Import every package once, in this thread; their modules are still imported on first use."""
    for name in MODULES:
        package = import_module(f"ark_tui.{name}")
        for walk_package in walk_packages(package.__path__, f"{package.__name__}."):
            if walk_package.ispkg:
                import_module(walk_package.name)
