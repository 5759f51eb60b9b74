# make install: headers, both libraries, pkg-config file, CMake package, man pages, completion, rules.

include(CMakePackageConfigHelpers)

install(TARGETS hotgate RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS hotgate_static hotgate_shared EXPORT hotgate-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/hotgate DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES rules/hotgate.json DESTINATION ${CMAKE_INSTALL_DATADIR}/hotgate/rules)
install(DIRECTORY schema/ DESTINATION ${CMAKE_INSTALL_DATADIR}/hotgate/schema FILES_MATCHING PATTERN "*.json")

# The manual is made of the help that the command itself prints.
if(NOT CMAKE_CROSSCOMPILING)
  set(manual ${CMAKE_BINARY_DIR}/hotgate.1)
  add_custom_command(OUTPUT ${manual}
    COMMAND bash ${CMAKE_SOURCE_DIR}/tools/man-page $<TARGET_FILE:hotgate> ${CMAKE_SOURCE_DIR}/docs/man/hotgate.1.in > ${manual}
    DEPENDS hotgate ${CMAKE_SOURCE_DIR}/tools/man-page ${CMAKE_SOURCE_DIR}/docs/man/hotgate.1.in
    COMMENT "Writing the manual" VERBATIM)
  add_custom_target(manual ALL DEPENDS ${manual})
  install(FILES ${manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()

if(EXISTS ${CMAKE_SOURCE_DIR}/tools/completion.bash)
  install(FILES tools/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME hotgate)
endif()

# Static linking needs what the optional features need.
set(hg_private_libs "-lm -pthread")
if(HG_WITH_ZLIB)
  string(APPEND hg_private_libs " -lz")
endif()
if(HG_YAML_INCLUDE AND HG_YAML_LIBRARY AND HG_WITH_YAML)
  string(APPEND hg_private_libs " -lyaml")
endif()
configure_file(cmake/hotgate.pc.in hotgate.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/hotgate.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(EXPORT hotgate-targets NAMESPACE hotgate:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hotgate)
configure_package_config_file(cmake/hotgate-config.cmake.in hotgate-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hotgate)
write_basic_package_version_file(hotgate-config-version.cmake COMPATIBILITY ExactVersion)
install(FILES ${CMAKE_BINARY_DIR}/hotgate-config.cmake ${CMAKE_BINARY_DIR}/hotgate-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hotgate)
install(FILES share/systemd/hotgate.service share/systemd/hotgate.socket DESTINATION ${CMAKE_INSTALL_PREFIX}/lib/systemd/system)
