# Two commands: `make check` sets everything up and checks the route against real source; `make test` tests.
# Everything comes from the package index that pip is configured to use; no git host is needed.

PYTHON ?= python3
VENV ?= .venv
UPSTREAMS ?= vllm lmcache
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: check site test probes faults fuzz audit quality schemas lock-requirements lock-probes clean

# Drift is a result, not a failure: annot's exit code 1 is fine here. A gate uses `annot check` itself.
check: $(VENV)/.installed
	$(BIN)/annot sync $(UPSTREAMS)
	$(BIN)/annot check $(UPSTREAMS:%=--upstream %) || test $$? -eq 1

# The study as a web site: open build/site/index.html, or serve it with `annot site serve`.
site: $(VENV)/.installed-site
	$(BIN)/annot sync $(UPSTREAMS)
	$(BIN)/annot site build

test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n auto $(TESTS)

# Runs upstream's code: two releases as bare trees, then one release of each upstream with a real engine on the CPU. What a
# probe refutes is a failure, and so is one that fails. Where an environment cannot be had (exit code 3), it is skipped.
PROBED_SOURCES ?= v0.32.0 v0.33.0
PROBED_ENGINES ?= v0.32.0 v0.5.6 v0.3.13.post1
probes: $(VENV)/.installed
	$(BIN)/annot sync $(UPSTREAMS)
	$(BIN)/annot probe setup || test $$? -eq 3
	$(BIN)/annot probe setup --engine || test $$? -eq 3
	$(if $(PROBED_SOURCES),$(BIN)/annot probe --allow-skipped --engine none $(PROBED_SOURCES:%=--commit %))
	failed=0; for release in $(PROBED_ENGINES); do \
	  $(BIN)/annot probe --allow-skipped --engine cpu --commit $$release || failed=$$?; done; exit $$failed

# Kills, full disks, damaged repositories and damaged input of every kind, in their long form (make test has the short one).
faults: $(VENV)/.installed-dev
	mkdir -p build
	$(BIN)/python -m pytest -n 0 --long --junitxml=build/faults.xml tests/faults tests/fuzz tests/scale \
	  tests/outline/test_outline_robustness.py tests/store/test_yaml_source.py tests/upstream/test_sdist.py

# The same parsers under a fuzzer that watches coverage; SECONDS for each. Needs a platform that atheris has wheels for.
SECONDS ?= 60
FUZZED ?= notes outlines comparisons yaml studies archives targets
fuzz: $(VENV)/.installed-dev
	$(INSTALL) atheris
	for target in $(FUZZED); do \
	  $(BIN)/python -m tests.fuzz.coverage_guided $$target -max_total_time=$(SECONDS) || exit; done

# Known vulnerabilities of the locked versions. Where no vulnerability service answers, that is said, and is no failure.
audit: $(VENV)/.installed-dev
	$(BIN)/python .ci/audit.py

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

$(VENV)/.installed-site: requirements/site.txt pyproject.toml | $(VENV)/bin/python
	$(INSTALL) --require-hashes -r requirements/site.txt
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

# Environments for probes. torch is built by each index for itself, so that of the CPU is pinned by version only (setup
# installs it first, with what its build needs); media packages would not fit that build. FIND_LINKS may name a folder
# with such a build.
PROBES := uv pip compile --quiet --python-version 3.11 --generate-hashes --no-header --no-annotate \
	--no-emit-index-url --no-emit-find-links $(FIND_LINKS:%=--find-links %)
LINUX := --python-platform x86_64-manylinux_2_35
WITHOUT = $(1:%=--no-emit-package %) $$(sed -nE 's/^((nvidia|cuda|cupy)-[a-z0-9-]+|triton)==.*/--no-emit-package \1/p' \
	requirements/probes-engine-cuda.txt)
lock-probes:
	$(PROBES) $(LINUX) -o requirements/probes-engine-cuda.txt requirements/probes-engine-cuda.in
	$(PROBES) --universal -o requirements/probes-source.txt requirements/probes-source.in \
		$(call WITHOUT,torch)
	$(PROBES) $(LINUX) -o requirements/probes-engine-cpu.txt requirements/probes-engine-cpu.in \
		$(call WITHOUT,torch torchaudio torchcodec torchvision)

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
