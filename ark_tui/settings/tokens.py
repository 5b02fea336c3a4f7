"""Access tokens of the server, stored as hashes in the home's file `tokens`, readable only by its owner."""

from __future__ import annotations

import fcntl
import hmac
import json
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from ark_tui.domain.errors import ConfigError, Forbidden, Hint, NotFound, UsageError
from ark_tui.domain.memory import EVERY
from ark_tui.domain.principal import NewToken, Principal
from ark_tui.settings.home import Home, write_file

if TYPE_CHECKING:
    from ark_tui.domain.principal import Grant
    from ark_tui.domain.protocols import Clock

FILE = "tokens"
PREFIX = "ark_"
HASH = "sha256"  # tokens have 256 random bits, so no salt is needed


class Tokens:
    """The tokens of one home. Changes apply from the next request, in every process."""

    def __init__(self, home: Home, clock: Clock) -> None:
        self._home = home
        self._clock = clock

    def list(self) -> tuple[Principal, ...]:
        """The holders of tokens, sorted by name. Raises `ConfigError` for an unreadable file."""
        return tuple(map(_principal, _read(self._home)))

    def holder(self, token: str) -> Principal | None:
        """The holder of a token; None if it is unknown or revoked."""
        digest = _digest(token)
        known = [one for one in _read(self._home) if hmac.compare_digest(one[HASH], digest)]
        return _principal(known[0]) if known else None

    def check(self, who: Principal) -> None:
        """Raise `Forbidden` if the token was revoked after authentication."""
        if who not in self.list():
            raise Forbidden(f"The token {who.name} was revoked.", "Ask the user for another token.")

    def add(self, name: str, grant: Grant, agents: Sequence[str], projects: Sequence[str]) -> NewToken:
        """Create a random token. Raises `UsageError` if the name already has one."""
        if EVERY in (*agents, *projects):
            raise UsageError(f"{EVERY} is not a name.", "Name none for all of them.")
        token = PREFIX + secrets.token_urlsafe(32)
        made = NewToken(name, grant, tuple(agents), tuple(projects), self._clock.now(), token)
        kept = {one.name: getattr(made, one.name) for one in fields(Principal)}
        with _written(self._home) as known:
            if any(one["name"] == name for one in known):
                again = Hint.run("token revoke", name, say="Choose another name, or revoke it: {}.")
                raise UsageError(f"There is a token {name} already.", again)
            known.append(kept | {"created": made.created.isoformat(), HASH: _digest(token)})
            known.sort(key=lambda one: str(one["name"]))
        return made

    def revoke(self, name: str) -> Principal:
        """Revoke a token: the next request with it is refused. Raises `NotFound`."""
        with _written(self._home) as known:
            found = [one for one in known if one["name"] == name]
            if not found:
                listed = Hint.run("token list", say="List them: {}.")
                raise NotFound(f"There is no token {name}.", listed)
            known.remove(found[0])
        return _principal(found[0])


def _digest(token: str) -> str:
    return sha256(token.encode()).hexdigest()


def _principal(kept: dict[str, Any]) -> Principal:
    return Principal(
        kept["name"], kept["grant"], tuple(kept["agents"]), tuple(kept["projects"]),
        datetime.fromisoformat(kept["created"]),
    )  # fmt: skip


def _read(home: Home) -> list[dict[str, Any]]:
    try:
        found: list[dict[str, Any]] = json.loads((home.path / FILE).read_bytes())
        for one in found:
            _principal(one), one[HASH].encode
    except FileNotFoundError:
        return []
    except (OSError, ValueError, TypeError, LookupError, AttributeError) as error:
        raise ConfigError(
            f"The tokens in {home.path / FILE} cannot be read.", "Remove the file, and make them again."
        ) from error
    return found


@contextmanager
def _written(home: Home) -> Iterator[list[dict[str, Any]]]:
    """Yield the tokens for changes under a file lock; write them at the end."""
    with (home.path / f"{FILE}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        known = _read(home)
        yield known
        write_file(home.path / FILE, json.dumps(known, indent=1).encode(), synced=True)
