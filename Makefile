# What to type: make install, make test, make demo, make lint; the rest is below, one line each.
PYTHON ?= python3
VENV   ?= .venv
RUNS   ?= 1000000
PYTEST_OPTIONS ?=

BIN     := $(VENV)/bin
PIP     := $(BIN)/python -m pip --disable-pip-version-check
INSTALL := $(PIP) install --quiet
find     = $(shell find $(1) -type f ! -name '*.pyc' ! -name '*.so' ! -name '*.dylib' 2>/dev/null)
SOURCES := pyproject.toml CMakeLists.txt $(call find,src native)
DEV     := $(VENV)/.symbed-dev
DEMO    := $(VENV)/.symbed-demo
BENCH   := $(VENV)/.symbed-bench

.PHONY: help install test slow demo docs lint format bench reproduce fuzz sanitize native clean

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 12

install: $(DEV)  ## symbed with all extras, the laboratory and the tools, into .venv

test: $(DEV)  ## the test suite; its last line names what could not be tested
	@bash tools/install_test_programs.sh
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist worksteal $(PYTEST_OPTIONS)

slow: $(DEV)  ## the tests that take more than a few seconds
	$(BIN)/python -m pytest -m slow

demo: $(DEMO)  ## compare, group and search a shipped set of formulas, and draw the result
	$(BIN)/python examples/demo.py --output build/demo

docs: $(DEV)  ## the documentation site, into build/docs
	$(BIN)/python -m sphinx -W --keep-going -n -q -b html -d build/doctrees docs build/docs

lint: $(DEV)  ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(DEV)  ## let ruff mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

BENCHMARKS := startup accuracy vs_reference matrix nearest duplicates separation grammar tree_edit fitting

bench: $(BENCH)  ## the benchmarks that print ratios; BENCHMARKS="matrix nearest" for some
	@for name in $(BENCHMARKS); do \
	  echo "== $$name"; $(BIN)/python -m benchmarks.$$name || failed="$$failed $$name"; \
	done; test -z "$$failed" || { echo "goals missed in:$$failed"; exit 1; }

reproduce: $(DEV)  ## the paper's experiments at its scale (an hour), and their page in docs; EXPRESSIONS=folder
	$(BIN)/symbed reproduce all --scale paper $(if $(EXPRESSIONS),--expressions $(EXPRESSIONS)) -o results
	$(BIN)/python reproduction/tools/publish.py results docs/reproduction

fuzz: $(DEV)  ## random texts against the parser; RUNS=1000000
	$(BIN)/python -m tests.fuzz.parser_fuzz --runs $(RUNS)

sanitize: $(DEV)  ## the native core under AddressSanitizer and UBSan
	PATH="$(abspath $(BIN)):$$PATH" bash tools/sanitize.sh

native: $(DEV)  ## the native core built in place, for work with PYTHONPATH=src
	$(BIN)/cmake -S . -B build/native -G Ninja -DCMAKE_BUILD_TYPE=Release \
	  -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja
	$(BIN)/cmake --build build/native
	$(BIN)/cmake --install build/native --prefix src

clean:  ## everything that a command here made, .venv included
	rm -rf $(VENV) build dist .coverage .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -f src/symbed/engine/*.so src/symbed/engine/*.dylib
	find src reproduction tests benchmarks examples -name __pycache__ -type d -prune -exec rm -rf {} +

# Installed, not linked to the sources: what is tested is what a user gets. A changed source
# makes the stamp old, and the next command installs again.
$(DEV): $(SOURCES) $(call find,reproduction/pyproject.toml reproduction/src) | $(BIN)/python
	@echo "installing symbed and its tools into $(VENV)"
	@$(INSTALL) '.[all,dev]' ./reproduction
	@touch $(DEMO) $@

$(DEMO): $(SOURCES) | $(BIN)/python
	@echo "installing symbed into $(VENV)"
	@$(INSTALL) '.[plot]'
	@touch $@

$(BENCH): $(DEV)
	@echo "installing the reference implementation into $(VENV)"
	@$(INSTALL) '.[benchmark]'
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "symbed needs Python 3.11 or newer, $(PYTHON) is not; try: make PYTHON=python3.12" >&2; \
	  exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "$(PYTHON) has no venv module; on Debian and Ubuntu: apt-get install python3-venv" >&2; \
	  exit 1; }
	@$(PYTHON) -m venv $(VENV)
