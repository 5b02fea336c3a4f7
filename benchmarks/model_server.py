"""A model server with the paces of a live one: who waits for it, and how long.

`python -m benchmarks.model_server`. The server is the tests' own, which speaks Ollama's protocol, embeds one
text after the other and writes token by token, each in the time that was seen of a live one on two cores
without a GPU.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ark_tui.domain.query import Request
from ark_tui.embedding.ollama import Ollama, OllamaEmbedder
from ark_tui.engine import Engine
from ark_tui.settings import load
from benchmarks.measure import Figure, tell
from tests.ollama_server import Model, OllamaServer

MINILM, SLOW = 0.075, 1.0  # seconds a text: as seen of MiniLM, and of an encoder of 335 million parameters
TOKEN = 1 / 6  # seconds per token of a chat model of a billion parameters
SAMPLE = Path(__file__).parents[1] / "assets" / "sample"
EMBEDDER, WRITER = "nomic-embed-text", "qwen3:4b"
STOPS = (1.0, 2.5, 4.0)  # seconds after which Ctrl-C comes

Measured = tuple[float, float, str]  # what came, what it may be at most, and in words


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = [measure(Path(folder)) for measure in MEASURES]
    worst = max(value / bound if bound else value for value, bound, _ in found)
    detail = {measure.__name__: value for measure, (value, _, _) in zip(MEASURES, found, strict=True)}
    tell(
        Figure("model_server", round(worst, 3), "≤ 1", detail),
        "; ".join(f"{words} (at most {bound:g})" for _, bound, words in found),
    )


def searches_without_their_cosine(folder: Path) -> Measured:
    """Searches while texts of .12 s each are embedded."""
    with OllamaServer(Model(EMBEDDER, pace=0.12)) as server, _engine(folder / "a", server) as engine:
        engine.index([_notes(folder / "a", 5)])
        notes = _notes(folder / "a", 150)
        building = threading.Thread(target=engine.index, args=([notes],))
        before = len(server.embedded)
        building.start()
        while len(server.embedded) < before + 3:
            time.sleep(0.05)
        lamps = [engine.search(Request(f"otters {at}")).lamps for at in range(20)]
        early = building.is_alive()
        building.join()
    assert early, "the texts were embedded before the searches ended"
    lit = [one for one in lamps if any(lamp.signal == "cosine" and lamp.state == "on" for lamp in one)]
    return 20 - len(lit), 0, f"{20 - len(lit)} of 20 searches without their cosine while texts are embedded"


def texts_lost_to_a_timeout(folder: Path) -> Measured:
    """A model of 1 s a text, and six seconds for a request."""
    with OllamaServer(Model(EMBEDDER, pace=SLOW)) as server:
        with _engine(folder / "b", server, embedding_timeout=6.0) as engine:
            engine.index([_notes(folder / "b", 25)])
        texts = [text for text in server.embedded if "# " in text]
    wrong = abs(len(texts) - 25) + len(texts) - len(set(texts))
    return wrong, 0, f"{wrong} of 25 texts of 1 s each missing or embedded twice, with a timeout of 6 s"


def throughput(_: Path) -> Measured:
    """The time of 96 texts at MiniLM's pace, against requests of 32."""
    texts = [f"text {at}" for at in range(96)]
    with OllamaServer(Model(EMBEDDER, pace=MINILM)) as server:
        asked = Ollama(server.host)
        embedder = OllamaEmbedder(asked.describe(EMBEDDER), asked)
        began = time.perf_counter()
        found = embedder.embed_documents(texts)
        paced = time.perf_counter() - began
        began = time.perf_counter()
        for start in range(0, len(texts), 32):
            asked.embed(EMBEDDER, texts[start : start + 32])
        whole = time.perf_counter() - began
    assert np.isfinite(found).all()
    return paced / whole, 1 / 0.9, f"96 texts at MiniLM's pace take {paced / whole:.2f} × requests of 32"


def stopping(folder: Path) -> Measured:
    """Ctrl-C while a text of 30 s is embedded."""
    notes, longest = _notes(folder / "c", 40), 0.0
    with OllamaServer(EMBEDDER) as server:
        for wait in STOPS:
            server.takes = lambda _, text: 30.0 if "number 7 " in text else 0.001
            process = _begun(
                server, folder / f"c{wait}", "index", str(notes), ARK_EMBEDDING=f"ollama:{EMBEDDER}"
            )
            while not any("number 7 " in str(body) for body in server.asked("/api/embed")):
                time.sleep(0.02)
            time.sleep(wait / 10)
            began = time.perf_counter()
            process.send_signal(signal.SIGINT)
            process.communicate()
            longest = max(longest, time.perf_counter() - began)
            server.requests.clear()
    return longest, 1.0, f"Ctrl-C in a text of 30 s ends the command after {longest:.2f} s"


def frozen(folder: Path) -> Measured:
    """`models` and `doctor` beside a server that answers nothing."""
    with OllamaServer(EMBEDDER) as server:
        with _engine(folder / "d", server) as engine:
            engine.index([_notes(folder / "d", 5)])
        server.hang("/api/tags", "/api/show", "/api/ps", "/api/version", "/api/embed")
        took = max(_timed(server, folder / "d" / "home", name) for name in ("models", "doctor"))
    return (
        took,
        3.0,
        f"`models` and `doctor` take {took:.2f} s at most beside a frozen server, start included",
    )


def first_index(folder: Path) -> Measured:
    """The first index of 1,925 files with a slow embedder at hand, against the static one."""
    notes = _notes(folder / "e", 1925)
    with OllamaServer(Model(EMBEDDER, pace=SLOW)) as server:
        static = _timed(server, folder / "e1", "index", str(notes), ARK_EMBEDDING="static")
        auto = _timed(server, folder / "e2", "index", str(notes))
    return (
        auto / static,
        1.1,
        f"with a slow embedder at hand the first index of 1,925 files takes {auto / static:.2f} ×",
    )


def first_command(folder: Path) -> Measured:
    """The index of the sample, as `make run` begins, with a slow embedder at hand, against none."""
    with OllamaServer(Model(EMBEDDER, pace=SLOW)) as server:
        with_it = _timed(server, folder / "f1", "index", str(SAMPLE))
        server.models.clear()
        without = _timed(server, folder / "f2", "index", str(SAMPLE))
    ratio = with_it / without
    return (
        ratio,
        1.2,
        f"that of the sample {ratio:.2f} × of without one ({with_it:.1f} against {without:.1f} s)",
    )


def first_words(folder: Path) -> Measured:
    """`think` at six tokens a second: the first words on the terminal, after they were written."""
    with OllamaServer(Model(WRITER, embeds=False)) as server:
        server.token = TOKEN
        server.answer = json.dumps({"answer": "Otters sleep in rivers. " * 8, "citations": [], "gaps": []})
        home = folder / "g" / "home"
        with _engine(folder / "g", server, embedding="static") as engine:
            engine.index([_notes(folder / "g", 5)])
        process = _begun(server, home, "think", "where do otters sleep", ARK_CHAT_MODEL=WRITER)
        assert process.stdout
        while not any("Sources:" in str(body) for body in server.asked("/api/chat")):
            time.sleep(0.005)
        asked = time.perf_counter()
        process.stdout.read(1)
        seen = time.perf_counter() - asked
        process.kill()
        process.communicate()
    pieces = seen / TOKEN
    return pieces, 12.0, f"the first word of `think` is seen after {pieces:.0f} pieces of JSON at 6 a second"


def sent_elsewhere(folder: Path) -> Measured:
    """Requests to a model that runs elsewhere, which nobody has allowed."""
    with OllamaServer(Model(WRITER, embeds=False, remote_host="https://elsewhere.example")) as server:
        with _engine(folder / "h", server) as engine:
            engine.index([_notes(folder / "h", 5)])
            for request in (
                Request("otters", expand=True),
                Request("rivers", rerank=True, reranker="llm", expand=False),
            ):
                engine.search(request)
            engine.memory.think("where do otters sleep")
        count = len([one for one in server.requests if one.path in ("/api/chat", "/api/embed")])
    return count, 0, f"{count} requests to a model elsewhere"


MEASURES: tuple[Callable[[Path], Measured], ...] = (
    searches_without_their_cosine, texts_lost_to_a_timeout, throughput, stopping, frozen, first_index,
    first_command, first_words, sent_elsewhere,
)  # fmt: skip


def _notes(folder: Path, count: int) -> Path:
    notes = folder / "notes"
    notes.mkdir(parents=True, exist_ok=True)
    for at in range(count):
        (notes / f"{at}.md").write_text(
            f"# Note {at}\n\nOtters sleep in river number {at} of many.\n", "utf-8"
        )
    return notes


def _engine(folder: Path, server: OllamaServer, **settings: object) -> Engine:
    given = {"ollama_host": server.host, "embedding": f"ollama:{EMBEDDER}", "chat_model": WRITER} | settings
    (folder / "home").mkdir(parents=True, exist_ok=True)
    return Engine(load(folder / "home", given, environ={}))


def _begun(server: OllamaServer, home: Path, *words: str, **environ: str) -> subprocess.Popen[bytes]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ARK_")}
    return subprocess.Popen(
        [sys.executable, "-m", "ark_tui", *words],
        env=kept | {"OLLAMA_HOST": server.host, "ARK_HOME": str(home)} | environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def _timed(server: OllamaServer, home: Path, *words: str, **environ: str) -> float:
    began = time.perf_counter()
    _begun(server, home, *words, **environ).communicate()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
