"""Scratch notes: values by key, with their versions."""

from __future__ import annotations

from difflib import get_close_matches

from ark_tui.domain.errors import Hint, NotFound
from ark_tui.domain.memory import Scope, ScratchValue
from ark_tui.memory import texts
from ark_tui.store import Lease, Store, requests, scratch

LISTED = 12  # keys that an error names


class Scratch:
    """The scratch notes of one home, separate for each agent and session."""

    def __init__(self, store: Store, longest: int) -> None:
        self._store = store
        self._longest = longest

    def set(self, scope: Scope, key: str, value: str) -> ScratchValue:
        """Set the value of a key. Earlier values stay as versions; the same value adds none."""
        scope, key = texts.one(scope), texts.name(key, "a key")
        kept = texts.text(value, "the scratchpad", self._longest)
        with self._store.write() as lease:

            def make() -> ScratchValue:
                now = scratch.latest(lease, scope, key)
                return now[0] if now and now[0].value == kept else scratch.put(lease, scope, key, kept)

            def again(version: int) -> ScratchValue | None:
                past = scratch.versions(lease, scope, key)
                return next((one for one in past if one.version == version), None)

            return requests.once(
                lease, "set a key", [scope.name, key, value], make, lambda made: made.version, again
            )

    def get(self, scope: Scope, key: str) -> ScratchValue:
        """The value of a key. Raises `NotFound`, which lists the keys."""
        with self._store.read() as lease:
            return self._latest(lease, texts.one(scope), key)

    def list(self, scope: Scope) -> tuple[ScratchValue, ...]:
        """All values, sorted by key."""
        with self._store.read() as lease:
            return tuple(scratch.latest(lease, scope))

    def versions(self, scope: Scope, key: str) -> tuple[ScratchValue, ...]:
        """All versions of a key, oldest first, including deletions. Raises `NotFound`."""
        with self._store.read() as lease:
            found = scratch.versions(lease, texts.one(scope), key)
            if not found:
                raise self._unknown(lease, scope, key)
            return tuple(found)

    def delete(self, scope: Scope, key: str) -> ScratchValue:
        """Delete a key and return its value. It can be restored."""
        with self._store.write() as lease:
            now = self._latest(lease, texts.one(scope), key)
            scratch.put(lease, scope, key, "", deleted=True)
            return now

    def restore(self, scope: Scope, key: str, version: int | None = None) -> ScratchValue:
        """Restore a version of a key; without a version, the one before the current."""
        with self._store.write() as lease:
            past = scratch.versions(lease, texts.one(scope), key)
            if not past:
                raise self._unknown(lease, scope, key)
            values = {one.version: one for one in past if not one.deleted}
            earlier = [number for number in values if number < past[-1].version]
            wanted = version if version is not None else max(earlier, default=0)
            if wanted not in values:
                listed = ", ".join(map(str, values))
                what = f"version {version}" if version is not None else "earlier value"
                raise NotFound(f"{key} has no {what}.", f"Its versions are {listed}.")
            return scratch.put(lease, scope, key, values[wanted].value)

    def _latest(self, lease: Lease, scope: Scope, key: str) -> ScratchValue:
        found = scratch.latest(lease, scope, key)
        if not found or not key:
            raise self._unknown(lease, scope, key)
        return found[0]

    def _unknown(self, lease: Lease, scope: Scope, key: str) -> NotFound:
        what = f"There is no key {key} on the scratchpad of {scope.name}."
        if key and scratch.versions(lease, scope, key):
            return NotFound(what, Hint.run("scratch restore", key, say="It was deleted; bring it back: {}"))
        keys = [one.key for one in scratch.latest(lease, scope)]
        named = get_close_matches(key, keys, LISTED) or keys[:LISTED]
        more = ", …" if len(keys) > len(named) else ""
        return NotFound(what, f"Keys: {', '.join(named)}{more}." if keys else "It is empty.")
