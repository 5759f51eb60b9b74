# The flame graph page is embedded in the binary.
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/cli/prof/page.c PROPERTIES
  COMPILE_DEFINITIONS HG_FLAME_PAGE="${CMAKE_SOURCE_DIR}/src/cli/prof/flame.html"
  OBJECT_DEPENDS ${CMAKE_SOURCE_DIR}/src/cli/prof/flame.html)
