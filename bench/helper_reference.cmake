# Its engines, the protocol, and the rival as tests know it.
target_sources(bench_helper_reference PRIVATE ${CMAKE_SOURCE_DIR}/bench/reference/protocol.c
  ${CMAKE_SOURCE_DIR}/bench/reference/engine_ours.c ${CMAKE_SOURCE_DIR}/bench/reference/engine_official.c
  ${CMAKE_SOURCE_DIR}/tests/peers/ddwaf1.c)
