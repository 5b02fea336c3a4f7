"""Source code by its functions and classes (I9)."""

from __future__ import annotations

import pytest

from ark_tui.ingest.chunk.symbols import GRAMMARS
from tests.ingest.conftest import ReadText

SOURCES = {
    "python": (
        "a.py",
        "import os\n\n\nclass Store:\n    def commit(self):\n        return os\n\n\ndef main():\n    pass\n",
    ),
    "javascript": (
        "a.mjs",
        "import x from 'y';\n\nexport class Store {\n  commit() {}\n}\nexport const main = () => 1;\n",
    ),
    "typescript": (
        "a.ts",
        "import x from 'y';\n\nexport class Store {\n  commit(): void {}\n}\nfunction main() {}\n",
    ),
    "tsx": ("a.tsx", "import x from 'y';\n\nclass Store {\n  commit() {}\n}\nconst main = () => <a>b</a>;\n"),
    "rust": ("a.rs", "use std::fs;\n\nimpl<T> Store<T> {\n    fn commit(&self) {}\n}\nfn main() {}\n"),
    "go": ("a.go", 'package a\nimport "b"\n\nfunc (s *Store[K]) commit() {}\n\nfunc main() {}\n'),
    "java": ("A.java", "import a.b;\nclass Store {\n  void commit() {}\n}\nclass main {}\n"),
    "c": ("a.h", "#include <a.h>\n\nint *commit(void) { return 0; }\n\nint main() { return 1; }\n"),
    "cpp": (
        "a.cc",
        "#include <a>\n\nvoid Store::commit() {}\n\ntemplate <class T> int main() { return 1; }\n",
    ),
    "bash": ("a.sh", "set -eu\n\ncommit() { :; }\n\nfunction main { :; }\n"),
    "ruby": ("a.rb", "require 'b'\n\nclass Store\n  def commit\n  end\nend\n\ndef main\nend\n"),
    "csharp": ("A.cs", "using B;\n\nclass Store {\n  void Commit() {}\n}\nclass main {}\n".replace("C", "c")),
    "php": ("a.php", "<?php\nuse B;\n\nclass Store {\n  function commit() {}\n}\nfunction main() {}\n"),
    "kotlin": ("a.kt", "import b.c\n\nclass Store {\n  fun commit() {}\n}\nfun main() {}\n"),
    "lua": ("a.lua", "local b = require 'b'\n\nfunction Store:commit() end\n\nlocal function main() end\n"),
    "swift": ("a.swift", "import B\n\nclass Store {\n  func commit() {}\n}\nfunc main() {}\n"),
}


@pytest.mark.parametrize("language", GRAMMARS)
def test_functions_and_methods_are_chunks_under_their_qualified_names(read: ReadText, language: str) -> None:
    draft = read(SOURCES[language][1], SOURCES[language][0])
    names = [c.heading for c in draft.chunks]

    assert names == ["", "commit" if language in ("c", "bash") else "Store.commit", "main"]
    assert [c.kind for c in draft.chunks] == ["code", "symbol", "symbol"]
    assert {c.language for c in draft.chunks} == {language}
    assert (draft.type, draft.title, draft.titled) == ("code", SOURCES[language][0], False)


def test_decorators_and_comments_go_with_what_they_stand_before(read: ReadText) -> None:
    source = (
        "x = compute(1, 2)\n\n# A lone remark.\n\n# Why it is\n# so.\n@cache\ndef f():\n    pass  # here\n"
    )
    draft = read(source, "a.py")

    assert [(c.heading, c.start_line, c.end_line) for c in draft.chunks] == [("", 1, 3), ("f", 5, 9)]


def test_what_a_class_says_outside_its_methods_has_the_name_of_the_class(read: ReadText) -> None:
    source = (
        'class A(B):\n    """Says what it is for."""\n\n    x: int = 1\n\n'
        "    def f(self):\n        def inner(): ...\n\n    class C:\n        def g(self): ...\n"
    )

    assert [(c.heading, c.start_line) for c in read(source, "a.py").chunks] == [
        ("A", 1),
        ("A.f", 6),
        ("A.C.g", 9),
    ]


def test_functions_inside_a_condition_or_a_namespace_are_chunks_too(read: ReadText) -> None:
    script = "set -eu\n\nif complete; then\n  finish() {\n    echo done\n  }\nfi\n"
    assert "finish" in [c.heading for c in read(script, "a.sh").chunks]

    header = "<?php\nnamespace App;\nuse B;\n\n"
    methods = "class Store {\n  function commit() {}\n}\n"
    assert [c.heading for c in read(header + methods, "a.php").chunks] == ["", "Store.commit"]
    around = f"<?php\nnamespace App {{\n\n{methods}}}\n"
    assert [c.heading for c in read(around, "a.php").chunks][-1] == "App.Store.commit"


def test_a_long_function_is_cut_and_every_part_has_its_name(read: ReadText) -> None:
    source = "def long():\n" + "".join(f"    step_{n}(one, two, three)\n" for n in range(1000))
    draft = read(source, "a.py")

    assert len(draft.chunks) > 3
    assert {c.heading for c in draft.chunks} == {"long"}
    assert all(c.tokens <= 500 for c in draft.chunks)


def test_offsets_are_characters_also_behind_letters_of_several_bytes(read: ReadText) -> None:
    draft = read("# Größe 日本 🙂 at the top\nname = 'ü' + 'é'\n\ndef f():\n    return 'ß'\n", "a.py")

    assert draft.body[draft.chunks[1].start_char :].startswith("def f()")


def test_broken_code_is_still_cut_by_what_can_be_read(read: ReadText) -> None:
    draft = read("def good():\n    pass\n\ndef broken(:\n    pass\n\ndef fine():\n    pass\n", "a.py")

    assert {"good", "fine"} <= {c.heading for c in draft.chunks}


@pytest.mark.parametrize("name", ["a.rb", "a.sql", "Makefile", "a.toml", "Dockerfile"])
def test_languages_without_a_grammar_are_cut_at_blank_lines(read: ReadText, name: str) -> None:
    draft = read("\n\n".join(f"# no heading {n}\n" + "word " * 100 for n in range(9)), name)

    assert (draft.type, len(draft.chunks)) == ("code", 3)
    assert {c.heading for c in draft.chunks} == {""}


@pytest.mark.parametrize(
    "line", ["#!/usr/bin/env python3", "#!/usr/bin/python3.11 -u", "#! /usr/bin/env -S python"]
)
def test_a_script_without_suffix_is_known_by_its_first_line(read: ReadText, line: str) -> None:
    draft = read(f"{line}\ndef f(): ...\n", "script")

    assert (draft.type, draft.format) == ("code", "python")
    assert read("just text", "script").type == "note"
