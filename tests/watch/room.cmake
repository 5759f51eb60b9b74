# Allocation failures are injected at link time.
if(TARGET watch_torture_test)
  target_link_options(watch_torture_test PRIVATE
    "LINKER:--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=posix_memalign,--wrap=free,--wrap=strdup")
endif()

# The Geneve end of the live tests.
add_executable(geneve_tap ${CMAKE_SOURCE_DIR}/tests/watch/geneve_tap.c)
set_target_properties(geneve_tap PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

# Mutated captures under sanitizers, in every build: the rooms of the wire are built a second time for it.
if(hg_cmocka_library AND NOT HG_MUSL AND NOT HG_SANITIZE MATCHES "thread" AND NOT HG_FUZZ)
  include(CheckCSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS -fsanitize=address,undefined)
  check_c_source_compiles("int main(void) { return 0; }" HG_HAS_SANITIZERS)
  unset(CMAKE_REQUIRED_FLAGS)
  if(HG_HAS_SANITIZERS)
    file(GLOB_RECURSE wire_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/net/*.c ${CMAKE_SOURCE_DIR}/src/http/*.c
      ${CMAKE_SOURCE_DIR}/src/watch/*.c)
    add_executable(watch_mutants ${CMAKE_SOURCE_DIR}/tests/watch/mutants.c ${wire_sources})
    get_property(below GLOBAL PROPERTY hg_below_watch)
    list(REMOVE_ITEM below net http)
    foreach(used IN LISTS below)
      target_sources(watch_mutants PRIVATE $<TARGET_OBJECTS:hg_${used}>)
    endforeach()
    set_target_properties(watch_mutants PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    target_include_directories(watch_mutants PRIVATE ${CMAKE_BINARY_DIR}/rooms/watch ${CMAKE_SOURCE_DIR}/include
      ${CMAKE_SOURCE_DIR}/tests ${hg_cmocka_include})
    target_compile_options(watch_mutants PRIVATE -UNDEBUG -O1 -g -fsanitize=address,undefined
      -fno-sanitize-recover=undefined)
    target_link_options(watch_mutants PRIVATE -fsanitize=address,undefined)
    target_link_libraries(watch_mutants PRIVATE ${hg_cmocka_library} Threads::Threads m ${CMAKE_DL_LIBS} ${hg_optional_libs})
    hg_add_test(watch.mutants watch_mutants --seconds 20 $ENV{HOTGATE_CASES})
  endif()
endif()
