#!/usr/bin/env bash
# The Node binding: built against an installed Hotgate, tested by node --test beside the official client.
set -eu
command -v node >/dev/null || { echo "skipped: node is not installed"; exit 77; }
prefix=$HOTGATE_BUILD/node-prefix
addon=$HOTGATE_BUILD/node
cmake --install "$HOTGATE_BUILD" --prefix "$prefix" >/dev/null
cmake -S "$HOTGATE_SOURCE/bindings/node" -B "$addon" -DCMAKE_PREFIX_PATH="$prefix" >"$addon.log" 2>&1 ||
  { cat "$addon.log"; exit 1; }
cmake --build "$addon" >>"$addon.log" 2>&1 || { tail -30 "$addon.log"; exit 1; }
if readelf -d "$addon/hotgate.node" | grep -q 'NEEDED.*ddwaf'; then
  echo "the addon needs a libddwaf.so"
  exit 1
fi
export HOTGATE_NODE_ADDON=$addon/hotgate.node
export HOTGATE_NODE_PEER=$HOTGATE_BUILD/peers/node_modules/@datadog/native-appsec
node --expose-gc --test "$HOTGATE_SOURCE"/bindings/node/test/*.test.mjs
[ -d "$HOTGATE_NODE_PEER" ] || { echo "skipped: the official client is not installed"; exit 77; }
