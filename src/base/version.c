// SPDX-License-Identifier: MIT
#include "carom/version.h"

#include "build_info.h"

const char *carom_version(void) { return CAROM_VERSION; }

carom_build carom_build_info(void) {
  return (carom_build){
      .version = CAROM_VERSION,
      .revision = CAROM_BUILD_REVISION,
      .compiler = CAROM_BUILD_COMPILER,
      .flags = CAROM_BUILD_FLAGS,
  };
}
