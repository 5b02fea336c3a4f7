"""API keys: from the environment, or from the home's file `keys`, readable only by its owner.

The file has lines such as `OPENROUTER_API_KEY = "…"`. Keys are read for each request and never stored: not in
settings, store, logs or reports.
"""

from __future__ import annotations

import os
import secrets
import stat
import tomllib
from collections.abc import Mapping

from ark_tui.domain.errors import ConfigError
from ark_tui.domain.failures import not_written
from ark_tui.settings import caller
from ark_tui.settings.home import Home, write_file
from ark_tui.settings.kinds import unset

FILE = "keys"

NAMES = {
    "OPENROUTER_API_KEY": "The key of OpenRouter, for embedding models that it serves.",
    "OPENAI_API_KEY": "The key of OpenAI, for openai:MODEL.",
    "EMBEDDING_API_KEY": "The key of the endpoint whose address is the embedding model.",
    "ARK_TOKEN": "The token that programs need that ask the server from other machines.",
}
"""The keys that ark-tui uses, with descriptions."""


def key(name: str, home: Home, environ: Mapping[str, str] | None = None) -> str:
    """A key from the caller's environment, else from the home; "" if there is none.

    Raises `ConfigError` if the file is readable by others or invalid; its content is not shown.
    """
    given = (caller.environ() if environ is None else environ).get(name, "")
    if not unset(given):
        return given.strip()
    path = home.path / FILE
    try:
        with path.open("rb") as file:
            if stat.S_IMODE(os.fstat(file.fileno()).st_mode) & (stat.S_IRWXG | stat.S_IRWXO):
                raise ConfigError(f"Others may read {path}.", f"Make it yours alone: chmod 600 {path}")
            found = tomllib.load(file).get(name, "")
    except FileNotFoundError:
        return ""
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"The keys in {path} cannot be read.", f'It has lines such as {name} = "…".'
        ) from error
    return found.strip() if isinstance(found, str) else ""


def origin(name: str, home: Home, environ: Mapping[str, str] | None = None) -> str:
    """The source of a key, `environment` or `keys`; "" if there is none. Raises as `key`."""
    if not unset((caller.environ() if environ is None else environ).get(name, "")):
        return "environment"
    return FILE if key(name, home, environ) else ""


def made(name: str, home: Home) -> str:
    """Create a random key (256 bits) and add it to the file.

    Raises `StoreError` if the file cannot be written.
    """
    new = secrets.token_urlsafe(32)
    path = home.path / FILE
    try:
        before = path.read_bytes() if path.exists() else b""
        write_file(path, before + f'\n{name} = "{new}"\n'.encode(), synced=True)
    except OSError as error:
        raise not_written(error, path, f"Give the key as {name} in the environment.") from error
    return new
