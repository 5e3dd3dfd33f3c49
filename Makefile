# SPDX-License-Identifier: Apache-2.0

# The entry points. CMakePresets.json has the builds themselves; `cmake --preset release` works too.
PREFIX ?= /usr/local
.DEFAULT_GOAL := help
.PHONY: help setup setup-command setup-package setup-clinic setup-compare setup-mpi setup-wasm build demo test \
    test-room test-sanitizers test-threads test-mpi test-engine test-wasm test-long test-hours soak bench compare clinic playground docs \
    fuzz format lint install package clean

help:
	@echo "make demo              build, and see it find a bug"
	@echo "make test              all tests, optimised (FRESH=1: also where nothing has changed)"
	@echo "make test-room ROOM=   the tests of one folder, as measure or validate/wire: for a change that is being made"
	@echo "make test-sanitizers   all tests once more, with the address and undefined behaviour sanitizers"
	@echo "make test-threads      what starts threads, with the thread sanitizer"
	@echo "make test-mpi          many processes: lockkeeper-mpi under mpirun"
	@echo "make test-engine       the engine in Node.js, compiled quickly, beside the command"
	@echo "make test-wasm         the playground in Node.js and Chromium, beside the command"
	@echo "make test-long         what takes too long for every day: large scopes, long searches"
	@echo "make test-hours        the largest of them, hours (two processors)"
	@echo "make soak              a billion operations by threads on the native canal lock, a minute"
	@echo "make bench             build and run the benchmarks"
	@echo "make compare           beside SPIN, Rumur and Relacy (COMPARE=--quick: three minutes)"
	@echo "make clinic            run published libraries again and compare (NAME=tarn: one)"
	@echo "make playground        the tool as a page for the browser, in build/playground (needs emscripten)"
	@echo "make docs              build the site of docs/ into build/site"
	@echo "make fuzz              build the fuzzers and run each for a minute (FUZZ_SECONDS=)"
	@echo "make format            format the C++ sources"
	@echo "make lint              formatting, clang-tidy, the rules of tools/lint"
	@echo "make install PREFIX=   install (default /usr/local)"
	@echo "make package           a .deb in build/release"
	@echo "make clean             remove build/"

setup:
	@tools/setup.sh

setup-command:
	@tools/setup.sh command

setup-package:
	@tools/setup.sh package

# The other tools of bench/compare: optional, what cannot be installed is left out.
setup-compare: setup
	@tools/setup.sh compare

# The same for the clinic's.
setup-clinic: setup
	@tools/setup.sh clinic

setup-mpi: setup
	@tools/setup.sh mpi

setup-wasm:
	@tools/setup.sh wasm

build: setup-command
	@LOCKKEEPER_TARGETS="lockkeeper lockkeeper_share" tools/build.sh command

demo: build
	@tools/demo.sh

test: setup
	@tools/test.sh release

test-sanitizers: setup
	@tools/test.sh asan

test-threads: setup
	@tools/test.sh tsan

test-mpi: setup-mpi
	@tools/test.sh mpi

# ROOM=measure, ROOM=validate/wire, ROOM=impl/descriptor, ROOM=impl/native; TESTS='^Measure': of these only
test-room: setup
	@tools/test_room.sh "$(ROOM)" "$(TESTS)"

# One after the other: each uses all processors.
test-long test-hours: setup
	@tools/build.sh release
	@ctest --preset $(@:test-%=%)

SOAK = repaired
soak: setup
	@LOCKKEEPER_TARGETS=native_soak tools/build.sh release
	@build/release/native_soak $(SOAK)

bench: setup-compare
	@tools/build.sh bench
	@LOCKKEEPER_TARGETS=impl_descriptor_test tools/build.sh release
	@bench/run.sh

compare: setup-compare build
	@LOCKKEEPER_TARGETS=compare_tools tools/build.sh bench
	@bench/compare/compare.py $(COMPARE)

# The libraries of examples/clinic, in their pinned versions.
clinic: build setup-clinic
	@tools/clinic/clinic.py $(NAME)

playground: setup-wasm
	@LOCKKEEPER_TARGETS=playground tools/build.sh wasm
	@echo "build/playground: any web server gives its files, or lockkeeper playground, at an address of this machine"

test-engine: build
	@tools/test_engine.sh

# The module as it is shipped, and so not in CI: it takes longer to compile. WASM_TEST=--all: every shipped scenario.
test-wasm: build playground
	@wasm/test/run.sh $(WASM_TEST)

docs: setup
	@tools/site/build.sh build/site
	@echo "build/site/index.html (to search, serve it: python3 -m http.server -d build/site)"

# FUZZ_SECONDS=600 for a longer run of each.
fuzz: setup
	@tools/build.sh fuzz
	@tools/fuzz.sh

format: setup
	@tools/lint/format.sh -i

lint: setup
	@tools/lint/format.sh --dry-run -Werror
	@tools/lint/lint.py
	@tools/lint/clang_tidy.py

install: build
	@cmake --install build/release --prefix "$(PREFIX)"

package: setup-package build
	@cd build/release && cpack

clean:
	@rm -rf build
