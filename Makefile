# A thin front door: the work is done by CMake (see CMakePresets.json) and by scripts/.
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
FUZZ_SECONDS ?= 60
MUTANTS ?= 300
MUTATE_SEED ?= 1

.PHONY: help build build-tests lab run test test-quick test-long test-asan bench format lint lint-deep fuzz mutate faults docs device wheel try-wheel deb try-deb install clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

build: ## the program at build/carom and the libraries
	@scripts/setup.sh build
	@scripts/build.sh release $(JOBS) -DCAROM_TESTS=OFF

run: ## set up, build, run the main job; pictures, a table and the lab in out/
	@scripts/setup.sh build run
	@scripts/build.sh release $(JOBS) -DCAROM_TESTS=OFF
	@scripts/setup.sh lab || true
	@scripts/build_lab.sh $(JOBS) || echo "run: without the lab"
	@scripts/run_main.sh

lab: ## the lab's page template, build-lab/lab.html: scenarios that run in any browser
	@scripts/setup.sh lab || true
	@scripts/build_lab.sh $(JOBS)

device: ## the engine as a program for NVIDIA cards, build-device/carom.ptx: carom sweep --gpu
	@scripts/setup.sh device || true
	@scripts/build_device.sh $(JOBS)

build-tests:
	@scripts/setup.sh build test
	@scripts/build.sh release $(JOBS) -DCAROM_TESTS=ON

test: build-tests ## set up, build, run every test
	@ctest --preset release -j $(JOBS)

test-quick: build-tests ## every test but the long ones
	@ctest --preset release -j $(JOBS) -LE long

test-long: test ## every test, 400 fits of each kind, the whole table of transformations that may not change the answer, all bits of the lab (some minutes)
	@build/tests/test_fit_coverage_long 400
	@/usr/bin/python3 tests/invariance/run_invariance.py build/carom --long --jobs $(JOBS)
	@bash tests/lab/all_bits.sh build/carom || [ $$? = 77 ]

test-asan: ## every test under the address and undefined-behaviour sanitizers
	@scripts/setup.sh build test
	@scripts/build.sh asan $(JOBS)
	@ctest --preset asan -j $(JOBS)

bench: ## the benchmarks, each printing a ratio measured in the same run
	@scripts/setup.sh build test
	@scripts/build.sh bench $(JOBS)
	@scripts/run_bench.sh

format: ## lay out all sources by .clang-format
	@scripts/setup.sh lint
	@scripts/sources.sh | xargs clang-format -i

lint: ## layout, room rules, clang-tidy, cppcheck and types of the Python package: no finding allowed
	@scripts/setup.sh build test lint
	@scripts/lint.sh $(JOBS)

lint-deep: ## the same with clang's path-sensitive analyser (some minutes)
	@scripts/setup.sh build test lint
	@scripts/lint.sh $(JOBS) deep

fuzz: ## every fuzz target for FUZZ_SECONDS (default 60)
	@scripts/setup.sh build test lint
	@scripts/build.sh fuzz $(JOBS)
	@scripts/run_fuzz.sh $(FUZZ_SECONDS)

mutate: ## MUTANTS=300 changes of one operator or number, of MUTATE_SEED=1: the tests must notice (an hour; can be stopped and goes on)
	@scripts/setup.sh build test
	@scripts/build.sh mutate $(JOBS)
	@/usr/bin/python3 scripts/mutate.py pack build-mutate/pack
	@/usr/bin/python3 scripts/mutate.py cover --workers $(JOBS)
	@/usr/bin/python3 scripts/mutate.py run --workers $(JOBS) --count $(MUTANTS) --seed $(MUTATE_SEED)

faults: ## every fault of tests/faults planted: the certificate, converge or the transformed scenarios must notice
	@scripts/setup.sh build test
	@scripts/build.sh mutate $(JOBS)
	@/usr/bin/python3 scripts/mutate.py pack build-mutate/pack
	@/usr/bin/python3 scripts/plant_faults.py

docs: ## the documentation as a site in build/site, with the C reference
	@scripts/setup.sh build docs
	@scripts/build.sh release $(JOBS) -DCAROM_TESTS=OFF
	@scripts/setup.sh lab || true
	@scripts/build_lab.sh $(JOBS) || echo "docs: without the lab"
	@/usr/bin/python3 scripts/build_site.py build/carom build/site

wheel: ## the Python wheel in build-wheel/, with the program and all libraries inside
	@scripts/setup.sh build pack
	@scripts/build.sh wheel $(JOBS)
	@scripts/setup.sh lab || true
	@scripts/build_lab.sh $(JOBS) || echo "wheel: without the lab"
	@rm -f build-wheel/*.whl
	@/usr/bin/python3 -B python/wheel_backend.py build-wheel

try-wheel: wheel ## the wheel in a bare Debian (root, network, some minutes)
	@scripts/try_wheel.sh build-wheel/carom-*.whl

deb: ## Debian packages in build-deb/, looked at by lintian
	@scripts/setup.sh build run pack
	@scripts/setup.sh lab || true
	@scripts/build_lab.sh $(JOBS) || echo "deb: without the lab"
	@scripts/build_debs.sh $(JOBS)

try-deb: deb ## the packages in a bare Debian (root, network, some minutes)
	@scripts/try_debs.sh build-deb

install: build ## install under PREFIX (default /usr/local)
	@cmake --install build --prefix $(or $(PREFIX),/usr/local)

clean: ## remove every build folder and out/
	@rm -rf build build-debug build-asan build-tsan build-threads build-clang build-bench build-fuzz build-mutate build-lab build-lab-plain build-wheel build-deb out
