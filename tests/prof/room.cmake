# A program that makes a profile of known content, for the scripts; and protobuf-c's decoder of the same format.
hg_test_program(prof_make_profile prof ${CMAKE_SOURCE_DIR}/tests/prof/make_profile.c)

find_program(HG_PROTOC_C protoc-c)
find_path(HG_PROTOBUF_C_INCLUDE protobuf-c/protobuf-c.h)
find_library(HG_PROTOBUF_C protobuf-c)
if(HG_PROTOC_C AND HG_PROTOBUF_C_INCLUDE AND HG_PROTOBUF_C AND NOT HG_MUSL)
  set(proto_out ${CMAKE_BINARY_DIR}/tests/proto)
  file(MAKE_DIRECTORY ${proto_out})
  add_custom_command(OUTPUT ${proto_out}/profile.pb-c.c ${proto_out}/profile.pb-c.h
    COMMAND ${HG_PROTOC_C} --c_out=${proto_out} --proto_path=${CMAKE_SOURCE_DIR}/tests/prof profile.proto
    DEPENDS ${CMAKE_SOURCE_DIR}/tests/prof/profile.proto)
  add_executable(prof_protobuf_peer ${CMAKE_SOURCE_DIR}/tests/prof/protobuf_peer.c ${proto_out}/profile.pb-c.c)
  set_target_properties(prof_protobuf_peer PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_include_directories(prof_protobuf_peer PRIVATE ${proto_out})
  target_compile_options(prof_protobuf_peer PRIVATE -w)
  target_link_libraries(prof_protobuf_peer PRIVATE ${HG_PROTOBUF_C})
endif()
