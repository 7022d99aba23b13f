# The simulator of the lab: the rooms of the library and the commands that answer without files, for WebAssembly.
# Included instead of all else when the compiler is that of cmake/wasm.cmake.
set(CAROM_LIBYAML "" CACHE PATH "Where libyaml's sources are (scripts/fetch_libyaml.sh)")
if(NOT EXISTS ${CAROM_LIBYAML}/src/parser.c)
  message(FATAL_ERROR "libyaml's sources are not in '${CAROM_LIBYAML}': scripts/fetch_libyaml.sh fetches them")
endif()

file(GLOB yaml_sources ${CAROM_LIBYAML}/src/*.c)
add_library(yaml OBJECT ${yaml_sources})
target_include_directories(yaml PUBLIC ${CAROM_LIBYAML}/include)
target_compile_definitions(yaml PRIVATE YAML_VERSION_MAJOR=0 YAML_VERSION_MINOR=2 YAML_VERSION_PATCH=5
  "YAML_VERSION_STRING=\"0.2.5\"")

# one file stands for the operating system; pages that can be executed do not exist
list(FILTER CAROM_SOURCES EXCLUDE REGEX "/platform_posix\\.c$|/device/thread|src/study/")
file(GLOB lab_sources CONFIGURE_DEPENDS src/lab/*.c)
set(commands check derive equilibrium locate converge sweep bifurcate map basin lyapunov orbit continue)
list(TRANSFORM commands PREPEND src/cli/cmd_)
list(TRANSFORM commands APPEND .c)
foreach(part basin_along basin_manifolds continue_atlas event_log json many_runs options outputs report run_summary run_tally table_plan)
  list(APPEND commands src/cli/${part}.c)
endforeach()

list(APPEND commands src/record/certificate_fields.c)
# steps and events are compiled as one: calls between their files cost more here than on a processor
set(steps ${CAROM_SOURCES})
list(FILTER steps INCLUDE REGEX "src/(ode|hybrid)/")
set_source_files_properties(${steps} PROPERTIES COMPILE_OPTIONS -flto)
add_executable(carom_lab ${CAROM_SOURCES} ${commands} ${lab_sources})
set_target_properties(carom_lab PROPERTIES OUTPUT_NAME carom_lab SUFFIX .wasm)
target_include_directories(carom_lab PRIVATE include src ${CAROM_GENERATED})
target_compile_definitions(carom_lab PRIVATE CAROM_ROOM_FIELD CAROM_ROOM_GRAINS CAROM_ROOM_STEPPING
  _WASI_EMULATED_SIGNAL _WASI_EMULATED_PROCESS_CLOCKS)
option(CAROM_SIMD "vectors of the browser" ON) # without them the same bits: tests/lab/all_bits.sh
if(CAROM_SIMD)
  target_compile_options(carom_lab PRIVATE -msimd128)
endif()
target_link_libraries(carom_lab PRIVATE carom_flags yaml -lwasi-emulated-signal -lwasi-emulated-process-clocks)
target_link_options(carom_lab PRIVATE -mexec-model=reactor -Wl,-z,stack-size=4194304 -Wl,--stack-first
  -Wl,--max-memory=2147483648 -Wl,--strip-all -Wl,--export-table -Wl,--growable-table -O0)
# the driver would call wasm-opt itself (unless told -O0), without the features that are used
add_custom_command(TARGET carom_lab POST_BUILD VERBATIM
  COMMAND wasm-opt -O3 --traps-never-happen --enable-simd --enable-bulk-memory --enable-sign-ext --enable-nontrapping-float-to-int
  --enable-mutable-globals $<TARGET_FILE:carom_lab> -o ${CMAKE_BINARY_DIR}/lab.wasm)
