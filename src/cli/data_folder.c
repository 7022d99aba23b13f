// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "data_folder.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// of this build; "": none
#ifndef CAROM_DATA_FOLDER
#define CAROM_DATA_FOLDER ""
#endif
#ifndef CAROM_SOURCE_FOLDER
#define CAROM_SOURCE_FOLDER ""
#endif

static bool readable_below(const char *folder, const char *what, char path[CAROM_DATA_PATH]) {
  int length = snprintf(path, CAROM_DATA_PATH, "%s/%s", folder, what);
  return folder[0] && length > 0 && length < CAROM_DATA_PATH && access(path, R_OK) == 0;
}

// the folder of data beside the running program; "" where the system does not tell
static void beside_program(char folder[CAROM_DATA_PATH]) {
  const size_t tail = sizeof "../share/carom";
  ssize_t length = readlink("/proc/self/exe", folder, CAROM_DATA_PATH - tail);
  folder[length > 0 ? length : 0] = 0;
  char *name = strrchr(folder, '/');
  if (name) (void)snprintf(name + 1, tail, "../share/carom");
}

bool carom_data_folder(const char *what, char path[CAROM_DATA_PATH]) {
  char beside[CAROM_DATA_PATH];
  beside_program(beside);
  return readable_below(beside, what, path) || readable_below(CAROM_DATA_FOLDER, what, path) ||
         readable_below(CAROM_SOURCE_FOLDER, what, path);
}
