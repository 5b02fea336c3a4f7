"""Every command in README.md and docs/ runs as written, in the order of its page, over sample notes."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from ark_tui.engine import Engine
from ark_tui.settings import load
from tests import transformers
from tests.cli.conftest import Ark
from tests.memory import exports
from tests.ollama_server import OllamaServer

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMAND = re.compile(r"^(?:\$ )?ark-tui(?: [^#\n]*)?|`ark-tui ([^`]+)`", re.MULTILINE)

NOT_RUN = {
    r"ark-tui models --pull": "downloads a model: tests/models",
    r"ark-tui$": "opens the workbench: tests/tui",
    r"ark-tui (serve|mcp)\b(?!.*--check)": "runs until stopped, or asks: tests/http, tests/mcp",
    r"ark-tui --connect ": "needs a server: tests/connect",
    r".* --on ": "needs Ray: tests/cluster",
    r".* --watch": "runs until it is stopped: tests/cli/test_index.py",
    r".* \| ": "a script: tests/agents",
    r"ark-tui review (accept|undo)": "needs a proposal of a model: tests/memory",
    r"ark-tui add URL": "needs a web server: tests/cli/test_curation.py",
}
NAMES = {
    "REF…": "spectral-gap.md", "TARGET": "mixing-time.md", "OLD…": "lanczos.md", "NEW": "krylov-subspaces.md",
    "KEEP": "betweenness.md", "OTHER…": "modularity.md", "TEXT": "a thought",
    "QUERY": "spectral gap", "DOC": "spectral-gap.md", "REF": "spectral-gap.md", "PATH": "spectral-gap.md",
    "A": "spectral-gap.md", "B": "mixing-time.md", "NAME": "spare", "MODEL": "spare", "DIR...": "set",
    "DIR": "set", "URI": "published", "s3://bucket/notes": "published", "~/notes": "spare",
    "~/Downloads/chatgpt-export.zip": "chats.zip", "notes/plan.md": "plan.md", "~/minilm": "minilm",
}  # fmt: skip
BEFORE = {"doc restore": "doc trash spectral-gap.md", "models --drop": "models --use static"}
FILES = {"add": "spare/plan.md", "restore": "backup.zip", "config": "ralph.json", "export": "report.md"}


def written(page: Path) -> list[str]:
    """The commands of a page, each once, in their order."""
    found = [match[1] or match[0] for match in COMMAND.finditer(page.read_text("utf-8"))]
    lines = [" ".join(line.removeprefix("$ ").split()) for line in found]
    return list(dict.fromkeys(line if line.startswith("ark-tui") else f"ark-tui {line}" for line in lines))


def filled(words: list[str], ids: dict[str, str]) -> list[str]:
    """A command with what its names stand for, and models that come from a folder."""
    known = {**NAMES, **ids, "FILE": FILES.get(words[0].removeprefix("--"), "FILE")}
    if words[:2] == ["models", "add"] and "--from" not in words:
        words = [*words, "--from", "pairs" if "marco" in words[2] else "minilm"]
    return [known.get(word, word) for word in words]


def learned(words: list[str], out: str, ids: dict[str, str], ark: Ark) -> dict[str, str]:
    """The ids that a command has printed, under their names on the pages."""
    match words[:3]:
        case ["memory", "fact" | "pattern" as kind, "add"]:
            return {"ID" if kind == "fact" else "PATTERN": out.split(maxsplit=1)[0]}
        case ["memory", "forget", _]:
            return {"ID": ids["PATTERN"]}
        case ["context", *_] if "RETRIEVAL" not in ids:
            return {"RETRIEVAL": re.findall(r"Retrieval (\w+)", out)[0]}
        case ["doc", "note", "TEXT"]:
            return {"ID": ark("doc", "list", "--words", "thought", "--json").json["documents"][0]["id"]}
        case ["doc", "queue"]:
            return {"ITEM": re.findall(r"^  (c\w{6})  ", out, re.MULTILINE)[0]}
    return {}


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the sample notes and a second collection, and what commands ask for beside it."""
    folder = tmp_path_factory.mktemp("pages")
    (folder / "spare").mkdir()
    (folder / "spare" / "plan.md").write_text("# Plan\n\nCall Ann about the spectral gap.\n")
    (folder / "ralph.json").write_text('{"knowledge": {"dirs": "spare"}}')
    (folder / "set" / "qrels").mkdir(parents=True)
    (folder / "set" / "corpus.jsonl").write_text(
        '{"_id": "d", "title": "Gap", "text": "The spectral gap."}\n'
    )
    (folder / "set" / "queries.jsonl").write_text('{"_id": "q", "text": "spectral gap"}\n')
    (folder / "set" / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\td\t1\n")
    exports.chatgpt(folder).rename(folder / "chats.zip")
    transformers.vectors(folder / "minilm")
    transformers.pairs(folder / "pairs")
    shutil.copytree(ROOT / "assets" / "sample" / "spectral", folder / "sample")
    shutil.copy(ROOT / "assets" / "sample" / "index.md", folder / "sample")
    with Engine(load(folder / "home", environ={})) as engine:
        engine.index([folder / "sample", folder / "spare"])
    return folder


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_commands_of_a_page_run(
    page: Path, sample: Path, tmp_path: Path, ark: Ark, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(sample, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    ark("backup", "backup.zip")
    ids: dict[str, str] = {}
    with OllamaServer("nomic-embed-text", "all-minilm", "spare") as server:
        monkeypatch.setenv("OLLAMA_HOST", server.host)
        for line in written(page):
            if any(re.match(pattern, line) for pattern in NOT_RUN):
                assert ark(*shlex.split(line.partition(" | ")[0])[1:], "--help").code == 0, line
                continue
            words = shlex.split(line)[1:]
            if before := BEFORE.get(" ".join(words[:2])):
                ark(*before.split())
            told = ark(*filled(words, ids))
            assert told.code == 0, (line, told.err)
            ids |= learned(words, told.out, ids, ark)
