"""What a disk or object storage refuses, in words.

DuckDB, tantivy and LanceDB hand the system's errors on inside their own; so do clients of storage.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ark_tui.domain.errors import ArkError, Hint, StoreError

WRITABLE = "Make the home writable, or choose another with ARK_HOME."

CAUSES = (
    (
        r"No space left|StorageFull|Disk quota|File too large|out of disk|os error (27|28|122)\b",
        "is full: there is no room, or no room for one more file",
        "Free some space, or inodes (`df -i`), then run the same command again: it goes on where it stopped.",
    ),
    (
        r"Input/output error|fsync failed|os error 5\b",
        "does not read or write what it should (input/output error)",
        "Look at the disk, and make a backup to another one.",
    ),
    (
        r"[Rr]ead-only|Permission denied|os error (13|30)\b",
        "cannot be written",
        WRITABLE,
    ),
    (
        r"index writer was killed",  # tantivy's, in a thread of its own: what for, it does not say
        "did not take what was to be written",
        "Look at the disk and its free space, then run the same command again: it goes on where it stopped.",
    ),
    (r"Interrupted system call|os error 4\b", "was interrupted", "Run the same command again."),
)
"""How the cause is worded, by the system or by a library; what to say of the disk; what to do."""

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}

REFUSED = (
    r"AccessDenied|InvalidAccessKey|SignatureDoesNotMatch|Invalid(Client)?Token|ExpiredToken|Forbidden|40[13]\b"
    r"|Unauthorized|Unauthenticated|PermissionDenied|[Cc]redential"
)
NO_BUCKET = r"NoSuchBucket|ContainerNotFound|bucket does not exist|BucketNotFound"
NO_ANSWER = (
    r"[Tt]im(ed |e)out|[Cc]onnection|error sending request|dns error|retries|RetryError|SlowDown"
    r"|ServiceUnavailable|InternalError|status: 5\d\d|HTTP error"
)
"""How clients of object storage word that nobody is let in, that there is no bucket, that nothing answers."""

KEYS = "Look at the keys in the environment (such as AWS_ACCESS_KEY_ID), and at what they allow."


def of_disk(error: BaseException, place: Path | str) -> StoreError | None:
    """The sentence for an error that the disk below `place` has caused; None for any other error."""
    text = str(error)
    for pattern, what, hint in CAUSES:
        if re.search(pattern, text):
            return StoreError(f"The disk that holds {place} {what}.", hint)
    return None


def not_written(error: OSError, place: Path, hint: str | Hint = WRITABLE) -> StoreError:
    """The sentence for a file that cannot be written, with the hint for a full disk where it is one."""
    why = error.strerror or error
    return if_full(error, place) or StoreError(f"{place} cannot be written: {why}.", hint)


def if_full(error: OSError, place: Path | str) -> StoreError | None:
    """The sentence for a disk without room, or without room for one more file; None for any other error."""
    return of_disk(error, place) if error.errno in FULL else None


@contextmanager
def explained(place: Path) -> Iterator[None]:
    """Within this, what the disk below `place` refuses is a `StoreError`, whichever library says so."""
    try:
        yield
    except ArkError:
        raise
    except (OSError, ValueError, RuntimeError) as error:
        if failure := of_disk(error, place):
            raise failure from error
        raise
