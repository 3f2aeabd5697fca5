# Everything happens in .venv of this checkout, made on first use; nothing needs to be installed by hand.
SHELL := /bin/bash
PYTHON ?= $(shell for name in python3.11 python3.12 python3.13 python3; do \
	$$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$name; break; }; done)
BIN := .venv/bin
PIP := PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check
# What a run needs, and what the checks need beyond it.
READY := .venv/ready
READY_TO_CHECK := .venv/ready-to-check
READY_TO_WRITE := .venv/ready-to-write

# Small networks gain nothing from many threads and lose much on a busy machine.
export OMP_NUM_THREADS := 1
export MKL_NUM_THREADS := 1

.PHONY: run test lint format docs pictures evidence help
help:
	@echo "make run    the pipeline on a Cart Pole with 3 noise variables, to a smaller agent and a report"
	@echo "make test   all checks: lint, types, layers, tests, doctests"
	@echo "make lint   the checks without the tests"
	@echo "make format put the code into its standard form"
	@echo "make docs   the site, in build/site; opens from disk, with search"
	@echo "make pictures   the pictures of the site, anew"
	@echo "make evidence   every file of results, anew: hours, see the page Evidence"

run: $(READY)
	$(BIN)/terc run CartPole-v1 --noise 3 --seeds 2 --calls 2000 --out runs/cartpole

test: lint
	$(BIN)/python -m pytest -q -n 2 --dist loadfile terc tests

lint: $(READY_TO_CHECK)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY_TO_CHECK)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The notice of mkdocs-material about other people's plans is no warning about our pages.
docs: $(READY_TO_WRITE)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

pictures: $(READY_TO_CHECK)
	$(BIN)/python website/pictures.py

evidence: $(READY_TO_CHECK)
	$(BIN)/python benchmarks/measurements.py --run

$(READY): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "terc needs Python 3.11 or newer on the PATH, none was found." >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(PIP) --editable .
	touch $@

# torch first and at its pin: left to choose, pip may take a build with gigabytes of GPU packages.
$(READY_TO_CHECK): $(READY)
	$(PIP) "$$(grep '^torch==' constraints.txt)"
	$(PIP) --editable '.[dev]'
	touch $@

$(READY_TO_WRITE): $(READY)
	$(PIP) --editable '.[docs]'
	touch $@
