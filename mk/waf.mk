# Random rulesets through the fast and the plain evaluator: make soak-waf [SEED=n] [ROUNDS=n]
.PHONY: soak-waf
soak-waf: all
	SEED=$(or $(SEED),$(shell date +%s)) ROUNDS=$(or $(ROUNDS),200000) $(BUILD)/tests/waf_evaluators_test
