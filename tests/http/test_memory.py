"""Working memory and knowledge over HTTP: the same operations as everywhere (requirement H3)."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from ark_tui.engine import Engine
from ark_tui.interfaces.calls.state import ServerState


async def asked(client: httpx.AsyncClient, method: str, path: str, expect: int = 200, **given: Any) -> Any:
    response = await client.request(method, path, **given)
    assert response.status_code == expect, response.text
    return response.json()


async def test_the_scratchpad(client: httpx.AsyncClient) -> None:
    await asked(client, "PUT", "/scratch/plan", json={"value": "-5"})
    second = await asked(client, "PUT", "/scratch/plan", json={"value": "six"})
    assert (second["key"], second["value"], second["version"]) == ("plan", "six", 2)
    assert (await asked(client, "GET", "/scratch/plan"))["value"] == "six"
    assert [one["key"] for one in (await asked(client, "GET", "/scratch"))["entries"]] == ["plan"]
    assert (await asked(client, "GET", "/scratch", params={"agent": "other"}))["entries"] == []
    gone = await asked(client, "DELETE", "/scratch/plan")
    assert (gone["key"], gone["deleted"]) == ("plan", True)
    assert "POST /scratch/plan/restore" in (await asked(client, "GET", "/scratch/plan", 404))["hint"]


async def test_tasks(client: httpx.AsyncClient) -> None:
    scope: dict[str, Any] = {"params": {"agent": "tasks"}}
    wanted = {"text": "water the plants", "due": "2026-03-01", "tags": ["home"]}
    added = await asked(client, "POST", "/tasks", 201, json=wanted, **scope)
    assert (added["id"], added["due"], added["tags"], added["state"]) == ("1", "2026-03-01", ["home"], "open")
    change = {"text": "water them", "add_tags": ["green"], "drop_tags": ["home"], "state": "done"}
    done = await asked(client, "PATCH", "/tasks/1", json=change, **scope)
    assert (done["text"], done["tags"], done["state"]) == ("water them", ["green"], "done")
    assert (await asked(client, "GET", "/tasks", **scope))["tasks"] == []
    every = await asked(client, "GET", "/tasks", params={"agent": "tasks", "all": True})
    assert [one["id"] for one in every["tasks"]] == ["1"]
    await asked(client, "PATCH", "/tasks/1", json={"state": "open"}, **scope)
    assert (await asked(client, "DELETE", "/tasks/1", **scope))["state"] == "deleted"
    await asked(client, "PATCH", "/tasks/9", 404, json={"state": "done"}, **scope)


async def test_history_is_found_by_its_words(client: httpx.AsyncClient) -> None:
    scope = {"agent": "history"}
    for content in ("the kettle whistles", "the cat sleeps"):
        message = {"role": "user", "content": content}
        await asked(client, "POST", "/history", 201, json=message, params=scope)
    found = await asked(client, "GET", "/history/search", params={**scope, "query": "kettles"})
    assert [one["content"] for one in found["messages"]] == ["the kettle whistles"]
    latest = await asked(client, "GET", "/history", params={**scope, "limit": 1})
    assert ([one["content"] for one in latest["messages"]], latest["total"]) == (["the cat sleeps"], 2)


async def test_knowledge_goes_into_a_context_and_outcomes_move_it(client: httpx.AsyncClient) -> None:
    await asked(client, "POST", "/facts", 201, json={"text": "The boiler needs 1.5 bar of pressure."})
    pattern = {"problem": "the boiler loses pressure", "solution": "bleed the radiators, then refill"}
    kept = await asked(client, "POST", "/patterns", 201, json=pattern)
    assert kept["confidence"] == 0.5
    rule = {"kind": "NEVER", "text": "open the gas valve", "priority": 5}
    assert (await asked(client, "POST", "/directives", 201, json=rule))["kind"] == "NEVER"
    context = await asked(client, "POST", "/context", json={"query": "the boiler loses pressure"})
    assert "bleed the radiators" in context["text"]
    assert "open the gas valve" in context["text"]
    report = {"retrieval_id": context["retrieval_id"], "outcome": "success", "patterns": [kept["id"]]}
    moved = await asked(client, "POST", "/outcomes/report", json=report)
    assert moved["patterns"][0]["confidence"] == pytest.approx(0.6)
    for family in ("facts", "patterns", "directives"):
        assert (await asked(client, "GET", f"/{family}"))[family]


async def test_what_was_retired_comes_back_for_whoever_added_it(
    client: httpx.AsyncClient, engine: Engine
) -> None:
    ann = {"agent": "ann"}
    kept = await asked(client, "POST", "/facts", 201, json={"text": "The valve is open."}, params=ann)
    engine.memory.facts.retire(kept["id"])
    back = f"/memories/{kept['id']}/revive"
    await asked(client, "POST", back, 404, json={}, params={"agent": "ben"})
    revived = await asked(client, "POST", back, json={"reason": "it is"}, params=ann)
    assert (revived["id"], revived["retired"]) == (kept["id"], False)
    assert kept["id"] in [one["id"] for one in (await asked(client, "GET", "/facts"))["facts"]]
    await asked(client, "POST", "/memories/abcdef/revive", 404, json={})


async def test_outcomes_are_recorded_queried_and_summed_up(client: httpx.AsyncClient) -> None:
    for verdict in ("pass", "fail", "pass"):
        event = {
            "event_type": "build",
            "issue_number": 7,
            "verdict": verdict,
            "component_area": "engine/store",
        }
        recorded = await asked(client, "POST", "/outcomes", 201, json=event)
        assert recorded.keys() >= {"id", "eventType", "issueNumber", "timestamp"}
    found = await asked(client, "GET", "/outcomes", params={"component_area": "engine", "limit": 2})
    assert len(found["events"]) == 2
    whole = await asked(
        client, "GET", "/outcomes", params={"event_type": "build", "aggregate": True, "limit": 1}
    )
    assert (whole["count"], whole["verdictDistribution"]) == (3, {"pass": 2, "fail": 1})
    await asked(client, "GET", "/outcomes", 422, params={"color": "blue"})


async def test_remembering_recalling_thinking_and_experts(client: httpx.AsyncClient) -> None:
    text = {"text": "Herons stand still for hours.", "source": "walk of sunday", "tags": ["birds"]}
    first = await asked(client, "POST", "/remember", 201, json=text)
    assert first["indexed"]
    assert (await asked(client, "POST", "/remember", 201, json=text))["id"] == first["id"]
    await asked(client, "POST", "/remember", 422, json={**text, "tier": "wiki"})
    found = await asked(client, "POST", "/recall", json={"query": "herons", "role": "researcher"})
    assert found["hits"][0]["document"]["id"] == first["id"]
    refused = await asked(client, "POST", "/recall", 400, json={"query": "herons", "role": "wizard"})
    assert "researcher" in refused["hint"]
    thought = await asked(client, "POST", "/think", json={"query": "how do herons stand"})
    assert (thought["synthesized"], thought["answer"]) == (False, None)
    assert thought["sources"]
    bundle = await asked(client, "GET", "/expert/birds")
    assert bundle["warning"]
    assert (await asked(client, "GET", "/memory-stats"))["by_tier"]["raw"] >= 1


async def test_analysis_is_a_job(client: httpx.AsyncClient, counter: ServerState) -> None:
    begun = await asked(client, "POST", "/analyze", 202, json={"what": ["activity"]})
    counter.jobs.get(begun["job_id"]).over.wait()
    job = await asked(client, "GET", f"/jobs/{begun['job_id']}")
    assert job["state"] == "done"
    assert "activity" in job["result"]
    await asked(client, "POST", "/analyze", 422, json={"what": ["horoscope"]})


async def test_a_search_can_follow_links_further(client: httpx.AsyncClient) -> None:
    found = await asked(client, "POST", "/graph-search", json={"query": "steeped tea", "hops": 2})
    assert found["hits"][0]["document"]["path"] == "tea.md"
    assert "gap.md" in [hit["document"]["path"] for hit in found["hits"]], "tea links to it"
    await asked(client, "POST", "/graph-search", 422, json={"query": "tea", "hops": 50})
