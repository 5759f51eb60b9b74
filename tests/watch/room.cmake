# The Geneve end of the live tests.
add_executable(geneve_tap ${CMAKE_SOURCE_DIR}/tests/watch/geneve_tap.c)
set_target_properties(geneve_tap PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
