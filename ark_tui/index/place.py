"""A location of LanceDB tables: a folder, object storage, or a LanceDB server.

The client reads credentials from the environment or its own chain; none are stored or shown here.
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
"""Timeouts and retries of the client for each request."""

CONNECTING = 10.0  # timeout in seconds for connecting, with retries
BUCKET = "Make the bucket, or name another place."
LATER = "Check the network and try again: nothing is lost, and the next run publishes what is missing."
CAUSES = (
    (NO_BUCKET, "has no such bucket", BUCKET),
    (REFUSED, "refused access", KEYS),
    (NO_ANSWER, "cannot be reached", LATER),
)
"""Patterns of the client's error messages, each with our message and a hint."""


class Damaged(StoreError):
    """The location responds, but its tables cannot be read."""


class Place:
    """The tables at a URI. Raises `StoreError` with the reason if it cannot be read or written."""

    def __init__(self, uri: str) -> None:
        self.uri = uri
        self._database: Any = None

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Convert errors of the client to `StoreError` messages without secrets."""
        try:
            yield
        except ArkError:
            raise
        except (ValueError, OSError, RuntimeError) as error:
            self._database = None
            raise self._failure(error) from None  # its text may contain secrets
        except BaseException as error:
            if type(error).__name__ == "PanicException":  # from pyo3, which exports no class to catch
                raise self._damaged() from error
            raise

    def table(self, name: str, version: int | None = None) -> Any:
        """Open an existing table, at a version if given."""
        with self.explained():
            table = self.database().open_table(name)
            if version is not None:
                table.checkout(version)
            return table

    def names(self) -> Sequence[str]:
        """The names of the tables."""
        with self.explained():
            return list(self.database().list_tables().tables)

    def drop(self, name: str) -> None:
        """Delete a table."""
        with self.explained():
            self.database().drop_table(name)

    def database(self) -> Any:
        """The client's connection. Raises the client's errors; `explained` converts them."""
        if self._database is None:
            self._database = self._connected() if "://" in self.uri else driver().connect(self.uri)
        return self._database

    def _connected(self) -> Any:
        """Connect within `CONNECTING` seconds; the client itself would retry for more than a minute."""
        options = {} if self.uri.startswith("db://") else {"storage_options": dict(REMOTE)}
        answer = SimpleQueue[Any]()

        def connect() -> None:
            try:
                answer.put(driver().connect(self.uri, **options))
            except BaseException as error:  # noqa: BLE001 - passed to the waiting thread
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
            Hint.run("export table", self.uri, anew=True, say="Publish it again from its home: {}"),
        )
