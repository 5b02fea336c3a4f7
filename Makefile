# From nothing but python3 (3.11 or later), make and a package registry: `make run`, `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet install
LOCKED := $(PIP) --require-hashes --only-binary :all: --requirement
ITSELF := $(PIP) --no-deps --no-build-isolation --no-index --editable .
LOCK := $(BIN)/uv --quiet pip compile pyproject.toml --group build --universal --python-version 3.11 \
  --generate-hashes --no-annotate --custom-compile-command 'make lock'
WORKERS ?= 2
SAMPLE := .sample-home
REPORT := $(SAMPLE)/report
QUESTION := why does a spectral gap bound the mixing time

.DEFAULT_GOAL := help
.PHONY: help run test lint types contracts tests bench soak ollama snapshots reports pictures manual lock \
  licences clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: $(VENV)/.installed ## open the workbench over the sample notes, in a home of their own
	@$(BIN)/ark-tui --home $(SAMPLE) index assets/sample
	@if [ -t 0 ] && [ -t 1 ]; then $(BIN)/ark-tui --home $(SAMPLE); else $(MAKE) --no-print-directory glimpse; fi

.PHONY: glimpse
glimpse: # what `run` shows where there is no terminal: a search with its breakdown, and a report
	@$(BIN)/ark-tui --home $(SAMPLE) search $(QUESTION) -n 3 --explain
	@echo "Without a terminal there is no workbench; a report of the sample notes:" >&2
	@for form in md html; do $(BIN)/ark-tui --home $(SAMPLE) --export $(REPORT).$$form \
	  --report overview --report search --report analysis --query '$(QUESTION)'; done

test: lint types contracts tests ## everything that must hold: lint, types, import contracts, tests

lint: $(VENV)/.ready ## ruff: style and formatting
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet .

types: $(VENV)/.ready ## mypy, strict
	@$(BIN)/mypy

contracts: $(VENV)/.ready # who may import whom
	@$(BIN)/lint-imports --no-logo 2>/dev/null || $(BIN)/lint-imports

tests: $(VENV)/.ready # the test suite alone
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -q

bench: $(VENV)/.ready ## the benchmarks, each printing its ratio
	@$(BIN)/python -m benchmarks

soak: $(VENV)/.ready ## the long trials: kill -9 while indexing, two processes, random keys, fuzzed inputs
	@$(BIN)/python -m pytest -q -m soak

ollama: $(VENV)/.ready ## trials against the server that OLLAMA_HOST names, with whatever models it has
	@LIVE_OLLAMA="$${OLLAMA_HOST:-127.0.0.1:11434}" $(BIN)/python -m tests.ollama

snapshots: $(VENV)/.ready ## take the workbench's frames in snapshots/ anew; look at the diff
	@$(BIN)/python -m pytest -q tests/tui --snapshot-update

reports: $(VENV)/.ready ## take the reports in tests/reports/golden anew; look at the diff
	@$(BIN)/python -m pytest -q tests/reports/test_golden.py --snapshot-update

pictures: $(VENV)/.ready ## take the README's pictures anew
	@$(BIN)/python assets/pictures.py

manual: $(VENV)/.ready ## write build/manual: commands (Markdown, man page), keys; and the settings in docs
	@mkdir -p build/manual
	@$(BIN)/python .ci/manual.py commands > build/manual/commands.md
	@$(BIN)/python .ci/manual.py man > build/manual/ark-tui.1
	@$(BIN)/python .ci/manual.py settings docs/configuration.md
	@$(BIN)/python -c 'from ark_tui.interfaces.tui.state.actions import key_list; print(key_list(), end="")' > build/manual/keys.md

lock: $(VENV)/.ready ## write constraints*.txt: versions, as they are where they fit, and the hashes of all files
	@$(LOCK) --output-file constraints.txt > /dev/null
	@$(LOCK) --extra dev --constraint constraints.txt --output-file constraints-dev.txt > /dev/null

licences: $(VENV)/.ready ## the licences of what is installed
	@$(BIN)/python .ci/licences.py

clean: ## remove the sample's home, caches and builds; .venv stays
	@rm -rf $(SAMPLE) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	@find ark_tui tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "ark-tui needs Python 3.11 or later; name one: make PYTHON=python3.12 …" >&2; exit 2; }
	@echo "Making $(VENV) …" >&2
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Installing ark-tui …" >&2
	@$(LOCKED) constraints.txt
	@$(ITSELF)
	@touch $@

$(VENV)/.ready: pyproject.toml constraints-dev.txt | $(VENV)/bin/python
	@echo "Installing ark-tui and the tools of its developers …" >&2
	@$(LOCKED) constraints-dev.txt
	@$(ITSELF)
	@touch $@ $(VENV)/.installed
