// SPDX-License-Identifier: MIT
// The frictional impact oscillator, e = 0: its hopping motion and the unstable motion that meets
// it, followed from both ends. The values were located by bisection of runs elsewhere.
#include "branch_help.h"

// down the hopping motion: a stick phase vanishes at 0.389569110, where the branch turns sharply
// back as an unstable one: its return map has slopes 0 and 1.2127 there
static void test_corner(void **unused) {
  (void)unused;
  carom_continuation *result = branches_of(motion_load("frictional_impact_oscillator", NULL),
                                           carom_continuation_options_default(), "mu", 0.4098, 0.3);
  const carom_continuation_point *first = labelled(result, CAROM_LABEL_WORD, 0, 0),
                                 *corner = labelled(result, CAROM_LABEL_WORD, 0, 1),
                                 *end = labelled(result, CAROM_LABEL_END, 0, 0);
  CHECK_NEAR(first->value, 0.3979087987, 1e-9); // above, the impact itself ends in stick
  assert_string_equal(first->word, "F I K +");
  CHECK_NEAR(corner->value, 0.389569110, 2e-9);
  assert_string_equal(corner->word, "F I + K +");
  CHECK_NEAR(corner->re, 0.0, 1e-6);
  CHECK_NEAR(labelled(result, CAROM_LABEL_FOLD, 0, 0)->value, corner->value, 0.0);
  const carom_continuation_point *behind = labelled(result, CAROM_LABEL_FOLD, 0, 0) + 1;
  assert_string_equal(behind->word, "F I +");
  CHECK_NEAR(behind->re, 1.2127, 2e-4);
  CHECK_NEAR(end->value, 0.4098, 0.0);
  assert_int_equal(end->kind, CAROM_ORBIT_UNSTABLE);
  double period = end->period;
  carom_continuation_destroy(result);

  // up the slip cycle: it lifts off at 0.409827960 and turns into the same unstable motion
  result = branches_of(motion_load("frictional_impact_oscillator",
                                   (carom_setting[]){{"phi", "0.3878"}, {NULL, NULL}}),
                       carom_continuation_options_default(), "mu", 0.4098, 0.45);
  const carom_continuation_point *lift = labelled(result, CAROM_LABEL_GRAZE, 0, 0);
  CHECK_NEAR(lift->value, 0.409827960, 2e-9);
  assert_string_equal(lift->word, "+");
  end = labelled(result, CAROM_LABEL_END, 0, 0);
  assert_string_equal(end->word, "F I +");
  CHECK_NEAR(end->period, period, 1e-8);
  carom_continuation_destroy(result);
}

// up the hopping motion: slip vanishes at 0.646809, where Painleve's coefficient does
static void test_painleve(void **unused) {
  (void)unused;
  carom_continuation *result = branches_of(motion_load("frictional_impact_oscillator", NULL),
                                           carom_continuation_options_default(), "mu", 0.5, 0.7);
  const carom_continuation_point *change = labelled(result, CAROM_LABEL_WORD, 0, 0);
  // located on the way back from the other side, see test_opening: the forces of a slip that short
  // are 0/0
  CHECK_NEAR(change->value, 0.64680915, 5e-9);
  assert_string_equal(change->word, "F I K +");
  assert_string_equal(labelled(result, CAROM_LABEL_END, 0, 0)->word, "F I K");
  carom_continuation_destroy(result);
}

static carom_continuation *second_set(double to) {
  const carom_setting set[] = {{"m1", "0.4"}, {"kphi", "25"}, {NULL, NULL}};
  return branches_of(motion_load("frictional_impact_oscillator", set),
                     carom_continuation_options_default(), "mu", 0.4, to);
}

// Where the word first changes, by a graze or by a new phase: hops that lift off with no speed land
// too softly at first to be told as impacts.
static double first_change(const carom_continuation *result) {
  for (long k = 0; k < carom_continuation_points(result); k++) {
    const carom_continuation_point *point = carom_continuation_point_at(result, k);
    if (point->label == CAROM_LABEL_GRAZE || point->label == CAROM_LABEL_WORD) return point->value;
  }
  return NAN;
}

// the largest parameter at which the first word has an unstable motion with one impact
static double greatest_unstable(const carom_continuation *result) {
  double most = NAN;
  for (long k = 0; k < carom_continuation_points(result); k++) {
    const carom_continuation_point *point = carom_continuation_point_at(result, k);
    if (point->kind == CAROM_ORBIT_UNSTABLE && strcmp(point->word, "F I") == 0)
      most = fmax(most, point->value);
  }
  return most;
}

// the second set of masses, and the first with restitution, against bisection of runs
static void test_other_sets(void **unused) {
  (void)unused;
  carom_continuation *result = second_set(0.4499);
  CHECK_NEAR(first_change(result), 0.449853770, 2e-9);
  carom_continuation_destroy(result);
  result = second_set(0.34);
  CHECK_NEAR(labelled(result, CAROM_LABEL_WORD, 0, 0)->value, 0.360236979, 2e-9);
  CHECK_NEAR(labelled(result, CAROM_LABEL_HOPF, 0, 0)->value, 0.353092883,
             1e-7); // where the cycle has shrunk
  carom_continuation_destroy(result);
  result = branches_of(
      motion_load("frictional_impact_oscillator", (carom_setting[]){{"e", "0.2"}, {NULL, NULL}}),
      carom_continuation_options_default(), "mu", 0.45, 0.3);
  // an unstable motion meets it there
  CHECK_NEAR(labelled(result, CAROM_LABEL_FOLD, 0, 0)->value, 0.388158, 5e-7);
  assert_true(greatest_unstable(result) > 0.396);
  carom_continuation_destroy(result);
}

// ---- the unstable motion with restitution, by runs alone ----

enum { RETURNS = 60, STATES = 4 };

/// The states at the turns of the arm.
typedef struct returns {
  int count;
  double at[RETURNS][STATES];
} returns;

static int note_return(void *ctx, const carom_event *event) {
  returns *it = ctx;
  if (strcmp(event->name, "turn") != 0) return 0;
  memcpy(it->at[it->count++], event->after, sizeof it->at[0]);
  return it->count == RETURNS;
}

static returns returns_of(const motion *m, double until) {
  returns seen = {0};
  carom_error error = {0};
  carom_observer observer = {.ctx = &seen, .event = note_return};
  MUST(carom_simulation_reset(m->simulation, &error), error);
  carom_simulation_observe(m->simulation, &observer);
  MUST(carom_simulation_advance(m->simulation, until, &error), error);
  carom_simulation_observe(m->simulation, NULL);
  return seen;
}

// does the motion that starts at rest on the belt, at this angle, end bouncing?
static bool ends_bouncing(const motion *m, double angle) {
  set_value(m, "a", angle);
  motion_run(m);
  return value_of(m, "impacts") > 0.0;
}

static double distance(const double *a, const double *b) {
  double square = 0.0;
  for (int i = 0; i < STATES; i++)
    square += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(square);
}

// Starts at rest on the belt end sliding or bouncing, and the start between them is bisected to the
// last digit: its motion comes to the unstable one and stays there while rounding grows by its
// multiplier in each turn. Nothing of continuation is in it: no derivative, no Newton.
static void test_edge_between_attractors(void **unused) {
  (void)unused;
  carom_continuation *result = branches_of(
      motion_load("frictional_impact_oscillator", (carom_setting[]){{"e", "0.2"}, {NULL, NULL}}),
      carom_continuation_options_default(), "mu", 0.45, 0.385);
  const carom_continuation_point *unstable = NULL;
  for (long k = 0; k < carom_continuation_points(result) && !unstable; k++) {
    const carom_continuation_point *p = carom_continuation_point_at(result, k);
    if (p->kind == CAROM_ORBIT_UNSTABLE && p->value > 0.3895) unstable = p;
  }
  assert_non_null(unstable);
  assert_true(unstable->value < 0.3919 && unstable->re > 1.5);
  assert_string_equal(unstable->word, "F I");

  // the state of the branch, run on to the turn of the arm
  motion on = motion_load("frictional_impact_oscillator",
                          (carom_setting[]){{"e", "0.2"}, {"run.rtol", "1e-13"}, {NULL, NULL}});
  static const char *const names[STATES] = {"y", "phi", "y'", "phi'"};
  set_value(&on, "mu", unstable->value);
  for (int i = 0; i < STATES; i++)
    (void)carom_simulation_set(on.simulation, names[i], unstable->state[i], NULL);
  returns branch = returns_of(&on, 0.2);
  assert_int_equal(branch.count, 1);
  motion_end(&on);

  motion m =
      motion_load("frictional_impact_oscillator_return", (carom_setting[]){{"e", "0.2"},
                                                                           {"run.until", "20"},
                                                                           {"run.rtol", "1e-13"},
                                                                           {"measure.after", "18"},
                                                                           {NULL, NULL}});
  set_value(&m, "mu", unstable->value);
  double bounces = 0.33, slides = 0.35;
  assert_true(ends_bouncing(&m, bounces) && !ends_bouncing(&m, slides));
  for (double middle; middle = 0.5 * (bounces + slides), middle != bounces && middle != slides;)
    *(ends_bouncing(&m, middle) ? &bounces : &slides) = middle;
  set_value(&m, "a", slides);
  returns edge = returns_of(&m, 8.0);
  int nearest = 0;
  for (int k = 1; k + 1 < edge.count; k++)
    if (distance(edge.at[k], edge.at[k + 1]) < distance(edge.at[nearest], edge.at[nearest + 1]))
      nearest = k;
  for (int i = 0; i < STATES; i++)
    CHECK_NEAR(edge.at[nearest][i], branch.at[0][i], 1e-9);
  // and it is left by its multiplier in each turn
  const double *far = edge.at[nearest + 8], *further = edge.at[nearest + 9];
  CHECK_NEAR(distance(further, branch.at[0]) / distance(far, branch.at[0]), unstable->re, 1e-3);
  motion_end(&m);
  carom_continuation_destroy(result);
}

// The drift of the dimer through its change of sign: at 4.9734369 the slip that ends forward sticks
// for once, and the motion jumps from a slow drift forward to one backward fifty times faster
static void test_sign_of_drift(void **unused) {
  (void)unused;
  carom_continuation *result =
      branches_of(motion_load("dimer", (carom_setting[]){{"settle", "60"}, {NULL, NULL}}),
                  carom_continuation_options_default(), "Ar", 4.95, 4.9745);
  const carom_continuation_point *jump = labelled(result, CAROM_LABEL_JUMP, 0, 0),
                                 *end = labelled(result, CAROM_LABEL_END, 0, 0);
  CHECK_NEAR(jump->value, 4.973437, 1e-5);
  assert_string_equal(jump->word, "(F I(left))... left:+ left:- I(left,right)");
  assert_string_equal(end->word, "(F I(left))... left:+ left:K left:- I(left,right)");
  assert_true(jump->shift[0] > 0.0 && end->shift[0] < -40.0 * jump->shift[0]);
  CHECK_NEAR(end->value, 4.9745, 1e-4);
  // where it jumps to is where a run leads
  char at[40];
  (void)snprintf(at, sizeof at, "%.17g", end->value);
  motion m = motion_load(
      "dimer",
      (carom_setting[]){
          {"Ar", at}, {"run.chatter", "ratio"}, {"settle", "100"}, {"cycles", "10"}, {NULL, NULL}});
  motion_run(&m);
  CHECK_NEAR(end->shift[0] / end->period / value_of(&m, "drift"), 1.0, 1e-5);
  motion_end(&m);
  carom_continuation_destroy(result);
}

// Upwards in Gamma the drift loses its stability at a flip, past the change from landing while the
// other tip rests to landing while it flies
static void test_upper_end_of_drift(void **unused) {
  (void)unused;
  const carom_setting settle[] = {{"settle", "60"}, {NULL, NULL}};
  carom_continuation *result = branches_of(
      motion_load("dimer", settle), carom_continuation_options_default(), "Gamma", 0.9, 1.28);
  const carom_continuation_point *flip = labelled(result, CAROM_LABEL_FLIP, 0, 0),
                                 *landing = labelled(result, CAROM_LABEL_WORD, 0, 1);
  assert_string_equal(landing->word, "(F I(left))... left:- I(left,right)");
  assert_string_equal(flip->word, "(F I(left))... left:- F I(right)");
  CHECK_NEAR(flip->re, -1.0, 1e-6);
  assert_true(landing->value < flip->value);
  for (long k = 0; k < carom_continuation_points(result); k++) {
    const carom_continuation_point *p = carom_continuation_point_at(result, k);
    if (p->label == CAROM_LABEL_NONE)
      assert_int_equal(p->kind, p->value < flip->value ? CAROM_ORBIT_STABLE : CAROM_ORBIT_UNSTABLE);
  }
  carom_continuation_destroy(result);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_corner),
      cmocka_unit_test(test_painleve),
      cmocka_unit_test(test_edge_between_attractors),
      cmocka_unit_test(test_other_sets),
      cmocka_unit_test(test_sign_of_drift),
      cmocka_unit_test(test_upper_end_of_drift),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
