# The injection detectors against both libraries, 10 million seeded inputs each: make soak-injection SEED=7
.PHONY: soak-injection
soak-injection: deps all
	HOTGATE_BUILD=$(BUILD) $(BUILD)/tests/injection_peer_waf --count $(or $(COUNT),10000000) --seed $(or $(SEED),1)
	HOTGATE_BUILD=$(BUILD) $(BUILD)/tests/injection_peer_stock --count $(or $(COUNT),10000000) --seed $(or $(SEED),1)
