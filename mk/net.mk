# Long runs of the packet room.
SEED ?= 1
SOAK_SECONDS ?= 1800

# Each fuzz target for SOAK_SECONDS (needs clang).
.PHONY: soak-net
soak-net:
	cmake --preset fuzz
	cmake --build --preset fuzz --target fuzz_net_frame fuzz_net_tunnel fuzz_net_http fuzz_net_capture
	for t in net_frame net_tunnel net_http net_capture; do \
	  mkdir -p build/soak/$$t && \
	  build/fuzz-preset/fuzz/$$t build/soak/$$t fuzz/corpus/$$t -seed=$(SEED) -max_total_time=$(SOAK_SECONDS) \
	    -max_len=8192 -timeout=10 || exit 1; \
	done

# The speed figures of docs/net.md: DATA is the folder with captures/.
.PHONY: bench-net
bench-net: all
	bash bench/packets.sh $(DATA)
