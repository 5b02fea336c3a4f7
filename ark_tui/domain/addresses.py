"""Places of files that are no folder of this machine: object storage, by its address."""

from __future__ import annotations

import re
from pathlib import Path, PosixPath

SCHEMES = ("s3", "gs", "az")
NOT_HERE = "{} lies in storage, not here: it is changed there, and read by indexing its collection again."
_ADDRESS = re.compile(rf"({'|'.join(SCHEMES)}):/{{1,2}}(?=[^/])")


class Address(PosixPath):
    """`s3://bucket/docs`, as a path that keeps both slashes; nothing is looked up by it here."""

    def __str__(self) -> str:
        return super().__str__().replace(":/", "://", 1)

    def __fspath__(self) -> str:
        return str(self)


def is_address(root: Path | str) -> bool:
    """Whether a root lies in object storage; a folder's path is absolute, and none begins so."""
    return bool(_ADDRESS.match(str(root)))


def placed(root: Path | str) -> Path:
    """A root as a path: an address where it is one, also where a path has swallowed one of its slashes."""
    return Address(str(root).rstrip("/")) if is_address(root) else Path(root)


def located(root: Path | str, path: str) -> str:
    """Where what lies at a path below a root is, in full."""
    return f"{placed(root)}/{path}"
