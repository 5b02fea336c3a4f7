"""Opens a home for a client: by its home process, at a URL, or in this process."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ark_tui.domain.protocols import OnWait
from ark_tui.interfaces.client import local
from ark_tui.interfaces.client.home import Home, LocalHome
from ark_tui.settings.caller import IDENTITY, Caller

if TYPE_CHECKING:
    from ark_tui.interfaces.client.direct import Direct
    from ark_tui.settings import Settings

AnyHome: TypeAlias = "Home | Direct"

DIRECT = "ARK_DIRECT"
OFF = ("", "0", "no", "off", "false")


def direct(environ: Mapping[str, str]) -> bool:
    """Whether the environment asks to open the home in this process."""
    return environ.get(DIRECT, "").strip().lower() not in OFF


def caller(program: str, environ: Mapping[str, str], overrides: Mapping[str, object] | None = None) -> Caller:
    """Describe this process as a caller; `overrides`: settings from its command line."""
    given = dict(overrides or {})
    who = {name: _name(given.pop(f"{name}_id", None) or environ.get(variable, ""))
           for name, variable in IDENTITY.items()}  # fmt: skip
    return Caller(Path.cwd(), local.told(environ), given, **who, program=program)


def _name(value: object) -> str:
    """A given name; empty for a template variable that was not filled in."""
    text = str(value).strip()
    return "" if text.startswith("${") else text


def reached(
    home: Path, caller: Caller, instead: Callable[[], Settings], say: OnWait, *, begins: bool
) -> AnyHome:
    """The home of a folder on this machine, by its home process, which is started if needed.

    If none can be started, or if there is no home and none is to be created, it is opened in this process
    with the settings read by `instead`; `say` gets the reason. Raises `StoreError` if the home is another
    user's.
    """
    if not _begun(home) and not begins:
        return opened_here(instead(), say, begins=False)
    try:
        home.mkdir(mode=local.PRIVATE, parents=True, exist_ok=True)
        found = LocalHome(home, caller)
        found.reach()
    except local.NotStarted as error:
        say(f"{error.what} The command runs without one.")
    except FileExistsError:
        pass  # a file is in the way; the engine reports it
    except OSError as error:
        say(f"No home process can be started: {error.strerror or error}. The command runs without one.")
    else:
        return found
    return opened_here(instead(), say, begins=begins)


def opened_here(settings: Settings, say: OnWait, *, begins: bool = True) -> Direct:
    """Open a home in this process."""
    from ark_tui.interfaces.client.direct import Direct

    return Direct(settings, say, begins=begins)


def _begun(home: Path) -> bool:
    """Whether the folder is a home, possibly a damaged one."""
    return any(os.path.lexists(home / name) for name in ("ark.duckdb", "config.toml", "words", local.LOCK))
