// SPDX-License-Identifier: MIT
// Contacts that close where their bounces accumulate, beside others that bounce, rest or land with
// them.
#include "motion.h"

static event_log run(const char *text, const char *rule, motion *m) {
  static event_log log;
  carom_model *model = NULL;
  carom_error error = {0};
  const carom_setting chatter = {"run.chatter", rule};
  MUST(carom_model_parse(text, NULL, 1, &chatter, &model, &error), error);
  *m = motion_of(model);
  log.count = 0;
  carom_observer observer = {.ctx = &log, .event = log_event};
  carom_simulation_observe(m->simulation, &observer);
  motion_run(m);
  return log;
}

static int count_of(const event_log *log, carom_event_kind kind) {
  int count = 0;
  for (int k = 0; k < log->count; k++)
    count += log->list[k].kind == kind;
  return count;
}

// two balls that have nothing to do with each other, by two laws: each comes to rest at its own
// sqrt(2 h/g) (1 + e)/(1 - e), after as few bounces as alone
static void strangers(void **state) {
  (void)state;
  motion m;
  event_log log = run("coordinates: {y: 1, z: 0.7}\n"
                      "energy: {kinetic: \"(y'^2 + 2*z'^2)/2\", potential: 9.81*(y + 2*z)}\n"
                      "contacts:\n"
                      "  a: {gap: y, impact: {law: newton, e: 0.8}}\n"
                      "  b: {gap: z, impact: {law: energetic, e: 0.7}}\n"
                      "run: {until: 6}\n",
                      "accumulation", &m);
  assert_int_equal(count_of(&log, CAROM_EVENT_IMPACT), 8);
  double at[2] = {sqrt(2.0 / 9.81) * 1.8 / 0.2, sqrt(1.4 / 9.81) * 1.7 / 0.3};
  for (int k = 0; k < log.count; k++)
    if (log.list[k].kind == CAROM_EVENT_CLOSE)
      CHECK_NEAR(log.list[k].t, at[log.list[k].name[0] == 'b'], 1e-12);
  assert_int_equal(count_of(&log, CAROM_EVENT_CLOSE), 2);
  motion_end(&m);
}

// a bar with one end on the floor: its other end bounces and presses it each time
static void beside_closed(void **state) {
  (void)state;
  static const char text[] =
      "coordinates: {x: {start: 0, rate: 0.1}, y: 0.5*sin(0.3), th: 0.3}\n"
      "energy: {kinetic: \"(x'^2 + y'^2)/2 + th'^2/24\", potential: 9.81*y}\n"
      "contacts:\n"
      "  a: {gap: y - sin(th)/2, slip: \"x' + th'*sin(th)/2\", friction: 0.1,\n"
      "      impact: {law: newton, e: 0.5}}\n"
      "  b: {gap: y + sin(th)/2, slip: \"x' - th'*sin(th)/2\", friction: 0.1,\n"
      "      impact: {law: newton, e: 0.5}}\n"
      "run: {until: 0.8}\n";
  motion few, many;
  event_log log = run(text, "accumulation", &few);
  assert_true(count_of(&log, CAROM_EVENT_IMPACT) < 20);
  assert_int_equal(log.list[log.count - 1].kind, CAROM_EVENT_CLOSE);
  log = run(text, "ratio", &many);
  assert_true(count_of(&log, CAROM_EVENT_IMPACT) > 30);
  CHECK_NEAR(value_of(&few, "x"), value_of(&many, "x"), 1e-9);
  CHECK_NEAR(value_of(&few, "th"), 0.0, 1e-12);
  motion_end(&few);
  motion_end(&many);
}

// a plate falls flat on three feet and slides: 2 - mu (v + g t)
static void together(void **state) {
  (void)state;
  motion m;
  event_log log = run("coordinates: {x: {start: 0, rate: 2}, y: 0.35, th: 0}\n"
                      "energy: {kinetic: \"(x'^2 + y'^2 + th'^2)/2\", potential: 9.81*y}\n"
                      "contacts:\n"
                      "  a: {gap: y - 0.5*sin(th) - 0.15, slip: \"x' + 0.15*th'\", friction: 0.3,\n"
                      "      impact: {law: newton, e: 0.5}}\n"
                      "  b: {gap: y - 0.15, slip: \"x' + 0.15*th'\", friction: 0.3,\n"
                      "      impact: {law: newton, e: 0.5}}\n"
                      "  c: {gap: y + 0.5*sin(th) - 0.15, slip: \"x' + 0.15*th'\", friction: 0.3,\n"
                      "      impact: {law: newton, e: 0.5}}\n"
                      "run: {until: 0.65}\n",
                      "accumulation", &m);
  double fall = sqrt(0.4 / 9.81);
  assert_int_equal(count_of(&log, CAROM_EVENT_IMPACT), 12);
  CHECK_NEAR(value_of(&m, "x'"), 2.0 - 0.3 * 9.81 * 0.65, 1e-12);
  for (int k = 0; k < log.count; k++)
    if (log.list[k].kind == CAROM_EVENT_CLOSE) CHECK_NEAR(log.list[k].t, 3.0 * fall, 1e-9);
  motion_end(&m);
}

// Two balls on a line, the lower one between a floor and the heavier one, which comes down on it:
// gaps, rates, and the time of the law's impacts one after the other until all has come to rest.
static double collapse(double e, double mass, double low, double high) {
  double t = 0.0, y = low, d = high - low, u = 0.0, w = 0.0;
  for (double s = 1.0; s > 1e-18;) {
    double root = sqrt(u * u + 2.0 * 9.81 * y);
    double floor = u > 0.0 ? (u + root) / 9.81 : 2.0 * y / (root - u);
    double pair = u > w ? d / (u - w) : INFINITY;
    s = fmin(floor, pair);
    t += s;
    y += s * (u - 0.5 * 9.81 * s);
    d += s * (w - u);
    u -= 9.81 * s;
    w -= 9.81 * s;
    if (floor < pair) {
      y = 0.0;
      u *= -e;
    } else {
      double blow = (1.0 + e) * mass / (1.0 + mass) * (u - w);
      d = 0.0;
      u -= blow;
      w += blow / mass;
    }
  }
  return t;
}

// By impacts in turns the two collapse: at the end both rest, by either law, and whatever can be
// told of gaps that shrink faster than speeds.
static void in_turns(void **state) {
  (void)state;
  static const struct {
    double e, mass, low, high, rtol;
  } balls[] = {{0.4, 6.0, 0.001, 0.0011, 1e-10},    {0.4, 6.0, 0.1, 0.11, 1e-12},
               {0.2, 19.0, 0.001, 0.0011, 1e-10},   {0.6, 100.0, 0.1, 0.11, 1e-10},
               {0.1, 50.0, 0.001, 0.001001, 1e-10}, // gaps are gone before two blows of each
               {0.05, 50.0, 0.1, 0.10001, 1e-10}};
  enum { COUNT = sizeof balls / sizeof *balls };
  for (int k = 0; k < 2 * COUNT; k++) {
    char text[512];
    const char *law = k < COUNT ? "newton" : "poisson";
    double e = balls[k % COUNT].e, mass = balls[k % COUNT].mass;
    double low = balls[k % COUNT].low, high = balls[k % COUNT].high;
    snprintf(text, sizeof text,
             "coordinates: {y: %g, z: %g}\n"
             "energy: {kinetic: \"(y'^2 + %g*z'^2)/2\", potential: \"9.81*(y + %g*z)\"}\n"
             "contacts:\n"
             "  a: {gap: y, impact: {law: %s, e: %g}}\n"
             "  b: {gap: z - y, impact: {law: %s, e: %g}}\n"
             "run: {until: 0.5, rtol: %g}\n",
             low, high, mass, mass, law, e, law, e, balls[k % COUNT].rtol);
    motion m;
    event_log log = run(text, "ratio", &m);
    assert_int_equal(count_of(&log, CAROM_EVENT_CLOSE), 2);
    CHECK_NEAR(log.list[log.count - 1].t, collapse(e, mass, low, high), 5e-8);
    CHECK_NEAR(value_of(&m, "z"), 0.0, 1e-12);
    motion_end(&m);
  }
}

// Two heavy balls and a light one between them, far from everything, meet with gaps far below what
// the integrator can tell from zero: blow after blow all the same. With e = 1 energy and momentum
// are those of the elastic blows one after the other; with little e and a heavy ball on either side
// the three stay together.
static void hidden_gaps(void **state) {
  (void)state;
  static const struct {
    double e, mass, gap, v[3];
  } balls[] = {{1.0, 0.2, 1e-11, {1.0, 0.0, -1.0}},
               {0.9, 0.5, 1e-11, {2.0, 0.5, -1.0}},
               {0.2, 0.01, 1e-11, {1.0, 0.0, -1.5}},
               {0.5, 0.001, 1e-12, {1.0, 0.0, -0.1}}};
  for (int k = 0; k < (int)(sizeof balls / sizeof *balls); k++) {
    double e = balls[k].e, m = balls[k].mass, u[3], gaps[2] = {balls[k].gap, 1.7 * balls[k].gap};
    for (int j = 0; j < 3; j++)
      u[j] = balls[k].v[j];
    for (int blow = 0; blow < 100000; blow++) { // which contact is next is known by gaps and speeds
      double near = gaps[0] / (u[0] - u[1]), far = gaps[1] / (u[1] - u[2]);
      if (!(u[0] > u[1]) && !(u[1] > u[2])) break;
      int c = !(u[0] > u[1]) || (u[1] > u[2] && far < near);
      double s = c ? far : near, M = c ? u[1] - u[2] : u[0] - u[1];
      if (M < 1e-20) break;
      gaps[1 - c] += s * (c ? u[1] - u[0] : u[2] - u[1]);
      gaps[c] = 0.0;
      double light = (1.0 + e) * M / (1.0 + m), heavy = m * light; // changes of speed
      u[0] -= c ? 0.0 : heavy;
      u[1] += c ? -light : light;
      u[2] += c ? heavy : 0.0;
    }
    char text[512];
    snprintf(text, sizeof text,
             "coordinates: {a: {start: 0, rate: %.17g}, b: {start: %.17g, rate: "
             "%.17g}, c: {start: \"%.17g + %.17g\", rate: %.17g}}\n"
             "energy: {kinetic: \"(a'^2 + %g*b'^2 + c'^2)/2\"}\n"
             "contacts:\n"
             "  ab: {gap: b - a, impact: {law: newton, e: %g}}\n"
             "  bc: {gap: c - b, impact: {law: newton, e: %g}}\n"
             "run: {until: 0.1}\n",
             balls[k].v[0], balls[k].gap, balls[k].v[1], balls[k].gap, 1.7 * balls[k].gap,
             balls[k].v[2], m, e, e);
    motion m3 = motion_parse(text);
    motion_run(&m3);
    CHECK_NEAR(value_of(&m3, "a'"), u[0], 1e-9);
    CHECK_NEAR(value_of(&m3, "b'"), u[1], 1e-9);
    CHECK_NEAR(value_of(&m3, "c'"), u[2], 1e-9);
    motion_end(&m3);
  }
}

// A light ball at rest between a wall and a heavy one, all elastic: pi/atan(sqrt(m/M)) blows,
// rounded down, however short flights become in the middle (Galperin, Regul. Chaotic Dyn. 8, 2003).
static void squeezed(void **state) {
  (void)state;
  motion m = motion_parse("coordinates: {x: 1, z: {start: 2, rate: -1}}\n"
                          "energy: {kinetic: \"(x'^2 + 1e7*z'^2)/2\"}\n"
                          "contacts:\n"
                          "  wall: {gap: x, impact: {law: newton, e: 1}}\n"
                          "  pair: {gap: z - x, impact: {law: newton, e: 1}}\n"
                          "run: {until: 5}\n");
  motion_run(&m);
  carom_certificate c = certificate_of(&m);
  assert_int_equal(c.counts.closings, 0);
  assert_int_equal(c.counts.impacts, (int)floor(3.14159265358979323846 / atan(sqrt(1e-7))));
  motion_end(&m);
}

// A ball between two walls, from which it comes back ever more slowly, each time sent back by the
// other one: no collapse, for the walls are apart. After n impacts its speed is e^n.
static void between_walls(void **state) {
  (void)state;
  motion m = motion_parse("coordinates: {x: {start: 0.25, rate: 1}}\n"
                          "energy: {kinetic: \"x'^2/2\"}\n"
                          "contacts:\n"
                          "  left: {gap: x, impact: {law: newton, e: 0.5}}\n"
                          "  right: {gap: 1 - x, impact: {law: newton, e: 0.5}}\n"
                          "run: {until: 1e8}\n");
  motion_run(&m);
  double t = 0.75, speed = 0.5;
  int impacts = 1;
  for (; t + 1.0 / speed < 1e8; speed *= 0.5, impacts++)
    t += 1.0 / speed;
  double way = (1e8 - t) * speed;
  assert_int_equal(certificate_of(&m).counts.impacts, impacts);
  CHECK_NEAR(value_of(&m, "x"), impacts % 2 ? 1.0 - way : way, 1e-9);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// In which order contacts are written is no matter: here the lower ball comes to rest first, and
// the floor answers each bounce of the upper one, which nobody sends back.
static void any_order(void **state) {
  (void)state;
  static const char *const floor = "  floor: {gap: y, impact: {law: newton, e: 0.46}}\n",
                           *const pair = "  pair: {gap: z - y, impact: {law: newton, e: 0.48}}\n";
  carom_certificate c[2];
  double z[2];
  for (int k = 0; k < 2; k++) {
    char text[400];
    (void)snprintf(text, sizeof text,
                   "coordinates: {y: 0.1, z: 0.11}\n"
                   "energy: {kinetic: \"(6.37*y'^2 + 6*z'^2)/2\", potential: 9.81*(6.37*y + "
                   "6*z)}\n"
                   "contacts:\n%s%srun: {until: 0.24}\n",
                   k ? pair : floor, k ? floor : pair);
    motion m = motion_parse(text);
    motion_run(&m);
    c[k] = certificate_of(&m);
    z[k] = value_of(&m, "z");
    motion_end(&m);
  }
  assert_int_equal(c[0].counts.impacts, c[1].counts.impacts);
  assert_int_equal(c[0].counts.steps, c[1].counts.steps);
  CHECK_NEAR(z[0], z[1], 1e-15);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(strangers),     cmocka_unit_test(beside_closed), cmocka_unit_test(together),
      cmocka_unit_test(in_turns),      cmocka_unit_test(hidden_gaps),   cmocka_unit_test(squeezed),
      cmocka_unit_test(between_walls), cmocka_unit_test(any_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
