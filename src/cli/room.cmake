# The ruleset that is part of the program.
set(rules ${CMAKE_SOURCE_DIR}/rules/hotgate.json)
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/cli/embedded.c PROPERTIES
  COMPILE_DEFINITIONS "HG_EMBEDDED_RULES=\"${rules}\"" OBJECT_DEPENDS ${rules})
