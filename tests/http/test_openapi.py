"""Whatever the OpenAPI document allows, and much that it does not, is answered without a fault of ours."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from jsonschema import Draft202012Validator
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from ark_tui.interfaces.calls.state import ServerState
from ark_tui.interfaces.http.app import bare
from ark_tui.operations.catalog import shipped
from tests.http.conftest import routes

EXAMPLES = 1  # request for each route and each kind of data; the soak asks ten
BROAD = settings(
    max_examples=EXAMPLES, deadline=None, derandomize=True, database=None, phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
CHECKS = [
    schemathesis.checks.not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@pytest.mark.parametrize("mode", ["positive", "negative"])
def test_every_route_answers_as_its_description_says(counter: ServerState, mode: str) -> None:
    schema = schemathesis.openapi.from_asgi("/openapi.json", bare(counter))
    kind = schemathesis.GenerationMode(mode)
    checks = [*CHECKS, negative_data_rejection] if mode == "negative" else CHECKS
    asked = []
    operations: Iterable[Any] = schema.get_all_operations()
    for found in operations:
        operation = found.ok()
        asked.append(operation.label)

        @BROAD
        @given(case=operation.as_strategy(generation_mode=kind))
        def ask(case: Any) -> None:
            case.call_and_validate(checks=checks)

        with suppress(Unsatisfiable):  # a route that takes nothing cannot be asked wrongly
            ask()
    assert len(asked) > 10


def test_what_comes_of_a_job_is_typed_and_long_work_answers_with_its_job() -> None:
    document = routes().openapi()
    job = document["components"]["schemas"]["Job"]["properties"]
    named = (one.get("$ref", "").rpartition("/")[2] for one in job["result"]["anyOf"])
    results = {one.removesuffix("-Output") for one in named if one}  # what is asked of `models` has that name
    assert results == {
        "IndexReport", "Models", "Analysis", "Embedded", "Consolidated", "ImportedChats",
    }  # fmt: skip
    for path in ("/index", "/models", "/analyze"):
        begun = document["paths"][path]["post"]["responses"]["202"]["content"]["application/json"]["schema"]
        assert begun["$ref"].endswith("/Job")
    long = [one.result for one in shipped().all() if one.long and not one.personal]
    assert {one.__name__ for one in long} <= results


def test_an_answer_as_events_is_named_beside_its_json() -> None:
    document = routes().openapi()
    streams = {
        path
        for path, methods in document["paths"].items()
        for one in methods.values()
        if "text/event-stream" in one["responses"].get("200", {}).get("content", {})
    }
    content = document["paths"]["/think"]["post"]["responses"]["200"]["content"]
    assert streams == {"/think"}
    assert content["application/json"]["schema"]["$ref"].endswith("/Thought")
    assert "`piece`" in content["text/event-stream"]["schema"]["description"]


def test_every_request_has_an_example_that_its_schema_accepts() -> None:
    document = routes().openapi()
    for path, methods in document["paths"].items():
        for method, one in methods.items():
            assert one["description"], path
            for wanted in one.get("parameters", ()):
                shown = wanted["schema"].keys() & {"examples", "enum"}
                assert shown or not wanted["required"] or wanted["in"] == "path", (
                    method,
                    path,
                    wanted["name"],
                )
            if body := one.get("requestBody", {}).get("content", {}).get("application/json"):
                schema = {**body["schema"], "components": document["components"]}
                Draft202012Validator(schema).validate(body["example"])


def test_every_schema_has_a_name_that_a_generated_client_can_use() -> None:
    names = routes().openapi()["components"]["schemas"]
    assert [name for name in names if not name.isidentifier() or "__" in name] == []
