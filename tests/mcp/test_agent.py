"""The ten tools: a strict reading of their schemas, and an agent that knows their descriptions alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from math import log
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp_types import Tool

from ark_tui import settings
from ark_tui.engine import Engine
from ark_tui.interfaces.mcp import server
from tests.mcp.conftest import Assistant, indexed

NOTES = {
    "gap.md": "# Spectral gaps\n\nThe spectral gap bounds the mixing time. See [[walk]].\n",
    "walk.md": "# Random walks\n\nA random walk mixes by its gap. See [[gap]].\n",
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with Engine(settings.load(indexed(tmp_path_factory.mktemp("agent"), NOTES), environ={})) as engine:
        yield engine


@pytest.fixture(scope="module")
def assistant(engine: Engine) -> Assistant:
    return Assistant(server.Server(engine))


def within(schema: Any) -> Iterator[dict[str, Any]]:
    """A schema and all that are in it."""
    if isinstance(schema, dict):
        yield schema
    for one in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from within(one)


async def test_the_schemas_are_plain_and_strict(assistant: Assistant) -> None:
    for tool in await assistant.tools():
        assert tool.input_schema["additionalProperties"] is False
        assert tool.output_schema is not None
        for schema in (tool.input_schema, tool.output_schema):
            Draft202012Validator.check_schema(schema)
            for part in within(schema):
                assert not part.keys() & {"$ref", "$defs", "format"}, tool.name
                assert part.get("type") != "array" or "items" in part, tool.name


def test_the_tools_of_all_families_have_plain_schemas_too(engine: Engine) -> None:
    tools = server.Server(engine, ("all",)).tools
    assert {"remember", "knowledge_search", "search-query"} <= tools.keys()
    for tool in tools.values():
        for part in within(tool.listed["inputSchema"]):
            assert not part.keys() & {"$ref", "$defs"}, tool.name
            assert not isinstance(part.get("format"), str), tool.name


async def test_a_description_is_two_sentences_of_which_the_second_says_when(assistant: Assistant) -> None:
    for tool in await assistant.tools():
        first, second = re.split(r"(?<=\.) (?=[A-Z])", tool.description or "")
        assert second.startswith("Use ") or " Use " in f"{first} {second}", tool.name


def words(text: str) -> Counter[str]:
    return Counter(word.rstrip("s") for word in re.findall(r"[a-z]+", text.lower()))


class Agent:
    """Chooses a tool, its action and its parameters by the words that the descriptions share with a task."""

    def __init__(self, assistant: Assistant, tools: list[Tool]) -> None:
        self._assistant, self._tools = assistant, tools
        texts = [*map(self._about, tools)]
        self._weight = {
            word: log(1 + len(texts) / sum(word in text for text in texts)) for text in texts for word in text
        }

    def _about(self, tool: Tool) -> Counter[str]:
        described = [one.get("description", "") for one in tool.input_schema["properties"].values()]
        return words(" ".join([tool.name, tool.name, tool.description or "", *described]))

    def _alike(self, task: Counter[str], text: Counter[str]) -> float:
        return sum(self._weight.get(word, 0) for word in task if word in text) / (1 + log(1 + len(text)))

    async def do(self, task: str, /, **known: object) -> tuple[str, Any]:
        """Carry out a task with what is known for it; the name of the tool, and its answer."""
        asked = words(task)
        tool = max(self._tools, key=lambda one: self._alike(asked, self._about(one)))
        fields = tool.input_schema["properties"]
        given: dict[str, object] = {}
        for name, schema in fields.items():
            if name in tool.input_schema.get("required", ()) and "enum" in schema:
                given[name] = max(
                    schema["enum"], key=lambda value: (asked[words(value).most_common(1)[0][0]], 0)
                )
        given |= {name: value for name, value in known.items() if name in fields}
        assert known.keys() <= fields.keys(), (task, tool.name)
        answer = await self._assistant.told(tool.name, **given)
        assert tool.output_schema is not None
        Draft202012Validator(tool.output_schema).validate(answer)
        return tool.name, answer


async def test_an_agent_does_ten_tasks_by_the_descriptions_alone(assistant: Assistant) -> None:
    agent = Agent(assistant, await assistant.tools())

    async def do(tool: str, told: str, /, **known: object) -> Any:
        chosen, answer = await agent.do(told, **known)
        assert chosen == tool, told
        return answer

    hits = (await do("search", "Search my notes and documents for the mixing time.", query="mixing time"))[
        "hits"
    ]
    assert hits[0]["path"] == "gap.md"
    text = await do("read", "Read the whole document that the search found.", id=hits[0]["id"])
    assert "bounds the mixing time" in text["text"]
    fact = {"text": "The build takes four minutes."}
    kept = await do("remember", "Keep this fact: you learn it now, and later tasks need it.", **fact)
    told = "Gather what is known about this task as it begins: rules, facts, passages."
    context = await do("context", told, task="speed up the build")
    assert fact["text"] in context["text"]
    report = {"retrieval_id": context["retrieval_id"], "outcome": "success"}
    await do("outcome", "The task ends: report whether its context helped.", **report)
    wrong = "This memory is wrong: replace it."
    changed = await do("correct", wrong, id=kept["id"], text="The build takes three minutes.")
    assert changed["replacement"] != kept["id"]
    (task,) = (await do("tasks", "Add to the to-do list: call Ann.", text="Call Ann."))["tasks"]
    done = await do("tasks", "It is done: mark the task on the to-do list as done.", id=task["id"])
    assert done["tasks"][0]["state"] == "done"
    await do("scratch", "Set a short note of my own by key, for this session.", key="plan", value="ask Ann")
    said = {"role": "user", "content": "Where were we?"}
    await do("history", "Add this message to the conversation.", **said)
    found = await do("history", "Search what was said in an earlier conversation.", query="where were we")
    assert found["messages"][0]["content"] == said["content"]
    near = await do("graph", "Follow the links: which neighbors does this document have?", id="walk")
    assert {one["path"] for one in near["documents"]} == {"gap.md", "walk.md"}
