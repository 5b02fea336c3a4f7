"""Prints `name==version` for everything that ark-tui and its tools need, as installed here.

Only what is reachable from the project's own requirements is listed, so that a stray package of a
developer's environment does not become everybody's. No addresses: names and versions are enough.
"""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, distribution

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECT = "ark-tui"
EXTRAS = ("", "dev")


def reachable(name: str, extras: frozenset[str], seen: dict[str, str]) -> None:
    """Add the requirements of a package, and theirs, to `seen`."""
    for text in distribution(name).requires or ():
        requirement = Requirement(text)
        if not _applies(requirement, extras):
            continue
        wanted = canonicalize_name(requirement.name)
        try:
            version = distribution(wanted).version
        except PackageNotFoundError:
            sys.exit(f"{wanted} is required by {name} and not installed; run `make test` first.")
        if wanted not in seen or requirement.extras:
            seen[wanted] = version
            reachable(wanted, frozenset(requirement.extras), seen)


def _applies(requirement: Requirement, extras: frozenset[str]) -> bool:
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras))


def main() -> None:
    found: dict[str, str] = {}
    reachable(PROJECT, frozenset(EXTRAS), found)
    found.pop(PROJECT, None)
    print("# Versions that are known to work together; `make lock` writes this file.")
    for name, version in sorted(found.items()):
        print(f"{name}=={version}")


main()
