# libhotgate: every room below the CLI, static and shared.

get_property(rooms GLOBAL PROPERTY hg_rooms)
set(objects "")
foreach(room IN LISTS rooms)
  list(APPEND objects $<TARGET_OBJECTS:hg_${room}>)
endforeach()

add_library(hotgate_static STATIC ${objects})
set_target_properties(hotgate_static PROPERTIES OUTPUT_NAME hotgate)
target_link_libraries(hotgate_static PUBLIC Threads::Threads m ${hg_optional_libs})
target_include_directories(hotgate_static PUBLIC
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

add_library(hotgate_shared SHARED ${objects})
set_target_properties(hotgate_shared PROPERTIES OUTPUT_NAME hotgate VERSION 0 SOVERSION 0
  LINK_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/hotgate.map)
target_link_libraries(hotgate_shared PUBLIC Threads::Threads m ${hg_optional_libs})
target_link_options(hotgate_shared PRIVATE -Wl,--version-script=${CMAKE_SOURCE_DIR}/cmake/hotgate.map)
target_include_directories(hotgate_shared PUBLIC
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

if(EXISTS ${CMAKE_SOURCE_DIR}/compat/CMakeLists.txt)
  add_subdirectory(compat)
endif()
