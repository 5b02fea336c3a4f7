"""How the code hangs together, in numbers: its size, circles of imports, late imports, JSON written by hand.

- lines: of all `.py` files of the package, as `cat` and `wc -l` count them.
- circles: sets of modules that import each other, directly or by others (strongly connected components of the
  graph of imports), and how many modules each has.
- late imports: import statements inside functions.
- JSON by hand: lines of the dictionaries with two texts or more as keys that functions make in the code that
  answers over HTTP, MCP, in reports and on the command line; and, apart, lines of such tables outside of
  functions (renderers by operation, groups of commands, colours), which nobody is answered with.

`python .ci/structure.py` prints them, and fails where there is a circle; `--circles` names its modules.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = "ark_tui"
ANSWERING = {"cli", "http", "mcp", "reports"}
"""Folders of the code that answers in JSON."""

TOP, LATE, TYPES = "at the top", "inside a function", "for types"
CIRCLES = {
    "imports at the top": {TOP},
    "these and those inside functions": {TOP, LATE},
    "all, for types, too": {TOP, LATE, TYPES},
}

Graph = dict[str, set[str]]


def modules() -> dict[str, Path]:
    """Every module of the package by its name."""
    found = {}
    for path in sorted((ROOT / PACKAGE).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(tree: ast.AST, kind: str = TOP) -> Iterator[tuple[ast.Import | ast.ImportFrom, str]]:
    """Every import with its kind: at the top, inside a function, or for types only."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node, kind
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from imports(ast.Module(node.body, []), TYPES)
            yield from imports(ast.Module(node.orelse, []), kind)
        else:
            inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from imports(node, LATE if inside else kind)


def imported(node: ast.Import | ast.ImportFrom, known: dict[str, Path]) -> set[str]:
    """The modules of the package that an import names."""
    if isinstance(node, ast.Import):
        return {name.name for name in node.names} & known.keys()
    return {
        place if (place := f"{node.module}.{name.name}") in known else str(node.module) for name in node.names
    } & known.keys()


def circles(graph: Graph) -> list[list[str]]:
    """The strongly connected components of more than one module, the largest first (Tarjan, 1972)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        index[module] = low[module] = len(index)
        stack.append(module)
        for other in sorted(graph[module]):
            if other not in index:
                visit(other)
                low[module] = min(low[module], low[other])
            elif other in stack:
                low[module] = min(low[module], index[other])
        if low[module] == index[module]:
            place = stack.index(module)
            found.append(sorted(stack[place:]))
            del stack[place:]

    sys.setrecursionlimit(10_000)
    for module in graph:
        if module not in index:
            visit(module)
    return sorted((one for one in found if len(one) > 1), key=len, reverse=True)


def by_hand(tree: ast.AST) -> tuple[set[int], set[int]]:
    """The lines of dictionaries with two texts or more as keys: those in functions, and all."""
    found: tuple[set[int], set[int]] = set(), set()

    def look(node: ast.AST, *, inside: bool) -> None:
        if (
            isinstance(node, ast.Dict)
            and sum(isinstance(getattr(key, "value", 0), str) for key in node.keys) > 1
        ):
            for lines in found[not inside :]:
                lines.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        for child in ast.iter_child_nodes(node):
            look(child, inside=inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))

    look(tree, inside=False)
    return found


def main(arguments: list[str]) -> int:
    known = modules()
    trees = {name: ast.parse(path.read_text("utf-8")) for name, path in known.items()}
    found = [(name, kind, node) for name, tree in trees.items() for node, kind in imports(tree)]
    lines = {name: path.read_text("utf-8").count("\n") for name, path in known.items()}
    answering = [name for name in known if set(name.split(".")) & ANSWERING]
    print(f"product code    {sum(lines.values()):,} lines in {len(known)} modules")
    circling = False
    for title, kinds in CIRCLES.items():
        graph: Graph = {name: set() for name in known}
        for name, kind, node in found:
            if kind in kinds:
                graph[name] |= imported(node, known) - {name}
        several = circles(graph)
        sizes = ", ".join(str(len(one)) for one in several) or "none"
        print(f"import circles  {len(several)} by {title}; of modules: {sizes}")
        if "--circles" in arguments:
            print("".join(f"  {', '.join(one)}\n" for one in several), end="")
        circling |= bool(several)
    late = sum(kind == LATE for _, kind, _ in found)
    print(f"late imports    {late} statements inside functions")
    hand = [by_hand(trees[name]) for name in answering]
    made, written = (sum(len(lines) for lines in each) for each in zip(*hand, strict=True))
    print(f"JSON by hand    {made} lines made by functions; {written - made} of tables beside them")
    return int(circling)


sys.exit(main(sys.argv[1:]))
