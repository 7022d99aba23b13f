# the `carom` program, and the rooms that lean on heavier libraries and therefore stay out of libcarom

# the program carries the library with it, except where that is changed under it (scripts/mutate.py)
set(carom_of_program carom_static)
if(CAROM_SHARED_TESTS)
  set(carom_of_program carom_shared)
endif()

# recorded files: HDF5 is linked here, at the edge
file(GLOB record_sources CONFIGURE_DEPENDS src/record/*.c)
if(record_sources)
  add_library(carom_record STATIC ${record_sources})
  target_include_directories(carom_record PUBLIC include src ${CAROM_GENERATED})
  target_link_libraries(carom_record PRIVATE carom_flags PUBLIC ${carom_of_program})
  carom_link_hdf5(carom_record)
  install(TARGETS carom_record ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  configure_file(cmake/carom_record.pc.in ${CMAKE_CURRENT_BINARY_DIR}/carom_record.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/carom_record.pc DESTINATION ${carom_pc_dir})
endif()

# pictures, pages and movies of recorded files
file(GLOB draw_sources CONFIGURE_DEPENDS src/draw/*.c)
if(draw_sources)
  include(embed)
  file(GLOB page_files CONFIGURE_DEPENDS src/draw/page/*)
  carom_embed(${PROJECT_BINARY_DIR}/page_files.c ${page_files})
  add_library(carom_draw STATIC ${draw_sources} ${PROJECT_BINARY_DIR}/page_files.c)
  target_include_directories(carom_draw PUBLIC include src ${CAROM_GENERATED})
  target_link_libraries(carom_draw PRIVATE carom_flags m PUBLIC carom_record)
endif()

# scenarios of descriptions of robots
file(GLOB robot_sources CONFIGURE_DEPENDS src/robot/*.c)
if(robot_sources)
  add_library(carom_robot STATIC ${robot_sources})
  target_include_directories(carom_robot PUBLIC include src ${CAROM_GENERATED})
  target_link_libraries(carom_robot PRIVATE carom_flags PUBLIC ${carom_of_program})
endif()

file(GLOB cli_sources CONFIGURE_DEPENDS src/cli/*.c)
if(cli_sources)
  add_executable(carom_program ${cli_sources})
  set_target_properties(carom_program PROPERTIES
    OUTPUT_NAME carom RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  target_include_directories(carom_program PRIVATE include src ${CAROM_GENERATED})
  target_link_libraries(carom_program PRIVATE carom_flags ${carom_of_program} m)
  if(TARGET carom_record)
    target_link_libraries(carom_program PRIVATE carom_record)
  endif()
  if(TARGET carom_draw)
    target_link_libraries(carom_program PRIVATE carom_draw)
  endif()
  if(TARGET carom_robot)
    target_link_libraries(carom_program PRIVATE carom_robot)
  endif()
  # studies and their scenarios are found in the installed folder or, uninstalled, in the sources
  target_compile_definitions(carom_program PRIVATE
    CAROM_DATA_FOLDER="${CMAKE_INSTALL_FULL_DATADIR}/carom" CAROM_SOURCE_FOLDER="${CAROM_SOURCE_FOLDER}")
  install(DIRECTORY scenarios studies DESTINATION ${CMAKE_INSTALL_DATADIR}/carom)
  # the page of the lab, where it was built (make lab)
  install(FILES build-lab/lab.html build-lab/stage.js DESTINATION ${CMAKE_INSTALL_DATADIR}/carom OPTIONAL)
  install(TARGETS carom_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  # the manual page is written by the program itself, from the tables of its help
  add_custom_command(TARGET carom_program POST_BUILD VERBATIM
    COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${PROJECT_BINARY_DIR}
    sh -c "\"$1\" help --man > \"$2\"" sh $<TARGET_FILE:carom_program> ${PROJECT_BINARY_DIR}/carom.1)
  install(FILES ${PROJECT_BINARY_DIR}/carom.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  # and so is what shells complete command lines by
  set(completions bash bash-completion/completions/carom zsh zsh/site-functions/_carom fish fish/vendor_completions.d/carom.fish)
  while(completions)
    list(POP_FRONT completions shell path)
    get_filename_component(folder ${path} DIRECTORY)
    get_filename_component(file ${path} NAME)
    add_custom_command(TARGET carom_program POST_BUILD VERBATIM
      COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/completion/${shell}
      COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${PROJECT_BINARY_DIR} sh -c "\"$1\" help --completion $2 > \"$3\""
      sh $<TARGET_FILE:carom_program> ${shell} ${PROJECT_BINARY_DIR}/completion/${shell}/${file})
    install(FILES ${PROJECT_BINARY_DIR}/completion/${shell}/${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder})
  endwhile()
endif()
