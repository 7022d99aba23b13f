// SPDX-License-Identifier: MIT
// What is observed does not change what is computed: runs, orbits, branches, exponents and
// equilibria have the same bits with and without observables of every kind, whatever is written
// down of them.
#include "branch_help.h"

#include "carom/equilibrium.h"
#include "carom/lyapunov.h"
#include "results.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_OBSERVED = 8 };

static uint64_t add_bytes(uint64_t hash, const void *bytes, size_t size) {
  for (size_t k = 0; k < size; k++)
    hash = (hash ^ ((const unsigned char *)bytes)[k]) * UINT64_C(1099511628211);
  return hash;
}
static uint64_t add_numbers(uint64_t hash, int count, const double *values) {
  return add_bytes(hash, values, (size_t)count * sizeof *values);
}
static const uint64_t NOTHING = UINT64_C(14695981039346656037);

// --- runs

/// A system, and what is observed of it besides; names of what is added begin with zz.
typedef struct subject {
  const char *scenario;
  const char *until;
  carom_setting added[MOST_OBSERVED];
} subject;

static const subject SUBJECTS[] = {
    {"van_der_pol",
     "50",
     {{"observe.zza", "last(max(x, 0))"},
      {"observe.zzb", "mean(sign(v))"},
      {"observe.zzc", "min(abs(x) - abs(v))"},
      {"observe.zzd", "mean(if(x > 0.1, v, abs(v - 1)))"},
      {"observe.zze", "at(upward, abs(v))"}}},
    {"double_pendulum",
     "10",
     {{"observe.zza", "max(abs(a))"}, {"observe.zzb", "mean_rate(min(a, b))"}}},
    {"belt_block",
     "60",
     {{"observe.zza", "mean(sign(x'))"},
      {"observe.zzb", "max(abs(belt_top.tangential))"},
      {"observe.zzc", "mean(min(x', 0.05))"},
      {"observe.zzd", "max(abs(x''))"}}},
    {"frictional_impact_oscillator",
     "40",
     {{"observe.zza", "mean(abs(phi'))"}, {"observe.zzb", "max(abs(y'))"}}},
    {"dimer",
     "0.5",
     {{"observe.zza", "max(abs(x'))"},
      {"observe.zzb", "mean(if(theta > 0.05, 1, 0))"},
      {"observe.zzc", "max(abs(sin(theta)))"}}},
    {"cradle", "2", {{"observe.zza", "max(abs(p1))"}, {"observe.zzb", "mean(max(p1, p2))"}}},
    {"woodpecker", "2", {{"observe.zza", "mean(sign(phi_S'))"}}},
};
enum { SUBJECT_COUNT = sizeof SUBJECTS / sizeof *SUBJECTS };

static int hash_event(void *ctx, const carom_event *event) {
  uint64_t *hash = ctx;
  if (strncmp(event->name, "zz", 2) == 0) return 0;
  *hash = add_bytes(*hash, event->name, strlen(event->name));
  *hash = add_numbers(add_numbers(*hash, 1, &event->t), event->size, event->before);
  *hash = add_numbers(*hash, event->size, event->after);
  return 0;
}

static int take_sample(void *ctx, const carom_simulation *simulation, double t, int count,
                       const double *values) {
  double *sum = ctx;
  (void)simulation;
  *sum += t + values[count - 1];
  return 0;
}

static uint64_t hash_state(const motion *m, uint64_t hash) {
  int size;
  const double *state = carom_simulation_state(m->simulation, &size);
  double t = carom_simulation_time(m->simulation);
  return add_numbers(add_numbers(hash, 1, &t), size, state);
}

// the first `added` observations of a subject
static motion load(const subject *it, int added, const char *sample) {
  carom_setting settings[MOST_OBSERVED + 4] = {{"run.until", it->until}, {"measure.after", "0"}};
  int count = 2;
  if (sample) settings[count++] = (carom_setting){"run.sample", sample};
  for (int k = 0; k < added; k++)
    settings[count++] = it->added[k];
  return motion_load(it->scenario, settings);
}

static uint64_t hash_of_run(const subject *it, int added, const char *sample, bool events) {
  motion m = load(it, added, sample);
  uint64_t hash = NOTHING;
  double sum = 0.0;
  carom_observer logs = {.ctx = &hash, .event = hash_event, .energies = true};
  carom_observer samples = {.ctx = &sum, .sample = take_sample};
  if (events) carom_simulation_observe(m.simulation, &logs);
  if (!events && sample) carom_simulation_observe(m.simulation, &samples);
  motion_run(&m);
  hash = hash_state(&m, hash);
  motion_end(&m);
  return hash;
}

static void expect_same(const char *scenario, const char *what, uint64_t have, uint64_t want) {
  if (have == want) return;
  print_error("%s: with %s the motion has other bits\n", scenario, what);
  _fail(__FILE__, __LINE__);
}

static void test_runs(void **unused) {
  (void)unused;
  for (int k = 0; k < SUBJECT_COUNT; k++) {
    const subject *it = &SUBJECTS[k];
    uint64_t plain = hash_of_run(it, 0, NULL, false), events = hash_of_run(it, 0, NULL, true);
    expect_same(it->scenario, "samples", hash_of_run(it, 0, "0.0137", false), plain);
    for (int j = 0; j < MOST_OBSERVED && it->added[j].path; j++) {
      expect_same(it->scenario, it->added[j].value, hash_of_run(it, j + 1, NULL, false), plain);
      expect_same(it->scenario, it->added[j].value, hash_of_run(it, j + 1, "0.01", true), events);
    }
  }
}

// a run that was made before leaves nothing behind in the simulation
static void test_runs_again(void **unused) {
  (void)unused;
  for (int k = 0; k < SUBJECT_COUNT; k++) {
    motion m = load(&SUBJECTS[k], 1, NULL);
    motion_run(&m);
    uint64_t first = hash_state(&m, NOTHING);
    motion_run(&m);
    expect_same(SUBJECTS[k].scenario, "a run before", hash_state(&m, NOTHING), first);
    motion_end(&m);
  }
}

// --- values of observables with kinks, in closed form

static void test_values(void **unused) {
  (void)unused;
  // x = cos t over one period and a quarter
  motion m = motion_parse("states: {x: {start: 1, rate: v}, v: {start: 0, rate: -x}}\n"
                          "run: {until: 2.5*pi, rtol: 1e-13}\n"
                          "observe:\n"
                          "  a: max(abs(x) + x/4)\n"
                          "  b: mean(abs(x))\n"
                          "  c: mean(sign(x))\n"
                          "  d: mean(max(x, 0.5))\n"
                          "  e: min(if(x > 0, -x, 3*x))\n"
                          "  f: mean(abs(abs(x) - 0.5))\n"
                          "  g: max(if(abs(x) > 0.25, -abs(v), -2))\n"
                          "  h: last(abs(v))\n"
                          "  i: mean(sign(sin(300*t)))\n"
                          "  j: mean(if(x > 0 and v > 0, 1, 0))\n");
  motion_run(&m);
  double whole = 2.5 * PI;
  CHECK_NEAR(value_of(&m, "a"), 1.25, 1e-11);
  CHECK_NEAR(value_of(&m, "b"), 5.0 / whole, 1e-11);
  CHECK_NEAR(value_of(&m, "c"), 1.0 / 5.0, 1e-11);
  // above one half for pi/3 at the start and for 2 pi/3 about t = 2 pi, less the end at 5 pi/2
  double above = 3.0 * sqrt(0.75), lasts = PI;
  CHECK_NEAR(value_of(&m, "d"), (above + 0.5 * (whole - lasts)) / whole, 1e-11);
  CHECK_NEAR(value_of(&m, "e"), -3.0, 1e-11);
  // over a quarter: twice the integral above one half, less the mean
  double quarter = 2.0 * (sqrt(0.75) - PI / 6.0) - (1.0 - PI / 4.0);
  CHECK_NEAR(value_of(&m, "f"), 5.0 * quarter / whole, 1e-11);
  CHECK_NEAR(value_of(&m, "g"), 0.0, 1e-11);
  CHECK_NEAR(value_of(&m, "h"), 1.0, 1e-11);
  CHECK_NEAR(value_of(&m, "i"), 0.0, 1e-11);
  CHECK_NEAR(value_of(&m, "j"), 1.0 / 5.0, 1e-11);
  assert_int_equal(certificate_of(&m).counts.switches, 0);
  motion_end(&m);
}

// at a sudden change of the state branches change with it
static void test_values_at_impacts(void **unused) {
  (void)unused;
  motion m = motion_parse("coordinates: {y: 1}\n"
                          "energy: {kinetic: y'^2/2, potential: y}\n"
                          "contacts: {floor: {gap: y, impact: 1}}\n"
                          "run: {until: 4*sqrt(2)}\n"
                          "observe: {a: mean(abs(y')), b: mean(sign(y')), c: max(abs(y'))}\n");
  motion_run(&m); // falls, rises, falls, rises
  CHECK_NEAR(value_of(&m, "a"), 1.0 / sqrt(2.0), 1e-10);
  CHECK_NEAR(value_of(&m, "b"), 0.0, 1e-10);
  CHECK_NEAR(value_of(&m, "c"), sqrt(2.0), 1e-10);
  motion_end(&m);
}

// --- analyses

static uint64_t hash_of_orbit(const char *name, const carom_setting *settings) {
  motion m = motion_load(name, settings);
  carom_orbit_options options = carom_orbit_options_default();
  carom_orbit_view *orbit = malloc(sizeof *orbit);
  carom_error error = {0};
  assert_non_null(orbit);
  options.model = m.model;
  MUST(find_orbit(&options, orbit, &error), error);
  uint64_t hash = add_numbers(NOTHING, 1, &orbit->period);
  hash = add_numbers(hash, orbit->size, orbit->state);
  hash = add_numbers(hash, orbit->floquet.count, orbit->floquet.re);
  hash = add_numbers(hash, orbit->floquet.count, orbit->floquet.im);
  free(orbit);
  motion_end(&m);
  return hash;
}

static uint64_t hash_of_exponents(const char *name, const carom_setting *settings, double time) {
  motion m = motion_load(name, settings);
  carom_lyapunov_options options = carom_lyapunov_options_default();
  carom_lyapunov_view r;
  carom_error error = {0};
  options.model = m.model;
  options.time = time;
  MUST(find_exponents(&options, &r, &error), error);
  motion_end(&m);
  return add_numbers(NOTHING, r.count, r.exponents);
}

static void test_orbits_and_exponents(void **unused) {
  (void)unused;
  static const char *const names[] = {"van_der_pol", "frictional_impact_oscillator"};
  static const carom_setting kinks[][4] = {{{"observe.zza", "last(max(x, 0))"},
                                            {"observe.zzb", "max(abs(x))"},
                                            {"observe.zzc", "mean(if(x > 0.3, 1, 0))"},
                                            {NULL, NULL}},
                                           {{"observe.zza", "mean(abs(phi'))"},
                                            {"observe.zzb", "mean(if(y > 0.3, 1, 0))"},
                                            {"observe.zzc", "min(max(y, phi))"},
                                            {NULL, NULL}}};
  for (int k = 0; k < 2; k++) {
    expect_same(names[k], "kinks (orbit)", hash_of_orbit(names[k], kinks[k]),
                hash_of_orbit(names[k], NULL));
    expect_same(names[k], "kinks (exponents)", hash_of_exponents(names[k], kinks[k], 60.0),
                hash_of_exponents(names[k], NULL, 60.0));
  }
}

// sections are no part of the motion either, whatever kinks they have
static const char BELT[] = "parameters: {v0: 0.1}\n"
                           "coordinates: {x: 0, y: 0}\n"
                           "energy: {kinetic: x'^2/2 + y'^2/2, potential: 9.81*y + x^2/2}\n"
                           "contacts: {belt: {gap: y, slip: x' - v0, "
                           "friction: {stick: 0.4, slip: 0.3/(1 + abs(slip))}}}\n"
                           "run: {until: 100}\n";
static const char CYCLE[] = "parameters: {mu: 1}\n"
                            "states: {x: {start: 0.1, rate: v}, "
                            "v: {start: 0, rate: mu*(1 - x^2)*v - x}}\n"
                            "run: {until: 60}\n";
static const char *const SECTIONS[] = {
    "sections: {s: {when: x - 0.3}}\n",
    "sections: {s: {when: x}, r: {when: x - 0.5, direction: rising}}\n",
    "sections: {s: {when: abs(x) - 0.7}}\n",
    "sections: {s: {when: 'max(x, 0.2) - min(x, 0.1) - 0.5'}}\n"};
enum { SECTION_COUNT = 4 };

static motion with_more(const char *text, const char *more) {
  char whole[2000];
  (void)snprintf(whole, sizeof whole, "%s%s", text, more);
  return motion_parse(whole);
}

static uint64_t hash_of_text_orbit(const char *text, const char *more, bool free_word) {
  motion m = with_more(text, more);
  carom_orbit_options options = carom_orbit_options_default();
  carom_orbit_view *orbit = malloc(sizeof *orbit);
  carom_error error = {0};
  assert_non_null(orbit);
  options.model = m.model;
  options.free_word = free_word;
  MUST(find_orbit(&options, orbit, &error), error);
  uint64_t hash = add_numbers(NOTHING, 1, &orbit->period);
  hash = add_numbers(hash, orbit->size, orbit->state);
  hash = add_numbers(hash, orbit->floquet.count, orbit->floquet.re);
  hash = add_bytes(hash, orbit->word, strlen(orbit->word));
  free(orbit);
  motion_end(&m);
  return hash;
}

static uint64_t hash_of_text_exponents(const char *text, const char *more) {
  motion m = with_more(text, more);
  carom_lyapunov_options options = carom_lyapunov_options_default();
  carom_lyapunov_view r;
  carom_error error = {0};
  options.model = m.model;
  MUST(find_exponents(&options, &r, &error), error);
  motion_end(&m);
  return add_numbers(NOTHING, r.count, r.exponents);
}

static uint64_t hash_of_text_branch(const char *text, const char *more, const char *name,
                                    double from, double to) {
  carom_continuation *result =
      branches_of(with_more(text, more), carom_continuation_options_default(), name, from, to);
  uint64_t hash = NOTHING;
  for (long k = 0; k < carom_continuation_points(result); k++) {
    const carom_continuation_point *p = carom_continuation_point_at(result, k);
    hash = add_numbers(hash, 1, &p->value);
    hash = add_numbers(hash, 1, &p->period);
    hash = add_numbers(hash, 1, &p->re);
  }
  carom_continuation_destroy(result);
  return hash;
}

static void test_sections_in_analyses(void **unused) {
  (void)unused;
  static const char *const texts[] = {BELT, CYCLE}, *const names[] = {"v0", "mu"};
  static const double ends[][2] = {{0.1, 0.15}, {1.0, 1.5}};
  for (int t = 0; t < 2; t++)
    for (int k = 0; k < SECTION_COUNT; k++) {
      const char *more = SECTIONS[k], *what = texts[t];
      expect_same(names[t], more, hash_of_text_orbit(what, more, false),
                  hash_of_text_orbit(what, "", false));
      expect_same(names[t], more, hash_of_text_orbit(what, more, true),
                  hash_of_text_orbit(what, "", true));
      expect_same(names[t], more, hash_of_text_exponents(what, more),
                  hash_of_text_exponents(what, ""));
      if (k % 2 == 0) continue;
      expect_same(names[t], more, hash_of_text_branch(what, more, names[t], ends[t][0], ends[t][1]),
                  hash_of_text_branch(what, "", names[t], ends[t][0], ends[t][1]));
    }
}

static const char SPRING[] = "parameters: {m: 1, k: 9, c: 0.2, mu: 0, d: 0.7}\n"
                             "coordinates: {x: 0.01}\n"
                             "energy: {kinetic: m*x'^2/2, potential: k*x^2/2 + mu*x^2, "
                             "dissipation: c*x'^2/2}\n"
                             "run: {until: 10}\n";

// eigenvalues -0.1 +- i sqrt(9 + 2 mu - 0.01) at every parameter, whatever has a kink
static void check_spring(const char *more) {
  char text[1000];
  (void)snprintf(text, sizeof text, "%s%s", SPRING, more);
  carom_continuation_options options = carom_continuation_options_default();
  options.equilibrium = true;
  carom_continuation *result = branches_of(motion_parse(text), options, "mu", 0.0, 2.0);
  for (long k = 0; k < carom_continuation_points(result); k++) {
    const carom_continuation_point *p = carom_continuation_point_at(result, k);
    CHECK_NEAR(p->re, -0.1, 1e-9);
    CHECK_NEAR(fabs(p->im), sqrt(9.0 + 2.0 * p->value - 0.01), 1e-8);
  }
  carom_continuation_destroy(result);
}

static void test_equilibria(void **unused) {
  (void)unused;
  check_spring("observe: {amp: max(abs(x))}\n");
  check_spring("observe: {amp: max(abs(x)), low: min(x), s: mean(sign(x')), "
               "b: 'mean(if(x > 0.1, 1, 0))'}\n");
  check_spring("sections: {s: {when: abs(x) - 0.5}}\n");
  check_spring("stop: {far: abs(x) > 3}\n");
  check_spring("events: {e: {when: abs(x) - 5, do: {x: 0}}}\n");
}

// contacts as springs and dashpots have switches of their own: derivatives know them. A fall, one
// impact, and a rise: neighbours part by the inverse of the restitution; areas shrink by its
// square.
static void test_compliant_exponents(void **unused) {
  (void)unused;
  motion m = motion_parse("coordinates: {y: 0.5}\n"
                          "energy: {kinetic: y'^2/2, potential: y}\n"
                          "contacts: {floor: {gap: y, impact: 0.8}}\n"
                          "run: {until: 2, compliant: 1e8}\n"
                          "observe: {low: min(abs(y - 0.1))}\n");
  carom_error error = {0};
  int size = 0;
  MUST(carom_tangent_begin(m.simulation, &error), error);
  motion_advance(&m, 2.0);
  const double *D = carom_tangent_matrix(m.simulation, &size);
  assert_int_equal(size, 2);
  CHECK_NEAR(D[0] * D[3] - D[1] * D[2], 0.64, 0.002);
  motion_end(&m);
}

static uint64_t hash_of_branch(int looks) {
  carom_continuation_options options = carom_continuation_options_default();
  options.looks = looks;
  uint64_t hash = NOTHING;
  motion m = motion_load("van_der_pol", NULL);
  carom_continuation *result = branches_of(m, options, "mu", 1.0, 2.0);
  for (long k = 0; k < carom_continuation_points(result); k++) {
    const carom_continuation_point *p = carom_continuation_point_at(result, k);
    assert_true(looks == 0 || (p->top[0] > 1.9 && p->top[0] < 2.1));
    hash = add_numbers(hash, 1, &p->value);
    hash = add_numbers(hash, 1, &p->period);
    hash = add_numbers(hash, 2, p->state);
    hash = add_numbers(hash, 1, &p->re);
  }
  carom_continuation_destroy(result);
  return hash;
}

// a branch whose turns are looked at for tables and pictures is the same branch
static void test_branch_looked_at(void **unused) {
  (void)unused;
  expect_same("van_der_pol", "looks", hash_of_branch(100), hash_of_branch(0));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_runs),
      cmocka_unit_test(test_runs_again),
      cmocka_unit_test(test_values),
      cmocka_unit_test(test_values_at_impacts),
      cmocka_unit_test(test_orbits_and_exponents),
      cmocka_unit_test(test_sections_in_analyses),
      cmocka_unit_test(test_equilibria),
      cmocka_unit_test(test_compliant_exponents),
      cmocka_unit_test(test_branch_looked_at),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
