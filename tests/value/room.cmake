# The deadline's tests turn the clock themselves.
if(TARGET value_deadline_test)
  target_link_options(value_deadline_test PRIVATE "LINKER:--wrap=hg_clock_monotonic_ns")
endif()
