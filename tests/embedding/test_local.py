"""Transformers in process: what is taken from a folder, how texts become vectors, what is refused."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ark_tui.domain.errors import Cancelled, NotFound, UsageError
from ark_tui.embedding import local
from ark_tui.embedding.local import LocalEmbedder
from ark_tui.embedding.retry import NoModel, TooLong, Wrong
from ark_tui.embedding.served import pieces
from ark_tui.embedding.shelf import ABOUT, POOLING, PROMPTS, Added, Shelf, graph
from tests import transformers
from tests.transformers import MINILM, NO_MINILM


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "home" / "models")


def embedder(shelf: Shelf, name: str) -> LocalEmbedder:
    return LocalEmbedder(local.described(shelf, name), shelf)


def unit(*values: float) -> NDArray[np.float64]:
    row = np.array(values)
    found: NDArray[np.float64] = row / np.linalg.norm(row)
    return found


def test_a_text_is_the_mean_of_its_tokens(shelf: Shelf, tmp_path: Path) -> None:
    added = local.add(shelf, "tiny", transformers.vectors(tmp_path / "made"))
    assert (added.use, added.dims, added.pooling, added.most_tokens) == ("vectors", 8, "mean", 64)
    found = embedder(shelf, "tiny").embed_documents(["chain chain gap", "", "walk markov eigenvalue"])
    assert found.dtype == np.float32
    assert found[0] == pytest.approx(unit(2, 0, 1, 0, 0, 0, 0, 0.5))
    assert not found[1].any()
    assert found[2] == pytest.approx(found[0])  # other words of the same groups


def test_a_batch_gives_what_each_text_gives_alone(shelf: Shelf, tmp_path: Path) -> None:
    local.add(shelf, "tiny", transformers.vectors(tmp_path / "made"))
    texts = ["chain " * n + "bread" for n in (1, 40, 3, 17, 9)]
    asked = embedder(shelf, "tiny")
    assert asked.embed_documents(texts) == pytest.approx(
        np.stack([asked.embed_documents([one])[0] for one in texts])
    )


@pytest.mark.parametrize(("pooling", "expected"), [("cls_token", unit(0, 1)), ("mean_tokens", unit(1, 0.5))])
def test_pooling_is_as_the_model_says(
    shelf: Shelf, tmp_path: Path, pooling: str, expected: NDArray[np.float64]
) -> None:
    local.add(shelf, "tiny", transformers.vectors(tmp_path / "made", pooling=pooling))
    assert embedder(shelf, "tiny").embed_query("chain")[[0, -1]] == pytest.approx(expected)


def test_pooling_is_as_the_family_does(shelf: Shelf, tmp_path: Path) -> None:
    folder = transformers.vectors(tmp_path / "made")
    assert local.add(shelf, "bge-tiny", folder).pooling == "cls"
    assert local.add(shelf, "e5-tiny", folder).pooling == "mean"
    with pytest.raises(UsageError, match="pools its tokens by max"):
        local.add(shelf, "odd", transformers.vectors(tmp_path / "odd", pooling="max_tokens"))


def test_prefixes_are_those_of_the_model_or_of_its_family(shelf: Shelf, tmp_path: Path) -> None:
    folder = transformers.vectors(tmp_path / "made")
    family = local.add(shelf, "e5-tiny", folder)
    assert (family.document_prefix, family.query_prefix) == ("passage: ", "query: ")
    (folder / PROMPTS).write_text(json.dumps({"prompts": {"query": "bread ", "document": "gap "}}))
    local.add(shelf, "own", folder)
    asked = embedder(shelf, "own")
    assert asked.embed_query("chain") == pytest.approx(unit(1, 0, 0, 1, 0, 0, 0, 0.5))
    assert asked.embed_documents(["chain"])[0] == pytest.approx(unit(1, 0, 1, 0, 0, 0, 0, 0.5))


def test_a_text_that_is_too_long_is_embedded_in_pieces(shelf: Shelf, tmp_path: Path) -> None:
    local.add(shelf, "tiny", transformers.vectors(tmp_path / "made", most=32))
    asked = embedder(shelf, "tiny")
    text = ". ".join(["bread flour water salt and much more of it"] * 12)
    whole = asked.embed_documents(["chain", text, "gap"])
    assert asked.split == 1

    def fit(piece: str) -> None:
        if len(piece.split()) + piece.count(".") + 2 > 32:
            raise TooLong("too long")

    parts = [piece for piece, _ in pieces(text, fit)]
    assert "".join(parts) == text
    alone = asked.embed_documents(parts) * np.array([[len(one)] for one in parts])
    assert whole[1] == pytest.approx(unit(*alone.sum(0)), abs=1e-6)
    assert asked.embed_query(text) == pytest.approx(whole[1], abs=1e-6)


@given(st.lists(st.integers(1, 500), max_size=200), st.integers(500, 4096))
@settings(deadline=None)
def test_batches_have_every_text_once_and_room_for_it(lengths: list[int], room: int) -> None:
    found = [*local.batches(lengths, room)]
    assert sorted(place for batch in found for place in batch) == [*range(len(lengths))]
    for batch in found:
        assert len(batch) <= local.TOGETHER
        assert len(batch) * max(lengths[place] for place in batch) <= room


def test_it_stops_between_two_batches(shelf: Shelf, tmp_path: Path) -> None:
    local.add(shelf, "tiny", transformers.vectors(tmp_path / "made"))
    stop = Event()
    stop.set()
    with pytest.raises(Cancelled):
        embedder(shelf, "tiny").embed_documents(["chain"], stop)


def test_it_is_kept_whole_and_for_its_owner_alone(shelf: Shelf, tmp_path: Path) -> None:
    source = transformers.vectors(tmp_path / "made", pooling="mean_tokens")
    (source / "README.md").write_text("not a part of it")
    local.add(shelf, "tiny", source)
    place = shelf.folder / "tiny"
    kept = {one.relative_to(place).as_posix(): one for one in place.rglob("*")}
    files = {"model.onnx", "tokenizer.json", "config.json", POOLING, ABOUT}
    assert kept.keys() == files | {"1_Pooling"}
    assert {kept[name].stat().st_mode & 0o777 for name in files} == {0o600}
    assert {one.stat().st_mode & 0o777 for one in (shelf.folder, place, kept["1_Pooling"])} == {0o700}
    assert [one.name for one in shelf.folder.iterdir()] == ["tiny"]


def test_adding_again_changes_nothing_and_another_model_needs_another_name(
    shelf: Shelf, tmp_path: Path
) -> None:
    source = transformers.vectors(tmp_path / "made")
    first = local.add(shelf, "tiny", source)
    assert local.add(shelf, "tiny", source) == first
    other = transformers.vectors(tmp_path / "other", seed=1)
    with pytest.raises(UsageError, match="Another model is called tiny"):
        local.add(shelf, "tiny", other)
    assert shelf.get("tiny") == first
    assert local.add(shelf, "tiny-2", other).digest != first.digest
    assert shelf.names() == ["tiny-2", "tiny"]  # the last first


def test_a_changed_or_missing_file_is_told_and_mended_by_adding_it_again(
    shelf: Shelf, tmp_path: Path
) -> None:
    source = transformers.vectors(tmp_path / "made")
    local.add(shelf, "tiny", source)
    asked = embedder(shelf, "tiny")
    graph = shelf.folder / "tiny" / "model.onnx"
    graph.write_bytes(b"x" * graph.stat().st_size)
    with pytest.raises(Wrong, match=r"model\.onnx of the local model tiny has changed"):
        asked.embed_query("chain")
    graph.unlink()
    with pytest.raises(Wrong, match="is missing"):
        asked.embed_documents(["chain"])
    local.add(shelf, "tiny", source)
    assert asked.embed_query("chain").any()
    (shelf.folder / "tiny" / ABOUT).write_text("{}")
    with pytest.raises(Wrong, match=r"description .* is damaged"):
        shelf.get("tiny")


def test_a_copied_home_is_read_through_and_holds(shelf: Shelf, tmp_path: Path) -> None:
    added = local.add(shelf, "tiny", transformers.vectors(tmp_path / "made"))
    for file in added.files:
        (shelf.folder / "tiny" / file.name).touch()
    shelf.verify(added)
    graph = shelf.folder / "tiny" / "model.onnx"
    data, stamp = bytearray(graph.read_bytes()), graph.stat()
    data[-1] ^= 1
    graph.write_bytes(data)
    with pytest.raises(Wrong, match="has changed"):
        shelf.verify(added, thorough=True)
    assert stamp.st_size == len(data)


def test_vectors_of_another_version_are_refused(shelf: Shelf, tmp_path: Path) -> None:
    local.add(shelf, "tiny", transformers.vectors(tmp_path / "made"))
    before = embedder(shelf, "tiny")
    shelf.remove("tiny")
    with pytest.raises(NoModel, match="There is no local model tiny"):
        before.verify()
    local.add(shelf, "tiny", transformers.vectors(tmp_path / "other", seed=1))
    with pytest.raises(Wrong, match="another one than the corpus was embedded with"):
        before.embed_query("chain")


REFUSED: dict[str, tuple[Callable[[Path], object], str]] = {
    "it has no tokenizer": (lambda folder: (folder / "tokenizer.json").unlink(), "has no tokenizer.json"),
    "it has no graph": (lambda folder: (folder / "model.onnx").unlink(), "has no .onnx file"),
    "its graph is none": (lambda folder: (folder / "model.onnx").write_bytes(b"no"), "not a usable graph"),
    "its tokenizer is none": (lambda folder: (folder / "tokenizer.json").write_text("{}"), "cannot be read"),
}


@pytest.mark.parametrize("why", REFUSED)
def test_a_folder_that_is_no_model_is_refused_and_nothing_is_left(
    shelf: Shelf, tmp_path: Path, why: str
) -> None:
    folder = transformers.vectors(tmp_path / "made")
    spoil, sentence = REFUSED[why]
    spoil(folder)
    with pytest.raises(UsageError, match=sentence):
        local.add(shelf, "tiny", folder)
    assert shelf.names() == []
    assert not [*shelf.folder.glob("*")]


def test_names_and_folders_that_cannot_be_are_refused(shelf: Shelf, tmp_path: Path) -> None:
    folder = transformers.vectors(tmp_path / "made")
    for name in ("../up", "a b", ".hidden", "x" * 61):
        with pytest.raises(UsageError, match="not a valid model name"):
            local.add(shelf, name, folder)
        with pytest.raises(NoModel):
            shelf.remove(name)
    with pytest.raises(UsageError, match="is not a folder"):
        local.add(shelf, "tiny", tmp_path / "nowhere")
    with pytest.raises(NotFound, match="There is no model nonsense") as unknown:
        local.add(shelf, "nonsense")
    assert "bge-small, e5-small" in unknown.value.hint
    assert local.add(shelf, "", folder).name == "made"


def test_of_several_graphs_int8_is_taken_or_one_must_be_left(shelf: Shelf, tmp_path: Path) -> None:
    folder = transformers.vectors(tmp_path / "made")
    (folder / "onnx").mkdir()
    (folder / "onnx" / "model_quantized.onnx").write_bytes((folder / "model.onnx").read_bytes())
    assert local.add(shelf, "tiny", folder).graph == "onnx/model_quantized.onnx"
    assert graph(["model_fp16.onnx", "model.onnx"], "it") == "model.onnx"
    with pytest.raises(UsageError, match=r"several graphs: a\.onnx, b\.onnx"):
        graph(["b.onnx", "a.onnx"], "it")


def test_a_model_that_scores_pairs_is_a_re_ranker_and_gives_no_vectors(shelf: Shelf, tmp_path: Path) -> None:
    added = local.add(shelf, "tiny-pairs", transformers.pairs(tmp_path / "pairs"))
    assert (added.use, added.dims) == ("pairs", 0)
    with pytest.raises(Wrong, match="re-ranks"):
        local.described(shelf, "tiny-pairs")


def test_without_onnxruntime_the_extra_is_named(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    local.add(shelf, "tiny", transformers.vectors(tmp_path / "made"))
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    for attempt in (lambda: local.add(shelf, "minilm"), lambda: local.described(shelf, "tiny")):
        with pytest.raises(NoModel) as refused:
            attempt()
        assert "pip install 'ark-tui[local]'" in refused.value.hint


def test_what_a_killed_process_has_left_goes_with_the_next(shelf: Shelf, tmp_path: Path) -> None:
    left = shelf.folder / ".adding-tiny"
    left.mkdir(parents=True)
    local.add(shelf, "tiny", transformers.vectors(tmp_path / "made"))
    assert not left.exists()


@pytest.mark.parametrize("told", [None, [], {"name": 1}, {"files": [1]}])
def test_a_description_of_another_shape_is_none(told: object) -> None:
    assert Added.loaded(told) is None


@pytest.mark.skipif(not MINILM.is_dir(), reason=NO_MINILM)
def test_minilm_finds_what_means_the_same(shelf: Shelf) -> None:
    added = local.add(shelf, "minilm", MINILM)
    assert (added.dims, added.pooling, added.most_tokens) == (384, "mean", 256)
    asked = embedder(shelf, "minilm")
    gap, chain, bread, long = asked.embed_documents(
        [
            "The spectral gap bounds the mixing time.",
            "A chain forgets its start quickly when the gap is large.",
            "How to bake bread with sourdough.",
            "A chain forgets its start quickly when the gap is large. " * 60,
        ]
    )
    assert gap @ chain == pytest.approx(0.26, abs=0.03)
    assert gap @ bread == pytest.approx(0.10, abs=0.03)
    assert asked.split == 1
    assert long @ chain > 0.5 > long @ bread
