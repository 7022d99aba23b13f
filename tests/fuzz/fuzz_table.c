// SPDX-License-Identifier: MIT
// Any bytes as a table: of a force over time, and of the rods of a start. A scenario or an error
// with a text, never a crash, a leak or a hang.
#define _POSIX_C_SOURCE 200809L
#include "carom/model.h"
#include "in_file.h"
#include "scenario/scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void load(const char *folder, const char *text) {
  char path[128];
  carom_error error = {0};
  carom_scenario *s = NULL;
  (void)snprintf(path, sizeof path, "%s/s.yaml", folder);
  carom_status status = carom_scenario_read(path, text, 0, NULL, NULL, &s, &error);
  if (status > 0 || (status < 0 && (s || !error.text[0])) || (!status && !s)) abort();
  carom_scenario_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  in_file file = {{0}, {0}};
  if (!in_file_put(&file, "t.csv", data, size)) return 0;
  load(file.folder, "states: {x: {start: 0, rate: 'table(\"t.csv\", t)'}}\nrun: {until: 1}\n");
  load(file.folder, "engine: grains\nrods: {diameter: 0.001, length: 0.005, density: 1000}\n"
                    "contact: {stiffness: 1000, restitution: 0.5, friction: 0.3}\n"
                    "start: {table: t.csv}\nrun: {until: 0.001, step: 1e-6}\n");
  in_file_remove(&file);
  return 0;
}
