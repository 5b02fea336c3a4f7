"""The config file: its first text, `config set` and `config unset`; every other line stays."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ark_tui import settings
from ark_tui.domain.errors import ConfigError, StoreError
from ark_tui.settings import Home, editing, lenient, load, secrets, template
from ark_tui.settings.config import OPTIONS, default
from tests.settings.test_precedence import Config

OWN = """\
# mine
theme = "nord"  # dark # enough

roots = [
  "~/a",  # first
]
"blink" = true
[profiles.mine]   # a table
theme = 1
weights.bm25 = 0.5
# the end"""


@pytest.mark.parametrize(
    ("name", "text", "changed"),
    [
        ("theme", "gruvbox", OWN.replace('"nord"', '"gruvbox"')),
        ("blink", "no", OWN.replace("= true", "= false")),
        ("query_budget", "3", OWN.replace("= true\n", "= true\nquery_budget = 3.0\n\n")),
        ("roots", "/b,/c", OWN.replace('[\n  "~/a",  # first\n]', '["/b", "/c"]')),
        ("ignore", "*.tmp, b/", OWN.replace("= true\n", '= true\nignore = ["*.tmp", "b/"]\n\n')),
        ("editor", 'x "é\x7f"', OWN.replace("= true\n", '= true\neditor = "x \\"é\\u007f\\""\n\n')),
    ],
)
def test_a_setting_is_written_where_it_stood_and_all_else_stays(
    config: Config, name: str, text: str, changed: str
) -> None:
    home = Home(config(OWN))
    assert editing.put(home, name, text)
    assert home.config.read_text() == changed
    assert not editing.put(home, name, text)


def test_what_stands_in_a_table_is_not_the_setting_of_that_name(config: Config) -> None:
    home = Home(config("[profiles.mine]\nmmr = 1\ntheme = 2\n"))
    assert not editing.take(home, "theme")
    editing.put(home, "theme", "nord")
    assert home.config.read_text().startswith('theme = "nord"\n\n[profiles.mine]')


def test_a_first_setting_stands_below_the_sentence_about_it(home: Path) -> None:
    editing.put(Home(home), "query_budget", "3")
    lines = Home(home).config.read_text().splitlines()
    assert lines[lines.index("# query_budget = 1.5") + 1] == "query_budget = 3.0"
    assert load(home, environ={}).query_budget == 3.0
    assert editing.take(Home(home), "query_budget")
    assert "\nquery_budget" not in Home(home).config.read_text()


def test_a_file_of_another_system_keeps_its_line_ends(config: Config) -> None:
    home = Home(config(""))
    home.config.write_bytes(b"# mine\r\nblink = true # why\r\ntheme = 'nord'")
    editing.put(home, "blink", "off")
    assert editing.take(home, "theme")
    assert home.config.read_bytes() == b"# mine\r\nblink = false # why\r\n"


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("query_budget", "soon", "query_budget must be a number from 0.01 to 600, not 'soon'."),
        ("embedding_dims", "-1", "embedding_dims must be a whole number from 0 to 65536, not -1."),
        ("strategy", "magic", "strategy must be one of auto, "),
        ("profile", "arc", "profile cannot be arc; did you mean ark?"),
        ("ollama_host", "127.0.0.1:99999", "ollama_host must be an address such as http://127.0.0.1:11434"),
        ("embedding_url", "http://a:secret@b", "embedding_url must be an address without keys"),
        ("embedding", "", "embedding must be auto, static, "),
        ("roots", " , ", "roots must be a list of folders"),
        ("keymap", "x", "keymap consists of tables, which cannot be set here."),
        ("profiles", "x", "profiles consists of tables"),
        ("them", "nord", "them is not a setting; did you mean theme?"),
    ],
)
def test_what_the_file_could_not_hold_is_refused_and_nothing_is_written(
    home: Path, name: str, text: str, what: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        editing.put(Home(home), name, text)
    assert refused.value.what.startswith(what)
    assert refused.value.hint
    assert "secret" not in str(refused.value)
    assert not home.exists()


@pytest.mark.parametrize("text", ["theme = ", 'theme = "a"\ntheme = "b"', 'theme = "\udcff"'])
def test_a_broken_file_is_mended_first(config: Config, text: str) -> None:
    home = Home(config(""))
    home.config.write_bytes(before := text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ConfigError, match="the config is broken"):
        editing.put(home, "blink", "yes")
    with pytest.raises(ConfigError, match="the config is broken"):
        editing.take(home, "theme")
    assert home.config.read_bytes() == before


def test_a_key_that_is_no_setting_can_be_taken_out(config: Config) -> None:
    home = Home(config("blnk = true\n[[roots]]\npath = '/a'\n[[roots]]\npath = '/b'\n"))
    assert editing.take(home, "blnk")
    assert editing.take(home, "roots")
    assert home.config.read_text() == ""
    with pytest.raises(ConfigError, match=r"blnk is not a setting; did you mean blink\?"):
        editing.take(home, "blnk")


VALUES = {"theme": "nord", "blink": "yes", "max_tokens": "64", "ignore": "a,b", "inbox": "[x] # 'y'"}
LINES = st.sampled_from(
    ["", "# a = 1", "ignore = [ # all\n '*.a', # one\n]", 'inbox = """\na # b\n"""', "blink = 1#c",
     "x.y = 1", '# theme = ""', "max_tokens = 100"]
)  # fmt: skip
TABLES = st.sampled_from(
    ["[profiles.a]\ntheme = 3 # t", "[keymap]\n'hits.copy' = \"c\"", "[z]\n# blink = true\n[z.blink]"]
)


@given(
    st.lists(LINES, unique=True), st.lists(TABLES, unique=True), st.sampled_from(list(VALUES)), st.booleans()
)
def test_nothing_else_of_a_file_ever_changes(top: list[str], tables: list[str], name: str, out: bool) -> None:
    text = "\n".join([*top, *tables])
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder))
        home.config.write_text(text)
        editing.put(home, name, VALUES[name])
        if out:
            assert editing.take(home, name)
        after = home.config.read_text()
    wanted = load(Path(folder), {name: OPTIONS[name].kind.read(VALUES[name])}, {}).values[name]
    given = {name: list(wanted) if isinstance(wanted, tuple) else wanted}
    assert out or repr(lenient.parse(after).values[name]) == repr(given[name])
    before = {key: value for key, value in lenient.parse(text).values.items() if key != name}
    assert lenient.parse(after).values == before | ({} if out else given)
    others = [part for part in [*top, *tables] if not part.startswith(name)]
    assert all(part in after for part in others)


FULL = ("sh", "-c", 'ulimit -f 0; exec "$0" "$@"', sys.executable, "-P", "-m", "ark_tui")


@pytest.mark.parametrize("written", [False, True], ids=["no config", "a config"])
def test_where_no_byte_can_be_written_the_config_stays_as_it_was(home: Path, written: bool) -> None:
    home.mkdir(exist_ok=True)
    (home / "locks").mkdir(exist_ok=True)
    if written:
        (home / "config.toml").write_text("# mine\nquery_budget = 3\n")
    before = sorted(home.iterdir())
    line = [*FULL, "--home", str(home), "config", "set", "query_budget", "7"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stderr
    assert "is full: there is no room, or no room for one more file" in done.stderr
    assert sorted(home.iterdir()) == before
    assert not written or (home / "config.toml").read_text() == "# mine\nquery_budget = 3\n"


def test_the_first_file_says_nothing_and_without_its_signs_says_the_defaults(
    config: Callable[[str], Path],
) -> None:
    plain = settings.load(config(template.text()), environ={})
    assert not plain.warnings
    assert set(plain.origins.values()) <= {"default"}
    bare = re.sub(r"^# (\w+ = |\[|\"hits|from|weights)", r"\1", template.text(), flags=re.MULTILINE)
    said = settings.load(config(bare), environ={})
    assert not said.warnings
    for name in OPTIONS:
        if name != "keymap":
            assert said.values[name] == default(name)
            assert said.origin(name) == ("default" if default(name) == "" else "config")
    assert said.keymap == {"hits.copy": "c"}
    assert said.profiles["mine"].weights["bm25"] == 0.4


def test_it_is_written_once_and_for_its_owner_alone(home: Path) -> None:
    assert template.ensure(Home(home))
    assert (home / "config.toml").stat().st_mode & 0o777 == 0o600
    (home / "config.toml").write_text("blink = true\n")
    assert not template.ensure(Home(home))
    assert (home / "config.toml").read_text() == "blink = true\n"


def test_a_home_that_cannot_be_written_is_said_in_words(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(StoreError, match="cannot be written: Permission denied"):
        template.ensure(Home(home))


def test_a_setting_is_found_where_it_stands_or_behind_its_sign(config: Callable[[str], Path]) -> None:
    home = Home(config(template.text()))
    lines = template.text().splitlines()
    assert lines[template.line(home, ("theme",)) - 1].startswith("# theme = ")
    assert lines[template.line(home, ("keymap", "hits.copy")) - 1] == "# [keymap]"
    home = Home(config('blink = true\n\n[keymap]\n"hits.copy" = "c"\n'))
    assert template.line(home, ("blink",)) == 1
    assert template.line(home, ("keymap", "hits.copy")) == 4
    assert template.line(home, ("theme",)) == 1


def test_settings_are_read_again_from_all_their_sources(config: Callable[[str], Path]) -> None:
    home = config('theme = "nord"\n')
    before = settings.load(home, {"agent_id": "ann"}, environ={"ARK_BLINK": "1"})
    config('profile = "ark"\ntheme = "gruvbox"\nblink = false\nagent_id = "bob"\n')
    assert before.reload is not None
    after = before.reload()
    assert (after.theme, after.blink, after.agent_id, after.profile) == ("gruvbox", True, "ann", "ark")
    assert after.lines["theme"] == 2


def test_where_a_key_comes_from_is_known_without_showing_it(home: Path) -> None:
    home.mkdir()
    at = Home(home)
    assert secrets.origin("OPENAI_API_KEY", at, {}) == ""
    assert secrets.origin("OPENAI_API_KEY", at, {"OPENAI_API_KEY": "sk-1"}) == "environment"
    (home / "keys").write_text('OPENAI_API_KEY = "sk-2"\n')
    (home / "keys").chmod(0o600)
    assert secrets.origin("OPENAI_API_KEY", at, {}) == "keys"
    (home / "keys").chmod(0o644)
    with pytest.raises(ConfigError, match="Others may read"):
        secrets.origin("OPENAI_API_KEY", at, {})
