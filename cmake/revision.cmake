# CAROM_REVISION: the commit the sources come from, for the provenance of results.
# A new commit configures again, so that the recorded hash is never that of an older checkout.
set(CAROM_REVISION unknown)
find_package(Git QUIET)
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --short=12 HEAD
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE carom_head RESULT_VARIABLE carom_git_failed
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT carom_git_failed)
    set(CAROM_REVISION ${carom_head})
  endif()
  set(carom_head_log ${PROJECT_SOURCE_DIR}/.git/logs/HEAD)
  if(EXISTS ${carom_head_log})
    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${carom_head_log})
  endif()
endif()
