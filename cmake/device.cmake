# A card that is this processor (tests/device/card_here.c): the engine compiled as scripts/build_device.sh does for a
# card, but for this machine. With it tests compare the bits of everything but the card itself.
execute_process(COMMAND ${PROJECT_SOURCE_DIR}/scripts/device_sources.sh here
  OUTPUT_VARIABLE sources OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" sources "${sources}")
list(TRANSFORM sources PREPEND ${PROJECT_SOURCE_DIR}/)
add_library(carom_card_here MODULE ${sources} device/card_here.c)
target_include_directories(carom_card_here PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${CAROM_GENERATED})
target_compile_definitions(carom_card_here PRIVATE CAROM_DEVICE NDEBUG)
target_compile_options(carom_card_here PRIVATE ${CAROM_NUMERIC_FLAGS} -w -O2 -ffunction-sections -fdata-sections
  -include ${PROJECT_SOURCE_DIR}/src/device/thread.h)
target_link_libraries(carom_card_here PRIVATE m)
target_link_options(carom_card_here PRIVATE -Wl,--gc-sections -Wl,-z,defs -Wl,-Bsymbolic
  -Wl,--version-script,${PROJECT_SOURCE_DIR}/tests/device/card_here.map)
set_target_properties(carom_card_here PROPERTIES EXPORT_COMPILE_COMMANDS OFF PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
