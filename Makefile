# Every target sets up what it needs by itself; a second run does no work twice.
#
#   make demo     validate the vPE upstream model on this machine: measured against predicted
#   make test     every test on every CPU: native ones with ctest, the rest with pytest
#   make bench    the project's numbers against their goals, into build/bench.json
#   make docs     the documentation site into build/site; any warning is an error
#   make fuzz-dataplane  20 million mutated packets through each network function, under sanitizers
#   make lint     formatters, type checker, static analysis
#   make setup    only the set-up (Debian packages, .venv, native build)
#   make clean    throw the build and the caches away; runs/ stays

SHELL := /bin/bash
PYTHON_BIN := .venv/bin/python
PYTEST_ARGS ?=
# One worker more than CPUs: live tests wait a third of their time.
ON_ALL_CPUS := -n $$(($$(nproc) + 1)) --dist worksteal

.PHONY: demo test bench docs fuzz-dataplane lint setup clean

demo:
	@tools/setup.sh run
	.venv/bin/planecast validate studies/vpe-upstream.yaml

setup:
	@tools/setup.sh dev

test: setup
	@if [ -f build/native/CTestTestfile.cmake ]; then \
	    ctest --test-dir build/native -j$$(nproc) --output-on-failure --no-tests=ignore; fi
	$(PYTHON_BIN) -m pytest $(ON_ALL_CPUS) $(PYTEST_ARGS)

bench:
	@tools/setup.sh bench
	OPENBLAS_NUM_THREADS=1 $(PYTHON_BIN) benchmarks/run.py

docs: setup
	NO_MKDOCS_2_WARNING=1 $(PYTHON_BIN) -m mkdocs build
	@echo "build/site/index.html"

MUTATED_PACKETS ?= 20000000
fuzz-dataplane: setup
	PLANECAST_MUTATED_PACKETS=$(MUTATED_PACKETS) \
	    $$(find build/native -name planecast-dataplane-test -type f) --gtest_filter='*Mutation*'

lint: setup
	@tools/lint.sh

clean:
	rm -rf build .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
