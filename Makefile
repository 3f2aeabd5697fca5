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

.PHONY: run test check lint format docs release lowest pythons pictures evidence help
help:
	@echo "make run    the pipeline on a Cart Pole with 3 noise variables, to a smaller agent and a report"
	@echo "make test   all checks: lint, types, layers, tests, doctests"
	@echo "make check  the inner loop, under a minute: lint, types, layers, the fastest tests"
	@echo "make lint   the checks without the tests"
	@echo "make format put the code into its standard form"
	@echo "make docs   the site, in build/site; opens from disk, with search"
	@echo "make release   wheel and source archive, checked and tried in an empty environment"
	@echo "make lowest    the tests of the core with the lowest supported versions"
	@echo "make pythons   the same with every supported Python that is installed"
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

# Modules that answer in a few seconds, one of each room: for the inner loop, not instead of `make test`.
QUICK := tests/test_docs.py tests/test_errors.py tests/test_options.py tests/test_records.py tests/test_store.py \
	tests/trajectories/test_data.py tests/entropy/test_counting.py tests/selection/test_algorithm_1.py \
	tests/cli/test_main.py

check: $(READY_TO_CHECK)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy & $(BIN)/python -m pytest -q $(QUICK) && wait $$!
	$(BIN)/lint-imports

# Tests of what the core alone does; polars, Minari and the order in which an old pyarrow makes records are not ours.
CORE := tests/trajectories tests/figures tests/environments tests/cli/test_select.py tests/cli/test_report.py \
	tests/cli/test_doctor_example.py tests/test_sklearn.py tests/test_errors.py tests/test_fuzz.py
NOT_CORE := polars or lazy or nested or minari or Minari or Bipedal or Lunar

CORE_TESTS = rm -rf build/lib && build/$(1)/bin/python -m pytest -q -p no:cacheprovider $(CORE) -k "not ($(NOT_CORE))"
CORE_ONLY = build/$(1)/bin/python -m pip install --quiet --disable-pip-version-check --constraint $(2) . \
	pytest hypothesis polars h5py

lowest: lowest.txt
	$(PYTHON) -m venv build/lowest
	$(call CORE_ONLY,lowest,lowest.txt)
	$(call CORE_TESTS,lowest)

# Each interpreter that is on the PATH, beside the one of .venv.
pythons: $(addprefix on-,python3.11 python3.12 python3.13)
on-%:
	@command -v $* >/dev/null || { echo "$* is not on the PATH: not tested"; exit 0; }; \
	$* -m venv build/$* && $(call CORE_ONLY,$*,constraints.txt) && $(call CORE_TESTS,$*)

release: $(READY)
	$(PIP) build twine
	.ci/release

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
