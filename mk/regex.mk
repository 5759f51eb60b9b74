# Ten million random (pattern, text) pairs against RE2: make soak-regex SEED=2
.PHONY: soak-regex
soak-regex: all
	SEED=$(or $(SEED),1) PAIRS=$(or $(PAIRS),10000000) HOTGATE_BUILD=$(BUILD) $(BUILD)/tests/regex_re2_test
