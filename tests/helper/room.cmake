# Kafka's mock cluster, for tests/helper/kafka_test.py.
if(TARGET hotgate_kafka)
  add_executable(kafka_peer ${CMAKE_SOURCE_DIR}/tests/helper/kafka_peer.c)
  set_target_properties(kafka_peer PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_include_directories(kafka_peer PRIVATE ${HG_KAFKA_INCLUDE})
  target_link_libraries(kafka_peer PRIVATE ${HG_KAFKA_LIBRARY})
endif()
