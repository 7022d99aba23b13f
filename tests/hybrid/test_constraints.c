// SPDX-License-Identifier: MIT
// Bilateral constraints: linkages against formulations in one coordinate, written by hand; joints,
// rolling and prescribed motions against closed forms.
#include "motion.h"

#include "carom/ode.h"

// --- four-bar linkage ---

typedef struct four_bar {
  double coupler, rocker, k1, k2; // angles and their slopes by the crank's angle
} four_bar;

enum { CRANK_A = 1, GROUND_D = 3, ROCKER_C = 2 };
static const double COUPLER_B = 2.5, GRAVITY = 9.81;

// the upper intersection of two circles closes the loop
static four_bar four_bar_at(double crank) {
  double a = CRANK_A, b = COUPLER_B, c = ROCKER_C, d = GROUND_D;
  double dx = d - a * cos(crank), dy = -a * sin(crank), far = sqrt(dx * dx + dy * dy);
  double along = (b * b - c * c + far * far) / (2.0 * far), high = sqrt(b * b - along * along);
  double x = (along * dx - high * dy) / far, y = (along * dy + high * dx) / far;
  four_bar p = {.coupler = atan2(y, x), .rocker = atan2(y - dy, x - dx)};
  double opening = sin(p.rocker - p.coupler);
  p.k1 = a * sin(crank - p.rocker) / (b * opening);
  p.k2 = a * sin(crank - p.coupler) / (c * opening);
  return p;
}

// m(theta) theta'' + m'/2 theta'^2 + V' = 0 for uniform bars of unit density
static carom_status four_bar_side(void *ctx, double t, const double *y, double *f) {
  (void)ctx, (void)t;
  double a = CRANK_A, b = COUPLER_B, c = ROCKER_C, crank = y[0];
  four_bar p = four_bar_at(crank);
  double opening = p.rocker - p.coupler, s = sin(opening), e = cos(opening);
  double to_rocker = crank - p.rocker, to_coupler = crank - p.coupler;
  double dk1 =
      a / b * (cos(to_rocker) * (1.0 - p.k2) * s - sin(to_rocker) * e * (p.k2 - p.k1)) / (s * s);
  double dk2 =
      a / c * (cos(to_coupler) * (1.0 - p.k1) * s - sin(to_coupler) * e * (p.k2 - p.k1)) / (s * s);
  double mass = a * a * a / 3.0 +
                b * (a * a + b * b / 4.0 * p.k1 * p.k1 + a * b * p.k1 * cos(to_coupler)) +
                b * b * b / 12.0 * p.k1 * p.k1 + c * c * c / 3.0 * p.k2 * p.k2;
  double mass_slope =
      b * (b * b / 2.0 * p.k1 * dk1 +
           a * b * (dk1 * cos(to_coupler) - p.k1 * sin(to_coupler) * (1.0 - p.k1))) +
      b * b * b / 6.0 * p.k1 * dk1 + 2.0 * c * c * c / 3.0 * p.k2 * dk2;
  double tip = c * cos(p.rocker) * p.k2; // slope of the height of the upper hinge
  double potential_slope =
      GRAVITY * (a * a * cos(crank) / 2.0 + b * (a * cos(crank) + tip) / 2.0 + c * tip / 2.0);
  f[0] = y[1];
  f[1] = -(0.5 * mass_slope * y[1] * y[1] + potential_slope) / mass;
  return CAROM_OK;
}

static void four_bar_agrees_with_one_coordinate(void **state) {
  (void)state;
  motion m = motion_load("four_bar", (carom_setting[]){{"run.rtol", "1e-12"}, {0}});
  // the loose start was brought onto the constraints
  double y[2] = {value_of(&m, "crank"), value_of(&m, "crank'")};
  CHECK_NEAR(value_of(&m, "rocker"), four_bar_at(y[0]).rocker, 1e-12);
  CHECK_NEAR(value_of(&m, "rocker'"), four_bar_at(y[0]).k2 * y[1], 1e-12);
  carom_ode_options options = carom_ode_options_default();
  options.rtol = 1e-13, options.atol = 1e-14;
  assert_int_equal(carom_ode_solve(2, four_bar_side, NULL, 0.0, y, 10.0, &options, NULL), CAROM_OK);
  motion_advance(&m, 10.0);
  CHECK(y[0] > 20.0); // it goes round
  CHECK_NEAR(value_of(&m, "crank"), y[0], 1e-8);
  CHECK_NEAR(value_of(&m, "crank'"), y[1], 1e-8);
  CHECK_NEAR(value_of(&m, "rocker'"), four_bar_at(y[0]).k2 * y[1], 1e-8);
  motion_end(&m);
}

static void four_bar_stays_closed(void **state) {
  (void)state;
  motion m =
      motion_load("four_bar", (carom_setting[]){{"run.until", "1000"}, {"run.rtol", "1e-8"}, {0}});
  assert_int_equal(motion_run(&m), CAROM_OK);
  carom_certificate c = certificate_of(&m);
  CHECK(c.passed);
  CHECK(c.counts.steps > 10000);
  // the largest after any step, and the last by hand
  CHECK_NEAR(c.worst.constraint_error, 0.0, 1e-12 * GROUND_D);
  CHECK_NEAR(c.worst.constraint_rate_error, 0.0, 1e-12 * 50.0);
  CHECK_NEAR(value_of(&m, "xb"), GROUND_D + ROCKER_C * cos(value_of(&m, "rocker")),
             1e-12 * GROUND_D);
  CHECK_NEAR(value_of(&m, "yb"), ROCKER_C * sin(value_of(&m, "rocker")), 1e-12 * GROUND_D);
  CHECK_NEAR(c.energy.residual_relative, 0.0, 1e-13);
  motion_end(&m);
}

// --- slider-crank ---

static carom_status slider_side(void *ctx, double t, const double *y, double *f) {
  (void)ctx, (void)t;
  double r = 0.1, L = 0.3, J = 0.05, mr = 0.5, mp = 0.8, push = 20.0, damping = 0.5;
  double s = sin(y[0]), e = cos(y[0]), sr = r / L * s, cr = sqrt(1.0 - sr * sr);
  double k = r * e / (L * cr), dk = (-r * s * cr + r * e * sr * k) / (L * cr * cr);
  double kp = -r * s - L * sr * k, dkp = -r * e - L * (cr * k * k + sr * dk);
  double cx = -r * s - L / 2.0 * sr * k, dcx = -r * e - L / 2.0 * (cr * k * k + sr * dk);
  double cy = r * e - L / 2.0 * cr * k, dcy = -r * s - L / 2.0 * (-sr * k * k + cr * dk);
  double mass = J + mr * (cx * cx + cy * cy) + mr * L * L / 12.0 * k * k + mp * kp * kp;
  double half_slope = mr * (cx * dcx + cy * dcy) + mr * L * L / 12.0 * k * dk + mp * kp * dkp;
  f[0] = y[1];
  f[1] = (-half_slope * y[1] * y[1] - push * kp - damping * kp * kp * y[1]) / mass;
  return CAROM_OK;
}

static void slider_crank_agrees_with_one_coordinate(void **state) {
  (void)state;
  motion m = motion_load("slider_crank", (carom_setting[]){{"run.rtol", "1e-12"}, {0}});
  double y[2] = {0.0, 60.0};
  carom_ode_options options = carom_ode_options_default();
  options.rtol = 1e-13, options.atol = 1e-14;
  assert_int_equal(carom_ode_solve(2, slider_side, NULL, 0.0, y, 2.0, &options, NULL), CAROM_OK);
  assert_int_equal(motion_run(&m), CAROM_OK);
  CHECK_NEAR(value_of(&m, "crank"), y[0], 1e-8);
  CHECK_NEAR(value_of(&m, "crank'"), y[1], 1e-8);
  double rod = asin(0.1 / 0.3 * sin(y[0]));
  CHECK_NEAR(value_of(&m, "rod"), rod, 1e-9);
  CHECK_NEAR(value_of(&m, "piston"), 0.1 * cos(y[0]) + 0.3 * cos(rod), 1e-9);
  CHECK_NEAR(value_of(&m, "stroke"), 0.2, 1e-10);
  CHECK_NEAR(value_of(&m, "end_speed"), y[1], 1e-8);
  // one section per turn, although the piston's kink of abs falls on the same instants
  assert_int_equal((int)value_of(&m, "turns"), (int)floor(y[0] / (2.0 * PI)));
  carom_certificate c = certificate_of(&m);
  CHECK(c.passed);
  CHECK_NEAR(c.energy.residual_relative, 0.0, 1e-9);
  CHECK_NEAR(c.energy.work_forces, -20.0 * (value_of(&m, "piston") - 0.4), 1e-9);
  motion_end(&m);
}

static void slider_crank_stays_closed(void **state) {
  (void)state;
  motion m = motion_load("slider_crank",
                         (carom_setting[]){{"run.until", "60"}, {"push", "0"}, {"c", "0"}, {0}});
  assert_int_equal(motion_run(&m), CAROM_OK);
  carom_certificate c = certificate_of(&m);
  CHECK(c.passed);
  CHECK_NEAR(c.worst.constraint_error, 0.0, 1e-12 * 0.3);
  CHECK_NEAR(c.worst.constraint_rate_error, 0.0, 1e-12 * 60.0 * 0.3);
  CHECK_NEAR(0.1 * sin(value_of(&m, "crank")), 0.3 * sin(value_of(&m, "rod")), 1e-12 * 0.3);
  motion_end(&m);
}

// --- other kinds of constraints ---

// a point on a rod in x and y is the pendulum in one angle; saying it twice changes nothing
static void rod_twice_is_a_pendulum(void **state) {
  (void)state;
  static const char TEXT[] = "coordinates: {x: {start: 0.6, rate: 0}, y: -0.8}\n"
                             "energy: {kinetic: (x'^2 + y'^2)/2, potential: 9.81*y}\n"
                             "constraints:\n"
                             "  rod: x^2 + y^2 = 1\n"
                             "%s"
                             "run: {until: 20, rtol: 1e-12}\n";
  double angle[2];
  for (int k = 0; k < 2; k++) {
    char text[600];
    (void)snprintf(text, sizeof text, TEXT, k ? "  again: 2*x^2 + 2*y^2 = 2\n" : "");
    motion m = motion_parse(text);
    assert_int_equal(motion_run(&m), CAROM_OK);
    CHECK(certificate_of(&m).passed);
    angle[k] = atan2(value_of(&m, "x"), -value_of(&m, "y"));
    motion_end(&m);
  }
  motion m = motion_parse("coordinates: {a: asin(0.6)}\n"
                          "energy: {kinetic: a'^2/2, potential: -9.81*cos(a)}\n"
                          "run: {until: 20, rtol: 1e-12}\n");
  motion_run(&m);
  CHECK_NEAR(angle[0], value_of(&m, "a"), 1e-9);
  CHECK_NEAR(angle[1], value_of(&m, "a"), 1e-9);
  motion_end(&m);
}

// A skate on a slope, turning steadily, started at rest: it does not slide down but runs along a
// cycloid across the slope (Neimark and Fufaev 1972): x = G/(2 w^2) sin^2 wt, y = G/(4 w^2) (2 wt -
// sin 2wt), G = g sin(slope). The constraint is at velocity level and cannot be integrated.
static void skate_runs_across_the_slope(void **state) {
  (void)state;
  motion m = motion_parse("parameters: {G: 2, w: 3}\n"
                          "coordinates: {x: 0, y: 0, phi: {start: 0, rate: w}}\n"
                          "energy: {kinetic: (x'^2 + y'^2 + phi'^2)/2, potential: -G*x}\n"
                          "constraints: {blade: x'*sin(phi) = y'*cos(phi)}\n"
                          "run: {until: 50, rtol: 1e-11}\n");
  assert_int_equal(motion_run(&m), CAROM_OK);
  double w = 3.0, t = 50.0, scale = 2.0 / (w * w);
  CHECK_NEAR(value_of(&m, "x"), 0.5 * scale * sin(w * t) * sin(w * t), 1e-8);
  CHECK_NEAR(value_of(&m, "y"), 0.25 * scale * (2.0 * w * t - sin(2.0 * w * t)), 1e-7);
  carom_certificate c = certificate_of(&m);
  CHECK(c.passed);
  CHECK_NEAR(c.worst.constraint_rate_error, 0.0, 1e-12);
  motion_end(&m);
}

// a bead on a rod that is turned at a steady rate: r = r0 cosh(w t); the motor's work is in the
// ledger
static void turned_rod_throws_its_bead(void **state) {
  (void)state;
  motion m = motion_parse("parameters: {w: 2}\n"
                          "coordinates: {r: 0.1, phi: 0}\n"
                          "energy: {kinetic: (r'^2 + r^2*phi'^2)/2}\n"
                          "constraints: {motor: phi = w*t}\n"
                          "run: {until: 3, rtol: 1e-11}\n");
  assert_int_equal(motion_run(&m), CAROM_OK);
  double w = 2.0, t = 3.0, r = 0.1 * cosh(w * t), v = 0.1 * w * sinh(w * t);
  CHECK_RELATIVE(value_of(&m, "r"), r, 1e-9);
  CHECK_RELATIVE(value_of(&m, "r'"), v, 1e-9);
  CHECK_NEAR(value_of(&m, "phi"), w * t, 1e-12);
  carom_certificate c = certificate_of(&m);
  CHECK(c.passed);
  CHECK_RELATIVE(c.energy.work_drives, 0.5 * (v * v + w * w * r * r) - 0.5 * w * w * 0.01, 1e-8);
  motion_end(&m);
}

// parts that cannot fit together are refused with a reason
static void impossible_assembly_is_refused(void **state) {
  (void)state;
  carom_model *model = NULL;
  carom_simulation *simulation = NULL;
  carom_error error = {0};
  MUST(carom_model_parse("coordinates: {x: 1, y: 0}\n"
                         "energy: {kinetic: (x'^2 + y'^2)/2}\n"
                         "constraints: {a: x^2 + y^2 = 1, b: x = 2}\n"
                         "run: {until: 1}\n",
                         NULL, 0, NULL, &model, &error),
       error);
  assert_int_equal(carom_simulation_create(model, &simulation, &error), CAROM_ERR_NO_CONVERGENCE);
  assert_null(simulation);
  assert_non_null(strstr(error.text, "constraints"));
  carom_model_destroy(model);

  // the constraint has no slope where the way leads
  MUST(carom_model_parse("coordinates: {x: 0, y: 1}\n"
                         "energy: {kinetic: (x'^2 + y'^2)/2}\n"
                         "constraints: {rod: 'hypot(x, y)'}\n"
                         "run: {until: 1}\n",
                         NULL, 0, NULL, &model, &error),
       error);
  assert_int_equal(carom_simulation_create(model, &simulation, &error), CAROM_ERR_INPUT);
  assert_non_null(strstr(error.text, "the start breaks constraint rod: it is off by 1;"));
  carom_model_destroy(model);
}

// runs a text that must be refused when it sets off, with a reason
static void refuse(const char *text, const char *reason) {
  carom_error error = {0};
  motion m = motion_parse(text);
  carom_status status = carom_simulation_run(m.simulation, &error);
  if (status != CAROM_ERR_INPUT || !strstr(error.text, reason)) print_error("'%s'\n", error.text);
  CHECK(status == CAROM_ERR_INPUT && strstr(error.text, reason) != NULL);
  motion_end(&m);
}

#define ROD                                                                                        \
  "energy: {kinetic: (x'^2 + y'^2)/2, potential: 9.81*y}\n"                                        \
  "constraints: {rod: x^2 + y^2 = 1}\n"

// what is written is kept or refused; rates that are not written follow
static void starts_are_kept_or_refused(void **state) {
  (void)state;
  refuse("coordinates: {x: {start: 1.3, rate: 5}, y: 0}\n" ROD "run: {until: 1}\n",
         "the start breaks constraint rod: it is off by 0.69");
  refuse("coordinates: {x: {start: 1, rate: 5}, y: 0}\n" ROD "run: {until: 1}\n",
         "the start breaks constraint rod: its rate is off by 10");
  refuse("coordinates: {x: {start: 0.6, rate: 4}, y: {start: 0.8, rate: 0}}\n" ROD
         "run: {until: 1}\n",
         "its rate is off by 4.8");
  refuse("coordinates: {x: {start: 0, rate: 1}, phi: {start: 0, rate: 1}}\n"
         "energy: {kinetic: (x'^2 + phi'^2)/2}\n"
         "constraints: {rolls: x' = 2*phi'}\n"
         "run: {until: 1}\n",
         "the start breaks constraint rolls: its rate is off by -1");
  motion m =
      motion_parse("coordinates: {x: {start: 0.6, rate: 4}, y: 0.8}\n" ROD "run: {until: 1}\n");
  CHECK_NEAR(value_of(&m, "x'"), 4.0, 1e-14);
  CHECK_NEAR(value_of(&m, "y'"), -3.0, 1e-14);
  assert_int_equal(motion_run(&m), CAROM_OK);
  motion_end(&m);
  // set one after the other, in any order: asked for when it sets off
  m = motion_parse("coordinates: {x: 1, y: 0}\n" ROD "run: {until: 1}\n");
  set_value(&m, "x", 0.6);
  set_value(&m, "y", -0.8);
  CHECK_NEAR(value_of(&m, "x"), 0.6, 1e-15);
  assert_int_equal(motion_run(&m), CAROM_OK);
  motion_end(&m);
  m = motion_parse("coordinates: {x: {start: 1.3, rate: 5}, y: 0}\n" ROD
                   "run: {until: 1, assemble: yes}\n");
  CHECK_NEAR(value_of(&m, "x"), 1.0, 1e-14);
  CHECK_NEAR(value_of(&m, "x'"), 0.0, 1e-14);
  assert_int_equal(motion_run(&m), CAROM_OK);
  motion_end(&m);
}

// events keep constraints, or are refused; so are constraints that jump with time
static void events_break_no_constraint(void **state) {
  (void)state;
#define SWING "coordinates: {x: 0.6, y: -0.8}\n" ROD
  refuse(SWING "events: {e: {when: t - 1, do: {x: 0.5}}}\nrun: {until: 2}\n",
         "at t = 1 event e breaks constraint rod: it is off by");
  refuse(SWING "events: {e: {when: t - 1, do: {\"x'\": 5}}}\nrun: {until: 2}\n",
         "at t = 1 event e breaks constraint rod: its rate is off by");
  refuse("coordinates: {x: 0}\nenergy: {kinetic: x'^2/2}\n"
         "constraints: {c: \"x = if(t > 1, 0.5, 0)\"}\nrun: {until: 2}\n",
         "at t = 1 a jump with time breaks constraint c: it is off by -0.5");
  motion m = motion_parse(SWING "events: {e: {when: t - 1, do: {x: -x, \"x'\": -x'}}}\n"
                                "run: {until: 2}\n");
  assert_int_equal(motion_run(&m), CAROM_OK);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(starts_are_kept_or_refused),
      cmocka_unit_test(events_break_no_constraint),
      cmocka_unit_test(four_bar_agrees_with_one_coordinate),
      cmocka_unit_test(four_bar_stays_closed),
      cmocka_unit_test(slider_crank_agrees_with_one_coordinate),
      cmocka_unit_test(slider_crank_stays_closed),
      cmocka_unit_test(rod_twice_is_a_pendulum),
      cmocka_unit_test(skate_runs_across_the_slope),
      cmocka_unit_test(turned_rod_throws_its_bead),
      cmocka_unit_test(impossible_assembly_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
