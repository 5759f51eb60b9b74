# The stock profile of the injection detectors: their sources compiled a second time. Its objects stand before the
# library in the link, so that the library's own are not drawn in.
file(GLOB hg_injection_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/text/sqli/*.c ${CMAKE_SOURCE_DIR}/src/text/xss/*.c)

function(hg_stock_program name)
  hg_test_program(${name} cli ${ARGN} ${hg_injection_sources})
  target_compile_definitions(${name} PRIVATE HG_INJECTION_STOCK=1)
  target_link_libraries(${name} PRIVATE ${CMAKE_DL_LIBS})
endfunction()

hg_stock_program(conformance_stock ${conformance_sources})
