# `make demo` shows what standfast does, `make test` runs every test of every language. Both set up what they need.
#   make demo FILE=chat.json     the demo on a transcript of your own

export CARGO_TARGET_DIR ?= $(CURDIR)/target
PYTHON ?= python3
BIN := .venv/bin
RUFF := --config python/pyproject.toml python bench tests/types tests/attacks tests/parity
SCHEMA := $(PYTHON) tests/types/generate.py

.PHONY: demo test fmt lint rust types python npm clean

demo: .venv/installed
	$(BIN)/python bench/survival.py $(FILE)

test: lint rust types python npm

fmt: .venv/ready
	cargo fmt --all
	$(BIN)/ruff check --quiet --fix $(RUFF)
	$(BIN)/ruff format --quiet $(RUFF)

lint: .venv/ready
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --quiet --no-deps -p standfast
	$(BIN)/ruff check $(RUFF)
	$(BIN)/ruff format --check $(RUFF)
	$(BIN)/python bench/transcripts/make.py --check

rust:
	cargo test --locked --workspace --exclude standfast-python

# The Python and TypeScript types are made from the Rust types; `make types WRITE=1` makes them anew.
types:
	$(SCHEMA) $(if $(WRITE),,--check)

# Stub check and tests are about the installed package, not its sources.
python: .venv/installed
	cd python && ../$(BIN)/mypy
	$(BIN)/stubtest standfast._core
	$(BIN)/pytest python

# The parity test plays transcripts in both languages.
npm: .venv/installed
	rustup target add wasm32-unknown-unknown
	npm --prefix npm ci
	@# not `ci`: an optional package of Windows is missing from the lock file, and `ci` stops at that
	npm --prefix npm/packaging/elsewhere install --no-audit --no-fund
	npm --prefix npm run ci

clean:
	rm -rf .venv wheels target npm/dist npm/node_modules

.venv/ready: python/requirements-dev.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -r $<
	touch $@

# The wheel as users get it. Cargo and maturin know by themselves what has changed.
.venv/installed: .venv/ready FORCE
	rm -rf wheels
	cd python && ../$(BIN)/maturin build --quiet --locked --profile python --out ../wheels
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --force-reinstall wheels/*.whl
	touch $@

.PHONY: FORCE
FORCE:
