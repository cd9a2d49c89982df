# Every target makes what it needs: a virtual environment in .venv and the package installed in it.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
CXX_FILES = $(shell find core src -name '*.hpp' -o -name '*.cpp')
SOURCES = $(CXX_FILES) $(shell find src -name '*.py' -o -name py.typed) CMakeLists.txt pyproject.toml
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: help demo test lint tidy docs format bench speed-guard asan clean

help:
	@echo 'make demo    learn tags from the docstrings on this machine and show what trees cost'
	@echo 'make test    run the tests'
	@echo 'make lint    ruff, mypy --strict, import-linter, clang-format'
	@echo 'make tidy    clang-tidy over the C++ sources'
	@echo 'make docs    build the pages of docs/ and the reference into build/site'
	@echo 'make bench   time the kernels, and compare labeltree with other systems on EURLex-4K'
	@echo 'make speed-guard  fail if a kernel needs over 2 % more instructions (valgrind)'
	@echo 'make asan    run the tests with the core under AddressSanitizer'
	@echo 'make format  rewrite the sources in house format'

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(SOURCES) README.md | $(BIN)/python
	$(PIP) '.[test,lint]'
	@touch $@

demo: $(VENV)/installed
	$(BIN)/labeltree demo --output demo

test: $(VENV)/installed
	$(BIN)/python -m pytest -q
	$(BIN)/python -m pytest -q --pyargs labeltree --doctest-modules --ignore-glob='*/annif/[bc]*.py'

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy -p labeltree
	PYTHONPATH=src $(BIN)/lint-imports --no-logo
	$(BIN)/clang-format --dry-run --Werror $(CXX_FILES)

# clang-tidy needs the commands of a build, but no build; what differs between files is in .clang-tidy.
tidy: | $(BIN)/python
	$(PIP) 'clang-tidy>=18' 'cmake>=3.20' ninja 'nanobind>=2.4'
	$(BIN)/cmake -S . -B build/tidy -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) \
	  -DPython_EXECUTABLE=$(abspath $(BIN)/python) -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
	printf '%s\n' $(filter %.cpp,$(CXX_FILES)) | xargs -P "$$(nproc)" -n 4 $(BIN)/clang-tidy -p build/tidy --quiet

$(VENV)/docs: $(SOURCES) README.md | $(BIN)/python
	$(PIP) '.[test,lint,docs]'
	@touch $(VENV)/installed $@

docs: $(VENV)/docs
	$(BIN)/mkdocs build --quiet
	@echo 'open build/site/index.html'

format: $(VENV)/installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CXX_FILES)

# Other systems are installed below build/rivals; one that fails is reported and the rest continues.
# For a part: make bench RIVALS='--systems labeltree omikuji --repeats 1'
bench: $(VENV)/installed
	$(BIN)/python -m benchmarks.speed times --compare
	$(BIN)/python -m benchmarks.rivals --output benchmarks/results/rivals-eurlex-4k.json $(RIVALS)
	$(BIN)/python -m benchmarks.pages write rivals

# Counts do not depend on the load of the machine. After a change that is meant to cost more:
# python -m benchmarks.speed instructions --update
speed-guard: $(VENV)/installed
	$(BIN)/python -m benchmarks.speed instructions --compare

# The interpreter is not instrumented, so the runtime is preloaded; leaks are the interpreter's own.
asan: | $(BIN)/python
	$(PYTHON) -m venv .venv-asan
	.venv-asan/bin/python -m pip install --quiet --disable-pip-version-check '.[test]' \
	  -Ccmake.define.LABELTREE_SANITIZE=ON -Cbuild-dir=build/asan
	LD_PRELOAD="$$($(or $(CXX),g++) -print-file-name=libasan.so) $$($(or $(CXX),g++) -print-file-name=libubsan.so)" \
	  ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1 .venv-asan/bin/python -m pytest -q -p no:cacheprovider

clean:
	rm -rf build dist demo .venv .venv-asan
