"""One module per family of formats: `read(file)` turns a decoded file into drafts.

It raises `decode.Unreadable` with the reason when there is no document in the file. `SUFFIXES` of a module
say which files it reads; a package from outside adds a format by an entry point `ark_tui.formats`.
"""

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from typing import TypeAlias

from ark_tui.domain.documents import Draft
from ark_tui.ingest.formats.file import File

Format: TypeAlias = Callable[[File], tuple[Draft, ...]]


def found() -> dict[str, Format]:
    """By suffix, with its dot: the format of the modules of this package."""
    modules = [import_module(f"{__name__}.{iter_module.name}") for iter_module in iter_modules(__path__)]
    return {suffix: read for module in modules for suffix, read in getattr(module, "SUFFIXES", {}).items()}


FORMATS = found()
