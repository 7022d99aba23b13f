# A card that is this processor (tests/device/card_here.c): the engine compiled as scripts/build_device.sh does for a
# card, but for this machine. With it tests compare the bits of everything but the card itself.
execute_process(COMMAND ${PROJECT_SOURCE_DIR}/scripts/device_sources.sh here
  OUTPUT_VARIABLE sources OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" sources "${sources}")
list(TRANSFORM sources PREPEND ${PROJECT_SOURCE_DIR}/)
add_library(carom_threads_here OBJECT ${sources})
add_library(carom_card_here MODULE device/card_here.c)
# and a driver that has no card (tests/device/driver_here.c), by the name that is opened
add_library(carom_driver_here MODULE device/driver_here.c)
set_target_properties(carom_card_here PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
set_target_properties(carom_driver_here PROPERTIES PREFIX "" SUFFIX "" OUTPUT_NAME libcuda.so.1
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/driver_here)
foreach(here carom_threads_here carom_card_here carom_driver_here)
  target_include_directories(${here} PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${CAROM_GENERATED})
  target_compile_definitions(${here} PRIVATE CAROM_DEVICE NDEBUG)
  target_compile_options(${here} PRIVATE ${CAROM_NUMERIC_FLAGS} -w -O2 -ffunction-sections -fdata-sections
    -include ${PROJECT_SOURCE_DIR}/src/device/thread.h)
  set_target_properties(${here} PROPERTIES EXPORT_COMPILE_COMMANDS OFF POSITION_INDEPENDENT_CODE ON)
endforeach()
foreach(here card driver)
  target_link_libraries(carom_${here}_here PRIVATE carom_threads_here m)
  target_link_options(carom_${here}_here PRIVATE -Wl,--gc-sections -Wl,-z,defs -Wl,-Bsymbolic
    -Wl,--version-script,${PROJECT_SOURCE_DIR}/tests/device/${here}_here.map)
endforeach()
