"""Error messages for failures of disks and object storage.

DuckDB, tantivy, LanceDB and storage clients wrap the system's errors in their own.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ark_tui.domain.errors import ArkError, Hint, StoreError

WRITABLE = "Make the home writable, or choose another with ARK_HOME."
FAILING = "Look at the disk, and make a backup to another one."

CAUSES = (
    (
        r"No space left|StorageFull|Disk quota|File too large|out of disk|os error (27|28|122)\b",
        "is full: there is no room, or no room for one more file",
        "Free some space, or inodes (`df -i`), then run the same command again: it continues.",
    ),
    (
        r"Input/output error|fsync failed|os error 5\b",
        "does not read or write what it should (input/output error)",
        FAILING,
    ),
    (
        r"[Rr]ead-only|Permission denied|os error (13|30)\b",
        "cannot be written",
        WRITABLE,
    ),
    (
        r"index writer was killed",  # from a thread of tantivy, without a reason
        "did not take what was to be written",
        "Check the disk and its free space, then run the same command again: it continues.",
    ),
    (r"Interrupted system call|os error 4\b", "was interrupted", "Run the same command again."),
)
"""For each cause: a pattern for messages of the system and libraries, the sentence, the hint."""

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
"""Patterns for storage clients' messages: access denied, no such bucket, no response."""

KEYS = "Look at the keys in the environment (such as AWS_ACCESS_KEY_ID), and at what they allow."


class NotFlushed(OSError):
    """A file is complete and in its place, but a power failure may still bring the old one back."""


def of_disk(error: BaseException, place: Path | str) -> StoreError | None:
    """The error to report if the disk of `place` caused `error`; otherwise None."""
    text = str(error)
    for pattern, what, hint in CAUSES:
        if re.search(pattern, text):
            return StoreError(f"The disk that holds {place} {what}.", hint)
    return None


def not_written(error: OSError, place: Path, hint: str | Hint = WRITABLE) -> StoreError:
    """The error to report for a file that cannot be written; a full disk has its own hint."""
    why = error.strerror or error
    if isinstance(error, NotFlushed):
        return StoreError(f"{place} is complete, but was not flushed to disk: {why}.", FAILING)
    return if_full(error, place) or StoreError(f"{place} cannot be written: {why}.", hint)


def if_full(error: OSError, place: Path | str) -> StoreError | None:
    """The error to report if the disk has no space or inodes left; otherwise None."""
    return of_disk(error, place) if error.errno in FULL else None


@contextmanager
def explained(place: Path) -> Iterator[None]:
    """Convert errors of the disk of `place` to `StoreError`, whichever library raises them."""
    try:
        yield
    except ArkError:
        raise
    except (OSError, ValueError, RuntimeError) as error:
        if failure := of_disk(error, place):
            raise failure from error
        raise


NO_SPACE = "No space left"


def in_words(error: BaseException | None) -> ArkError:
    """Convert any exception to an `ArkError`; an `ArkError` is returned unchanged."""
    if isinstance(error, ArkError):
        return error
    if NO_SPACE in str(error):
        return ArkError(
            "The disk is full; what you did last may not be kept.", "Free some space, then do it again."
        )
    return ArkError(
        f"Something unexpected went wrong: {type(error).__name__}: {error}",
        "This is a bug; the same in a terminal keeps a log of it.",
    )
