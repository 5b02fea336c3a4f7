"""The commands of memory, as a shell sees them."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Ark, ark

__all__ = ["ark"]


def test_a_value_that_looks_like_an_option_is_a_value(ark: Ark) -> None:
    assert ark("scratch-set", "n", "-5").code == 0
    assert ark("scratch-get", "n").out == "-5\n"
    assert ark("scratch-set", "line", "a", "-b", "c").code == 0
    assert ark("scratch-get", "line", "--json").json["value"] == "a -b c"


def test_a_lone_dash_reads_stdin(ark: Ark, monkeypatch: pytest.MonkeyPatch) -> None:
    import io
    import sys

    for words in (("scratch-set", "n", "-"), ("tasks-add", "-"), ("history-add", "user", "-")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"from a pipe")))
        assert ark(*words).code == 0
    assert ark("scratch-get", "n").out == "from a pipe\n"
    assert ark("tasks-list", "--json").json["tasks"][0]["text"] == "from a pipe"
    assert ark("history-list", "--json").json["messages"][0]["content"] == "from a pipe"


def test_the_scope_comes_from_the_environment_and_options_come_before_it(
    ark: Ark, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARK_AGENT_ID", "ann")
    monkeypatch.setenv("ARK_SESSION_ID", "one")
    ark("scratch-set", "n", "hers")
    ark("scratch-set", "n", "his", "--agent", "ben")
    assert ark("scratch-get", "n").out == "hers\n"
    assert ark("scratch-get", "n", "--agent", "ben").out == "his\n"
    found = ark("scratch-list", "--agent", "ALL", "--session", "ALL", "--json").json["entries"]
    assert [(one["agent"], one["session"], one["value"]) for one in found] == [
        ("ann", "one", "hers"),
        ("ben", "one", "his"),
    ]
    scopes = ark("scopes", "--json").json["scopes"]
    assert [(one["agent"], one["scratch"]) for one in scopes] == [("ann", 1), ("ben", 1)]


def test_what_cannot_be_taken_back_wants_a_yes(ark: Ark, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARK_NOW", "2026-01-01")
    ark("history-add", "user", "hello")
    refused = ark("conversations-delete", "default")
    assert (refused.code, "1 message" in refused.err) == (2, True)
    monkeypatch.setenv("ARK_NOW", "2026-01-03")
    for words in (("purge",), ("purge", "--dry-run", "--yes")):
        assert ark(*words, "--json").json["purged"] is False
    assert ark("history-list", "--json").json["total"] == 1
    purged = ark("purge", "--yes", "--json").json
    assert purged.pop("trash")["documents"] == []
    assert purged == {"messages": 1, "memories": [], "notes": 0, "vectors": 0, "bytes": 5, "purged": True}
    assert ark("history-list", "--json").json["total"] == 0
