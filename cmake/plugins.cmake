# Plugins of the daemon: shared objects that it loads on demand, each with a library of its own.

if(HG_WITH_KAFKA AND HG_KAFKA_INCLUDE AND HG_KAFKA_LIBRARY)
  add_library(hotgate_kafka MODULE ${CMAKE_SOURCE_DIR}/plugins/kafka.c)
  set_target_properties(hotgate_kafka PROPERTIES PREFIX "" OUTPUT_NAME hotgate-kafka)
  target_include_directories(hotgate_kafka PRIVATE ${CMAKE_BINARY_DIR}/rooms/helper ${HG_KAFKA_INCLUDE})
  target_link_libraries(hotgate_kafka PRIVATE ${HG_KAFKA_LIBRARY})
  install(TARGETS hotgate_kafka LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/hotgate)
endif()
