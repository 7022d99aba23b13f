// SPDX-License-Identifier: MIT
// Bifurcation diagrams: returns of the relief valve against another program, critical values of the
// frictional impact oscillator, hysteresis, resumption.
#define _XOPEN_SOURCE 700
#include "axis_help.h"

#include "carom/bifurcation.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static carom_bifurcation *must_run(const carom_bifurcation_options *options) {
  carom_bifurcation *diagram = NULL;
  carom_error error = {0};
  carom_status status = carom_bifurcation_run(options, &diagram, &error);
  if (status != CAROM_OK) print_error("%s\n", error.text);
  assert_int_equal(status, CAROM_OK);
  return diagram;
}

// the largest crossing kept and the smallest
static void ends_of(const carom_bifurcation_point *point, double *low, double *high) {
  *low = INFINITY;
  *high = -INFINITY;
  for (int k = 0; k < point->count; k++) {
    *low = fmin(*low, point->crossings[k]);
    *high = fmax(*high, point->crossings[k]);
  }
}

// a hand-written Dormand-Prince program with exact events at tolerance 1e-10: 1056 returns from the
// same start, q = 0.2 + 9.8 k/30719
static void valve_returns(void **state) {
  (void)state;
  const struct {
    int k, period;
    double low, high;
  } known[] = {{4800, 1, 1.169569177, 1.169569177},
               {9600, 1, 2.782059854, 2.782059854},
               {18720, 2, 5.894757104, 7.236229257},
               {24000, 1, 7.014791002, 7.014791002},
               {28800, 1, 2.640475162, 2.640475162}};
  carom_model *model = load("relief_valve", 0, NULL);
  double values[5];
  for (int k = 0; k < 5; k++)
    values[k] = 0.2 + 9.8 * known[k].k / 30719;
  char name[] = "q";
  carom_axis axis = {.name = name, .count = 5, .values = values};
  carom_bifurcation_options options = carom_bifurcation_options_default();
  options.model = model;
  options.axis = &axis;
  options.fresh = true;
  options.skip = 1024;
  options.keep = 32;
  options.threads = 2;
  carom_bifurcation *diagram = must_run(&options);
  assert_int_equal(carom_bifurcation_points(diagram), 5);
  assert_string_equal(carom_bifurcation_section(diagram), "top");
  for (int k = 0; k < 5; k++) {
    const carom_bifurcation_point *point = carom_bifurcation_point_at(diagram, k);
    double low, high;
    assert_int_equal(point->count, 32);
    ends_of(point, &low, &high);
    // the last one comes to rest: of its returns, which end where a swing is too small to be told
    // from rest, the last 32 still lead there
    double near = k < 4 ? 3e-9 : 1e-7;
    CHECK_NEAR(low, known[k].low, 3e-9);
    CHECK_NEAR(high, known[k].high, near);
    assert_int_equal(point->period, known[k].period);
    CHECK(point->passed);
  }
  carom_bifurcation_destroy(diagram);
  carom_model_destroy(model);
}

// the valve's crossings of 40 units of time, those before `after` left out; their number
static int crossings_after(const char *after, double *values, int room, int *period) {
  const carom_setting settings[] = {{"run.until", "40"}, {"measure.after", after}};
  carom_model *model = load("relief_valve", 2, settings);
  carom_axis axis = axis_of("q=2:2:1");
  carom_bifurcation_options options = carom_bifurcation_options_default();
  options.model = model;
  options.axis = &axis;
  options.keep = room;
  carom_bifurcation *diagram = must_run(&options);
  const carom_bifurcation_point *point = carom_bifurcation_point_at(diagram, 0);
  int count = point->count;
  *period = point->period;
  memcpy(values, point->crossings, (size_t)count * sizeof *values);
  carom_bifurcation_destroy(diagram);
  carom_axis_destroy(&axis);
  carom_model_destroy(model);
  return count;
}

static void transients_do_not_count(void **state) {
  (void)state;
  enum { ROOM = 64 };
  double all[ROOM], late[ROOM];
  int period_of_all, period, most = crossings_after("0", all, ROOM, &period_of_all);
  int count = crossings_after("30", late, ROOM, &period);
  CHECK(count > 1 && count < most);
  assert_memory_equal(late, all + most - count, (size_t)count * sizeof *late);
  assert_int_equal(period_of_all, 0); // the transient never comes back
  assert_int_equal(period, 1);
}

// down in mu flight-stick-slip becomes flight-slip-stick-slip at 0.397909 and ends at 0.389569
static void oscillator_critical_values(void **state) {
  (void)state;
  const carom_setting start[] = {{"mu", "0.4"}};
  carom_model *model = load("frictional_impact_oscillator", 1, start);
  carom_axis axis = axis_of("mu=0.399,0.397,0.391,0.388");
  carom_bifurcation_options options = carom_bifurcation_options_default();
  options.model = model;
  options.axis = &axis;
  options.keep = 8;
  options.tolerance = 2e-6;
  carom_bifurcation *diagram = must_run(&options);
  assert_int_equal(carom_bifurcation_points(diagram), 4);
  assert_string_equal(carom_bifurcation_point_at(diagram, 0)->word, "F I K +");
  assert_string_equal(carom_bifurcation_point_at(diagram, 2)->word, "F I + K +");
  assert_string_equal(carom_bifurcation_point_at(diagram, 3)->word, "+");
  assert_int_equal(carom_bifurcation_changes(diagram), 2);
  const carom_bifurcation_change *slip = carom_bifurcation_change_at(diagram, 0),
                                 *end = carom_bifurcation_change_at(diagram, 1);
  CHECK(slip->located && end->located);
  CHECK_NEAR(slip->value, 0.397909, 2e-6);
  CHECK_NEAR(end->value, 0.389569, 2e-6);
  assert_string_equal(slip->near_text, "F I K +, period 1");
  carom_bifurcation_destroy(diagram);
  carom_axis_destroy(&axis);
  carom_model_destroy(model);
}

// below the loss of stability the arm comes to rest: what the section still meets are roundings,
// and there is no change between one value and the next
static void rest_has_no_crossings(void **state) {
  (void)state;
  carom_model *model = load("frictional_impact_oscillator", 0, NULL);
  carom_axis axis = axis_of("mu=0.3:0.38:9");
  carom_bifurcation_options options = carom_bifurcation_options_default();
  options.model = model;
  options.axis = &axis;
  carom_bifurcation *diagram = must_run(&options);
  assert_int_equal(carom_bifurcation_changes(diagram), 0);
  for (long k = 0; k < carom_bifurcation_points(diagram); k++)
    assert_int_equal(carom_bifurcation_point_at(diagram, k)->count, 0);
  carom_bifurcation_destroy(diagram);
  carom_axis_destroy(&axis);
  carom_model_destroy(model);
}

static carom_model *model_of(const char *text) {
  carom_model *model = NULL;
  carom_error error = {0};
  if (carom_model_parse(text, "text", 0, NULL, &model, &error) != CAROM_OK)
    print_error("%s\n", error.text);
  assert_non_null(model);
  return model;
}

// a state is no speed: it may stay anywhere while all is at rest
static void rest_with_a_state(void **state) {
  (void)state;
  carom_model *model = model_of("coordinates: {x: 1.5}\nparameters: {k: 40}\n"
                                "states: {p: {start: 1, rate: 2 - p}}\n"
                                "energy: {kinetic: x'^2/2, potential: k/2*(x - 1)^2, "
                                "dissipation: x'^2/2}\n"
                                "sections: {back: {when: x', direction: rising}}\n"
                                "run: {until: 60}\nmeasure: {after: 30}\n");
  carom_axis axis = axis_of("k=40,41");
  carom_bifurcation_options options = carom_bifurcation_options_default();
  options.model = model;
  options.axis = &axis;
  carom_bifurcation *diagram = must_run(&options);
  for (int k = 0; k < 2; k++)
    assert_int_equal(carom_bifurcation_point_at(diagram, k)->count, 0);
  carom_bifurcation_destroy(diagram);
  carom_axis_destroy(&axis);
  carom_model_destroy(model);
}

// At rest is what would not move in the time that is measured, however long the run was before:
// x = 1 - exp(-t) passes a section where its speed is 2e-5, which is half of that a second later;
// y tells how large the motion is.
static void rest_by_the_measured_time(void **state) {
  (void)state;
  carom_model *model = model_of("coordinates: {x: {start: 0, rate: 1}, y: 1}\n"
                                "parameters: {h: 2e-5}\n"
                                "energy: {kinetic: (x'^2 + y'^2)/2, potential: (y - 1)^2/2, "
                                "dissipation: x'^2/2}\n"
                                "sections: {late: {when: x - 1 + h, direction: rising}}\n"
                                "run: {until: 11.5}\nmeasure: {after: 10.5}\n");
  carom_axis axis = axis_of("h=2e-5,2.1e-5");
  carom_bifurcation_options options = carom_bifurcation_options_default();
  options.model = model;
  options.axis = &axis;
  carom_bifurcation *diagram = must_run(&options);
  for (int k = 0; k < 2; k++)
    assert_int_equal(carom_bifurcation_point_at(diagram, k)->count, 0);
  carom_bifurcation_destroy(diagram);
  carom_axis_destroy(&axis);
  carom_model_destroy(model);
}

// A ball just above the floor, which is to be lifted beyond it: that waits until the ball is
// higher, and then nothing has failed
static void floor_lifted_later(void **state) {
  (void)state;
  carom_model *model = model_of("coordinates: {y: 1}\nparameters: {h: 0}\n"
                                "energy: {kinetic: y'^2/2, potential: 9.81*y}\n"
                                "contacts: {floor: {gap: y - h, impact: 1}}\n"
                                "run: {until: 8.6}\n");
  carom_simulation *simulation = NULL;
  assert_int_equal(carom_simulation_create(model, &simulation, NULL), CAROM_OK);
  assert_int_equal(carom_simulation_advance(simulation, 8.6, NULL), CAROM_OK);
  assert_int_equal(carom_simulation_change(simulation, "h", 0.1, NULL), CAROM_ERR_INPUT);
  carom_simulation_destroy(simulation);
  carom_axis axis = axis_of("h=0,0.1");
  carom_bifurcation_options options = carom_bifurcation_options_default();
  options.model = model;
  options.axis = &axis;
  options.section = "floor";
  carom_bifurcation *diagram = must_run(&options);
  for (int k = 0; k < 2; k++) {
    const carom_bifurcation_point *point = carom_bifurcation_point_at(diagram, k);
    assert_int_equal(point->status, CAROM_OK);
    assert_string_equal(point->failure, "");
    CHECK(point->count > 0);
  }
  carom_bifurcation_destroy(diagram);
  carom_axis_destroy(&axis);
  carom_model_destroy(model);
}

// an oscillator of period 1 about x = 1 turns back at 0.5, 1.5, ...: a run that ends there has
// neither speed nor distance to the crossings before, and yet moves
static void cycle_cut_at_its_section(void **state) {
  (void)state;
  const char *text = "coordinates: {x: 1.5}\n"
                     "parameters: {k: 4*pi^2}\n"
                     "energy: {kinetic: x'^2/2, potential: k/2*(x - 1)^2}\n"
                     "sections: {back: {when: x', direction: rising}}\n"
                     "run: {until: 20.5, rtol: 1e-12}\n"
                     "measure: {after: 10}\n";
  carom_model *model = model_of(text);
  carom_axis axis = axis_of("k=39.47841760435743,39.5");
  carom_bifurcation_options options = carom_bifurcation_options_default();
  options.model = model;
  options.axis = &axis;
  options.fresh = true;
  carom_bifurcation *diagram = must_run(&options);
  for (int k = 0; k < 2; k++) {
    const carom_bifurcation_point *point = carom_bifurcation_point_at(diagram, k);
    assert_int_equal(point->period, 1);
    CHECK(point->count >= 10);
    CHECK_NEAR(point->crossings[0], 0.5, 1e-9);
  }
  carom_bifurcation_destroy(diagram);
  carom_axis_destroy(&axis);
  carom_model_destroy(model);
}

// The drive goes on with its phase where its frequency changes: no flank of a gear runs into the
// other
static void test_phase_carried_on(void **unused) {
  (void)unused;
  const char *text = "parameters: {Om: 2.1}\ncoordinates: {th: 0}\ndefine: {drive: 0.3*sin(Om*t)}\n"
                     "energy: {kinetic: th'^2/2, dissipation: 0.025*th'^2}\nforces: {th: -0.02}\n"
                     "contacts: {front: {gap: 0.05 - (th - drive), impact: 0.8}, "
                     "back: {gap: 0.05 + (th - drive), impact: 0.8}}\n"
                     "run: {until: 200*2*pi/Om}\nmeasure: {after: 100*2*pi/Om}\n";
  carom_model *model = model_of(text);
  carom_axis axis = axis_of("Om=2.1:3:10");
  carom_bifurcation_options options = carom_bifurcation_options_default();
  options.model = model;
  options.axis = &axis;
  options.section = "front";
  carom_bifurcation *diagram = must_run(&options);
  for (long k = 0; k < carom_bifurcation_points(diagram); k++) {
    const carom_bifurcation_point *point = carom_bifurcation_point_at(diagram, k);
    assert_int_equal(point->status, CAROM_OK);
    assert_true(point->count > 0);
  }
  carom_bifurcation_destroy(diagram);
  carom_axis_destroy(&axis);
  carom_model_destroy(model);
}

// a pendulum shaken at its pivot that goes round once in every period of the drive comes back
static void test_going_round(void **unused) {
  (void)unused;
  const char *text = "parameters: {A: 1.5}\ncoordinates: {phi: {start: 0, rate: 2}}\n"
                     "energy: {kinetic: phi'^2/2, potential: -(1 + A*cos(2*t))*cos(phi), "
                     "dissipation: phi'^2/10}\n"
                     "sections: {strobe: {when: sin(2*t), direction: rising}}\n"
                     "run: {until: 400}\nmeasure: {after: 300}\n";
  carom_model *model = model_of(text);
  carom_axis axis = axis_of("A=1.5");
  carom_bifurcation_options options = carom_bifurcation_options_default();
  options.model = model;
  options.axis = &axis;
  options.observable = "phi";
  carom_bifurcation *diagram = must_run(&options);
  const carom_bifurcation_point *point = carom_bifurcation_point_at(diagram, 0);
  assert_int_equal(point->period, 1);
  CHECK_NEAR(fabs(point->crossings[1] - point->crossings[0]), 6.28318530718, 1e-5);
  carom_bifurcation_destroy(diagram);
  carom_axis_destroy(&axis);
  carom_model_destroy(model);
}

static void same_points(const carom_bifurcation *a, const carom_bifurcation *b) {
  assert_int_equal(carom_bifurcation_points(a), carom_bifurcation_points(b));
  for (long k = 0; k < carom_bifurcation_points(a); k++) {
    const carom_bifurcation_point *p = carom_bifurcation_point_at(a, k),
                                  *q = carom_bifurcation_point_at(b, k);
    assert_int_equal(p->count, q->count);
    assert_memory_equal(p->crossings, q->crossings, (size_t)p->count * sizeof(double));
    assert_string_equal(p->word, q->word);
    CHECK_SAME(p->value, q->value);
    assert_int_equal(p->direction, q->direction);
  }
}

static long asked;
static bool stop_soon(void *ctx) { return ++asked > *(const long *)ctx; }

static const carom_setting SHORT[] = {{"run.until", "12"}, {"measure.after", "6"}};

// up and down, refined, stopped half-way and resumed: the same bits
static void resumes_where_it_stopped(void **state) {
  (void)state;
  char folder[] = "/tmp/carom-bifurcation-XXXXXX", file[64];
  assert_non_null(mkdtemp(folder));
  (void)snprintf(file, sizeof file, "%s/j", folder);
  carom_model *model = load("frictional_impact_oscillator", 2, SHORT);
  carom_axis axis = axis_of("mu=0.39:0.45:4");
  carom_bifurcation_options options = carom_bifurcation_options_default();
  options.model = model;
  options.axis = &axis;
  options.keep = 8;
  options.both = true;
  options.refine = 0.005;
  options.observable = "tip_x"; // a definition
  carom_bifurcation *whole = must_run(&options), *again = NULL;
  CHECK(carom_bifurcation_points(whole) > 8);
  CHECK(carom_bifurcation_changes(whole) >= 1);
  int fine = 0;
  for (long k = 1; k < carom_bifurcation_points(whole); k++) {
    const carom_bifurcation_point *a = carom_bifurcation_point_at(whole, k - 1),
                                  *b = carom_bifurcation_point_at(whole, k);
    if (a->direction != b->direction) continue;
    bool refined = fabs(b->value - a->value) < 0.01;
    CHECK_NEAR(fabs(b->value - a->value), refined ? 0.005 : 0.02, 1e-12);
    fine += refined;
  }
  CHECK(fine >= 4);
  options.journal = file;
  long limit = 1200;
  options.watcher = (carom_watcher){.ctx = &limit, .stopped = stop_soon};
  assert_int_equal(carom_bifurcation_run(&options, &again, NULL), CAROM_STOP_USER);
  CHECK(carom_bifurcation_points(again) < carom_bifurcation_points(whole));
  CHECK(carom_bifurcation_points(again) > 0);
  carom_bifurcation_destroy(again);
  options.watcher = (carom_watcher){0};
  options.resume = true;
  again = must_run(&options);
  same_points(whole, again);
  assert_int_equal(carom_bifurcation_changes(whole), carom_bifurcation_changes(again));
  carom_bifurcation_destroy(again);
  carom_bifurcation_destroy(whole);
  (void)unlink(file);
  (void)rmdir(folder);
  carom_axis_destroy(&axis);
  carom_model_destroy(model);
}

// Where the first values have no motion the walk begins with the first one that has, also when it
// is taken up again there
static void begins_where_it_can(void **state) {
  (void)state;
  char folder[] = "/tmp/carom-bifurcation-XXXXXX", file[64];
  assert_non_null(mkdtemp(folder));
  (void)snprintf(file, sizeof file, "%s/j", folder);
  carom_model *model = model_of("coordinates: {x: 1}\nparameters: {k: 4}\n"
                                "energy: {kinetic: x'^2/2, potential: k/2*x^2}\n"
                                "forces: {x: 0.01*sqrt(k - 2)}\n"
                                "sections: {back: {when: x', direction: rising}}\n"
                                "run: {until: 20}\n");
  carom_axis axis = axis_of("k=1,1.5,3,4,5");
  carom_bifurcation_options options = carom_bifurcation_options_default();
  options.model = model;
  options.axis = &axis;
  carom_bifurcation *whole = must_run(&options), *again = NULL;
  assert_int_equal(carom_bifurcation_points(whole), 5);
  for (long k = 0; k < 5; k++) {
    const carom_bifurcation_point *point = carom_bifurcation_point_at(whole, k);
    CHECK((point->status < 0) == (k < 2));
    CHECK((point->failure[0] != '\0') == (k < 2));
    assert_int_equal(point->count > 0, k >= 2);
  }
  options.journal = file;
  for (long stops = 0; stops < 2; stops++) {
    long limit = stops == 0 ? 1 : 20;
    asked = 0;
    options.watcher = (carom_watcher){.ctx = &limit, .stopped = stop_soon};
    assert_int_equal(carom_bifurcation_run(&options, &again, NULL), CAROM_STOP_USER);
    CHECK(carom_bifurcation_points(again) >= 1 && carom_bifurcation_points(again) < 5);
    carom_bifurcation_destroy(again);
    options.resume = true;
  }
  options.watcher = (carom_watcher){0};
  again = must_run(&options);
  same_points(whole, again);
  carom_bifurcation_destroy(again);
  carom_bifurcation_destroy(whole);
  (void)unlink(file);
  (void)rmdir(folder);
  carom_axis_destroy(&axis);
  carom_model_destroy(model);
}

// a run that fails on the way leaves the state before it: the next one is as if it had not been
static void passes_a_failure(void **state) {
  (void)state;
  carom_model *model = model_of("coordinates: {x: 1}\nparameters: {k: 3}\n"
                                "energy: {kinetic: x'^2/2, potential: k/2*x^2}\n"
                                "forces: {x: 0.01*sqrt(20 - k*(1 + x))}\n"
                                "sections: {back: {when: x', direction: rising}}\n"
                                "run: {until: 20}\n");
  carom_bifurcation *diagrams[2];
  carom_axis axes[2] = {axis_of("k=3,11,4,5"), axis_of("k=3,4,5")};
  for (int k = 0; k < 2; k++) {
    carom_bifurcation_options options = carom_bifurcation_options_default();
    options.model = model;
    options.axis = &axes[k];
    diagrams[k] = must_run(&options);
  }
  assert_int_equal(carom_bifurcation_point_at(diagrams[0], 1)->status, CAROM_ERR_NONFINITE);
  for (int k = 1; k < 3; k++) {
    const carom_bifurcation_point *a = carom_bifurcation_point_at(diagrams[0], k + 1),
                                  *b = carom_bifurcation_point_at(diagrams[1], k);
    CHECK(a->count > 3);
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->crossings, b->crossings, (size_t)a->count * sizeof(double));
  }
  for (int k = 0; k < 2; k++) {
    carom_bifurcation_destroy(diagrams[k]);
    carom_axis_destroy(&axes[k]);
  }
  carom_model_destroy(model);
}

static void wrong_names(void **state) {
  (void)state;
  carom_model *model = load("frictional_impact_oscillator", 2, SHORT);
  carom_axis axis = axis_of("mu=0.4:0.5:2"), start = axis_of("phi=0.4:0.5:2");
  carom_bifurcation_options options = carom_bifurcation_options_default();
  carom_bifurcation *none = NULL;
  carom_error error = {0};
  options.model = model;
  options.axis = &start;
  assert_int_equal(carom_bifurcation_run(&options, &none, &error), CAROM_ERR_INPUT);
  CHECK(strstr(error.text, "phi"));
  options.axis = &axis;
  options.section = "tern";
  assert_int_equal(carom_bifurcation_run(&options, &none, &error), CAROM_ERR_INPUT);
  options.section = NULL;
  options.observable = "tip_z";
  assert_int_equal(carom_bifurcation_run(&options, &none, &error), CAROM_ERR_INPUT);
  carom_axis_destroy(&axis);
  carom_axis_destroy(&start);
  carom_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(valve_returns),
                                     cmocka_unit_test(test_going_round),
                                     cmocka_unit_test(test_phase_carried_on),
                                     cmocka_unit_test(transients_do_not_count),
                                     cmocka_unit_test(oscillator_critical_values),
                                     cmocka_unit_test(rest_has_no_crossings),
                                     cmocka_unit_test(rest_with_a_state),
                                     cmocka_unit_test(rest_by_the_measured_time),
                                     cmocka_unit_test(floor_lifted_later),
                                     cmocka_unit_test(cycle_cut_at_its_section),
                                     cmocka_unit_test(resumes_where_it_stopped),
                                     cmocka_unit_test(begins_where_it_can),
                                     cmocka_unit_test(passes_a_failure),
                                     cmocka_unit_test(wrong_names)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
