// SPDX-License-Identifier: MIT
// The same bits everywhere: hashes of whole runs, recorded once. They must hold for every compiler,
// every optimisation level and every x86-64 machine. After a deliberate change of the method run
// with CAROM_GOLDEN=print and write the new hashes down here, saying why in the commit.
#include "motion.h"

#include <stdlib.h>

static const struct {
  const char *scenario;
  uint64_t hash;
} GOLDEN[] = {
    // clang-format off
  {"pendulum", UINT64_C(0xaf3b70c1b8787147)},
  {"double_pendulum", UINT64_C(0x7e83d1c7e2def15f)},
  {"spinning_top", UINT64_C(0x6ff846dd60fc4fc0)},
  {"kepler", UINT64_C(0xbe3df9e88cd672cd)},
  {"duffing", UINT64_C(0x32d9ba776a676731)},
  {"van_der_pol", UINT64_C(0xd06674661ef49e57)},
  {"four_bar", UINT64_C(0xc8ad0df444e23f97)},
  {"slider_crank", UINT64_C(0x879bd8814ccdcf15)},
  {"spring_mass_table", UINT64_C(0x8701f2544a2dfb81)},
  {"frictional_impact_oscillator", UINT64_C(0x732c990b23005721)},
  {"dimer", UINT64_C(0xaddeed08016c2467)},
    // clang-format on
};
enum { GOLDEN_COUNT = sizeof GOLDEN / sizeof *GOLDEN };

// FNV-1a over the bytes of the numbers
static uint64_t add_numbers(uint64_t hash, int count, const double *values) {
  const unsigned char *bytes = (const unsigned char *)values;
  for (size_t k = 0; k < (size_t)count * sizeof *values; k++)
    hash = (hash ^ bytes[k]) * UINT64_C(1099511628211);
  return hash;
}

static int hash_sample(void *ctx, const carom_simulation *simulation, double t, int count,
                       const double *values) {
  uint64_t *hash = ctx;
  (void)simulation;
  *hash = add_numbers(add_numbers(*hash, 1, &t), count, values);
  return 0;
}

static int hash_event(void *ctx, const carom_event *event) {
  uint64_t *hash = ctx;
  *hash = add_numbers(add_numbers(*hash, 1, &event->t), event->size, event->after);
  return 0;
}

static void runs_repeat_bit_for_bit(void **state) {
  (void)state;
  const char *wish = getenv("CAROM_GOLDEN");
  bool print = wish && strcmp(wish, "print") == 0;
  int wrong = 0;
  for (int k = 0; k < GOLDEN_COUNT; k++) {
    motion m = motion_load(GOLDEN[k].scenario, NULL);
    uint64_t hash = UINT64_C(14695981039346656037);
    carom_observer observer = {.ctx = &hash, .event = hash_event, .sample = hash_sample};
    carom_simulation_observe(m.simulation, &observer);
    assert_true(motion_run(&m) >= 0);
    if (print)
      print_message("  {\"%s\", UINT64_C(0x%016llx)},\n", GOLDEN[k].scenario,
                    (unsigned long long)hash);
    else if (hash != GOLDEN[k].hash) {
      print_error("%s: hash %016llx, recorded %016llx\n", GOLDEN[k].scenario,
                  (unsigned long long)hash, (unsigned long long)GOLDEN[k].hash);
      wrong++;
    }
    motion_end(&m);
  }
  assert_int_equal(wrong, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(runs_repeat_bit_for_bit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
