# Tests, fuzz replays and benchmarks. Files are found by name, so adding one needs no edit here:
#   tests/ROOM/SUBJECT_test.c    a cmocka program, linked only with ROOM and the rooms below it
#   tests/ROOM/SUBJECT_test.{sh,py,mjs}   a script; exit status 77 means skipped
#   tests/ROOM/room.cmake        extra targets of that room (peers, data generators)
#   fuzz/TARGET.c                LLVMFuzzerTestOneInput; replays fuzz/corpus/TARGET as a test
#   bench/NAME.c                 build/bench/NAME

if(NOT HG_TESTS)
  return()
endif()
enable_testing()

set(all_view ${CMAKE_BINARY_DIR}/rooms/cli)
set(HG_TEST_ENV "HOTGATE_BUILD=${CMAKE_BINARY_DIR};HOTGATE_SOURCE=${CMAKE_SOURCE_DIR};HOTGATE_BUILD_TYPE=${CMAKE_BUILD_TYPE};HOTGATE_SANITIZE=${HG_SANITIZE}")
if(DEFINED ENV{HOTGATE_CASES})
  list(APPEND HG_TEST_ENV "HOTGATE_CASES=$ENV{HOTGATE_CASES}")
endif()

if(HG_MUSL)
  set(hg_cmocka_include ${CMAKE_SOURCE_DIR}/tests/musl)
  set(hg_cmocka_library "")
else()
  find_path(hg_cmocka_include cmocka.h)
  find_library(hg_cmocka_library cmocka)
endif()

# hg_test_program(NAME ROOM SOURCES...): an executable that sees ROOM and what is below it.
function(hg_test_program name room)
  add_executable(${name} ${ARGN})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  if(room STREQUAL "cli" OR room STREQUAL "compat" OR room STREQUAL "house")
    target_include_directories(${name} PRIVATE ${all_view})
    target_link_libraries(${name} PRIVATE hotgate_static)
  else()
    get_property(below GLOBAL PROPERTY hg_below_${room})
    foreach(used IN LISTS room below)
      target_sources(${name} PRIVATE $<TARGET_OBJECTS:hg_${used}>)
    endforeach()
    target_include_directories(${name} PRIVATE ${CMAKE_BINARY_DIR}/rooms/${room})
    target_link_libraries(${name} PRIVATE Threads::Threads m ${hg_optional_libs})
  endif()
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/tests)
  target_compile_options(${name} PRIVATE -UNDEBUG)
endfunction()

function(hg_add_test name)
  add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 ENVIRONMENT "${HG_TEST_ENV}")
endfunction()

if(hg_cmocka_include AND (HG_MUSL OR hg_cmocka_library))
  file(GLOB test_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/*/*_test.c)
  foreach(source IN LISTS test_sources)
    get_filename_component(subject ${source} NAME_WE)
    get_filename_component(room ${source} DIRECTORY)
    get_filename_component(room ${room} NAME)
    string(REGEX REPLACE "_test$" "" short ${subject})
    hg_test_program(${room}_${subject} ${room} ${source})
    target_include_directories(${room}_${subject} PRIVATE ${hg_cmocka_include})
    target_link_libraries(${room}_${subject} PRIVATE ${hg_cmocka_library} ${CMAKE_DL_LIBS})
    hg_add_test(${room}.${short} ${room}_${subject})
  endforeach()
else()
  message(STATUS "cmocka not found: C tests are not built (Debian: libcmocka-dev)")
endif()

# Debian's packages for Python belong to the system's interpreter, which need not be the first on PATH.
find_program(HG_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(HG_PYTHON NAMES python3)

if(NOT HG_MUSL)
  file(GLOB test_scripts CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/*/*_test.sh
    ${CMAKE_SOURCE_DIR}/tests/*/*_test.py ${CMAKE_SOURCE_DIR}/tests/*/*_test.mjs)
  foreach(source IN LISTS test_scripts)
    get_filename_component(subject ${source} NAME_WE)
    get_filename_component(extension ${source} EXT)
    get_filename_component(room ${source} DIRECTORY)
    get_filename_component(room ${room} NAME)
    string(REGEX REPLACE "_test$" "" short ${subject})
    if(HG_SANITIZE AND short MATCHES "^(install|binding|musl)$")
      continue() # they build programs that do not bring the sanitizer's runtime
    endif()
    if(extension STREQUAL ".sh")
      hg_add_test(${room}.${short} bash ${source})
    elseif(extension STREQUAL ".py")
      hg_add_test(${room}.${short} ${HG_PYTHON} ${source})
    else()
      hg_add_test(${room}.${short} node ${source})
    endif()
  endforeach()
endif()

# Fuzz targets: libFuzzer programs in the fuzz preset, corpus replays elsewhere.
# hg_fuzz_target(TARGET SOURCE [DEFINITIONS...])
function(hg_fuzz_target target source)
  add_executable(fuzz_${target} ${source})
  set_target_properties(fuzz_${target} PROPERTIES OUTPUT_NAME ${target}
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  target_include_directories(fuzz_${target} PRIVATE ${all_view} ${CMAKE_SOURCE_DIR}/tests ${CMAKE_SOURCE_DIR}/fuzz)
  target_compile_options(fuzz_${target} PRIVATE -UNDEBUG -Wno-missing-prototypes)
  target_compile_definitions(fuzz_${target} PRIVATE ${ARGN})
  target_link_libraries(fuzz_${target} PRIVATE hg_cli ${CMAKE_DL_LIBS})
  if(HG_FUZZ)
    target_link_options(fuzz_${target} PRIVATE -fsanitize=fuzzer)
  else()
    target_sources(fuzz_${target} PRIVATE ${CMAKE_SOURCE_DIR}/fuzz/replay.c)
    hg_add_test(fuzz.${target} fuzz_${target} ${CMAKE_SOURCE_DIR}/fuzz/corpus/${target})
  endif()
endfunction()

file(GLOB fuzz_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/fuzz/*.c)
list(FILTER fuzz_sources EXCLUDE REGEX "/replay\\.c$")
foreach(source IN LISTS fuzz_sources)
  get_filename_component(target ${source} NAME_WE)
  hg_fuzz_target(${target} ${source})
endforeach()

# One target a packet layer, from the table of layers: net_layer_NAME.
file(STRINGS ${CMAKE_SOURCE_DIR}/src/net/layers/layers.def layer_lines REGEX "^NET_LAYER")
foreach(line IN LISTS layer_lines)
  string(REGEX REPLACE "^NET_LAYER\\(([a-z0-9_]+)\\).*" "\\1" layer "${line}")
  hg_fuzz_target(net_layer_${layer} ${CMAKE_SOURCE_DIR}/fuzz/layers/net_layer.c FUZZ_LAYER=net_layer_${layer})
endforeach()

# Benchmarks are programs, never timed tests.
file(GLOB bench_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/bench/*.c)
foreach(source IN LISTS bench_sources)
  get_filename_component(name ${source} NAME_WE)
  add_executable(bench_${name} ${source})
  set_target_properties(bench_${name} PROPERTIES OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
  target_include_directories(bench_${name} PRIVATE ${all_view} ${CMAKE_SOURCE_DIR}/bench ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(bench_${name} PRIVATE hotgate_static ${CMAKE_DL_LIBS})
  include(${CMAKE_SOURCE_DIR}/bench/${name}.cmake OPTIONAL) # more sources
endforeach()

# The conformance runner: tests/conformance/*.c, one file a kind.
file(GLOB conformance_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/conformance/*.c)
list(FILTER conformance_sources EXCLUDE REGEX "_test\\.c$")
if(conformance_sources)
  hg_test_program(conformance cli ${conformance_sources})
  target_link_libraries(conformance PRIVATE ${CMAKE_DL_LIBS})
endif()

file(GLOB test_extras CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/*/room.cmake)
foreach(extra IN LISTS test_extras)
  include(${extra})
endforeach()
