// SPDX-License-Identifier: MIT
// Observables: reducers against closed forms, windows, and that looking does not change the motion.
#include "motion.h"

// x = cos t
#define SWINGING                                                                                   \
  "coordinates: {x: 1}\n"                                                                          \
  "energy: {kinetic: x'^2/2, potential: x^2/2}\n"

static void reducers_of_a_swing(void **state) {
  (void)state;
  motion m = motion_parse(SWINGING "sections: {middle: {when: x, direction: falling}}\n"
                                   "run: {until: 20}\n"
                                   "observe:\n"
                                   "  average: mean(x)\n"
                                   "  square: mean(x^2)\n"
                                   "  sharp: mean(exp(3*x'))\n"
                                   "  highest: max(x*x')\n"
                                   "  lowest: min(x + x')\n"
                                   "  fall: mean_rate(x)\n"
                                   "  end: last(x')\n"
                                   "  passages: count(middle)\n"
                                   "  when: at(middle, t)\n"
                                   "  speed: at(middle, x')\n"
                                   "  mixed: 2*max(x) - 3*min(x') + count(middle)\n");
  assert_int_equal(motion_run(&m), CAROM_OK);
  double t = 20.0;
  CHECK_NEAR(value_of(&m, "average"), sin(t) / t, 1e-9);
  CHECK_NEAR(value_of(&m, "square"), 0.5 + sin(2.0 * t) / (4.0 * t), 1e-9);
  // mean of exp(-3 sin t) by the trapezoidal rule, exact for periods, and Simpson for the rest
  double sum = 0.0;
  int n = 200000;
  for (int k = 0; k <= n; k++)
    sum += (k == 0 || k == n ? 1.0 : k % 2 ? 4.0 : 2.0) * exp(-3.0 * sin(t * k / n));
  CHECK_NEAR(value_of(&m, "sharp"), sum / (3.0 * n), 2e-8);
  CHECK_NEAR(value_of(&m, "highest"), 0.5, 1e-9);
  CHECK_NEAR(value_of(&m, "lowest"), -sqrt(2.0), 1e-9);
  CHECK_NEAR(value_of(&m, "fall"), (cos(t) - 1.0) / t, 1e-9);
  CHECK_NEAR(value_of(&m, "end"), -sin(t), 1e-9);
  CHECK_SAME(value_of(&m, "passages"), 3.0); // pi/2, 5 pi/2, 9 pi/2
  CHECK_NEAR(value_of(&m, "when"), 4.5 * PI, 1e-9);
  CHECK_NEAR(value_of(&m, "speed"), -1.0, 1e-9);
  CHECK_NEAR(value_of(&m, "mixed"), 2.0 + 3.0 + 3.0, 1e-8);
  motion_end(&m);
}

// only what lies in the window counts, wherever steps begin and end, also when the run starts late
static void windows(void **state) {
  (void)state;
  motion m = motion_parse("parameters: {begin: 0, wait: 3}\n"
                          "states: {x: {start: sin(begin), rate: cos(t)}}\n"
                          "sections: {zero: x}\n"
                          "run: {start: begin, until: begin + 20}\n"
                          "measure: {after: begin + wait, over: 5}\n"
                          "observe:\n"
                          "  average: mean(x)\n  highest: max(x)\n  lowest: min(x)\n"
                          "  rise: mean_rate(x)\n  end: last(x)\n  zeros: count(zero)\n");
  for (int k = 0; k < 3; k++) {
    double begin = 1.7 * k, a = begin + 3.0, b = a + 5.0;
    set_value(&m, "begin", begin);
    assert_int_equal(motion_run(&m), CAROM_OK);
    CHECK_NEAR(value_of(&m, "average"), (cos(a) - cos(b)) / 5.0, 1e-9);
    bool top = floor((b - 0.5 * PI) / (2.0 * PI)) > floor((a - 0.5 * PI) / (2.0 * PI));
    bool bottom = floor((b + 0.5 * PI) / (2.0 * PI)) > floor((a + 0.5 * PI) / (2.0 * PI));
    CHECK_NEAR(value_of(&m, "highest"), top ? 1.0 : fmax(sin(a), sin(b)), 1e-9);
    CHECK_NEAR(value_of(&m, "lowest"), bottom ? -1.0 : fmin(sin(a), sin(b)), 1e-9);
    CHECK_NEAR(value_of(&m, "rise"), (sin(b) - sin(a)) / 5.0, 1e-9);
    CHECK_NEAR(value_of(&m, "end"), sin(b), 1e-9);
    CHECK_SAME(value_of(&m, "zeros"), floor(b / PI) - floor(a / PI));
  }
  motion_end(&m);
}

// an observable over the window so far; before the window there is nothing to tell
static void observables_on_the_way(void **state) {
  (void)state;
  motion m = motion_parse(SWINGING "run: {until: 20}\nmeasure: {after: 2}\n"
                                   "observe: {average: mean(x), highest: max(x)}\n");
  motion_advance(&m, 1.0);
  CHECK(isnan(value_of(&m, "average")));
  for (double t = 3.0; t < 20.0; t += 3.7) {
    motion_advance(&m, t);
    CHECK_NEAR(value_of(&m, "average"), (sin(t) - sin(2.0)) / (t - 2.0), 1e-9);
  }
  motion_end(&m);
}

// jumps of the state: each piece is integrated on its own side of the jump
static void reducers_across_jumps(void **state) {
  (void)state;
  motion m = motion_parse("states: {x: {start: 0, rate: 1}}\n"
                          "events: {saw: {when: x > 1, do: {x: 0}}}\n"
                          "run: {until: 10.5}\n"
                          "observe: {average: mean(x), square: mean(x^2), highest: max(x), "
                          "teeth: count(saw)}\n");
  assert_int_equal(motion_run(&m), CAROM_OK);
  CHECK_NEAR(value_of(&m, "average"), (10.0 * 0.5 + 0.125) / 10.5, 1e-9);
  CHECK_NEAR(value_of(&m, "square"), (10.0 + 0.125) / 3.0 / 10.5, 1e-9);
  CHECK_NEAR(value_of(&m, "highest"), 1.0, 1e-9);
  CHECK_SAME(value_of(&m, "teeth"), 10.0);
  motion_end(&m);
}

// a kink inside a step does not spoil a mean, and max finds a peak between any samples
static void reducers_of_kinks(void **state) {
  (void)state;
  motion m = motion_parse(SWINGING "run: {until: 10*pi}\n"
                                   "observe: {size: mean(abs(x)), cut: 'mean(max(x, 0.5))', "
                                   "peak: max(1/(1e-6 + (x - 0.3)^2))}\n");
  assert_int_equal(motion_run(&m), CAROM_OK);
  CHECK_NEAR(value_of(&m, "size"), 2.0 / PI, 1e-9);
  double a = acos(0.5);
  CHECK_NEAR(value_of(&m, "cut"), (sin(a) + 0.5 * (PI - a)) / PI, 1e-9);
  CHECK_RELATIVE(value_of(&m, "peak"), 1e6, 1e-6);
  motion_end(&m);
}

// --- looking ---

typedef struct sampled {
  int count;
  double last;
  double worst; // of x against cos t
} sampled;

static int take_sample(void *ctx, const carom_simulation *simulation, double t, int count,
                       const double *values) {
  sampled *s = ctx;
  (void)simulation;
  CHECK(count >= 2);
  s->count++;
  s->last = t;
  s->worst = fmax(s->worst, fabs(values[0] - cos(t)));
  return 0;
}

static void samples_do_not_change_the_motion(void **state) {
  (void)state;
  const char *const intervals[] = {"0.001", "0.1", "7", "1/3"};
  const int counts[] = {20001, 201, 3, 61};
  double reference[2] = {0.0, 0.0};
  for (int k = -1; k < 4; k++) {
    char text[300];
    (void)snprintf(text, sizeof text,
                   SWINGING "sections: {middle: x}\nrun: {until: 20, sample: %s}\n",
                   intervals[k < 0 ? 0 : k]);
    motion m = motion_parse(text);
    sampled s = {0};
    carom_observer observer = {.ctx = &s, .sample = take_sample};
    if (k >= 0) carom_simulation_observe(m.simulation, &observer);
    assert_int_equal(motion_run(&m), CAROM_OK);
    const double *y = carom_simulation_state(m.simulation, NULL);
    if (k < 0) memcpy(reference, y, sizeof reference);
    assert_memory_equal(y, reference, sizeof reference);
    assert_int_equal(s.count, k < 0 ? 0 : counts[k]);
    CHECK_NEAR(s.worst, 0.0, 1e-9);
    motion_end(&m);
  }
}

// an observer that comes late gets what is still ahead, each sample at its time
static void late_observer(void **state) {
  (void)state;
  motion m = motion_parse(SWINGING "run: {until: 20, sample: 0.5}\n");
  motion_advance(&m, 10.2);
  sampled s = {0};
  carom_observer observer = {.ctx = &s, .sample = take_sample};
  carom_simulation_observe(m.simulation, &observer);
  motion_advance(&m, 20.0);
  assert_int_equal(s.count, 20); // 10.5, 11, ... 20
  CHECK_NEAR(s.last, 20.0, 1e-12);
  CHECK_NEAR(s.worst, 0.0, 1e-9);
  motion_end(&m);
}

// a run that ends with an instant ends behind it
static void ended_by_an_instant(void **state) {
  (void)state;
  motion m =
      motion_parse("parameters: {T: sqrt(0.2)}\n"
                   "coordinates: {y: 1}\n"
                   "states: {n: {start: 0, rate: 0}}\n"
                   "energy: {kinetic: y'^2/2, potential: 10*y}\n"
                   "contacts: {floor: {gap: y, impact: 0.5}}\n"
                   "events: {tick: {when: t - T, do: {n: n + 3}}}\n"
                   "stop: {rises: y' > 1}\n"
                   "run: {until: 2}\n"
                   "observe: {up: last(y'), most: max(y'), ticks: last(n), pace: mean_rate(n)}\n");
  sampled s = {0};
  carom_observer observer = {.ctx = &s, .sample = take_sample};
  carom_simulation_observe(m.simulation, &observer);
  CHECK(motion_run(&m) == CAROM_STOP_EVENT);
  double T = sqrt(0.2);
  CHECK_NEAR(value_of(&m, "up"), 5.0 * T, 1e-9);
  CHECK_NEAR(value_of(&m, "most"), 5.0 * T, 1e-9);
  CHECK_SAME(value_of(&m, "ticks"), 3.0);
  CHECK_NEAR(value_of(&m, "pace"), 3.0 / T, 1e-9);
  motion_end(&m);
}

// a run of no length has nothing but its end
static void ended_at_the_start(void **state) {
  (void)state;
  motion m = motion_parse("states: {x: {start: 2, rate: 1}}\nstop: {far: x > 1}\nrun: {until: 5}\n"
                          "observe: {end: last(x), most: max(x), average: mean(x)}\n");
  CHECK(motion_run(&m) == CAROM_STOP_EVENT);
  CHECK_SAME(value_of(&m, "end"), 2.0);
  CHECK_SAME(value_of(&m, "most"), 2.0);
  CHECK(isnan(value_of(&m, "average")));
  motion_end(&m);
}

// What rests at zero has no side: sign(0) = 0 and 0 > 0 does not hold. A body under friction of
// (3 + t)/5 slows down from 1 to rest at T, T^2/10 + 3 T/5 = 1; the counter rests at what it is
// compared with.
static void rest_has_no_sign(void **state) {
  (void)state;
  motion m = motion_parse("coordinates: {x: {start: 0, rate: 1}}\n"
                          "states: {n: {start: 3, rate: 0}}\n"
                          "energy: {kinetic: x'^2/2}\n"
                          "contacts: {pad: {normal: 3 + t, slip: x', friction: 0.2}}\n"
                          "run: {until: 3}\n"
                          "observe:\n"
                          "  moves: mean(abs(sign(x')))\n"
                          "  forth: mean(if(x' > 0, 1, 0))\n"
                          "  back: mean(if(x' < 0, 1, 0))\n"
                          "  not_back: mean(if(x' >= 0, 1, 0))\n"
                          "  slips: mean(sign(pad.slip))\n"
                          "  rests: mean(if(x' == 0, 1, 0))\n"
                          "  differs: mean(if(x' != 0, 1, 0))\n"
                          "  end: last(sign(x'))\n"
                          "  more: mean(if(n > 3, 1, 0))\n"
                          "  enough: mean(if(n >= 3, 1, 0))\n"
                          "  whole: mean(floor(n))\n");
  assert_int_equal(motion_run(&m), CAROM_OK);
  double share = (sqrt(19.0) - 3.0) / 3.0;
  CHECK_NEAR(value_of(&m, "moves"), share, 1e-9);
  CHECK_NEAR(value_of(&m, "forth"), share, 1e-9);
  CHECK_SAME(value_of(&m, "back"), 0.0);
  CHECK_SAME(value_of(&m, "not_back"), 1.0);
  CHECK_NEAR(value_of(&m, "slips"), share, 1e-9);
  CHECK_NEAR(value_of(&m, "rests"), 1.0 - share, 1e-9);
  CHECK_NEAR(value_of(&m, "differs"), share, 1e-9);
  CHECK_SAME(value_of(&m, "end"), 0.0);
  CHECK_SAME(value_of(&m, "more"), 0.0);
  CHECK_SAME(value_of(&m, "enough"), 1.0);
  CHECK_NEAR(value_of(&m, "whole"), 3.0, 1e-14);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reducers_of_a_swing),    cmocka_unit_test(windows),
      cmocka_unit_test(observables_on_the_way), cmocka_unit_test(reducers_across_jumps),
      cmocka_unit_test(reducers_of_kinks),      cmocka_unit_test(samples_do_not_change_the_motion),
      cmocka_unit_test(late_observer),          cmocka_unit_test(ended_by_an_instant),
      cmocka_unit_test(ended_at_the_start),     cmocka_unit_test(rest_has_no_sign),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
