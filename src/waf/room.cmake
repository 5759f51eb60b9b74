# The loops that every element of a request goes through.
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/waf/eval/scan.c ${CMAKE_SOURCE_DIR}/src/waf/eval/walk.c
  PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>")
