// SPDX-License-Identifier: MIT
// Soft bodies: free vibration, viscosity, static rest, energy of the conservative form, convergence
// to the rigid body, incompressibility.
#include "field_motion_help.h"

#include <string.h>

// ---- free stretching: omega = 4 sqrt(c/rho)/R, decay at half the viscous rate 2 mu/(rho R^2) each

static void free_stretch(void **state) {
  (void)state;
  motion it = motion_text("engine: field\ngravity: 0\nparameters: {s: 1.0005}\n"
                          "body: {disc: 0.5, density: 4000, soft: {c10: 4e4, c01: 2e4}}\n"
                          "start: {position: [0, 5], deformation: [[1/s, 0], [0, s]]}\n"
                          "sections: {top: {when: \"F22'\", direction: falling}}\n"
                          "run: {until: 3, rtol: 1e-11}\n"
                          "observe:\n  count: count(top)\n  last: at(top, t)\n");
  carom_error error = {0};
  CHECK(carom_model_conservative(it.model));
  motion_run(&it, 3.0);
  const double pi = 3.14159265358979323846;
  double count = 0.0, last = 0.0;
  CHECK(!carom_simulation_get(it.simulation, "count", &count, &error));
  CHECK(!carom_simulation_get(it.simulation, "last", &last, &error));
  CHECK_RELATIVE(2.0 * pi * count / last, 4.0 * sqrt(6e4 / 4000.0) / 0.5, 1e-6);
  CHECK_NEAR(4.0 * sqrt(6e4 / 4000.0) / 0.5, 30.984, 5e-4);
  CHECK(motion_certificate(&it).worst.constraint_error < 1e-12);
  motion_end(&it);
}

static void viscous_decay(void **state) {
  (void)state;
  motion it = motion_text("engine: field\ngravity: 0\nparameters: {s: 1.0005}\n"
                          "body: {disc: 0.5, density: 4000, soft: {c10: 6e4, viscosity: 1e3}}\n"
                          "start: {position: [0, 5], deformation: [[1/s, 0], [0, s]]}\n"
                          "run: {until: 2, rtol: 1e-10}\n");
  double start = motion_get(&it, "potential");
  motion_run(&it, 2.0);
  // the energy of a vibration decays at the viscous rate 2 mu/(rho R^2) times two
  double rate = -log((motion_get(&it, "kinetic") + motion_get(&it, "potential")) / start) / 2.0;
  CHECK_RELATIVE(rate, 2.0 * 2.0 * 1e3 / (4000.0 * 0.25), 0.05);
  CHECK(fabs(motion_certificate(&it).energy.residual_relative) < 1e-8);
  motion_end(&it);
}

// ---- small strains: tr B - 3 = (s - 1)^2 (s + 2)/s, tr B^-1 - 3 = (s - 1)^2 (2 s + 1)/s^2

static motion stretched_cube(double more, double viscosity, double rtol) {
  char text[640];
  (void)snprintf(text, sizeof text,
                 "engine: field\ngravity: 0\nparameters: {a: %.17g}\n"
                 "body: {cube: 0.8, density: 1200, soft: {c10: 3e4, c01: 1e4, viscosity: %g}}\n"
                 "start: {position: [0, 0, 5], turn: 0.7, tilt: 1.1,\n"
                 "  deformation: [[1/sqrt(a), 0, 0], [0, 1/sqrt(a), 0], [0, 0, a]]}\n"
                 "run: {until: 0.3, rtol: %g}\n",
                 1.0 + more, viscosity, rtol);
  return motion_text(text);
}

static void stored_by_small_strain(void **state) {
  (void)state;
  static const double more[] = {1e-8, -1e-7, 1e-6, 1e-5, -1e-4, 1e-3, 1e-2, -0.2, 0.5, 2.0, 8.0};
  for (size_t k = 0; k < sizeof more / sizeof *more; k++) {
    motion it = stretched_cube(more[k], 0.0, 1e-10);
    double s = 1.0 + more[k], by = s - 1.0;
    double wanted = 0.512 * by * by * (3e4 * (s + 2.0) / s + 1e4 * (2.0 * s + 1.0) / (s * s));
    // the entries of F are rounded: a strain has no more digits than that leaves
    CHECK_RELATIVE(motion_get(&it, "potential"), wanted, 4e-15 / fmin(fabs(by), 1.0) + 1e-13);
    motion_end(&it);
  }
}

static void certificate_of_small_strain(void **state) {
  (void)state;
  static const double viscosity[] = {0.0, 1.0, 200.0, 2000.0};
  for (int k = 3; k <= 6; k++)
    for (int m = 0; m < 4; m++) {
      motion it = stretched_cube(pow(10.0, -k), viscosity[m], 1e-13);
      motion_run(&it, 0.3);
      carom_certificate c = motion_certificate(&it);
      CHECK(c.passed);
      // what rounding forgives is of its size
      CHECK(c.tolerance < 1e-6 + 1e-13 * pow(10.0, k) * (double)c.counts.steps);
      motion_end(&it);
    }
}

// ---- rest on the floor

static void static_rest(void **state) {
  (void)state;
  motion it = motion_text(
      "engine: field\nbody: {disc: 0.5, density: 4000, soft: {c10: 6e4, viscosity: 5e3}}\n"
      "fields:\n  repulsion: {rest: 0.002, form: printed}\n"
      "  damping: {exponent: 0, coefficient: 2e4}\n"
      "start: {gap: balance}\nrun: {until: 4, rtol: 1e-8}\n");
  motion_run(&it, 4.0);
  CHECK_NEAR(motion_get(&it, "d"), 2.0157e-3, 1e-7);
  CHECK_NEAR(motion_get(&it, "F22"), 0.96151, 1e-5);
  motion_end(&it);
}

// ---- energy: the conservative form keeps it, the printed one does not, and the ledger knows both

static void check_energy(const char *body, const char *form, double *corrected) {
  char text[640];
  (void)snprintf(text, sizeof text,
                 "engine: field\nbody: {%s, density: 4000, soft: {c10: 6e4, c01: 1e4}}\n"
                 "fields:\n  repulsion: {rest: 0.01, form: %s}\n"
                 "start: {gap: 0.1}\nrun: {until: 0.6, rtol: 1e-11, hold: none}\n",
                 body, form);
  motion it = motion_text(text);
  motion_run(&it, 0.6);
  carom_certificate c = motion_certificate(&it);
  CHECK(fabs(c.energy.residual_relative) < 1e-8);
  CHECK(c.worst.constraint_error < 1e-11);
  *corrected = c.energy.work_forces;
  motion_end(&it);
}

static void energy_of_both_forms(void **state) {
  (void)state;
  static const char *const bodies[] = {"disc: 0.5", "square: 1", "cube: 1",
                                       "prism: [[0, 0], [1, 0], [0.3, 0.8]]", "sphere: 0.5"};
  for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++) {
    double from_nowhere = 0.0;
    check_energy(bodies[k], "conservative", &from_nowhere);
    CHECK_SAME(from_nowhere, 0.0);
    check_energy(bodies[k], "printed", &from_nowhere);
    CHECK(from_nowhere != 0.0);
  }
}

// ---- towards the rigid body

static void stiff_is_rigid(void **state) {
  (void)state;
  double end[3];
  for (int k = 0; k < 3; k++) {
    char text[512];
    static const char *const material[] = {"", ", soft: {c10: 1e8, viscosity: 1e5}",
                                           ", soft: {c10: 1e10, viscosity: 1e6}"};
    (void)snprintf(
        text, sizeof text,
        "engine: field\nbody: {square: 1, density: 1000%s}\nfields: {repulsion: {rest: 0.02}}\n"
        "start: {gap: 0.1, angle: 0.2}\nrun: {until: 0.3, rtol: 1e-8}\n",
        material[k]);
    motion it = motion_text(text);
    motion_run(&it, 0.3);
    end[k] = motion_get(&it, "y");
    motion_end(&it);
  }
  double rough = fabs(end[1] - end[0]), fine = fabs(end[2] - end[0]);
  if (!(fine < 0.2 * rough)) print_error("rigid %.9g, soft %.9g %.9g\n", end[0], end[1], end[2]);
  CHECK(fine < 0.2 * rough && fine < 1e-4);
}

// A round body may be stretched until its surface grows 25 times as much in one place as in
// another, at the start and on its way; one of flat faces may be flatter.
static void flatness(void **state) {
  (void)state;
  static const struct {
    const char *body;
    double stretch;
    bool refused;
  } starts[] = {{"disc: 0.5", 4.99, false}, {"disc: 0.5", 5.01, true}, {"square: 1", 6.0, false}};
  for (size_t k = 0; k < sizeof starts / sizeof *starts; k++) {
    char text[512];
    carom_error error = {0};
    carom_model *model = NULL;
    carom_simulation *simulation = NULL;
    (void)snprintf(text, sizeof text,
                   "engine: field\nparameters: {s: %g}\ngravity: 0\nbody: {%s, soft: {c10: 1e4}}\n"
                   "start: {position: [0, 9], deformation: [[1/s, 0], [0, s]]}\nrun: {until: 1}\n",
                   starts[k].stretch, starts[k].body);
    CHECK(!carom_model_parse(text, "test", 0, NULL, &model, &error));
    carom_status status = carom_simulation_create(model, &simulation, &error);
    CHECK(status == (starts[k].refused ? CAROM_ERR_LIMIT : CAROM_OK));
    if (starts[k].refused) CHECK(strstr(error.text, "lose digits") != NULL);
    carom_simulation_destroy(simulation);
    carom_model_destroy(model);
  }
  // thrown apart it is told on its way
  motion it = motion_text("engine: field\ngravity: 0\nbody: {disc: 0.5, soft: {c10: 1}}\n"
                          "start: {position: [0, 99]}\nrun: {until: 10, rtol: 1e-8}\n");
  motion_set(&it, "F11'", 3.0);
  motion_set(&it, "F22'", -3.0);
  carom_error error = {0};
  motion_run(&it, 0.5);
  CHECK(motion_get(&it, "F11") > 2.0);
  CHECK(carom_simulation_run(it.simulation, &error) == CAROM_ERR_LIMIT);
  CHECK(strstr(error.text, "lose digits") != NULL);
  motion_end(&it);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stored_by_small_strain),
      cmocka_unit_test(certificate_of_small_strain),
      cmocka_unit_test(free_stretch),
      cmocka_unit_test(viscous_decay),
      cmocka_unit_test(static_rest),
      cmocka_unit_test(energy_of_both_forms),
      cmocka_unit_test(stiff_is_rigid),
      cmocka_unit_test(flatness),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
