// SPDX-License-Identifier: MIT
/// A test in a folder of its own, which goes with it: for files that a test writes and reads.
#ifndef CAROM_TESTS_RECORD_FOLDER_H
#define CAROM_TESTS_RECORD_FOLDER_H

#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline int enter_folder(void **state) {
  char *folder = strdup("/tmp/carom-record-XXXXXX");
  *state = folder;
  return folder && mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static inline int leave_folder(void **state) {
  char command[128];
  (void)snprintf(command, sizeof command, "rm -rf %s", (char *)*state);
  int failed = chdir("/") != 0 || system(command) != 0; // NOLINT(cert-env33-c): fixed command
  free(*state);
  return failed ? -1 : 0;
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

#endif
