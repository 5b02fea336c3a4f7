"""Whatever the OpenAPI document allows, and much that it does not, is answered without a fault of ours."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from ark_tui.faces.http.app import bare
from ark_tui.faces.http.desk import Desk

EXAMPLES = 2  # requests for each route and each kind of data; the soak asks ten
BROAD = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
CHECKS = [
    schemathesis.checks.not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@pytest.mark.parametrize("mode", ["positive", "negative"])
def test_every_route_answers_as_its_description_says(counter: Desk, mode: str) -> None:
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
