"""A local HTTP server that speaks Ollama's protocol, with faults to order.

It embeds with the static model, so that what it answers ranks as it should. Each model turns the vectors
its own way: cosines within one model are right, those between two are noise, so mixing them is seen.
It answers OpenAI's `/v1/embeddings` and `/v1/models` with the same models, too.

```python
with OllamaServer("nomic-embed-text") as server:
    server.fault = Fault("busy", times=2)
    ...
    server.stop()    # nobody listens any more
    server.start()   # at the same address again
```

`python -m tests.ollama_server MODEL …` says its address and serves until its input ends.
"""

from __future__ import annotations

import hashlib
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import MSG_DONTWAIT, MSG_PEEK, SHUT_RDWR
from types import TracebackType
from typing import Any, Literal, Self

import numpy as np

from ark_tui.embedding import static

Kind = Literal[
    "busy",  # 503, as Ollama says it
    "broken",  # 500
    "hanging",  # no answer until `let_go`
    "dropped",  # the connection is closed without an answer
    "garbage",  # 200 and no JSON
    "odd",  # 200 and JSON of another shape
    "short",  # one vector too few
    "narrow",  # vectors of other dimensions
    "hollow",  # vectors that are no numbers
    "mid-stream",  # an error on the second line of a stream
    "cut off",  # a stream that ends without its last line
    "elsewhere",  # a redirect
]

TOKEN = 4  # characters


@dataclass
class Fault:
    """What goes wrong, at which paths, how many more times."""

    kind: Kind
    paths: tuple[str, ...] = ("/api/embed", "/v1/embeddings", "/api/chat", "/api/pull")
    times: int = 1_000_000


@dataclass
class Model:
    """A model that the server has. `context`: words that fit; `version`: changes its digest and vectors."""

    name: str
    dims: int = static.DIMS
    context: int = 100_000
    version: str = "1"
    embeds: bool = True
    capabilities: tuple[str, ...] | None = None  # that it tells; None: by `embeds`
    size: int = 274_302_450
    remote_host: str = ""
    on_gpu: float | None = None  # the share of it on a GPU; None: it is not loaded
    pace: float = 0.0  # seconds per text

    weights: str = ""  # what its digest is made from instead of its name

    @property
    def digest(self) -> str:
        return hashlib.sha256(f"{self.weights or self.name} {self.version}".encode()).hexdigest()

    @property
    def able(self) -> list[str]:
        usual = ("embedding",) if self.embeds else ("completion",)
        return list(usual if self.capabilities is None else self.capabilities)

    def vectors(self, texts: list[str], dims: int | None) -> np.ndarray[Any, Any]:
        rows = static.pool(static.tokens(texts))
        turned = rows * np.random.default_rng(list(self.digest.encode())).choice([-1, 1], static.DIMS)
        wide = np.concatenate([turned] * -(-self.dims // static.DIMS), axis=1)[:, : dims or self.dims]
        return static.unit(wide.astype(np.float32))


@dataclass
class Request:
    """A request as it came."""

    path: str
    body: dict[str, Any]
    headers: dict[str, str]


class OllamaServer:
    """The server; `with` starts and ends it. What is set while it runs counts from the next request on.

    `fetchable`: what can be pulled. `terms`: what the chat finds; `answer`: what it says instead. `key`: the
    bearer that it wants. `requests` are all that came, `embedded` every text that got a vector.
    """

    def __init__(self, *models: str | Model) -> None:
        given = [model if isinstance(model, Model) else Model(model) for model in models]
        self.models = {model.name: model for model in given}
        self.fault: Fault | None = None
        self.fetchable: tuple[str, ...] = ("nomic-embed-text", "all-minilm")
        self.terms = ["spectral", "laplacian", "mixing", "chain", "walk"]
        self.answer: str | None = None
        self.says: Callable[[dict[str, Any]], str] | None = None  # instead, made of the request
        self.fetching = ""  # what each fetch fails with
        self.key = ""
        self.reading = 0.0  # seconds before the first token of a chat
        self.token = 0.0  # seconds per token of its answer
        self.stalls: int | None = None  # tokens after which nothing comes until `let_go`
        self.breaks_off: int | None = None  # tokens after which an answer ends without its end
        self.hung_up: list[str] = []  # the models whose answers nobody waited for
        self.requests: list[Request] = []
        self.embedded: list[str] = []
        self.before: Callable[[Request], None] | None = None
        self.takes: Callable[[Model, str], float] = lambda model, _: model.pace  # seconds for a text
        self.sizes: list[int] = []  # texts of each request that was answered, in a line or not
        self.gone: list[int] = []  # of each whose client had gone: the texts that were embedded for nothing
        self.most = 10_000  # texts in a request
        self.line = _Line()
        self._open = threading.Event()
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None
        self._port = 0

    @property
    def host(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        handler = type("Handler", (_Handler,), {"ollama": self})
        self._server = _Server(("127.0.0.1", self._port), handler)
        self._port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def stop(self) -> None:
        """Stop listening and close the connections; a request that hangs gets no answer."""
        if self._server is not None and self._thread is not None:
            self._server.shutdown()
            self._thread.join()
            self._server.server_close()
            self._server.close_all()
            self._server = None
        self.let_go()

    def let_go(self) -> None:
        """Answer what hangs, and whatever comes."""
        self.fault = None
        self._open.set()

    def hang(self, *paths: str) -> None:
        """Answer nothing until `let_go`."""
        self._open.clear()
        self.fault = Fault("hanging", paths or ("/api/embed", "/v1/embeddings", "/api/chat"))

    def wait(self) -> None:
        self._open.wait(30)

    def asked(self, path: str) -> list[dict[str, Any]]:
        return [request.body for request in self.requests if request.path == path]

    def model(self, name: str) -> Model | None:
        return self.models.get(name) or self.models.get(name.removesuffix(":latest"))

    def take_fault(self, path: str) -> Kind | None:
        fault = self.fault
        if fault is None or path not in fault.paths or fault.times < 1:
            return None
        fault.times -= 1
        return fault.kind

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


class _Server(ThreadingHTTPServer):
    """Knows its connections, so that they can be closed with it."""

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True

    def __init__(self, *arguments: Any) -> None:
        self.connections: list[Any] = []
        super().__init__(*arguments)

    def process_request(self, request: Any, client_address: Any) -> None:
        self.connections.append(request)
        super().process_request(request, client_address)

    def close_all(self) -> None:
        for connection in self.connections:
            with suppress(OSError):
                connection.shutdown(SHUT_RDWR)

    def handle_error(self, *_: Any) -> None:
        """A client that has gone is no news."""


class _Line:
    """Texts of all requests are embedded one after the other, in the order in which the requests came."""

    def __init__(self) -> None:
        self._moved = threading.Condition()
        self._last = self._done = 0

    @contextmanager
    def turn(self) -> Iterator[None]:
        with self._moved:
            mine, self._last = self._last, self._last + 1
            self._moved.wait_for(lambda: self._done == mine)
        try:
            yield
        finally:
            with self._moved:
                self._done += 1
                self._moved.notify_all()


class _Gone(Exception):
    """Nobody waits for the answer any more."""


class _Refused(Exception):
    def __init__(self, status: int, error: str) -> None:
        self.status = status
        self.error = error


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    ollama: OllamaServer

    def log_message(self, *_: Any) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        self._serve({})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self._serve(json.loads(raw or b"{}"))

    def _serve(self, body: dict[str, Any]) -> None:
        request = Request(self.path, body, dict(self.headers))
        self.ollama.requests.append(request)
        if self.ollama.before is not None:
            self.ollama.before(request)
        kind = self.ollama.take_fault(self.path)
        try:
            if not (kind and self._spoilt(kind)):
                self._answer(body, kind)
        except _Gone:
            self.close_connection = True
        except _Refused as refused:
            self._json({"error": refused.error}, refused.status)

    def _spoilt(self, kind: Kind) -> bool:
        """Faults that need no answer; false where the answer itself is to be spoilt."""
        match kind:
            case "hanging":
                self.ollama.wait()
                return False
            case "busy":
                raise _Refused(503, "server busy, please try again.  maximum pending requests exceeded")
            case "broken":
                raise _Refused(500, "llama runner process has terminated")
            case "dropped":
                self.close_connection = True
            case "garbage":
                self._bytes(b"<html>It works!</html>", 200)
            case "odd":
                self._json({"embeddings": [["a", None]], "data": 7, "message": 3}, 200)
            case "elsewhere":
                self.send_response(302)
                self.send_header("Location", "http://127.0.0.1:9/")
                self.send_header("Content-Length", "0")
                self.end_headers()
            case _:
                return False
        return True

    def _answer(self, body: dict[str, Any], kind: Kind | None) -> None:
        if self.ollama.key and self.headers.get("Authorization") != f"Bearer {self.ollama.key}":
            self._json({"error": {"message": f"Incorrect key {self.headers.get('Authorization')}"}}, 401)
            return
        answers: dict[str, Callable[[], None]] = {
            "/": lambda: self._bytes(b"Ollama is running", 200),
            "/api/version": lambda: self._json({"version": "0.12.0"}, 200),
            "/api/tags": lambda: self._json({"models": [*map(self._tag, self.ollama.models.values())]}, 200),
            "/api/show": lambda: self._json(self._shown(self._known(body["model"])), 200),
            "/api/ps": lambda: self._json({"models": self._loaded()}, 200),
            "/api/embed": lambda: self._embed(body, kind),
            "/api/chat": lambda: self._chat(body),
            "/api/pull": lambda: self._pull(body["model"], kind),
            "/v1/models": lambda: self._json({"data": [{"id": name} for name in self.ollama.models]}, 200),
            "/v1/embeddings": lambda: self._embed_as_openai(body, kind),
        }
        if self.path not in answers:
            raise _Refused(404, "not found")
        answers[self.path]()

    def _embed(self, body: dict[str, Any], kind: Kind | None) -> None:
        rows = self._embedded(body, "the input length exceeds the context length", kind)
        self._json({"model": body["model"], "embeddings": rows, "total_duration": 1}, 200)

    def _embed_as_openai(self, body: dict[str, Any], kind: Kind | None) -> None:
        rows = self._embedded(body, "This model's maximum context length is exceeded", kind)
        data = [{"index": i, "embedding": row} for i, row in enumerate(rows)]
        self._json({"data": data[::-1], "model": body["model"]}, 200)

    def _known(self, name: str) -> Model:
        model = self.ollama.model(name)
        if model is None:
            raise _Refused(404, f"model {name!r} not found, try pulling it first")
        return model

    def _tag(self, model: Model) -> dict[str, Any]:
        name = model.name if ":" in model.name else f"{model.name}:latest"
        details: dict[str, Any] = {
            "format": "gguf", "family": "bert" if "embedding" in model.able else "qwen3",
            "parameter_size": "137M", "quantization_level": "F16",
        }  # fmt: skip
        told: dict[str, Any] = {}
        if model.remote_host:
            details, told = {}, {"remote_host": model.remote_host, "remote_model": model.name}
        return {
            "name": name, "model": name, "modified_at": "2026-01-01T00:00:00Z", "size": model.size,
            "digest": model.digest, "details": details, **told,
        }  # fmt: skip

    @staticmethod
    def _shown(model: Model) -> dict[str, Any]:
        if model.remote_host:
            raise _Refused(502, "the remote host cannot be reached")
        info = {
            "general.architecture": "bert",
            "bert.context_length": model.context,
            "bert.embedding_length": model.dims,
        }
        return {"details": {}, "model_info": info, "capabilities": model.able}

    def _loaded(self) -> list[dict[str, Any]]:
        return [
            {**self._tag(one), "size_vram": int(one.size * one.on_gpu)}
            for one in self.ollama.models.values()
            if one.on_gpu is not None
        ]

    def _embedded(self, body: dict[str, Any], too_long: str, kind: Kind | None) -> list[list[float | None]]:
        model = self._known(body["model"])
        if not model.embeds:
            raise _Refused(400, f'"{model.name}" does not support embedding')
        given = body["input"]
        texts = [given] if isinstance(given, str) else list(given)
        if not all(isinstance(text, str) for text in texts):
            raise _Refused(400, "invalid input type")
        if len(texts) > self.ollama.most:
            raise _Refused(422, f"batch size {len(texts)} > maximum allowed batch size {self.ollama.most}")
        whole = not body.get("truncate", True) or self.path.startswith("/v1")
        if whole and any(len(text.split()) > model.context for text in texts):
            raise _Refused(400, too_long)
        self._in_line(model, texts)
        rows = model.vectors(texts, body.get("dimensions"))
        self.ollama.embedded += texts
        self.ollama.sizes.append(len(texts))
        if kind == "narrow":
            rows = rows[:, :-1]
        if kind == "hollow":
            return [[None] * rows.shape[1] for _ in texts]
        found: list[list[float | None]] = rows.tolist()
        return found[: len(found) - (kind == "short")]

    def _in_line(self, model: Model, texts: list[str]) -> None:
        """Take as long as the model does; a request whose client has gone ends after the text in hand."""
        seconds = [self.ollama.takes(model, text) for text in texts]
        if not any(seconds):
            return
        with self.ollama.line.turn():
            for done, pause in enumerate((0.0, *seconds)):
                time.sleep(pause)
                if self._left():
                    self.ollama.gone.append(done)
                    raise _Gone

    def _left(self) -> bool:
        with suppress(BlockingIOError):
            return not self.connection.recv(1, MSG_PEEK | MSG_DONTWAIT)
        return False

    def _chat(self, body: dict[str, Any]) -> None:
        model = self._known(body["model"])
        if model.embeds:
            raise _Refused(400, f'"{model.name}" does not support chat')
        said = self.ollama.says(body) if self.ollama.says else self.ollama.answer
        content = json.dumps({"terms": self.ollama.terms}) if said is None else said
        time.sleep(self.ollama.reading)
        try:
            self._lines(self._spoken(model, body, content))
        except OSError:
            self.ollama.hung_up.append(model.name)
            raise

    def _spoken(self, model: Model, body: dict[str, Any], content: str) -> Iterator[dict[str, Any]]:
        """An answer token by token; a prompt that is too long was cut in silence."""
        options = body.get("options", {})
        tokens = [content[at : at + TOKEN] for at in range(0, len(content), TOKEN)]
        cut = tokens[: options.get("num_predict", len(tokens))]
        whole = self.ollama.breaks_off is None
        told = {"model": model.name, "created_at": "2026-01-01T00:00:00Z", "done": False}
        for place, token in enumerate(cut if whole else cut[: self.ollama.breaks_off]):
            if place == self.ollama.stalls:
                self.ollama.wait()
            time.sleep(self.ollama.token)
            yield {**told, "message": {"role": "assistant", "content": token}}
        if whole:
            asked = sum(len(one["content"]) for one in body["messages"]) // TOKEN
            yield {
                **told, "message": {"role": "assistant", "content": ""}, "done": True,
                "done_reason": "stop" if cut == tokens else "length",
                "prompt_eval_count": min(asked, options.get("num_ctx", 4096)),
            }  # fmt: skip

    def _pull(self, name: str, kind: Kind | None) -> None:
        if " " in name:
            raise _Refused(400, "invalid model name")
        self._lines(self._pulled(name, kind))

    def _pulled(self, name: str, kind: Kind | None) -> Iterator[dict[str, Any]]:
        yield {"status": "pulling manifest"}
        if self.ollama.fetching:
            yield {"error": self.ollama.fetching}
            return
        if kind == "mid-stream" or name.removesuffix(":latest") not in self.ollama.fetchable:
            yield {"error": "pull model manifest: file does not exist"}
            return
        for done in (0, 500, 1000):
            yield {
                "status": "pulling 970aa74c0a90",
                "digest": "sha256:970a",
                "total": 1000,
                "completed": done,
            }
        if kind == "cut off":
            return
        yield {"status": "verifying sha256 digest"}
        yield {"status": "writing manifest"}
        self.ollama.models[name] = Model(name)
        yield {"status": "success"}

    def _json(self, value: Any, status: int) -> None:
        self._bytes(json.dumps(value).encode(), status)

    def _bytes(self, data: bytes, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _lines(self, lines: Iterator[dict[str, Any]]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for line in lines:
            self.wfile.write(json.dumps(line).encode() + b"\n")
            self.wfile.flush()


if __name__ == "__main__":
    with OllamaServer(*sys.argv[1:]) as serving:
        sys.stdout.write(f"{serving.host}\n")
        sys.stdout.flush()
        sys.stdin.read()
