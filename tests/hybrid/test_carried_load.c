// SPDX-License-Identifier: MIT
// Friction whose load is the normal force of another contact: resistance against rolling and
// pivoting against closed forms; and, with the slip of that contact itself, the motion of Coulomb
// friction, wherever friction changes the force it is proportional to.
#include "flow_difference.h"

static event_log events, others;

static const char BALL[] =
    "parameters: {R: 0.1, g: 9.81, al: 0, mu: 0.6, lr: 0.002, lp: 0.001, v: 1, turned: 0, w: 20}\n"
    "coordinates:\n"
    "  x: {start: 0, rate: v}\n"
    "  y: 0\n"
    "  z: R\n"
    "  a: 0\n"
    "  b: {start: 0, rate: v/R}\n"
    "  c: {start: 0, rate: w}\n"
    "energy:\n"
    "  kinetic: (x'^2 + y'^2 + z'^2)/2 + R^2/5*(a'^2 + b'^2 + c'^2)\n"
    "  potential: g*(z*cos(al) - x*sin(al))\n"
    "contacts:\n"
    "  floor: {gap: z - R, slip: [x' - R*b', y' + R*a'], friction: mu}\n"
    "  rolling:\n"
    "    normal: floor.normal\n"
    "    slip: [cos(turned)*a' + sin(turned)*b', cos(turned)*b' - sin(turned)*a']\n"
    "    friction: lr\n"
    "  pivoting: {normal: floor.normal, slip: c', friction: lp}\n"
    "run: {until: 12, rtol: 1e-11}\n";

// On the level it stops after v/a with a = 5/7 g lr/R, pivoting after 2/5 R^2 w/(lp g); on a slope
// it is held where tan(al) < lr/R, and else rolls with 5/7 g (sin(al) - lr/R cos(al)).
static void ball(void **state) {
  (void)state;
  const double R = 0.1, g = 9.81, lr = 0.002, lp = 0.001, turned[] = {0.0, 0.7, 2.0};
  motion m = motion_parse(BALL);
  for (int k = 0; k < 3; k++) {
    double al = 0.01 * k, down = 5.0 / 7.0 * g * (sin(al) - lr / R * cos(al));
    set_value(&m, "al", al);
    set_value(&m, "turned", turned[k]);
    motion_log(&m, &events);
    motion_advance(&m, 60.0);
    if (k < 2) {
      CHECK_RELATIVE(find_logged(&events, CAROM_EVENT_STICK, "rolling", 0)->t, -1.0 / down, 1e-9);
      CHECK_RELATIVE(value_of(&m, "x"), 0.5 / -down, 1e-9);
      CHECK_NEAR(value_of(&m, "x'"), 0.0, 1e-13);
    }
    CHECK_RELATIVE(find_logged(&events, CAROM_EVENT_STICK, "pivoting", 0)->t,
                   0.4 * R * R * 20.0 / (lp * g * cos(al)), 1e-9);
    CHECK_NEAR(value_of(&m, "y"), 0.0, 1e-10);
    CHECK(certificate_of(&m).passed);
  }
  // from rest, on both sides of the limit
  const double steeper[] = {0.99, 1.01};
  set_value(&m, "v", 0.0);
  for (int k = 0; k < 2; k++) {
    double al = atan(steeper[k] * lr / R), a = 5.0 / 7.0 * g * (sin(al) - lr / R * cos(al));
    set_value(&m, "al", al);
    motion_advance(&m, 3.0);
    CHECK_NEAR(value_of(&m, "x"), k == 0 ? 0.0 : 4.5 * a, 1e-11);
  }
  // not by the floor's friction alone: its slip is no spin
  set_value(&m, "lr", 0.0);
  motion_advance(&m, 3.0);
  CHECK_RELATIVE(value_of(&m, "x"), 4.5 * 5.0 / 7.0 * g * sin(atan(1.01 * lr / R)), 1e-9);
  motion_end(&m);
}

static motion rod(const char *own_slip, const char *own_law, const char *other) {
  char text[1200];
  (void)snprintf(
      text, sizeof text,
      "define: {height: z - cos(h) - 0.05*sin(2*t)}\n"
      "coordinates: {x: {start: 0, rate: 0.4}, y: 0, z: {start: cos(0.4), rate: 0.1}, h: 0.4}\n"
      "energy:\n"
      "  kinetic: (x'^2 + y'^2 + z'^2)/2 + h'^2/6\n"
      "  potential: 9.81*z + 5*(x^2 + y^2) + 6*(h - 0.4)^2\n"
      "contacts:\n  end: {gap: height%s%s}\n%s"
      "run: {until: 12, rtol: 1e-12, atol: 1e-13}\n",
      own_slip, own_law, other);
  return motion_parse(text);
}

// A rod whose end slides: friction changes its normal force. Its own friction, or one that is
// carried by it: the same motion, with the floor moving up and down, mu_s > mu, mu of the slip.
static void as_its_own(void **state) {
  (void)state;
  static const char *const slips[] = {", slip: x' + cos(h)*h' - 0.8*sin(t)",
                                      ", slip: [x' + cos(h)*h' - 0.8*sin(t), y' - 0.7*cos(1.3*t)]"};
  static const char law[] = ", friction: {stick: 0.5, slip: 0.4/(1 + abs(slip))}";
  for (int space = 0; space < 2; space++) {
    char other[300];
    (void)snprintf(other, sizeof other, "  rub: {normal: end.normal%s%s}\n", slips[space], law);
    motion m[2] = {rod(slips[space], law, ""), rod("", "", other)};
    for (int k = 0; k < 2; k++) {
      motion_log(&m[k], k ? &others : &events);
      motion_run(&m[k]);
      CHECK(certificate_of(&m[k]).passed);
    }
    int sticks = count_logged(&events, CAROM_EVENT_STICK, NULL);
    CHECK(sticks > 2);
    for (int k = 0; k < sticks; k++)
      CHECK_NEAR(find_logged(&events, CAROM_EVENT_STICK, "end", k)->t,
                 find_logged(&others, CAROM_EVENT_STICK, "rub", k)->t, 1e-8);
    CHECK_NEAR(value_of(&m[0], "x"), value_of(&m[1], "x"), 1e-9);
    CHECK_NEAR(value_of(&m[0], "h"), value_of(&m[1], "h"), 1e-9);
    CHECK_RELATIVE(certificate_of(&m[0]).energy.lost_friction,
                   certificate_of(&m[1]).energy.lost_friction, 1e-8);
    for (int k = 0; k < 2; k++)
      motion_end(&m[k]);
  }
}

// it comes and goes with the contact that presses it; in flight and in impacts it does nothing
static void with_its_contact(void **state) {
  (void)state;
  motion m = motion_parse(BALL);
  const double g = 9.81;
  set_value(&m, "z", 0.1 + 0.5 * g * 0.09);
  set_value(&m, "v", 0.0);
  motion_log(&m, &events);
  motion_advance(&m, 0.299);
  CHECK_SAME(value_of(&m, "c'"), 20.0);
  motion_advance(&m, 0.8);
  static const char *const names[] = {"floor", "rolling", "pivoting"};
  for (int k = 0; k < 3; k++)
    CHECK_NEAR(find_logged(&events, CAROM_EVENT_CLOSE, names[k], 0)->t, 0.3, 1e-9);
  CHECK_RELATIVE(value_of(&m, "c'"), 20.0 - 0.001 * g / (0.4 * 0.01) * 0.5, 1e-9);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
  // a floor that drops away, and is met again
  m = motion_parse("coordinates: {z: {start: 0, rate: 1}, x: {start: 0, rate: 5}}\n"
                   "energy: {kinetic: (z'^2 + x'^2)/2, potential: 10*z}\n"
                   "contacts:\n"
                   "  floor: {gap: z - sin(t), impact: 0}\n"
                   "  pad: {normal: floor.normal, slip: x', friction: 0.1}\n"
                   "events: {tilt: {when: t > 1, do: {x': x' + 1}}}\n"
                   "run: {until: 2, rtol: 1e-11}\n");
  motion_run(&m); // N = 10 - sin(t), but at t = 0 and 1
  CHECK_NEAR(value_of(&m, "x'"), 6.0 - 0.1 * (20.0 + cos(2.0) - 1.0), 1e-9);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// a shaft between two jaws: the moment is by the sum of what they press
static void two_jaws(void **state) {
  (void)state;
  motion m =
      motion_parse("coordinates: {z: 0, c: {start: 0, rate: 10}}\n"
                   "energy: {kinetic: z'^2/2 + 0.1*c'^2/2, potential: 10*z}\n"
                   "forces: {z: 30*sin(3*t)}\n"
                   "contacts:\n"
                   "  lower: {gap: z}\n"
                   "  upper: {gap: -z}\n"
                   "  shaft: {normal: lower.normal + upper.normal, slip: c', friction: 0.01}\n"
                   "run: {until: 0.9, rtol: 1e-11}\n");
  motion_run(&m);
  // |10 - 30 sin(3 t)| over the time, piece by piece
  double s = asin(1.0 / 3.0) / 3.0, e = PI / 3.0 - s, all = 0.0, from = 0.0, end = 0.9;
  const double ends[] = {s, e < end ? e : end, end};
  for (int k = 0; k < 3; k++) {
    double value = 10.0 * (ends[k] - from) + 10.0 * (cos(3.0 * ends[k]) - cos(3.0 * from));
    all += fabs(value);
    from = ends[k];
  }
  CHECK_RELATIVE(value_of(&m, "c'"), 10.0 - 0.1 * all, 1e-9);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

static void derivatives(void **state) {
  (void)state;
  motion m = motion_parse(BALL);
  set_value(&m, "al", 0.6);
  set_value(&m, "mu", 0.1);
  set_value(&m, "v", 0.5);
  set_value(&m, "a'", 3.0);
  set_value(&m, "b'", 1.0);
  CHECK_NEAR(worst_error(&m, 0.0, 0.4, 1e-4, 0.0), 0.0, 1e-8);
  motion_end(&m);
}

static void between_bodies(void **state) {
  (void)state;
  motion m =
      motion_parse("gravity: 9.81\n"
                   "bodies:\n"
                   "  ball: {sphere: 0.1, mass: 1, at: [0, 0, 0.1], velocity: [1, 0.5, 0], "
                   "spin: [-5, 10, 20]}\n"
                   "  table: {plane: [0, 0, 1]}\n"
                   "contacts: {floor: {between: [ball, table], friction: 0.3, rolling: 0.002, "
                   "pivoting: {slip: 0.001, stick: 0.0015}}}\n"
                   "run: {until: 12, rtol: 1e-11}\n"
                   "observe: {way: 'hypot(ball.x, ball.y)', spin: ball.wz}\n");
  motion_log(&m, &events);
  motion_run(&m);
  CHECK_RELATIVE(value_of(&m, "way"), 7.0 * 0.1 * 1.25 / (10.0 * 0.002 * 9.81), 1e-9);
  CHECK_NEAR(value_of(&m, "spin"), 0.0, 1e-12);
  CHECK_RELATIVE(find_logged(&events, CAROM_EVENT_STICK, "floor_pivoting", 0)->t,
                 0.4 * 0.01 * 20.0 / (0.001 * 9.81), 1e-9);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
  // a wheel in the plane
  m = motion_parse("gravity: 10\n"
                   "bodies:\n"
                   "  wheel: {disc: 0.5, mass: 2, at: [0, 0.5], velocity: [1, 0], spin: -2}\n"
                   "  road: {plane: [0, 1]}\n"
                   "contacts: {tyre: {between: [wheel, road], friction: 0.5, rolling: 0.01}}\n"
                   "run: {until: 20, rtol: 1e-11}\n");
  motion_run(&m);
  CHECK_RELATIVE(value_of(&m, "wheel.x"), 0.5 / (10.0 * 0.01 / 0.5 / 1.5), 1e-9);
  motion_end(&m);
}

static void refused(const char *contacts, const char *words) {
  char text[600];
  (void)snprintf(text, sizeof text,
                 "coordinates: {z: 0, x: 0}\nenergy: {kinetic: z'^2 + x'^2, potential: z}\n"
                 "contacts:\n%srun: {until: 1}\n",
                 contacts);
  carom_model *model = NULL;
  carom_error error = {0};
  CHECK(carom_model_parse(text, NULL, 0, NULL, &model, &error) < 0);
  if (!strstr(error.text, words)) print_error("%s\n", error.text);
  CHECK(strstr(error.text, words) != NULL);
  carom_model_destroy(model);
}

static void what_it_cannot_be(void **state) {
  (void)state;
  refused("  f: {gap: z, slip: x', friction: 1}\n"
          "  r: {normal: f.normal + 1, slip: x', friction: 1}\n",
          "or the sum of several");
  refused("  f: {gap: z, slip: x', friction: 1}\n"
          "  r: {normal: 2*f.normal, slip: x', friction: 1}\n",
          "or the sum of several");
  refused("  f: {gap: z, slip: x', friction: 1}\n"
          "  r: {normal: f.tangential, slip: x', friction: 1}\n",
          "or the sum of several");
  refused("  r: {normal: f.normal, slip: x', friction: 1}\n"
          "  f: {gap: z, slip: x', friction: 1}\n",
          "stands below");
  refused("  f: {gap: z}\n"
          "  r: {normal: f.normal, slip: x', friction: 1, when: z > 1}\n",
          "'when' belongs");
  refused("  f: {gap: z, slip: x', friction: 1, rolling: 1}\n", "between bodies");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(ball),
                                     cmocka_unit_test(as_its_own),
                                     cmocka_unit_test(with_its_contact),
                                     cmocka_unit_test(two_jaws),
                                     cmocka_unit_test(derivatives),
                                     cmocka_unit_test(between_bodies),
                                     cmocka_unit_test(what_it_cannot_be)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
