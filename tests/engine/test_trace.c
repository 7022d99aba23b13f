// SPDX-License-Identifier: MIT
// A motion kept in memory: every sample and event of a falling ball, against the closed form.
#include "../hybrid/motion.h"
#include "carom/trace.h"

static const char BALL[] = "parameters: {g: 9.81, e: 0.5}\n"
                           "coordinates: {y: 1}\n"
                           "energy: {kinetic: y'^2/2, potential: g*y}\n"
                           "contacts: {floor: {gap: y, impact: {law: newton, e: e}}}\n"
                           "run: {until: 0.8, sample: 0.001}\n";

static void samples_and_events(void **state) {
  (void)state;
  motion m = motion_parse(BALL);
  carom_error error = {0};
  carom_trace *trace = NULL;
  MUST(carom_trace_create(m.simulation, &trace, &error), error);
  carom_observer observer = carom_trace_observer(trace);
  carom_simulation_observe(m.simulation, &observer);
  MUST(carom_simulation_run(m.simulation, &error), error);

  assert_true(carom_trace_complete(trace));
  assert_int_equal(carom_trace_samples(trace), 801);
  int width = carom_trace_width(trace);
  assert_int_equal(width, 1 + carom_simulation_columns(m.simulation));
  double fall = sqrt(2.0 / 9.81), leap = 0.5 * 9.81 * fall;
  const double *values = carom_trace_values(trace);
  for (long k = 0; k < 801; k++) {
    double t = values[k * width], s = t - fall;
    double y = s < 0.0 ? 1.0 - 0.5 * 9.81 * t * t : leap * s - 0.5 * 9.81 * s * s;
    assert_true(fabs(values[k * width + 1] - y) < 1e-9);
  }

  // the contact is open all the time, with the height as its gap
  int contacts = 0;
  const carom_contact_view *views = carom_trace_contacts(trace, &contacts);
  assert_int_equal(contacts, 1);
  for (long k = 0; k < 801; k++) {
    assert_true(fabs(views[k].gap - values[k * width + 1]) < 1e-14);
    assert_true(views[k].mode == 'F' && views[k].normal == 0.0);
  }

  assert_int_equal(carom_trace_events(trace), 1);
  const carom_trace_event *strike = carom_trace_event_at(trace, 0);
  assert_int_equal(strike->kind, CAROM_EVENT_IMPACT);
  assert_string_equal(strike->name, "floor");
  assert_true(fabs(strike->t - fall) < 1e-10);
  assert_int_equal(carom_trace_state_size(trace), 2);
  assert_true(fabs(strike->before[1] + 2.0 * leap) < 1e-9);
  assert_true(fabs(strike->after[1] - leap) < 1e-9);
  // half m v^2 on both sides, a quarter of it left
  assert_true(fabs(strike->energy_before.kinetic - 9.81) < 1e-8);
  assert_true(fabs(strike->energy_after.kinetic - 9.81 / 4.0) < 1e-8);
  assert_true(fabs(strike->energy_before.potential) < 1e-9);
  assert_null(carom_trace_event_at(trace, 1));
  assert_null(carom_trace_event_at(trace, -1));
  carom_trace_destroy(trace);
  motion_end(&m);
}

// a block on a belt is held by friction until the spring pulls with mu m g
static void forces(void **state) {
  (void)state;
  motion m = motion_parse("coordinates: {x: 0, y: 0}\n"
                          "energy: {kinetic: (x'^2 + y'^2)/2, potential: 10*y + x^2/2}\n"
                          "contacts: {belt: {gap: y, slip: x' - 1, friction: 0.3, impact: 0}}\n"
                          "run: {until: 2.9, sample: 0.1}\n");
  carom_error error = {0};
  MUST(carom_simulation_set(m.simulation, "x'", 1.0, &error), error);
  carom_trace *trace = NULL;
  MUST(carom_trace_create(m.simulation, &trace, &error), error);
  carom_observer observer = carom_trace_observer(trace);
  carom_simulation_observe(m.simulation, &observer);
  MUST(carom_simulation_run(m.simulation, &error), error);
  int contacts = 0, width = carom_trace_width(trace);
  const carom_contact_view *views = carom_trace_contacts(trace, &contacts);
  const double *values = carom_trace_values(trace);
  for (long k = 0; k < carom_trace_samples(trace); k++) {
    assert_int_equal(views[k].mode, 'K');
    assert_true(fabs(views[k].normal - 10.0) < 1e-10);
    assert_true(fabs(views[k].tangential - values[k * width + 1]) < 1e-8);
    assert_true(fabs(values[k * width + 1] - values[k * width]) < 1e-8);
  }
  carom_trace_destroy(trace);
  motion_end(&m);
}

// a flag that is set stops the motion before its next step; it goes on when it is taken back
static void flag(void **state) {
  (void)state;
  motion m = motion_parse(BALL);
  carom_error error = {0};
  int stop = 1;
  carom_simulation_heed(m.simulation, carom_stop_flag, &stop);
  assert_int_equal(carom_simulation_run(m.simulation, &error), CAROM_STOP_USER);
  assert_true(carom_simulation_time(m.simulation) < 0.8);
  stop = 0;
  assert_int_equal(carom_simulation_advance(m.simulation, 0.8, &error), CAROM_OK);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(samples_and_events), cmocka_unit_test(forces),
                                     cmocka_unit_test(flag)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
