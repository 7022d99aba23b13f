// SPDX-License-Identifier: MIT
// Impacts and what follows them: rocking, stops, grazing, Painleve's paradox, linkages.
#include "motion.h"

static event_log events;

// states around the impacts of a run
enum { STATE = 6, IMPACT_ROOM = 400 };
typedef struct impacts {
  int count;
  double t[IMPACT_ROOM], before[IMPACT_ROOM][STATE], after[IMPACT_ROOM][STATE];
} impacts;
static impacts struck;

static int note_impact(void *ctx, const carom_event *event) {
  impacts *all = ctx;
  if (event->kind != CAROM_EVENT_IMPACT || all->count == IMPACT_ROOM) return 0;
  for (int i = 0; i < event->size && i < STATE; i++) {
    all->before[all->count][i] = event->before[i];
    all->after[all->count][i] = event->after[i];
  }
  all->t[all->count++] = event->t;
  return 0;
}

static void note_impacts(const motion *m) {
  struck.count = 0;
  carom_observer observer = {.ctx = &struck, .event = note_impact};
  carom_simulation_observe(m->simulation, &observer);
}

// ---- the rocking block

// Time from rest at the tilt theta to the change of corner: with psi = alpha - theta the block is
// an inverted pendulum psi'' = p^2 sin(psi); psi = psi0 + s^2 takes the root at its start away.
static double quarter(double alpha, double p, double theta) {
  enum { STEPS = 2000 };
  double psi0 = alpha - theta, end = sqrt(theta), sum = 0.0;
  for (int k = 0; k <= STEPS; k++) {
    double s = end * k / STEPS, weight = k == 0 || k == STEPS ? 1.0 : k % 2 ? 4.0 : 2.0;
    double value = k ? 2.0 * s / (2.0 * p * sqrt(sin(psi0 + s * s / 2.0) * sin(s * s / 2.0)))
                     : sqrt(2.0) / (p * sqrt(sin(psi0)));
    sum += weight * value;
  }
  return sum * end / STEPS / 3.0;
}

// each change of corner takes the share that Housner found, and lasts as the pendulum says
static void rocking_block(void **state) {
  (void)state;
  const double b = 0.1, h = 0.5, alpha = atan(b / h), theta0 = 0.1;
  double p = sqrt(0.75 * 9.81 / sqrt(b * b + h * h)), r = 1.0 - 1.5 * sin(alpha) * sin(alpha);
  motion m = motion_load("rocking_block", NULL);
  note_impacts(&m);
  motion_run(&m);
  CHECK(struck.count > 100);
  double t = quarter(alpha, p, theta0);
  for (int k = 0; k < 40; k++) {
    CHECK_NEAR(struck.t[k], t, 1e-8);
    double rate = struck.after[k][5];
    CHECK_NEAR(rate, r * struck.before[k][5], 1e-11);
    double top = alpha - acos(cos(alpha) + rate * rate / (2.0 * p * p));
    t += 2.0 * quarter(alpha, p, top);
  }
  // it comes to rest on both corners by itself
  carom_certificate c = certificate_of(&m);
  CHECK(c.passed && c.counts.closings == c.counts.openings + 2);
  CHECK_NEAR(value_of(&m, "theta"), 0.0, 1e-14);
  motion_end(&m);
}

// a slender block has Housner's period T = (4/p) acosh(1/(1 - theta0/alpha))
static void slender_block(void **state) {
  (void)state;
  const double b = 0.01, h = 0.5, alpha = atan(b / h), theta0 = 0.5 * alpha;
  double p = sqrt(0.75 * 9.81 / sqrt(b * b + h * h)), period = 4.0 / p * acosh(2.0);
  motion m = motion_load("rocking_block", NULL);
  set_value(&m, "b", b);
  set_value(&m, "theta0", theta0);
  note_impacts(&m);
  motion_advance(&m, 0.6 * period);
  CHECK(struck.count >= 1);
  CHECK_RELATIVE(4.0 * struck.t[0], period, 1e-4);
  motion_end(&m);
}

// ---- the pendulum with a stop

static void pendulum_stop(void **state) {
  (void)state;
  const double e = 0.7, omega = sqrt(9.81);
  double k = sin(0.6), t = elliptic_k(k) / omega;
  motion m = motion_load("pendulum_stop", NULL);
  note_impacts(&m);
  motion_run(&m);
  assert_int_equal(struck.count, 20);
  for (int n = 0; n < struck.count; n++) {
    CHECK_NEAR(struck.t[n], t, 1e-9);
    CHECK_NEAR(struck.after[n][1], e * 2.0 * omega * k, 1e-9);
    k *= e;
    t += 2.0 * elliptic_k(k) / omega;
  }
  CHECK(certificate_of(&m).passed);
  // with gravity towards the stop the bounces pile up and the bob rests against it
  set_value(&m, "stop_angle", 0.3);
  motion_log(&m, &events);
  motion_run(&m);
  assert_int_equal(count_logged(&events, CAROM_EVENT_CLOSE, "stop_block"), 1);
  CHECK_NEAR(value_of(&m, "theta"), 0.3, 1e-15);
  CHECK_SAME(value_of(&m, "theta'"), 0.0);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// Bounces near and below the resolution of the state (1e-12) are bounces still, e times weaker
// each. Energies on the way, which runs hold, are known to a few roundings of g l: 1e-14.
static void bounces_without_end(void **state) {
  (void)state;
  motion m = motion_load("pendulum_stop", NULL);
  note_impacts(&m);
  motion_advance(&m, 60.0);
  CHECK(struck.count >= 59 && struck.count <= 60);
  for (int n = 30; n < struck.count; n++) {
    double v = struck.after[n - 1][1], tolerance = fmin(0.1, 1e-8 + 1e-11 / v + 1e-14 / (v * v));
    CHECK_RELATIVE(struck.t[n] - struck.t[n - 1], PI / sqrt(9.81), tolerance);
    CHECK_RELATIVE(struck.after[n][1], 0.7 * struck.after[n - 1][1], tolerance);
  }
  motion_end(&m);
}

// ---- grazing

// A point passes a post of radius 1 at less and less than its radius: it hits or passes, and never
// gains. The speed along the post stays, that towards it is halved and turned.
static void grazing_never_gains(void **state) {
  (void)state;
  motion m = motion_parse("parameters: {deep: 0.1}\n"
                          "coordinates: {x: {start: -2, rate: 1}, y: {start: 1 - deep, rate: 0}}\n"
                          "energy: {kinetic: \"(x'^2 + y'^2)/2\"}\n"
                          "contacts: {post: {gap: 'sqrt(x^2 + y^2) - 1',\n"
                          "  impact: {law: poisson, e: 0.5}}}\n"
                          "run: {until: 4, hold: none}\n");
  for (double deep = 0.1; deep > 1e-16; deep /= 10.0) {
    set_value(&m, "deep", deep);
    motion_run(&m);
    carom_certificate c = certificate_of(&m);
    CHECK(c.energy.kinetic <= 0.5 * (1.0 + 1e-15));
    CHECK(c.energy.impact_gain <= 0.0 && c.passed);
    if (deep < 5e-9) continue; // within the tolerance of the gap a graze is no impact
    assert_int_equal(c.counts.impacts, 1);
    double towards = deep * (2.0 - deep); // the square of its part along the normal
    CHECK_NEAR(c.energy.kinetic, 0.5 * (1.0 - 0.75 * towards), 1e-9 * sqrt(towards) + 1e-15);
  }
  motion_end(&m);
}

// ---- Painleve's paradox

static double rod_coefficient(double theta, double mu) {
  return 1.0 + 3.0 * cos(theta) * cos(theta) - 3.0 * mu * sin(theta) * cos(theta);
}

// consistent below mu_P(theta), inconsistent above it, indeterminate where the tip lifts by itself
static void painleve_thresholds(void **state) {
  (void)state;
  const double a = 0.5, g = 9.81;
  motion m = motion_load("painleve_rod", NULL);
  for (double theta = 0.8; theta < 1.4; theta += 0.1) {
    double limit = (1.0 + 3.0 * cos(theta) * cos(theta)) / (3.0 * sin(theta) * cos(theta));
    set_value(&m, "theta0", theta);
    set_value(&m, "turn", 0.0);
    set_value(&m, "mu", limit * (1.0 - 1e-6));
    assert_int_equal(certificate_of(&m).counts.painleve, 0);
    double mu = limit * (1.0 + 1e-6), lift = sqrt(g / (a * sin(theta)));
    set_value(&m, "mu", mu);
    set_value(&m, "turn", lift * (1.0 - 1e-6));
    motion_log(&m, &events);
    motion_advance(&m, 0.0); // what happens at the start is told when it sets off
    const logged *impact = find_logged(&events, CAROM_EVENT_PAINLEVE_IMPACT, "tip", 0);
    CHECK_NEAR(impact->value, rod_coefficient(theta, mu), 1e-10);
    // the tip has stopped: no slip, no approach
    double rate = value_of(&m, "theta'");
    CHECK_NEAR(value_of(&m, "x'") + a * sin(theta) * rate, 0.0, 1e-12);
    CHECK_NEAR(value_of(&m, "y'") - a * cos(theta) * rate, 0.0, 1e-12);
    set_value(&m, "turn", lift * (1.0 + 1e-6));
    motion_advance(&m, 0.0);
    find_logged(&events, CAROM_EVENT_PAINLEVE_FLIGHT, "tip", 0);
    CHECK_NEAR(value_of(&m, "y''"), -g, 1e-12);
  }
  motion_end(&m);
}

// ---- constraints and contacts

// the mechanism has one freedom: at a stop all its speeds are turned and multiplied by e
static void slider_crank(void **state) {
  (void)state;
  motion m = motion_load("slider_crank_stop", NULL);
  note_impacts(&m);
  motion_run(&m);
  CHECK(struck.count > 20);
  for (int k = 0; k < struck.count; k++)
    for (int i = 2; i < 4; i++)
      CHECK_NEAR(struck.after[k][i], -0.6 * struck.before[k][i], 1e-13 * fabs(struck.before[0][i]));
  carom_certificate c = certificate_of(&m);
  CHECK(c.passed && c.counts.closings == 1);
  CHECK(c.worst.constraint_error <= 1e-12 && c.worst.constraint_rate_error <= 1e-12);
  CHECK_NEAR(c.energy.residual, 0.0, 1e-10);
  CHECK_NEAR(value_of(&m, "x"), 0.385, 1e-15);
  motion_end(&m);
}

// the woodpecker settles on its way down: the same cycle again and again
static void woodpecker_cycle(void **state) {
  (void)state;
  motion m = motion_load("woodpecker", NULL);
  motion_log(&m, &events);
  motion_advance(&m, 4.0);
  int pecks = count_logged(&events, CAROM_EVENT_IMPACT, "beak");
  CHECK(pecks > 24);
  double period[3];
  for (int k = 0; k < 3; k++)
    period[k] = find_logged(&events, CAROM_EVENT_IMPACT, "beak", pecks - 1 - k)->t -
                find_logged(&events, CAROM_EVENT_IMPACT, "beak", pecks - 2 - k)->t;
  CHECK_NEAR(period[0], 0.1459, 1e-3);
  CHECK_NEAR(period[1], period[0], 1e-5);
  CHECK_NEAR(period[2], period[0], 1e-5);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// Laws that meet in one impact: a bar lands flat on a foot of Newton's law and one of Poisson's,
// each with its own e; with one of the energetic law it is told where the trouble lies.
static void laws_that_meet(void **state) {
  (void)state;
  static const char *const BAR =
      "parameters: {J: 0.1}\n"
      "coordinates: {y: {start: 1}, theta: 0}\n"
      "energy:\n"
      "  kinetic: y'^2/2 + J/2*theta'^2\n"
      "  potential: 9.81*y\n"
      "contacts:\n"
      "  left: {gap: y - sin(theta)/2, impact: {law: newton, e: 0.6}}\n"
      "  right: {gap: y + sin(theta)/2, impact: {law: poisson, e: 0.4}}\n"
      "run: {until: 0.46}\n";
  motion m = motion_parse(BAR);
  motion_run(&m);
  // by the symmetric approach v compression gives each foot v/2; Newton's foot then leaves with
  // 0.6 v, Poisson's has 0.2 v more: with a = 1 - 0.25/J between the feet and b = 1 + 0.25/J of a
  // foot with itself, the push P on Newton's foot makes b P + a 0.2 v = 0.6 v
  double v = sqrt(2.0 * 9.81), a = 1.0 - 2.5, b = 1.0 + 2.5, push = (0.6 - 0.2 * a) / b * v;
  double left = 0.6 * v, right = a * push + b * 0.2 * v;
  CHECK_NEAR(value_of(&m, "theta'"), right - left, 1e-9);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);

  carom_error error = {0};
  carom_model *model = NULL;
  const carom_setting energetic[] = {{"contacts.left.impact.law", "energetic"}};
  MUST(carom_model_parse(BAR, NULL, 1, energetic, &model, &error), error);
  m = motion_of(model);
  assert_int_equal(carom_simulation_run(m.simulation, &error), CAROM_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "energetic"));
  motion_end(&m);
}

// Six contacts of Poisson's law on two coordinates: all stick in compression, and the split of
// least norm leaves one with nothing. Whether rounding calls that nothing a pull must not decide
// which of them share the expansion: the impulses are the same in any units of the coordinates.
static void a_share_of_nothing(void **state) {
  (void)state;
  static const char *const SIX =
      "parameters: {s: 1, r: 1}\n"
      "coordinates: {p: {start: 0, rate: -0.79592/s}, u: {start: 0, rate: 0.10115/r}}\n"
      "define: {x: s*p, q: r*u}\n"
      "energy: {kinetic: 0.3393*x'^2 + 0.7025*q'^2}\n"
      "contacts:\n"
      "  a: {gap: 0.0236*x - 0.0016*q, slip: -0.7901*x' + 0.5942*q', friction: 0.6543,\n"
      "      impact: {law: poisson, e: 0}}\n"
      "  b: {gap: 0.1765*x - 0.4723*q, impact: {law: poisson, e: 0}}\n"
      "  c: {gap: 0.2082*x - 0.3445*q, slip: 0.3604*x' + 0.0874*q',\n"
      "      friction: {stick: 0.5423, slip: 0.5423, impact: {stick: 0.5423, slip: 0.3796}},\n"
      "      impact: {law: poisson, e: 0.4531}}\n"
      "  d: {gap: 0.2763*x + 0.0472*q, slip: 0.9765*x' - 0.9002*q', friction: 0.5377,\n"
      "      impact: {law: poisson, e: 0.8279}}\n"
      "  e: {gap: 0.5658*x - 0.6487*q, slip: 0.5810*x' - 0.0927*q', friction: 0.6052,\n"
      "      impact: {law: poisson, e: 0.6231}}\n"
      "  f: {gap: 0.0296*x + 0.2256*q, slip: -0.0116*x' + 0.0754*q',\n"
      "      friction: {stick: 0.5482, slip: 0.5482, impact: {stick: 0.5482, slip: 0.3837}},\n"
      "      impact: {law: poisson, e: 0}}\n"
      "run: {until: 1e-6}\n";
  static const char *const NAMES[] = {"a", "b", "c", "d", "e", "f"};
  const double units[][2] = {{1, 1},         {-2.44, -2.83}, {2.41, -2.82},
                             {-2.83, -1.67}, {1.22, 1.05},   {1e-3, 1}};
  double first[6] = {0};
  for (int u = 0; u < 6; u++) {
    motion m = motion_parse(SIX);
    set_value(&m, "s", units[u][0]);
    set_value(&m, "r", units[u][1]);
    motion_log(&m, &events);
    motion_run(&m);
    for (int i = 0; i < 6; i++) {
      double value = find_logged(&events, CAROM_EVENT_IMPACT, NAMES[i], 0)->value;
      if (u == 0) first[i] = value;
      CHECK_NEAR(value, first[i], 1e-12);
    }
    motion_end(&m);
  }
}

// ---- tangential restitution

static const char SUPERBALL[] =
    "parameters: {e: 1, et: 1, mu: 2}\n"
    "coordinates: {x: {start: 0, rate: 1}, y: {start: 1}, a: {start: 0, rate: -0.4}}\n"
    "energy: {kinetic: x'^2/2 + y'^2/2 + a'^2/5, potential: 9.81*y}\n"
    "contacts:\n"
    "  floor: {gap: y, slip: x' + a', friction: mu, impact: {e: e, et: et}}\n"
    "run: {until: 2}\n";

// The ball of radius 1 with G_TT = 1 + 5/2: what friction can hold leaves with -et times its slip;
// what it cannot is braked by mu (1 + e) v_N; with e = et = 1 nothing is lost (Garwin 1969).
static void superball(void **state) {
  (void)state;
  const double v = sqrt(2.0 * 9.81), slip = 0.6;
  const struct {
    double e, et, mu, after;
  } cases[] = {{1.0, 1.0, 2.0, -slip},
               {0.5, 0.3, 2.0, -0.3 * slip},
               {0.5, -1.0, 2.0, slip},
               {1.0, 1.0, 0.01, slip - 3.5 * 0.01 * 2.0 * v},
               {0.0, 0.5, 2.0, -0.5 * slip}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    motion m = motion_parse(SUPERBALL);
    set_value(&m, "e", cases[k].e);
    set_value(&m, "et", cases[k].et);
    set_value(&m, "mu", cases[k].mu);
    note_impacts(&m);
    motion_run(&m);
    CHECK(struck.count >= 1);
    CHECK_NEAR(struck.after[0][3] + struck.after[0][5], cases[k].after, 1e-12);
    // the angular momentum about the point of contact does not change
    CHECK_NEAR(struck.after[0][3] - 0.4 * struck.after[0][5], 1.0 + 0.4 * 0.4, 1e-12);
    CHECK(certificate_of(&m).passed);
    if (cases[k].e == 1.0 && cases[k].et == 1.0 && cases[k].mu == 2.0)
      CHECK_NEAR(certificate_of(&m).energy.lost_impacts, 0.0, 1e-12);
    motion_end(&m);
  }
}

// without rebound the ball slides on, backwards, until it rolls
static void superball_that_stays(void **state) {
  (void)state;
  motion m = motion_parse(SUPERBALL);
  set_value(&m, "e", 0.0);
  set_value(&m, "mu", 0.01);
  set_value(&m, "et", 0.5);
  motion_log(&m, &events);
  motion_run(&m);
  // the impact brakes: slip is left since 3.5 mu v_N = 0.155 < (1 + et) 0.6
  double slip = 0.6 - 3.5 * 0.01 * sqrt(2.0 * 9.81), landed = sqrt(2.0 / 9.81);
  assert_int_equal(count_logged(&events, CAROM_EVENT_STICK, "floor"), 1);
  for (int k = 0; k < events.count; k++)
    if (events.list[k].kind == CAROM_EVENT_STICK)
      CHECK_NEAR(events.list[k].t, landed + slip / (3.5 * 0.01 * 9.81), 1e-9);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// A block that rests against a wall by Newton's law is struck by the energetic one: the wall is
// pressed, so the laws meet, whichever contact is listed first. A block that stands apart from the
// wall is struck by its law alone.
static void a_pressed_contact_has_the_same_law(void **state) {
  (void)state;
  static const char *const WALL = "wall: {gap: x, impact: {law: newton, e: 0.5}}",
                           *const HIT = "hit: {gap: z - x, impact: {law: energetic, e: 0.5}}";
  for (int k = 0; k < 4; k++) {
    char text[400];
    carom_error error = {0};
    (void)snprintf(
        text, sizeof text,
        "coordinates: {x: %s, z: {start: 1, rate: -1}}\nenergy: {kinetic: x'^2/2 + z'^2/2}\n"
        "contacts: {%s, %s}\nrun: {until: 1.2}\n",
        k < 2 ? "0" : "0.5", k % 2 ? WALL : HIT, k % 2 ? HIT : WALL);
    motion m = motion_parse(text);
    carom_status status = carom_simulation_run(m.simulation, &error);
    assert_int_equal(status, k < 2 ? CAROM_ERR_UNSUPPORTED : CAROM_OK);
    if (k < 2) assert_non_null(strstr(error.text, "give wall and the others the same law"));
    motion_end(&m);
  }
}

static void where_slip_cannot_bounce(void **state) {
  (void)state;
  const struct {
    const char *path, *text, *said;
  } cases[] = {{"contacts.floor.impact.law", "poisson", "Newton's law"},
               {"contacts.floor.impact.et", "1.5", "between -1 and 1"},
               {"run.compliant", "1e6", "tangential restitution"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const carom_setting wrong[] = {{cases[k].path, cases[k].text}};
    carom_model *model = NULL;
    carom_error error = {0};
    carom_status status = carom_model_parse(SUPERBALL, NULL, 1, wrong, &model, &error);
    CHECK(status < 0);
    assert_non_null(strstr(error.text, cases[k].said));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rocking_block),
      cmocka_unit_test(slender_block),
      cmocka_unit_test(pendulum_stop),
      cmocka_unit_test(bounces_without_end),
      cmocka_unit_test(grazing_never_gains),
      cmocka_unit_test(painleve_thresholds),
      cmocka_unit_test(slider_crank),
      cmocka_unit_test(woodpecker_cycle),
      cmocka_unit_test(laws_that_meet),
      cmocka_unit_test(a_share_of_nothing),
      cmocka_unit_test(superball),
      cmocka_unit_test(superball_that_stays),
      cmocka_unit_test(where_slip_cannot_bounce),
      cmocka_unit_test(a_pressed_contact_has_the_same_law),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
