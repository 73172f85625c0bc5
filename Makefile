# Each target installs the packages into .venv if a lock file has changed.
PYTHON ?= python3
# Keep compiled modules and rewritten tests, so that the second run starts in half the time.
unexport PYTHONDONTWRITEBYTECODE
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEV_STAMP := $(VENV)/.installed-dev
DEPLOY_STAMP := $(VENV)/.installed-deploy
DOCS_STAMP := $(VENV)/.installed-docs
# ESLint with MDN's data on browsers, to check the board's code against the oldest supported ones.
OLDEST := tests/web_page/oldest
OLDEST_STAMP := $(OLDEST)/node_modules/.installed
# One more than the two promised cores, since some tests wait for a process or a clock.
PARALLEL := 3
ALL_STORIES := "not faults and not image and not browser"
# With SHORT=1, as in CI, the long suites leave out exhaustive tests and run a selection of the others.
# Each night .github/workflows/nightly.yml runs them in full.
NOT_EXHAUSTIVE := $(if $(SHORT), and not exhaustive)
LONG := $(if $(SHORT),$(addprefix tests/,solver test_packages.py test_deployment.py \
	$(patsubst %,bot/database/test_%.py,postgresql move schema_check)),tests)
STORIES := $(if $(SHORT),$(patsubst %,tests/stories/test_%.py,http round repeated_transactions order points hints),tests/stories)
BROWSER := $(if $(SHORT),$(patsubst %,'tests/browser/test_%',\
	playing.py::test_twentyfour_by_keyboard playing.py::test_countdown_by_touch playing.py::test_yahtzee_by_touch manual.py \
	service.py::test_twentyfour_is_won_on_the_page[tap_by_name-size2] service_looks.py::test_axe_finds_no_violations[phone] \
	service.py::test_restart_after_the_last_tap_counts_the_answer_once live.py::test_two_pages_race_and_one_watches \
	runs.py::test_next_hand_does_not_wait_for_the_bot[tap_by_touch-size0] \
	classroom.py::test_class_from_code_to_report[keyboard] oldest.py::test_hand_can_be_played_in_the_oldest_browsers),tests/browser)
FAULTS := $(if $(SHORT),$(patsubst %,'tests/faults/test_%',\
	kill.py::test_play_through_kills_loses_and_doubles_nothing[polling] race.py::test_two_processes_agree_on_one_winner \
	deadline.py::test_answer_counts_by_the_time_it_was_sent[polling]),tests/faults)
# Errors only: pip's warnings about its cache or about root look like failures.
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet --quiet

.PHONY: run class test tools browser fresh long faults postgresql image package check format bench docs docs-serve pictures locks catalogues clean

run: $(STAMP)  ## run the bot; without BOT_TOKEN, open a chat in the terminal
	@$(BIN)/python -m bot

class: $(STAMP)  ## a class on the local network, for pupils without accounts; LISTEN=HOST:PORT chooses the address, NEW=1 opens another class
	@$(BIN)/python -m bot class --listen $(or $(LISTEN),0.0.0.0:8024) $(if $(NEW),--new)

test: $(DEV_STAMP)  ## the ordinary tests
	@$(BIN)/python -m pytest -n $(PARALLEL)
	@if command -v chromium >/dev/null || command -v chromium-browser >/dev/null; then \
		echo "Not run: the tests of the board in a browser. Run: make browser"; else \
		echo "Not run: the tests of the board in a browser, since chromium is not installed. As root, make browser installs it."; fi

fresh:  ## the ordinary tests in N fresh clones (default 10) on a busy machine
	@tests/fresh.sh $(or $(N),10) $(or $(AT_ONCE),1)

tools: $(DEPLOY_STAMP) $(DOCS_STAMP)  ## the packages of all suites

# The browser is the only tool that pip does not install.
browser: $(DEV_STAMP) $(DOCS_STAMP)  ## the board and the manual in a browser; as root, install Debian's chromium if needed
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || [ "$$(id -u)" != 0 ] || \
		{ apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; }
	@$(BIN)/python -m pytest -n 2 --dist loadfile -m "browser$(NOT_EXHAUSTIVE)" $(BROWSER)

long: $(DEV_STAMP) $(DEPLOY_STAMP)  ## slow tests, and the stories over HTTP on loopback with pictures
	@$(BIN)/python -m pytest -n $(PARALLEL) -m "long$(NOT_EXHAUSTIVE)" $(LONG)
	@STORIES=http PICTURES=on $(BIN)/python -m pytest -n $(PARALLEL) -m $(ALL_STORIES) $(STORIES)

faults: $(DEV_STAMP)  ## kills, races and floods of real processes; with SHORT=1 in short form
	@$(if $(SHORT),$(BIN)/python -m pytest -n $(PARALLEL) --dist loadfile -m "faults and not exhaustive" tests/faults tests/telegram,\
		FAULTS=full $(BIN)/python -m pytest -m faults -s --timeout=0)

postgresql: $(DEV_STAMP)  ## stories and fault tests on PostgreSQL, at TEST_POSTGRES_URL or on this machine
	@STORIES_ON=postgresql FAULTS_ON=postgresql $(BIN)/python -m pytest -n $(PARALLEL) --dist loadfile \
		-m "not image and not browser" $(STORIES) $(FAULTS)

image: $(DEV_STAMP)  ## the Dockerfile's steps in a clean Debian; needs root on Debian and fetches 200 MB
	@$(BIN)/python -m pytest -m image -s tests/test_image.py

package: $(DEV_STAMP) $(DEPLOY_STAMP)  ## wheel and sdist in dist/, checked; the same commit gives the same bytes
	@rm -rf dist
	@SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/python -m hatchling build -d dist
	@$(BIN)/twine check --strict dist/*
	@$(BIN)/check-wheel-contents dist/*.whl

check: $(DEV_STAMP)  ## lint, format and types; JavaScript for the oldest supported browsers
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/python -m tests.catalogues report
	@if command -v npm >/dev/null && node -e "const [a, b] = process.versions.node.split('.'); process.exit(a > 20 || (a == 20 && b > 18) ? 0 : 1)"; then \
		$(MAKE) --no-print-directory $(OLDEST_STAMP) && $(OLDEST)/node_modules/.bin/eslint -c $(OLDEST)/eslint.config.js bot/board/page bot/board/classroom/page $(OLDEST); else \
		echo "Not run: the check of the board's JavaScript for old browsers. It needs npm and node 20.19 or later."; fi

format: $(DEV_STAMP)  ## fix lint errors where possible, and format
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: $(DEV_STAMP)  ## measure the promised times (see bench/README.md)
	@$(BIN)/python -m bench

docs: $(DOCS_STAMP)  ## build the manual into site/; a broken link is an error
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

pictures: $(DEV_STAMP)  ## draw the pictures of README and manual again, with chromium
	@$(BIN)/python -m docs.draw

docs-serve: $(DOCS_STAMP)  ## show the manual at http://127.0.0.1:8000, and again after each change
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs serve --quiet

catalogues: $(DEV_STAMP)  ## update and compile the translations in bot/locale/, and the names of cities
	@$(BIN)/python -m tests.catalogues
	@$(BIN)/python -m tests.place_names

LOCK := uv pip compile $(if $(UPGRADE),--upgrade) --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate pyproject.toml
SAME := --constraint requirements-dev.lock
locks:  ## update the lock files; UPGRADE=1 takes newer packages; needs uv on the PATH
	$(LOCK) --extra bot --extra postgresql --group dev -o requirements-dev.lock
	$(LOCK) --extra bot --extra postgresql $(SAME) -o requirements.lock
	$(LOCK) --group build $(SAME) -o requirements-build.lock
	$(LOCK) --group deploy $(SAME) -o requirements-deploy.lock
	$(LOCK) --group lint $(SAME) -o requirements-lint.lock
	$(LOCK) --group docs $(SAME) -o requirements-docs.lock

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

$(DOCS_STAMP): requirements-docs.lock $(STAMP)
	@echo "Setting up the manual's tools in .venv (once) ..." >&2
	@$(PIP) install --require-hashes -r requirements-docs.lock
	@touch $@

$(OLDEST_STAMP): $(OLDEST)/package-lock.json
	@cd $(OLDEST) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

clean:  ## delete .venv, caches and build folders
	rm -rf $(OLDEST)/node_modules $(VENV) dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis
