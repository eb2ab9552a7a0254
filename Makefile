# Two commands: `make check` sets everything up and checks the route against real source; `make test` tests.
# Everything comes from the package index that pip is configured to use; no git host is needed.

PYTHON ?= python3
VENV ?= .venv
UPSTREAMS ?= vllm lmcache
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: check test quality schemas lock-requirements clean

# Drift is a result, not a failure: annot's exit code 1 is fine here. A gate uses `annot check` itself.
check: $(VENV)/.installed
	$(BIN)/annot sync $(UPSTREAMS)
	$(BIN)/annot check $(UPSTREAMS:%=--upstream %) || test $$? -eq 1

test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n auto $(TESTS)

quality: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/annot lint

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: requirements/base.txt pyproject.toml | $(VENV)/bin/python
	$(INSTALL) --require-hashes -r requirements/base.txt
	$(INSTALL) --no-deps --no-build-isolation --editable .
	touch $@

$(VENV)/.installed-dev: requirements/dev.txt pyproject.toml | $(VENV)/bin/python
	$(INSTALL) --require-hashes -r requirements/dev.txt
	$(INSTALL) --no-deps --no-build-isolation --editable .
	touch $@ $(VENV)/.installed

# Versions and hashes of everything that is installed. Needs uv.
COMPILE := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	--no-emit-index-url --no-annotate pyproject.toml requirements/build.in
lock-requirements:
	$(COMPILE) --output-file requirements/base.txt
	$(COMPILE) --extra dev --output-file requirements/dev.txt
	$(COMPILE) --extra site --output-file requirements/site.txt

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
