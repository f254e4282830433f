# Every target makes .venv on demand; `make demo` and `make test` are all a newcomer needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test test-slow check fix bench docs clean

demo: $(STAMP)
	@$(BIN)/groundwire demo --out runs

test: $(STAMP)
	$(BIN)/python -m pytest tests -m "not slow" -n 2 --dist loadfile -q

test-slow: $(STAMP)
	$(BIN)/python -m pytest tests -m slow -q
	$(BIN)/python -m tests.mutants
	$(BIN)/python -m tests.tamper

check: $(STAMP)
	$(BIN)/ruff check src tests bench
	$(BIN)/ruff format --check src tests bench
	$(BIN)/mypy
	$(BIN)/pyright --level error
	$(BIN)/lint-imports --no-cache

fix: $(STAMP)
	$(BIN)/ruff check --fix src tests bench
	$(BIN)/ruff format src tests bench

bench: $(STAMP)
	$(BIN)/python -m bench

docs: $(STAMP)
	$(BIN)/python -m tests.generate_docs

clean:
	rm -rf $(VENV) .venv-legacy build dist runs

$(STAMP): requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(STAMP)
