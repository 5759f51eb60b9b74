# A million evaluations of both libddwaf.so side by side, and a hundred thousand damaged configurations.
.PHONY: soak-compat
soak-compat: all deps
	HOTGATE_BUILD=$(BUILD) $(BUILD)/tests/compat_diff --seed $(or $(SEED),1) --evaluations 1000000 --configs 100000

# Ten thousand updates and rebuilds while two threads judge requests. Without glibc's thread caches: they fill over thousands of
# updates when one thread frees what another allocated, and are the allocator's, not ours.
.PHONY: soak-reload
soak-reload: all
	GLIBC_TUNABLES=glibc.malloc.tcache_count=0 $(BUILD)/tests/waf_reload_test 10000
