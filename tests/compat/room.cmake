# The differential runner against the official libddwaf 1.x, and what the tests of the facades are linked with.
if(TARGET ddwaf1)
  file(GLOB hg_diff_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/diff/*.c)
  hg_test_program(compat_diff cli ${hg_diff_sources} ${CMAKE_SOURCE_DIR}/tests/peers/ddwaf1.c)
  target_link_libraries(compat_diff PRIVATE ${CMAKE_DL_LIBS})
  add_dependencies(compat_diff ddwaf1)
  hg_add_test(compat.diff compat_diff --seconds 8)
endif()

# tests/compat/vN_*_test.c are linked with the facade of ABI N.
get_property(hg_compat_tests DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
foreach(program IN LISTS hg_compat_tests)
  if(program MATCHES "^compat_v([12])_")
    set(abi ${CMAKE_MATCH_1})
    target_sources(${program} PRIVATE $<TARGET_OBJECTS:ddwaf${abi}_objects>)
    target_include_directories(${program} BEFORE PRIVATE ${CMAKE_SOURCE_DIR}/include/hotgate/ddwaf${abi})
    target_compile_definitions(${program} PRIVATE HG_DDWAF_VERSION="${HG_DDWAF_V1_VERSION}")
  endif()
endforeach()

# Programs that count or fail calls of malloc (tests/failing_malloc.h).
foreach(program compat_v2_torture_test compat_v1_allocations_test compat_v2_allocations_test)
  if(TARGET ${program})
    target_link_options(${program} PRIVATE
      "LINKER:--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=posix_memalign,--wrap=free")
  endif()
endforeach()
