from __future__ import annotations

import errno
import shutil
from pathlib import Path

import pytest

from ark_tui.domain.errors import StoreError
from ark_tui.settings import Home, editing, load
from ark_tui.settings import home as home_files
from ark_tui.settings.home import below, size, write_file


def test_a_home_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    home = Home(tmp_path / "new" / "home")
    home.create()
    home.create()
    assert home.path.stat().st_mode & 0o777 == 0o700


def test_a_home_that_is_a_file_or_lies_in_one_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("notes")
    with pytest.raises(StoreError, match="is not a folder") as caught:
        Home(tmp_path / "file").create()
    assert "ARK_HOME" in caught.value.hint
    with pytest.raises(StoreError, match="cannot be made"):
        Home(tmp_path / "file" / "home").create()


def test_the_home_is_the_given_one_then_the_environments_then_the_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    environ = {"ARK_HOME": "~/elsewhere"}
    assert load(tmp_path / "given", environ=environ).home.path == tmp_path / "given"
    assert load(environ=environ).home.path == tmp_path / "elsewhere"
    assert load(environ={}).home.path == tmp_path / ".ark"
    assert load(environ={"ARK_HOME": "${SOMEWHERE}"}).home.path == tmp_path / ".ark"


def test_loading_settings_makes_nothing(tmp_path: Path) -> None:
    load(tmp_path / "home", environ={})
    assert not (tmp_path / "home").exists()


def test_a_small_file_is_replaced_as_a_whole_and_is_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "home" / "file.json"
    write_file(file, b"one, and longer")
    before = file.stat().st_ino
    write_file(file, b"two")
    assert file.read_bytes() == b"two"
    assert file.stat().st_ino != before, "whoever reads the old one reads it to its end"
    assert file.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["file.json"]


def test_a_file_that_was_written_is_not_said_to_be_missing_because_its_folder_was_not_flushed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: Path) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(home_files, "sync_folder", fails)
    settings = Home(tmp_path / "home")
    with pytest.raises(StoreError, match="is complete, but was not flushed to disk"):
        editing.write(settings, "theme = 'nord'\n")
    assert settings.config.read_text() == "theme = 'nord'\n"
    assert [path.name for path in settings.path.iterdir()] == ["config.toml"]


def test_a_home_that_others_could_read_is_taken_away_from_them_and_that_is_said(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    (home.path / "words").mkdir(parents=True)
    home.path.chmod(0o755)
    home.config.write_text("")
    home.config.chmod(0o644)
    (home.path / "outside").symlink_to(tmp_path)
    before = tmp_path.stat().st_mode
    assert set(home.shared()) == {home.path, home.config}
    assert home.create()
    assert not home.create()
    assert home.shared() == []
    assert oct(home.config.stat().st_mode & 0o777) == "0o600"
    assert tmp_path.stat().st_mode == before


def test_folders_that_others_remove_while_a_home_is_looked_through_are_passed_over(tmp_path: Path) -> None:
    folders = [tmp_path / str(number) / "vectors" for number in range(4)]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "rows").write_bytes(b"1234")
    seen = 0
    for _ in below(tmp_path):
        if not seen:
            for folder in folders[1:]:
                shutil.rmtree(folder.parent)
        seen += 1
    assert seen >= 3
    assert size(tmp_path) == 4


def test_a_file_that_goes_before_it_is_measured_does_not_count(tmp_path: Path) -> None:
    for name in ("kept", "gone"):
        (tmp_path / name).write_bytes(b"1234")
        (tmp_path / name).chmod(0o644)
    home = Home(tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ark_tui.settings.home.below", lambda _: [tmp_path / "gone", tmp_path / "kept"])
        (tmp_path / "gone").unlink()
        assert size(tmp_path) == 4
        assert home.shared() == [tmp_path / "kept"]
