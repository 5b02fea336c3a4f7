"""The names of all tests, read from their files: `python -m tests.baseline.ids` keeps those of today."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]
KEPT = Path(__file__).parent / "kept" / "tests.txt"
REMOVED = Path(__file__).parent / "removed.toml"
OWN = "baseline/"  # these tests state what was, and are no part of it


def ids() -> list[str]:
    """`file::test` of every test, or `file::Class::test`, as pytest names it without its parameters."""
    found = []
    for path in sorted(TESTS.rglob("test_*.py")):
        place = path.relative_to(TESTS).as_posix()
        if not place.startswith(OWN):
            found += [f"{place}::{name}" for name in names(ast.parse(path.read_text("utf-8")))]
    return found


def names(tree: ast.Module | ast.ClassDef, prefix: str = "") -> Iterator[str]:
    """The tests of a module or class."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
            yield f"{prefix}{node.name}"
        elif isinstance(node, ast.ClassDef):
            bases = {ast.unparse(base).rsplit(".", 1)[-1] for base in node.bases}
            if node.name.startswith("Test") or "RuleBasedStateMachine" not in bases:
                yield from names(node, f"{prefix}{node.name}::")
        elif isinstance(node, ast.Assign):
            yield from (
                f"{prefix}{target.id}"
                for target in node.targets
                if isinstance(target, ast.Name) and target.id.startswith(("test_", "Test"))
            )


def kept() -> list[str]:
    """The tests that there were."""
    return KEPT.read_text("utf-8").splitlines()


def removed() -> dict[str, str]:
    """The tests that are gone, and the test, or the row of one, that states the same."""
    return tomllib.loads(REMOVED.read_text("utf-8"))


def missing(before: list[str], now: list[str], map_: dict[str, str]) -> list[str]:
    """Tests that are gone without a word, and words that name no test of today."""
    gone = [one for one in before if one not in set(now) and one not in map_]
    lost = [one for one, other in map_.items() if one in set(now) or other.partition("[")[0] not in set(now)]
    return gone + lost


if __name__ == "__main__":
    KEPT.write_text("\n".join(ids()) + "\n", "utf-8")
