// SPDX-License-Identifier: MIT
// Periodic motions with their word held fixed, real and virtual, against closed forms and against
// shooting with turns of the motion itself.
#include "hybrid/motion.h"

#include "analysis/orbit_map.h"
#include "carom/orbit.h"
#include "results.h"

static carom_orbit_options options_of(const motion *m, int turns) {
  carom_orbit_options options = carom_orbit_options_default();
  options.model = m->model;
  options.turns = turns;
  return options;
}

// multipliers, state, shift and period by both ways of shooting
static void compare(const char *name, const carom_setting *settings, int turns, double multiplier) {
  motion m = motion_load(name, settings);
  carom_orbit_options options = options_of(&m, turns);
  carom_orbit_view fixed, free;
  carom_error error = {0};
  MUST(find_orbit(&options, &fixed, &error), error);
  options.free_word = true;
  MUST(find_orbit(&options, &free, &error), error);
  assert_true(fixed.fixed_word.held && !free.fixed_word.held && !fixed.fixed_word.virtual_motion);
  // the time of every event and the state behind it
  int closing = free.fixed_word.unknowns - free.autonomous;
  assert_int_equal(fixed.fixed_word.unknowns,
                   free.fixed_word.unknowns + fixed.fixed_word.events * (1 + closing));
  assert_string_equal(fixed.word, free.word);
  assert_int_equal(fixed.floquet.count, free.floquet.count);
  for (int k = 0; k < fixed.floquet.count; k++) {
    CHECK_NEAR(fixed.floquet.re[k], free.floquet.re[k], multiplier);
    CHECK_NEAR(fixed.floquet.im[k], free.floquet.im[k], multiplier);
  }
  for (int k = 0; k < fixed.size; k++) {
    CHECK_NEAR(fixed.state[k], free.state[k], 1e-9 * fmax(fixed.sizes[k], 1e-3));
    CHECK_NEAR(fixed.shift[k], free.shift[k], 1e-9 * fabs(free.shift[k]) + 1e-15);
  }
  CHECK_NEAR(fixed.period, free.period, 1e-9 * free.period);
  motion_end(&m);
}

static void test_agreement(void **unused) {
  (void)unused;
  compare("ball_on_table", (carom_setting[]){{"Gamma", "1.1"}, {NULL, NULL}}, 2, 1e-8);
  compare("belt_block", (carom_setting[]){{"v1", "0"}, {NULL, NULL}}, 0, 1e-8);
  compare("frictional_impact_oscillator",
          (carom_setting[]){{"mu", "0.5"}, {"e", "0"}, {NULL, NULL}}, 0, 1e-8);
  compare("frictional_impact_oscillator",
          (carom_setting[]){{"mu", "0.41"}, {"e", "0.2"}, {NULL, NULL}}, 0, 1e-8);
  compare("dimer", (carom_setting[]){{"settle", "60"}, {NULL, NULL}}, 1, 1e-8);
}

// The double impact has other outcomes nearby: differences must not reach over to them. They made
// this motion unstable, with a multiplier of -4.
static void test_jump_nearby(void **unused) {
  (void)unused;
  motion m =
      motion_load("dimer", (carom_setting[]){{"settle", "60"}, {"Ar", "4.9735"}, {NULL, NULL}});
  carom_orbit_options options = options_of(&m, 1);
  carom_orbit_view fixed, free;
  carom_error error = {0};
  MUST(find_orbit(&options, &fixed, &error), error);
  options.free_word = true;
  MUST(find_orbit(&options, &free, &error), error);
  assert_true(fixed.floquet.count == 5 && free.floquet.count == 5);
  for (int k = 0; k < 5; k++) {
    CHECK_NEAR(fixed.floquet.re[k], free.floquet.re[k],
               1e-3); // steps are short there, and rounding shows
    CHECK_NEAR(fixed.floquet.im[k], free.floquet.im[k], 1e-3);
  }
  motion_end(&m);
}

// rules whose functions stay on one side of zero all the way change nothing, whatever they wait for
static void test_idle_rules(void **unused) {
  (void)unused;
  static const char *const rules[] = {"{when: y - 1000, do: {y': 0}}",
                                      "{when: y - 1000, direction: rising, do: {y': 0}}",
                                      "{when: y - 1000, direction: falling, do: {y': 0}}",
                                      "{when: y + 1000, do: {y': 0}}",
                                      "{when: y + 1000, direction: rising, do: {y': 0}}",
                                      "{when: y + 1000, direction: falling, do: {y': 0}}"};
  for (int k = 0; k < 6; k++) {
    motion m =
        motion_load("ball_on_table", (carom_setting[]){{"events.idle", rules[k]}, {NULL, NULL}});
    carom_orbit_options options = options_of(&m, 1);
    carom_orbit_view orbit;
    carom_error error = {0};
    MUST(find_orbit(&options, &orbit, &error), error);
    assert_true(orbit.fixed_word.held && !orbit.fixed_word.virtual_motion);
    assert_int_equal(orbit.fixed_word.events, 1);
    motion_end(&m);
  }
}

// A rule that happens and leaves all as it was belongs to the word: the motion is real, with the
// multipliers that it has without it. Such motions were told to be virtual.
static void test_rules_without_effect(void **unused) {
  (void)unused;
  static const char *const rules[] = {
      "{when: y' + 0.01, direction: falling, do: {y: y}}",
      "{when: y' - 0.01, direction: falling, do: {y: 'max(y, -9)'}}"};
  motion plain = motion_load("ball_on_table", NULL);
  carom_orbit_options options = options_of(&plain, 1);
  carom_orbit_view known, orbit;
  carom_error error = {0};
  MUST(find_orbit(&options, &known, &error), error);
  for (int k = 0; k < 2; k++) {
    motion m =
        motion_load("ball_on_table", (carom_setting[]){{"events.vain", rules[k]}, {NULL, NULL}});
    options = options_of(&m, 1);
    MUST(find_orbit(&options, &orbit, &error), error);
    assert_true(orbit.fixed_word.held && !orbit.fixed_word.virtual_motion);
    assert_true(orbit.fixed_word.events > 1);
    assert_int_equal(orbit.floquet.count, known.floquet.count);
    for (int j = 0; j < known.floquet.count; j++) {
      CHECK_NEAR(orbit.floquet.re[j], known.floquet.re[j], 1e-9);
      CHECK_NEAR(orbit.floquet.im[j], known.floquet.im[j], 1e-9);
    }
    motion_end(&m);
  }
  motion_end(&plain);
}

// one impact per period: the table has the velocity (pi g/omega) (1 - e)/(1 + e) at it
static void test_impact_time(void **unused) {
  (void)unused;
  const double e = 0.8, gamma = 0.7, omega = 50.0 * PI, g = 9.81;
  motion m = motion_load("ball_on_table", NULL);
  carom_orbit_options options = options_of(&m, 1);
  carom_orbit_view orbit;
  carom_error error = {0};
  MUST(find_orbit(&options, &orbit, &error), error);
  assert_true(orbit.fixed_word.held);
  assert_int_equal(orbit.fixed_word.events, 1);
  assert_int_equal(orbit.fixed_word.unknowns, 2 + 1 * (1 + 2));
  double angle = omega * (orbit.start + orbit.fixed_word.time[0]);
  CHECK_NEAR(-gamma * sin(angle), PI * (1.0 - e) / (1.0 + e), 1e-10);
  double fall = orbit.state[1] - g * orbit.fixed_word.time[0]; // velocity just before the impact
  CHECK_NEAR(fall, -PI * g / omega, 1e-10);
  motion_end(&m);
}

// --- the other motion with one impact per period, which is unstable: the table meets the ball as
// it speeds up, not as it slows down. The trace of its derivative over one period is 1 + e^2 +
// (1+e)^2 a/g, with a the deceleration of the table.

static const double BALL_E = 0.8, BALL_GAMMA = 0.7, OMEGA = 50.0 * PI, G = 9.81;

static double saddle_multiplier(void) {
  double velocity = PI * (1.0 - BALL_E) / (1.0 + BALL_E);
  double a = sqrt(BALL_GAMMA * BALL_GAMMA - velocity * velocity);
  double trace = 1.0 + BALL_E * BALL_E + (1.0 + BALL_E) * (1.0 + BALL_E) * a;
  return 0.5 * trace + sqrt(0.25 * trace * trace - BALL_E * BALL_E);
}

// the phase of the table where it happens: both velocities are the same, accelerations are opposite
static double saddle_phase(const carom_orbit_view *stable) {
  double angle = remainder(OMEGA * (stable->start + stable->fixed_word.time[0]), 2.0 * PI);
  return angle > 0.0 ? PI - angle : -PI - angle;
}

// `count` turns of the saddle from t = 0, with every impact a little too early or too late and too
// slow or too fast
static carom_orbit *guess_saddle(const carom_orbit_view *stable, int count, double off) {
  static carom_orbit_data made;
  carom_orbit_data *out = &made;
  carom_orbit *guess = NULL;
  double T = 2.0 * PI / OMEGA, angle = saddle_phase(stable), v = 0.5 * G * T;
  double first = angle / OMEGA + (angle < 0.0 ? T : 0.0), left = T - first; // since the last impact
  double height = BALL_GAMMA * G / (OMEGA * OMEGA) * cos(angle);
  made = (carom_orbit_data){.is = {.size = stable->size, .fixed_word.held = true}};
  memcpy(out->sizes, stable->sizes, (size_t)stable->size * sizeof *out->sizes);
  out->is.turns = out->is.fixed_word.events = count;
  out->is.period = count * T;
  out->is.start = 0.0;
  out->state[0] = height + (v - 0.5 * G * left) * left;
  out->state[1] = v - G * left;
  for (int k = 0; k < count; k++) {
    out->legs[k] = stable->fixed_word.legs[0];
    out->event_time[k] = first + (k + off * sin(3.0 * k)) * T;
    out->event_state[2 * k] = height;
    out->event_state[2 * k + 1] = v * (1.0 + 5.0 * off * cos(5.0 * k));
    memcpy(out->word + 4 * k, "F I ", 5);
  }
  out->word[4 * count - 1] = '\0';
  out->legs[count] = stable->fixed_word.legs[1];
  carom_orbit_view view = carom_orbit_data_view(out);
  assert_int_equal(carom_orbit_keep(&view, &guess, NULL), CAROM_OK);
  return guess;
}

// A turn of a hundred impacts over which neighbours part by a factor of 1e53, from a guess that is
// off by a tenth of a period and half of the velocity: it is met leg by leg, but lost by shooting
// over the whole turn even from where it truly starts.
static void test_many_impacts(void **unused) {
  (void)unused;
  enum { COUNT = 100 };
  motion m = motion_load("ball_on_table", NULL);
  carom_orbit_options options = options_of(&m, 1);
  carom_orbit_view stable, orbit, whole;
  carom_orbit *guess;
  carom_error error = {0};
  MUST(find_orbit(&options, &stable, &error), error);
  guess = guess_saddle(&stable, COUNT, 0.1);
  options.from = guess;
  MUST(find_orbit(&options, &orbit, &error), error);
  assert_int_equal(orbit.fixed_word.events, COUNT);
  assert_false(orbit.fixed_word.virtual_motion);
  assert_int_equal(orbit.kind, CAROM_ORBIT_UNSTABLE);
  for (int k = 0; k < COUNT; k++) {
    double angle = OMEGA * (orbit.start + orbit.fixed_word.time[k]);
    CHECK_NEAR(remainder(angle - saddle_phase(&stable), 2.0 * PI), 0.0, 1e-9);
    CHECK_NEAR(orbit.fixed_word.state[2 * k + 1], PI * G / OMEGA, 1e-10);
  }
  CHECK_NEAR(log(orbit.floquet.re[0]) / COUNT, log(saddle_multiplier()), 1e-8);
  carom_value start[] = {{"y", orbit.state[0]}, {"y'", orbit.state[1]}};
  options = options_of(&m, COUNT);
  options.after = 0.0;
  options.value_count = 2;
  options.values = start;
  options.free_word = true;
  MUST(find_orbit(&options, &whole, &error), error);
  assert_int_equal(whole.kind, CAROM_ORBIT_STABLE); // it has fallen to the other motion
  carom_orbit_destroy(guess);
  motion_end(&m);
}

// An oscillator driven at omega, before a stop. Between impacts one period T apart its motion is
// A cos(omega t - phi) + d H(t), H a free oscillation that is 1 both at t = 0 and at t = T.
static const char STOP[] = "title: impact oscillator\n"
                           "parameters: {omega: 2.4, wall: 0.3, e: 0.8, zeta: 0.05}\n"
                           "coordinates: {x: 0}\n"
                           "energy: {kinetic: x'^2/2, potential: x^2/2, dissipation: zeta*x'^2}\n"
                           "forces: {x: cos(omega*t)}\n"
                           "contacts: {stop: {gap: wall - x, impact: {law: newton, e: e}}}\n"
                           "run: {until: 200, rtol: 1e-11}\n";
static const double ZETA = 0.05, WALL = 0.3, REST = 0.8;

static double amplitude(double omega) {
  double detuning = 1.0 - omega * omega;
  return 1.0 / sqrt(detuning * detuning + 4.0 * ZETA * ZETA * omega * omega);
}

// Velocity just before the impact of the motion that goes through the graze. With theta the phase
// of the oscillation at the impact, d = wall - A cos(theta), and restitution asks for
//   -(1 + e) A omega sin(theta) + d (H'(0) + e H'(T)) = 0.
static double impact_speed(double omega) {
  double A = amplitude(omega), T = 2.0 * PI / omega, fast = sqrt(1.0 - ZETA * ZETA);
  double c = cos(fast * T), s = sin(fast * T), b = (exp(ZETA * T) - c) / s;
  double first = fast * b - ZETA;
  double last = exp(-ZETA * T) * (fast * (b * c - s) - ZETA * (c + b * s));
  double bounce = first + REST * last;
  // p sin(theta) + q cos(theta) = r, the solution next to theta = 0
  double p = -(1.0 + REST) * A * omega, q = -bounce * A, r = -bounce * WALL;
  double theta = atan2(p, q) - acos(r / hypot(p, q));
  double other = atan2(p, q) + acos(r / hypot(p, q));
  theta = remainder(theta, 2.0 * PI);
  other = remainder(other, 2.0 * PI);
  if (fabs(other) < fabs(theta)) theta = other;
  return -A * omega * sin(theta) + (WALL - A * cos(theta)) * last;
}

static carom_orbit_view continued(const motion *m, const carom_orbit_view *from, double omega) {
  carom_orbit_options options = options_of(m, 1);
  carom_value value = {"omega", omega};
  carom_orbit_view orbit;
  carom_error error = {0};
  options.value_count = 1;
  options.values = &value;
  options.from = orbit_behind(from);
  MUST(find_orbit(&options, &orbit, &error), error);
  return orbit;
}

// the speed at the end of the first leg, by its trace
static double speed_at_impact(const motion *m, const carom_orbit_view *orbit, double omega) {
  enum { COUNT = 2001 };
  static double times[COUNT], states[2 * COUNT];
  carom_orbit_options options = options_of(m, 1);
  carom_value value = {"omega", omega};
  carom_error error = {0};
  options.value_count = 1;
  options.values = &value;
  MUST(carom_orbit_trace(&options, orbit_behind(orbit), COUNT, times, states, &error), error);
  int k = 0;
  while (times[k + 1] <= orbit->start + orbit->fixed_word.time[0])
    k++;
  double dt = orbit->start + orbit->fixed_word.time[0] - times[k];
  double rate = cos(omega * times[k]) - states[2 * k] - 2.0 * ZETA * states[2 * k + 1];
  double jerk = -omega * sin(omega * times[k]) - states[2 * k + 1] - 2.0 * ZETA * rate;
  return states[2 * k + 1] + (rate + 0.5 * jerk * dt) * dt;
}

// The motion with one impact, real while it comes to the stop from its own side, goes smoothly
// through the graze and on as a virtual one: its impact comes from behind the stop.
static void test_impact_through_graze(void **unused) {
  (void)unused;
  motion m = motion_parse(STOP);
  double half = 1.0 - 2.0 * ZETA * ZETA;
  double graze = sqrt(half + sqrt(half * half - 1.0 + 1.0 / (WALL * WALL)));
  carom_orbit_options options = options_of(&m, 1);
  carom_value start = {"omega", 2.0};
  carom_orbit_view orbit;
  carom_error error = {0};
  options.value_count = 1;
  options.values = &start;
  MUST(find_orbit(&options, &orbit, &error), error);
  assert_string_equal(orbit.word, "F I");
  assert_false(orbit.fixed_word.virtual_motion);
  int real = 0, virtual = 0;
  for (double omega = 2.02; omega < 2.3; omega += 0.01) {
    orbit = continued(&m, &orbit, omega);
    assert_string_equal(orbit.word, "F I");
    assert_int_equal(orbit.fixed_word.virtual_motion, omega > graze);
    CHECK_NEAR(speed_at_impact(&m, &orbit, omega), impact_speed(omega), 1e-8);
    real += !orbit.fixed_word.virtual_motion;
    virtual += orbit.fixed_word.virtual_motion;
    if (omega > graze) assert_non_null(strstr(orbit.fixed_word.fault, "phase 1 (F)"));
  }
  assert_true(real > 3 && virtual > 3);
  motion_end(&m);
}

// The motion that does not strike is virtual where its amplitude exceeds the wall: it penetrates by
// the difference.
static void test_penetration(void **unused) {
  (void)unused;
  motion m = motion_parse(STOP);
  carom_orbit_options options = options_of(&m, 1);
  carom_orbit_view orbit;
  carom_error error = {0};
  MUST(find_orbit(&options, &orbit, &error), error);
  assert_string_equal(orbit.word, "F");
  assert_false(orbit.fixed_word.virtual_motion);
  orbit = continued(&m, &orbit, 1.9);
  assert_true(orbit.fixed_word.virtual_motion);
  assert_int_equal(orbit.fixed_word.margin.kind, CAROM_FAULT_GAP);
  CHECK_NEAR(orbit.fixed_word.margin.amount, WALL - amplitude(1.9), 1e-8);
  CHECK_NEAR(hypot(orbit.state[0], orbit.state[1] / 1.9), amplitude(1.9), 1e-9);
  assert_non_null(strstr(orbit.fixed_word.fault, "stop penetrates by"));
  motion_end(&m);
}

// From a start that strikes once, where the settled motion does not: turns of the motion itself
// lose the impact on the way, a fixed word keeps it.
static void test_bad_start(void **unused) {
  (void)unused;
  motion m = motion_parse(STOP);
  carom_value values[] = {{"omega", 2.15}, {"x", 0.2}, {"x'", 0.3}};
  carom_orbit_options options = options_of(&m, 1);
  carom_orbit_view orbit;
  carom_error error = {0};
  options.value_count = 3;
  options.values = values;
  options.after = 0.0;
  MUST(find_orbit(&options, &orbit, &error), error);
  assert_string_equal(orbit.word, "F I");
  assert_true(orbit.fixed_word.held && orbit.fixed_word.virtual_motion && !orbit.word_changed);
  CHECK_NEAR(speed_at_impact(&m, &orbit, 2.15), impact_speed(2.15), 1e-8);
  options.free_word = true;
  MUST(find_orbit(&options, &orbit, &error), error);
  assert_string_equal(orbit.word, "F");
  assert_true(orbit.word_changed && !orbit.fixed_word.held && !orbit.fixed_word.virtual_motion);
  motion_end(&m);
}

// A phase that would last less than no time: slip before the impact oscillator leaves the ground
// vanishes at mu = 0.646809, where the ground's reaction becomes unbounded
static void test_lost_phase(void **unused) {
  (void)unused;
  motion m = motion_load("frictional_impact_oscillator",
                         (carom_setting[]){{"mu", "0.5"}, {"e", "0"}, {NULL, NULL}});
  carom_orbit_options options = options_of(&m, 0);
  carom_value value = {"mu", 0.66};
  carom_orbit_view from, orbit;
  carom_error error = {0};
  MUST(find_orbit(&options, &from, &error), error);
  assert_string_equal(from.word, "F I K +");
  options.from = orbit_behind(&from);
  options.value_count = 1;
  options.values = &value;
  MUST(find_orbit(&options, &orbit, &error), error);
  assert_true(orbit.fixed_word.virtual_motion);
  assert_int_equal(orbit.fixed_word.margin.kind, CAROM_FAULT_DURATION);
  assert_true(orbit.fixed_word.margin.amount < 0.0);
  assert_non_null(strstr(orbit.fixed_word.fault, "phase 3 (+) would last -"));
  // below 0.397909 the impact no longer ends in stick
  value.value = 0.39;
  MUST(find_orbit(&options, &orbit, &error), error);
  assert_true(orbit.fixed_word.virtual_motion);
  assert_int_equal(orbit.fixed_word.margin.kind, CAROM_FAULT_OUTCOME);
  assert_non_null(strstr(orbit.fixed_word.fault,
                         "tip would come out of the impact after phase 1 (F) otherwise"));
  value.value = 0.45;
  MUST(find_orbit(&options, &orbit, &error), error);
  assert_false(orbit.fixed_word.virtual_motion);
  motion_end(&m);
}

// --- the equations of a fixed word themselves

/// The map of a motion whose word is held fixed, and where it is.
typedef struct held {
  motion m;
  carom_orbit_map map;
  double x[CAROM_BRANCH_MOST];
} held;

static void hold(held *it, const carom_setting *settings, int turns) {
  carom_error error = {0};
  it->m = motion_load("ball_on_table", settings);
  carom_orbit_options options = options_of(&it->m, turns);
  MUST(carom_orbit_map_init(&it->map, it->m.simulation, &error), error);
  MUST(carom_orbit_start(&it->map, &options, it->x, &error), error);
  carom_branch_problem problem = carom_orbit_problem(&it->map);
  carom_branch_point point = {0};
  carom_branch_effort effort;
  memcpy(point.x, it->x, sizeof it->x);
  MUST(carom_branch_correct(&problem, &point, NULL, 1e-10, 20, &effort, &error), error);
  memcpy(it->x, point.x, sizeof it->x);
  MUST(carom_orbit_fix_word(&it->map, it->x, 0.0, &error), error);
}

// The phase in which a turn begins lasts from the last event to the first one of the next turn
static void test_first_phase(void **unused) {
  (void)unused;
  static held it;
  carom_error error = {0};
  carom_leg_margin worst;
  hold(&it, (carom_setting[]){{"Gamma", "1.1"}, {NULL, NULL}}, 2);
  carom_ring ring = carom_orbit_ring(&it.map);
  assert_int_equal(ring.events, 2);
  MUST(carom_orbit_legs_turn(&it.map, it.x, 0.0, true, NULL, NULL, &error), error);
  MUST(carom_orbit_legs_check(&it.map, it.x, 0.0, &worst, &error), error);
  assert_false(carom_orbit_broken(&worst));
  double first = it.x[carom_ring_time(&ring, 0)], T = it.map.found.period;
  it.x[carom_ring_time(&ring, 1)] = first + 1.01 * T; // the last impact only after the next one
  MUST(carom_orbit_legs_check(&it.map, it.x, 0.0, &worst, &error), error);
  assert_true(carom_orbit_broken(&worst));
  assert_int_equal(worst.kind, CAROM_FAULT_DURATION);
  assert_int_equal(worst.leg, 0);
  CHECK_NEAR(worst.amount, -0.01 * T, 1e-12);
  motion_end(&it.m);
}

// the highest place and the largest velocity of the ball that flies for one period of the table
static void test_top(void **unused) {
  (void)unused;
  static held it;
  carom_error error = {0};
  double top[2];
  hold(&it, NULL, 1);
  double T = it.map.found.period, y = it.x[0], v = it.x[1];
  for (int looks = 50; looks <= 2000; looks *= 40) {
    MUST(carom_orbit_top(&it.map, it.x, 0.0, looks, top, &error), error);
    CHECK_NEAR(top[0], y + v * v / (2.0 * G), G * T * T / looks / looks);
    CHECK_NEAR(top[1], 0.5 * G * T, G * T / looks);
    CHECK_SAME(it.map.found.period, T);
  }
  motion_end(&it.m);
}

// The end of slip is also where a force asks for its sign: always, so that both are one event.
static void test_linked_events(void **unused) {
  (void)unused;
  const double amplitude = 0.1 * 9.81, speed = 0.1; // (mu_s - mu) m g/k and that of the belt
  motion m = motion_parse("parameters: {v0: 0.1, g: 9.81}\n"
                          "coordinates: {x: 0, y: 0}\n"
                          "states: {w: {start: 0, rate: \"if(2*v0 < 2*x', 1, 0) - 3*w\"}}\n"
                          "energy: {kinetic: x'^2/2 + y'^2/2, potential: g*y + x^2/2}\n"
                          "contacts: {belt: {gap: y, slip: x' - v0, "
                          "friction: {stick: 0.4, slip: 0.3}}}\n"
                          "run: {until: 200}\n");
  carom_orbit_options options = options_of(&m, 0);
  carom_orbit_view orbit;
  carom_error error = {0};
  MUST(find_orbit(&options, &orbit, &error), error);
  assert_true(orbit.fixed_word.held && !orbit.fixed_word.virtual_motion);
  assert_string_equal(orbit.word, "K -");
  int linked = 0;
  for (int k = 0; k < orbit.fixed_word.events; k++)
    linked +=
        orbit.fixed_word.legs[k].event == CAROM_LEG_SLIP && orbit.fixed_word.legs[k].linked != 0;
  assert_int_equal(linked, 1);
  CHECK_NEAR(orbit.period, 2.0 * amplitude / speed + PI + 2.0 * atan(speed / amplitude), 1e-9);
  motion_end(&m);
}

// what cannot be held fixed says why, and is sought with turns of the motion itself
static void test_refusals(void **unused) {
  (void)unused;
  motion m = motion_parse(
      "title: equal\nparameters: {F: 2.4}\ncoordinates: {a: 0, b: 0}\nenergy: "
      "{kinetic: a'^2/2 + b'^2/2, potential: a^2/2 + b^2/2, dissipation: 0.1*(a'^2 + b'^2)}\n"
      "forces: {a: F*cos(2*t), b: F*cos(2*t)}\ncontacts:\n"
      "  left: {gap: 0.5 - a, impact: {law: newton, e: 0.7}}\n"
      "  right: {gap: 0.5 - b, impact: {law: newton, e: 0.7}}\nrun: {until: 200}\n");
  carom_orbit_options options = options_of(&m, 0);
  carom_orbit_view orbit;
  carom_error error = {0};
  assert_true(carom_fixed_word_supported(m.model));
  MUST(find_orbit(&options, &orbit, &error), error);
  assert_false(orbit.fixed_word.held);
  assert_non_null(strstr(orbit.fixed_word.why_not, "several things happen at one instant"));
  options.from = orbit_behind(&orbit); // its word was not held
  assert_int_equal(find_orbit(&options, &orbit, &error), CAROM_ERR_ARGUMENT);
  motion_end(&m);
  // fields know no words: turns of the motion itself are closed; beds of rods cannot even do that
  m = motion_load("field_block", (carom_setting[]){{"v0", "0.02"}, {NULL, NULL}});
  options = options_of(&m, 0);
  assert_false(carom_fixed_word_supported(m.model));
  MUST(find_orbit(&options, &orbit, &error), error);
  assert_false(orbit.fixed_word.held);
  assert_non_null(strstr(orbit.fixed_word.why_not, "the engine 'field'"));
  motion_end(&m);
  m = motion_load("rods_2d_r0", NULL);
  options = options_of(&m, 0);
  assert_false(carom_fixed_word_supported(m.model));
  assert_int_equal(find_orbit(&options, &orbit, &error), CAROM_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "the engine '"));
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_agreement),     cmocka_unit_test(test_jump_nearby),
      cmocka_unit_test(test_idle_rules),    cmocka_unit_test(test_rules_without_effect),
      cmocka_unit_test(test_impact_time),   cmocka_unit_test(test_many_impacts),
      cmocka_unit_test(test_penetration),   cmocka_unit_test(test_impact_through_graze),
      cmocka_unit_test(test_bad_start),     cmocka_unit_test(test_lost_phase),
      cmocka_unit_test(test_linked_events), cmocka_unit_test(test_first_phase),
      cmocka_unit_test(test_top),           cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
