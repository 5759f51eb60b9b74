# Where plugins of the daemon are installed.
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/cli/serve.c PROPERTIES
  COMPILE_DEFINITIONS "HG_PLUGIN_FOLDER=\"${CMAKE_INSTALL_FULL_LIBDIR}/hotgate\"")

# The ruleset that is part of the program.
set(rules ${CMAKE_SOURCE_DIR}/rules/hotgate.json)
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/cli/embedded.c PROPERTIES
  COMPILE_DEFINITIONS "HG_EMBEDDED_RULES=\"${rules}\"" OBJECT_DEPENDS ${rules})

# The page of scan --report.
set(page ${CMAKE_SOURCE_DIR}/src/cli/scan/report.html)
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/cli/scan/page.c PROPERTIES
  COMPILE_DEFINITIONS "HG_REPORT_PAGE=\"${page}\"" OBJECT_DEPENDS ${page})
