# Transformers, detectors and processors against the official library: make soak-text SEED=7 SECONDS=600
.PHONY: soak-text
soak-text: deps all
	HOTGATE_BUILD=$(BUILD) $(BUILD)/tests/transform_peer --codepoints --seconds $(or $(SECONDS),300) --seed $(or $(SEED),1)
	HOTGATE_BUILD=$(BUILD) $(BUILD)/tests/detector_peer --seconds $(or $(SECONDS),300) --seed $(or $(SEED),1)
	HOTGATE_BUILD=$(BUILD) $(BUILD)/tests/processor_peer --seconds $(or $(SECONDS),300) --seed $(or $(SEED),1)
