// SPDX-License-Identifier: MIT
// Any text as a study: its lines and figures or an error with a text, never a crash, a leak or a
// hang.
#define _POSIX_C_SOURCE 200809L
#include "carom/study.h"
#include "in_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  in_file file = {{0}, {0}};
  if (!in_file_put(&file, "study.yaml", data, size)) return 0;
  carom_study *study = NULL;
  carom_error error = {0};
  carom_status status = carom_study_open(file.path, &study, &error);
  if (status > 0 || (status < 0 && (study || !error.text[0])) || (!status && !study)) abort();
  carom_study_destroy(study);
  in_file_remove(&file);
  return 0;
}
