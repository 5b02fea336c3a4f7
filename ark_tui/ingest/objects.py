"""The objects below an address in storage, as `Tree` has the files of a folder: listed, looked at, opened.

A listing takes one pass of requests and opens nothing. Who may read, the client finds out by itself, by the
environment of the process or its own chain: nothing of that is kept or shown. The client is `obstore`, by
which the same variables hold as for a published table (`index/place.py`).
"""

from __future__ import annotations

import errno
import os
import re
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import cached_property
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from ark_tui.domain.addresses import is_address, placed
from ark_tui.domain.errors import ArkError, NotFound, StoreError
from ark_tui.domain.failures import KEYS, NO_ANSWER, NO_BUCKET, REFUSED
from ark_tui.ingest.entry import Entry, Object
from ark_tui.settings.tree import Tree

if TYPE_CHECKING:
    from obstore import ObjectMeta

PAGE = 1000  # objects that are handed over at once
PIECE = 1 << 16  # bytes, likewise
SMALL, AHEAD = 1 << 20, 8  # bytes of an object that is read ahead; how many are at once
RETRIED: Any = {"max_retries": 4, "retry_timeout": timedelta(seconds=10)}
WAITED = {"connect_timeout": "3s", "timeout": "30s"}
GIVEN = ("allow_http", "allow_invalid_certificates", "proxy_url", "proxy_ca_certificate")
"""What the client looks for in the environment unless it is told anything else."""
VARIABLES = {"s3": "AWS", "gs": "GOOGLE", "az": "AZURE"}

EXTRA = "pip install 'ark-tui[storage]' brings it, here and at every worker."
BUCKET = "Look at its name, and where it is looked for. What was read of it stays."
LATER = "Look at the network and the keys, and try again: what was read of it stays."
ADDRESS = (
    "Look at the address, and at what is needed for it in the environment (AWS_…, GOOGLE_…, AZURE_…). "
    "What was read of it stays."
)
CAUSES = (
    (NO_BUCKET, "There is no bucket for {}.", BUCKET),
    (REFUSED, "{} does not let this process in.", f"{KEYS} What was read of it stays."),
    (NO_ANSWER, "{} cannot be reached.", LATER),
    ("", "{} cannot be read.", ADDRESS),
)
"""How the client words a cause; what to say of the address; what to do."""


class OddName(OSError):
    """A name that the client cannot have: with an empty part, `.` or `..` in it, or a control character."""


class Opened:
    """An object that is being read, in pieces as they come. `entry`: as it is now."""

    def __init__(self, objects: Objects, entry: Object, pieces: Iterable[bytes]) -> None:
        self.entry = entry
        self._objects, self._pieces = objects, iter(pieces)
        self._left = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """What has not come yet is not asked for."""

    def read(self, size: int) -> bytes:
        """So many bytes more, fewer at the end. Raises `OSError` and `StoreError`."""
        pieces, have = [self._left], len(self._left)
        with self._objects.explained():
            while have < size and (piece := next(self._pieces, None)) is not None:
                pieces.append(bytes(piece))
                have += len(piece)
        whole = b"".join(pieces)
        self._left = whole[size:]
        return whole[:size]


class Objects:
    """What lies below an address. Paths are relative, with `/`; an object without a byte is none.

    Storage marks folders by such. Methods raise `OSError` for what is wrong with one object, and `StoreError`
    where the whole place does not answer, or not to us.
    """

    def __init__(self, root: Path | str) -> None:
        self.path = str(placed(root))
        self.mounts: dict[str, str] = {}  # as `Tree` has them: in storage there are none
        self._expected = deque[str]()  # small ones that will be opened, in this order
        self._coming: dict[str, Future[tuple[Object, bytes]]] = {}  # those of them that were asked for

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._expected.clear()
        self._coming.clear()
        if pool := self.__dict__.pop("_pool", None):
            pool.shutdown(wait=False, cancel_futures=True)

    def check(self) -> None:
        """Raise `ArkError` where it cannot be listed, or there is nothing. One request."""
        with suppress(OddName), self._listing():  # by which it is there
            if not next(iter(self._client.list(self._store, chunk_size=1)), None):
                raise NotFound(
                    f"There is nothing at {self.path}.", "Name an address below which objects lie."
                )

    def everything(self) -> Iterator[list[Object]]:
        """All objects, a page at a time, by one pass of requests. Raises `OddName`."""
        with self._listing():
            for page in self._client.list(self._store, chunk_size=PAGE):
                yield _objects(page)

    def folder(self, path: str) -> tuple[list[Object], list[str]]:
        """What lies in one folder (the top is ""), and the folders in it. Raises `OddName`."""
        with self._listing():
            found = self._client.list_with_delimiter(self._store, path or None)
        return _objects(found["objects"]), sorted(found["common_prefixes"])

    def entry(self, path: str) -> Object:
        """A single object as it is now."""
        with self.explained():
            return _object(path, self._client.head(self._store, path))

    def expect(self, entries: Iterable[Entry], limit: int) -> None:
        """Those of no more bytes than `limit` will be opened in this order; small ones are read ahead.

        Several at once, for each takes a while to answer.
        """
        self._expected.extend(entry.path for entry in entries if entry.size <= min(limit, SMALL))

    def open(self, path: str) -> Opened:
        """An object to read."""
        with self.explained():
            while self._expected and len(self._coming) < AHEAD:
                ahead = self._expected.popleft()
                self._coming[ahead] = self._pool.submit(self._read, ahead)
            if path in self._coming:
                entry, data = self._coming.pop(path).result()
                return Opened(self, entry, (data,))
            found = self._client.get(self._store, path)
            return Opened(self, _object(path, found.meta), found.stream(min_chunk_size=PIECE))

    def inner(self, path: Path | str) -> str:
        """A path as it is: there are no links."""
        return str(path)

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Within this, the client's reports are `OSError` of one object or `StoreError` of the place.

        Their text is not handed on: it may name what nobody should read.
        """
        errors = self._client.exceptions
        try:
            yield
        except ArkError:
            raise
        except FileNotFoundError:
            raise FileNotFoundError(errno.ENOENT, "it is not there any more") from None
        except (errors.PermissionDeniedError, errors.UnauthenticatedError):
            raise OSError(errno.EACCES, "the storage does not let this process read it") from None
        except (errors.BaseError, OSError, ValueError, RuntimeError) as error:
            raise self._reported(error) from None

    @contextmanager
    def _listing(self) -> Iterator[None]:
        """Likewise, where none of them is of one object."""
        try:
            yield
        except ArkError:
            raise
        except (self._client.exceptions.BaseError, OSError, ValueError, RuntimeError) as error:
            raise self._reported(error) from None

    def _reported(self, error: Exception) -> OddName | StoreError:
        errors = self._client.exceptions
        if isinstance(error, errors.InvalidPathError):
            return OddName(errno.EINVAL, "a name that cannot be read")
        text = str(error).partition("Debug source")[0]
        if isinstance(error, (errors.PermissionDeniedError, errors.UnauthenticatedError)):
            text = "Unauthorized"
        if isinstance(error, FileNotFoundError):
            text = "BucketNotFound"
        what, hint = next(told for pattern, *told in CAUSES if re.search(pattern, text))
        return StoreError(what.format(self.path), hint)

    def _read(self, path: str) -> tuple[Object, bytes]:
        found = self._client.get(self._store, path)
        return _object(path, found.meta), bytes(found.bytes())

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(AHEAD, "storage")

    @cached_property
    def _client(self) -> Any:
        if find_spec("obstore") is None:
            raise ArkError("Reading from storage needs obstore, which is an extra of ark-tui.", EXTRA)
        import obstore

        return obstore

    @cached_property
    def _store(self) -> Any:
        from obstore.store import from_url

        lead = VARIABLES[self.path.partition(":")[0]]
        named = {name: os.environ.get(f"{lead}_{name.upper()}") for name in GIVEN}
        given: Any = WAITED | {name: value for name, value in named.items() if value}
        return from_url(self.path, client_options=given, retry_config=RETRIED)


Files: TypeAlias = Tree | Objects
"""The files of a root."""


def opened(root: Path | str) -> Files:
    """The files of a root, wherever it is."""
    return Objects(root) if is_address(root) else Tree(root)


def looked_at(files: Files, path: str) -> Entry:
    """A single file as it is now, not opened. Raises `OSError`, and `StoreError` of storage."""
    return files.entry(path) if isinstance(files, Objects) else Entry.of(files, path)


def there(root: Path | str, path: str) -> bool:
    """Whether there is such an object; where that cannot be found out, there may be."""
    try:
        Objects(root).entry(path)
    except FileNotFoundError:
        return False
    except (OSError, ArkError):
        return True
    return True


def _objects(page: list[ObjectMeta]) -> list[Object]:
    return [_object(one["path"], one) for one in page if one["size"]]


def _object(path: str, meta: ObjectMeta) -> Object:
    """An object by what storage says of it; without an etag its time has to do."""
    saved = int(meta["last_modified"].timestamp())  # whole seconds, as everyone tells them
    tag = (meta["e_tag"] or meta["version"] or str(saved)).removeprefix("W/").strip('"')
    mark = int.from_bytes(blake2b(tag.encode(), digest_size=8).digest()) >> 1  # so that the store can hold it
    return Object(path, meta["size"], saved * 1_000_000_000, mark)
