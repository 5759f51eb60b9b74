#!/usr/bin/env bash
# What `make install` lays down can be used: by pkg-config flags (shared and static) and by CMake's find_package.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cmake --install "$HOTGATE_BUILD" --prefix "$dir/root" >"$dir/install.log"
cat >"$dir/use.c" <<'C'
#include <hotgate/value.h>
#include <stdio.h>
int main(void)
{
    hg_value v;
    hg_set_unsigned(&v, 7);
    puts(hg_type_name(v.type));
    return 0;
}
C
lib=$(dirname "$(find "$dir/root" -name libhotgate.so)")
pc=$lib/pkgconfig/hotgate.pc
[ -f "$pc" ] && [ -x "$dir/root/bin/hotgate" ]
[ "$(find "$dir/root" -name hotgate.1 -path '*/man1/*' | wc -l)" = 1 ]
[ "$(find "$dir/root" -name hotgate -path '*/bash-completion/*' | wc -l)" = 1 ]
private=$(sed -n 's/^Libs.private: //p' "$pc")
cc "$dir/use.c" -I"$dir/root/include" -L"$lib" -lhotgate -o "$dir/shared"
[ "$(LD_LIBRARY_PATH=$lib "$dir/shared")" = unsigned ]
# shellcheck disable=SC2086
cc "$dir/use.c" -I"$dir/root/include" "$lib/libhotgate.a" $private -o "$dir/static"
[ "$("$dir/static")" = unsigned ]
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
[ "$("$dir/project/build/use")" = unsigned ]

# Nothing but hg_ names leaves the shared library.
foreign=$(nm -D --defined-only "$lib/libhotgate.so" | awk '{print $3}' | grep -v '^hg_' || true)
[ -z "$foreign" ] || { echo "exported: $foreign"; exit 1; }
echo "install is usable"
