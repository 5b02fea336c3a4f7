"""Golden rankings: the first ten of 500 queries with every part of every score, as ark-tui 0.1.0 gave them.

`python -m tests.baseline.golden` takes them anew; `--show SET QUERY-ID` prints those of one query.
Three sets: the sample with its judged queries and made ones, and the public sets `med` and `locomo-a`, whose
texts are not kept here: only the ids of queries and documents, scores and parts. They are asked over HTTP.
Taken anew of the sample: ten with `tag:search`, for a note that says #search in its text has that tag now;
three that its one note in German takes part in, which is stemmed as German; five that its web page does, as
its date is read.
"""

from __future__ import annotations

import gzip
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import httpx

from tests.baseline.program import ROOT, ark, environment, served

HERE = Path(__file__).parent / "kept"
DATA = ROOT.parent / "shared" / "data"
SAMPLE = "sample"
SETS = {SAMPLE: 200, "med": 30, "locomo-a": 270}
"""How many queries of each set."""

SEED = 2026
TOLERANCE = 0.001

VARIANTS: tuple[dict[str, str], ...] = (
    {},
    {"profile": "ark"},
    {},
    {"mode": "keyword"},
    {},
    {"mode": "semantic"},
)
"""How queries are asked, in turns: most with the profile that is shipped as the default."""

FILTERS = ("in:sample {}", "{} tag:search", "{} -graph", '"{}"', "{} after:2024", "{}, not about graphs")

Hit = dict[str, Any]
Rankings = dict[str, list[Hit]]


def queries(name: str) -> dict[str, dict[str, Any]]:
    """The requests of a set by the ids of their queries."""
    texts = _sample() if name == SAMPLE else _public(name)
    chosen = list(texts.items())[: SETS[name]]
    return {
        id_: {"query": text, "limit": 10, "below": True, **VARIANTS[place % len(VARIANTS)]}
        for place, (id_, text) in enumerate(chosen)
    }


def _sample() -> dict[str, str]:
    """The judged queries, those with nothing to find, and made ones: words in a row, some with filters."""
    found = {}
    for file in ("queries", "negation", "nothing"):
        for place, line in enumerate(
            (ROOT / "assets" / "judged" / f"{file}.jsonl").read_text("utf-8").splitlines()
        ):
            told = json.loads(line)
            found[f"{file}-{told.get('_id', place)}"] = told.get("text") or told["query"]
    random = Random(SEED)
    texts = [path.read_text("utf-8").split() for path in sorted((ROOT / "assets" / "sample").rglob("*.md"))]
    while len(found) < SETS[SAMPLE]:
        words = random.choice(texts)
        start, length = random.randrange(len(words)), random.randint(1, 5)
        plain = " ".join(
            word.strip("\"'`*#|()[]{}<>,.:;!?-@") for word in words[start : start + length]
        ).strip()
        if plain:
            place = len(found)
            form = FILTERS[place % len(FILTERS)] if place % 2 else "{}"
            found[f"made-{place}"] = form.format(plain)
    return found


def _public(name: str) -> dict[str, str]:
    lines = (DATA / name / "queries.jsonl").read_text("utf-8").splitlines()
    told = [json.loads(line) for line in lines]
    Random(SEED).shuffle(told)
    return {one["_id"]: one["text"] for one in told}


def index(name: str, folder: Path) -> None:
    """Put a set into the home of the environment."""
    if name == SAMPLE:
        source = ROOT / "assets" / "sample"
    else:
        source = folder / name
        source.mkdir()
        shutil.copy(DATA / name / "corpus.jsonl", source)
    done = ark("index", source, "--collection", name)
    assert done.code == 0, done
    settle()


def settle() -> None:
    """Make the vectors anew in one go: their weights depend on the batches in which the texts arrived."""
    shutil.rmtree(ark("where", "vectors").out.strip())
    assert ark("doctor", "--repair").code == 0


def rankings(name: str, folder: Path) -> Rankings:
    """What today's program answers to the queries of a set, in a new home below a folder."""
    with environment(folder / f"home-{name}", ARK_NO_LLM_EXPAND="1"):
        index(name, folder)
        with served() as (url, _), httpx.Client(base_url=url, timeout=60) as client:
            return {id_: list(_hits(client, request)) for id_, request in queries(name).items()}


def _hits(client: httpx.Client, request: dict[str, Any]) -> Iterator[Hit]:
    answer = client.post("/search", json=request)
    assert answer.is_success, (request, answer.text)
    for hit in answer.json()["hits"]:
        document = hit["document"]
        parts = {one["name"]: one["contribution"] for one in hit["signals"] if one["contribution"]}
        factors = {one["name"]: one["value"] for one in hit["multipliers"] if one["value"] != 1}
        yield {
            "document": document["item"] or document["path"],
            "score": _short(hit["score"]),
            "parts": {name: _short(value) for name, value in sorted(parts.items())},
            "factors": {name: _short(value) for name, value in sorted(factors.items())},
        }


def _short(value: float) -> float:
    return round(value, 5)


def changed(name: str, folder: Path) -> dict[str, list[str]]:
    """By query of a set: where today's ranking differs from the kept one."""
    before, now = kept(name), rankings(name, folder)
    assert before.keys() == now.keys()
    return {id_: found for id_ in before if (found := differing(before[id_], now[id_]))}


def differing(kept: list[Hit], now: list[Hit]) -> list[str]:
    """Where two rankings differ by more than the tolerance; what scores the same may change places."""
    found = [] if len(kept) == len(now) else [f"{len(kept)} hits are now {len(now)}"]
    for place, (one, other) in enumerate(zip(kept, now, strict=False), start=1):
        if not _near(one["score"], other["score"]):
            found.append(f"score {place}: {one['score']} is now {other['score']}")
    listed = {hit["document"]: hit for hit in now}
    for one in kept:
        if one["document"] in listed:
            found += _parts(one, listed[one["document"]])
        elif not (now and _near(one["score"], now[-1]["score"])):  # else it stands just below the tenth
            found.append(f"{one['document']} is no longer there")
    return found


def _parts(kept: Hit, now: Hit) -> list[str]:
    """Where the score of one document differs; a part that is not there is 0, and a factor is 1."""
    before = {"score": kept["score"], **kept["parts"], **kept["factors"]}
    after = {"score": now["score"], **now["parts"], **now["factors"]}
    neutral = dict.fromkeys(kept["factors"] | now["factors"], 1.0)
    return [
        f"{kept['document']} {name}: {before.get(name)} is now {after.get(name)}"
        for name in sorted(before | after)
        if not _near(before.get(name, neutral.get(name, 0.0)), after.get(name, neutral.get(name, 0.0)))
    ]


def _near(one: float, other: float) -> bool:
    return abs(one - other) <= TOLERANCE


def kept(name: str) -> Rankings:
    """What is kept of a set."""
    found: Rankings = json.loads(gzip.decompress((HERE / f"golden-{name}.json.gz").read_bytes()))
    return found


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["--show"]:
        for hit in kept(arguments[1])[arguments[2]]:
            sys.stdout.write(f"{json.dumps(hit, ensure_ascii=False)}\n")
        return
    for name in SETS:
        with tempfile.TemporaryDirectory() as folder:
            found = rankings(name, Path(folder))
        data = json.dumps(found, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
        (HERE / f"golden-{name}.json.gz").write_bytes(gzip.compress(data, 9, mtime=0))


if __name__ == "__main__":
    main(sys.argv[1:])
