"""The inventory of the program: `python -m tests.baseline.inventory` compares it with what is kept.

`--keep` keeps today's instead. Each kind is a file of `kept/`: entry → facts. What was kept must be there
still, or stand in `changed.toml`; what is new may be.
"""

from __future__ import annotations

import ast
import asyncio
import json
import re
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from tests.baseline import facts, life, program
from tests.baseline.facts import Entries, Facts
from tests.baseline.program import ROOT, ark, environment

HERE = Path(__file__).parent
KEPT = HERE / "kept"
CHANGED = HERE / "changed.toml"
CHANGELOG = ROOT / "CHANGELOG.md"

SITUATIONS = {
    "done": ("status",),
    "nothing found": ("search", "zzzz"),
    "no such document": ("show", "nowhere.md"),
    "no such command": ("frobnicate",),
    "no such option": ("search", "gap", "--frobnicate"),
    "no query": ("search",),
    "a limit too low": ("search", "gap", "-n", "0"),
    "a home that is a file": ("status", "--home", __file__),
    "no terminal": (),
}
"""Command lines whose exit codes scripts rely on."""

LEFT = ("session.json", "workbench.json")
"""What a workbench leaves in its home."""

Inventory = dict[str, Entries]

VARIABLE = re.compile(
    "_?(ARK|RALPH|OLLAMA|OPENROUTER|OPENAI|EMBEDDING|SSH)_[A-Z_]+"
    "|NO_COLOR|TERM|VISUAL|EDITOR|BROWSER|DISPLAY|WAYLAND_DISPLAY|WSL_DISTRO_NAME"
)
LINE = 400  # characters of an entry in a file


def plain() -> Inventory:
    """What the program says of itself, without a home."""
    return {
        "commands": facts.commands(program.command(), kept("commands")),
        "keys": program.keys(),
        "settings": program.settings(),
        "environment": {name: {} for name in _variables()},
        "exits": program.exits(),
        "profiles": {name: _flat(profile) for name, profile in program.profiles().items()},
        "signals": program.signals(),
    }


def lived(folder: Path) -> Inventory:
    """What the program answers and leaves behind, found out by running it in a new home below a folder."""
    home = folder / "home"
    with environment(home):
        told = life.lived(folder)
        reports, sections = _reports()
        asked = served(folder / "notes" / "gap.md")
        offered = asyncio.run(program.workbench())
        situations = {name: {"code": ark(*line).code} for name, line in SITUATIONS.items()}
        left = {name: json.loads((home / name).read_text("utf-8")) for name in LEFT}
    answers = [(f"ark-tui {name}", answer) for name, answer in told] + reports
    answers += [(f"file {name}", content) for name, content in left.items()]
    return {
        **asked,
        "shapes": facts.shapes(answers) | asked["shapes"],
        "palette": {name: {} for name in sorted(offered)},
        "home": {name: {} for name in sorted({_placed(home, path) for path in home.rglob("*")})},
        "reports": sections,
        "situations": situations,
    }


def served(file: Path, *, jobs: bool = True) -> Inventory:
    """The routes and tools over the home in the environment, and what each answers; `file` is one to take in.

    `jobs`: with long work, too, which takes its time.
    """
    routes = list(life.http(jobs=jobs))
    document = next(answer for name, answer in routes if name == "openapi")
    tools, answered = life.mcp(file)
    families = {
        name: family
        for family in ("search", "memory", "graph", "kadi")
        for name in ark("mcp", "--tools", family, "--check", "--json").json["tools"]
    }
    answers = [(name, answer) for name, answer in routes if name != "openapi"]
    answers += [(f"mcp {name}", answer) for name, answer in answered]
    return {
        "shapes": facts.shapes(answers),
        "routes": facts.routes(document),
        "tools": facts.tools(tools, families),
    }


def today(folder: Path) -> Inventory:
    """All of it."""
    return plain() | lived(folder)


def _reports() -> tuple[list[tuple[str, Any]], Entries]:
    """Every section of a report as JSON, and the headings that it has on paper."""
    told, sections = [], {}
    choices = facts.commands(program.command())["--report"]["choices"]
    for name in (one for one in choices if one != "eval"):  # which measures judged sets, as the command does
        asked = ("--export", "-", "--report", name, "--query", "spectral gap", "--format")
        told.append((f"report {name}", ark(*asked, "json").json))
        text = ark(*asked, "md").out
        sections[name] = {"headings": sorted(set(re.findall(r"^#+ (.+)$", text, re.MULTILINE)))}
    return told, sections


def _variables() -> list[str]:
    """The environment variables that the code names."""
    found = set()
    for path in program.PRODUCT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            text = node.value if isinstance(node, ast.Constant) else None
            if isinstance(text, str) and VARIABLE.fullmatch(text):
                found.add(text)
    return sorted(found)


def _flat(value: Any, path: str = "") -> dict[str, Any]:
    if not isinstance(value, dict):
        return {path: list(value) if isinstance(value, tuple) else value}
    below = [_flat(one, f"{path}.{name}".lstrip(".")) for name, one in value.items()]
    return {name: one for flat in below for name, one in flat.items()}


LIBRARIES = (".lance", "index", "serving", "analysis", "queries", "runs")
"""Folders whose insides are caches, or those of a library."""


def _placed(home: Path, path: Path) -> str:
    """A place in a home without what differs from home to home; insides of libraries and caches are `…`."""
    parts = list(path.relative_to(home).parts)
    inside = next((number for number, part in enumerate(parts[:-1], 1) if part.endswith(LIBRARIES)), None)
    place = "/".join(parts if inside is None else [*parts[:inside], "…"])
    place = re.sub(r"\d{8}T\d{6}", "TIME", place)
    return re.sub(r"\b(static|ollama)-[\w.-]+?(?=/|\.lock$|$)", "FINGERPRINT", place)


# -- kept, and compared -------------------------------------------------------------------------------------


def kept(kind: str) -> Entries:
    """What is kept of a kind."""
    path = KEPT / f"{kind}.json"
    found: Entries = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return found


def _written(entries: Entries) -> Entries:
    """Facts as a file holds them."""
    found: Entries = json.loads(json.dumps(entries))
    return found


def keep(inventory: Inventory) -> None:
    """Keep today's program."""
    KEPT.mkdir(exist_ok=True)
    for kind, entries in inventory.items():
        lines = ",\n".join(f" {_dumped(name)}: {_lines(entries[name])}" for name in sorted(entries))
        (KEPT / f"{kind}.json").write_text(f"{{\n{lines}\n}}\n", "utf-8")


def _lines(facts: Facts) -> str:
    """The facts of an entry on one line, or one a line where there are many."""
    short = _dumped(facts)
    return short if len(short) < LINE else json.dumps(facts, indent=2, sort_keys=True, ensure_ascii=False)


def _dumped(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def lost(inventory: Inventory, *, asked: bool = False) -> list[str]:
    """What is kept, is not so today, and nobody has accounted for.

    `asked`: only some commands, routes and tools were asked; of the others' answers nothing is known.
    """
    accounts = changed()
    return [
        f"{kind}: {entry}: {why}"
        for kind, entries in inventory.items()
        for entry, why in facts.lost(kept(kind), _written(entries)).items()
        if not (asked and kind == "shapes" and entry not in entries and "#" not in entry)
        and not any(fnmatchcase(entry, known) for known in accounts.get(kind, {}))
    ]


def added(inventory: Inventory) -> list[str]:
    """What has come."""
    return [
        f"{kind}: {entry}"
        for kind, entries in inventory.items()
        for entry in sorted(entries.keys() - kept(kind).keys())
    ]


def changed() -> dict[str, dict[str, str]]:
    """By kind: what has changed on purpose, and why."""
    found: dict[str, dict[str, str]] = tomllib.loads(CHANGED.read_text("utf-8"))
    return found


def unfounded(accounts: Mapping[str, Mapping[str, str]], inventory: Inventory, changelog: str) -> list[str]:
    """Accounts that hold nothing: an alias of what is not there, a sentence that Changed does not have."""
    said = _flowing("\n".join(sections(changelog, "Changed")))
    found = []
    for kind, entries in accounts.items():
        for entry, why in entries.items():
            target = why.removeprefix("alias of ")
            if target != why:
                good = target in inventory.get(kind, {target: {}})
            else:
                good = bool(why.strip()) and _flowing(why) in said
            if not good:
                found.append(f"{kind}: {entry}: {why!r} is neither there nor under Changed in CHANGELOG.md")
    return found


def unasked(inventory: Inventory) -> list[str]:
    """Commands with JSON, routes and tools that the script of a home's life has left out."""
    shapes = inventory["shapes"]
    commands = inventory["commands"]
    names = {f"ark-tui {name}" for name in commands if f"{name} --json" in commands}
    names |= {name for name in inventory["routes"] if re.fullmatch(r"[A-Z]+ \S+", name)}
    names |= {f"mcp {name}" for name, facts in inventory["tools"].items() if "family" in facts}
    return sorted(names - shapes.keys() - {"ark-tui outcome"})  # a group: its commands answer


def sections(changelog: str, title: str) -> Iterable[str]:
    """The texts below the headings of this title."""
    parts = re.split(r"^#+ +(.+?) *$", changelog, flags=re.MULTILINE)
    return [text for name, text in zip(parts[1::2], parts[2::2], strict=True) if name == title]


def _flowing(text: str) -> str:
    return " ".join(text.split())


def main(arguments: list[str]) -> int:
    """Print what is lost and what is new; or keep it all."""
    with tempfile.TemporaryDirectory() as folder:
        inventory = today(Path(folder))
    sys.stdout.writelines(f"? {one}: life.py does not ask it\n" for one in unasked(inventory))
    if arguments == ["--keep"]:
        keep(inventory)
    for sign, several in (("+", added(inventory)), ("-", lost(inventory))):
        sys.stdout.writelines(f"{sign} {one}\n" for one in several)
    return 1 if lost(inventory) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
