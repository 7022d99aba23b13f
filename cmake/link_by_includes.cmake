# Tests and benchmarks may lean on libraries that Carom itself does not need. A file that includes one of
# their headers is linked with it; nothing has to be listed by hand.

# carom_link_by_includes(TARGET SOURCE): links TARGET with the extra libraries whose headers SOURCE includes
function(carom_link_by_includes target source)
  file(STRINGS ${source} includes REGEX "^#include <[a-z_0-9]+/?[a-z_0-9]*\\.h>")
  if(includes MATCHES "<mpfr\\.h>")
    pkg_check_modules(MPFR REQUIRED IMPORTED_TARGET mpfr)
    target_link_libraries(${target} PRIVATE PkgConfig::MPFR)
  endif()
  if(includes MATCHES "<(arkode|cvode|ida|nvector|sundials|sunmatrix|sunlinsol|sunnonlinsol)/")
    # Debian ships SUNDIALS without a CMake or pkg-config file
    foreach(part arkode cvode ida nvecserial sunmatrixdense sunlinsoldense sunnonlinsolfixedpoint)
      find_library(SUNDIALS_${part} sundials_${part} REQUIRED)
      target_link_libraries(${target} PRIVATE ${SUNDIALS_${part}})
    endforeach()
  endif()
  if(includes MATCHES "<hdf5(_hl)?\\.h>")
    carom_link_hdf5(${target})
  endif()
endfunction()

# carom_link_hdf5(TARGET [PUBLIC|PRIVATE]): the serial C library, also where an MPI variant is the default
function(carom_link_hdf5 target)
  pkg_search_module(HDF5 REQUIRED IMPORTED_TARGET hdf5-serial hdf5)
  if(CAROM_BUNDLE)
    # what it compresses with comes along; curl, which it has for files on the network, is not reached from here
    foreach(part hdf5_serial sz aec z)
      find_library(CAROM_ARCHIVE_${part} lib${part}.a REQUIRED)
      list(APPEND archives ${CAROM_ARCHIVE_${part}})
    endforeach()
    target_include_directories(${target} PRIVATE ${HDF5_INCLUDE_DIRS})
    target_link_libraries(${target} PRIVATE ${archives} m ${CMAKE_DL_LIBS})
  else()
    target_link_libraries(${target} PRIVATE PkgConfig::HDF5)
  endif()
endfunction()
