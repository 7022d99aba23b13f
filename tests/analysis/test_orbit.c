// SPDX-License-Identifier: MIT
// Periodic motions against closed forms.
#include "hybrid/motion.h"

#include "analysis/shifts.h"
#include "carom/orbit.h"
#include "results.h"

static carom_status search(const char *name, const carom_setting *settings, int turns, double after,
                           carom_orbit_view *orbit, carom_error *error) {
  motion m = motion_load(name, settings);
  carom_orbit_options options = carom_orbit_options_default();
  options.model = m.model;
  options.turns = turns;
  options.after = after;
  carom_status status = find_orbit(&options, orbit, error);
  motion_end(&m);
  return status;
}

static carom_orbit_view find(const char *name, const carom_setting *settings, int turns,
                             double after) {
  carom_orbit_view orbit;
  carom_error error = {0};
  MUST(search(name, settings, turns, after, &orbit, &error), error);
  return orbit;
}

// Ball on a table, one impact per period: with a the table's acceleration at the impact the map of
// (time, velocity) has trace 1 + e^2 + (1 + e)^2 a/g and determinant e^2.
static void check_ball(double gamma, const char *text, carom_orbit_kind kind) {
  const double e = 0.8, at = PI * (1.0 - e) / (1.0 + e);
  double trace = 1.0 + e * e - (1.0 + e) * (1.0 + e) * sqrt(gamma * gamma - at * at);
  carom_orbit_view orbit =
      find("ball_on_table", (carom_setting[]){{"Gamma", text}, {NULL, NULL}}, 1, -1.0);
  assert_int_equal(orbit.floquet.count, 2);
  assert_int_equal(orbit.kind, kind);
  assert_string_equal(orbit.word, "F I");
  CHECK_NEAR(orbit.floquet.re[0] + orbit.floquet.re[1], trace, 1e-8);
  CHECK_NEAR(orbit.floquet.re[0] * orbit.floquet.re[1] - orbit.floquet.im[0] * orbit.floquet.im[1],
             e * e, 1e-8);
  CHECK_NEAR(orbit.period, 0.04, 1e-15);
}

static void test_ball(void **unused) {
  (void)unused;
  check_ball(0.5, "0.5", CAROM_ORBIT_STABLE);
  check_ball(0.7, "0.7", CAROM_ORBIT_STABLE);
  check_ball(1.0, "1.0", CAROM_ORBIT_STABLE);
  check_ball(1.1, "1.1", CAROM_ORBIT_UNSTABLE); // the run settles on the doubled motion
}

static void test_doubled(void **unused) {
  (void)unused;
  carom_orbit_view orbit =
      find("ball_on_table",
           (carom_setting[]){{"Gamma", "1.1"}, {"run.period", "1/f"}, {NULL, NULL}}, 0, -1.0);
  assert_int_equal(orbit.turns, 2);
  assert_int_equal(orbit.kind, CAROM_ORBIT_STABLE);
  assert_string_equal(orbit.word, "F I F I");
  double product =
      orbit.floquet.re[0] * orbit.floquet.re[1] - orbit.floquet.im[0] * orbit.floquet.im[1];
  CHECK_NEAR(product, pow(0.8, 4.0), 1e-8);
}

// Van der Pol: the period is known to 11 digits; the multiplier is exp of the mean divergence
static void test_van_der_pol(void **unused) {
  (void)unused;
  carom_orbit_view orbit = find("van_der_pol", NULL, 0, -1.0);
  CHECK_NEAR(orbit.period, 6.6632868593, 1e-9);
  CHECK_NEAR(orbit.floquet.along, 1.0, 1e-8);
  assert_int_equal(orbit.floquet.count, 1);
  char until[40], after[40];
  (void)snprintf(after, sizeof after, "%.17g", 10.0 * orbit.period);
  (void)snprintf(until, sizeof until, "%.17g", 40.0 * orbit.period);
  motion m = motion_load("van_der_pol", (carom_setting[]){{"run.until", until},
                                                          {"measure.after", after},
                                                          {"states.x.start", "2.00861986087"},
                                                          {NULL, NULL}});
  motion_run(&m);
  CHECK_NEAR(orbit.floquet.re[0], exp(orbit.period * (1.0 - value_of(&m, "square"))), 1e-9);
  motion_end(&m);
}

// A force that time alone switches on and off is a drive: x'' + 0.1 x' + x over its period of 2 has
// multipliers exp((-0.05 +- i w) 2), w = sqrt(1 - 0.0025).
static void test_switched_drive(void **unused) {
  (void)unused;
  motion m = motion_parse("coordinates: {x: 0.1}\n"
                          "energy: {kinetic: x'^2/2, potential: x^2/2, dissipation: 0.1*x'^2/2}\n"
                          "forces: {x: \"if(sin(pi*t) > 0, 1, 0)\"}\nrun: {until: 100}\n");
  carom_orbit_options options = carom_orbit_options_default();
  carom_orbit_view orbit;
  carom_error error = {0};
  options.model = m.model;
  MUST(find_orbit(&options, &orbit, &error), error);
  CHECK_NEAR(orbit.period, 2.0, 1e-14);
  CHECK_NEAR(orbit.floquet.re[0], exp(-0.1) * cos(2.0 * sqrt(1.0 - 0.0025)), 1e-9);
  CHECK_NEAR(fabs(orbit.floquet.im[0]), exp(-0.1) * sin(2.0 * sqrt(1.0 - 0.0025)), 1e-9);
  motion_end(&m);
}

// So is a rule that strikes by the clock: x' = -x is kicked by 1 once a time unit.
static void test_kicked(void **unused) {
  (void)unused;
  motion m = motion_parse("states: {x: {start: 0, equation: -x}}\n"
                          "events: {kick: {when: cos(pi*t), do: {x: x + 1}}}\n"
                          "run: {until: 40, period: 1}\n");
  carom_orbit_options options = carom_orbit_options_default();
  carom_orbit_view orbit;
  carom_error error = {0};
  options.model = m.model;
  MUST(find_orbit(&options, &orbit, &error), error);
  assert_false(orbit.autonomous);
  CHECK_NEAR(orbit.period, 1.0, 1e-14);
  CHECK_NEAR(orbit.floquet.re[0], exp(-1.0), 1e-9);
  motion_end(&m);
}

// A saw's tooth later mod holds another integer, and the phase is the same: the word is held, past
// the stop that the motion stays clear of. x'' + 0.3 x' + 2 x = mod(t, 2): with p = t/2 - 0.075 on
// a tooth, (1 - Phi)(x, x') = p(2) - Phi p(0) at its beginning.
static void test_saw(void **unused) {
  (void)unused;
  motion m = motion_parse("coordinates: {x: 0}\n"
                          "energy: {kinetic: x'^2/2, potential: x^2, dissipation: 0.3*x'^2/2}\n"
                          "forces: {x: \"mod(t, 2)\"}\n"
                          "contacts: {stop: {gap: 2 - x, impact: 0.5}}\nrun: {until: 100}\n");
  carom_orbit_options options = carom_orbit_options_default();
  carom_orbit_view orbit;
  carom_error error = {0};
  options.model = m.model;
  MUST(find_orbit(&options, &orbit, &error), error);
  double w = sqrt(2.0 - 0.0225), fade = exp(-0.3), c = cos(2.0 * w), s = sin(2.0 * w) / w;
  double phi[4] = {fade * (c + 0.15 * s), fade * s, -2.0 * fade * s, fade * (c - 0.15 * s)};
  CHECK(orbit.fixed_word.held);
  CHECK_NEAR(orbit.period, 2.0, 1e-14);
  CHECK_NEAR(orbit.floquet.re[0], fade * c, 1e-10);
  CHECK_NEAR(fabs(orbit.floquet.im[0]), fade * fabs(s) * w, 1e-10);
  // from the beginning of the tooth to the middle of it, where the orbit is told
  double b[2] = {0.925 + 0.075 * phi[0] - 0.5 * phi[1], 0.5 + 0.075 * phi[2] - 0.5 * phi[3]};
  double det = (1.0 - phi[0]) * (1.0 - phi[3]) - phi[1] * phi[2];
  double x = ((1.0 - phi[3]) * b[0] + phi[1] * b[1]) / det;
  double v = (phi[2] * b[0] + (1.0 - phi[0]) * b[1]) / det;
  double half = exp(-0.15), hc = cos(w), hs = sin(w) / w;
  x += 0.075, v -= 0.5;
  CHECK_NEAR(orbit.state[0], half * ((hc + 0.15 * hs) * x + hs * v) + 0.425, 1e-10);
  CHECK_NEAR(orbit.state[1], half * (-2.0 * hs * x + (hc - 0.15 * hs) * v) + 0.5, 1e-10);
  motion_end(&m);
}

// A comparator of a ramp and the state, as in a power converter: no rate mentions the time, only a
// branch does, through time and state together. x' = -x + (mod(t, 1) > x): switched on at t = x =
// s, off where the ramp falls, s = exp(-s) + (s - 1)/e; the multiplier has 1 - 1/(1 + s) of the
// switch.
static void test_comparator(void **unused) {
  (void)unused;
  motion m = motion_parse("states: {x: {start: 0.5, equation: \"step(mod(t, 1) - x) - x\"}}\n"
                          "run: {until: 30}\n");
  carom_orbit_options options = carom_orbit_options_default();
  carom_orbit_view orbit;
  carom_error error = {0};
  options.model = m.model;
  MUST(find_orbit(&options, &orbit, &error), error);
  double s = 0.5;
  for (int k = 0; k < 100; k++)
    s = exp(-s) + (s - 1.0) * exp(-1.0);
  assert_false(orbit.autonomous);
  CHECK_NEAR(orbit.period, 1.0, 1e-14);
  CHECK_NEAR(orbit.floquet.re[0], exp(-1.0) * s / (1.0 + s), 1e-10);
  motion_end(&m);
}

// the block on a steady belt: stick 2 d/v0, slip 2 pi - 2 atan(d/v0), d = (mu_s - mu) g
static void test_stick_slip(void **unused) {
  (void)unused;
  carom_orbit_view orbit =
      find("belt_block", (carom_setting[]){{"v1", "0"}, {NULL, NULL}}, 0, -1.0);
  double d = 0.1 * 9.81, v = 0.1;
  CHECK_NEAR(orbit.period, 2.0 * d / v + 2.0 * PI - 2.0 * atan(d / v), 1e-9);
  assert_string_equal(orbit.word, "K -");
  assert_int_equal(orbit.floquet.count, 1);
  assert_int_equal(orbit.floquet.extinguished, 1);
  assert_true(orbit.floquet.re[0] == 0.0 && orbit.floquet.im[0] == 0.0);
}

// the frictional impact oscillator: every direction but that of the motion ends in stick
static void test_oscillator(void **unused) {
  (void)unused;
  carom_orbit_view orbit =
      find("frictional_impact_oscillator",
           (carom_setting[]){{"mu", "0.5"}, {"e", "0"}, {NULL, NULL}}, 0, -1.0);
  assert_string_equal(orbit.word, "F I K +");
  assert_int_equal(orbit.floquet.count, 3);
  assert_int_equal(orbit.floquet.extinguished, 3);
  CHECK_NEAR(orbit.floquet.along, 1.0, 1e-6);
  orbit = find("frictional_impact_oscillator",
               (carom_setting[]){{"mu", "0.41"}, {"e", "0.2"}, {NULL, NULL}}, 0, -1.0);
  assert_string_equal(orbit.word, "F I");
  assert_int_equal(orbit.floquet.extinguished, 1);
  assert_true(orbit.floquet.re[0] > 0.4 && orbit.floquet.re[0] < 0.6);
}

// Bounces that pile up end where they do, whatever rule closes contacts in runs: a rule that is
// far too coarse changes nothing but where the search begins, and the word has them as one.
static void test_chatter(void **unused) {
  (void)unused;
  const carom_setting coarse[] = {{"rest", "0.05"}, {"settle", "60"}, {NULL, NULL}},
                      fine[] = {{"rest", "1e-4"}, {"settle", "60"}, {NULL, NULL}};
  carom_orbit_view a = find("dimer", coarse, 1, -1.0), b = find("dimer", fine, 1, -1.0);
  assert_string_equal(a.word, "(F I(left))... left:+ left:- I(left,right)");
  assert_string_equal(b.word, a.word);
  CHECK_NEAR(a.shift[0] / b.shift[0], 1.0, 1e-8);
  // by a converged run with contacts that close at a millionth of a flight
  motion m = motion_load("dimer", (carom_setting[]){{"run.chatter", "ratio"},
                                                    {"settle", "100"},
                                                    {"cycles", "10"},
                                                    {"run.rtol", "1e-12"},
                                                    {NULL, NULL}});
  motion_run(&m);
  CHECK_NEAR(a.shift[0] / a.period / value_of(&m, "drift"), 1.0, 1e-7);
  motion_end(&m);
}

// At the impact of both tips the dimer lies flat, and slip ends at both at once: outcomes of states
// that are not flat are quite different. Multipliers must not feel them, which shows where the
// places of such states change with every digit: at another tolerance.
static void test_flat_impact(void **unused) {
  (void)unused;
  carom_setting one[] = {{"Ar", "4.99"}, {"settle", "60"}, {NULL, NULL}},
                two[] = {{"Ar", "4.99"}, {"settle", "60"}, {"run.rtol", "1e-12"}, {NULL, NULL}};
  carom_orbit_view a = find("dimer", one, 1, -1.0), b = find("dimer", two, 1, -1.0);
  assert_string_equal(a.word, "(F I(left))... left:+ left:K left:- I(left,right)");
  assert_int_equal(a.kind, CAROM_ORBIT_STABLE);
  CHECK_NEAR(a.floquet.re[0], b.floquet.re[0], 5e-5);
  CHECK_NEAR(a.floquet.im[0], b.floquet.im[0], 5e-5);
}

// A cyclic coordinate is no unknown: the drift of the dimer is its shift per turn. The speed,
// 3.194 mm/s as the closing speed of runs goes to zero, is known from elsewhere.
static void test_drift(void **unused) {
  (void)unused;
  carom_orbit_view orbit =
      find("dimer", (carom_setting[]){{"run.period", "1/f"}, {NULL, NULL}}, 1, -1.0);
  CHECK_NEAR(orbit.shift[0] / orbit.period, 3.194e-3, 1e-6);
  assert_int_equal(orbit.kind, CAROM_ORBIT_STABLE);
}

static carom_status of_text(const char *text, carom_orbit_view *orbit, carom_error *error) {
  motion m = motion_parse(text);
  carom_orbit_options options = carom_orbit_options_default();
  options.model = m.model;
  carom_status status = find_orbit(&options, orbit, error);
  motion_end(&m);
  return status;
}

// the period of a drive is read off the scenario: the least common one of all its parts
static void test_drive(void **unused) {
  (void)unused;
  carom_orbit_view orbit = find("ball_on_table", NULL, 0, -1.0);
  CHECK_NEAR(orbit.period, 0.04, 1e-15);
  carom_error error = {0};
  MUST(of_text("title: two\nparameters: {w: 2}\ncoordinates: {x: 0}\n"
               "energy: {kinetic: x'^2/2, potential: x^2/2*(3 + sin(w*t + 1)), dissipation: x'^2}\n"
               "forces: {x: abs(cos(3*t - 0.2))}\nrun: {until: 40}\n",
               &orbit, &error),
       error);
  CHECK_NEAR(orbit.period, 2.0 * PI, 1e-12);
  assert_int_equal(orbit.turns, 1);
}

// an oscillator between two stops, which strikes both in every period of its drive
static const char BETWEEN[] =
    "title: between two stops\nparameters: {e: 0.6, w: 1}\ncoordinates: {x: 0}\n"
    "energy: {kinetic: x'^2/2, potential: x^2/2, dissipation: 0.1*x'^2}\n"
    "forces: {x: 2*cos(w*t)}\ncontacts:\n"
    "  low: {gap: 1 + x, impact: {law: newton, e: e}}\n"
    "  high: {gap: 1 - x, impact: {law: newton, e: e}}\nrun: {until: 300}\n";

// The dimer is the same in a mirror, with its tips exchanged; its drift is not. The motion between
// two stops is its own image, the stops exchanged, half a period later; Van der Pol's cycle half a
// turn later.
static void test_mirror(void **unused) {
  (void)unused;
  carom_orbit_view orbit = find("dimer", NULL, 1, -1.0);
  assert_int_equal(orbit.mirrored.image, CAROM_IMAGE_OTHER);
  assert_string_equal(orbit.mirrored.mirror, "x -> -x, theta -> -theta, left <-> right");
  CHECK_NEAR(orbit.mirrored.state[2], -orbit.state[2], 0.0);
  assert_non_null(strstr(orbit.word, "left:+ left:- I(left,right)"));
  assert_non_null(strstr(orbit.mirrored.word, "right:- right:+ I(left,right)"));
  carom_error error = {0};
  MUST(of_text(BETWEEN, &orbit, &error), error);
  assert_int_equal(orbit.mirrored.image, CAROM_IMAGE_SELF);
  assert_string_equal(orbit.mirrored.mirror, "x -> -x, low <-> high, half a period later");
  orbit = find("van_der_pol", NULL, 0, -1.0);
  assert_int_equal(orbit.mirrored.image, CAROM_IMAGE_SELF);
  assert_string_equal(orbit.mirrored.mirror, "x -> -x, v -> -v");
  orbit = find("duffing", (carom_setting[]){{"drive", "0.2"}, {NULL, NULL}}, 1, -1.0);
  assert_int_equal(orbit.mirrored.image, CAROM_IMAGE_OTHER); // in the other well
  assert_string_equal(orbit.mirrored.mirror, "x -> -x, half a period later");
  CHECK_NEAR(orbit.mirrored.start - orbit.start, PI, 1e-12);
}

// A block on springs, dragged by a table that swings along x: the same in the mirror y -> -y, and
// as x -> -x half a period later; a table that also moves along y is the same only half a period
// later, in both at once.
static void test_mirror_in_space(void **unused) {
  (void)unused;
  static const char *const swing[] = {", y'", ", y' - cos(t + 1)", " - cos(2*t), y'"};
  static const char *const mirrors[] = {"x -> -x, half a period later",
                                        "x -> -x, y -> -y, half a period later", "y -> -y"};
  for (int k = 0; k < 3; k++) {
    char text[500];
    carom_orbit_view orbit;
    carom_error error = {0};
    (void)snprintf(text, sizeof text,
                   "title: dragged\ncoordinates: {x: 0.1, y: 0, z: 0}\n"
                   "energy: {kinetic: (x'^2 + y'^2 + z'^2)/2, potential: x^2 + 1.3*y^2 + 2*z, "
                   "dissipation: 0.1*(x'^2 + y'^2)}\n"
                   "contacts: {table: {gap: z, slip: [x' - 2*cos(t)%s], friction: 0.4}}\n"
                   "run: {until: 200}\n",
                   swing[k]);
    MUST(of_text(text, &orbit, &error), error);
    assert_int_equal(orbit.mirrored.image, CAROM_IMAGE_SELF);
    assert_string_equal(orbit.mirrored.mirror, mirrors[k]);
  }
}

// Two equal oscillators, each before its own stop, driven in opposite phase: exchanged, the system
// is the same half a period later. Driven in phase it is the same at once; with unequal masses
// never.
static void test_exchanged(void **unused) {
  (void)unused;
  static const char *const cases[][2] = {{"-", "1"}, {"", "1"}, {"", "1.01"}};
  static const char *const mirrors[] = {"a <-> b, left <-> right, half a period later",
                                        "a <-> b, left <-> right", ""};
  for (int k = 0; k < 3; k++) {
    char text[700];
    carom_orbit_view orbit;
    carom_error error = {0};
    (void)snprintf(text, sizeof text,
                   "title: equal\nparameters: {F: 2.4}\ncoordinates: {a: 0, b: 0}\nenergy: "
                   "{kinetic: a'^2/2 + %s*b'^2/2, potential: a^2/2 + b^2/2 + (a - b)^2/10, "
                   "dissipation: 0.1*(a'^2 + b'^2)}\nforces: {a: F*cos(2*t), b: %sF*cos(2*t)}\n"
                   "contacts:\n  left: {gap: 0.5 - a, impact: {law: newton, e: 0.7}}\n"
                   "  right: {gap: 0.5 - b, impact: {law: newton, e: 0.7}}\nrun: {until: 200}\n",
                   cases[k][1], cases[k][0]);
    MUST(of_text(text, &orbit, &error), error);
    assert_int_equal(orbit.mirrored.image, k < 2 ? CAROM_IMAGE_SELF : CAROM_IMAGE_NONE);
    assert_string_equal(orbit.mirrored.mirror, mirrors[k]);
    if (k == 2) continue;
    CHECK_NEAR(orbit.mirrored.state[0], orbit.state[1], 0.0);
    CHECK_NEAR(orbit.mirrored.state[3], orbit.state[2], 0.0);
  }
}

// a little friction more on one side, and the mirror shows another system
static void test_no_mirror(void **unused) {
  (void)unused;
  carom_orbit_view orbit = find(
      "dimer", (carom_setting[]){{"contacts.right.friction.slip", "1.001*mu_slip"}, {NULL, NULL}},
      1, -1.0);
  assert_int_equal(orbit.mirrored.image, CAROM_IMAGE_NONE);
  orbit = find("ball_on_table", NULL, 1, -1.0);
  assert_int_equal(orbit.mirrored.image, CAROM_IMAGE_NONE);
}

// A mass in a capsule: two absolute coordinates, of which only the difference counts (but for the
// drag, which depends on speed and is not the same both ways). The same system written with the
// distance as a coordinate has the other one cyclic.
#define CAPSULE(coordinates, kinetic, potential, forces, gap)                                      \
  "title: capsule\nparameters: {e: 0.6, k: 1, w: 1.3, F: 0.7}\ncoordinates: {" coordinates "}\n"   \
  "energy: {kinetic: " kinetic ", potential: " potential "}\nforces: {" forces "}\n"               \
  "contacts:\n  plate: {gap: " gap ", impact: {law: newton, e: e}}\n"                              \
  "run: {until: 60*2*pi/w}\nmeasure: {after: 50*2*pi/w}\nobserve: {speed: mean_rate(b)}\n"
static const char ABSOLUTE[] =
    CAPSULE("a: 0, b: 0", "0.4*a'^2 + 1.1*b'^2", "k/2*(a - b)^2",
            "a: F*cos(w*t) - 0.1*(a' - b'), b: -F*cos(w*t) - 0.1*(b' - a') - 0.8*b' - 0.5*b'^2",
            "0.3 - (a - b)");
static const char RELATIVE[] = CAPSULE("r: 0, b: 0", "0.4*(r' + b')^2 + 1.1*b'^2", "k/2*r^2",
                                       "r: F*cos(w*t) - 0.1*r', b: -0.8*b' - 0.5*b'^2", "0.3 - r");

static double sum_of_multipliers(const carom_orbit_view *orbit, int power) {
  double sum = 0.0;
  for (int k = 0; k < orbit->floquet.count; k++)
    sum += power == 1 ? orbit->floquet.re[k]
                      : orbit->floquet.re[k] * orbit->floquet.re[k] -
                            orbit->floquet.im[k] * orbit->floquet.im[k];
  return sum;
}

static void test_common_shift(void **unused) {
  (void)unused;
  carom_error error = {0};
  carom_orbit_view absolute, relative;
  motion m = motion_parse(ABSOLUTE);
  double weights[4 * 2];
  assert_int_equal(carom_model_shifts(m.model, 4, weights), 1);
  assert_true(weights[0] == 1.0 && weights[1] == 1.0);
  motion_run(&m);
  double speed = value_of(&m, "speed");
  motion_end(&m);
  MUST(of_text(ABSOLUTE, &absolute, &error), error);
  MUST(of_text(RELATIVE, &relative, &error), error);
  assert_int_equal(absolute.kind, CAROM_ORBIT_STABLE);
  assert_string_equal(absolute.word, relative.word);
  assert_int_equal(absolute.floquet.count, 3);
  assert_int_equal(relative.floquet.count, 3);
  CHECK_NEAR(sum_of_multipliers(&absolute, 1), sum_of_multipliers(&relative, 1), 1e-8);
  CHECK_NEAR(sum_of_multipliers(&absolute, 2), sum_of_multipliers(&relative, 2), 1e-8);
  // both coordinates drift by the same way, that of the run
  assert_true(fabs(speed) > 1e-2);
  CHECK_NEAR(absolute.shift[0], absolute.shift[1], 1e-15);
  CHECK_NEAR(absolute.shift[1], relative.shift[1], 1e-9);
  CHECK_NEAR(absolute.shift[1] / absolute.period, speed, 1e-8);
}

// states along a turn tell the drift as well, also where the word is held fixed
static void test_trace_of_drift(void **unused) {
  (void)unused;
  enum { LOOKS = 41 };
  carom_error error = {0};
  motion m = motion_parse(ABSOLUTE);
  carom_orbit_options options = carom_orbit_options_default();
  options.model = m.model;
  for (int k = 0; k < 2; k++) {
    double times[LOOKS], states[LOOKS * 4];
    carom_orbit_view orbit;
    options.free_word = k == 1;
    MUST(find_orbit(&options, &orbit, &error), error);
    assert_int_equal(orbit.fixed_word.held, k == 0);
    MUST(carom_orbit_trace(&options, orbit_behind(&orbit), LOOKS, times, states, &error), error);
    CHECK_NEAR(times[LOOKS - 1] - times[0], orbit.period, 1e-12);
    for (int i = 0; i < 4; i++)
      CHECK_NEAR(states[(LOOKS - 1) * 4 + i] - states[i], i < 2 ? orbit.shift[i] : 0.0, 1e-8);
  }
  motion_end(&m);
}

// a run that its scenario stops is no periodic motion
static void test_stopped_run(void **unused) {
  (void)unused;
  carom_orbit_view orbit;
  carom_error error = {0};
  assert_int_equal(of_text("parameters: {w: 2}\ncoordinates: {x: 1}\n"
                           "energy: {kinetic: x'^2/2, potential: x^2/2, dissipation: x'^2/20}\n"
                           "forces: {x: cos(w*t)}\nstop: {late: t - 60}\nrun: {until: 50}\n",
                           &orbit, &error),
                   CAROM_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "stops at t = 60"));
}

// a coordinate that a coefficient of friction depends on is not cyclic; nor may several be shifted
// together where one of them occurs by itself
static void test_no_shift(void **unused) {
  (void)unused;
  static const char *const cases[][2] = {
      {"0.3 + 0.1*sin(x)", "0"}, {"0.3", "z^2"}, {"0.3 + 0.1*cos(x - z)", "0"}, {"0.3", "0"}};
  static const int shifts[] = {1, 1, 1, 2}; // of x, y, z: y is held by gravity
  for (int k = 0; k < 4; k++) {
    char text[600];
    double weights[8 * 3];
    (void)snprintf(text, sizeof text,
                   "title: t\ncoordinates: {x: 0, y: 0, z: 0}\nenergy: {kinetic: x'^2 + y'^2 + "
                   "z'^2, potential: y + %s}\ncontacts:\n  c: {gap: y, slip: x', friction: %s, "
                   "impact: {law: newton, e: 0}}\nrun: {until: 1}\n",
                   cases[k][1], cases[k][0]);
    motion m = motion_parse(text);
    assert_int_equal(carom_model_shifts(m.model, 8, weights), shifts[k]);
    assert_int_equal(carom_model_cyclic(m.model, 0), k == 1 || k == 3);
    if (k == 2) assert_true(weights[0] == 1.0 && weights[1] == 0.0 && weights[2] == 1.0);
    // what is left of a state without them
    double y[3] = {3.0, 5.0, 7.0};
    carom_shifts free = carom_shifts_of(m.model);
    carom_shifts_reduce(&free, y);
    CHECK_SAME(y[0], k == 0 ? 3.0 : 0.0);
    CHECK_SAME(y[1], 5.0);
    CHECK_SAME(y[2], k == 1 ? 7.0 : k == 2 ? 4.0 : 0.0);
    motion_end(&m);
  }
}

// Of a family the motion of the energy that the search began with, here beside it: y stays zero on
// the periodic motion. What the energy is counted from does not count, and its rounding is not
// chased.
static void test_zero_of_energy(void **unused) {
  (void)unused;
  const double y = 3e-4, energy = 0.75 + 0.9 * y * y + y * y / 4.0;
  const double off[] = {0.0, -energy, 1e6}; // the second: the energy is 0
  carom_orbit_view found[3];
  for (int k = 0; k < 3; k++) {
    char text[300];
    carom_error error = {0};
    (void)snprintf(text, sizeof text,
                   "coordinates: {x: 1, y: %g}\nenergy: {kinetic: (x'^2 + y'^2)/2, potential: "
                   "x^2/2 + x^4/4 + 0.9*y^2 + x^2*y^2/4 + %.17g}\nrun: {until: 20}\n",
                   y, off[k]);
    MUST(of_text(text, &found[k], &error), error);
    double x = found[k].state[0], v = found[k].state[2];
    CHECK_NEAR(found[k].state[1], 0.0, 1e-9);
    CHECK_NEAR(v * v / 2.0 + x * x / 2.0 + x * x * x * x / 4.0, energy, 1e-12 * fmax(1.0, off[k]));
    CHECK_NEAR(found[k].period, found[0].period, k < 2 ? 1e-10 : 1e-6);
    CHECK(found[k].rounds <= found[0].rounds);
  }
}

// Two equal oscillators that strike their stops at one instant. Without a force between them the
// motion is that of one oscillator, twice, and both orders have the same derivative. With a force
// that depends on both velocities they differ; the system being the same with both exchanged, the
// multipliers of both orders are the same numbers.
#define PAIR(force_a, force_b)                                                                     \
  "title: pair\nparameters: {w: 2, F: 2.4}\ncoordinates: {a: 0, b: 0}\nenergy: {kinetic: a'^2/2 "  \
  "+ b'^2/2, potential: a^2/2 + b^2/2, dissipation: 0.1*(a'^2 + b'^2)}\nforces: {a: "              \
  "F*cos(w*t)" force_a ", b: F*cos(w*t)" force_b "}\ncontacts:\n"                                  \
  "  left: {gap: 0.5 - a, impact: {law: newton, e: 0.7}}\n"                                        \
  "  right: {gap: 0.5 - b, impact: {law: newton, e: 0.7}}\nrun: {until: 200, rtol: 1e-12}\n"
static const char ONE[] =
    "title: one\nparameters: {w: 2, F: 2.4}\ncoordinates: {a: 0}\nenergy: {kinetic: a'^2/2, "
    "potential: a^2/2, dissipation: 0.1*a'^2}\nforces: {a: F*cos(w*t)}\ncontacts:\n"
    "  left: {gap: 0.5 - a, impact: {law: newton, e: 0.7}}\nrun: {until: 200, rtol: 1e-12}\n";

static void test_one_instant(void **unused) {
  (void)unused;
  carom_orbit_view one, pair;
  carom_error error = {0};
  MUST(of_text(ONE, &one, &error), error);
  assert_false(one.sides.differ);
  MUST(of_text(PAIR("", ""), &pair, &error), error);
  assert_string_equal(pair.word, "F I(left,right)");
  assert_true(pair.sides.differ && pair.notes.piecewise == 1 && pair.notes.sided == 1);
  CHECK_NEAR(pair.sides.apart, 0.0, 1e-8);
  CHECK_NEAR(sum_of_multipliers(&pair, 1), 2.0 * sum_of_multipliers(&one, 1), 1e-7);
  CHECK_NEAR(sum_of_multipliers(&pair, 2), 2.0 * sum_of_multipliers(&one, 2), 1e-7);
  MUST(of_text(PAIR(" - 0.3*b'*a'^2", " - 0.3*a'*b'^2"), &pair, &error), error);
  assert_true(pair.sides.differ && pair.sides.apart > 1e-2);
  assert_int_equal(pair.sides.multipliers, pair.floquet.count);
  double here = sum_of_multipliers(&pair, 1), there = 0.0;
  for (int k = 0; k < pair.sides.multipliers; k++)
    there += pair.sides.re[k];
  CHECK_NEAR(there, here, 1e-7);
}

// three of them, each driven by the next: six orders, the same two sets of multipliers by turning
// the three round
static void test_three_at_once(void **unused) {
  (void)unused;
  carom_orbit_view orbit;
  carom_error error = {0};
  MUST(of_text("title: three\ncoordinates: {a: 0, b: 0, c: 0}\nenergy: {kinetic: (a'^2 + b'^2 + "
               "c'^2)/2, potential: (a^2 + b^2 + c^2)/2, dissipation: 0.1*(a'^2 + b'^2 + c'^2)}\n"
               "forces: {a: 2.4*cos(2*t) - 0.3*b'*a'^2, b: 2.4*cos(2*t) - 0.3*c'*b'^2, c: "
               "2.4*cos(2*t) - 0.3*a'*c'^2}\ncontacts:\n"
               "  left: {gap: 0.5 - a, impact: {law: newton, e: 0.7}}\n"
               "  mid: {gap: 0.5 - b, impact: {law: newton, e: 0.7}}\n"
               "  right: {gap: 0.5 - c, impact: {law: newton, e: 0.7}}\n"
               "run: {until: 200, rtol: 1e-12}\n",
               &orbit, &error),
       error);
  assert_true(orbit.sides.differ && orbit.sides.apart > 1e-2);
  assert_int_equal(orbit.sides.orders, 6);
  // a, b, c and b, c, a and c, a, b are one kind of order, numbers 0, 3 and 4
  for (int k = 1; k < 6; k++)
    CHECK_NEAR(orbit.sides.order_modulus[k], orbit.sides.order_modulus[k == 3 || k == 4 ? 0 : 1],
               1e-7);
  CHECK_NEAR(hypot(orbit.sides.re[0], orbit.sides.im[0]),
             fmax(orbit.sides.order_modulus[0], orbit.sides.order_modulus[1]), 1e-7);
}

// A motion that has not quite settled, or of which few looks are taken in a turn, comes back best
// after several turns: what is told is the least
static void test_least_period(void **unused) {
  (void)unused;
  motion m = motion_parse("parameters: {w: 3.15}\ncoordinates: {x: {start: -2, rate: 0.5}}\n"
                          "energy: {kinetic: x'^2/2, potential: x^2/2, dissipation: 0.02*x'^2}\n"
                          "forces: {x: cos(w*t)}\n"
                          "contacts: {stop: {gap: 0.6 - x, impact: {law: newton, e: 0.7}}}\n"
                          "run: {until: 400*pi/w, rtol: 1e-12}\n");
  carom_orbit_options options = carom_orbit_options_default();
  options.model = m.model;
  carom_orbit_view orbit;
  carom_error error = {0};
  MUST(find_orbit(&options, &orbit, &error), error);
  assert_int_equal(orbit.turns, 1);
  CHECK_NEAR(orbit.period, 2.0 * PI / 3.15, 1e-12);
  motion_end(&m);
  m = motion_parse("parameters: {k: 1.25, d: 10, b: 20, r: 0.8, q: 5.5595494645007975}\n"
                   "coordinates: {y1: 0.2}\n"
                   "states: {y3: {start: 0, rate: 'b*(q - y1*sqrt(y3))'}}\n"
                   "energy: {kinetic: y1'^2/2, potential: (y1 + d)^2/2, dissipation: k/2*y1'^2}\n"
                   "forces: {y1: y3}\n"
                   "contacts: {seat: {gap: y1, impact: {law: newton, e: r}}}\n"
                   "run: {until: 2000, rtol: 1e-11, atol: 1e-11}\n");
  options.model = m.model;
  MUST(find_orbit(&options, &orbit, &error), error);
  CHECK_NEAR(orbit.period, 2.263534133, 1e-8);
  assert_string_equal(orbit.word, "F I");
  motion_end(&m);
}

// a motion without drive that has come to rest has no period of its own; one that swings ever so
// little about a far place has
static void test_at_rest(void **unused) {
  (void)unused;
  const char *text = "parameters: {c: 1}\n"
                     "coordinates: {x: {start: 5, rate: 1e-3}}\n"
                     "energy: {kinetic: x'^2/2, potential: (x - 5)^2/2, dissipation: c*x'^2/2}\n"
                     "run: {until: 100, rtol: 1e-13}\n";
  motion m = motion_parse(text);
  carom_orbit_options options = carom_orbit_options_default();
  options.model = m.model;
  carom_orbit_view orbit;
  carom_error error = {0};
  assert_int_equal(find_orbit(&options, &orbit, &error), CAROM_ERR_NO_CONVERGENCE);
  CHECK(strstr(error.text, "come to rest") != NULL);
  const carom_value undamped = {"c", 0.0};
  options.values = &undamped;
  options.value_count = 1;
  MUST(find_orbit(&options, &orbit, &error), error);
  CHECK_NEAR(orbit.period, 2.0 * PI, 1e-9);
  motion_end(&m);
}

// A pendulum that a moment drives over the top: once round per turn. The flow shrinks areas by
// exp(-c t), and 1 is the multiplier along the motion. A rate alone tells nothing of an angle.
static void test_rotation(void **unused) {
  (void)unused;
  const char *text = "parameters: {M: 1.5, c: 0.2}\ncoordinates: {phi: {start: 0, rate: 5}}\n"
                     "energy: {kinetic: phi'^2/2, potential: -cos(phi), dissipation: c/2*phi'^2}\n"
                     "forces: {phi: M}\nrun: {until: 100}\n";
  carom_orbit_view orbit;
  carom_error error = {0};
  motion m = motion_parse(text);
  assert_true(carom_model_angle(m.model, 0));
  assert_false(carom_model_angle(m.model, 1));
  motion_end(&m);
  MUST(of_text(text, &orbit, &error), error);
  assert_int_equal(orbit.kind, CAROM_ORBIT_STABLE);
  CHECK_NEAR(orbit.shift[0], 2.0 * PI, 1e-12);
  CHECK_NEAR(orbit.floquet.re[0], exp(-0.2 * orbit.period), 1e-8);
  assert_true(fabs(orbit.state[0]) <= PI);
  // a spring about the pivot counts the turns, a coordinate that nothing depends on is no angle
  const char *const others[] = {"-cos(phi) + phi^2", "0"};
  for (int k = 0; k < 2; k++) {
    char other[400];
    (void)snprintf(other, sizeof other,
                   "coordinates: {phi: 0}\nenergy: {kinetic: phi'^2/2, potential: '%s'}\n"
                   "run: {until: 1}\n",
                   others[k]);
    m = motion_parse(other);
    assert_false(carom_model_angle(m.model, 0));
    motion_end(&m);
  }
}

// A pendulum shaken at its pivot that starts hanging down, where the drive has no part: it depends
// on time all the same. It turns once in a period of the drive, four of which make one turn; the
// product of the multipliers is exp(-c t).
static void test_shaken_pivot(void **unused) {
  (void)unused;
  carom_orbit_view orbit;
  carom_error error = {0};
  MUST(of_text("parameters: {A: 2, c: 0.2}\ncoordinates: {phi: {start: 0, rate: 2}}\n"
               "energy: {kinetic: phi'^2/2, potential: -(1 + A*cos(2*t))*cos(phi), "
               "dissipation: c/2*phi'^2}\nrun: {until: 200}\n",
               &orbit, &error),
       error);
  assert_false(orbit.autonomous);
  assert_int_equal(orbit.turns, 4);
  CHECK_NEAR(orbit.period, 4.0 * PI, 1e-12);
  CHECK_NEAR(orbit.shift[0], 8.0 * PI, 1e-12);
  CHECK_NEAR(orbit.floquet.re[0] * orbit.floquet.re[0] + orbit.floquet.im[0] * orbit.floquet.im[0],
             exp(-0.8 * PI), 1e-8);
}

// A wheel of eight spokes without a rim that rolls down a slope on the tips of its spokes (McGeer
// 1990): after a whole turn it is as it was, 16 sin(pi/8) further. Each step multiplies its rate by
// eta = (I + cos(pi/4))/(I + 1), so that a disturbance of the energy comes back as eta^2 a step.
static void test_rimless_wheel(void **unused) {
  (void)unused;
  char text[4000] = "parameters: {I: 0.5, slope: 0.15, a: pi/4, w: 1.658}\n"
                    "coordinates:\n  x: {start: 0, rate: w*cos(a/2)}\n"
                    "  y: {start: cos(a/2), rate: w*sin(a/2)}\n  phi: {start: 0, rate: w}\n"
                    "energy:\n  kinetic: (x'^2 + y'^2)/2 + I/2*phi'^2\n"
                    "  potential: 9.81*(y*cos(slope) - x*sin(slope))\ncontacts:\n";
  for (int k = 0; k < 8; k++) {
    size_t used = strlen(text);
    (void)snprintf(text + used, sizeof text - used,
                   "  foot%d: {gap: 'y - cos(phi + %d.5*a)', slip: \"x' - phi'*cos(phi + "
                   "%d.5*a)\", friction: 3, impact: 0}\n",
                   k, k, k);
  }
  (void)snprintf(text + strlen(text), sizeof text - strlen(text), "run: {until: 20}\n");
  carom_orbit_view orbit;
  carom_error error = {0};
  MUST(of_text(text, &orbit, &error), error);
  double eta = (0.5 + cos(PI / 4.0)) / 1.5;
  assert_int_equal(orbit.kind, CAROM_ORBIT_STABLE);
  assert_int_equal(orbit.fixed_word.events, 8);
  CHECK_NEAR(orbit.shift[0], 16.0 * sin(PI / 8.0), 1e-9);
  CHECK_NEAR(orbit.shift[1], 0.0, 0.0);
  CHECK_NEAR(orbit.shift[2], 2.0 * PI, 1e-12);
  CHECK_NEAR(orbit.floquet.re[0], pow(eta, 16.0), 1e-7);
}

static void test_refusals(void **unused) {
  (void)unused;
  carom_orbit_view orbit;
  carom_error error = {0};
  assert_int_equal(search("rods_2d_r1", NULL, 1, 0.0, &orbit, &error), CAROM_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "engine 'grains'"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ball),
      cmocka_unit_test(test_doubled),
      cmocka_unit_test(test_van_der_pol),
      cmocka_unit_test(test_stick_slip),
      cmocka_unit_test(test_oscillator),
      cmocka_unit_test(test_drift),
      cmocka_unit_test(test_chatter),
      cmocka_unit_test(test_flat_impact),
      cmocka_unit_test(test_drive),
      cmocka_unit_test(test_mirror_in_space),
      cmocka_unit_test(test_mirror),
      cmocka_unit_test(test_no_mirror),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_common_shift),
      cmocka_unit_test(test_no_shift),
      cmocka_unit_test(test_zero_of_energy),
      cmocka_unit_test(test_switched_drive),
      cmocka_unit_test(test_kicked),
      cmocka_unit_test(test_saw),
      cmocka_unit_test(test_comparator),
      cmocka_unit_test(test_one_instant),
      cmocka_unit_test(test_three_at_once),
      cmocka_unit_test(test_exchanged),
      cmocka_unit_test(test_at_rest),
      cmocka_unit_test(test_least_period),
      cmocka_unit_test(test_rotation),
      cmocka_unit_test(test_shaken_pivot),
      cmocka_unit_test(test_rimless_wheel),
      cmocka_unit_test(test_trace_of_drift),
      cmocka_unit_test(test_stopped_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
