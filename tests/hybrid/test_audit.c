// SPDX-License-Identifier: MIT
// The certificate looks at every impact: outcomes by hand are found right by every law, and each
// way to spoil them is found wrong.
#include "motion.h"

#include "engine/engine.h"
#include "hybrid/hybrid.h"

static const double E = 0.6, MU = 0.2, M = 3.0, V = 2.0;

// a ball of mass M at the floor, with speed V towards it and `slip` along it
static motion at_floor(const char *law, double slip) {
  char text[500];
  (void)snprintf(text, sizeof text,
                 "parameters: {m: %.17g, s: %.17g}\n"
                 "coordinates: {x: {start: 0, rate: s}, y: {start: 0.5, rate: -2}}\n"
                 "energy: {kinetic: m*(x'^2 + y'^2)/2}\n"
                 "contacts: {floor: {gap: y, slip: x', friction: 0.2, impact: {e: 0.6, law: %s}}}\n"
                 "run: {until: 1}\n",
                 M, slip, law);
  return motion_parse(text);
}

// what the certificate says of an outcome: impulses of compression and in all, velocities after
typedef struct outcome {
  double normal, tangential, pressed, rubbed, vx, vy;
} outcome;

static double error_of(const motion *m, carom_law law, const outcome *o) {
  carom_hybrid *it = m->simulation->state;
  const carom_contact_set *set = &it->model->contacts;
  double impulse[2] = {0}, compression[2] = {0};
  impulse[set->normal[0]] = o->normal;
  impulse[set->tangent[0]] = o->tangential;
  compression[set->normal[0]] = o->pressed;
  compression[set->tangent[0]] = o->rubbed;
  carom_impact_result result = {.impulse = impulse, .compression = compression};
  double kept[2] = {it->y[2], it->y[3]};
  it->contact.closed = 1;
  it->contact.which[0] = 0;
  it->now.certificate.worst.impact_error = 0.0;
  assert_int_equal(carom_hybrid_evaluate_rows(it, 0.0, it->y), CAROM_OK);
  carom_contact_coefficients(set, &it->contact, it->model->dynamics, &it->work.rows, 0.0, it->y);
  memcpy(it->instant.striking.approach, it->work.rows.velocity, 2 * sizeof(double));
  it->y[2] = o->vx, it->y[3] = o->vy;
  assert_int_equal(carom_hybrid_evaluate_rows(it, 0.0, it->y), CAROM_OK);
  carom_audit_impact(it, law, false, &result);
  it->y[2] = kept[0], it->y[3] = kept[1];
  return it->now.certificate.worst.impact_error;
}

// the right outcome: slip goes on (fast) or ends (slow)
static outcome by_hand(double slip) {
  double normal = (1.0 + E) * M * V, side = slip > 0.0 ? 1.0 : -1.0;
  outcome o = {.normal = normal, .pressed = M * V, .vy = E * V};
  o.tangential = -side * fmin(MU * normal, M * fabs(slip));
  o.rubbed = -side * fmin(MU * o.pressed, M * fabs(slip));
  o.vx = slip + o.tangential / M;
  return o;
}

// velocities follow the impulses, so that only the law is broken
static void follow(outcome *o, double slip) {
  o->vx = slip + o->tangential / M;
  o->vy = -V + o->normal / M;
}

static void right_and_wrong(void **state) {
  (void)state;
  static const struct {
    const char *name;
    carom_law law;
  } laws[] = {{"newton", CAROM_LAW_NEWTON},
              {"poisson", CAROM_LAW_POISSON},
              {"energetic", CAROM_LAW_ENERGETIC}};
  static const double slips[] = {5.0, -5.0, 0.1, -0.1, 0.5};
  for (int l = 0; l < 3; l++)
    for (int k = 0; k < 5; k++) {
      double slip = slips[k], wrong = 1e-3;
      motion m = at_floor(laws[l].name, slip);
      outcome right = by_hand(slip), o = right;
      CHECK_NEAR(error_of(&m, laws[l].law, &o), 0.0, 1e-14);
      // momentum: velocities that are not those of the impulses
      o = right, o.vy *= 1.0 + wrong;
      CHECK(error_of(&m, laws[l].law, &o) > 1e-5);
      o = right, o.vx += wrong;
      CHECK(error_of(&m, laws[l].law, &o) > 1e-5);
      // restitution too large, too small, none; an impulse that pulls
      for (int j = 0; j < 4; j++) {
        static const double factors[] = {1.01, 0.99, 0.0, -1.0};
        o = right, o.normal *= factors[j], o.tangential *= factors[j];
        follow(&o, slip);
        CHECK(error_of(&m, laws[l].law, &o) > 1e-3);
      }
      // friction outside its cone, too small, of the other sign
      for (int j = 0; j < 3; j++) {
        static const double factors[] = {1.05, 0.9, -1.0};
        o = right, o.tangential *= factors[j];
        follow(&o, slip);
        CHECK(error_of(&m, laws[l].law, &o) > 1e-4);
      }
      // compression that is not over
      o = right, o.pressed *= 0.9;
      CHECK((laws[l].law == CAROM_LAW_POISSON) == (error_of(&m, laws[l].law, &o) > 1e-3));
      motion_end(&m);
    }
}

// the whole of a run: no error where all is right
static void runs_are_right(void **state) {
  (void)state;
  static const char *const laws[] = {"newton", "poisson", "energetic"};
  for (int l = 0; l < 3; l++) {
    motion m = at_floor(laws[l], 1.0);
    assert_int_equal(motion_run(&m), CAROM_OK);
    carom_certificate c = certificate_of(&m);
    assert_int_equal(c.counts.impacts, 1);
    CHECK(c.passed && c.worst.impact_error <= 1e-12);
    CHECK_NEAR(value_of(&m, "y'"), E * V, 1e-9);
    motion_end(&m);
  }
}

// a rule is right when the state is as assigned and nothing else has changed
static void rules_are_right(void **state) {
  (void)state;
  motion m = motion_parse("coordinates: {x: {start: 0, rate: 1}, y: {start: 0.5, rate: -2}}\n"
                          "energy: {kinetic: (x'^2 + y'^2)/2}\n"
                          "events:\n"
                          "  never: {when: x - 100, do: {y: 7}}\n"
                          "  end: {when: x - 1, do: {x: x - 2, x': x' + 0.5}}\n"
                          "run: {until: 2}\n");
  assert_int_equal(motion_run(&m), CAROM_OK);
  carom_certificate c = certificate_of(&m);
  CHECK(c.passed && c.worst.reset_error == 0.0);
  CHECK_NEAR(value_of(&m, "x"), -1.0 + 1.5, 1e-9);
  carom_hybrid *it = m.simulation->state;
  const carom_watched *end = NULL;
  for (int k = 0; k < it->model->watched_count; k++)
    if (strcmp(it->model->watched[k].name, "end") == 0) end = &it->model->watched[k];
  assert_non_null(end);
  const double before[] = {1.0, 0.25, 1.0, -2.0}, after[] = {-1.0, 0.25, 1.5, -2.0};
  memcpy(it->before, before, sizeof before);
  memcpy(it->y, after, sizeof after);
  carom_audit_rule(it, end);
  CHECK_SAME(it->now.certificate.worst.reset_error, 0.0);
  for (int i = 0; i < 4; i++) {
    memcpy(it->y, after, sizeof after);
    it->y[i] *= 1.0 + 1e-6;
    it->now.certificate.worst.reset_error = 0.0;
    carom_audit_rule(it, end);
    CHECK_NEAR(it->now.certificate.worst.reset_error, 1e-6, 1e-9);
    CHECK(!certificate_of(&m).passed);
  }
  motion_end(&m);
}

// A run that rests under a force exchanges no energy; what its steps were off by did work, and no
// more than the force times the tolerance of the way, once a step and ten times, is explained by
// it.
static void rest_under_a_force(void **state) {
  (void)state;
  const double force = 0.2, at = 0.482066072556495;
  const char *const held[] = {
      // a crank pressed against a stop through its rod: constraint and contact are set right each
      // step
      "coordinates: {phi: 0.482066072556495, x: 0.385}\n"
      "energy: {kinetic: 0.01/2*phi'^2 + 0.5/2*x'^2, dissipation: 0.002/2*phi'^2}\n"
      "forces: {phi: -0.2}\n"
      "constraints: {rod: (x - 0.1*cos(phi))^2 + (0.1*sin(phi))^2 - 0.3^2}\n"
      "contacts: {plate: {gap: 0.385 - x, impact: {law: newton, e: 0.6}}}\n"
      "run: {until: 5}\n",
      // a block on the floor that friction holds
      "coordinates: {phi: 0.482066072556495, y: 0}\n"
      "energy: {kinetic: (phi'^2 + y'^2)/2, potential: 9.81*y}\n"
      "forces: {phi: -0.2}\n"
      "contacts: {floor: {gap: y, slip: phi', friction: 0.1}}\n"
      "run: {until: 5}\n"};
  for (int k = 0; k < 2; k++) {
    motion m = motion_parse(held[k]);
    assert_int_equal(motion_run(&m), CAROM_OK);
    carom_certificate c = certificate_of(&m);
    CHECK(c.passed && fabs(c.energy.residual_relative) <= c.tolerance);
    CHECK_NEAR(value_of(&m, "phi"), at, 1e-12);
    carom_hybrid *it = m.simulation->state;
    const carom_dynamics *dynamics = it->model->dynamics;
    double allowed = (double)(10 + c.counts.steps) * force * (it->run.atol + it->run.rtol * at);
    double *work = it->y + dynamics->size + (dynamics->has_power[0] ? 1 : 0), kept = *work;
    *work = kept + 0.5 * allowed;
    CHECK(certificate_of(&m).passed);
    *work = kept - 3.0 * allowed; // other tolerances of the state allow less than this
    CHECK(!certificate_of(&m).passed);
    *work = kept + 3.0 * allowed;
    CHECK(!certificate_of(&m).passed);
    motion_end(&m);
  }
}

// The same with no force: a residual far below any rounding, of energies that are none.
static void rest_of_nothing(void **state) {
  (void)state;
  motion m = motion_parse("coordinates: {x: 0.3, y: 0}\n"
                          "energy: {kinetic: (x'^2 + y'^2)/2}\n"
                          "forces: {x: -x'}\n"
                          "run: {until: 1}\n");
  assert_int_equal(motion_run(&m), CAROM_OK);
  CHECK(certificate_of(&m).passed);
  carom_hybrid *it = m.simulation->state;
  double *work = it->y + it->model->dynamics->size + (it->model->dynamics->has_power[0] ? 1 : 0);
  *work = 1e-283;
  CHECK(certificate_of(&m).passed);
  *work = 1e-20;
  CHECK(!certificate_of(&m).passed);
  motion_end(&m);
}

// Every limit of the table in docs/theory-flow.md: a little less passes, a little more does not.
static void limits_are_those_promised(void **state) {
  (void)state;
  motion m = motion_parse("coordinates: {x: {start: 4, rate: 1}, y: 2}\n"
                          "energy: {kinetic: (x'^2 + y'^2)/2, potential: y}\n"
                          "contacts: {floor: {gap: y, slip: x', friction: 0.1, impact: 0.5}}\n"
                          "run: {until: 1}\n");
  assert_int_equal(motion_run(&m), CAROM_OK);
  CHECK(certificate_of(&m).passed);
  carom_hybrid *it = m.simulation->state;
  carom_violations *worst = &it->now.certificate.worst;
  const struct {
    double *value, most;
  } limits[] = {{&it->now.standing.deepest, 10.0},
                {&worst->cone_violation, 1e-8},
                {&worst->complementarity, 1e-8},
                {&worst->impact_error, 1e-8 + 10.0 * it->run.rtol},
                {&worst->reset_error, 1e-13},
                {&worst->constraint_error, 1e-11 * 5.0}, // x is the largest of the state
                {&worst->constraint_rate_error, 1e-11 * 5.0}};
  for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
    double kept = *limits[k].value;
    *limits[k].value = 0.999 * limits[k].most;
    CHECK(certificate_of(&m).passed);
    *limits[k].value = 1.001 * limits[k].most;
    CHECK(!certificate_of(&m).passed);
    *limits[k].value = kept;
  }
  motion_end(&m);
}

// A weight is lifted slowly by a spring that is drawn up, and a force drags a block through oil:
// what the drive gives the height holds, what the force gives the oil takes, and next to nothing
// moves. An error of the account is measured by all that was exchanged.
static void residual_of_what_was_exchanged(void **state) {
  (void)state;
  motion m = motion_parse("coordinates: {y: -9.81e-4, x: {start: 0, rate: 0.0981}}\n"
                          "energy: {kinetic: (y'^2 + x'^2)/2, dissipation: x'^2/0.0981/2,\n"
                          "  potential: 9.81*y + 1e4/2*(y - t/100)^2}\n"
                          "forces: {x: 1}\n"
                          "run: {until: 10}\n");
  assert_int_equal(motion_run(&m), CAROM_OK);
  carom_hybrid *it = m.simulation->state;
  CHECK(it->model->dynamics->has_power[0]);
  double given = 9.81 * 0.1, error = 1e-10;
  it->y[it->model->dynamics->size] += error * given;
  carom_certificate c = certificate_of(&m);
  CHECK_NEAR(c.energy.work_drives, given, 1e-3);
  CHECK_NEAR(c.energy.work_forces, given, 1e-9);
  CHECK_NEAR(c.energy.lost_dampers, given, 1e-9);
  CHECK_NEAR(c.energy.residual_relative, -error / 4.0, 1e-2 * error);
  CHECK(c.passed);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(right_and_wrong),
                                     cmocka_unit_test(runs_are_right),
                                     cmocka_unit_test(rules_are_right),
                                     cmocka_unit_test(rest_under_a_force),
                                     cmocka_unit_test(rest_of_nothing),
                                     cmocka_unit_test(limits_are_those_promised),
                                     cmocka_unit_test(residual_of_what_was_exchanged)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
