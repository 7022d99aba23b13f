// SPDX-License-Identifier: MIT
// The same collision twice: closed form, and the event-driven engine that follows friction through
// the impact from the energies of a scenario.
#include "bed_setup.h"
#include "carom/carom.h"

typedef struct start {
  double phi, mu, eps, plate, cx, cz, omega;
} start;

static carom_simulation *make(const carom_model *model) {
  carom_simulation *simulation = NULL;
  carom_error error = {0};
  if (carom_simulation_create(model, &simulation, &error)) print_error("%s\n", error.text);
  assert_non_null(simulation);
  return simulation;
}

static carom_rod_motion run(carom_simulation *simulation, const start *s) {
  const struct {
    const char *name;
    double value;
  } settings[] = {{"phi0", s->phi}, {"mu", s->mu}, {"eps", s->eps},    {"V", s->plate},
                  {"cx", s->cx},    {"cz", s->cz}, {"omega", s->omega}};
  carom_error error = {0};
  for (int k = 0; k < 7; k++)
    assert_int_equal(carom_simulation_set(simulation, settings[k].name, settings[k].value, &error),
                     CAROM_OK);
  if (carom_simulation_run(simulation, &error)) print_error("%s\n", error.text);
  carom_rod_motion after = {0};
  carom_certificate c;
  assert_int_equal(carom_simulation_get(simulation, "after_x", &after.cx, &error), CAROM_OK);
  assert_int_equal(carom_simulation_get(simulation, "after_z", &after.cz, &error), CAROM_OK);
  assert_int_equal(carom_simulation_get(simulation, "after_omega", &after.omega, &error), CAROM_OK);
  assert_int_equal(carom_simulation_certificate(simulation, &c, &error), CAROM_OK);
  assert_int_equal(c.counts.impacts, 1);
  return after;
}

// random collisions of all three regimes, both ways of slip
static void test_scenario_equals_closed_form(void **state) {
  (void)state;
  carom_model *model = NULL;
  carom_error error = {0};
  if (carom_model_load(CAROM_SOURCE_DIR "/scenarios/rod_collision.yaml", 0, NULL, &model, &error))
    print_error("%s\n", error.text);
  assert_non_null(model);
  carom_simulation *simulation = make(model);
  int seen[4] = {0};
  double worst = 0;
  for (uint64_t k = 0; k < 400; k++) {
    start s = {.phi = uniform(1, 8 * k, 0.02, 1.5),
               .mu = uniform(1, 8 * k + 1, 0.01, 0.9),
               .eps = uniform(1, 8 * k + 2, 0, 1),
               .plate = uniform(1, 8 * k + 3, -0.3, 0.5),
               .cx = uniform(1, 8 * k + 4, -2, 2),
               .cz = uniform(1, 8 * k + 5, -2, -0.5),
               .omega = uniform(1, 8 * k + 6, -0.5, 0.5)};
    carom_rod_place place = carom_rod_thin(1, s.phi);
    carom_rod_motion before = {s.cx, s.cz, s.omega};
    carom_rod_collision hit;
    assert_int_equal(carom_rod_collide(&place, &before, s.plate, s.mu, s.eps, &hit, &error),
                     CAROM_OK);
    seen[hit.regime]++;
    if (hit.regime == CAROM_ROD_APART) continue;
    // a tip that leaves too slowly is held by the plate: that is no collision
    if (s.eps * fabs(s.cz - s.plate + s.omega * place.X) < 1e-3) continue;
    carom_rod_motion after = run(simulation, &s);
    worst = fmax(worst, fabs(after.cx - hit.after.cx));
    worst = fmax(worst, fabs(after.cz - hit.after.cz));
    worst = fmax(worst, fabs(after.omega - hit.after.omega));
  }
  CHECK(seen[CAROM_ROD_SLIDE] > 50 && seen[CAROM_ROD_STICK] > 50 && seen[CAROM_ROD_REVERSE] > 20);
  CHECK_NEAR(worst, 0, 1e-10);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

// slip comes to rest in the very moment in which the tip turns round: u0/D = -v0/E
static void test_rest_at_greatest_compression(void **state) {
  (void)state;
  carom_model *model = NULL;
  carom_error error = {0};
  assert_int_equal(
      carom_model_load(CAROM_SOURCE_DIR "/scenarios/rod_collision.yaml", 0, NULL, &model, &error),
      CAROM_OK);
  carom_simulation *simulation = make(model);
  int seen[4] = {0};
  double worst = 0;
  for (uint64_t k = 0; k < 300; k++) {
    start s = {.phi = uniform(2, 4 * k, 0.05, 1.5),
               .mu = uniform(2, 4 * k + 1, 0.05, 1.2),
               .eps = uniform(2, 4 * k + 2, 0.1, 1),
               .cx = uniform(2, 4 * k + 3, 0.2, 2)};
    if (k == 0) s = (start){.phi = 0.25 * 3.14159265358979323846, .mu = 1, .eps = 0.8, .cx = 1};
    carom_rod_place p = carom_rod_thin(1, s.phi);
    double E = p.k2 + p.X * p.X + s.mu * p.X * p.Z, D = s.mu * (p.k2 + p.Z * p.Z) + p.X * p.Z;
    s.cz = -s.cx * E / D;
    carom_rod_motion before = {s.cx, s.cz, 0}, after = run(simulation, &s);
    carom_rod_collision hit;
    assert_int_equal(carom_rod_collide(&p, &before, 0, s.mu, s.eps, &hit, &error), CAROM_OK);
    seen[hit.regime]++;
    worst = fmax(worst, fabs(after.cx - hit.after.cx));
    worst = fmax(worst, fabs(after.cz - hit.after.cz));
    worst = fmax(worst, fabs(after.omega - hit.after.omega));
  }
  CHECK(seen[CAROM_ROD_STICK] > 50 && seen[CAROM_ROD_REVERSE] > 50);
  CHECK_NEAR(worst, 0, 1e-10);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenario_equals_closed_form),
                                     cmocka_unit_test(test_rest_at_greatest_compression)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
