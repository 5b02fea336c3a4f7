"""A place where LanceDB tables lie: a folder, object storage, or a LanceDB server.

The client finds its credentials by itself, in the environment or its own chain; none is kept or shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any

from ark_tui.domain.errors import ArkError, Hint, StoreError
from ark_tui.domain.failures import KEYS, NO_ANSWER, NO_BUCKET, REFUSED, of_disk
from ark_tui.index.vectors.table import driver

if TYPE_CHECKING:
    from collections.abc import Sequence

REMOTE: Mapping[str, str] = {
    "connect_timeout": "3s", "timeout": "20s", "client_max_retries": "4", "client_retry_timeout": "10",
}  # fmt: skip
"""How long the client tries each request by itself."""

CONNECTING = 10.0  # seconds, in which it makes several
BUCKET = "Make the bucket, or name another place."
LATER = "Check the network and try again: nothing is lost, and what is missing there is published then."
CAUSES = (
    (NO_BUCKET, "has no such bucket", BUCKET),
    (REFUSED, "refused access", KEYS),
    (NO_ANSWER, "cannot be reached", LATER),
)
"""A pattern of the client's message, what is wrong with the place, and what to do."""


class Damaged(StoreError):
    """What is at the place cannot be read, though the place answers."""


class Place:
    """The tables at an address. Raises `StoreError` where it cannot be read or written, and says why."""

    def __init__(self, uri: str) -> None:
        self.uri = uri
        self._database: Any = None

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Within this, what the client reports becomes a sentence without secrets."""
        try:
            yield
        except ArkError:
            raise
        except (ValueError, OSError, RuntimeError) as error:
            self._database = None
            raise self._failure(error) from None  # its text may name what nobody should read
        except BaseException as error:
            if type(error).__name__ == "PanicException":  # of pyo3, which offers no class to catch
                raise self._damaged() from error
            raise

    def table(self, name: str, version: int | None = None) -> Any:
        """A table that is there, at a version of it."""
        with self.explained():
            table = self.database().open_table(name)
            if version is not None:
                table.checkout(version)
            return table

    def names(self) -> Sequence[str]:
        """The tables that are there."""
        with self.explained():
            return list(self.database().list_tables().tables)

    def drop(self, name: str) -> None:
        """Remove a table."""
        with self.explained():
            self.database().drop_table(name)

    def database(self) -> Any:
        """The client's connection. Raises what the client raises; within `explained` that is a sentence."""
        if self._database is None:
            self._database = self._connected() if "://" in self.uri else driver().connect(self.uri)
        return self._database

    def _connected(self) -> Any:
        """A connection that was made within `CONNECTING`: the client would try for more than a minute."""
        options = {} if self.uri.startswith("db://") else {"storage_options": dict(REMOTE)}
        answer = SimpleQueue[Any]()

        def connect() -> None:
            try:
                answer.put(driver().connect(self.uri, **options))
            except BaseException as error:  # noqa: BLE001 - handed to the thread that waits
                answer.put(error)

        Thread(target=connect, name="connecting", daemon=True).start()
        try:
            found = answer.get(timeout=CONNECTING)
        except Empty:
            raise TimeoutError("timed out") from None
        if isinstance(found, BaseException):
            raise found
        return found

    def _failure(self, error: BaseException) -> StoreError:
        if "://" not in self.uri and (failure := of_disk(error, self.uri)):
            return failure
        for pattern, what, hint in CAUSES:
            if re.search(pattern, str(error)):
                return StoreError(f"The place of the table {self.uri} {what}.", hint)
        return self._damaged()

    def _damaged(self) -> Damaged:
        return Damaged(
            f"The table at {self.uri} cannot be read.",
            Hint.run("export table", self.uri, anew=True, say="Publish it anew from its home: {}"),
        )
