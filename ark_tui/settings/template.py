"""The initial `config.toml`: every setting with its description and default, commented out."""

from __future__ import annotations

import textwrap

from ark_tui.domain.failures import not_written
from ark_tui.settings import lenient
from ark_tui.settings.config import OPTIONS, default
from ark_tui.settings.home import Home, write_file

WIDTH = 100

HEAD = """\
# The settings of ark-tui. Take the # away from a line to set it; what stays behind a # is the default.
# Command line and environment go before this file; the command `config` shows what counts, and from where.

# The folders that are indexed without being named.
# roots = ["~/notes", { path = "~/papers", name = "library" }]
"""

TABLES = """
# A ranking profile of your own starts from another one and changes what it names.
# [profiles.mine]
# from = "default"
# weights.bm25 = 0.4

# Other keys for the actions of the workbench, by the names in its settings (pane 6, Keys).
# [keymap]
# "hits.copy" = "c"
"""


def text() -> str:
    """The whole file. Uncommenting a setting without changing it has no effect."""
    parts = [HEAD]
    for name, option in OPTIONS.items():
        if name != "keymap":
            about = textwrap.fill(option.about, WIDTH, initial_indent="# ", subsequent_indent="# ")
            parts.append(f"\n{about}\n# {name} = {lenient.written(default(name))}\n")
    return "".join([*parts, TABLES])


def ensure(home: Home) -> bool:
    """Write the file if it is missing; return whether it was written. Raises `StoreError`."""
    home.create()
    try:
        if home.config.exists():
            return False
        write_file(home.config, text().encode(), synced=True, new=True)
    except FileExistsError:
        return False
    except OSError as error:
        raise not_written(error, home.config) from error
    return True


def line(home: Home, path: tuple[str, ...]) -> int:
    """The line (from 1) of a setting in the file: where it is set, else where it is commented out, else 1."""
    found = lenient.read(home.config)
    if path[0] in found.values:
        return found.line(path)
    starts = (f"# {path[0]} =", f"# [{path[0]}")
    numbered = enumerate(found.text.splitlines(), start=1)
    return next((number for number, one in numbered if one.startswith(starts)), 1)
