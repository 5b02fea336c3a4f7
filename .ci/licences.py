"""Prints docs/licences.md: what ark-tui needs to run, and the licence of each by its own word."""

from __future__ import annotations

import re
from importlib.metadata import Distribution, distribution

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECT = "ark-tui"
HEAD = """# Licences

What `pip install ark-tui` installs, and under which licence; `make licences` writes this page from what the
packages say of themselves. ark-tui itself is under the MIT licence.

| package | licence |
|---|---|
"""
KNOWN = {
    "MIT License": "MIT",
    "The MIT License": "MIT",
    "Apache Software License": "Apache-2.0",
    "Apache License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "BSD 3-Clause License": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
"""Names that are in use for licences, and their SPDX identifiers."""

ACCEPTABLE = {
    "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "CNRI-Python", "ISC", "MIT", "MIT-0",
    "MPL-2.0", "PSF-2.0", "Unlicense", "Zlib",
}  # fmt: skip
"""What may be used by, and shipped with, a program under the MIT licence."""


def needed(extras: frozenset[str] = frozenset()) -> set[str]:
    """The packages that are installed with ark-tui here, with those extras."""
    found: set[str] = set()
    waiting = [(PROJECT, extras)]
    while waiting:
        name, wanted = waiting.pop()
        for requirement in map(Requirement, distribution(name).requires or ()):
            marker = requirement.marker
            other = canonicalize_name(requirement.name)
            applies = not marker or any(marker.evaluate({"extra": extra}) for extra in ("", *wanted))
            if applies and (other not in found or requirement.extras):
                found.add(other)
                waiting.append((other, frozenset(requirement.extras)))
    return found - {PROJECT}


def licence(name: str) -> str:
    """The SPDX expression of a package's licence; empty where it says nothing that is known."""
    package = distribution(name)
    said = [package.metadata.get("License-Expression") or package.metadata.get("License") or ""]
    said += [
        text.rpartition(" :: ")[2]
        for text in package.metadata.get_all("Classifier") or ()
        if text.startswith("License ::")
    ]
    said.append(_first_line(package))
    spdx = (KNOWN.get(text.strip(), text.strip()) for text in said)
    return next((text for text in spdx if text and parts(text) <= ACCEPTABLE), "")


def parts(expression: str) -> set[str]:
    """The licences that an expression names; of alternatives, the acceptable one."""
    names = re.split(r"\s+AND\s+|[()]+", expression)
    return {_chosen(name.strip()) for name in names if name.strip()}


def _chosen(alternatives: str) -> str:
    names = [name.strip() for name in re.split(r"\s+OR\s+", alternatives)]
    return next((name for name in names if name in ACCEPTABLE), names[0])


def _first_line(package: Distribution) -> str:
    """The first line of the licence that comes with a package."""
    for path in package.files or ():
        if "LICEN" in path.name.upper():
            lines = path.read_text().strip().splitlines()
            return lines[0].strip() if lines else ""
    return ""


def page() -> str:
    return HEAD + "".join(f"| {name} | {licence(name)} |\n" for name in sorted(needed()))


if __name__ == "__main__":
    print(page(), end="")
