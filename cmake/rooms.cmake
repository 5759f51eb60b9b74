# A room is one folder under src/, one object library hg_NAME, and may include headers only of rooms it uses.
# Each room gets an include directory of its own, build/rooms/NAME/, holding one link for itself and for
# every room below it; so an include that goes up does not compile.

function(hg_room name)
  cmake_parse_arguments(arg "" "" "USES" ${ARGN})
  set(below "")
  foreach(used IN LISTS arg_USES)
    get_property(under GLOBAL PROPERTY hg_below_${used})
    list(APPEND below ${used} ${under})
  endforeach()
  list(REMOVE_DUPLICATES below)
  set_property(GLOBAL PROPERTY hg_below_${name} "${below}")
  set_property(GLOBAL APPEND PROPERTY hg_rooms ${name})

  set(view ${CMAKE_BINARY_DIR}/rooms/${name})
  file(REMOVE_RECURSE ${view})
  file(MAKE_DIRECTORY ${view})
  foreach(seen IN LISTS name below)
    file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src/${seen} ${view}/${seen} SYMBOLIC)
  endforeach()

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.c)
  if(NOT sources)
    set(sources ${CMAKE_SOURCE_DIR}/cmake/empty.c)
  endif()
  add_library(hg_${name} OBJECT ${sources})
  target_include_directories(hg_${name} PRIVATE ${view} ${CMAKE_SOURCE_DIR}/include)
  if(EXISTS ${CMAKE_SOURCE_DIR}/src/${name}/room.cmake)
    include(${CMAKE_SOURCE_DIR}/src/${name}/room.cmake)  # generated files, per-file flags
  endif()
endfunction()
