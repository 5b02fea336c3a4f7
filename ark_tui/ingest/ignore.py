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
from functools import lru_cache
from itertools import groupby
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


class _Rule(NamedTuple):
    regex: str
    ignores: bool
    folders_only: bool


class _Layer(NamedTuple):
    regex: re.Pattern[str]
    ignores: bool


class Rules:
    """Patterns for paths relative to one folder; the last matching pattern decides."""

    def __init__(self, patterns: Iterable[str | Pattern]) -> None:
        lines = [Pattern(one) if isinstance(one, str) else one for one in patterns]
        self._rules = [(rule, line) for line in lines if (rule := _rule(line.text))]
        rules = [rule for rule, _ in self._rules]
        self._folders = _layers(rules)
        self._files = _layers([rule for rule in rules if not rule.folders_only])

    def ignores(self, path: str, *, folder: bool) -> bool | None:
        """Whether the rules ignore a path; None if no pattern matches."""
        layers = self._folders if folder else self._files
        return next((layer.ignores for layer in layers if layer.regex.search(path)), None)

    def deciding(self, path: str, *, folder: bool) -> Pattern:
        """The last pattern that matches a path, which decides."""
        return next(
            line
            for rule, line in reversed(self._rules)
            if (folder or not rule.folders_only) and re.compile(rule.regex, re.DOTALL).search(path)
        )


class _Scope(NamedTuple):
    """Rules of one folder, and how to convert a root path for them: cut `cut` characters, prepend `lead`."""

    lead: str
    cut: int
    rules: Rules


class Git:
    """Git's ignore rules below a root. Each `.gitignore` is read on first use of its folder."""

    def __init__(self, root: Path) -> None:
        self._root = root
        above = next((folder for folder in (root, *root.parents) if (folder / GIT).exists()), None)
        self._inside = {"": above is not None}  # whether a folder is in a repository, by path
        self._modules = {"": ""}  # submodule by folder
        self._scopes: dict[str, tuple[_Scope, ...]] = {}  # by folder, the nearest first
        self._above: tuple[_Scope, ...] = ()
        if above is None:
            return
        files = [folder / GITIGNORE for folder in root.parents if folder.is_relative_to(above)]
        places = [*((file, file.parent) for file in files), (above / GIT / "info" / "exclude", above)]
        self._above = tuple(
            _Scope("" if top == root else f"{root.relative_to(top).as_posix()}/", 0, rules)
            for file, top in (*places, (_global_excludes(), above))
            if (rules := _git_rules(file))
        )

    def submodule(self, folder: str) -> str:
        """The submodule that contains a folder, or ""."""
        self._seen(folder)
        return self._modules[folder]

    def ignores(self, path: str, *, folder: bool) -> bool:
        """Whether the nearest rules that match a path ignore it."""
        for lead, cut, rules in self._seen(path.rpartition("/")[0]):
            if (said := rules.ignores(lead + path[cut:], folder=folder)) is not None:
                return said
        return False

    def deciding(self, path: str, *, folder: bool) -> Pattern:
        """The pattern that ignores a path."""
        return next(
            rules.deciding(lead + path[cut:], folder=folder)
            for lead, cut, rules in self._seen(path.rpartition("/")[0])
            if rules.ignores(lead + path[cut:], folder=folder) is not None
        )

    def _seen(self, folder: str) -> tuple[_Scope, ...]:
        known = self._scopes.get(folder)
        if known is None:
            above = folder.rpartition("/")[0]
            beyond = self._seen(above) if folder else self._above
            if folder:
                here = self._root / folder / GIT  # the path may be too long for the system: treated as absent
                another = os.path.exists(here)  # noqa: PTH110
                self._inside[folder] = another or self._inside[above]
                self._modules[folder] = folder if another and here.is_file() else self._modules[above]
                beyond = self._of_another(folder) if another else beyond
            rules = _git_rules(self._root / folder / GITIGNORE, folder) if self._inside[folder] else None
            own = (_Scope("", len(folder) + bool(folder), rules),) if rules else ()
            known = self._scopes[folder] = own + beyond
        return known

    def _of_another(self, folder: str) -> tuple[_Scope, ...]:
        """Rules other than `.gitignore` for a nested repository, such as a submodule."""
        git, cut = self._root / folder / GIT, len(folder) + 1
        with suppress(OSError):  # in a submodule, `.git` is a file with the path of its git directory
            git = git.parent / git.read_text("utf-8", "replace").partition("gitdir:")[2].strip()
        files = (git / "info" / "exclude", _global_excludes())
        return tuple(_Scope("", cut, rules) for file in files if (rules := _git_rules(file)))


class Ignore:
    """Decides for single paths, assuming that the folders above were not ignored."""

    def __init__(
        self,
        patterns: Iterable[str | Pattern] = BUILT_IN,
        problems: tuple[Problem, ...] = (),
        git: Git | None = None,
    ) -> None:
        """`problems`: patterns and files that could not be used; `walk` yields them."""
        self.problems = problems
        self._own = Rules(patterns)
        self._git = git

    @classmethod
    def of(cls, root: Path, configured: Sequence[str] = (), *, git: bool = True) -> Ignore:
        """The rules for a root: git's, the built-in ones, `configured`, then its own ignore files.

        An invalid pattern or an unreadable file becomes a problem; the rest applies. Remote storage has
        no repository, and so no git rules. Raises `StoreError` if the storage does not respond.
        """
        patterns = [Pattern(text, BUILT_IN_LIST) for text in BUILT_IN]
        own, problems = _own(root)
        for name, lines in [(CONFIGURED_LIST, configured), *own]:
            for number, line in enumerate(lines, start=1):
                if _is_valid(line):
                    patterns.append(Pattern(line, name, number))
                else:
                    shown = line.strip()[:LONGEST_SHOWN]
                    problems.append(Problem(name, f"line {number} is not an ignore pattern: {shown}"))
        return cls(patterns, tuple(problems), Git(root) if git else None)

    def file(self, path: str) -> bool:
        """Whether the file at this path (relative to the root, with `/`) is ignored."""
        return self._ignores(path, folder=False)

    def keeps(self, path: str) -> bool:
        """Whether one of our own rules (not git's) explicitly includes this file with a `!` pattern."""
        return self._own.ignores(path, folder=False) is False

    def submodule(self, path: str) -> str:
        """The git submodule that contains a file, or ""."""
        return self._git.submodule(path.rpartition("/")[0]) if self._git else ""

    def folder(self, path: str) -> bool:
        """Whether the folder at this path is ignored, with everything in it."""
        return path.rpartition("/")[2].startswith(HIDDEN) or self._ignores(path, folder=True)

    def _ignores(self, path: str, *, folder: bool) -> bool:
        said = self._own.ignores(path, folder=folder)
        if said is None and self._git is not None:
            return self._git.ignores(path, folder=folder)
        return bool(said)

    def why(self, path: str) -> str:
        """Explain which rule ignores the file at this path, or a folder above it; "" if none does."""
        parts = path.split("/")
        above = ["/".join(parts[:depth]) for depth in range(1, len(parts))]
        folder = next((one for one in above if self.folder(one)), "")
        if folder and folder.rpartition("/")[2].startswith(HIDDEN):
            return f"the folder {folder} is hidden: folders that begin with . or _ are not read"
        if not folder and not self.file(path):
            return ""
        rule = self._deciding(folder or path, folder=bool(folder))
        place = f"{rule.source}, line {rule.line}" if rule.line else rule.source
        return (
            f"the rule {rule.text.strip()} ({place}) leaves out {f'the folder {folder}' if folder else 'it'}"
        )

    def _deciding(self, path: str, *, folder: bool) -> Pattern:
        own = self._own.ignores(path, folder=folder) is not None or self._git is None
        rules = self._own if own else self._git
        assert rules
        return rules.deciding(path, folder=folder)


def _own(root: Path) -> tuple[list[tuple[str, list[str]]], list[Problem]]:
    """The lines of a root's ignore files with their names, and a problem for each unreadable file."""
    found, problems = [], []
    with Tree(root) as tree:
        for name in FILES:
            try:
                with tree.open(tree.inner(name)) as file:
                    found.append((name, file.read(LARGEST).decode("utf-8-sig", "replace").split("\n")))
            except FileNotFoundError:
                continue
            except OSError as error:
                problems.append(Problem(name, f"cannot be read: {error.strerror}", "failed"))
    return found, problems


def _git_rules(file: Path, folder: str = "") -> Rules | None:
    """The rules in one of git's ignore files; None if it is missing or unreadable."""
    try:
        if file.is_symlink():  # git does not follow it either
            return None
        lines = file.read_bytes().decode("utf-8-sig", "replace").split("\n")
    except OSError:
        return None
    name = f"{folder}/{file.name}" if folder else file.name
    return Rules(Pattern(line, name, number) for number, line in enumerate(lines, 1) if _is_valid(line))


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


def _is_valid(line: str) -> bool:
    """Whether a line is a valid pattern, or none (a comment)."""
    try:
        rule = _rule(line) if len(line) <= LONGEST else None
        if rule and "[" in line:  # without brackets, the translation always compiles
            re.compile(rule.regex)
    except (GitIgnorePatternError, re.error):
        return False
    return len(line) <= LONGEST


@lru_cache(maxsize=1 << 12)
def _rule(line: str) -> _Rule | None:
    """Parse a line into a rule; None for a comment or a blank line. Raises `GitIgnorePatternError`."""
    pattern = line.rstrip("\r\n")
    pattern = pattern if pattern.endswith("\\ ") else pattern.rstrip()
    bare = pattern.rstrip("/")
    regex, ignores = GitIgnoreSpecPattern.pattern_to_regex(bare)
    if regex is None or ignores is None:
        return None
    return _Rule(_direct(str(regex).replace(_BELOW, r"\Z")), ignores, folders_only=bare != pattern)


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


def _layers(rules: Sequence[_Rule]) -> tuple[_Layer, ...]:
    """Rules from last to first; adjacent rules with the same effect are merged into one regex."""
    return tuple(
        _Layer(re.compile("|".join(dict.fromkeys(f"(?:{rule.regex})" for rule in group)), re.DOTALL), ignores)
        for ignores, group in groupby(reversed(rules), key=lambda rule: rule.ignores)
    )
