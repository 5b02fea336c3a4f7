"""One engine per home, and further ones for callers with other settings or API keys."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING

from ark_tui import settings as configured
from ark_tui.engine import Engine
from ark_tui.settings import secrets
from ark_tui.settings.caller import CALLER, IDENTITY, Caller, CallersClock, environ

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ark_tui.settings import Settings

KEPT = 4
"""The number of engines with other settings or keys that are cached."""

SOURCES = 64
"""The number of callers whose settings are cached."""

Source = tuple[object, ...]
Keys = tuple[str, ...]


class Engines:
    """Engines over one home and one store. Callers that differ only in name and clock share an engine."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._hold = threading.Lock()
        self._read: OrderedDict[Source, Settings] = OrderedDict()
        self._others: OrderedDict[int, tuple[Settings, Keys, Engine]] = OrderedDict()
        self._config = self._mark()
        self._keys = _keys(environ())
        self.base = Engine(configured.load(home), CallersClock())

    def of(self, caller: Caller) -> Engine:
        """The engine with the settings of a caller's environment and command line."""
        with self._hold:
            if (mark := self._mark()) != self._config:
                self._config = mark
                self._read.clear()
                self._others.clear()
                self.base = self.base.renewed(configured.load(self._home))
            settings = self._settings(caller)
            keys = _keys(caller.environ)
            if keys == self._keys and _alike(settings, self.base.settings):
                return self.base
            return self._other(settings, keys)

    def _settings(self, caller: Caller) -> Settings:
        given = {name: value for name, value in caller.environ.items() if name not in IDENTITY.values()}
        source = (caller.folder, *sorted(given.items()), *map(repr, sorted(caller.overrides.items())))
        if source not in self._read:
            token = CALLER.set(replace(caller, environ=given))
            try:
                self._read[source] = configured.load(self._home, caller.overrides, given)
            finally:
                CALLER.reset(token)
            while len(self._read) > SOURCES:
                self._read.popitem(last=False)
        return self._read[source]

    def _other(self, settings: Settings, keys: Keys) -> Engine:
        for key, (known, theirs, engine) in self._others.items():
            if keys == theirs and _alike(known, settings):
                self._others.move_to_end(key)
                return engine
        engine = self.base.with_settings(settings)
        self._others[id(engine)] = settings, keys, engine
        while len(self._others) > KEPT:
            self._others.popitem(last=False)
        return engine

    def _mark(self) -> tuple[int, ...]:
        """A fingerprint of config.toml, which changes with the file."""
        try:
            found = (self._home / "config.toml").stat()
        except OSError:
            return ()
        return found.st_ino, found.st_size, found.st_mtime_ns

    def close(self) -> None:
        """Close the home."""
        for _, _, engine in self._others.values():
            engine.unkept()
        self.base.close()


def _keys(environ: Mapping[str, str]) -> Keys:
    """The API keys of an environment, with which clients of model servers are created."""
    return tuple(environ.get(name, "") for name in (*secrets.NAMES, "OLLAMA_API_KEY"))


def _alike(one: Settings, other: Settings) -> bool:
    """Whether two settings have equal values, whatever their origins."""
    return _plain(one) == _plain(other)


def _plain(settings: Settings) -> object:
    return replace(settings, origins={}, lines={}, roots_from="", clock=CLOCK)


CLOCK = CallersClock()
