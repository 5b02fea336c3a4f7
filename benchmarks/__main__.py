"""Run benchmarks one after another and write their table: `python -m benchmarks [names…]`."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.measure import Figure

HERE = Path(__file__).parent
RESULTS = HERE / "results.md"

SEPARATORS = 7  # in a row; those of before the load was noted have one less

WHAT = {
    "vector_search": "Vector search over 100,000 × 256, in memory and by LanceDB's index",
    "keyword_search": "Keyword search against raw tantivy with snippets, 100,000 chunks",
    "search_100k": "The whole default search over 100,000 chunks: p50 in 25 ms, p99 in 50: the worse part",
    "commands": "Commands and small changes over 100,000 chunks: the worst of seven, in parts of its goal",
    "ingest": "Ingest of 7,000 pages against its floor: the slowest leg, or all legs over the cores",
    "growth": "Rate of taking in at 45,000 chunks against that at a tenth of them, and how each stage grows",
    "reindex": "Unchanged re-index of 7,000 pages against walk, ignore matching and `stat`",
    "first_paint": "First paint against a bare Textual app",
    "key_echo": "Key echo while 100,000 chunks are being indexed, in parts of 16 ms",
    "typing": "Typing to the first hits (in 60 ms) and to all (in 150 ms), 100,000 chunks: the worse part",
    "watching": "A saved file among the hits, 7,000 pages watched, in parts of 2 s",
    "open_document": "A document of 1 MB opened in the workbench, in parts of 200 ms",
    "long_list": "The longest wait of a page key in a library of 100,000 documents, in parts of 100 ms",
    "analysis": "Analysis of 100,000 chunks but for the neighbour graph, in parts of 10 s",
    "workbench_memory": "Memory that 4,500 keys after the first 500 add to the workbench, in parts of 20 MB",
    "memory": "Peak memory of indexing 7,000 pages against its bare imports",
    "local_model": "A transformer in process against bare onnxruntime, in parts of its two bounds",
    "rerank": "Re-ranking 20 pairs against its bare forward passes",
    "entered": "Files entered by a hybrid search (60), a tag (60) and a fact (80): the worst in parts",
    "model_server": "A model server at a live one's pace: the worst of nine bounds, in parts of it",
    "connect": "What a connection adds on loopback: a search in parts of 5 ms, a key of 16: the worse part",
    "mcp_start": "The first answer of an MCP server that has just opened the home, in parts of 60 ms",
    "mcp_search": "Milliseconds that MCP adds to a call, beside `search` on 2,000 files",
    "history": "1,000,000 messages: adding, listing and searching against a held connection and bare tantivy",
    "import_chats": "An export of 100,000 messages, indexed: against reading, a bare table and bare tantivy",
    "context": "A context over 100,000 items beside 100,000 chunks: p50 in 18 ms, p99 in 50: the worse part",
    "million": "A million chunks: the rate of taking in at the end against that at a tenth",
    "peers": "Beside its peers over 1,925 files: the worst of ten ratios, in parts of its goal",
    "phrases": "Phrases that stand in one document alone: the share that finds it first",
    "ways": "Questions in people's own words: an answer among the first three",
    "exclusions": "Sentences that exclude something: what is excluded above every answer",
    "dated": "Questions that name a time: a note of that time first",
    "publishing": "20,000 chunks published at a folder and on S3; a second publisher is refused in words",
    "home_size": "Home on disk against text and one float32 vector per chunk",
}


def main(names: list[str]) -> int:
    wanted = names or [name for name in WHAT if (HERE / f"{name}.py").is_file()]
    rows = _kept(wanted)
    missed = 0
    for name in wanted:
        command = [sys.executable, "-m", f"benchmarks.{name}"]
        done = subprocess.run(command, cwd=HERE.parent, stdout=subprocess.PIPE, text=True, check=False)
        figures = [line for line in done.stdout.splitlines() if line.startswith("{")]
        if done.returncode or not figures:
            sys.stderr.write(f"{name} failed\n")
            missed += 1
            continue
        figure = Figure.parse(figures[0])
        sentence = done.stdout.splitlines()[-1]
        missed += not figure.met
        rows[name] = _row(name, figure, sentence)
        print(("met     " if figure.met else "MISSED  ") + sentence, flush=True)
        RESULTS.write_text(_page(rows), "utf-8")
    return 1 if missed else 0


def _row(name: str, figure: Figure, sentence: str) -> str:
    today = datetime.now(UTC).date().isoformat()
    mark = "yes" if figure.met else "**no**"
    return (
        f"| {WHAT.get(name, name)} | {figure.goal} | {figure.ratio:.3g} | {mark} | {sentence} "
        f"| `python -m benchmarks {name}` | {today} | {os.getloadavg()[0]:.0f} |"
    )


def _kept(wanted: list[str]) -> dict[str, str]:
    """The rows of earlier runs that are not measured again."""
    if not RESULTS.is_file():
        return {}
    rows = [line for line in RESULTS.read_text("utf-8").splitlines() if "`python -m benchmarks " in line]
    rows = [line if line.count(" | ") > SEPARATORS - 1 else f"{line} – |" for line in rows]
    named = {line.rpartition("`python -m benchmarks ")[2].partition("`")[0]: line for line in rows}
    return {name: line for name, line in named.items() if name in WHAT and name not in wanted}


def _page(rows: dict[str, str]) -> str:
    ordered = [rows[name] for name in (*WHAT, *(set(rows) - set(WHAT))) if name in rows]
    return "\n".join(
        (
            "# Measured",
            "",
            f"Ratios, each taken in one run: A and B in turns, medians. Times are those of {_machine()}.",
            "",
            "The last column is the load of the machine then: above 2, other work took its turns, too.",
            "",
            "| what | goal | measured | met | in words | command | date | load |",
            "|---|---|---|---|---|---|---|---|",
            *ordered,
            "",
        )
    )


def _machine() -> str:
    version = ".".join(map(str, sys.version_info[:2]))
    system = f"{platform.system()} {platform.machine()}, Python {version}"
    return f"a shared machine with {os.cpu_count()} cores, {system}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
