# Allocation failures are injected at link time.
if(TARGET regex_cost_test)
  target_link_options(regex_cost_test PRIVATE
    -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=posix_memalign,--wrap=free)
endif()

# RE2 as a peer: build/peers/libre2_peer.so, when a C++ compiler and RE2 are there. It is built apart from the
# project's flags, so that sanitized programs can load it too.
find_program(HG_CXX NAMES c++ g++ clang++)
find_path(HG_RE2_INCLUDE re2/re2.h)
find_library(HG_RE2_LIBRARY re2)
if(HG_CXX AND HG_RE2_INCLUDE AND HG_RE2_LIBRARY AND NOT HG_MUSL)
  set(peer ${CMAKE_BINARY_DIR}/peers/libre2_peer.so)
  add_custom_command(OUTPUT ${peer}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/peers
    COMMAND ${HG_CXX} -std=c++17 -O2 -shared -fPIC ${CMAKE_CURRENT_LIST_DIR}/re2_peer.cc -o ${peer} ${HG_RE2_LIBRARY}
    DEPENDS ${CMAKE_CURRENT_LIST_DIR}/re2_peer.cc VERBATIM)
  add_custom_target(re2_peer ALL DEPENDS ${peer})
endif()
