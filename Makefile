# Each target sets up .venv by itself when the lock files changed, and does nothing when they did not.
PYTHON ?= python3
# Compiled modules and rewritten tests are kept, whatever the shell says: the second run starts in half the time.
unexport PYTHONDONTWRITEBYTECODE
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEV_STAMP := $(VENV)/.installed-dev
DEPLOY_STAMP := $(VENV)/.installed-deploy
# ESLint, with what MDN knows of browsers: for the oldest ones in which the board is played.
OLDEST := tests/web_page/oldest
OLDEST_STAMP := $(OLDEST)/node_modules/.installed
# Twice the two cores that are promised: many tests wait for a process or a clock rather than compute. The long suites
# hold bounds in seconds, so fewer of them run at once.
PARALLEL := 4
LONG_PARALLEL := 3
ALL_STORIES := "not faults and not image and not browser"
# What counts posts of texts, which pictures change.
NO_PICTURES := --deselect tests/stories/test_evening.py::test_evening_stays_within_post_limits
# With SHORT=1, as CI runs them, the long suites leave out what is exhaustive, and tell the stories that tell most.
NOT_EXHAUSTIVE := $(if $(SHORT), and not exhaustive)
STORIES := $(if $(SHORT),$(patsubst %,tests/stories/test_%.py,http round round_message repeated_transactions order stop points hints skip topics delivery_check),tests/stories)
FAULTS := $(if $(SHORT),$(patsubst %,'tests/faults/test_%',\
	kill.py::test_play_through_kills_loses_and_doubles_nothing[polling] race.py::test_two_processes_agree_on_one_winner \
	deadline.py::test_answer_counts_by_the_time_it_was_sent[polling] stop.py::test_stop_leaves_waiting_updates_to_the_next_start \
	flood.py::test_answer_behind_a_flood_is_counted),--dist loadfile tests/faults)
# Errors only: a warning about a cache or about who one is reads as if something had failed.
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet --quiet

.PHONY: run test browser fresh long faults postgresql image check format bench locks catalogues clean

run: $(STAMP)  ## run the bot; without BOT_TOKEN a chat opens in the terminal
	@$(BIN)/python -m bot

test: $(DEV_STAMP)  ## the ordinary tests
	@$(BIN)/python -m pytest -n $(PARALLEL)
	@if command -v chromium >/dev/null || command -v chromium-browser >/dev/null; then \
		echo "Left out: the board in a browser; make browser plays there."; else \
		echo "Left out: the board in a browser, as no chromium is installed; as root, make browser installs Debian's."; fi

fresh:  ## the ordinary tests in N fresh clones (10 unless told), with the machine kept busy
	@tests/fresh.sh $(or $(N),10) $(or $(AT_ONCE),1)

# A browser is all that pip doesn't bring: axe-core's script comes in a package of Python's.
browser: $(DEV_STAMP)  ## the board in a browser; as root it installs Debian's chromium where there is none
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || [ "$$(id -u)" != 0 ] || \
		{ apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; }
	@$(BIN)/python -m pytest -n 2 --dist loadfile -m browser tests/browser

long: $(DEV_STAMP) $(DEPLOY_STAMP)  ## tests that take seconds each, and the stories over HTTP on loopback, with pictures
	@$(BIN)/python -m pytest -n $(LONG_PARALLEL) -m "long$(NOT_EXHAUSTIVE)"
	@STORIES=http PICTURES=on $(BIN)/python -m pytest -n $(LONG_PARALLEL) -m $(ALL_STORIES) $(NO_PICTURES) $(STORIES)

faults: $(DEV_STAMP)  ## kills, races and floods at their full figures; with SHORT=1 in their short form
	@$(if $(SHORT),$(BIN)/python -m pytest -n $(LONG_PARALLEL) --dist loadfile -m "faults and not exhaustive" tests/faults tests/telegram,\
		FAULTS=full $(BIN)/python -m pytest -m faults -s --timeout=0)

postgresql: $(DEV_STAMP)  ## stories and faults on a PostgreSQL server, at TEST_POSTGRES_URL or here
	@STORIES_ON=postgresql $(BIN)/python -m pytest -n $(LONG_PARALLEL) -m $(ALL_STORIES) $(STORIES)
	@FAULTS_ON=postgresql $(BIN)/python -m pytest -n 2 -m faults $(FAULTS)

image: $(DEV_STAMP)  ## the Dockerfile's steps in a clean root, as root on Debian: fetches some 200 MB
	@$(BIN)/python -m pytest -m image -s tests/test_image.py

check: $(DEV_STAMP)  ## lint, format, types, and what the board's oldest browsers do not have
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/python -m tests.catalogues report
	@if command -v npm >/dev/null && node -e "const [a, b] = process.versions.node.split('.'); process.exit(a > 20 || (a == 20 && b > 18) ? 0 : 1)"; then \
		$(MAKE) --no-print-directory $(OLDEST_STAMP) && $(OLDEST)/node_modules/.bin/eslint -c $(OLDEST)/eslint.config.js bot/board/page $(OLDEST); else \
		echo "Left out: whether the oldest browsers have what the board uses; that takes npm and node 20.19 or later."; fi

format: $(DEV_STAMP)
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: $(DEV_STAMP)  ## the tables behind the speed claims
	@$(BIN)/python -m bench

catalogues: $(DEV_STAMP)  ## gather today's sentences into bot/locale/ and compile them; names of cities too
	@$(BIN)/python -m tests.catalogues
	@$(BIN)/python -m tests.place_names

locks:  ## renew the lock files (needs uv on the PATH)
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate pyproject.toml -o requirements.lock
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --extra dev pyproject.toml -o requirements-dev.lock
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --extra deploy --constraint requirements-dev.lock pyproject.toml -o requirements-deploy.lock
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --group build --constraint requirements-dev.lock -o requirements-build.lock

$(BIN)/python:
	@$(PYTHON) -m venv $(VENV)

$(STAMP): requirements.lock | $(BIN)/python
	@echo "Setting up .venv (once) ..." >&2
	@$(PIP) install --require-hashes -r requirements.lock
	@touch $@

$(DEV_STAMP): requirements-dev.lock $(STAMP)
	@echo "Setting up the tools in .venv (once) ..." >&2
	@$(PIP) install --require-hashes -r requirements-dev.lock
	@touch $@

$(DEPLOY_STAMP): requirements-deploy.lock $(DEV_STAMP)
	@echo "Setting up the schemas of deployments in .venv (once) ..." >&2
	@$(PIP) install --require-hashes -r requirements-deploy.lock
	@touch $@

$(OLDEST_STAMP): $(OLDEST)/package-lock.json
	@cd $(OLDEST) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

clean:
	rm -rf $(OLDEST)/node_modules $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
