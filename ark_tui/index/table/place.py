"""Where the table is, and what is published there: one row says which versions belong together.

```
current              one row: what is published, as JSON (`Published`)
chunks-N             a row for each chunk, see `rows`; a new one where all vectors are others
terms-N              in how many chunks each term of a field is
parts                what all chunks share, as bytes, by a hash of them
turn                 one row: who is writing, see `turn`
```

`current` is replaced last, and only where it is as it was read: of two writers one is refused. A reader
opens the versions that it names, which stay for an hour after they were superseded. Who may, the client finds
out by itself, by the environment of the process or its own chain: nothing of that is kept or shown.
"""

from __future__ import annotations

import io
import json
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import timedelta
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any

from ark_tui.domain.errors import ArkError, Hint, StoreError
from ark_tui.domain.failures import KEYS, NO_ANSWER, NO_BUCKET, REFUSED, of_disk
from ark_tui.index.follower import Mark
from ark_tui.index.vectors.table import driver

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

CURRENT, PARTS = "current", "parts"
KEPT = timedelta(hours=1)  # a version that others may still read
NOW = timedelta(milliseconds=1)  # of none at all the client warns
REMOTE: Mapping[str, str] = {
    "connect_timeout": "3s", "timeout": "20s", "client_max_retries": "4", "client_retry_timeout": "10",
}  # fmt: skip
"""How long the client tries each request by itself: what is away for longer is said."""
CONNECTING = 10.0  # seconds, in which it makes several
AWAY_FOR = 10.0  # seconds for which a place that cannot be reached is not tried again

BUCKET = "Make the bucket, or name another in the setting `index`."
LATER = "Look at the network, and try again: nothing is lost, and what is missing there is published then."
UNREACHABLE = "cannot be reached"
CAUSES = (
    (NO_BUCKET, "has no such bucket", BUCKET),
    (REFUSED, "does not let this process in", KEYS),
    (NO_ANSWER, UNREACHABLE, LATER),
)
"""How the client words a cause; what to say of the place; what to do."""


class Overtaken(StoreError):
    """Another writer has published at the place meanwhile."""


class Damaged(StoreError):
    """What is at the place cannot be read, though the place answers."""


@dataclass(frozen=True, slots=True)
class Published:
    """One whole version of the table."""

    mark: Mark = field(default_factory=Mark)
    serial: int = 0  # grows with each publication
    chunks: str = ""  # the name of its table
    terms: str = ""
    versions: Mapping[str, int] = field(default_factory=dict)  # of both, by their names
    pools: tuple[str, ...] = ()  # hashes of what vectors were pooled by; the served model, if there is one
    parts: Mapping[str, str] = field(default_factory=dict)  # hash of each, by its name
    size: int = 0  # chunks
    waiting: int = 0  # those of them without a vector
    lengths: Mapping[str, float] = field(default_factory=dict)  # terms of a field in all chunks
    languages: tuple[str, ...] = ()

    @property
    def model(self) -> str:
        """The served model whose vectors are there, as it writes itself; empty where there are none.

        It stands among `pools` since earlier programs refuse a field that they do not know.
        """
        return self.pools[2] if len(self.pools) > 2 else ""

    @classmethod
    def read(cls, text: str) -> Published:
        """What `written` has written."""
        found = json.loads(text)
        return cls(**found | {
            "mark": Mark(**found["mark"]), "pools": tuple(found["pools"]),
            "languages": tuple(found["languages"]),
        })  # fmt: skip

    def written(self) -> str:
        """As JSON."""
        return json.dumps(asdict(self))


class Place:
    """The tables at an address. Raises `StoreError` where it cannot be read or written, and says why."""

    def __init__(self, uri: str) -> None:
        self.uri = uri
        self._database: Any = None
        self._rows: dict[str, Any] = {}  # tables of one row, by name
        self._tried = -AWAY_FOR  # when it could not be reached

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Within this, what the client reports is a sentence.

        Of a place that could just not be reached it is said at once: a search asks several times, and would
        wait each time.
        """
        if time.monotonic() - self._tried < AWAY_FOR:
            raise self._caused(UNREACHABLE, LATER)
        try:
            yield
        except ArkError:
            raise
        except (ValueError, OSError, RuntimeError) as error:
            self._database = None
            self._rows.clear()
            raise self._worded(error) from None  # its text may name what nobody should read
        except BaseException as error:
            if type(error).__name__ == "PanicException":  # of pyo3, which offers no class to catch
                raise self._damaged() from error
            raise

    def published(self) -> Published | None:
        """What is in force; None where nothing was published yet."""
        row = self.row(CURRENT)
        if row is None:
            return None
        try:
            return Published.read(row["told"])
        except (ValueError, TypeError, KeyError):
            raise self._damaged() from None

    def publish(self, new: Published, old: Published | None) -> Published:
        """Put a version in force in place of the one that was read; raises `Overtaken`."""
        serial = old.serial if old else 0
        new = replace(new, serial=serial + 1)
        if not self.swap(CURRENT, {"key": "index", "told": new.written()}, serial):
            raise Overtaken(
                f"Another process has written to {self.uri} meanwhile.",
                "Run the same command again when it is done.",
            )
        return new

    def row(self, name: str) -> dict[str, Any] | None:
        """The row of a table that has one; None where there is no such table."""
        with self.explained():
            if (table := self._rows.get(name)) is None:
                if name not in self.names():
                    return None
                table = self._rows[name] = self.database().open_table(name)
            table.checkout_latest()
            rows: list[dict[str, Any]] = table.search().limit(2).to_list()
        return rows[0] if rows else None

    def swap(self, name: str, row: Mapping[str, Any], before: int) -> bool:
        """Put a row in place of the one with that serial, 0 for none; false where it is another by now."""
        import pyarrow as pa

        one = pa.Table.from_pylist([{**row, "serial": before + 1}])
        with self.explained():
            if name not in self.names():
                with suppress(ValueError):  # somebody else has made it: the condition below decides
                    self.database().create_table(name, schema=one.schema)
            table = self._rows[name] = self.database().open_table(name)
            merge = table.merge_insert("key").when_matched_update_all(where=f"target.serial = {before}")
            done = (merge if before else merge.when_not_matched_insert_all()).execute(one)
        return int(done.num_updated_rows + done.num_inserted_rows) == 1

    def table(self, name: str, version: int | None = None) -> Any:
        """A table that is there, at a version of it."""
        with self.explained():
            table = self.database().open_table(name)
            if version is not None:
                table.checkout(version)
            return table

    def part(self, key: str) -> NDArray[Any]:
        """What all chunks share, by its hash."""
        import numpy as np

        with self.explained():
            found = self.table(PARTS).search().where(f"hash = '{key}'").limit(1).to_arrow()
            (data,) = found["data"].to_pylist()
            part: NDArray[Any] = np.load(io.BytesIO(data), allow_pickle=False)
        return part

    def names(self) -> Sequence[str]:
        """The tables that are there."""
        with self.explained():
            return list(self.database().list_tables().tables)

    def drop(self, name: str) -> None:
        """Remove a table."""
        with self.explained():
            self.database().drop_table(name)
            self._rows.pop(name, None)

    def squeeze(self, name: str) -> None:
        """Remove what a table no longer has from its files, though others may be reading them."""
        with self.explained():
            self.database().open_table(name).optimize(cleanup_older_than=NOW, delete_unverified=True)

    def database(self) -> Any:
        """The client's connection. Raises what the client raises; within `explained` that is a sentence."""
        if self._database is None:
            self._database = self._connected() if "://" in self.uri else driver().connect(self.uri)
        return self._database

    def _connected(self) -> Any:
        """A connection that was made within `CONNECTING`: the client would try for more than a minute.

        Raises `TimeoutError` where it was not, and what the client raises.
        """
        options = {} if self.uri.startswith("db://") else {"storage_options": dict(REMOTE)}
        answer = SimpleQueue[Any]()

        def connect() -> None:
            try:
                answer.put(driver().connect(self.uri, **options))
            except BaseException as error:  # noqa: BLE001 - whatever it is, who waits is to know
                answer.put(error)

        Thread(target=connect, name="connecting", daemon=True).start()
        try:
            found = answer.get(timeout=CONNECTING)
        except Empty:
            raise TimeoutError("timed out") from None
        if isinstance(found, BaseException):
            raise found
        return found

    def _worded(self, error: BaseException) -> StoreError:
        text = str(error)
        if "://" not in self.uri and (failure := of_disk(error, self.uri)):
            return failure
        for pattern, what, hint in CAUSES:
            if re.search(pattern, text):
                if what == UNREACHABLE:
                    self._tried = time.monotonic()
                return self._caused(what, hint)
        return self._damaged()

    def _caused(self, what: str, hint: str) -> StoreError:
        return StoreError(f"The place of the table {self.uri} {what}.", hint)

    def _damaged(self) -> Damaged:
        return Damaged(
            f"The table at {self.uri} cannot be read.",
            Hint.run("doctor", repair=True, say="At the home that publishes it, publish it anew: {}"),
        )
