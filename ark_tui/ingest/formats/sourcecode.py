"""Source code, chunked by functions and classes."""

from __future__ import annotations

from dataclasses import replace

from ark_tui.domain.documents import Draft
from ark_tui.domain.titles import file_title
from ark_tui.ingest.chunk.symbols import missing
from ark_tui.ingest.formats.file import File

UNCUT = "cut at blank lines; ark-tui[code] has it cut by its functions"

# Languages without a grammar in `chunk.symbols` are split at blank lines.
LANGUAGES = {
    suffix: language
    for language, suffixes in {
        "python": ".py .pyi .pyw",
        "javascript": ".js .mjs .cjs .jsx",
        "typescript": ".ts .mts .cts",
        "tsx": ".tsx",
        "rust": ".rs",
        "go": ".go",
        "java": ".java",
        "c": ".c .h",
        "cpp": ".cc .cpp .cxx .hpp .hh .hxx .ipp",
        "bash": ".sh .bash .zsh",
        "csharp": ".cs",
        "css": ".css .scss .less",
        "dart": ".dart",
        "elixir": ".ex .exs",
        "erlang": ".erl .hrl",
        "fsharp": ".fs .fsx",
        "haskell": ".hs",
        "julia": ".jl",
        "kotlin": ".kt .kts",
        "lisp": ".el .lisp .clj .cljs .scm",
        "lua": ".lua",
        "nim": ".nim",
        "ocaml": ".ml .mli",
        "perl": ".pl .pm",
        "php": ".php",
        "powershell": ".ps1 .psm1",
        "proto": ".proto",
        "r": ".r",
        "ruby": ".rb",
        "scala": ".scala",
        "sql": ".sql",
        "svelte": ".svelte",
        "swift": ".swift",
        "terraform": ".tf",
        "vue": ".vue",
        "zig": ".zig",
        "toml": ".toml",
        "yaml": ".yaml .yml",
        "ini": ".ini .cfg .conf",
        "xml": ".xml .xsl .xsd",
    }.items()
    for suffix in suffixes.split()
}
NAMES = {"Makefile": "make", "Dockerfile": "docker", "Jenkinsfile": "groovy", "CMakeLists.txt": "cmake"}
INTERPRETERS = {"python": "python", "bash": "bash", "sh": "bash", "zsh": "bash", "node": "javascript"}


def language(name: str, head: str) -> str:
    """The programming language of a file, by name, else by its `#!` line; else ""."""
    if name in NAMES:
        return NAMES[name]
    stem, _, suffix = name.rpartition(".")
    if stem:
        return LANGUAGES.get(f".{suffix.lower()}", "")
    return _interpreter(head.partition("\n")[0])


def read(file: File) -> tuple[Draft, ...]:
    """One document of type `code`, titled by its file name."""
    spoken = language(file.name, file.text[:200])
    draft = file.draft(spoken, file.text, file.chunk(file.text, language=spoken), type="code")
    notices = (*file.notices, UNCUT) if missing(spoken) else file.notices
    return (replace(draft, title=file_title(file.path), links=(), notices=notices),)


def _interpreter(line: str) -> str:
    words = line.removeprefix("#!").replace("/", " ").split() if line.startswith("#!") else []
    names = (word.rstrip("0123456789.") for word in words)
    return next((INTERPRETERS[name] for name in names if name in INTERPRETERS), "")
