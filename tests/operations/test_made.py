"""An operation, written once, is a command with help, a route with a schema, a page."""

from __future__ import annotations

import inspect
import json
import sys
from importlib import import_module
from pathlib import Path

from ark_tui.interfaces.cli.group import Commands
from ark_tui.operations import catalog
from tests.http.conftest import routes

sys.path.append(str(Path(__file__).parents[2] / ".ci"))
manual = import_module("manual")

LIMIT = "How many at most, 1 to 1,000."


def test_an_operation_is_a_command_on_a_page_of_the_manual() -> None:
    pages = manual.commands(Commands(name="ark-tui"))
    page = " ".join(pages.partition("## ark-tui history searches\n")[2].partition("\n## ")[0].split())
    assert "List the searches that were run, the newest first." in page
    assert LIMIT in page
    assert "Example: ark-tui history searches -n 5" in page


def test_an_operation_is_a_route_with_a_schema() -> None:
    document = routes().openapi()
    route = document["paths"]["/searches"]["get"]
    limit = next(one for one in route["parameters"] if one["name"] == "limit")
    assert limit["description"] == LIMIT
    assert (limit["schema"]["minimum"], limit["schema"]["maximum"]) == (1, 1000)
    assert limit["schema"]["examples"] == [20]
    answer = route["responses"]["200"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
    listed = document["components"]["schemas"][answer]["properties"]["searches"]
    assert listed["items"]["$ref"].endswith("/Retrieval")


def test_the_manifest_is_as_the_modules_are() -> None:
    path = Path(inspect.getfile(catalog)).with_name(catalog.MANIFEST)
    assert json.loads(path.read_text("utf-8")) == catalog.manifest(), "python -m ark_tui.operations.catalog"


def test_every_operation_says_what_it_does_and_every_parameter_what_it_is() -> None:
    for one in catalog.shipped().all():
        assert one.summary.endswith("."), one.name
        assert one.example.startswith("ark-tui "), one.name
        assert one.result is not inspect.Signature.empty, one.name
        for parameter in one.parameters:
            assert parameter.said.about.endswith("."), f"{one.name} {parameter.name}"
            shown = parameter.said.example is not None or parameter.type is bool or parameter.choices
            assert shown, f"{one.name}: {parameter.name} has no example"
