"""Every command in README.md and docs/ runs as written, in the order of its page, over the sample notes."""

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
    r"ark-tui$": "opens the workbench: tests/tui",
    r"ark-tui (serve|mcp)\b(?!.*--check)": "runs until stopped, or asks: tests/http, tests/mcp",
    r"ark-tui --connect ": "needs a server: tests/connect",
    r".* --on ": "needs Ray: tests/cluster",
    r".* --watch": "runs until it is stopped: tests/cli/test_index.py",
    r".* \| ": "a script: tests/agents",
    r"ark-tui review (accept|undo)": "needs a proposal of a model: tests/memory",
    r"ark-tui add URL": "needs a web server: tests/cli/test_curation.py",
    r"ark-tui models --use$": "names the option only",
}
NAMES = {
    "QUERY": "spectral gap", "DOC": "spectral-gap.md", "REF": "spectral-gap.md", "PATH": "spectral-gap.md",
    "A": "spectral-gap.md", "B": "mixing-time.md", "NAME": "spare", "MODEL": "spare", "DIR...": "judged",
    "URI": "published", "s3://bucket/notes": "published", "~/notes": "spare", "notes/plan.md": "plan.md",
    "~/Downloads/chatgpt-export.zip": "chats.zip", "~/minilm": "minilm",
    "bge-small": "bge-small --from minilm", "ms-marco-minilm": "ms-marco-minilm --from pairs",
}  # fmt: skip
FILES = {"add": "spare/plan.md", "restore": "backup.zip", "config": "ralph.json", "export": "report.md"}


def written(page: Path) -> list[str]:
    """The commands of a page, each once, in their order."""
    found = [match[1] or match[0] for match in COMMAND.finditer(page.read_text("utf-8"))]
    lines = [" ".join(line.removeprefix("$ ").split()) for line in found]
    return list(dict.fromkeys(line if line.startswith("ark-tui") else f"ark-tui {line}" for line in lines))


def named(word: str, words: list[str], ids: dict[str, str]) -> list[str]:
    """What a word of a command stands for."""
    if word == "FILE":
        return [FILES[words[0].removeprefix("--")]]
    return (ids | NAMES).get(word, word).split() if word in ids | NAMES else [word]


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the sample notes and a second collection, and what commands ask for beside it."""
    folder = tmp_path_factory.mktemp("pages")
    (folder / "spare").mkdir()
    (folder / "spare" / "plan.md").write_text("# Plan\n\nCall Ann about the spectral gap.\n")
    (folder / "ralph.json").write_text('{"knowledge": {"dirs": "spare"}}')
    exports.chatgpt(folder).rename(folder / "chats.zip")
    transformers.vectors(folder / "minilm")
    transformers.pairs(folder / "pairs")
    with Engine(load(folder / "home", environ={})) as engine:
        engine.index([ROOT / "assets" / "sample", folder / "spare"])
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
                continue
            words = shlex.split(line)[1:]
            told = ark(*(part for word in words for part in named(word, words, ids)))
            assert told.code == 0, (line, told.err)
            if words[1:3] in (["pattern", "add"], ["fact", "add"]):
                ids["ID" if words[1] == "fact" else "PATTERN"] = told.out.split()[0]
            if words[0] == "context":
                ids["RETRIEVAL"] = ids.get("RETRIEVAL") or re.findall(r"Retrieval (\w+)", told.out)[0]
