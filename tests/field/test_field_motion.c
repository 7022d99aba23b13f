// SPDX-License-Identifier: MIT
// Motions of rigid bodies: published landmarks, invariants, plane against space, methods against
// each other.
#include "field_motion_help.h"

#include <stdlib.h>
#include <string.h>

// ---- scenarios with settings

static double observed(const char *name, int count, const carom_setting *settings,
                       const char *observable) {
  char path[512];
  (void)snprintf(path, sizeof path, "%s/scenarios/%s.yaml", CAROM_SOURCE_DIR, name);
  motion it = motion_make(path, NULL, count, settings);
  motion_run(&it, carom_simulation_until(it.simulation));
  double value = motion_get(&it, observable);
  CHECK(motion_certificate(&it).passed);
  motion_end(&it);
  return value;
}

#define OBSERVE(name, observable, ...)                                                             \
  observed(name, (int)(sizeof((carom_setting[]){__VA_ARGS__}) / sizeof(carom_setting)),            \
           (carom_setting[]){__VA_ARGS__}, observable)

static void bouncing(void **state) {
  (void)state;
  CHECK_NEAR(OBSERVE("field_block", "period", {"v0", "0.001"}), 0.12720, 5e-6);
  CHECK_NEAR(OBSERVE("field_block", "period", {"v0", "0.02"}), 0.16719, 5e-6);
  CHECK_NEAR(OBSERVE("field_block", "lowest", {"nu", "3"}), 0.01398, 5e-6);
  CHECK_NEAR(OBSERVE("field_block", "lowest", {"nu", "5"}), 0.01494, 5e-6);
  CHECK_NEAR(OBSERVE("field_block", "lowest", {"nu", "7"}), 0.01562, 5e-6);
}

// the time of the first event of a scenario
static double first_event(const char *name, int count, const carom_setting *settings) {
  char path[512];
  carom_error error = {0};
  (void)snprintf(path, sizeof path, "%s/scenarios/%s.yaml", CAROM_SOURCE_DIR, name);
  motion it = motion_make(path, NULL, count, settings);
  carom_status status =
      carom_simulation_next(it.simulation, carom_simulation_until(it.simulation), &error);
  CHECK(status == CAROM_STOP_EVENT);
  double t = carom_simulation_time(it.simulation);
  motion_end(&it);
  return t;
}

static void falling_from_an_edge(void **state) {
  (void)state;
  const carom_setting rough = {"alpha_f", "100"};
  CHECK_NEAR(OBSERVE("field_edge", "path", {"run.until", "2"}), 0.0, 0.0);
  CHECK_NEAR(first_event("field_edge", 0, NULL), 0.885, 0.002);
  CHECK_NEAR(first_event("field_edge", 1, &rough), 1.638, 0.003);
  CHECK(OBSERVE("field_edge", "slide", {"alpha_f", "100"}) < 0.07);
}

static void rolling(void **state) {
  (void)state;
  CHECK_NEAR(first_event("field_rolling", 0, NULL), 0.18, 0.005);
  CHECK_NEAR(OBSERVE("field_rolling", "speed", {"run.until", "0.4"}), 3.29, 0.005);
  CHECK_SAME(OBSERVE("field_rolling", "speed", {"alpha_f", "0"}), 5.0);
  // friction does not touch the vertical motion
  CHECK_NEAR(OBSERVE("field_rolling", "first", {"alpha_f", "0"}, {"alpha_d", "0"}),
             OBSERVE("field_rolling", "first", {"alpha_d", "0"}), 1e-9);
}

// hanging from a ceiling is possible from a strength of 4.51 on
static void hanging(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    char text[512];
    (void)snprintf(text, sizeof text,
                   "engine: field\nbody: {square: 1}\nsupports: {ceiling: {normal: [0, -1]}}\n"
                   "fields:\n  repulsion: {rest: 0.002}\n"
                   "  adhesion: {strength: %s, faces: [top]}\n"
                   "  damping: {exponent: 0, coefficient: 1e5, faces: [top]}\n"
                   "start: {gap: 0.00266}\nrun: {until: 2, rtol: 1e-8}\n",
                   k == 0 ? "4.53" : "4.49");
    motion it = motion_text(text);
    motion_run(&it, 2.0);
    if (k == 0)
      CHECK(motion_get(&it, "d") < 0.003);
    else
      CHECK(motion_get(&it, "d") > 0.003);
    motion_end(&it);
  }
}

static void spinning_on_a_corner(void **state) {
  (void)state;
  CHECK_NEAR(OBSERVE("field_cube_corner", "loops", {"spin", "5"}), 0.79, 0.005);
  CHECK_NEAR(OBSERVE("field_cube_corner", "loops", {"spin", "50"}), 7.9, 0.05);
  // the fall, as a lean of the diagonal by 0.3 rad; friction delays it
  CHECK_NEAR(OBSERVE("field_cube_corner", "fallen", {"run.until", "0.95"}), 0.82, 0.005);
  CHECK_NEAR(OBSERVE("field_cube_corner", "fallen", {"spin", "50"}, {"run.until", "2.2"}), 2.07,
             0.005);
  CHECK_NEAR(OBSERVE("field_cube_friction", "fallen", {"run.until", "1.8"}), 1.59, 0.005);
  CHECK_NEAR(OBSERVE("field_cube_friction", "fallen", {"spin", "50"}, {"run.until", "3.1"}), 2.92,
             0.005);
  CHECK_NEAR(OBSERVE("field_cube_corner", "drift", {"spin", "5"}), 0.0, 1e-12);
  CHECK_NEAR(OBSERVE("field_cube_friction", "loops", {"spin", "5"}), 0.39, 0.005);
  CHECK_NEAR(OBSERVE("field_cube_friction", "loops", {"spin", "50"}), 3.9, 0.05);
}

// nu_f = 0: the spin about the vertical decays as exp(-10 a t/(rho l)), whatever else happens
static void spin_decay(void **state) {
  (void)state;
  motion it = motion_text(
      "engine: field\nbody: {cube: 1}\nfields:\n  repulsion: {rest: 0.002}\n"
      "  damping: {exponent: 0, coefficient: 1000}\n  friction: {exponent: 0, coefficient: 100}\n"
      "start: {down: corner, tilt: 0.01, spin: 5}\nrun: {until: 2, rtol: 1e-12}\n");
  motion_run(&it, 2.0);
  CHECK_RELATIVE(motion_get(&it, "turn_z'"), 5.0 * exp(-2.0), 1e-12);
  motion_end(&it);
}

// ---- invariants

static void energy_is_kept(void **state) {
  (void)state;
  motion it = motion_text("engine: field\nbody: {cube: 1}\nfields: {repulsion: {rest: 0.02}}\n"
                          "start: {down: corner, tilt: 0.3, gap: 0.3, angular: [2, 1, 3]}\n"
                          "run: {until: 5, rtol: 3e-14, atol: 1e-15}\n");
  CHECK(carom_model_conservative(it.model));
  motion_run(&it, 5.0);
  carom_certificate c = motion_certificate(&it);
  if (fabs(c.energy.residual_relative) > 1e-12)
    print_error("energy %g\n", c.energy.residual_relative);
  CHECK(fabs(c.energy.residual_relative) <= 1e-12);
  // no field pushes sideways, so sideways it does not move at all
  CHECK_NEAR(motion_get(&it, "x"), 0.0, 1e-15);
  motion_end(&it);
}

// a tossed box far from everything keeps its angular momentum and energy
static void free_flight(void **state) {
  (void)state;
  motion it = motion_text("engine: field\ngravity: 0\nbody: {box: [1, 2, 3], density: 1}\n"
                          "start: {position: [0, 0, 50], angular: [1, 2, 0.5]}\n"
                          "run: {until: 20, rtol: 1e-12}\n");
  double kinetic = motion_get(&it, "kinetic");
  motion_run(&it, 20.0);
  CHECK_RELATIVE(motion_get(&it, "kinetic"), kinetic, 1e-11);
  double q[4] = {motion_get(&it, "q_w"), motion_get(&it, "q_x"), motion_get(&it, "q_y"),
                 motion_get(&it, "q_z")};
  double w[3] = {motion_get(&it, "turn_x'"), motion_get(&it, "turn_y'"),
                 motion_get(&it, "turn_z'")};
  const double inertia[3] = {6.0 * 13 / 12, 6.0 * 10 / 12, 6.0 * 5 / 12};
  double R[3][3] = {{1 - 2 * (q[2] * q[2] + q[3] * q[3]), 2 * (q[1] * q[2] - q[0] * q[3]),
                     2 * (q[1] * q[3] + q[0] * q[2])},
                    {2 * (q[1] * q[2] + q[0] * q[3]), 1 - 2 * (q[1] * q[1] + q[3] * q[3]),
                     2 * (q[2] * q[3] - q[0] * q[1])},
                    {2 * (q[1] * q[3] - q[0] * q[2]), 2 * (q[2] * q[3] + q[0] * q[1]),
                     1 - 2 * (q[1] * q[1] + q[2] * q[2])}};
  const double start[3] = {1 * inertia[0], 2 * inertia[1], 0.5 * inertia[2]};
  for (int i = 0; i < 3; i++) {
    double momentum = 0.0;
    for (int k = 0; k < 3; k++) {
      double own = R[0][k] * w[0] + R[1][k] * w[1] + R[2][k] * w[2];
      momentum += R[i][k] * inertia[k] * own;
    }
    CHECK_NEAR(momentum, start[i], 1e-9);
  }
  motion_end(&it);
}

// a cube whose front and back feel nothing moves like the square
static void plane_equals_space(void **state) {
  (void)state;
  motion plane =
      motion_text("engine: field\nbody: {square: 1}\nfields:\n  repulsion: {rest: 0.02}\n"
                  "  friction: {exponent: 2, coefficient: 20}\n"
                  "  damping: {exponent: 2, coefficient: 1}\n"
                  "start: {angle: 0.3, gap: 0.1, velocity: [0.5, 0]}\n"
                  "run: {until: 1, rtol: 1e-11}\n");
  motion space =
      motion_text("engine: field\nbody: {cube: 1}\nfields:\n"
                  "  repulsion: {rest: 0.02, faces: [bottom, top, left, right]}\n"
                  "  friction: {exponent: 2, coefficient: 20, faces: [bottom, top, left, right]}\n"
                  "  damping: {exponent: 2, coefficient: 1, faces: [bottom, top, left, right]}\n"
                  "start: {tilt: -0.3, axis: [0, 1, 0], gap: 0.1, velocity: [0.5, 0, 0]}\n"
                  "run: {until: 1, rtol: 1e-11}\n");
  motion_run(&plane, 1.0);
  motion_run(&space, 1.0);
  CHECK_NEAR(motion_get(&space, "x"), motion_get(&plane, "x"), 1e-7);
  CHECK_NEAR(motion_get(&space, "z"), motion_get(&plane, "y"), 1e-7);
  CHECK_NEAR(motion_get(&space, "turn_y"), 0.3 - motion_get(&plane, "theta"), 1e-7);
  CHECK_NEAR(motion_get(&space, "y"), 0.0, 1e-12);
  motion_end(&plane);
  motion_end(&space);
}

// ---- methods

static void methods_agree(void **state) {
  (void)state;
  double value[2][2];
  for (int k = 0; k < 2; k++) {
    char text[512];
    (void)snprintf(text, sizeof text,
                   "engine: field\nbody: {square: 1}\nfields:\n  repulsion: {rest: 0.02}\n"
                   "  friction: {exponent: 2, coefficient: 20}\n"
                   "  damping: {exponent: 2, coefficient: 10}\n"
                   "start: {angle: 0.2, gap: 0.05, velocity: [0.5, 0]}\n"
                   "run: {until: 0.5, rtol: 1e-9, method: %s}\n",
                   k ? "implicit" : "explicit");
    motion it = motion_text(text);
    motion_run(&it, 0.5);
    CHECK(motion_certificate(&it).passed);
    value[k][0] = motion_get(&it, "x"), value[k][1] = motion_get(&it, "theta");
    motion_end(&it);
  }
  CHECK_NEAR(value[0][0], value[1][0], 1e-6);
  CHECK_NEAR(value[0][1], value[1][1], 1e-6);
}

// A disc in a groove of two planes at right angles: each pushes as one alone at the same distance,
// and a field may come from one of them only.
static void several_supports(void **state) {
  (void)state;
  motion alone = motion_text("engine: field\nbody: {disc: 0.5}\nfields: {repulsion: {rest: 0.02}}\n"
                             "start: {gap: 0.015}\nrun: {until: 1}\n");
  double push = motion_get(&alone, "y''") + 9.81;
  motion_end(&alone);
  for (int one = 0; one < 2; one++) {
    char text[512];
    (void)snprintf(text, sizeof text,
                   "engine: field\nbody: {disc: 0.5}\nsupports:\n  left: {normal: [1, 1]}\n"
                   "  right: {normal: [-3, 3]}\nfields: {repulsion: {rest: 0.02%s}}\n"
                   "start: {position: [0, 0.515*sqrt(2)]}\nrun: {until: 0.5, rtol: 1e-10}\n",
                   one ? ", from: [left]" : "");
    motion it = motion_text(text);
    CHECK_RELATIVE(motion_get(&it, "d"), 0.015, 1e-12);
    CHECK_NEAR(motion_get(&it, "x''"), one ? push * sqrt(0.5) : 0.0, 1e-9 * push);
    CHECK_RELATIVE(motion_get(&it, "y''"), push * sqrt(0.5) * (one ? 1.0 : 2.0) - 9.81, 1e-9);
    motion_run(&it, one ? 0.02 : 0.5);
    CHECK(motion_certificate(&it).passed && motion_get(&it, "d") > 0.0);
    motion_end(&it);
  }
}

// a shaken floor: what it does to the body stands in the ledger
static void moving_support(void **state) {
  (void)state;
  motion it = motion_text("engine: field\nbody: {disc: 0.5}\nsupports:\n"
                          "  floor: {shift: ['0.1*sin(5*t)', '0.02*sin(20*t)']}\n"
                          "fields:\n  repulsion: {rest: 0.02}\n"
                          "  friction: {exponent: 2, coefficient: 50}\n"
                          "  damping: {exponent: 2, coefficient: 1}\n"
                          "start: {gap: 0.05}\nrun: {until: 2, rtol: 1e-10}\n");
  motion_run(&it, 2.0);
  carom_certificate c = motion_certificate(&it);
  CHECK(fabs(c.energy.work_drives) > 1.0 && c.energy.lost_friction > 0.01 &&
        c.energy.lost_dampers > 0.01);
  CHECK(fabs(c.energy.residual_relative) < 1e-8);
  motion_end(&it);
}

// a saved state goes on bit for bit, also in the stiff method
static void saved_states(void **state) {
  (void)state;
  motion it =
      motion_text("engine: field\nbody: {cube: 1}\nfields:\n  repulsion: {rest: 0.002}\n"
                  "  damping: {exponent: 2, coefficient: 1000}\n"
                  "  friction: {exponent: 2, coefficient: 100}\n"
                  "start: {down: corner, tilt: 0.1, spin: 5}\nrun: {until: 2, rtol: 1e-6}\n");
  carom_error error = {0};
  size_t size = 0;
  motion_run(&it, 1.0);
  CHECK(!carom_simulation_save(it.simulation, NULL, &size, &error));
  void *buffer = malloc(size);
  CHECK(buffer && !carom_simulation_save(it.simulation, buffer, &size, &error));
  motion_run(&it, 2.0);
  double first = motion_get(&it, "z"), turned = motion_get(&it, "turn_z");
  CHECK(!carom_simulation_restore(it.simulation, buffer, size, &error));
  motion_run(&it, 2.0);
  CHECK_SAME(motion_get(&it, "z"), first);
  CHECK_SAME(motion_get(&it, "turn_z"), turned);
  free(buffer);
  motion_end(&it);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bouncing),
      cmocka_unit_test(falling_from_an_edge),
      cmocka_unit_test(rolling),
      cmocka_unit_test(hanging),
      cmocka_unit_test(spinning_on_a_corner),
      cmocka_unit_test(spin_decay),
      cmocka_unit_test(energy_is_kept),
      cmocka_unit_test(free_flight),
      cmocka_unit_test(plane_equals_space),
      cmocka_unit_test(methods_agree),
      cmocka_unit_test(several_supports),
      cmocka_unit_test(moving_support),
      cmocka_unit_test(saved_states),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
