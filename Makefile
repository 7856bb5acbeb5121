# Every target sets up what it needs by itself; a second run does no work twice.
#
#   make demo     validate the vPE upstream model on this machine: measured beside predicted
#   make test     every test: native ones with ctest, the rest with pytest
#   make bench    the project's numbers against their goals, into build/bench.json
#   make lint     formatters, type checker, static analysis
#   make setup    only the set-up (Debian packages, .venv, native build)
#   make clean    throw the build and the caches away; runs/ stays

SHELL := /bin/bash
PYTHON_BIN := .venv/bin/python
PYTEST_ARGS ?=

.PHONY: demo test bench lint setup clean

demo:
	@tools/setup.sh run
	.venv/bin/planecast validate studies/vpe-upstream.yaml

setup:
	@tools/setup.sh dev

test: setup
	@if [ -f build/native/CTestTestfile.cmake ]; then \
	    ctest --test-dir build/native --output-on-failure --no-tests=ignore; fi
	$(PYTHON_BIN) -m pytest $(PYTEST_ARGS)

bench:
	@tools/setup.sh bench
	$(PYTHON_BIN) benchmarks/run.py

lint: setup
	@tools/lint.sh

clean:
	rm -rf build .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
