# Long fuzz run of the readers of hotgate scan (needs clang).
SEED ?= 1
SOAK_SECONDS ?= 1800

.PHONY: soak-cli
soak-cli:
	cmake --preset fuzz -G Ninja
	cmake --build --preset fuzz --target fuzz_scan_input
	mkdir -p build/soak/scan_input
	build/fuzz-preset/fuzz/scan_input build/soak/scan_input fuzz/corpus/scan_input -seed=$(SEED) \
	  -max_total_time=$(SOAK_SECONDS) -max_len=8192
