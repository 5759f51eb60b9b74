#!/usr/bin/env bash
# A room must not include a header of a room above it: each room's include directory shows only the rooms it may
# use, so the compiler refuses. Checked by trying it, and by looking for ways around it.
set -u
cd "$HOTGATE_SOURCE" || exit 2
fails=0
passes=0
check() { # check NAME EXPECTED-STATUS COMMAND...
  local name=$1 want=$2 got=0
  shift 2
  "$@" >/dev/null 2>&1 || got=1
  if [ "$got" = "$want" ]; then passes=$((passes + 1)); else fails=$((fails + 1)); echo "failed: $name"; fi
}
compile() { # compile ROOM HEADER
  printf '#include "%s"\n' "$2" |
    cc -x c -D_GNU_SOURCE -fsyntax-only -I "$HOTGATE_BUILD/rooms/$1" -Iinclude -
}

# some header of every room, as "room/file.h"
header() { find "src/$1" -name '*.h' | sort | head -1 | sed 's|^src/||'; }

for pair in base:value base:waf regex:value regex:waf text:waf text:value value:waf value:regex http:request \
            net:waf net:watch request:waf waf:request waf:net prof:waf; do
  low=${pair%%:*} high=${pair##*:}
  file=$(header "$high")
  [ -n "$file" ] && check "$low may not include $file" 1 compile "$low" "$file"
done
for pair in value:base waf:regex waf:text request:http; do
  high=${pair%%:*} low=${pair##*:}
  file=$(header "$low")
  [ -n "$file" ] && check "$high may include $file" 0 compile "$high" "$file"
done

around=$(grep -rnE '#include "\.\./|#include "src/' src compat bindings 2>/dev/null)
check "no include goes around the rooms: $around" 0 test -z "$around"
echo "$passes passed, $fails failed"
[ "$fails" = 0 ]
