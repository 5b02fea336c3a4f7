"""The tokens of the server, in the home's file `tokens`, which only its owner may read; each as its hash."""

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
HASH = "sha256"  # of 256 random bits, which need no salt


class Tokens:
    """The tokens of one home. What is changed counts with the next request, in every process."""

    def __init__(self, home: Home, clock: Clock) -> None:
        self._home = home
        self._clock = clock

    def list(self) -> tuple[Principal, ...]:
        """Whom there are tokens for, by name. Raises `ConfigError` for a file that cannot be read."""
        return tuple(map(_principal, _read(self._home)))

    def holder(self, token: str) -> Principal | None:
        """Who holds a token; None for one that is not known, or no longer."""
        digest = _digest(token)
        known = [one for one in _read(self._home) if hmac.compare_digest(one[HASH], digest)]
        return _principal(known[0]) if known else None

    def check(self, who: Principal) -> None:
        """Raise `Forbidden` where a token has been revoked since its holder was let in."""
        if who not in self.list():
            raise Forbidden(f"The token {who.name} was revoked.", "Ask the user for another token.")

    def add(self, name: str, grant: Grant, agents: Sequence[str], projects: Sequence[str]) -> NewToken:
        """Make a token that nobody can guess. Raises `UsageError` for a name that has one."""
        if EVERY in (*agents, *projects):
            raise UsageError(f"{EVERY} is no name.", "Name none for all of them.")
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
        """Take a token away: the next request with it is refused. Raises `NotFound`."""
        with _written(self._home) as known:
            found = [one for one in known if one["name"] == name]
            if not found:
                listed = Hint.run("token list", say="See which there are: {}.")
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
    """The tokens, to be changed by one process at a time and kept in the end."""
    with (home.path / f"{FILE}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        known = _read(home)
        yield known
        write_file(home.path / FILE, json.dumps(known, indent=1).encode(), synced=True)
