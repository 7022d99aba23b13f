// SPDX-License-Identifier: MIT
// Contacts that slide and stick: against closed forms, and what users of other programs miss.
#include "motion.h"

static event_log events;

// ---- the block on the belt

typedef struct belt {
  double k, mu, mu_s, v0, v1, omega; // m = 1
} belt;

static double belt_speed(const belt *b, double t) { return b->v0 + b->v1 * sin(b->omega * t); }

// while it slides back the block swings about mu g/k: x and x' at t, from x0, u0 at t0
static void swing(const belt *b, double t0, double x0, double u0, double t, double *x, double *u) {
  double w = sqrt(b->k), centre = b->mu * 9.81 / b->k, s = sin(w * (t - t0)), c = cos(w * (t - t0));
  *x = centre + (x0 - centre) * c + u0 / w * s;
  *u = -(x0 - centre) * w * s + u0 * c;
}

static double carried(const belt *b, double t0, double x0, double t) {
  return x0 + b->v0 * (t - t0) + b->v1 / b->omega * (cos(b->omega * t0) - cos(b->omega * t));
}

// how far sliding is from the belt's speed (negative), or sticking from its limit (positive)
static double to_go(const belt *b, bool slides, double t0, double x0, double u0, double t) {
  double x, u;
  if (slides) {
    swing(b, t0, x0, u0, t, &x, &u);
    return belt_speed(b, t) - u;
  }
  double pull = b->k * carried(b, t0, x0, t) + b->v1 * b->omega * cos(b->omega * t);
  return b->mu_s * 9.81 - pull;
}

// the first time after t0 at which nothing is left to go, by small steps and bisection
static double phase_end(const belt *b, bool slides, double t0, double x0, double u0) {
  double step = 1e-3, lo = t0 + step;
  while (to_go(b, slides, t0, x0, u0, lo + step) > 0.0)
    lo += step;
  double hi = lo + step;
  for (int k = 0; k < 60; k++) {
    double middle = 0.5 * (lo + hi);
    *(to_go(b, slides, t0, x0, u0, middle) > 0.0 ? &lo : &hi) = middle;
  }
  return hi;
}

static void follow_belt(const belt *b, double until) {
  double t = 0.0, x = 0.0, u = 0.0;
  bool slides = true;
  int compared = 0;
  for (int k = 1; k < events.count; k++, slides = !slides) {
    double end = phase_end(b, slides, t, x, u);
    assert_int_equal(events.list[k].kind, slides ? CAROM_EVENT_STICK : CAROM_EVENT_SLIP);
    CHECK_NEAR(events.list[k].t, end, 2e-9);
    if (slides)
      swing(b, t, x, u, end, &x, &u);
    else
      x = carried(b, t, x, end), u = belt_speed(b, end);
    t = end;
    compared++;
  }
  CHECK(compared >= 8 && phase_end(b, slides, t, x, u) > until);
}

// stick and slip on a steady and on a swinging belt, event by event
static void block_on_belt(void **state) {
  (void)state;
  const double swings[] = {0.0, 0.05};
  motion m = motion_load("belt_block", NULL);
  for (int k = 0; k < 2; k++) {
    set_value(&m, "v1", swings[k]);
    motion_log(&m, &events);
    motion_run(&m);
    follow_belt(&(belt){1.0, 0.3, 0.4, 0.1, swings[k], 0.7}, 200.0);
    CHECK(certificate_of(&m).passed);
  }
  motion_end(&m);
}

// ---- sticking and sliding

// a block that friction holds on a slope stays where it is, not nearly
static void sticking_never_creeps(void **state) {
  (void)state;
  motion slope = motion_parse("parameters: {a: 0.3, mu: 0.32}\n" // tan(0.3) = 0.3093
                              "coordinates: {x: 0, y: 0}\n"
                              "energy: {kinetic: (x'^2 + y'^2)/2,\n"
                              "  potential: 9.81*(x*sin(a) + y*cos(a))}\n"
                              "forces: {x: 0.02*sin(13*t)}\n"
                              "contacts: {floor: {gap: y, slip: x', friction: mu}}\n"
                              "run: {until: 2000}\n");
  motion_run(&slope);
  CHECK_NEAR(value_of(&slope, "x"), 0.0, 1e-14);
  CHECK_NEAR(value_of(&slope, "x'"), 0.0, 1e-14);
  carom_certificate c = certificate_of(&slope);
  CHECK(c.passed && c.counts.instants == 0);
  motion_end(&slope);

  // a part held between two jaws by friction alone, shaken
  motion grip = motion_parse("parameters: {F: 20, mu: 0.5}\n"
                             "coordinates: {a: -0.1, x: 0, y: 0, b: 0.1}\n"
                             "energy: {kinetic: (a'^2 + x'^2 + y'^2 + b'^2)/2, potential: 9.81*y}\n"
                             "forces: {a: F, b: -F, y: 3*sin(40*t)}\n"
                             "contacts:\n"
                             "  left: {gap: x - 0.1 - a, slip: y', friction: mu}\n"
                             "  right: {gap: b - x - 0.1, slip: y', friction: mu}\n"
                             "run: {until: 500}\n");
  motion_run(&grip);
  CHECK_NEAR(value_of(&grip, "y"), 0.0, 1e-14);
  CHECK_NEAR(value_of(&grip, "x"), 0.0, 1e-14);
  c = certificate_of(&grip);
  CHECK(c.passed && c.counts.instants == 0);
  motion_end(&grip);
}

// a block that slides for long, driven round a curved floor, touches it all the way
// Friction that holds, and is none once it slides: a pull t on a block of weight 10 moves nothing
// until t = 5, from where on v = (t^2 - 25)/2.
static void friction_that_only_holds(void **state) {
  (void)state;
  motion m = motion_parse("coordinates: {x: 0, y: 0}\n"
                          "energy: {kinetic: (x'^2 + y'^2)/2, potential: 10*y}\n"
                          "forces: {x: t}\n"
                          "contacts: {floor: {gap: y, slip: x', friction: {stick: 0.5, slip: 0}}}\n"
                          "run: {until: 6}\n");
  motion_advance(&m, 4.9);
  CHECK_NEAR(value_of(&m, "x"), 0.0, 0.0);
  motion_advance(&m, 6.0);
  CHECK_NEAR(value_of(&m, "x'"), 5.5, 1e-9);
  CHECK_NEAR(value_of(&m, "x"), 8.0 / 3.0, 1e-9);
  motion_end(&m);
}

static void sliding_leaves_no_gap(void **state) {
  (void)state;
  motion m =
      motion_parse("coordinates: {x: {start: 0, rate: 1}, y: 0}\n"
                   "energy: {kinetic: (x'^2 + y'^2)/2, potential: 9.81*y}\n"
                   "forces: {x: 1}\n"
                   "contacts: {floor: {gap: 'y - 0.1*sin(x)', slip: \"x' + 0.1*cos(x)*y'\",\n"
                   "  friction: 0.1}}\n"
                   "run: {until: 50}\n");
  for (int k = 1; k <= 50; k++) {
    motion_advance(&m, k);
    CHECK_NEAR(value_of(&m, "y"), 0.1 * sin(value_of(&m, "x")), 1e-14);
  }
  carom_certificate c = certificate_of(&m);
  CHECK(c.passed && c.counts.openings == 0);
  CHECK(c.worst.constraint_error <= 1e-12 && c.worst.constraint_rate_error <= 1e-12);
  motion_end(&m);
}

// a slip without a word of friction is only looked at: nothing slows the block
static void slip_without_friction(void **state) {
  (void)state;
  motion m = motion_parse("coordinates: {x: {start: 0, rate: 1}, y: 0.5}\n"
                          "energy: {kinetic: (x'^2 + y'^2)/2, potential: 9.81*y}\n"
                          "contacts: {floor: {gap: y, slip: x', impact: {law: newton, e: 0.5}}}\n"
                          "observe: {way: floor.slip}\n"
                          "run: {until: 5}\n");
  motion_run(&m);
  CHECK_NEAR(value_of(&m, "x"), 5.0, 1e-12);
  CHECK_NEAR(value_of(&m, "way"), 1.0, 1e-14);
  carom_certificate c = certificate_of(&m);
  CHECK(c.passed && c.counts.impacts > 3 && c.energy.lost_friction == 0.0);
  motion_end(&m);
}

// ---- several contacts

// the least-norm share of the weight, and the deceleration that follows from it
static void three_feet(void **state) {
  (void)state;
  const double m0 = 2.0, g = 9.81, h = 0.1, x[] = {-0.5, 0.1, 0.6}, mu[] = {0.1, 0.3, 0.2};
  double a11 = 0.0, a12 = 0.0, a22 = 0.0, slowing = 0.0;
  for (int i = 0; i < 3; i++) {
    double w = 1.0 / (1.0 + mu[i] * mu[i]), lever = x[i] - h * mu[i];
    a11 += w, a12 += w * lever, a22 += w * lever * lever;
  }
  double det = a11 * a22 - a12 * a12, p = m0 * g * a22 / det, q = -m0 * g * a12 / det;
  for (int i = 0; i < 3; i++) {
    double force = (p + q * (x[i] - h * mu[i])) / (1.0 + mu[i] * mu[i]);
    CHECK(force > 0.0);
    slowing += mu[i] * force / m0;
  }
  motion m = motion_load("three_contacts", NULL);
  CHECK_NEAR(value_of(&m, "x''"), -slowing, 1e-12);
  motion_log(&m, &events);
  motion_run(&m);
  CHECK_NEAR(find_logged(&events, CAROM_EVENT_STICK, "rear", 0)->t, 3.0 / slowing, 1e-11);
  CHECK_NEAR(value_of(&m, "x"), 4.5 / slowing, 1e-11);
  // all three stop at one instant, and the open question was reported
  assert_int_equal(find_logged(&events, CAROM_EVENT_STICK, "front", 0)->instant,
                   find_logged(&events, CAROM_EVENT_STICK, "rear", 0)->instant);
  carom_certificate c = certificate_of(&m);
  CHECK(c.passed && c.counts.non_unique > 0);
  motion_end(&m);
}

// without friction the ladder leaves the wall at two thirds of its height
static void ladder_leaves_the_wall(void **state) {
  (void)state;
  const double angles[] = {0.5, 1.0471975511965976, 1.4};
  motion m = motion_load("ladder", NULL);
  for (int k = 0; k < 3; k++) {
    carom_error error = {0};
    set_value(&m, "theta0", angles[k]);
    assert_int_equal(carom_simulation_next(m.simulation, 5.0, &error), CAROM_STOP_EVENT);
    double theta = value_of(&m, "theta"), rate = value_of(&m, "theta'");
    CHECK_NEAR(sin(theta), 2.0 / 3.0 * sin(angles[k]), 1e-10);
    CHECK_NEAR(rate * rate, 3.0 * 9.81 / 4.0 * (sin(angles[k]) - sin(theta)), 1e-9);
    assert_int_equal(certificate_of(&m).counts.openings, 1);
    // it goes on with constant horizontal speed and lands flat
    double along = value_of(&m, "x'");
    assert_int_equal(motion_advance(&m, 5.0), CAROM_STOP_EVENT);
    CHECK_NEAR(value_of(&m, "x'"), along, 1e-9);
    CHECK(certificate_of(&m).passed);
  }
  motion_end(&m);
}

// a ladder that friction can hold: m g/2 cot(theta) at the foot against mu m g, the wall smooth
static void ladder_stays(void **state) {
  (void)state;
  const char *text = "parameters: {mu: 0.5, theta0: 1, L: 4, g: 9.81}\n"
                     "coordinates: {x: L/2*cos(theta0), y: L/2*sin(theta0), theta: theta0}\n"
                     "energy: {kinetic: \"(x'^2 + y'^2)/2 + L^2/24*theta'^2\", potential: g*y}\n"
                     "contacts:\n"
                     "  floor: {gap: y - L/2*sin(theta), slip: \"x' - L/2*sin(theta)*theta'\",\n"
                     "    friction: mu}\n"
                     "  wall: {gap: x - L/2*cos(theta)}\n"
                     "run: {until: 0.3}\n";
  motion m = motion_parse(text);
  double limit = 0.5 / tan(1.0);
  for (int k = 0; k < 2; k++) {
    set_value(&m, "mu", limit * (k ? 1.0 + 1e-8 : 1.0 - 1e-4));
    motion_run(&m);
    double moved = fabs(value_of(&m, "theta") - 1.0);
    CHECK(k ? moved < 1e-14 : moved > 1e-7);
    CHECK(certificate_of(&m).passed);
  }
  motion_end(&m);
}

// a rod that fits between walls may stay or fall: both are told; with little friction it falls
static void wedged(void **state) {
  (void)state;
  motion m = motion_load("wedged_rod", NULL);
  motion_run(&m);
  carom_certificate c = certificate_of(&m);
  CHECK(c.passed && c.counts.non_unique >= 1);
  CHECK_NEAR(value_of(&m, "y"), 0.0, 1e-14);
  set_value(&m, "mu", 0.99 * tan(0.2));
  motion_run(&m);
  CHECK_NEAR(value_of(&m, "y"), -9.81 / 2.0, 1e-10);
  motion_end(&m);
}

// the mirror image of a problem moves as the mirror image, to the last bit
static void mirrored(void **state) {
  (void)state;
  const char *text = "parameters: {s: 1, m1: 0.1, ky: 100, kphi: 100, g: 10, mu: 0.5, e: 0.1}\n"
                     "coordinates: {y: 0.95, phi: s*0.5}\n"
                     "define: {tip_x: sin(phi), tip_y: y - cos(phi)}\n"
                     "energy:\n"
                     "  kinetic: \"m1/2*(tip_x'^2 + tip_y'^2) + y'^2/2\"\n"
                     "  potential: m1*g*tip_y + g*y + ky/2*(y - 1)^2 + kphi/2*(s*phi - pi/8)^2\n"
                     "  dissipation: 5*y'^2\n"
                     "contacts:\n"
                     "  tip: {gap: tip_y, slip: tip_x' + s, friction: {stick: 1.1*mu, slip: mu},\n"
                     "    impact: {law: poisson, e: e}}\n"
                     "run: {until: 20}\n";
  motion m = motion_parse(text);
  motion_run(&m);
  double y = value_of(&m, "y"), phi = value_of(&m, "phi"), rate = value_of(&m, "phi'");
  carom_certificate right = certificate_of(&m);
  set_value(&m, "s", -1.0);
  motion_run(&m);
  CHECK_SAME(value_of(&m, "y"), y);
  CHECK_SAME(value_of(&m, "phi"), -phi);
  CHECK_SAME(value_of(&m, "phi'"), -rate);
  carom_certificate left = certificate_of(&m);
  assert_int_equal(left.counts.events, right.counts.events);
  CHECK(left.passed && right.counts.impacts > 50);
  motion_end(&m);
}

// Two sliders on tracks y = s x, masses m along x and M along y, each with a force of its own along
// x: f0 + k N. Staying on the track says N (m/M + s^2 - s k) = m g + s f0, and m x'' = f0 + (k - s)
// N. The first would jam were its force of the other sign.
static void forces_of_their_own(void **state) {
  (void)state;
  const double f0[] = {0.5, -0.7}, k[] = {0.9, -0.3}, s[] = {-0.4, -0.2}, M[] = {100.0, 1.0};
  motion m =
      motion_parse("coordinates: {x: 0, y: 0, p: 0, q: 0}\n"
                   "energy: {kinetic: \"(x'^2 + 100*y'^2 + p'^2 + q'^2)/2\",\n"
                   "  potential: 9.81*(100*y + q)}\n"
                   "contacts:\n"
                   "  a: {gap: y + 0.4*x, slip: \"x'\", tangential: 0.5 + 0.9*normal}\n"
                   "  b: {gap: q + 0.2*p, slip: \"p'\", tangential: -0.7 - 0.3*normal}\n"
                   "run: {until: 0.5}\n"
                   "observe: {Na: max(a.normal), Nb: min(b.normal), Tb: min(b.tangential)}\n");
  motion_run(&m);
  double N[2], x[2];
  for (int j = 0; j < 2; j++) {
    N[j] = (9.81 + s[j] * f0[j]) / (1.0 / M[j] + s[j] * s[j] - s[j] * k[j]);
    x[j] = (f0[j] + (k[j] - s[j]) * N[j]) * 0.5 * 0.5 / 2.0;
  }
  CHECK_NEAR(value_of(&m, "Na"), N[0], 1e-11);
  CHECK_NEAR(value_of(&m, "Nb"), N[1], 1e-11);
  CHECK_NEAR(value_of(&m, "Tb"), f0[1] + k[1] * N[1], 1e-11);
  CHECK_NEAR(value_of(&m, "x"), x[0], 1e-11);
  CHECK_NEAR(value_of(&m, "p"), x[1], 1e-11);
  CHECK_NEAR(value_of(&m, "y"), s[0] * x[0], 1e-11);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(block_on_belt),
      cmocka_unit_test(sticking_never_creeps),
      cmocka_unit_test(friction_that_only_holds),
      cmocka_unit_test(sliding_leaves_no_gap),
      cmocka_unit_test(slip_without_friction),
      cmocka_unit_test(three_feet),
      cmocka_unit_test(ladder_leaves_the_wall),
      cmocka_unit_test(ladder_stays),
      cmocka_unit_test(wedged),
      cmocka_unit_test(mirrored),
      cmocka_unit_test(forces_of_their_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
