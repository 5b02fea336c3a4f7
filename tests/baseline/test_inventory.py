"""Nothing that could be done is lost: the program has all that `kept/` holds, or `changed.toml` says why."""

from __future__ import annotations

from pathlib import Path

from tests.baseline import homes, inventory, life
from tests.baseline.facts import Entries, lost
from tests.baseline.inventory import Inventory
from tests.baseline.program import ROOT, environment


def test_every_command_key_setting_variable_profile_and_signal_is_there_still() -> None:
    assert inventory.lost(inventory.plain()) == []


def test_every_route_and_tool_is_there_still_and_answers_with_every_field(tmp_path: Path) -> None:
    """Of a home of 0.1.0; what commands answer, and the rest, is looked at by the soak."""
    file = life.notes(tmp_path / "notes") / "gap.md"
    with environment(homes.unpack(tmp_path), ARK_AGENT_FOLDERS=str(tmp_path)):
        asked = inventory.served(file, jobs=False)
    assert len(asked["shapes"]) > 80
    assert inventory.lost(asked, asked=True) == []


def test_what_has_changed_on_purpose_is_an_alias_or_stands_in_the_changelog() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert inventory.unfounded(inventory.changed(), inventory.plain(), changelog) == []


def test_the_script_asks_every_command_route_and_tool_that_is_kept() -> None:
    kinds = (path.stem for path in inventory.KEPT.glob("*.json"))
    assert inventory.unasked({kind: inventory.kept(kind) for kind in kinds}) == []


OLD: Entries = {
    "tag": {"help": "Tag documents."},
    "tag --limit": {"names": ["--limit", "-n"], "default": 10, "range": [1, 100]},
    "tag --mode": {"choices": ["a", "b"]},
    "hit": {"score": "number", "date": "null or string"},
}


def changed_in(**facts: object) -> dict[str, str]:
    return lost(OLD, {**OLD, "tag --limit": {**OLD["tag --limit"], **facts}})


def test_what_is_new_or_worded_anew_is_no_loss() -> None:
    new: Entries = {"tag --new": {"help": "."}, "untag": {"help": "."}, "untag [0]": {"required": True}}
    words: Entries = {"tag": {"help": "Give tags."}, "hit": {**OLD["hit"], "id": "string", "date": "string"}}
    more: Entries = {"tag --mode": {"choices": ["a", "b", "c"]}}
    assert lost(OLD, {**OLD, **new, **words, **more}) == {}


def test_what_is_gone_or_another_is_a_loss() -> None:
    assert lost(OLD, {name: facts for name, facts in OLD.items() if name != "tag"}) == {"tag": "it is gone"}
    assert changed_in(default=20) == {"tag --limit#default": "10 is now 20"}
    assert changed_in(names=["--limit"]) == {"tag --limit#names": "gone: ['-n']"}
    assert lost(OLD, {**OLD, "tag --mode": {"choices": ["a"]}}) == {"tag --mode#choices": "gone: ['b']"}
    assert set(lost(OLD, {**OLD, "tag": {"help": ""}})) == {"tag#help"}
    assert set(lost(OLD, {**OLD, "hit": {"score": "string", "date": "null"}})) == {"hit#score", "hit#date"}
    assert set(lost(OLD, {**OLD, "hit": {**OLD["hit"], "score": "null or number"}})) == {"hit#score"}


def test_what_must_be_given_now_or_is_limited_now_is_a_loss() -> None:
    assert set(changed_in(required=True)) == {"tag --limit#required"}
    assert set(changed_in(maximum=5)) == {"tag --limit#maximum"}
    assert set(lost(OLD, {**OLD, "tag --new": {"required": True}})) == {"tag --new"}


def test_a_change_counts_with_an_alias_that_is_there_or_a_sentence_under_changed() -> None:
    changelog = "## 0.2.0\n\n### Added\n\n- New.\n\n### Changed\n\n- Tags are\n  called labels.\n"
    today: Inventory = {"commands": {"label": {}}}
    good = {"commands": {"tag": "alias of label", "tag --x": "Tags are called labels."}}
    assert inventory.unfounded(good, today, changelog) == []
    for why in ("alias of lable", "New.", "", "Tags are gone."):
        assert len(inventory.unfounded({"commands": {"tag": why}}, today, changelog)) == 1
