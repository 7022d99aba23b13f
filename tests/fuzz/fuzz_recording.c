// SPDX-License-Identifier: MIT
// Any bytes as a recorded file: what does not fit its seal is refused with a text. Files that have
// no seal, or are unfinished, go to HDF5, which is not what is tried here.
#define _POSIX_C_SOURCE 200809L
#include "carom/record.h"
#include "in_file.h"
#include "record/seal.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  in_file file = {{0}, {0}};
  if (size >= 8 && memcmp(data, "\x89HDF\r\n\x1a\n", 8) == 0) return 0;
  if (!in_file_put(&file, "r.h5", data, size)) return 0;
  carom_error error = {0};
  carom_status status = carom_seal_check(file.path, &error);
  if (status > 0 || (status < 0 && !error.text[0])) abort();
  bool unfinished = size > 60 && memcmp(data + 51, "unfinished", 10) == 0;
  carom_recording *recording = NULL;
  if (!unfinished && carom_recording_open(file.path, &recording, &error) == CAROM_OK) {
    double t;
    if (carom_recording_samples(recording) > 0)
      (void)carom_recording_series(recording, "t", 0, 1, &t, NULL);
    carom_recording_close(recording);
  }
  in_file_remove(&file);
  return 0;
}
