# Long runs of the daemon under everything at once (tests/helper/soak.py): make soak-helper [SEED=n] [SOAK_SECONDS=n]
SEED ?= 1

.PHONY: soak-helper soak-helper-asan soak-helper-tsan
soak-helper: SOAK_SECONDS ?= 1800
soak-helper: all
	HOTGATE_BUILD=$(abspath $(BUILD)) HOTGATE_SOURCE=$(CURDIR) python3 tests/helper/soak.py --seconds $(SOAK_SECONDS) --seed $(SEED)

soak-helper-asan soak-helper-tsan: SOAK_SECONDS = 300
soak-helper-asan soak-helper-tsan: soak-helper-%:
	cmake --preset $*
	cmake --build --preset $* --target hotgate --parallel $(JOBS)
	HOTGATE_BUILD=$(CURDIR)/build/$* HOTGATE_SOURCE=$(CURDIR) python3 tests/helper/soak.py --seconds $(SOAK_SECONDS) --seed $(SEED) --rate 30
