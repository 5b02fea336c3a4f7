"""A client that a generator makes from the OpenAPI document: whole, with real classes, and it works."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from openapi_python_client import generate
from openapi_python_client.config import Config, ConfigFile, MetaType

from ark_tui.domain.memory import Scope
from ark_tui.interfaces.calls.state import ServerState
from ark_tui.interfaces.http.app import bare
from ark_tui.interfaces.http.gate import Rules
from tests.http.conftest import calling

NAME = "ark_client"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The name of the package that was made, for import."""
    folder = tmp_path_factory.mktemp("client")
    (folder / "openapi.json").write_text(json.dumps(bare(None).openapi()))  # type: ignore[arg-type]
    config = Config.from_sources(
        config_file=ConfigFile(post_hooks=[]),
        meta_type=MetaType.NONE,
        document_source=folder / "openapi.json",
        file_encoding="utf-8",
        overwrite=False,
        output_path=folder / NAME,
    )
    left_out = [f"{one.header} {one.detail}" for one in generate(config=config)]
    assert left_out == []
    sys.path.insert(0, str(folder))
    yield NAME
    sys.path.remove(str(folder))
    for module in [module for module in sys.modules if module.split(".")[0] == NAME]:
        del sys.modules[module]


def asked(package: str, route: str) -> Any:
    """What asks for a route, by its module."""
    return import_module(f"{package}.api.{route}").asyncio


def model(package: str, name: str) -> Any:
    return getattr(import_module(f"{package}.models"), name)


async def test_the_client_searches_remembers_and_is_refused_with_classes_of_its_own(
    package: str, counter: ServerState
) -> None:
    counter.engine.memory.conversations.add(Scope(), "user", "Where is the tea?")
    async with calling(counter, Rules()) as transport:
        client = import_module(package).Client("http://127.0.0.1:7070")
        client.set_async_httpx_client(transport)

        found = await asked(package, "search.search")(
            client=client, body=model(package, "SearchBody")(query="spectral gap", limit=2)
        )
        assert isinstance(found, model(package, "SearchResult"))
        assert found.hits[0].document.title == "Spectral gaps"
        assert found.hits[0].score == pytest.approx(sum(part.contribution for part in found.hits[0].signals))

        fact = await asked(package, "facts.facts_add")(
            client=client, body=model(package, "FactsAddBody")(text="Otters sleep in rafts.", tags=["sea"])
        )
        assert isinstance(fact, model(package, "Fact"))
        listed = await asked(package, "facts.facts_list")(client=client)
        assert [(one.id, one.text) for one in listed.facts] == [(fact.id, "Otters sleep in rafts.")]

        said = await asked(package, "history.history_search")(client=client, query="tea")
        assert isinstance(said.messages[0], model(package, "Message"))
        assert said.messages[0].content == "Where is the tea?"

        job = await asked(package, "index.index")(client=client, body=model(package, "IndexBody")())
        assert isinstance(job, model(package, "Job"))

        refused = await asked(package, "show.show")(client=client, ref="nowhere.md")
        assert isinstance(refused, model(package, "Failure"))
        assert (bool(refused.error), bool(refused.hint)) == (True, True)


def test_no_type_of_the_document_is_known_by_where_it_stands_in_the_program() -> None:
    names = bare(None).openapi()["components"]["schemas"]  # type: ignore[arg-type]
    assert [name for name in names if not name.isidentifier() or "__" in name] == []
