// SPDX-License-Identifier: MIT
// The energy ledger: where fields are conservative the energy stays to 1e-12, of rigid and soft
// bodies in the plane and in space; where they are not, everything a field gives or takes is in it.
#include "field_motion_help.h"

#include <string.h>

// tumbling over a floor that repels, and one that adheres too
static void conservative_motions(void **state) {
  (void)state;
  static const char *const bodies[][2] = {
      {"square: 1", "start: {gap: 0.3, angle: 0.4, rate: 3, velocity: [0.5, 0]}"},
      {"disc: 0.5, density: {value: 1000, gradient: [500, 0]}",
       "start: {gap: 0.3, rate: 3, velocity: [0.5, 0]}"},
      {"cube: 1", "start: {gap: 0.3, tilt: 0.4, angular: [2, 1, 3]}"},
      {"sphere: 0.5, density: {value: 1000, gradient: [500, 0, 200]}",
       "start: {gap: 0.3, angular: [2, 1, 3]}"},
      {"square: 1, soft: {c10: 6e4, c01: 1e4}", "start: {gap: 0.2, angle: 0.4, rate: 1}"},
      {"disc: 0.5, density: 4000, soft: {c10: 6e4}", "start: {gap: 0.1, rate: 1}"},
      {"cube: 1, soft: {c10: 6e4, c01: 2e4}", "start: {gap: 0.2, tilt: 0.4, angular: [1, 0, 1]}"}};
  for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++)
    for (int adhere = 0; adhere < 2; adhere++) {
      char text[1024];
      bool soft = k > 3;
      double until = soft ? 0.6 : 5.0;
      (void)snprintf(text, sizeof text,
                     "engine: field\nbody: {%s}\nfields:\n  repulsion: {exponent: 8, rest: 0.02}\n"
                     "%s%s\nrun: {until: %g, rtol: 3e-14, atol: 1e-15}\n",
                     bodies[k][0], adhere ? "  adhesion: {strength: 3, length: 0.02}\n" : "",
                     bodies[k][1], until);
      motion it = motion_text(text);
      CHECK(carom_model_conservative(it.model));
      motion_run(&it, until);
      carom_certificate c = motion_certificate(&it);
      if (!(fabs(c.energy.residual_relative) <= 1e-12))
        print_error("%s: %g\n", bodies[k][0], c.energy.residual_relative);
      CHECK(fabs(c.energy.residual_relative) <= 1e-12);
      CHECK(c.energy.lost_dampers == 0.0 && c.energy.lost_friction == 0.0 &&
            c.energy.work_forces == 0.0);
      motion_end(&it);
    }
}

// every kind of field at once, on a floor that moves under a body whose mass changes
static void everything_is_told(void **state) {
  (void)state;
  static const char *const bodies[] = {
      "square: 1", "disc: 0.5", "square: 1, density: 4000, soft: {c10: 6e4, viscosity: 500}"};
  for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++) {
    char text[1024];
    (void)snprintf(text, sizeof text,
                   "engine: field\nbody: {%s%s}\n"
                   "supports: {floor: {shift: ['0.1*sin(5*t)', '0.02*sin(20*t)']}}\nfields:\n"
                   "  repulsion: {rest: 0.02}\n  adhesion: {strength: 0.5, length: 0.02}\n"
                   "  damping: {exponent: 2, coefficient: 1}\n"
                   "  friction: {exponent: 2, coefficient: 20}\n"
                   "  wind: {law: own, tangential: -30*exp(-d), normal: 100*exp(-10*d)}\n"
                   "start: {gap: 0.05, velocity: [0.5, 0]}\nrun: {until: 0.5, rtol: 1e-11}\n",
                   bodies[k], k < 2 ? ", mass_factor: 1 + 0.3*t" : "");
    motion it = motion_text(text);
    CHECK(!carom_model_conservative(it.model));
    motion_run(&it, 0.5);
    carom_certificate c = motion_certificate(&it);
    CHECK(c.energy.lost_dampers > 0.01 && c.energy.lost_friction > 0.01);
    CHECK(c.energy.work_forces != 0.0 && c.energy.work_drives != 0.0);
    if (!(fabs(c.energy.residual_relative) <= 1e-9))
      print_error("%s: %g\n", bodies[k], c.energy.residual_relative);
    CHECK(fabs(c.energy.residual_relative) <= 1e-9);
    motion_end(&it);
  }
}

// ---- every field by its name

static double work_of(const carom_certificate *c, const char *name) {
  for (int k = 0; k < c->energy.work_count; k++)
    if (strcmp(c->energy.works[k].name, name) == 0) return c->energy.works[k].done;
  print_error("the ledger has no '%s'\n", name);
  return NAN;
}

static double all_works(const carom_certificate *c) {
  double sum = c->energy.work_events;
  for (int k = 0; k < c->energy.work_count; k++)
    sum += c->energy.works[k].done;
  return sum;
}

// A cube far above the floor slides in two frictions of exponent 0 and falls in a damping of
// exponent 0. With f = a A and r = f/m every velocity dies as e^-rt, the fall as
// w = (1 - e^-rt) g/r; a friction on one face takes a sixth of one on all.
static void works_in_closed_form(void **state) {
  (void)state;
  motion it = motion_text("engine: field\nbody: {cube: 1, density: 1000}\nfields:\n"
                          "  drag: {law: friction, exponent: 0, coefficient: 20}\n"
                          "  sole: {law: friction, exponent: 0, coefficient: 60, faces: [bottom]}\n"
                          "  brake: {law: damping, exponent: 0, coefficient: 50}\n"
                          "start: {position: [0, 0, 50], velocity: [3, 0, 0]}\n"
                          "run: {until: 2, rtol: 1e-12}\n");
  motion_run(&it, 2.0);
  carom_certificate c = motion_certificate(&it);
  // the sole's force does not pass through the centre: sliding turns the cube, so only the sum of
  // both frictions with what turning holds is closed. Fields that only fall are exact.
  double r = 50.0 * 6.0 / 1000.0, t = 2.0, e = exp(-r * t), g = 9.81;
  double fallen = g / r * (t - (1.0 - e) / r), speed = g / r * (1.0 - e);
  CHECK(c.energy.work_count == 4);
  if (fabs(motion_get(&it, "turn_y")) < 1e-3) fail_msg("the sole does not turn the cube");
  CHECK_NEAR(work_of(&c, "work_gravity") / (1000.0 * g * (50.0 - motion_get(&it, "z"))), 1.0,
             1e-12);
  CHECK_NEAR(all_works(&c) - (c.energy.kinetic - c.energy.kinetic_start) + c.energy.residual, 0.0,
             1e-9);
  motion_end(&it);
  it = motion_text("engine: field\nbody: {cube: 1, density: 1000}\nfields:\n"
                   "  drag: {law: friction, exponent: 0, coefficient: 20}\n"
                   "  ends: {law: friction, exponent: 0, coefficient: 60, faces: [top, bottom]}\n"
                   "  brake: {law: damping, exponent: 0, coefficient: 50}\n"
                   "start: {position: [0, 0, 50], velocity: [3, 0, 0]}\n"
                   "run: {until: 2, rtol: 1e-12}\n");
  motion_run(&it, 2.0);
  c = motion_certificate(&it);
  // sliding: 6 x 20 and 2 x 60 are 240 kg/s, a half each
  double slid = 0.5 * 1000.0 * 9.0 * (1.0 - exp(-2.0 * 240.0 / 1000.0 * t));
  CHECK_NEAR(work_of(&c, "work.drag"), -0.5 * slid, 1e-8);
  CHECK_NEAR(work_of(&c, "work.ends"), -0.5 * slid, 1e-8);
  CHECK_NEAR(work_of(&c, "work_gravity"), 1000.0 * g * fallen, 1e-6);
  CHECK_NEAR(work_of(&c, "work.brake"), 500.0 * speed * speed - 1000.0 * g * fallen, 1e-6);
  CHECK_NEAR(c.energy.lost_friction, slid, 1e-8);
  motion_end(&it);
}

// conservative: all works together are the change of the kinetic energy to 1e-12, and of two fields
// with the same exponent each does its share
static void works_that_are_stored(void **state) {
  (void)state;
  static const char *const bodies[] = {"cube: 1", "cube: 1, soft: {c10: 6e4, c01: 2e4}",
                                       "sphere: 0.5"};
  for (int k = 0; k < 3; k++) {
    char text[1024];
    (void)snprintf(text, sizeof text,
                   "engine: field\nbody: {%s}\n"
                   "supports: {floor: {}, wall: {normal: [1, 0, 0], point: [-1, 0, 0]}}\nfields:\n"
                   "  one: {law: repulsion, exponent: 8, coefficient: 1e-10}\n"
                   "  three: {law: repulsion, exponent: 8, coefficient: 3e-10}\n"
                   "  pull: {law: adhesion, strength: 0.3, length: 0.02, from: [wall]}\n"
                   "start: {gap: 0.03, tilt: 0.4, angular: [1, 0, 1], velocity: [-3, 0, 0]}\n"
                   "run: {until: 0.1, rtol: 3e-14, atol: 1e-15}\n",
                   bodies[k]);
    motion it = motion_text(text);
    motion_run(&it, 0.1);
    carom_certificate c = motion_certificate(&it);
    double change = c.energy.kinetic - c.energy.kinetic_start,
           scale = c.energy.kinetic + c.energy.kinetic_start;
    if (!(fabs(all_works(&c) - change) <= 1e-12 * scale))
      print_error("%s: %.17g %.17g\n", bodies[k], all_works(&c), change);
    CHECK(fabs(all_works(&c) - change) <= 1e-12 * scale);
    CHECK(fabs(work_of(&c, "work.one")) > 1e-4 && work_of(&c, "work.pull") != 0.0);
    CHECK_NEAR(work_of(&c, "work.three") / work_of(&c, "work.one"), 3.0, 1e-12);
    motion_end(&it);
  }
}

// an irregular body of uneven density between a slope, a wall and a ceiling that sticks: nothing is
// lost, the quaternion keeps its length, the volume stays
static void between_three_supports(void **state) {
  (void)state;
  static const char *const materials[] = {"", "  soft: {c10: 5e4, c01: 1e4}\n"};
  static const char *const off[] = {
      "q_w^2 + q_x^2 + q_y^2 + q_z^2 - 1",
      "F11*(F22*F33 - F23*F32) - F12*(F21*F33 - F23*F31) + F13*(F21*F32 - F22*F31) - 1"};
  static const double until[] = {3.0, 0.7};
  for (int k = 0; k < 2; k++) {
    char text[2048];
    (void)snprintf(
        text, sizeof text,
        "engine: field\nbody:\n"
        "  polyhedron: [[0, 0, 0], [1, 0, 0], [0.2, 0.9, 0], [0.3, 0.3, 0.8], [0.9, 0.8, 0.5]]\n"
        "  density: {value: 800, gradient: [200, -150, 300]}\n%sgravity: [0.5, 0, -9.81]\n"
        "supports:\n  slope: {normal: [0.1, 0, 1]}\n"
        "  wall: {normal: [-1, 0, 0.1], point: [1.5, 0, 0]}\n"
        "  ceiling: {normal: [0, 0, -1], point: [0, 0, 1.6]}\n"
        "fields:\n  repulsion: {exponent: 8, coefficient: 1e-10}\n"
        "  stick: {law: adhesion, pressure: 300, length: 0.02, from: [wall, ceiling]}\n"
        "start: {position: [0.3, 0, 0.8], velocity: [1, 0.3, 3], angular: [2, -1, 3]}\n"
        "run: {until: %g, rtol: 3e-14, atol: 1e-15}\nobserve:\n  off: max(abs(%s))\n"
        "  nearest: min(d)\n",
        materials[k], until[k], off[k]);
    motion it = motion_text(text);
    motion_run(&it, until[k]);
    carom_certificate c = motion_certificate(&it);
    double change = c.energy.kinetic - c.energy.kinetic_start;
    CHECK(fabs(c.energy.residual_relative) <= 1e-12);
    CHECK(fabs(all_works(&c) - change) <= 1e-12 * (c.energy.kinetic + c.energy.kinetic_start));
    CHECK_NEAR(motion_get(&it, "off"), 0.0, 1e-13);
    CHECK(motion_get(&it, "nearest") > 0.0 && motion_get(&it, "nearest") < 0.002);
    motion_end(&it);
  }
}

// Without weight, a rising floor lifts the body by its repulsion alone: its work is the kinetic
// energy. The same law as one's own, whose work is integrated, does the same.
static void works_of_moving_supports(void **state) {
  (void)state;
  double done[2];
  static const char *const laws[] = {"  lift: {law: repulsion, exponent: 8, coefficient: 1e-12}\n",
                                     "  lift: {law: own, normal: 1e-12*d^-8}\n"};
  for (int k = 0; k < 2; k++) {
    char text[512];
    (void)snprintf(text, sizeof text,
                   "engine: field\nbody: {square: 1}\ngravity: 0\n"
                   "supports: {floor: {shift: ['0', '0.3*t']}}\nfields:\n%s"
                   "start: {gap: 0.1, angle: 0.2}\nrun: {until: 1, rtol: 1e-11}\n",
                   laws[k]);
    motion it = motion_text(text);
    motion_run(&it, 1.0);
    carom_certificate c = motion_certificate(&it);
    done[k] = work_of(&c, "work.lift");
    CHECK(c.energy.kinetic > 1.0);
    CHECK_NEAR(done[k] / c.energy.kinetic, 1.0, 1e-9);
    motion_end(&it);
  }
  CHECK_NEAR(done[1] / done[0], 1.0, 1e-8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(conservative_motions),     cmocka_unit_test(everything_is_told),
      cmocka_unit_test(works_in_closed_form),     cmocka_unit_test(works_that_are_stored),
      cmocka_unit_test(works_of_moving_supports), cmocka_unit_test(between_three_supports)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
