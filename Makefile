# Everything a person or a CI machine runs. PYTHON names the interpreter that .venv is made with.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/stamps
DEMO := build/demo
ENGINES := .venv-engines
OLD_KERNEL := build/kernel-6.29
NOTEBOOK := example_notebooks/01_quickstart.ipynb

# What an installation is made of besides Python files, which are used where they lie.
PROJECT := pyproject.toml pi_notebook/_version.py $(shell find labextension pi_notebook/locale \
	-name node_modules -prune -o -name lib -prune -o -type f -print)

.PHONY: demo lab test test-engines test-kernels bench bench-ui soak clean build/pi

demo: $(STAMPS)/data
	@PI_NOTEBOOK_HOME=$(CURDIR)/$(DEMO)/home PI_NOTEBOOK_MODEL=offline \
		$(BIN)/python example_notebooks/run.py $(NOTEBOOK) --output $(DEMO)

lab: $(STAMPS)/lab
	$(BIN)/jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) $(NOTEBOOK)

test: $(STAMPS)/test $(STAMPS)/chromium build/pi
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	@$(BIN)/python -m compileall -q pi_notebook  # else each kernel of the tests compiles it for itself
	$(BIN)/python -m pytest -n 2 --ignore tests/browser
	$(BIN)/python -m pytest tests/browser

# Spark wants a pandas of its own, and Java.
test-engines: $(STAMPS)/test
	@if ! java -version >/dev/null 2>&1; then \
		echo "No Java here: the tests with Spark are left out. Install a JRE of version 17 or newer to run them."; \
	else \
		$(MAKE) --no-print-directory $(ENGINES)/stamp && $(ENGINES)/bin/python -m pytest tests/engines; \
	fi

# Those of the kernel matrix that are marked as chosen, in the newest kernel of the line before.
test-kernels: $(OLD_KERNEL)/pyvenv.cfg
	PI_NOTEBOOK_TEST_PYTHON=$(CURDIR)/$(OLD_KERNEL)/bin/python $(BIN)/python -m pytest -m chosen tests/kernel/matrix

$(OLD_KERNEL)/pyvenv.cfg: $(STAMPS)/test pyproject.toml
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(OLD_KERNEL)
	$(BIN)/uv pip install --quiet --python $(OLD_KERNEL)/bin/python -r pyproject.toml --extra data \
		'ipykernel==6.29.5' 'ipython==8.39.*' psutil
	@touch $@

bench: $(STAMPS)/test
	$(BIN)/python -m benchmarks

# What a front end downloads of panel and inspector, and how fast the panel is.
bench-ui: $(STAMPS)/test $(STAMPS)/chromium
	$(BIN)/python -m benchmarks ui
	$(BIN)/python -m benchmarks.panel_speed

soak: $(STAMPS)/test
	$(BIN)/python -m pytest -m soak --ignore tests/kernel/matrix
	$(BIN)/python -m pytest -m "soak or not soak" tests/kernel/matrix

clean:
	rm -rf $(VENV) $(ENGINES) build dist pi_notebook/labextension pi_notebook/ui/static \
		labextension/lib labextension/node_modules

$(STAMPS)/venv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { \
		echo "pi-notebook needs Python 3.10 or newer, and '$(PYTHON)' is not: try make PYTHON=python3.12 $(MAKECMDGOALS)"; \
		exit 1; }
	$(PYTHON) -m venv $(VENV)
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/data $(STAMPS)/lab $(STAMPS)/test: $(STAMPS)/%: $(STAMPS)/venv $(PROJECT)
	@echo "Installing pi-notebook[$(EXTRAS)] into $(VENV): a minute or two the first time."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$(EXTRAS)]'
	@touch $@

$(STAMPS)/data: EXTRAS := data
$(STAMPS)/lab: EXTRAS := lab,data
$(STAMPS)/test: EXTRAS := test

$(ENGINES)/stamp: $(PROJECT) Makefile
	@echo "Installing Spark into $(ENGINES): a minute or two the first time."
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(ENGINES)
	$(BIN)/uv pip install --quiet --python $(ENGINES)/bin/python --editable '.[data]' \
		'pyspark>=3.5' 'pandas<3' pytest pytest-asyncio pytest-timeout
	@touch $@

# A browser comes from the system. Where there is none and none can be installed, its tests say so and skip.
$(STAMPS)/chromium: $(STAMPS)/venv
	@if command -v chromium || command -v chromium-browser || command -v google-chrome; then touch $@; \
	elif [ "$$(id -u)" = 0 ] && apt-get update -qq && \
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; then touch $@; \
	else echo "No Chromium here: its tests will be skipped. Install the package 'chromium' to run them."; fi

# Pi itself, to read our sessions and to write some, and the Node that the panel is built with.
# Where they cannot be fetched, that is said and their tests skip.
build/pi: $(STAMPS)/test
	@$(BIN)/python tests/session/interop/install.py
