# The injection detectors run on every string of a request; they gain a sixth from being inlined further.
file(GLOB hot_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/sqli/*.c ${CMAKE_CURRENT_LIST_DIR}/xss/*.c
  ${CMAKE_CURRENT_LIST_DIR}/injection_marks.c)
set_source_files_properties(${hot_sources} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O3>)
