// SPDX-License-Identifier: MIT
// A saved state with any of its bytes changed, or any bytes as a saved state: one that is not as it
// was saved is refused with a text, and the motion goes on as if nothing had been read.
#define _POSIX_C_SOURCE 200809L
#include "carom/record.h"
#include "in_file.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LARGEST = 1 << 16 };

// a ball with friction on a floor, a rule and a section: contacts, events and results in the state
static const char SCENARIO[] = "coordinates: {y: 1, x: {start: 0, rate: 1}}\n"
                               "states: {n: {start: 0, rate: 0}}\n"
                               "energy: {kinetic: (x'^2 + y'^2)/2, potential: 9.81*y}\n"
                               "contacts: {floor: {gap: y, slip: x', friction: 0.3,\n"
                               "  impact: {law: newton, e: 0.5}}}\n"
                               "sections: {half: {when: y - 0.5}}\n"
                               "events: {count: {when: x - 0.4, do: {n: n + 1}}}\n"
                               "observe: {low: min(y), passages: count(half)}\n"
                               "run: {until: 3, max_events: 1000}\n";

static size_t save(carom_simulation *simulation, in_file *file, uint8_t *bytes) {
  if (!in_file_put(file, "state", bytes, 0)) return 0;
  if (carom_checkpoint_write(simulation, file->path, NULL) != CAROM_OK) abort();
  FILE *in = fopen(file->path, "rb");
  size_t size = in ? fread(bytes, 1, LARGEST, in) : 0;
  if (in) (void)fclose(in);
  return size;
}

// three bytes are an edit: where, and what the byte there is changed by
static void edit(const uint8_t *data, size_t size, uint8_t *bytes, size_t count) {
  for (size_t k = 0; k + 2 < size; k += 3) {
    size_t at = ((size_t)data[k] << 8 | data[k + 1]) % count;
    bytes[at] ^= data[k + 2];
  }
}

static void read_back(carom_simulation *simulation, in_file *file, const uint8_t *bytes,
                      size_t size) {
  carom_error error = {0};
  if (!in_file_put(file, "state", bytes, size)) return;
  double before = carom_simulation_time(simulation);
  carom_status status = carom_checkpoint_read(simulation, file->path, &error);
  if (status > 0 || (status < 0 && !error.text[0])) abort();
  if (status < 0 && carom_simulation_time(simulation) != before) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  in_file file = {{0}, {0}};
  carom_model *model = NULL;
  carom_simulation *simulation = NULL;
  carom_error error = {0};
  uint8_t *bytes = malloc(LARGEST);
  if (!bytes) return 0;
  if (carom_model_parse(SCENARIO, "state", 0, NULL, &model, &error) != CAROM_OK ||
      carom_simulation_create(model, &simulation, &error) != CAROM_OK ||
      carom_simulation_advance(simulation, 0.7, &error) != CAROM_OK)
    abort();
  size_t whole = save(simulation, &file, bytes);
  if (whole > 0) {
    edit(data, size, bytes, whole);
    read_back(simulation, &file, bytes, whole);
    read_back(simulation, &file, data, size);
    if (carom_simulation_advance(simulation, 1.0, &error) < 0) abort();
    in_file_remove(&file);
  }
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
  free(bytes);
  return 0;
}
