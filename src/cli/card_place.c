// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "card_place.h"

#include "base/error.h"
#include "base/text.h"
#include "data_folder.h"
#include "report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static bool make_folder(const char *path) { return mkdir(path, 0700) == 0 || errno == EEXIST; }

// the folder, made where it is not there; NULL: there is none, and nothing is kept
static char *cache_folder(void) {
  const char *named = getenv("CAROM_CARD_CACHE"), *shared = getenv("XDG_CACHE_HOME"),
             *home = getenv("HOME");
  char above[CAROM_DATA_PATH], path[CAROM_DATA_PATH];
  if (named) return make_folder(named) ? carom_text_copy(named) : NULL;
  bool own = !shared || shared[0] != '/';
  if (own && (!home || home[0] != '/')) return NULL;
  int length = own ? snprintf(above, sizeof above, "%s/.cache", home)
                   : snprintf(above, sizeof above, "%s", shared);
  if (length < 0 || length >= CAROM_DATA_PATH) return NULL;
  length = snprintf(path, sizeof path, "%s/carom", above);
  bool there = length > 0 && length < CAROM_DATA_PATH && make_folder(above) && make_folder(path);
  return there ? carom_text_copy(path) : NULL;
}

bool carom_card_find(const carom_call *call, carom_card_files *files, carom_error *error) {
  char path[CAROM_DATA_PATH];
  const char *named = getenv("CAROM_CARD");
  *files = (carom_card_files){0};
  if (!carom_call_has(call, "gpu")) return true;
  bool found = named || carom_data_folder("carom.ptx", path) ||
               carom_data_folder("build-device/carom.ptx", path);
  if (!found) {
    carom_fail(error, CAROM_ERR_UNSUPPORTED,
               "--gpu needs the program for NVIDIA's cards (carom.ptx), which this build does not "
               "have: `make device` writes it where clang and llvm are installed");
    return false;
  }
  files->program = carom_text_copy(named ? named : path);
  files->cache = cache_folder();
  if (!files->program) carom_fail_memory(error);
  return files->program != NULL;
}

void carom_card_forget(carom_card_files *files) {
  free(files->program);
  free(files->cache);
  *files = (carom_card_files){0};
}

void carom_card_tell(const carom_call *call, const carom_card_report *report, long motions) {
  if (report->fault[0]) {
    char text[sizeof report->fault + 100];
    (void)snprintf(text, sizeof text,
                   "the card failed (%s): what it had not brought back was moved here",
                   report->fault);
    carom_warn(text);
  }
  if (report->card[0] && !carom_call_has(call, "quiet"))
    fprintf(stderr, "carom: %ld of %ld motions were moved by %s\n", report->moved, motions,
            report->card);
}
