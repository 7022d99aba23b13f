// SPDX-License-Identifier: MIT
/// A state as a file: a head that says what it belongs to, then the bytes of the simulation. It is
/// written under another name first, so that a file with the right name is always whole.
#include "base/hash.h"
#include "carom/model.h"
#include "carom/record.h"
#include "carom/version.h"
#include "record/out_file.h"
#include "record/trouble.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char MARK[8] = "CAROMST1";

/// What comes before the bytes.
typedef struct head {
  char mark[8], version[24];
  uint64_t scenario; // hash of all that a motion depends on
  uint64_t size;     // of the bytes that follow
  uint64_t sum;      // hash of those
} head;

// how long a run lasts, how often it is sampled and how many threads share it may change on the way
static bool may_change(const char *line, size_t length) {
  static const char *const KEYS[] = {"until:", "threads:", "sample:"};
  while (length > 0 && *line == ' ')
    line++, length--;
  for (size_t k = 0; k < sizeof KEYS / sizeof *KEYS; k++)
    if (length >= strlen(KEYS[k]) && strncmp(line, KEYS[k], strlen(KEYS[k])) == 0) return true;
  return false;
}

static carom_status make_head(const carom_simulation *simulation, head *it, carom_error *error) {
  char *text = carom_model_scenario_text(carom_simulation_model(simulation));
  if (!text)
    return carom_record_fail(error, CAROM_ERR_UNSUPPORTED, NULL,
                             "only motions of scenarios can be saved to files");
  memset(it, 0, sizeof *it);
  memcpy(it->mark, MARK, sizeof MARK);
  (void)snprintf(it->version, sizeof it->version, "%.23s", carom_version());
  for (const char *line = text; *line;) {
    size_t length = strcspn(line, "\n");
    if (!may_change(line, length)) it->scenario = carom_hash(it->scenario, line, length);
    line += length + (line[length] == '\n');
  }
  carom_text_destroy(text);
  return CAROM_OK;
}

static carom_status fail_to(const char *what, const char *path, carom_error *error) {
  return carom_record_fail(error, CAROM_ERR_IO, path, "cannot %s this file: %s", what,
                           strerror(errno));
}

// ---- writing ----

static carom_status write_file(const char *path, const head *it, const void *bytes,
                               carom_error *error) {
  carom_out_file out;
  carom_status status = carom_out_open(&out, path, error);
  if (status != CAROM_OK) return status;
  (void)fwrite(it, sizeof *it, 1, out.stream);
  (void)fwrite(bytes, 1, (size_t)it->size, out.stream);
  return carom_out_close(&out, error);
}

carom_status carom_checkpoint_write(const carom_simulation *simulation, const char *path,
                                    carom_error *error) {
  head it;
  size_t size = 0;
  carom_status status = make_head(simulation, &it, error);
  if (status == CAROM_OK) status = carom_simulation_save(simulation, NULL, &size, error);
  if (status != CAROM_OK) return status;
  void *bytes = malloc(size > 0 ? size : 1);
  if (!bytes) return carom_record_no_memory(error);
  status = carom_simulation_save(simulation, bytes, &size, error);
  it.size = size;
  it.sum = carom_hash(0, bytes, size);
  if (status == CAROM_OK) status = write_file(path, &it, bytes, error);
  free(bytes);
  return status;
}

// ---- reading ----

static carom_status refuse_file(const char *path, const char *why, carom_error *error) {
  return carom_record_fail(error, CAROM_ERR_INPUT, path, "%s", why);
}

static carom_status check_head(const head *found, const head *own, const char *path,
                               carom_error *error) {
  if (memcmp(found->mark, own->mark, sizeof own->mark) != 0)
    return refuse_file(path, "this is not a saved state", error);
  if (memcmp(found->version, own->version, sizeof own->version) != 0)
    return carom_record_fail(error, CAROM_ERR_INPUT, path,
                             "this state was saved by carom %.23s, and this is %.23s",
                             found->version, own->version);
  if (found->scenario != own->scenario)
    return refuse_file(path, "this state belongs to another scenario or to other settings", error);
  return CAROM_OK;
}

static carom_status read_file(FILE *in, const head *own, const char *path, void **bytes,
                              size_t *size, carom_error *error) {
  head found;
  if (fread(&found, sizeof found, 1, in) != 1)
    return refuse_file(path, "this is not a saved state", error);
  carom_status status = check_head(&found, own, path, error);
  if (status != CAROM_OK) return status;
  // the file itself says how much there is: a broken head must not ask for all the memory
  long begin = ftell(in), end = fseek(in, 0, SEEK_END) == 0 ? ftell(in) : -1;
  if (begin < 0 || end < begin || (uint64_t)(end - begin) != found.size)
    return refuse_file(path, "this saved state is not whole", error);
  *size = (size_t)found.size;
  *bytes = malloc(*size > 0 ? *size : 1);
  if (!*bytes) return carom_record_no_memory(error);
  if (fseek(in, begin, SEEK_SET) != 0 || fread(*bytes, 1, *size, in) != *size)
    return fail_to("read", path, error);
  return carom_hash(0, *bytes, *size) == found.sum
             ? CAROM_OK
             : refuse_file(path, "this saved state is not whole", error);
}

carom_status carom_checkpoint_read(carom_simulation *simulation, const char *path,
                                   carom_error *error) {
  head own;
  void *bytes = NULL;
  size_t size = 0;
  carom_status status = make_head(simulation, &own, error);
  if (status != CAROM_OK) return status;
  FILE *in = fopen(path, "rb");
  if (!in) return fail_to("read", path, error);
  status = read_file(in, &own, path, &bytes, &size, error);
  (void)fclose(in);
  if (status == CAROM_OK) status = carom_simulation_restore(simulation, bytes, size, error);
  free(bytes);
  return status;
}
