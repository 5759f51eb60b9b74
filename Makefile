# The front door. `make run` shows the main job, `make test` proves it; the rest is CMake.
BUILD ?= build
JOBS  ?= $(shell nproc)

.PHONY: all run test install bench clean deps
all: $(BUILD)/CMakeCache.txt
	cmake --build $(BUILD) --parallel $(JOBS)

$(BUILD)/CMakeCache.txt:
	cmake -S . -B $(BUILD)

run: $(BUILD)/CMakeCache.txt
	cmake --build $(BUILD) --parallel $(JOBS) --target hotgate
	$(BUILD)/hotgate scan examples/requests.http examples/access.log examples/browser.har || [ $$? -eq 1 ]

test: deps
	cmake -S . -B $(BUILD)
	cmake --build $(BUILD) --parallel $(JOBS)
	ctest --test-dir $(BUILD) --output-on-failure --no-tests=error

# Test packages: installed where that is possible, named where it is not.
deps:
	bash tools/test-deps
	bash tools/peers $(BUILD)

install: all
	cmake --install $(BUILD)

-include mk/*.mk

clean:
	rm -rf $(BUILD)
