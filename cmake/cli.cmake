# The command: build/hotgate. It may use every room.

set(view ${CMAKE_BINARY_DIR}/rooms/cli)
file(REMOVE_RECURSE ${view})
file(MAKE_DIRECTORY ${view})
get_property(rooms GLOBAL PROPERTY hg_rooms)
foreach(seen IN LISTS rooms ITEMS cli)
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src/${seen} ${view}/${seen} SYMBOLIC)
endforeach()

# Everything but main() is a library, so that fuzz targets can call it too.
file(GLOB_RECURSE cli_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/cli/*.c)
list(REMOVE_ITEM cli_sources ${CMAKE_SOURCE_DIR}/src/cli/main.c)
add_library(hg_cli STATIC ${cli_sources})
target_include_directories(hg_cli PUBLIC ${view})
target_link_libraries(hg_cli PUBLIC hotgate_static)
add_executable(hotgate ${CMAKE_SOURCE_DIR}/src/cli/main.c)
target_link_libraries(hotgate PRIVATE hg_cli)
file(GLOB cli_extras CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/cli/room.cmake ${CMAKE_SOURCE_DIR}/src/cli/*/room.cmake)
foreach(extra IN LISTS cli_extras)
  include(${extra})
endforeach()
