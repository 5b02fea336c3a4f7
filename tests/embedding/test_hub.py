"""Fetching a model by name: what the hub says of its files is checked, and nothing else is asked of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

from ark_tui.domain.errors import Cancelled
from ark_tui.domain.work import Progress
from ark_tui.embedding import hub, local
from ark_tui.embedding.retry import Down, NoModel, Wrong
from ark_tui.embedding.shelf import Shelf
from tests import transformers
from tests.hub_server import COMMIT, HubServer

MINILM = hub.offer("minilm")


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "models")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[HubServer]:
    folder = transformers.vectors(tmp_path / "offered", pooling="mean_tokens")
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / "onnx" / "model_quantized.onnx")
    (folder / "README.md").write_text("not a part of it")
    (folder / "model.safetensors").write_bytes(b"nor this")
    with HubServer(MINILM.place, folder) as server:
        yield server


def test_a_model_comes_with_its_files_and_where_they_are_from(shelf: Shelf, server: HubServer) -> None:
    told: list[Progress] = []
    added = local.add(shelf, "minilm", None, server.address, progress=told.append)
    assert added.source == f"{MINILM.place}@{COMMIT}"
    assert added.graph == "onnx/model_quantized.onnx"
    assert {one.note for one in told if one.stage == "fetch"} == {one.name for one in added.files}
    assert not [path for path in server.asked if path.endswith((".md", ".safetensors"))]
    assert [one.name for one in shelf.folder.iterdir()] == ["minilm"]


@pytest.mark.parametrize("spoilt", ["onnx/model_quantized.onnx", "tokenizer.json"])
def test_a_file_that_is_not_what_the_hub_says_is_refused(
    shelf: Shelf, server: HubServer, spoilt: str
) -> None:
    server.spoilt = spoilt
    with pytest.raises(Wrong, match=f"{spoilt} is not the file that the hub says it is"):
        local.add(shelf, "minilm", None, server.address)
    assert shelf.names() == []


def test_a_hub_without_the_model_and_no_hub_at_all_are_told(shelf: Shelf, server: HubServer) -> None:
    with pytest.raises(NoModel, match="The hub has no Xenova/bge-small"):
        local.add(shelf, "bge-small", None, server.address)
    with pytest.raises(Down) as refused:
        local.add(shelf, "minilm", None, "http://127.0.0.1:9")
    assert "--from FOLDER" in refused.value.hint


def test_it_stops_while_it_fetches(shelf: Shelf, server: HubServer) -> None:
    stop = Event()

    def first(_: Progress) -> None:
        stop.set()

    with pytest.raises(Cancelled):
        local.add(shelf, "minilm", None, server.address, stop, first)
    assert not [*shelf.folder.iterdir()]
