"""The tools for collections, in the shapes of the service that agents know (requirement P2)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ark_tui.engine import indexing
from tests.mcp.conftest import Assistant, told

BIRDS: list[dict[str, Any]] = [
    {
        "source": "owl.md",
        "title": "Owls",
        "content": "Owls fly without a sound at night.",
        "metadata": {"n": 1},
    },
    {"source": "swift.md", "title": "Swifts", "content": "Swifts sleep while they fly."},
]


@pytest.fixture
async def birds(assistant: Assistant) -> Any:
    return await assistant.told("search-index", collection="birds", documents=BIRDS)


async def refused(assistant: Assistant, tool: str, **arguments: object) -> Any:
    """What a call that cannot be carried out is told."""
    answer = await assistant.call(tool, **arguments)
    assert answer.is_error
    failure = told(answer)
    assert failure["success"] is False
    assert failure["tool"] == tool
    assert failure["hint"]
    return failure["error"]


async def test_indexing_says_what_it_did_and_by_which_model(birds: Any) -> None:
    assert birds == {
        "indexed": True, "collection": "birds", "documents": 2, "chunks": 2, "model": "static",
        "dimensions": 256,
    }  # fmt: skip


@pytest.mark.usefixtures("birds")
async def test_collections_are_listed_with_their_sizes(assistant: Assistant) -> None:
    listed = (await assistant.told("search-collections"))["collections"]
    (found,) = [one for one in listed if one["name"] == "birds"]
    assert found.keys() == {"name", "chunks", "minTokens", "maxTokens", "avgTokens"}
    assert found["chunks"] == 2
    assert 0 < found["minTokens"] <= found["avgTokens"] <= found["maxTokens"]
    info = await assistant.told("search-collection-info", collection="birds")
    assert info["sources"] == ["owl.md", "swift.md"]
    nothing = await assistant.told("search-collection-info", collection="fish")
    assert (nothing["chunks"], nothing["maxTokens"], nothing["sources"]) == (0, 0, [])


@pytest.mark.usefixtures("birds")
@pytest.mark.parametrize("mode", ["hybrid", "semantic", "keyword"])
async def test_a_query_answers_with_chunks_best_first(assistant: Assistant, mode: str) -> None:
    asked = {"collection": "birds", "query": "owls at night", "mode": mode}
    found = await assistant.told("search-query", **asked)
    assert found["count"] == len(found["results"])
    assert (found["query"], found["collection"], found["mode"]) == ("owls at night", "birds", mode)
    first = found["results"][0]
    assert first.keys() == {"chunkId", "source", "title", "content", "score", "metadata"}
    assert first["chunkId"] == "birds:owl.md:0"
    assert first["content"] == BIRDS[0]["content"]
    assert first["metadata"] == {"n": 1}
    scores = [one["score"] for one in found["results"]]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.usefixtures("birds")
async def test_scores_are_reciprocal_ranks_of_both_sides(assistant: Assistant) -> None:
    asked = {"collection": "birds", "query": "owls at night"}
    first = (await assistant.told("search-query", **asked))["results"][0]
    assert first["score"] == pytest.approx(1 / 61 + 1 / 61), "first in words and first in meaning, k = 60"


async def test_one_document_may_answer_with_several_chunks(assistant: Assistant) -> None:
    text = "\n\n".join(
        f"# Part {n}\n\nThe otter eats fish number {n}. " + "It swims. " * 30 for n in range(4)
    )
    document = {"source": "otter.md", "content": text}
    await assistant.told(
        "search-index",
        collection="otters",
        documents=[document],
        chunkStrategy="markdown-headers",
        maxTokens=300,
    )
    found = await assistant.told("search-query", collection="otters", query="otter fish")
    assert len(found["results"]) == 4
    assert len({one["chunkId"] for one in found["results"]}) == 4


@pytest.mark.usefixtures("birds")
async def test_a_source_that_is_indexed_again_is_replaced(assistant: Assistant) -> None:
    again = [{"source": "owl.md", "content": "Owls turn their heads."}]
    await assistant.told("search-index", collection="birds", documents=again)
    found = await assistant.told("search-query", collection="birds", query="owls", mode="keyword")
    assert [one["content"] for one in found["results"]] == ["Owls turn their heads."]
    assert found["results"][0]["metadata"] == {}


@pytest.mark.usefixtures("birds")
async def test_similar_leaves_the_source_chunk_out(assistant: Assistant) -> None:
    found = await assistant.told("search-similar", collection="birds", chunkId="birds:swift.md:0")
    assert found["sourceChunk"] == "birds:swift.md:0"
    assert [one["chunkId"] for one in found["results"]] == ["birds:owl.md:0"]
    missing = await refused(assistant, "search-similar", collection="birds", chunkId="birds:swift.md:9")
    assert missing == "There is no chunk birds:swift.md:9."


async def test_a_chunk_without_a_vector_is_an_error_of_its_own(
    assistant: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "catch_up", lambda *_: ())  # the indexes have not come to it yet
    text = {"source": "new", "content": "A text that no index has seen."}
    await assistant.told("search-index", collection="odd", documents=[text])
    said = await refused(assistant, "search-similar", collection="odd", chunkId="odd:new:0")
    assert "has no vector" in said


@pytest.mark.usefixtures("birds")
async def test_deleting_takes_one_source_or_all(assistant: Assistant) -> None:
    one = await assistant.told("search-delete", collection="birds", source="owl.md")
    assert one == {"deleted": 1, "collection": "birds", "source": "owl.md"}
    rest = await assistant.told("search-reindex", collection="birds")
    assert (rest["collection"], rest["deleted"]) == ("birds", 1)
    assert rest["message"]
    found = await assistant.told("search-query", collection="birds", query="owls swifts")
    assert found["results"] == []


async def test_a_folder_that_the_user_follows_is_not_an_agents_to_change(assistant: Assistant) -> None:
    for tool, arguments in (
        ("search-delete", {}),
        ("search-reindex", {}),
        ("search-index", {"documents": BIRDS}),
    ):
        assert "follows the folder" in await refused(assistant, tool, collection="notes", **arguments)


async def test_a_file_is_indexed_from_the_users_folders_only(
    assistant: Assistant, home: Path, tmp_path: Path
) -> None:
    done = await assistant.told("search-index-file", collection="single", path="tea.md")
    assert (done["documents"], done["collection"]) == (1, "single")
    again = await assistant.told(
        "search-index-file",
        collection="single",
        filePath=str(home.parent / "notes" / "tea.md"),
        format="text",
    )
    assert again["documents"] == 1
    outside = tmp_path / "secret.md"
    outside.write_text("# Secret\n\nNot for agents.\n")
    (home.parent / "notes" / "way-out.md").symlink_to(outside)
    for path in (str(outside), "../../secret.md", "way-out.md", "/etc/passwd"):
        said = await refused(assistant, "search-index-file", collection="single", path=path)
        assert "not in a folder of this home" in said


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        (
            "search-query",
            {"collection": "birds", "query": "x", "mode": "psychic"},
            "There is no mode psychic.",
        ),
        ("search-query", {"collection": "birds", "query": "x", "model": "gpt"}, "not with gpt"),
        (
            "search-index",
            {"collection": "b", "documents": [{"source": " ", "content": "x"}]},
            "needs a source",
        ),
        ("search-index-file", {"collection": "b"}, "There is no file named."),
    ],
)
async def test_a_bad_call_says_what_is_wrong(
    assistant: Assistant, tool: str, arguments: dict[str, object], said: str
) -> None:
    assert said in await refused(assistant, tool, **arguments)
