"""A local HTTP server that speaks the hub's protocol for one model, with faults to order."""

from __future__ import annotations

import hashlib
import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class HubServer:
    """Offers a folder under a name. `spoilt`: a file that comes with other bytes than the listing says."""

    place: str
    folder: Path
    spoilt: str = ""
    asked: list[str] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = self.path.partition("?")[0]
                hub.asked.append(path)
                status, body = hub.answer(path)
                if status == 302:
                    self.send_response(302)
                    self.send_header("Location", f"{hub.address}/store/{body.decode()}")
                    self.end_headers()
                    return
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path: str) -> tuple[int, bytes]:
        """Large files are somewhere else, as the hub has them; small ones it gives itself."""
        held = f"/{self.place}/resolve/{COMMIT}/"
        if path == f"/api/models/{self.place}":
            files = [one for one in self.folder.rglob("*") if one.is_file()]
            return 200, json.dumps({"sha": COMMIT, "siblings": [*map(self._told, files)]}).encode()
        if path.startswith(held) and path.endswith(".onnx"):
            return 302, path.removeprefix(held).encode()
        for start in (held, "/store/"):
            if path.startswith(start):
                name = path.removeprefix(start)
                data = (self.folder / name).read_bytes()
                return 200, data[:-1] + b"~" if name == self.spoilt else data
        return 401, b"{}"

    def _told(self, path: Path) -> dict[str, Any]:
        data = path.read_bytes()
        blob = hashlib.sha1(f"blob {len(data)}\0".encode() + data, usedforsecurity=False).hexdigest()
        told = {"rfilename": path.relative_to(self.folder).as_posix(), "size": len(data), "blobId": blob}
        if path.suffix == ".onnx":
            told["lfs"] = {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 130}
        return told
