#!/usr/bin/env bash
# What `make install` lays down can be used: by pkg-config flags (shared and static) and by CMake's find_package.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cmake --install "$HOTGATE_BUILD" --prefix "$dir/root" >"$dir/install.log"
cp "$HOTGATE_SOURCE/examples/judge.c" "$dir/use.c"
rules=$(find "$dir/root" -name hotgate.json -path '*/rules/*')
# judges PROGRAM: does it find an attack, and none in a harmless request?
judges() {
    "$1" "$rules" '/?q=<script>alert(1)</script>' | grep -q ': match$' || return 1
    "$1" "$rules" '/?q=harmless' | grep -q ': ok$'
}
lib=$(dirname "$(find "$dir/root" -name libhotgate.so)")
pc=$lib/pkgconfig/hotgate.pc
[ -f "$pc" ] && [ -x "$dir/root/bin/hotgate" ]
[ "$(find "$dir/root" -name hotgate.1 -path '*/man1/*' | wc -l)" = 1 ]
[ "$(find "$dir/root" -name hotgate -path '*/bash-completion/*' | wc -l)" = 1 ]
private=$(sed -n 's/^Libs.private: //p' "$pc")
cc "$dir/use.c" -I"$dir/root/include" -L"$lib" -lhotgate -o "$dir/shared"
LD_LIBRARY_PATH=$lib judges "$dir/shared"
# shellcheck disable=SC2086
cc "$dir/use.c" -I"$dir/root/include" "$lib/libhotgate.a" $private -o "$dir/static"
judges "$dir/static"
mkdir "$dir/project"
cp "$dir/use.c" "$dir/project/"
cat >"$dir/project/CMakeLists.txt" <<'C'
cmake_minimum_required(VERSION 3.18)
project(use C)
find_package(hotgate REQUIRED)
add_executable(use use.c)
target_link_libraries(use hotgate::hotgate)
C
cmake -S "$dir/project" -B "$dir/project/build" -DCMAKE_PREFIX_PATH="$dir/root" >"$dir/cmake.log" 2>&1 ||
  { cat "$dir/cmake.log"; exit 1; }
cmake --build "$dir/project/build" >"$dir/build.log" 2>&1 || { cat "$dir/build.log"; exit 1; }
judges "$dir/project/build/use"

# Nothing but hg_ names leaves the shared library.
foreign=$(nm -D --defined-only "$lib/libhotgate.so" | awk '{print $3}' | grep -v '^hg_' || true)
[ -z "$foreign" ] || { echo "exported: $foreign"; exit 1; }
echo "install is usable"
