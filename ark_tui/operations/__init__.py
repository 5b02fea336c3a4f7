"""Every capability once: a typed function each, from which the interfaces are made.

`Call` says who asks and what is open; `operation` declares; `catalog` finds what there is. A module is
imported when it is first asked for as `operations.tasks`: who only may need it need not wait for it.
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
    """A module of this package (PEP 562)."""
    try:
        return import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as error:
        raise AttributeError(f"There is no module {name} of operations.") from error
