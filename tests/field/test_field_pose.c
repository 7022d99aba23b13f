// SPDX-License-Identifier: MIT
// What a pose is made of: rotations stay rotations and deformations keep the volume, at every
// sample of long runs.
#include "field_motion_help.h"

#include "carom/scene.h"

typedef struct gauge {
  carom_scene *scene;
  double worst;
  long samples;
  bool soft;
} gauge;

// the largest entry of R^T R - 1
static double skewness(const double R[9]) {
  double worst = 0.0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double sum = i == j ? -1.0 : 0.0;
      for (int k = 0; k < 3; k++)
        sum += R[3 * k + i] * R[3 * k + j];
      worst = fmax(worst, fabs(sum));
    }
  return worst;
}

static double growth(const double F[9]) {
  return fabs(F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) +
              F[2] * (F[3] * F[7] - F[4] * F[6]) - 1.0);
}

static int on_sample(void *ctx, const carom_simulation *simulation, double t, int count,
                     const double *values) {
  (void)simulation;
  gauge *g = ctx;
  int numbers = 0;
  CHECK(carom_scene_look(g->scene, t, count, values, NULL) == CAROM_OK);
  const double *all = carom_scene_numbers(g->scene, &numbers);
  const double *pose = all + carom_scene_part(g->scene, 0)->first + 3;
  g->worst = fmax(g->worst, g->soft ? growth(pose) : skewness(pose));
  g->samples++;
  return 0;
}

static void follow(const char *text, bool soft, double bound) {
  motion it = motion_text(text);
  gauge g = {.soft = soft};
  CHECK(carom_scene_create(it.simulation, &g.scene, NULL) == CAROM_OK);
  CHECK(carom_scene_part(g.scene, 0)->kind == CAROM_PART_BODY);
  carom_observer observer = {.ctx = &g, .sample = on_sample};
  carom_simulation_observe(it.simulation, &observer);
  CHECK(carom_simulation_run(it.simulation, NULL) == CAROM_OK);
  if (!(g.worst <= bound)) print_error("%s: %g\n", text, g.worst);
  CHECK(g.worst <= bound && g.samples > 100);
  carom_scene_destroy(g.scene);
  motion_end(&it);
}

static void rotations_stay_orthogonal(void **state) {
  (void)state;
  follow(
      "engine: field\nbody: {cube: 1, density: 1000}\nfields: {repulsion: {rest: 0.002, exponent: "
      "8}}\n"
      "start: {down: corner, tilt: 0.01, spin: 50}\nrun: {until: 10, sample: 0.01, rtol: 1e-8}\n",
      false, 1e-13);
  follow("engine: field\nbody: {cube: 1, density: 1000}\n"
         "fields: {repulsion: {rest: 0.002, exponent: 8}, friction: {coefficient: 1e-3, exponent: "
         "2}}\n"
         "start: {down: corner, tilt: 0.3, spin: 5}\nrun: {until: 5, sample: 0.01, rtol: 1e-6}\n",
         false, 1e-13);
}

static void deformations_keep_the_volume(void **state) {
  (void)state;
  follow("engine: field\nbody: {cube: 1, density: 4000, soft: {c10: 6e4, c01: 1e4}}\n"
         "fields: {repulsion: {rest: 0.01}}\nstart: {gap: 0.1, spin: 2}\n"
         "run: {until: 2, sample: 0.01, rtol: 1e-8}\n",
         true, 1e-12);
  follow("engine: field\nbody: {sphere: 0.5, density: 4000, soft: {c10: 6e4, c01: 1e4}}\n"
         "fields: {repulsion: {rest: 0.01}}\nstart: {gap: 0.05}\n"
         "run: {until: 1.2, sample: 0.01, rtol: 1e-6}\n",
         true, 1e-12);
}

// what is measured along a step, between its ends, has the volume too
static void measured_between_steps(void **state) {
  (void)state;
  motion it = motion_text("engine: field\nbody: {square: 1, soft: {c10: 6e4}}\n"
                          "fields: {repulsion: {rest: 0.01}}\nstart: {gap: 0.1, angle: 0.3}\n"
                          "run: {until: 1, rtol: 1e-4}\n"
                          "observe: {off: max(abs(F11*F22 - F12*F21 - 1))}\n");
  motion_run(&it, 1.0);
  CHECK_NEAR(motion_get(&it, "off"), 0.0, 1e-14);
  motion_end(&it);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rotations_stay_orthogonal),
      cmocka_unit_test(deformations_keep_the_volume),
      cmocka_unit_test(measured_between_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
