// SPDX-License-Identifier: MIT
// A program outside the tree that knows only the installed headers.
#include <carom/carom.h>

#include <stdio.h>
#include <string.h>

int main(void) {
  // header and library are of one version
  carom_build build = carom_build_info();
  printf("carom %s, %s, %s, %s\n", build.version, build.revision, build.compiler, build.flags);
  if (strcmp(carom_version(), CAROM_VERSION) != 0) return 1;
  if (!strstr(build.flags, "-ffp-contract=off")) return 2;
  return strcmp(carom_status_text(CAROM_OK), "success") == 0 ? 0 : 3;
}
