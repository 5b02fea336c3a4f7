"""Requests with an idempotency key: executed once; a repetition gets the same answer.

An interface sets the key with `asked`. Every operation that adds something calls `once`, which stores the
key, a digest of the arguments and the ids of the result in the operation's own transaction. With `whole`,
every other transaction that changes something is recorded, too, and not repeated.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

from ark_tui.domain.errors import AlreadyDone, KeyReused, NotFound
from ark_tui.store.lease import Lease

Made = TypeVar("Made")

KEPT = timedelta(hours=24)


@dataclass(slots=True)
class Asked:
    """A request with a key. `parts`: the number of its transactions that were executed or repeated.

    `whole`: also count transactions without `once`.
    """

    agent: str
    key: str
    whole: bool = False
    parts: int = 0


_asked: ContextVar[Asked | None] = ContextVar("asked", default=None)


@contextmanager
def asked(agent: str, key: str, *, whole: bool = False) -> Iterator[None]:
    """Set the idempotency key: within this block, `once` adds things once for this agent and key.

    `whole`: other changes are made once, too; a repetition raises `AlreadyDone`.
    """
    before = _asked.get()
    _asked.set(Asked(agent, key, whole))
    try:
        yield
    finally:
        _asked.set(before)


@contextmanager
def counted(lease: Lease) -> Iterator[None]:
    """Wrap a transaction: record that it was executed, if the request has `whole`.

    Raises `AlreadyDone` if it was executed before.
    """
    request = _asked.get()
    if request is None or not request.whole:
        yield
        return
    part, now = request.parts, lease.moment
    if lease.value(
        "SELECT 1 FROM ark.requests "
        "WHERE agent = ? AND key = ? AND part = ? AND operation = '' AND moment > ?",
        *(request.agent, request.key, part, now - KEPT),
    ):
        raise AlreadyDone
    yield
    if lease.wrote and request.parts == part:
        request.parts += 1
        lease.insert("requests", [(request.agent, request.key, part, "", "", "", now)])


def once(
    lease: Lease,
    operation: str,
    arguments: object,
    make: Callable[[], Made],
    ids: Callable[[Made], Any],
    again: Callable[[Any], Made | None],
) -> Made:
    """The result of `make`; if this request already ran, its former result, found by `again` from its `ids`.

    `ids` are JSON without any text, since text may be deleted meanwhile. Raises `KeyReused` for a key that
    was used with another operation or other arguments, and `NotFound` if the former result has been deleted.
    """
    request = _asked.get()
    if request is None:
        return make()
    part, request.parts = request.parts, request.parts + 1
    digest = hashlib.sha256(json.dumps([operation, arguments], default=str).encode()).hexdigest()
    now = lease.moment
    row = lease.row(
        "SELECT digest, answer FROM ark.requests WHERE agent = ? AND key = ? AND part = ? AND moment > ?",
        *(request.agent, request.key, part, now - KEPT),
    )
    if row is None:
        made = make()
        lease.run("DELETE FROM ark.requests WHERE moment <= ?", now - KEPT)
        answer = json.dumps(ids(made))
        lease.insert("requests", [(request.agent, request.key, part, operation, digest, answer, now)])
        return made
    if row[0] != digest:
        raise KeyReused(
            f"The idempotency key {request.key} has been used for another request.",
            "Use a new key for every new request, and the same only to repeat one.",
        )
    found = again(json.loads(row[1]))
    if found is None:
        raise NotFound(
            "This request has been carried out, and what it made is deleted.",
            "Use a new key to add it again.",
        )
    return found
