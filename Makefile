# Everything a fresh machine needs: `make run` and `make test` set up .venv by themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
CONSTRAINTS := .ci/constraints.txt

# The CPU build of torch is what a laptop gets; a plain `torch` from PyPI brings gigabytes of CUDA.
# On a GPU machine: make run TORCH="torch==2.13.0"
TORCH_VERSION := 2.13.0
TORCH ?= torch==$(TORCH_VERSION)+cpu
TORCH_INDEX ?= https://download.pytorch.org/whl/cpu

export MLFLOW_DISABLE_TELEMETRY := true
export DAGSTER_DISABLE_TELEMETRY := yes

.PHONY: run next test check format ui mlflow constraints clean

run: $(STAMP) ## round 0: generate, validate, repair, train, score, report
	$(BIN)/coworkenv run

next: $(STAMP) ## the next round, from the promoted checkpoint
	$(BIN)/coworkenv run --next

test: $(STAMP) ## the default test suite
	$(BIN)/python -m pytest

check: $(STAMP) ## lint, format and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

ui: $(STAMP) ## Dagster's web UI on the rounds that were run
	$(BIN)/coworkenv ui

mlflow: $(STAMP) ## MLflow's web UI on the tracked runs
	$(BIN)/coworkenv mlflow

$(STAMP): pyproject.toml $(CONSTRAINTS)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "CoworkEnv needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check "pip==25.3"
	@echo "Installing torch (CPU build unless TORCH says otherwise) ..."
	@$(BIN)/pip install --quiet -c $(CONSTRAINTS) "$(TORCH)" 2>/dev/null || \
		$(BIN)/pip install --quiet "torch==$(TORCH_VERSION)" --index-url "$(TORCH_INDEX)" 2>/dev/null || \
		$(BIN)/pip install --quiet "torch==$(TORCH_VERSION)"
	@echo "Installing the rest (about two minutes) ..."
	$(BIN)/pip install --quiet -c $(CONSTRAINTS) --group dev -e .
	@touch $@

constraints: $(STAMP) ## write down the versions that are installed now
	{ head -1 $(CONSTRAINTS); $(BIN)/pip freeze --exclude-editable | sed 's/+cpu//'; } > $(CONSTRAINTS).tmp
	mv $(CONSTRAINTS).tmp $(CONSTRAINTS)

clean: ## drop the environment and every result
	rm -rf $(VENV) .coworkenv
