# Scans of 2 GB as access log, HAR and NDJSON: flat memory, and exactly the attacks: make soak-scan SIZE=8G SEED=7
.PHONY: soak-scan
soak-scan: all
	HOTGATE_BUILD=$(BUILD) SIZE=$(or $(SIZE),2G) SEED=$(or $(SEED),1) python3 tests/cli/scan_memory_test.py
