# The stock profile of the injection detectors: their sources compiled a second time. Its objects stand before the
# library in the link, so that the library's own are not drawn in.
file(GLOB hg_injection_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/text/sqli/*.c ${CMAKE_SOURCE_DIR}/src/text/xss/*.c)

function(hg_stock_program name)
  hg_test_program(${name} cli ${ARGN} ${hg_injection_sources})
  target_compile_definitions(${name} PRIVATE HG_INJECTION_STOCK=1)
  target_link_libraries(${name} PRIVATE ${CMAKE_DL_LIBS})
endfunction()

hg_stock_program(conformance_stock ${conformance_sources})

# The peers are glibc libraries.
if(NOT HG_MUSL)
  set(hg_injection_peer ${CMAKE_CURRENT_LIST_DIR}/injection_peer.c ${CMAKE_CURRENT_LIST_DIR}/injection_mutate.c)
  hg_stock_program(injection_peer_stock ${hg_injection_peer} ${CMAKE_CURRENT_LIST_DIR}/injection_oracle_stock.c)
  hg_test_program(injection_peer_waf cli ${hg_injection_peer} ${CMAKE_CURRENT_LIST_DIR}/injection_oracle_waf.c
    ${CMAKE_SOURCE_DIR}/tests/peers/ddwaf1.c)
  target_link_libraries(injection_peer_waf PRIVATE ${CMAKE_DL_LIBS})
  hg_add_test(text.injection_peer_stock injection_peer_stock --seconds 6)
  hg_add_test(text.injection_peer_waf injection_peer_waf --seconds 6)

  hg_test_program(transform_peer text ${CMAKE_CURRENT_LIST_DIR}/transform_peer.c ${CMAKE_SOURCE_DIR}/tests/peers/ddwaf1.c)
  target_link_libraries(transform_peer PRIVATE ${CMAKE_DL_LIBS})
  hg_add_test(text.transform_peer transform_peer --seconds 3)
endif()
