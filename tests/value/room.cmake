# The deadline's tests turn the clock themselves.
if(TARGET value_deadline_test)
  target_link_options(value_deadline_test PRIVATE "LINKER:--wrap=hg_clock_monotonic_ns")
endif()

# msgpack-c as a peer.
find_path(HG_MSGPACK_INCLUDE msgpack.h)
find_library(HG_MSGPACK_LIBRARY NAMES msgpackc msgpack-c)
if(HG_MSGPACK_INCLUDE AND HG_MSGPACK_LIBRARY AND hg_cmocka_library AND NOT HG_MUSL)
  hg_test_program(value_msgpack_peer value ${CMAKE_CURRENT_LIST_DIR}/msgpack_peer.c)
  target_include_directories(value_msgpack_peer SYSTEM PRIVATE ${hg_cmocka_include} ${HG_MSGPACK_INCLUDE})
  target_link_libraries(value_msgpack_peer PRIVATE ${hg_cmocka_library} ${HG_MSGPACK_LIBRARY})
  hg_add_test(value.msgpack_peer value_msgpack_peer)
else()
  hg_add_test(value.msgpack_peer sh -c "echo 'skipped: msgpack-c is not installed'; exit 77")
endif()
