# Long runs of the packet room.
SEED ?= 1
SOAK_SECONDS ?= 1800

# Fuzzing (needs clang): whole frames, tunnels, HTTP streams and capture files for SOAK_SECONDS each, the layers, one
# target each, for SOAK_SECONDS together.
net_groups = net_frame net_tunnel net_http net_capture http
net_layers = $(shell sed -n 's/^NET_LAYER(\(.*\))/net_layer_\1/p' src/net/layers/layers.def)
net_targets = $(net_groups) $(net_layers)

# $(call net_fuzz,TARGETS,SECONDS)
net_fuzz = for t in $(1); do \
	  mkdir -p build/soak/$$t && \
	  build/fuzz-preset/fuzz/$$t build/soak/$$t fuzz/corpus/$$t -seed=$(SEED) -max_total_time=$(2) -max_len=8192 \
	    -timeout=10 || exit 1; \
	done

.PHONY: soak-net
soak-net:
	cmake --preset fuzz -G Ninja
	cmake --build --preset fuzz --target $(addprefix fuzz_,$(net_targets))
	$(call net_fuzz,$(net_layers),$(shell expr $(SOAK_SECONDS) / $(words $(net_layers)) + 1))
	$(call net_fuzz,$(net_groups),$(SOAK_SECONDS))

# The speed figures of docs/net.md: DATA is the folder with captures/.
.PHONY: bench-net
bench-net: all
	bash bench/packets.sh $(DATA)

# Mutated captures under sanitizers for SOAK_SECONDS: those of DATA, or conversations made by the program.
.PHONY: soak-mutants
soak-mutants: all
	$(BUILD)/tests/watch_mutants --seconds $(SOAK_SECONDS) --seed $(SEED) $(DATA)
