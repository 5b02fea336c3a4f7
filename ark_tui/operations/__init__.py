"""All operations: typed functions, from which the interfaces are generated.

`Call` holds the caller and the engine; `operation` declares an operation; `catalog` lists them. Modules are
imported on first access, as in `operations.tasks`.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ark_tui.operations import (
        conversations,
        corpus,
        curation,
        find,
        history,
        home,
        judging,
        library,
        queue,
        recall,
        review,
        saved,
        scratch,
        tasks,
        workbench,
    )

    __all__ = [
        "conversations", "corpus", "curation", "find", "history", "home", "judging",
        "library", "queue", "recall", "review", "saved", "scratch", "tasks", "workbench",
    ]  # fmt: skip


def __getattr__(name: str) -> ModuleType:
    """Import a module of this package on first access (PEP 562)."""
    try:
        return import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as error:
        raise AttributeError(f"There is no module {name} of operations.") from error
