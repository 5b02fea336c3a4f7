"""Ignore rules: layers of gitignore patterns; a later layer overrides an earlier one.

In a git repository, git's own rules come first, as `git check-ignore` applies them: the user's excludes file,
`.git/info/exclude`, then each `.gitignore` from the top down. The built-in rules, the configured patterns and
the root's own ignore files follow.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from pathspec.patterns.gitignore.base import GitIgnorePatternError
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from ark_tui.domain.work import Problem
from ark_tui.settings.tree import Tree

BUILT_IN = (".claude/", "node_modules/", "dist/", ".git", "*.log", ".arkignore", ".ralphignore", ".env*")
FILES = (".arkignore", ".ralphignore")  # ignore files of a root, in this order
GIT, GITIGNORE = ".git", ".gitignore"
SUBMODULE = "submodule"  # the field of documents from a git submodule
LARGEST = 1 << 24  # bytes read from an ignore file
LONGEST = 4_096  # characters of a pattern: no path has more
LONGEST_SHOWN = 80  # characters of a pattern that are shown in a problem
BUILT_IN_LIST, CONFIGURED_LIST = "the rules that are built in", "the configured ignore list"
HIDDEN = (".", "_")  # folders whose names start with these are never entered

# The regex suffix with which pathspec also matches everything below a path. The walk checks every folder on
# the way down, so a pattern only needs to match the path itself, as in git.
_BELOW = str(GitIgnoreSpecPattern.pattern_to_regex("x")[0]).rpartition("x")[2]


_EXCLUDES = re.compile(r"^\s*excludesfile\s*=(.*)$", re.MULTILINE | re.IGNORECASE)
_NAME, _DEEP, _ANYWHERE = "[^/]*", "(?:/.+)?", "^(?:.+/)?"  # `*`, `/**` and a leading `**/`, translated


class Pattern(NamedTuple):
    """One line of an ignore list: its text, the name of the list, and its line number (from 1)."""

    text: str
    source: str = ""
    line: int = 0


class Rule(NamedTuple):
    """A pattern translated to a regex; it either ignores what it matches or includes it again."""

    regex: re.Pattern[str]
    ignores: bool
    folders_only: bool
    pattern: Pattern


class Rules:
    """Patterns for paths relative to one folder. `invalid`: those that could not be read."""

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        self.invalid: list[Pattern] = []
        self._rules: list[Rule] = []
        for pattern in patterns:
            try:
                rule = translated(pattern)
            except (GitIgnorePatternError, re.error):
                self.invalid.append(pattern)
            else:
                self._rules += [rule] if rule else []
        self._rules.reverse()
        regexes = "|".join(f"(?:{rule.regex.pattern})" for rule in self._rules)
        self._any = re.compile(regexes or "(?!)", re.DOTALL)

    def deciding(self, path: str, *, folder: bool) -> Rule | None:
        """The last rule that matches a path, which decides; None if no rule matches."""
        if not self._any.search(path):  # true of most paths, and faster than trying each rule
            return None
        rules = (rule for rule in self._rules if folder or not rule.folders_only)
        return next((rule for rule in rules if rule.regex.search(path)), None)


class _Scope(NamedTuple):
    """Rules of one folder, and how to convert a root path for them: cut `cut` characters, prepend `lead`."""

    lead: str
    cut: int
    rules: Rules


class _Place(NamedTuple):
    """A folder: whether it is in a repository, its submodule or "", and its rules, the nearest first."""

    inside: bool
    submodule: str
    scopes: tuple[_Scope, ...]


class Git:
    """Git's ignore rules below a root. Each `.gitignore` is read on first use of its folder."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._places: dict[str, _Place] = {}
        top = next((folder for folder in root.parents if (folder / GIT).exists()), None)
        files: list[tuple[Path, Path]] = []
        if top:
            files += [(folder / GITIGNORE, folder) for folder in root.parents if folder.is_relative_to(top)]
            files += [(file, top) for file in _excludes(top)]
        scopes = (
            _Scope(f"{root.relative_to(base).as_posix()}/", 0, _git_rules(file)) for file, base in files
        )
        self._above = _Place(top is not None, "", tuple(scopes))

    def submodule(self, folder: str) -> str:
        """The submodule that contains a folder, or ""."""
        return self._place(folder).submodule

    def deciding(self, path: str, *, folder: bool) -> Rule | None:
        """The rule that decides about a path: the last one in the nearest file with a match, or None."""
        scopes = self._place(path.rpartition("/")[0]).scopes
        found = (rules.deciding(lead + path[cut:], folder=folder) for lead, cut, rules in scopes)
        return next(filter(None, found), None)

    def _place(self, folder: str) -> _Place:
        if folder in self._places:
            return self._places[folder]
        inside, submodule, scopes = self._place(folder.rpartition("/")[0]) if folder else self._above
        here, cut = self._root / folder, len(folder) + bool(folder)
        if os.path.exists(here / GIT):  # noqa: PTH110 - false for a path too long for the system
            inside = True
            submodule = folder if (here / GIT).is_file() else submodule
            scopes = tuple(_Scope("", cut, _git_rules(file)) for file in _excludes(here))
        if inside:
            scopes = (_Scope("", cut, _git_rules(here / GITIGNORE, folder)), *scopes)
        place = self._places[folder] = _Place(inside, submodule, scopes)
        return place


class Ignore:
    """Decides for single paths, assuming that the folders above were not ignored."""

    def __init__(
        self, patterns: Iterable[Pattern], problems: Iterable[Problem] = (), git: Git | None = None
    ) -> None:
        """`problems`: files that could not be read; `walk` yields them, and the patterns that are invalid."""
        self._own = Rules(patterns)
        self._git = git
        self.problems = [*problems, *map(_problem, self._own.invalid)]

    @classmethod
    def of(cls, root: Path, configured: Sequence[str] = (), *, git: bool = True) -> Ignore:
        """The rules for a root: git's, the built-in ones, `configured`, then its own ignore files.

        An invalid pattern or an unreadable file becomes a problem; the rest applies.
        """
        patterns = [Pattern(text, BUILT_IN_LIST) for text in BUILT_IN]
        patterns += _numbered(CONFIGURED_LIST, configured)
        problems: list[Problem] = []
        with Tree(root) as tree:
            for name in FILES:
                try:
                    with tree.open(tree.inner(name)) as file:
                        patterns += _numbered(name, _lines(file.read(LARGEST)))
                except FileNotFoundError:
                    continue
                except OSError as error:
                    problems.append(Problem(name, f"cannot be read: {error.strerror}", "failed"))
        return cls(patterns, problems, Git(root) if git else None)

    def file(self, path: str) -> bool:
        """Whether the file at this path (relative to the root, with `/`) is ignored."""
        rule = self._deciding(path, folder=False)
        return rule is not None and rule.ignores

    def folder(self, path: str) -> bool:
        """Whether the folder at this path is ignored, with everything in it."""
        if path.rpartition("/")[2].startswith(HIDDEN):
            return True
        rule = self._deciding(path, folder=True)
        return rule is not None and rule.ignores

    def keeps(self, path: str) -> bool:
        """Whether one of our own rules (not git's) explicitly includes this file with a `!` pattern."""
        rule = self._own.deciding(path, folder=False)
        return rule is not None and not rule.ignores

    def submodule(self, path: str) -> str:
        """The git submodule that contains a file, or ""."""
        return self._git.submodule(path.rpartition("/")[0]) if self._git else ""

    def why(self, path: str) -> str:
        """Explain which rule ignores the file at this path, or a folder above it; "" if none does."""
        above = [path[: slash.start()] for slash in re.finditer("/", path)]
        folder = next((one for one in above if self.folder(one)), "")
        if folder.rpartition("/")[2].startswith(HIDDEN):
            return f"the folder {folder} is hidden: folders that begin with . or _ are not read"
        rule = self._deciding(folder or path, folder=bool(folder))
        if rule is None or not rule.ignores:
            return ""
        text, source, line = rule.pattern
        place = f"{source}, line {line}" if line else source
        return f"the rule {text.strip()} ({place}) leaves out {f'the folder {folder}' if folder else 'it'}"

    def _deciding(self, path: str, *, folder: bool) -> Rule | None:
        own = self._own.deciding(path, folder=folder)
        return own if own or not self._git else self._git.deciding(path, folder=folder)


def _problem(pattern: Pattern) -> Problem:
    shown = pattern.text.strip()[:LONGEST_SHOWN]
    return Problem(pattern.source, f"line {pattern.line} is not an ignore pattern: {shown}")


def _lines(data: bytes) -> list[str]:
    return data.decode("utf-8-sig", "replace").split("\n")


def _numbered(source: str, lines: Iterable[str]) -> list[Pattern]:
    return [Pattern(text, source, number) for number, text in enumerate(lines, 1)]


def _git_rules(file: Path, folder: str = "") -> Rules:
    """The rules in one of git's ignore files; none if it is missing or unreadable."""
    lines: list[str] = []
    with suppress(OSError):
        if not file.is_symlink():  # git does not follow it either
            lines = _lines(file.read_bytes())
    return Rules(_numbered(f"{folder}/{file.name}" if folder else file.name, lines))


def _excludes(top: Path) -> tuple[Path, Path]:
    """The ignore files of a whole repository: its own one and that of the user."""
    git = top / GIT
    with suppress(OSError):  # in a submodule, `.git` is a file with the path of its git directory
        git = top / git.read_text("utf-8", "replace").partition("gitdir:")[2].strip()
    return git / "info" / "exclude", _global_excludes()


def _global_excludes() -> Path:
    """The path in git's `core.excludesFile`, else git's default."""
    home = Path(os.environ.get("HOME") or Path.home())
    settings = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "git"
    for config in (home / ".gitconfig", settings / "config"):
        try:
            named = _EXCLUDES.findall(config.read_text("utf-8", "replace"))
        except OSError:
            continue
        if named:
            return Path(named[-1].strip().strip('"').replace("~", str(home), 1))
    return settings / "ignore"


def translated(pattern: Pattern) -> Rule | None:
    """The rule of a pattern; None for a comment or a blank line.

    Raises `GitIgnorePatternError` or `re.error` for an invalid pattern.
    """
    if len(pattern.text) > LONGEST:
        raise GitIgnorePatternError("too long")
    text = pattern.text.rstrip("\r\n")
    text = text if text.endswith("\\ ") else text.rstrip()
    bare = text.rstrip("/")
    regex, ignores = GitIgnoreSpecPattern.pattern_to_regex(bare)
    if regex is None or ignores is None:
        return None
    direct = re.compile(_direct(str(regex).replace(_BELOW, r"\Z")), re.DOTALL)
    return Rule(direct, ignores, bare != text, pattern)


def _direct(regex: str) -> str:
    """An equivalent regex without excessive backtracking over its wildcards.

    Text between two wildcards is matched at its first occurrence only: if the rest does not match after that,
    it does not match after a later one either (`fnmatch` does the same).
    """
    first, *rest = (_chained(part.split(_NAME), _NAME, f"{_NAME}?") for part in regex.split(_DEEP))
    if rest and first.startswith(_ANYWHERE):
        first = f"^(?>(?:.+?/)??{first.removeprefix(_ANYWHERE)}(?=/))"
    return _chained([first, *rest], _DEEP, "(?:/.+?)??", "(?=/)")


def _chained(parts: Sequence[str], wildcard: str, lazy: str, border: str = "") -> str:
    first, *middle = parts
    if not middle:
        return first
    last = middle.pop()
    return first + "".join(f"(?>{lazy}{part}{border})" for part in middle) + wildcard + last
