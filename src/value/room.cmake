# The walker of sources is one hot loop; -O3 unrolls and inlines it where -O2 does not.
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/value/encode_source.c PROPERTIES COMPILE_OPTIONS
  "$<$<CONFIG:Release>:-O3>")
