# The engine and the official library side by side: detectors and processors.
foreach(peer detector processor)
  hg_test_program(${peer}_peer waf ${CMAKE_CURRENT_LIST_DIR}/${peer}_peer.c ${CMAKE_CURRENT_LIST_DIR}/peer.c
    ${CMAKE_SOURCE_DIR}/tests/peers/ddwaf1.c)
  target_link_libraries(${peer}_peer PRIVATE ${CMAKE_DL_LIBS})
  hg_add_test(waf.${peer}_peer ${peer}_peer --seconds 3)
endforeach()

if(TARGET waf_text_torture_test)
  target_link_options(waf_text_torture_test PRIVATE
    "LINKER:--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=posix_memalign,--wrap=free")
endif()

if(TARGET waf_shared_memory_test AND NOT HG_SANITIZE AND NOT HG_MUSL) # there it skips itself
  target_link_options(waf_shared_memory_test PRIVATE "LINKER:--wrap=mmap")
endif()
