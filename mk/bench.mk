# Every benchmark beside its peers, into docs/benchmarks.md.
bench: all deps
	bash tools/bench $(BUILD)
