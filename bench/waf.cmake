# The rival: libddwaf 1.x as tests know it.
target_sources(bench_waf PRIVATE ${CMAKE_SOURCE_DIR}/tests/peers/ddwaf1.c)
target_include_directories(bench_waf PRIVATE ${CMAKE_SOURCE_DIR}/tests)
set_target_properties(bench_waf PROPERTIES ENABLE_EXPORTS ON) # the rival's allocations are counted, too
