# Long fuzz run of the daemon's messages (needs clang).
SEED ?= 1
SOAK_SECONDS ?= 1800

.PHONY: soak-helper-fuzz
soak-helper-fuzz:
	cmake --preset fuzz -G Ninja
	cmake --build --preset fuzz --target fuzz_helper
	mkdir -p build/soak/helper
	build/fuzz-preset/fuzz/helper build/soak/helper fuzz/corpus/helper -seed=$(SEED) \
	  -max_total_time=$(SOAK_SECONDS) -max_len=1024
