# Each target sets up .venv/ in this checkout by itself; only Python 3.11+ and make are needed.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint check adapters perf readme clean help

help:
	@echo "make demo   the main job on the sample data, offline"
	@echo "make test   every test"
	@echo "make check  ruff, types, contracts, tests"
	@echo "make perf   the figures, measured on this machine"
	@echo "make adapters   each framework with all it needs (minutes, gigabytes); writes docs/adapters_result.md"

.venv/core: pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e . -c constraints.txt
	@touch $@

.venv/dev: pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev,train]" -c constraints.txt
	@touch $@ .venv/core

demo: .venv/core
	@$(BIN)/rationalerm demo

test: .venv/dev
	$(BIN)/python -m pytest -n auto

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint test

adapters: .venv/dev
	@$(BIN)/python tests/adapters/full.py

perf: .venv/dev
	$(BIN)/python perf/all.py

readme: .venv/dev
	$(BIN)/python docs/refresh.py

clean:
	rm -rf .venv .venv-adapters build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
