# libcarom, static and shared, with what others need to find it: headers, carom.pc, the CMake package

add_library(carom_static STATIC $<TARGET_OBJECTS:carom_objects>)
add_library(carom_shared SHARED $<TARGET_OBJECTS:carom_objects>)
# before 1.0 any minor version may change the interface: packages depend on the minor, and programs can compare
# carom_version() with CAROM_VERSION
set_target_properties(carom_shared PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})

foreach(library carom_static carom_shared)
  set_target_properties(${library} PROPERTIES OUTPUT_NAME carom LINKER_LANGUAGE C)
  target_include_directories(${library} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${CAROM_GENERATED}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${library} PRIVATE ${CAROM_YAML} Threads::Threads m)
  if(CAROM_SANITIZE)
    target_link_options(${library} PUBLIC -fsanitize=${CAROM_SANITIZE})
  endif()
  add_library(carom::${library} ALIAS ${library})
endforeach()
if(CAROM_BUNDLE)
  target_link_options(carom_shared PRIVATE -Wl,--exclude-libs,ALL)
endif()
# for tests and benchmarks, which reach internals: only what they use of the archive comes in. Instrumented code
# is large; it is shared then, with every name visible (150 tests take 0.3 GB, not 4.5), as it is where one changed
# source must not mean linking every test anew (scripts/mutate.py)
add_library(carom_inside INTERFACE)
target_include_directories(carom_inside INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(carom_inside INTERFACE carom_flags m)
if((CAROM_SANITIZE OR CAROM_SHARED_TESTS) AND CAROM_WHOLE_HOUSE)
  target_compile_options(carom_objects PRIVATE -fvisibility=default -fno-semantic-interposition)
  target_link_libraries(carom_inside INTERFACE carom_shared)
else()
  target_link_libraries(carom_inside INTERFACE carom_static)
endif()

if(BUILD_SHARED_LIBS)
  add_library(carom::carom ALIAS carom_shared)
else()
  add_library(carom::carom ALIAS carom_static)
endif()

install(TARGETS carom_static carom_shared EXPORT carom_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/carom DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${CAROM_GENERATED}/carom/version.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/carom)

# pkg-config: paths relative to the file itself, so that an installed tree can be moved
set(carom_pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH CAROM_PC_PREFIX /prefix/${carom_pc_dir} /prefix)
configure_file(cmake/carom.pc.in ${CMAKE_CURRENT_BINARY_DIR}/carom.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/carom.pc DESTINATION ${carom_pc_dir})

# find_package(carom): targets carom::carom, carom::carom_static, carom::carom_shared
include(CMakePackageConfigHelpers)
set(carom_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/carom)
configure_package_config_file(cmake/carom-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/carom-config.cmake
  INSTALL_DESTINATION ${carom_package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/carom-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(EXPORT carom_targets NAMESPACE carom:: DESTINATION ${carom_package_dir})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/carom-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/carom-config-version.cmake DESTINATION ${carom_package_dir})
