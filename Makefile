SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PREFIX ?= /usr/local
DESTDIR ?=
# The seconds that `fuzz` spends on each parser, and the parsers or faults to run; empty means all.
SECONDS_EACH ?= 60
ONLY ?=
# The checkouts whose suites `test-ports` runs: Scripts/ports names them.
PORTS ?=

# What the tests run most is optimized in the debug build, too: see Package.swift.
SWIFT = VAULT_OPTIMIZED_ENGINE=1 swift

# Without a limit all tests start at once, and each step of one waits for a step of every other:
# tests with time limits would fail.
SWIFT_TEST = $(SWIFT) test $(PLAN) --disable-xctest --experimental-maximum-parallelization-width 24

# In a folder of its own, so that it is built at the same time as the debug build: SwiftPM locks a folder.
# A section for each function, and no symbol kept for other modules once all are linked, so that the linker leaves out what
# a program does not call; and no regular expressions, which the compiler imports unasked: see String+Search.swift.
# Types of generics are made by calls, not from their names, which takes the runtime a sixth of what a lookup executes.
# Package.swift may not say so, because packages that name a version accept no such flags.
FRONTEND = -function-sections -internalize-at-link -disable-implicit-string-processing-module-import \
  -disable-concrete-type-metadata-mangled-name-accessors
# The compiler orders some of its work by addresses, and two builds of the same sources then keep values in other registers:
# of five builds of one room with random addresses there were two kinds, of ten with fixed ones there was one.
FIXED = $(shell setarch -R true 2>/dev/null && echo setarch -R)
SWIFT_RELEASE = $(FIXED) swift build $(PLAN) -c release --scratch-path .build/shipped --disable-local-rpath $(FRONTEND:%=-Xswiftc -Xfrontend -Xswiftc %)

# The packages beside the root's, each with its own tests. They are built into the root's folders, where the root's targets
# are built already; SwiftPM takes the plan of the package before for one of its own, unless it makes each anew.
EXTRAS = $(wildcard Extras/*)
PLAN = --disable-build-manifest-caching
# Runs a command of SwiftPM for each extra, and then for the root, whose summary is the last.
EACH = for extra in $(EXTRAS) .; do
# Runs one for each extra's program.
EACH_PROGRAM = for extra in $(EXTRAS); do program=$$(basename "$$(<$$extra/Packaging/program)");

.PHONY: help demo test check install uninstall dist deb reproducible release-check lint alone sanitize test-release test-long attack
.PHONY: nightly test-ports fuzz docs abi mutants bench bench-peers bench-fleet bench-scale clean
.PHONY: bootstrap servers debug release examples

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: bootstrap ## run Git and a Swift program against a real Apache, in a temporary folder
	@Scripts/demo

# The release build mostly keeps one processor busy; the debug build takes the rest.
# What failed among thousands of lines is told once more at the end.
test: bootstrap servers lint ## run everything that CI runs
	@$(MAKE) --jobs=2 debug examples
	@{ $(EACH) $(SWIFT_TEST) --package-path $$extra --scratch-path .build || exit; done; } 2>&1 | tee .build/test.log || { grep -E '^(✘|↳|error:)' .build/test.log; exit 1; }

# Those of Unit and two of Contract: no server, no release build, no root.
CHECKED = $(notdir $(wildcard Tests/Unit/*)) ConformanceTests SecurityTests
empty :=
check: debug ## run the tests that need no server, in two minutes after the build
	@$(SWIFT_TEST) --skip-build --filter '^($(subst $(empty) $(empty),|,$(CHECKED)))\.'

install: bootstrap release ## install vaultctl and the C library under PREFIX (/usr/local), below DESTDIR if set
	@Scripts/install "$(DESTDIR)" "$(PREFIX)"

uninstall: ## remove what `make install` with the same PREFIX and DESTDIR wrote
	@Scripts/uninstall "$(DESTDIR)" "$(PREFIX)"

dist: bootstrap release ## pack a tarball with its bill of materials and checksums, .build/dist
	@Scripts/dist

deb: bootstrap release ## make Debian packages, .build/deb
	@Scripts/deb

reproducible: bootstrap ## build the committed sources twice, in two folders, and compare
	@Scripts/reproducible

# debootstrap and lintian, which only this needs, are installed by hand.
release-check: test-release dist deb docs reproducible ## what precedes a release: tests of the release build, packages and pages checked, packages used in a bare Debian root
	@Scripts/servers chromium
	@Scripts/browse
	@lintian --fail-on error,warning .build/deb/*.deb
	@Scripts/container
	@Scripts/bare-root

lint: bootstrap ## check formatting and house rules
	@Scripts/lint

# XCTest itself leaks, and a crashing child must not wait for Swift's backtracer.
sanitize: export ASAN_OPTIONS = detect_leaks=0
sanitize: export SWIFT_BACKTRACE = enable=no
sanitize: bootstrap servers release examples ## run all tests under AddressSanitizer, then under ThreadSanitizer
	@$(EACH) $(SWIFT_TEST) --package-path $$extra --sanitize=address --scratch-path .build/address || exit; done
	@$(EACH) $(SWIFT_TEST) --package-path $$extra --sanitize=thread --scratch-path .build/thread || exit; done

test-release: bootstrap servers release examples ## run all tests in a release build
	@export VAULT_RELEASE_TESTS=1; $(EACH) $(SWIFT_TEST) --package-path $$extra -c release -Xswiftc -enable-testing \
	  --scratch-path .build/release-tests || exit; done

alone: bootstrap ## build the committed sources without Extras/, and run the tests that need no server
	@Scripts/alone

test-long: bootstrap servers release examples ## run all tests with every bit flipped and the long loops (hours)
	@export VAULT_RELEASE_TESTS=1 VAULT_LONG_TESTS=1; $(EACH) $(SWIFT_TEST) --package-path $$extra -c release \
	  -Xswiftc -enable-testing --scratch-path .build/release-tests || exit; done

attack: test-long

nightly: ## run the tests, alone, test-release, sanitize, fuzz, mutants and test-long, and keep a record for Documentation/reliability.md, ONLY="PART…" (a day)
	@Scripts/nightly $(ONLY)

test-ports: debug ## run the suites of programs for Apple's keychain and the Secret Service, PORTS="NAME=CHECKOUT…"
	@Scripts/ports $(PORTS)

fuzz: bootstrap ## generate inputs for each parser, SECONDS_EACH (60) each, ONLY=TARGET
	@Scripts/fuzz "$(SECONDS_EACH)" $(ONLY)

docs: bootstrap ## make the site of all pages, the API and the man pages, .build/docs, and list public symbols
	@$(SWIFT) build $(PLAN) --target URLSessionSecurity
	@$(SWIFT) build --target VaultTransport
	@$(SWIFT) build --target Security
	@$(SWIFT) build --product vaultctl
	@$(EACH_PROGRAM) $(SWIFT) build $(PLAN) --package-path $$extra --scratch-path .build --product $$program || exit; done
	@Scripts/docs api
	@Scripts/docs site

abi: bootstrap ## record the ABI of the C library after an addition; a change needs another soname
	@Scripts/abi --record

mutants: bootstrap servers ## inject deliberate faults into a copy; the tests must detect each, ONLY=NAME (an hour)
	@python3 Tests/Attack/Mutants/mutants.py $(ONLY)

bench: bootstrap ## measure against unencrypted SQLite and a hand-written field, side by side
	@Benchmarks/run

bench-peers: bootstrap ## measure against SQLCipher 4 and other password tools, side by side
	@Benchmarks/peers/run

bench-fleet: bootstrap ## measure a fleet with PostgreSQL on loopback, behind lines of 0, 1 and 30 ms
	@Extras/Fleet/Benchmarks/fleet

bench-scale: bootstrap ## measure what a vault takes with 1000 and with a million items
	@Benchmarks/run --scale

clean: ## remove everything built or unpacked
	@rm -rf .build

bootstrap:
	@Scripts/bootstrap

servers: bootstrap
	@Scripts/servers

debug: bootstrap
	@$(EACH) $(SWIFT) build $(PLAN) --build-tests --package-path $$extra --scratch-path .build || exit; done

release: bootstrap
	@$(SWIFT_RELEASE) --product vaultctl
	@$(SWIFT_RELEASE) --product credentialvault
	@$(SWIFT_RELEASE) --product vaultctl-tls
	@$(EACH_PROGRAM) $(SWIFT_RELEASE) --package-path $$extra --product $$program || exit; done

examples: release
	@Scripts/stranger
	@Scripts/install "" "$(CURDIR)/.build/examples/prefix" >/dev/null
	@PKG_CONFIG_PATH="$(CURDIR)/.build/examples/prefix/lib/pkgconfig" \
	  $(MAKE) -C Examples/HTTPClient BUILD="$(CURDIR)/.build/examples"
