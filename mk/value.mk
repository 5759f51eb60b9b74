# Long fuzz runs of the carriers: make soak-value [SECONDS_EACH=1200]
SECONDS_EACH ?= 1200
soak-value:
	cmake --preset fuzz -G Ninja
	cmake --build --preset fuzz --target fuzz_json fuzz_body fuzz_msgpack fuzz_transcode
	for target in json body msgpack transcode; do \
	  build/fuzz-preset/fuzz/$$target -seed=$${SEED:-1} -max_total_time=$(SECONDS_EACH) -max_len=4096 fuzz/corpus/$$target || exit 1; \
	done
.PHONY: soak-value
