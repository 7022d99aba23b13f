// SPDX-License-Identifier: MIT
// Friction in an ellipse, by maximal dissipation: slides with closed forms, the direction of the
// force, stick and its end, impacts of a ball by every law, and names of the tangents that may not
// matter.
#include "motion.h"

static event_log events;

static const double G = 9.81;

#define BLOCK(SLIP, FRICTION)                                                                      \
  "title: block on grooves\n"                                                                      \
  "parameters: {g: 9.81, slope: 0, turn: 0, mu: 0.3, mus: 0.3, k: 0.5, vx: 1, vy: 1.2, up: 0}\n"   \
  "coordinates: {x: {start: 0, rate: vx}, y: {start: 0, rate: vy}, z: 0}\n"                        \
  "define: {tilt: slope + up*t}\n"                                                                 \
  "energy:\n"                                                                                      \
  "  kinetic: (x'^2 + y'^2 + z'^2)/2\n"                                                            \
  "  potential: g*(z*cos(tilt) - (x*cos(turn) + y*sin(turn))*sin(tilt))\n"                         \
  "contacts: {floor: {gap: z, slip: " SLIP ", friction: " FRICTION "}}\n"                          \
  "run: {until: 5, rtol: 1e-11, atol: 1e-13}\n"                                                    \
  "observe: {T1: floor.tangential1, T2: floor.tangential2, T: floor.tangential, s: floor.slip}\n"

static const char GROOVES[] = BLOCK("[x', y']", "{slip: mu, stick: mus, across: k}");
// the same with the names of the tangents exchanged, and turned by half a turn
static const char SWAPPED[] = BLOCK("[-y', x']", "{slip: mu*k, stick: mus*k, across: 1/k}");

static motion with(const char *text, double k, double vx, double vy) {
  motion m = motion_parse(text);
  set_value(&m, "k", k);
  set_value(&m, "vx", vx);
  set_value(&m, "vy", vy);
  return m;
}

// along an axis it is friction along a line
static void along_axes(void **state) {
  (void)state;
  motion m = with(GROOVES, 0.4, 1.5, 0.0);
  motion_log(&m, &events);
  motion_advance(&m, 3.0);
  CHECK_RELATIVE(find_logged(&events, CAROM_EVENT_STICK, "floor", 0)->t, 1.5 / (0.3 * G), 1e-11);
  CHECK_RELATIVE(value_of(&m, "x"), 1.5 * 1.5 / (2.0 * 0.3 * G), 1e-11);
  motion_end(&m);
  m = with(GROOVES, 0.4, 0.0, -1.5);
  motion_log(&m, &events);
  motion_advance(&m, 3.0);
  CHECK_RELATIVE(find_logged(&events, CAROM_EVENT_STICK, "floor", 0)->t, 1.5 / (0.12 * G), 1e-11);
  CHECK_RELATIVE(value_of(&m, "y"), -1.5 * 1.5 / (2.0 * 0.12 * G), 1e-11);
  motion_end(&m);
}

/// With s1' = -mu g s1/r, s2' = -mu g k^2 s2/r, r = |(s1, k s2)|: s2 = c s1^(k^2), and with
/// s1 = v1 e^-w time and path are integrals over w.
typedef struct slide {
  double t, x, y;
} slide;

static slide slide_of(double k, double v1, double v2) {
  enum { STEPS = 400000 };
  double last = 40.0 / fmin(1.0, k * k), h = last / STEPS;
  slide sum = {0};
  for (int i = 0; i <= STEPS; i++) {
    double w = h * i, s1 = v1 * exp(-w), s2 = v2 * exp(-k * k * w);
    double part = (i == 0 || i == STEPS ? 1.0 : i % 2 ? 4.0 : 2.0) * h / 3.0;
    double dt = part * hypot(s1, k * s2) / (0.3 * G);
    sum.t += dt;
    sum.x += s1 * dt;
    sum.y += s2 * dt;
  }
  return sum;
}

static void slides_and_stops(void **state) {
  (void)state;
  const double k[] = {0.3, 0.7, 1.6};
  for (int n = 0; n < 3; n++) {
    slide by_hand = slide_of(k[n], 1.0, 1.2);
    motion m = with(GROOVES, k[n], 1.0, 1.2), other = with(SWAPPED, k[n], 1.0, 1.2);
    motion_log(&m, &events);
    motion_advance(&m, 0.1);
    // against the normal of the ellipse at the force
    double s1 = value_of(&m, "x'"), s2 = value_of(&m, "y'"), r = hypot(s1, k[n] * s2);
    CHECK_NEAR(s2, 1.2 * pow(s1, k[n] * k[n]), 1e-10);
    CHECK_NEAR(value_of(&m, "T1"), -0.3 * G * s1 / r, 1e-10);
    CHECK_NEAR(value_of(&m, "T2"), -0.3 * G * k[n] * k[n] * s2 / r, 1e-10);
    CHECK_NEAR(value_of(&m, "T"), hypot(value_of(&m, "T1"), value_of(&m, "T2")), 1e-12);
    CHECK_NEAR(value_of(&m, "s"), hypot(s1, s2), 1e-12);
    motion_advance(&m, 5.0);
    motion_advance(&other, 5.0);
    CHECK_RELATIVE(find_logged(&events, CAROM_EVENT_STICK, "floor", 0)->t, by_hand.t, 1e-10);
    CHECK_NEAR(value_of(&m, "x"), by_hand.x, 1e-10);
    CHECK_NEAR(value_of(&m, "y"), by_hand.y, 1e-10);
    CHECK_NEAR(value_of(&other, "x"), by_hand.x, 1e-10);
    CHECK_NEAR(value_of(&other, "y"), by_hand.y, 1e-10);
    CHECK(certificate_of(&m).passed);
    CHECK_NEAR(certificate_of(&m).energy.lost_friction, 0.5 * (1.0 + 1.44), 1e-9);
    motion_end(&m);
    motion_end(&other);
  }
}

// On a slope that is tilted more and more stick ends where its force leaves the ellipse, and slip
// sets off along d with a - mu N D^2 d/|D d| = kappa d.
static void sets_off(void **state) {
  (void)state;
  const double k = 0.5, turn = 0.7, mus = 0.35;
  static const char *const TEXT[] = {GROOVES, SWAPPED};
  for (int n = 0; n < 2; n++) {
    motion m = with(TEXT[n], k, 0.0, 0.0);
    set_value(&m, "turn", turn);
    set_value(&m, "mus", mus);
    set_value(&m, "up", 0.02);
    motion_log(&m, &events);
    double ends = atan(mus / hypot(cos(turn), sin(turn) / k));
    motion_advance(&m, ends / 0.02 + 1e-4);
    CHECK_RELATIVE(find_logged(&events, CAROM_EVENT_SLIP, "floor", 0)->t, ends / 0.02, 1e-10);
    double a[2] = {G * sin(ends) * cos(turn), G * sin(ends) * sin(turn)}, N = G * cos(ends);
    double lo = 0.0, hi = 1.57;
    for (int round = 0; round < 60; round++) {
      double at = 0.5 * (lo + hi), d[2] = {cos(at), sin(at)}, r = hypot(d[0], k * d[1]);
      double f[2] = {a[0] - 0.3 * N * d[0] / r, a[1] - 0.3 * N * k * k * d[1] / r};
      *(d[0] * f[1] - d[1] * f[0] > 0.0 ? &lo : &hi) = at;
    }
    CHECK_NEAR(atan2(value_of(&m, "y'"), value_of(&m, "x'")), lo, 1e-4);
    CHECK(fabs(lo - turn) > 0.1);
    motion_advance(&m, 20.0);
    CHECK(certificate_of(&m).passed);
    motion_end(&m);
  }
}

#define BALL(LAW)                                                                                  \
  "title: ball on grooves\n"                                                                       \
  "parameters: {R: 0.1, mu: 0.1, k: 0.6, e: 0.7, vx: 1, vy: 2, wx: 3, wy: -4}\n"                   \
  "coordinates:\n"                                                                                 \
  "  x: {start: 0, rate: vx}\n"                                                                    \
  "  y: {start: 0, rate: vy}\n"                                                                    \
  "  z: {start: 1, rate: -2}\n"                                                                    \
  "  a: {start: 0, rate: wx}\n"                                                                    \
  "  b: {start: 0, rate: wy}\n"                                                                    \
  "energy: {kinetic: (x'^2 + y'^2 + z'^2)/2 + R^2/5*(a'^2 + b'^2)}\n"                              \
  "contacts:\n"                                                                                    \
  "  floor:\n"                                                                                     \
  "    gap: z - R\n"                                                                               \
  "    slip: [x' - R*b', y' + R*a']\n"                                                             \
  "    friction: {slip: mu, across: k}\n"                                                          \
  "    impact: {law: " LAW ", e: e}\n"                                                             \
  "run: {until: 2, rtol: 1e-11}\n"

// s+ = s - (7/2) mu P D^2 s+/|D s+|: each component follows from r = |D s+|, which is looked for
static void brake(double mu, double k, double P, double s[2]) {
  double lo = 0.0, hi = hypot(s[0], k * s[1]), c = 3.5 * mu * P;
  for (int round = 0; round < 100; round++) {
    double r = 0.5 * (lo + hi);
    *(hypot(s[0] / (r + c), k * s[1] / (r + c * k * k)) > 1.0 ? &lo : &hi) = r;
  }
  s[0] *= lo / (lo + c);
  s[1] *= lo / (lo + c * k * k);
}

// By the energetic law the slip of a ball goes along s2 = c s1^(k^2), and P = 2/(7 mu) times the
// integral of |(s1, k s2)|/s1 ds1. Newton's and Poisson's laws take the friction of the slip after
// the impact or each of its phases.
static void ball_strikes(void **state) {
  (void)state;
  static const char *const TEXT[] = {BALL("newton"), BALL("poisson"), BALL("energetic")};
  const double mu = 0.1, k = 0.6, P = 1.7 * 2.0, before[2] = {1.0 + 0.4, 2.0 + 0.3};
  for (int n = 0; n < 3; n++) {
    motion m = motion_parse(TEXT[n]);
    motion_advance(&m, 1.0);
    double after[2] = {value_of(&m, "x'") - 0.1 * value_of(&m, "b'"),
                       value_of(&m, "y'") + 0.1 * value_of(&m, "a'")};
    CHECK_RELATIVE(value_of(&m, "z'"), 1.4, 1e-12);
    CHECK(certificate_of(&m).passed && certificate_of(&m).counts.impacts == 1);
    if (n == 2) {
      double sum = 0.0, whole = log(before[0] / after[0]);
      CHECK_RELATIVE(after[1], before[1] * pow(after[0] / before[0], k * k), 1e-12);
      for (int i = 0; i <= 2000; i++) {
        double w = whole * i / 2000.0;
        double r = hypot(before[0] * exp(-w), k * before[1] * exp(-k * k * w));
        sum += (i == 0 || i == 2000 ? 1.0 : i % 2 ? 4.0 : 2.0) * whole / 6000.0 * r;
      }
      CHECK_RELATIVE(2.0 / (7.0 * mu) * sum, P, 1e-11);
    } else {
      double braked[2] = {before[0], before[1]};
      brake(mu, k, n == 0 ? P : 2.0, braked);
      if (n == 1) brake(mu, k, 1.4, braked);
      CHECK_NEAR(after[0], braked[0], 1e-11);
      CHECK_NEAR(after[1], braked[1], 1e-11);
    }
    // friction enough to hold it
    set_value(&m, "mu", 2.0);
    motion_advance(&m, 1.0);
    CHECK_NEAR(value_of(&m, "x'") - 0.1 * value_of(&m, "b'"), 0.0, 1e-12);
    CHECK_NEAR(value_of(&m, "x'"), (5.0 * 1.0 - 2.0 * 0.4) / 7.0, 1e-12);
    CHECK(certificate_of(&m).passed);
    motion_end(&m);
  }
}

static void refusals(void **state) {
  (void)state;
  static const char *const TEXT[] = {BLOCK("x'", "{slip: mu, across: k}"),
                                     BLOCK("[x', y']", "{slip: mu, across: -1}"),
                                     BLOCK("[x', y']", "{slip: mu, across: 1 + x'^2}")};
  static const char *const SAYS[] = {"slide in space", "positive", "depend on speeds"};
  for (int n = 0; n < 3; n++) {
    carom_model *model = NULL;
    carom_error error = {0};
    CHECK(carom_model_parse(TEXT[n], NULL, 0, NULL, &model, &error) < 0);
    char text[1500];
    CHECK(strstr(carom_error_format(&error, text, sizeof text), SAYS[n]) != NULL);
    carom_model_destroy(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(along_axes), cmocka_unit_test(slides_and_stops),
      cmocka_unit_test(sets_off),   cmocka_unit_test(ball_strikes),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
