# The command: build/hotgate. It may use every room.

set(view ${CMAKE_BINARY_DIR}/rooms/cli)
file(REMOVE_RECURSE ${view})
file(MAKE_DIRECTORY ${view})
get_property(rooms GLOBAL PROPERTY hg_rooms)
foreach(seen IN LISTS rooms ITEMS cli)
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src/${seen} ${view}/${seen} SYMBOLIC)
endforeach()

file(GLOB_RECURSE cli_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/cli/*.c)
add_executable(hotgate ${cli_sources})
target_include_directories(hotgate PRIVATE ${view})
target_link_libraries(hotgate PRIVATE hotgate_static)
file(GLOB cli_extras CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/cli/room.cmake ${CMAKE_SOURCE_DIR}/src/cli/*/room.cmake)
foreach(extra IN LISTS cli_extras)
  include(${extra})
endforeach()
