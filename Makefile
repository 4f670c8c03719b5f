# make demo | test | lint | bench | fuseki. Nothing but Python 3.11 or newer is needed; everything is installed into .venv.

PYTHON ?= python3
# Two workers; `make test PYTEST_ARGS="-n 0 tests/unit"` runs a part in one process.
PYTEST_ARGS ?= -n 2
# Options of docker/fuseki; `make fuseki FUSEKI_ARGS=--help` lists them.
FUSEKI_ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
PINS := pyproject.toml constraints.txt

.DELETE_ON_ERROR:
.PHONY: help demo test lint bench fuseki clean

help:
	@echo "make demo    install, and judge the cases that ship with judgeloop"
	@echo "make test    install what tests need, and run all of them"
	@echo "make lint    style, types, floors and queries"
	@echo "make bench   benchmarks against peers"
	@echo "make fuseki  a SPARQL server with text search on this machine (Java 21, Maven)"
	@echo "make clean   remove .venv and what was built"

demo: $(VENV)/.demo
	@$(BIN)/judgeloop demo

test: $(VENV)/.test
	@$(BIN)/python -m pytest $(PYTEST_ARGS)

lint: $(VENV)/.test
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/judgeloop query sparql --lint --strict --lang en

bench: $(VENV)/.test
	@set -e; found=; for script in tests/bench/bench_*.py; do \
	  test -f "$$script" || continue; found=yes; $(BIN)/python "$$script"; done; \
	test -n "$$found" || echo "no benchmark yet: tests/bench/ holds no bench_*.py"

fuseki: $(VENV)/.test
	@docker/fuseki $(FUSEKI_ARGS)

clean:
	rm -rf $(VENV) dist build

# Both install in place, so that a changed source or world is in effect at once and only changed pins install again.
$(VENV)/.demo: $(PINS) $(VENV)/.made
	@echo "installing judgeloop into $(VENV) (once)"
	@$(PIP) install --constraint constraints.txt --editable .
	@touch $@

$(VENV)/.test: $(PINS) $(VENV)/.made
	@echo "installing judgeloop and its test extra into $(VENV) (once)"
	@$(PIP) install --constraint constraints.txt --editable '.[test]'
	@touch $@ $(VENV)/.demo

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "judgeloop needs Python 3.11 or newer, and $(PYTHON) is not; name one: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@touch $@
