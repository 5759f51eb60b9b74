# Allocation failures are injected at link time.
if(TARGET net_torture_test)
  target_link_options(net_torture_test PRIVATE
    "LINKER:--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=posix_memalign,--wrap=free,--wrap=strdup")
endif()
