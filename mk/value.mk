# Long fuzz runs of every reader and writer of values: make soak-value [SECONDS_EACH=1200] [SEED=1]
SECONDS_EACH ?= 1200
VALUE_FUZZ = json body form multipart xml msgpack encode decode transcode
soak-value:
	cmake --preset fuzz -G Ninja
	cmake --build --preset fuzz --target $(VALUE_FUZZ:%=fuzz_%)
	for target in $(VALUE_FUZZ); do \
	  build/fuzz-preset/fuzz/$$target -seed=$${SEED:-1} -max_total_time=$(SECONDS_EACH) -max_len=4096 fuzz/corpus/$$target || exit 1; \
	done
.PHONY: soak-value
# A million encode-judge-end cycles: no memory and no lease stays behind.
soak-leases: all
	HG_CYCLES=1000000 $(BUILD)/tests/waf_lease_test
.PHONY: soak-leases
