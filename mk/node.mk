# A million contexts of the Node binding under a leak check.
soak-node: all
	HOTGATE_BUILD=$(abspath $(BUILD)) HOTGATE_SOURCE=$(CURDIR) HOTGATE_NODE_CONTEXTS=1000000 bash tests/node/binding_test.sh
