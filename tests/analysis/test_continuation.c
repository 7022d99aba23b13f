// SPDX-License-Identifier: MIT
// Branches against closed forms and against values known from elsewhere.
#define _XOPEN_SOURCE 700
#include "branch_help.h"

#include "carom/locate.h"
#include "results.h"

#include <stdlib.h>
#include <unistd.h>

static double flip_of_ball(double e) { // Luo and Han 1996
  double exists = PI * (1.0 - e) / (1.0 + e), width = 2.0 * (1.0 + e * e) / ((1.0 + e) * (1.0 + e));
  return sqrt(exists * exists + width * width);
}

static void test_flip(void **unused) {
  (void)unused;
  carom_continuation *result = branches_of(motion_load("ball_on_table", NULL),
                                           carom_continuation_options_default(), "Gamma", 0.5, 1.5);
  const carom_continuation_point *flip = labelled(result, CAROM_LABEL_FLIP, 0, 0);
  CHECK_NEAR(flip->value, flip_of_ball(0.8), 1e-8);
  CHECK_NEAR(flip->re, -1.0, 1e-8);
  assert_int_equal(flip->unstable, 0); // on the circle, not outside
  const carom_continuation_point *end = labelled(result, CAROM_LABEL_END, 0, 0);
  CHECK_NEAR(end->value, 1.5, 0.0);
  assert_int_equal(end->kind, CAROM_ORBIT_UNSTABLE);
  // nothing else happens, and stability changes at the flip alone
  for (long k = 0; k < carom_continuation_points(result); k++) {
    const carom_continuation_point *p = carom_continuation_point_at(result, k);
    if (p->label == CAROM_LABEL_NONE)
      assert_int_equal(p->kind, p->value < flip->value ? CAROM_ORBIT_STABLE : CAROM_ORBIT_UNSTABLE);
  }
  carom_continuation_destroy(result);
}

// three flips more, each on the branch that left at the one before; the distances shrink by
// Feigenbaum's 4.669 in the end
static void test_cascade(void **unused) {
  (void)unused;
  carom_continuation_options options = carom_continuation_options_default();
  options.switches = 3;
  options.orbit.turns = 1;
  options.orbit.after = 0.02; // the start is on the motion of period 1: where the ball takes off
  const char *phase = "-asin(pi*(1-e)/(1+e)/Gamma)/omega";
  const char *height = "A*sqrt(1-(pi*(1-e)/(1+e)/Gamma)^2)";
  carom_continuation *result =
      branches_of(motion_load("ball_on_table", (carom_setting[]){{"e", "0.5"},
                                                                 {"Gamma", "1.2"},
                                                                 {"run.start", phase},
                                                                 {"coordinates.y.start", height},
                                                                 {NULL, NULL}}),
                  options, "Gamma", 1.2, 2.0);
  double flips[4];
  for (int k = 0; k < 4; k++) {
    const carom_continuation_point *flip = labelled(result, CAROM_LABEL_FLIP, k, 0);
    flips[k] = flip->value;
    CHECK_NEAR(flip->period, 0.04 * (1 << k), 1e-12);
  }
  CHECK_NEAR(flips[0], flip_of_ball(0.5), 1e-8);
  CHECK_NEAR((flips[1] - flips[0]) / (flips[2] - flips[1]), 4.669, 0.1);
  CHECK_NEAR((flips[2] - flips[1]) / (flips[3] - flips[2]), 4.669, 0.05);
  carom_continuation_destroy(result);
}

// Hopf points of the frictional impact oscillator in slip
static void test_hopf(void **unused) {
  (void)unused;
  carom_continuation_options options = carom_continuation_options_default();
  options.equilibrium = true;
  options.mode = "+";
  carom_continuation *result =
      branches_of(motion_load("frictional_impact_oscillator", NULL), options, "mu", 0.2, 0.6);
  const carom_continuation_point *hopf = labelled(result, CAROM_LABEL_HOPF, 0, 0);
  CHECK_NEAR(hopf->value, 0.409778166, 1e-9);
  CHECK_NEAR(tan(hopf->state[1]), hopf->value, 1e-8); // tan(phi) = mu
  assert_string_equal(hopf->word, "+");
  carom_continuation_destroy(result);
  result = branches_of(motion_load("frictional_impact_oscillator",
                                   (carom_setting[]){{"m1", "0.4"}, {"kphi", "25"}, {NULL, NULL}}),
                       options, "mu", 0.2, 0.6);
  CHECK_NEAR(labelled(result, CAROM_LABEL_HOPF, 0, 0)->value, 0.353092883, 1e-9);
  carom_continuation_destroy(result);
}

// Two coupled oscillators, one with p of damping too little. Its pair passes the axis, and the
// cycle born there leaves along its mode. Farther on the pair outside is as far from the axis as
// the other one inside: none passes.
static void test_hopf_of_one_mode(void **unused) {
  (void)unused;
  const char *text = "parameters: {p: -0.5}\ncoordinates: {x: 0, y: 0}\n"
                     "energy: {kinetic: (x'^2 + y'^2)/2, potential: x^2/2 + 2*y^2 + 0.3*x*y, "
                     "dissipation: 0.15*y'^2}\n"
                     "forces: {x: (p - x^2)*x'}\nrun: {until: 50}\n";
  carom_continuation_options options = carom_continuation_options_default();
  options.equilibrium = true;
  options.switches = 1;
  carom_continuation *result = branches_of(motion_parse(text), options, "p", -0.5, 1.0);
  // by Routh and Hurwitz s^4 + (0.3 - p) s^3 + (5 - 0.3 p) s^2 + (0.3 - 4 p) s + 3.91 has a pair on
  // the axis, s^2 = -w^2, where w^2 = (0.3 - 4 p)/(0.3 - p) makes w^4 - (5 - 0.3 p) w^2 + 3.91 zero
  const carom_continuation_point *hopf = labelled(result, CAROM_LABEL_HOPF, 0, 0);
  double p = hopf->value, square = (0.3 - 4.0 * p) / (0.3 - p);
  CHECK_NEAR(square * square - (5.0 - 0.3 * p) * square + 3.91, 0.0, 1e-9);
  CHECK_NEAR(hopf->im, sqrt(square), 1e-8);
  for (long k = 0; k < carom_continuation_points(result); k++) {
    const carom_continuation_point *at = carom_continuation_point_at(result, k);
    assert_true(at->label != CAROM_LABEL_HOPF || at == hopf);
    if (at->branch == 0 && at->label == CAROM_LABEL_NONE)
      assert_int_equal(at->unstable, at->value < p ? 0 : 2);
  }
  CHECK_NEAR(labelled(result, CAROM_LABEL_START, 1, 0)->period, 2.0 * PI / sqrt(square), 1e-4);
  carom_continuation_destroy(result);
}

// The same from near Painleve's paradox, tan(phi) + (m1/m2)/tan(phi) = 0.65: eigenvalues are fast
// there, and states beside the branch, which are not quite on the contact, are brought back to it
// from both sides. Beyond the paradox the contact lifts off.
static void test_hopf_from_paradox(void **unused) {
  (void)unused;
  carom_continuation_options options = carom_continuation_options_default();
  options.equilibrium = true;
  for (int k = 0; k < 10; k++) {
    double from = 0.638 + 0.001 * k;
    carom_continuation *result =
        branches_of(motion_load("frictional_impact_oscillator", NULL), options, "mu", from, 0.3);
    CHECK_NEAR(labelled(result, CAROM_LABEL_HOPF, 0, 0)->value, 0.409778166, 1e-9);
    assert_true(carom_continuation_points(result) < 100);
    carom_continuation_destroy(result);
  }
  motion m = motion_load("frictional_impact_oscillator", NULL);
  carom_continuation *none = NULL;
  carom_error error = {0};
  options.model = m.model;
  options.parameter = "mu";
  options.from = 0.72;
  options.to = 0.3;
  assert_int_equal(carom_continuation_run(&options, &none, &error), CAROM_ERR_NO_CONVERGENCE);
  assert_non_null(strstr(error.text, "beyond Painleve's paradox"));
  motion_end(&m);
}

// Without losses the eigenvalues of two blocks in slip lie on the imaginary axis, whatever the
// friction: rounding to this side or that is no Hopf point.
static void test_no_hopf(void **unused) {
  (void)unused;
  carom_continuation_options options = carom_continuation_options_default();
  options.equilibrium = true;
  motion m = motion_parse(
      "title: two blocks on a belt\nparameters: {mu: 0.3, v: 0.15, g: 9.81}\n"
      "coordinates: {a: 0.1, b: -0.2, ya: 0, yb: 0}\n"
      "energy: {kinetic: (a'^2 + b'^2 + ya'^2 + yb'^2)/2, potential: g*(ya + yb) + (a^2 + b^2)/2 + "
      "0.3*(a - b)^2}\ncontacts:\n"
      "  left: {gap: ya, slip: a' - v, friction: mu, impact: {law: newton, e: 0}}\n"
      "  right: {gap: yb, slip: b' - v, friction: mu, impact: {law: newton, e: 0}}\n"
      "run: {until: 10}\n");
  carom_continuation *result = branches_of(m, options, "mu", 0.3, 0.45);
  assert_true(carom_continuation_points(result) > 10);
  for (long k = 0; k < carom_continuation_points(result); k++) {
    const carom_continuation_point *p = carom_continuation_point_at(result, k);
    assert_int_not_equal(p->label, CAROM_LABEL_HOPF);
    assert_int_equal(p->kind, CAROM_ORBIT_MARGINAL);
  }
  carom_continuation_destroy(result);
}

// A motion with one impact per period T of an oscillator whose damping is negative, x'' - 2p x' + x
// = cos(w t): over a period areas shrink by e^2 exp(2p T), whatever the motion, so that a pair of
// complex multipliers passes the unit circle at p = -ln(e)/T. Neimark and Sacker's bifurcation.
static void test_torus(void **unused) {
  (void)unused;
  motion m = motion_parse("title: torus\nparameters: {p: 0.02, w: 2.2, e: 0.8}\n"
                          "coordinates: {x: 0}\nenergy: {kinetic: x'^2/2, potential: x^2/2}\n"
                          "forces: {x: 2*p*x' + cos(w*t)}\n"
                          "contacts:\n  stop: {gap: -x, impact: {law: newton, e: e}}\n"
                          "run: {until: 400}\n");
  carom_continuation *result =
      branches_of(m, carom_continuation_options_default(), "p", 0.02, 0.15);
  const carom_continuation_point *torus = labelled(result, CAROM_LABEL_TORUS, 0, 0);
  CHECK_NEAR(torus->value, -log(0.8) * 2.2 / (2.0 * PI), 1e-9);
  CHECK_NEAR(hypot(torus->re, torus->im), 1.0, 1e-9);
  assert_true(fabs(torus->im) > 0.1);
  assert_string_equal(torus->word, "F I");
  for (long k = 0; k < carom_continuation_points(result); k++) {
    const carom_continuation_point *p = carom_continuation_point_at(result, k);
    if (p->label == CAROM_LABEL_NONE)
      assert_int_equal(p->kind,
                       p->value < torus->value ? CAROM_ORBIT_STABLE : CAROM_ORBIT_UNSTABLE);
  }
  carom_continuation_destroy(result);
}

// Cycles born at a Hopf point. Of the normal form the radius is sqrt(p), the period 2 pi and the
// multiplier exp(-4 pi p); of the oscillator it is the slip cycle, which lifts off where bisection
// has it.
static void test_birth(void **unused) {
  (void)unused;
  carom_continuation_options options = carom_continuation_options_default();
  options.equilibrium = true;
  options.switches = 1;
  motion m = motion_parse("title: birth\nparameters: {p: -0.5}\nstates:\n"
                          "  x: {start: 0, rate: p*x - y - x*(x^2 + y^2)}\n"
                          "  y: {start: 0, rate: x + p*y - y*(x^2 + y^2)}\nrun: {until: 10}\n");
  carom_continuation *result = branches_of(m, options, "p", -0.5, 0.5);
  CHECK_NEAR(labelled(result, CAROM_LABEL_HOPF, 0, 0)->value, 0.0, 1e-10);
  assert_int_equal(labelled(result, CAROM_LABEL_END, 0, 0)->kind, CAROM_ORBIT_UNSTABLE);
  const carom_continuation_point *end = labelled(result, CAROM_LABEL_END, 1, 0);
  CHECK_NEAR(end->value, 0.5, 0.0);
  CHECK_NEAR(end->period, 2.0 * PI, 1e-9);
  CHECK_NEAR(hypot(end->state[0], end->state[1]), sqrt(0.5), 1e-9);
  CHECK_NEAR(end->re, exp(-2.0 * PI), 1e-7);
  carom_continuation_destroy(result);
  options.mode = "+";
  result =
      branches_of(motion_load("frictional_impact_oscillator", NULL), options, "mu", 0.39, 0.42);
  CHECK_NEAR(labelled(result, CAROM_LABEL_HOPF, 0, 0)->value, 0.409778166, 1e-9);
  const carom_continuation_point *lift = labelled(result, CAROM_LABEL_GRAZE, 1, 0);
  CHECK_NEAR(lift->value, 0.409827960, 1e-8);
  assert_string_equal(lift->word, "+");
  carom_continuation_destroy(result);
}

// Largest values of a turn include those just before and after impacts. Of the ball that bounces
// once per period after - before = g T, from the flight, and both are as far from 0 because the
// flight begins and ends at the same height: the largest velocity is g T/2, however few looks there
// are.
static void test_top(void **unused) {
  (void)unused;
  carom_continuation_options options = carom_continuation_options_default();
  options.looks = 7;
  carom_continuation *result =
      branches_of(motion_load("ball_on_table", NULL), options, "Gamma", 0.6, 1.0);
  for (long k = 0; k < carom_continuation_points(result); k++) {
    const carom_continuation_point *p = carom_continuation_point_at(result, k);
    assert_non_null(p->top);
    CHECK_NEAR(p->top[1], 0.5 * 9.81 * 0.04, 1e-7);
  }
  carom_continuation_destroy(result);
}

// a fold of equilibria: x' = p - x^2 turns at p = 0; the unstable half is followed too
static void test_fold(void **unused) {
  (void)unused;
  carom_continuation_options options = carom_continuation_options_default();
  options.equilibrium = true;
  motion m = motion_parse("title: fold\nparameters: {p: 1}\n"
                          "states: {x: {start: 1, rate: p - x^2}}\nrun: {until: 10}\n");
  carom_continuation *result = branches_of(m, options, "p", 1.0, -1.0);
  CHECK_NEAR(labelled(result, CAROM_LABEL_FOLD, 0, 0)->value, 0.0, 1e-9);
  const carom_continuation_point *end = labelled(result, CAROM_LABEL_END, 0, 0);
  CHECK_NEAR(end->value, 1.0, 0.0);
  CHECK_NEAR(end->state[0], -1.0, 1e-9);
  CHECK_NEAR(end->re, 2.0, 1e-7);
  carom_continuation_destroy(result);
}

// An oscillator driven at omega, before a stop: it touches where its amplitude
// 1/sqrt((1 - omega^2)^2 + (2 zeta omega)^2) reaches the stop, and the branch goes on with impacts
static const char STOP[] = "title: impact oscillator\n"
                           "parameters: {omega: 2.8, wall: 0.3, e: 0.8, zeta: 0.05}\n"
                           "coordinates: {x: 0}\n"
                           "energy: {kinetic: x'^2/2, potential: x^2/2, dissipation: zeta*x'^2}\n"
                           "forces: {x: cos(omega*t)}\n"
                           "contacts: {stop: {gap: wall - x, impact: {law: newton, e: e}}}\n"
                           "run: {until: 300, rtol: 1e-11}\n";

static void test_graze(void **unused) {
  (void)unused;
  const double zeta = 0.05, wall = 0.3;
  carom_continuation *result =
      branches_of(motion_parse(STOP), carom_continuation_options_default(), "omega", 2.8, 1.5);
  // u = omega^2: u^2 - (2 - 4 zeta^2) u + 1 - 1/wall^2 = 0
  double half = 1.0 - 2.0 * zeta * zeta;
  double omega = sqrt(half + sqrt(half * half - 1.0 + 1.0 / (wall * wall)));
  const carom_continuation_point *graze = labelled(result, CAROM_LABEL_GRAZE, 0, 0);
  CHECK_NEAR(graze->value, omega, 1e-9);
  assert_string_equal(graze->word, "F");
  const carom_continuation_point *flip = labelled(result, CAROM_LABEL_FLIP, 0, 0);
  assert_string_equal(flip->word, "F I");
  assert_true(flip->value < graze->value); // just behind the graze the motion is unstable
  const carom_continuation_point *end = labelled(result, CAROM_LABEL_END, 0, 0);
  CHECK_NEAR(end->value, 1.5, 0.0);
  assert_string_equal(end->word, "F I");
  assert_int_equal(end->kind, CAROM_ORBIT_STABLE);
  carom_continuation_destroy(result);
}

// Beyond the graze the motion that does not strike goes on through the stop: it is the oscillation
// x^2 + (x'/omega)^2 = amplitude^2 that nothing stops, and it is told to be virtual
static void test_virtual(void **unused) {
  (void)unused;
  const double zeta = 0.05;
  carom_continuation_options options = carom_continuation_options_default();
  options.virtual_too = true;
  carom_continuation *result = branches_of(motion_parse(STOP), options, "omega", 2.8, 1.5);
  long count = 0;
  for (long k = 0; k < carom_continuation_points(result); k++) {
    const carom_continuation_point *p = carom_continuation_point_at(result, k);
    assert_int_equal(p->virtual_motion, p->branch == 1);
    if (p->branch == 0) continue;
    double w = p->value, detuning = 1.0 - w * w;
    double square = 1.0 / (detuning * detuning + 4.0 * zeta * zeta * w * w);
    CHECK_NEAR(p->state[0] * p->state[0] + p->state[1] * p->state[1] / (w * w), square, 1e-8);
    assert_string_equal(p->word, "F");
    count++;
  }
  assert_true(count > 10);
  CHECK_NEAR(labelled(result, CAROM_LABEL_END, 1, 0)->value, 1.5, 0.0);
  carom_continuation_destroy(result);
}

// The motion with one impact comes to its graze from the other side, where the approach of the
// impact vanishes, and its branch meets the same point: no square root is in its way. Beyond, it is
// virtual and goes on to the other end of the range.
static void test_graze_of_impact(void **unused) {
  (void)unused;
  const double zeta = 0.05, wall = 0.3, half = 1.0 - 2.0 * zeta * zeta;
  double omega = sqrt(half + sqrt(half * half - 1.0 + 1.0 / (wall * wall)));
  carom_continuation_options options = carom_continuation_options_default();
  options.virtual_too = true;
  carom_continuation *result = branches_of(motion_parse(STOP), options, "omega", 1.9, 2.5);
  const carom_continuation_point *graze = labelled(result, CAROM_LABEL_GRAZE, 0, 0);
  CHECK_NEAR(graze->value, omega, 1e-9);
  assert_string_equal(graze->word, "F I");
  const carom_continuation_point *end = labelled(result, CAROM_LABEL_END, 1, 0);
  CHECK_NEAR(end->value, 2.5, 0.0);
  assert_true(end->virtual_motion);
  assert_string_equal(end->word, "F I");
  for (long k = 0; k < carom_continuation_points(result); k++) {
    const carom_continuation_point *p = carom_continuation_point_at(result, k);
    assert_int_equal(p->virtual_motion, p->branch == 1);
  }
  carom_continuation_destroy(result);
}

// A phase of the word vanishes: the stick of the hopping motion, at the corner of its branch, as
// zero of the time it lasts. The value was found by bisection of runs.
static void test_vanishing_phase(void **unused) {
  (void)unused;
  motion m = motion_load("frictional_impact_oscillator",
                         (carom_setting[]){{"mu", "0.395"}, {"e", "0"}, {NULL, NULL}});
  carom_continuation_options options = carom_continuation_options_default();
  options.virtual_too = true;
  carom_continuation *result = branches_of(m, options, "mu", 0.395, 0.385);
  const carom_continuation_point *corner = labelled(result, CAROM_LABEL_WORD, 0, 0);
  CHECK_NEAR(corner->value, 0.38956911, 1e-9);
  assert_string_equal(corner->word, "F I + K +");
  const carom_continuation_point *beyond = labelled(result, CAROM_LABEL_START, 1, 0);
  assert_true(beyond->virtual_motion);
  assert_string_equal(beyond->word, "F I + K +");
  carom_continuation_destroy(result);
}

// A section that rest itself meets all the time (the velocity is zero) does not end the branch:
// eigenvalues -c/2 +- i sqrt(k - c^2/4) all along
static void test_section_at_rest(void **unused) {
  (void)unused;
  carom_continuation_options options = carom_continuation_options_default();
  options.equilibrium = true;
  motion m = motion_parse("parameters: {k: 2, c: 0.5}\ncoordinates: {x: 1}\n"
                          "energy: {kinetic: x'^2/2, potential: k/2*x^2 - x, "
                          "dissipation: c/2*x'^2}\n"
                          "sections: {top: {when: x', direction: falling}}\nrun: {until: 100}\n");
  carom_continuation *result = branches_of(m, options, "k", 2.0, 3.0);
  CHECK_NEAR(labelled(result, CAROM_LABEL_END, 0, 0)->value, 3.0, 0.0);
  for (long n = 0; n < carom_continuation_points(result); n++) {
    const carom_continuation_point *p = carom_continuation_point_at(result, n);
    CHECK_NEAR(p->re, -0.25, 1e-9);
    CHECK_NEAR(p->im, sqrt(p->value - 0.0625), 1e-9);
    CHECK_NEAR(p->state[0], 1.0 / p->value, 1e-9);
  }
  carom_continuation_destroy(result);
}

// Steps that are asked to be short are no sign of a kink
static void test_short_steps(void **unused) {
  (void)unused;
  carom_continuation_options options = carom_continuation_options_default();
  options.first = options.largest = 5e-5;
  options.most = 60;
  carom_continuation *result =
      branches_of(motion_load("ball_on_table", NULL), options, "Gamma", 0.6, 1.2);
  assert_int_equal(carom_continuation_points(result), options.most);
  for (long k = 1; k < options.most; k++) {
    const carom_continuation_point *p = carom_continuation_point_at(result, k);
    assert_int_equal(p->label, k < options.most - 1 ? CAROM_LABEL_NONE : CAROM_LABEL_END);
    CHECK_NEAR(p->value - carom_continuation_point_at(result, k - 1)->value, 3e-5, 1e-5);
  }
  carom_continuation_destroy(result);
}

// A ball that is caught by the scenario above some height, from Gamma = 0.75 on: turns that are
// stopped have no end, so the branch is lost there and says why, as a search does
static void test_stop(void **unused) {
  (void)unused;
  const char *text = "parameters: {Gamma: 0.7, w: 50*pi, A: 9.81*Gamma/w^2}\n"
                     "coordinates: {y: {start: A, rate: pi*9.81/w}}\n"
                     "energy: {kinetic: y'^2/2, potential: 9.81*y}\n"
                     "contacts: {table: {gap: y - A*cos(w*t), impact: 0.8}}\n"
                     "stop: {high: {when: y - 2.1e-3, if: Gamma > 0.75}}\nrun: {until: 12}\n";
  carom_continuation_options follow = carom_continuation_options_default();
  char file[] = "/tmp/carom_branch_XXXXXX";
  int opened = mkstemp(file);
  assert_true(opened >= 0);
  (void)close(opened);
  follow.journal = file;
  for (int k = 0; k < 2; k++) { // followed, then read from the journal
    carom_continuation *result = branches_of(motion_parse(text), follow, "Gamma", 0.6, 1.2);
    const carom_continuation_point *lost = labelled(result, CAROM_LABEL_LOST, 0, 0);
    CHECK_NEAR(lost->value, 0.75, 1e-6);
    assert_non_null(strstr(lost->why, "stopped by the scenario"));
    assert_string_equal(carom_continuation_point_at(result, 0)->why, "");
    carom_continuation_destroy(result);
    follow.resume = true;
  }
  // not those of other values
  motion m = motion_parse(text);
  carom_continuation *other = NULL;
  carom_error refused = {0};
  follow.model = m.model;
  follow.parameter = "Gamma";
  follow.from = 0.6;
  follow.to = 1.2;
  follow.values = (carom_value[]){{"w", 320.0}};
  follow.value_count = 1;
  assert_int_equal(carom_continuation_run(&follow, &other, &refused), CAROM_ERR_INPUT);
  (void)unlink(file);
  carom_orbit_options options = carom_orbit_options_default();
  carom_orbit_view here, beyond;
  carom_error error = {0};
  options.model = m.model;
  MUST(find_orbit(&options, &here, &error), error);
  options.from = orbit_behind(&here);
  options.values = (carom_value[]){{"Gamma", 0.8}};
  options.value_count = 1;
  assert_int_equal(find_orbit(&options, &beyond, &error), CAROM_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "stopped by the scenario at t = 0.0"));
  motion_end(&m);
}

// stopped on its way and resumed: the same points, with what branches off
static long asked;
static bool stop_later(void *ctx) { return ++asked > *(const long *)ctx; }

static void same_points(const carom_continuation *a, const carom_continuation *b) {
  assert_int_equal(carom_continuation_points(a), carom_continuation_points(b));
  for (long k = 0; k < carom_continuation_points(a); k++) {
    const carom_continuation_point *p = carom_continuation_point_at(a, k),
                                   *q = carom_continuation_point_at(b, k);
    assert_int_equal(p->branch, q->branch);
    assert_int_equal(p->label, q->label);
    CHECK_SAME(p->value, q->value);
    CHECK_SAME(p->re, q->re);
    CHECK_SAME(p->state[0], q->state[0]);
    assert_string_equal(p->word, q->word);
  }
}

static void test_resumed(void **unused) {
  (void)unused;
  const carom_setting settings[] = {{"Gamma", "0.9"}, {NULL, NULL}};
  char file[] = "/tmp/carom_branch_XXXXXX";
  int opened = mkstemp(file);
  assert_true(opened >= 0);
  (void)close(opened);
  carom_continuation_options options = carom_continuation_options_default();
  options.switches = 1;
  options.threads = 1;
  long limit = 1000000;
  asked = 0;
  options.watcher = (carom_watcher){.ctx = &limit, .stopped = stop_later};
  carom_continuation *whole =
      branches_of(motion_load("ball_on_table", settings), options, "Gamma", 0.9, 1.2);
  limit = asked - 700; // the search for the first motion asks most
  motion m = motion_load("ball_on_table", settings);
  options.model = m.model;
  options.parameter = "Gamma";
  options.from = 0.9;
  options.to = 1.2;
  options.journal = file;
  int stops = 0;
  carom_continuation *part = NULL;
  carom_error error = {0};
  for (carom_status status = CAROM_STOP_USER; status == CAROM_STOP_USER; stops++) {
    carom_continuation_destroy(part);
    asked = 0;
    status = carom_continuation_run(&options, &part, &error);
    assert_true(status >= 0);
    options.resume = true;
    limit = 200;
  }
  assert_true(stops > 2);
  same_points(whole, part);
  carom_continuation_destroy(part);
  carom_continuation_destroy(whole);
  (void)unlink(file);
  motion_end(&m);
}

// the branch begins with the motion of one turn, also where the run was found to go round twice
static void test_least_turn(void **unused) {
  (void)unused;
  carom_continuation *result = branches_of(
      motion_parse("parameters: {w: 3.15}\ncoordinates: {x: {start: -2, rate: 0.5}}\n"
                   "energy: {kinetic: x'^2/2, potential: x^2/2, dissipation: 0.02*x'^2}\n"
                   "forces: {x: cos(w*t)}\n"
                   "contacts: {stop: {gap: 0.6 - x, impact: {law: newton, e: 0.7}}}\n"
                   "run: {until: 400*pi/w, rtol: 1e-12}\n"),
      carom_continuation_options_default(), "w", 3.15, 3.2);
  CHECK_NEAR(carom_continuation_point_at(result, 0)->period, 2.0 * PI / 3.15, 1e-12);
  CHECK_NEAR(labelled(result, CAROM_LABEL_END, 0, 0)->period, 2.0 * PI / 3.2, 1e-12);
  carom_continuation_destroy(result);
}

static motion wiper(const char *mu) {
  return motion_load("frictional_impact_oscillator",
                     (carom_setting[]){{"mu", mu}, {"e", "0"}, {NULL, NULL}});
}

// The value at which runs change their word, by bisection.
static double bisect_word(double from, double to, double tolerance) {
  const carom_setting settings[] = {{"run.until", "20"}, {"measure.after", "15"}, {NULL, NULL}};
  motion m = motion_load("frictional_impact_oscillator", settings);
  carom_locate_options options = carom_locate_options_default();
  carom_location_view found;
  carom_error error = {0};
  options.parameter = "mu";
  options.from = from;
  options.to = to;
  options.tolerance = tolerance;
  MUST(find_location(m.simulation, &options, &found, &error), error);
  motion_end(&m);
  return found.value;
}

// How an impact comes out is part of the word. Where it no longer ends in stick, with the impulse
// at the end of the cone, slip behind it begins, from the other side with no velocity and for no
// time: both words end there, and go on as virtual ones. Bisection of runs knows nothing of all
// this.
static void test_outcome_of_impact(void **unused) {
  (void)unused;
  carom_continuation_options options = carom_continuation_options_default();
  options.virtual_too = true;
  double bisected = bisect_word(0.397, 0.399, 1e-10);
  CHECK_NEAR(bisected, 0.397909, 5e-7);
  const struct {
    const char *start, *word;
    double from, to;
  } sides[] = {{"0.41", "F I K +", 0.41, 0.39}, {"0.395", "F I + K +", 0.395, 0.41}};
  for (int k = 0; k < 2; k++) {
    carom_continuation *result =
        branches_of(wiper(sides[k].start), options, "mu", sides[k].from, sides[k].to);
    const carom_continuation_point *end = labelled(result, CAROM_LABEL_WORD, 0, 0);
    CHECK_NEAR(end->value, bisected, 1e-9);
    assert_string_equal(end->word, sides[k].word);
    const carom_continuation_point *beyond = labelled(result, CAROM_LABEL_END, 1, 0);
    CHECK_NEAR(beyond->value, sides[k].to, 0.0);
    assert_true(beyond->virtual_motion);
    assert_string_equal(beyond->word, sides[k].word);
    carom_continuation_destroy(result);
  }
}

// While the tip sticks to the belt (v = -1) everything follows from the angle phi: phi' =
// v/cos(phi), y = cos(phi). Friction at its limit, lambda_T = -mu lambda_N, with mu = tan(phi) +
// (m1/m2) cot(phi), where the coefficient of the normal force in slip vanishes: masses 0.1 and 1,
// length 1, stiffnesses 100, damping 10.
static double friction_left(double phi, double *mu) {
  const double m1 = 0.1, m2 = 1.0, g = 10.0, k = 100.0, c = 10.0;
  double rate = -1.0 / cos(phi), turning = rate * rate * tan(phi);
  double y = cos(phi), v = -sin(phi) * rate, a = -cos(phi) * rate * rate - sin(phi) * turning;
  double normal = (m1 + m2) * (a + g) + m1 * (sin(phi) * turning + cos(phi) * rate * rate) + c * v +
                  k * (y - 1.0);
  double moment = m1 * turning + m1 * sin(phi) * (a + g) + k * (phi - PI / 8.0);
  double friction = moment / cos(phi) - tan(phi) * normal;
  *mu = tan(phi) + m1 / m2 / tan(phi);
  return friction + *mu * normal;
}

static double painleve_value(void) {
  double lo = 0.33, hi = 0.45, mu;
  bool rising = friction_left(hi, &mu) > 0.0;
  assert_true(rising != (friction_left(lo, &mu) > 0.0));
  for (int k = 0; k < 60; k++) {
    double middle = 0.5 * (lo + hi);
    if ((friction_left(middle, &mu) > 0.0) == rising)
      hi = middle;
    else
      lo = middle;
  }
  return mu;
}

// Flight follows stick as long as the contact moves off where its friction is at the limit, which
// ends where the coefficient vanishes.
static void test_opening(void **unused) {
  (void)unused;
  carom_continuation_options options = carom_continuation_options_default();
  options.virtual_too = true;
  carom_continuation *result = branches_of(wiper("0.7"), options, "mu", 0.7, 0.64);
  const carom_continuation_point *end = labelled(result, CAROM_LABEL_WORD, 0, 0);
  CHECK_NEAR(end->value, painleve_value(), 1e-9);
  CHECK_NEAR(end->value, 0.646809, 5e-7);
  assert_string_equal(end->word, "F I K");
  assert_string_equal(labelled(result, CAROM_LABEL_END, 0, 0)->word, "F I K +");
  assert_true(labelled(result, CAROM_LABEL_END, 1, 0)->virtual_motion);
  carom_continuation_destroy(result);
}

// A body between two walls that move to and fro, s = A sin(2 pi t), half a gap 1 apart: the motion
// that strikes both in turn, at s and -s with the velocity U, has U = 4 (1 - s) and
// U (1 - e) = (1 + e) s'. The map of half a period, mirrored, has the trace
// (U - s')/(U + s') + e - (1 + e) s''/(2 (U + s')) and the determinant e (U - s')/(U + s'), so that
// -1 is its multiplier where s'' = 4 U: there the motion and its mirror image part.
static void test_pitchfork(void **unused) {
  (void)unused;
  const char *text = "parameters: {A: 0.4, e: 0.7}\ncoordinates: {x: {start: 0, rate: 3}}\n"
                     "define: {s: A*sin(2*pi*t)}\nenergy: {kinetic: x'^2/2}\n"
                     "contacts: {left: {gap: x - s + 1, impact: e}, "
                     "right: {gap: s + 1 - x, impact: e}}\nrun: {until: 200}\n";
  carom_continuation_options options = carom_continuation_options_default();
  options.switches = 1;
  carom_continuation *result = branches_of(motion_parse(text), options, "A", 0.4, 0.9);
  double omega = 2.0 * PI, s = 16.0 / (16.0 - omega * omega), U = 4.0 * (1.0 - s);
  double parted = hypot(s, U * 0.3 / 1.7 / omega);
  CHECK_NEAR(labelled(result, CAROM_LABEL_CROSSING, 0, 0)->value, parted, 1e-8);
  // the branch that goes on is unstable, the one that leaves it stable and no longer its own image
  const carom_continuation_point *on = labelled(result, CAROM_LABEL_END, 0, 0),
                                 *off = labelled(result, CAROM_LABEL_END, 1, 0);
  CHECK_NEAR(on->value, 0.9, 0.0);
  CHECK_NEAR(off->value, 0.9, 0.0);
  assert_int_equal(on->kind, CAROM_ORBIT_UNSTABLE);
  assert_int_equal(off->kind, CAROM_ORBIT_STABLE);
  assert_true(fabs(fabs(off->state[1]) - fabs(on->state[1])) > 1.0);
  carom_continuation_destroy(result);
  // the other way round: the branch that left turns back there
  carom_continuation_options back = carom_continuation_options_default();
  result = branches_of(motion_parse(text), back, "A", 0.9, 0.5);
  CHECK_NEAR(labelled(result, CAROM_LABEL_CROSSING, 0, 0)->value, parted, 1e-9);
  CHECK(carom_continuation_turns(result) < 2000); // it is straddled once, not over and over
  carom_continuation_destroy(result);
}

// A rod on a hinge with a spring, k = 1, pressed by P: it buckles at P = 1, to th = P sin(th)
static void test_buckling(void **unused) {
  (void)unused;
  carom_continuation_options options = carom_continuation_options_default();
  options.equilibrium = true;
  options.switches = 1;
  motion m = motion_parse("parameters: {P: 0.5}\ncoordinates: {th: 0}\n"
                          "energy: {kinetic: th'^2/2, potential: th^2/2 + P*cos(th), "
                          "dissipation: th'^2/5}\nrun: {until: 20}\n");
  carom_continuation *result = branches_of(m, options, "P", 0.5, 2.0);
  CHECK_NEAR(labelled(result, CAROM_LABEL_CROSSING, 0, 0)->value, 1.0, 1e-9);
  assert_int_equal(labelled(result, CAROM_LABEL_END, 0, 0)->kind, CAROM_ORBIT_UNSTABLE);
  const carom_continuation_point *bent = labelled(result, CAROM_LABEL_END, 1, 0);
  CHECK_NEAR(bent->value, 2.0, 0.0);
  CHECK_NEAR(fabs(bent->state[0]), 2.0 * sin(fabs(bent->state[0])), 1e-9);
  assert_true(fabs(bent->state[0]) > 1.0);
  assert_int_equal(bent->kind, CAROM_ORBIT_STABLE);
  carom_continuation_destroy(result);
}

// From the bent side the branch turns back where it buckles, and the straight rod's crosses it
// there
static void test_turn_of_buckled(void **unused) {
  (void)unused;
  static const double from[] = {2.0, 1.5, 1.2, 1.4}, to[] = {0.5, 0.7, 0.9, 0.5};
  carom_continuation_options options = carom_continuation_options_default();
  options.equilibrium = true;
  for (int k = 0; k < 4; k++) {
    motion m = motion_parse("parameters: {P: 2}\ncoordinates: {th: 1.9}\n"
                            "energy: {kinetic: th'^2/2, potential: th^2/2 + P*cos(th), "
                            "dissipation: th'^2/5}\nrun: {until: 20}\n");
    carom_continuation *result = branches_of(m, options, "P", from[k], to[k]);
    CHECK_NEAR(labelled(result, CAROM_LABEL_CROSSING, 0, 0)->value, 1.0, 2e-9);
    CHECK_SAME(labelled(result, CAROM_LABEL_END, 0, 0)->value, from[k]);
    carom_continuation_destroy(result);
  }
}

static void test_refusals(void **unused) {
  (void)unused;
  motion m = motion_load("ball_on_table", NULL);
  carom_continuation_options options = carom_continuation_options_default();
  carom_continuation *result = NULL;
  carom_error error = {0};
  options.model = m.model;
  options.parameter = "Gama";
  options.to = 1.0;
  assert_int_equal(carom_continuation_run(&options, &result, &error), CAROM_ERR_ARGUMENT);
  assert_null(result);
  options.parameter = "Gamma";
  options.from = 0.7;
  options.equilibrium = true;
  assert_int_equal(carom_continuation_run(&options, &result, &error), CAROM_ERR_UNSUPPORTED);
  options.to = 0.7;
  assert_int_equal(carom_continuation_run(&options, &result, &error), CAROM_ERR_INPUT);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_flip),
      cmocka_unit_test(test_cascade),
      cmocka_unit_test(test_hopf),
      cmocka_unit_test(test_hopf_of_one_mode),
      cmocka_unit_test(test_hopf_from_paradox),
      cmocka_unit_test(test_no_hopf),
      cmocka_unit_test(test_torus),
      cmocka_unit_test(test_birth),
      cmocka_unit_test(test_top),
      cmocka_unit_test(test_fold),
      cmocka_unit_test(test_graze),
      cmocka_unit_test(test_virtual),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_section_at_rest),
      cmocka_unit_test(test_pitchfork),
      cmocka_unit_test(test_buckling),
      cmocka_unit_test(test_turn_of_buckled),
      cmocka_unit_test(test_short_steps),
      cmocka_unit_test(test_stop),
      cmocka_unit_test(test_resumed),
      cmocka_unit_test(test_least_turn),
      cmocka_unit_test(test_graze_of_impact),
      cmocka_unit_test(test_vanishing_phase),
      cmocka_unit_test(test_outcome_of_impact),
      cmocka_unit_test(test_opening),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
