# Tests that look inside the command need its objects.
if(TARGET cli_load_histogram_test)
  target_link_libraries(cli_load_histogram_test PRIVATE hg_cli)
endif()
