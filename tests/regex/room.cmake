# RE2 as a peer: build/peers/libre2_peer.so, when a C++ compiler and RE2 are there.
include(CheckLanguage)
check_language(CXX)
find_path(HG_RE2_INCLUDE re2/re2.h)
find_library(HG_RE2_LIBRARY re2)
if(CMAKE_CXX_COMPILER AND HG_RE2_INCLUDE AND HG_RE2_LIBRARY AND NOT HG_MUSL AND NOT HG_SANITIZE)
  enable_language(CXX)
  add_library(re2_peer MODULE ${CMAKE_CURRENT_LIST_DIR}/re2_peer.cc)
  set_target_properties(re2_peer PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/peers CXX_STANDARD 17
    COMPILE_OPTIONS "-O2")
  target_link_libraries(re2_peer PRIVATE ${HG_RE2_LIBRARY})
endif()
