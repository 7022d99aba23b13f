// SPDX-License-Identifier: MIT
#include "check.h"

#include "carom/equilibrium.h"

#include <string.h>

static carom_equilibria *find(const char *text, int count, const carom_setting *settings,
                              carom_model **model, carom_simulation **simulation) {
  carom_error error = {0};
  carom_equilibria *list = NULL;
  if (carom_model_parse(text, NULL, count, settings, model, &error) != CAROM_OK ||
      carom_simulation_create(*model, simulation, &error) != CAROM_OK ||
      carom_equilibria_find(*simulation, &list, &error) != CAROM_OK)
    fail_msg("%s", error.text);
  return list;
}

static void release(carom_equilibria *list, carom_model *model, carom_simulation *simulation) {
  carom_equilibria_destroy(list);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

// hanging, omega^2 = g/l; from a start near the top, standing, with a real pair of eigenvalues
static void test_pendulum(void **unused) {
  (void)unused;
  const char *text = "coordinates: {a: 0.3}\n"
                     "energy: {kinetic: \"2*a'^2\", potential: -9.81*2*cos(a)}\n"
                     "run: {until: 1}\n";
  carom_model *model;
  carom_simulation *simulation;
  carom_equilibria *list = find(text, 0, NULL, &model, &simulation);
  assert_int_equal(carom_equilibria_count(list), 1);
  CHECK_NEAR(carom_equilibria_at(list, 0)->state[0], 0.0, 1e-12);
  CHECK_NEAR(carom_equilibria_at(list, 0)->im[0], sqrt(9.81 / 2.0), 1e-12);
  assert_int_equal(carom_equilibria_at(list, 0)->kind, CAROM_EQUILIBRIUM_MARGINAL);
  release(list, model, simulation);

  const carom_setting near_top = {"a", "2.9"};
  list = find(text, 1, &near_top, &model, &simulation);
  assert_int_equal(carom_equilibria_count(list), 1);
  CHECK_NEAR(carom_equilibria_at(list, 0)->state[0], acos(-1.0), 1e-12);
  CHECK_NEAR(carom_equilibria_at(list, 0)->re[0], sqrt(9.81 / 2.0), 1e-12);
  assert_int_equal(carom_equilibria_at(list, 0)->kind, CAROM_EQUILIBRIUM_UNSTABLE);
  release(list, model, simulation);
}

// what is slow is no less stable: rates of 1e-10 a second, in whatever unit
static void test_slow(void **unused) {
  (void)unused;
  const char *text = "parameters: {w: 1e-10, c: 1}\n"
                     "coordinates: {x: 0.3}\n"
                     "energy: {kinetic: x'^2/2, potential: w^2*x^2/2, dissipation: c*w*x'^2/2}\n"
                     "run: {until: 1}\n";
  for (int k = 0; k < 2; k++) {
    const carom_setting fast = {"w", "1e10"};
    double w = k ? 1e10 : 1e-10;
    carom_model *model;
    carom_simulation *simulation;
    carom_equilibria *list = find(text, k, &fast, &model, &simulation);
    assert_int_equal(carom_equilibria_count(list), 1);
    CHECK_NEAR(carom_equilibria_at(list, 0)->re[0] / w, -0.5, 1e-12);
    assert_int_equal(carom_equilibria_at(list, 0)->kind, CAROM_EQUILIBRIUM_STABLE);
    release(list, model, simulation);
  }
}

// the same pendulum in x and y with its rod as a constraint
static void test_constraint(void **unused) {
  (void)unused;
  const char *text = "coordinates: {x: 0.5, y: -1.9}\n"
                     "energy: {kinetic: \"(x'^2 + y'^2)/2\", potential: 9.81*y}\n"
                     "constraints: {rod: x^2 + y^2 = 4}\n"
                     "run: {until: 1}\n";
  carom_model *model;
  carom_simulation *simulation;
  carom_equilibria *list = find(text, 0, NULL, &model, &simulation);
  assert_int_equal(carom_equilibria_count(list), 1);
  CHECK_NEAR(carom_equilibria_at(list, 0)->state[0], 0.0, 1e-10);
  CHECK_NEAR(carom_equilibria_at(list, 0)->state[1], -2.0, 1e-10);
  assert_int_equal(carom_equilibria_at(list, 0)->eigenvalues, 2);
  CHECK_NEAR(carom_equilibria_at(list, 0)->im[0], sqrt(9.81 / 2.0), 1e-10);
  release(list, model, simulation);
}

// Block on a belt with falling friction mu(v) = mu0 - k v: sliding equilibrium at x = mu m g /
// spring, made unstable by the slope: real part k g / 2 (m = 1)
static void test_falling_friction(void **unused) {
  (void)unused;
  const char *text = "coordinates: {x: 0, y: 0}\n"
                     "energy: {kinetic: \"(x'^2 + y'^2)/2\", potential: 10*y + 2*x^2}\n"
                     "contacts:\n"
                     "  belt: {gap: y, slip: x' - 0.5, friction: 0.4 - 0.1*abs(slip)}\n"
                     "run: {until: 1}\n";
  carom_model *model;
  carom_simulation *simulation;
  carom_equilibria *list = find(text, 0, NULL, &model, &simulation);
  assert_int_equal(carom_equilibria_count(list), 1); // none in flight
  const carom_equilibrium *e = carom_equilibria_at(list, 0);
  assert_string_equal(e->mode, "-");
  double mu = 0.4 - 0.1 * 0.5;
  CHECK_NEAR(e->state[0], mu * 10.0 / 4.0, 1e-12);
  CHECK_NEAR(e->normal[0], 10.0, 1e-12);
  CHECK_NEAR(e->tangential[0], mu * 10.0, 1e-12);
  CHECK_NEAR(e->re[0], 0.1 * 10.0 / 2.0, 1e-12);
  CHECK_NEAR(e->im[0], sqrt(4.0 - 0.25), 1e-12);
  CHECK(e->admissible);
  assert_int_equal(e->kind, CAROM_EQUILIBRIUM_UNSTABLE);
  release(list, model, simulation);
}

// A tip on a belt: friction mu turns with the push, N = pull/(2 mu - 1). Beyond mu = 1/2 a pull
// gives a force that pushes, but that is Painleve's paradox: nothing rests there.
static void test_beyond_painleve(void **unused) {
  (void)unused;
  static const struct {
    double mu, pull;
    bool admissible;
  } cases[] = {{0.25, -1.0, true}, {0.25, 1.0, false}, {1.0, 1.0, false}};
  char text[300];
  for (int k = 0; k < 3; k++) {
    (void)snprintf(text, sizeof text,
                   "coordinates: {a: 0}\nenergy: {kinetic: \"a'^2/2\"}\nforces: {a: %g}\n"
                   "contacts: {tip: {gap: a, slip: \"1 + 2*a'\", friction: %g}}\nrun: {until: 1}\n",
                   cases[k].pull, cases[k].mu);
    carom_model *model;
    carom_simulation *simulation;
    carom_equilibria *list = find(text, 0, NULL, &model, &simulation);
    assert_int_equal(carom_equilibria_count(list), 1);
    const carom_equilibrium *e = carom_equilibria_at(list, 0);
    CHECK_NEAR(e->normal[0], cases[k].pull / (2.0 * cases[k].mu - 1.0), 1e-12);
    assert_int_equal(e->admissible, cases[k].admissible);
    assert_int_equal(e->paradox, k == 2);
    release(list, model, simulation);
  }
}

// a resting block sticks: a continuum, with the friction that is left as margin
static void test_stuck(void **unused) {
  (void)unused;
  const char *text = "coordinates: {x: 0, y: 0}\n"
                     "energy: {kinetic: \"(x'^2 + y'^2)/2\", potential: 10*y}\n"
                     "forces: {x: 1}\n"
                     "contacts:\n"
                     "  floor: {gap: y, slip: x', friction: {stick: 0.3, slip: 0.2}}\n"
                     "run: {until: 1}\n";
  carom_model *model;
  carom_simulation *simulation;
  carom_equilibria *list = find(text, 0, NULL, &model, &simulation);
  assert_int_equal(carom_equilibria_count(list), 1);
  assert_string_equal(carom_equilibria_at(list, 0)->mode, "K");
  assert_int_equal(carom_equilibria_at(list, 0)->kind, CAROM_EQUILIBRIUM_STUCK);
  CHECK_NEAR(carom_equilibria_at(list, 0)->tangential[0], -1.0, 1e-12);
  CHECK_NEAR(carom_equilibria_at(list, 0)->margin, 0.3 * 10.0 - 1.0, 1e-12);
  release(list, model, simulation);
}

static const carom_equilibrium *in_mode(const carom_equilibria *list, const char *mode) {
  for (int k = 0; k < carom_equilibria_count(list); k++)
    if (strcmp(carom_equilibria_at(list, k)->mode, mode) == 0) return carom_equilibria_at(list, k);
  return NULL;
}

// A block balanced on one corner turns about it, and stands on both; a ball rolls about the bottom
// of its tray. Stick holds some directions and leaves the others free.
static void test_stick_leaves_directions(void **unused) {
  (void)unused;
  const char *block =
      "parameters: {a: 0.2, h: 0.5, g: 9.81, mu: 0.8}\n"
      "coordinates: {x: 0, y: 0.56, th: 0.36}\n"
      "define: {lx: x - a*cos(th) + h*sin(th), ly: y - a*sin(th) - h*cos(th), "
      "rx: x + a*cos(th) + h*sin(th), ry: y + a*sin(th) - h*cos(th)}\n"
      "energy: {kinetic: \"(x'^2 + y'^2)/2 + (a^2 + h^2)/6*th'^2\", potential: g*y}\n"
      "contacts: {left: {gap: ly, slip: lx', friction: mu}, right: {gap: ry, slip: rx', "
      "friction: mu}}\nrun: {until: 1}\n";
  carom_model *model;
  carom_simulation *simulation;
  carom_equilibria *list = find(block, 0, NULL, &model, &simulation);
  const carom_equilibrium *corner = in_mode(list, "left:K"),
                          *both = in_mode(list, "left:K,right:K");
  assert_true(corner && both);
  double square = 0.2 * 0.2 + 0.5 * 0.5, rate = sqrt(9.81 * sqrt(square) / (square * 4.0 / 3.0));
  assert_int_equal(corner->eigenvalues, 2);
  CHECK_NEAR(corner->re[0], rate, 1e-9);
  CHECK_NEAR(corner->re[1], -rate, 1e-9);
  assert_int_equal(corner->kind, CAROM_EQUILIBRIUM_UNSTABLE);
  assert_true(corner->admissible && both->admissible);
  assert_int_equal(both->kind, CAROM_EQUILIBRIUM_STUCK);
  CHECK_NEAR(both->normal[0], 9.81 / 2.0, 1e-9);
  release(list, model, simulation);

  const char *tray = "parameters: {R: 1, r: 0.1}\ncoordinates: {x: 0.01, y: -0.89, ph: 0}\n"
                     "define: {d: sqrt(x^2 + y^2)}\n"
                     "energy: {kinetic: \"(x'^2 + y'^2)/2 + r^2/5*ph'^2\", potential: 10*y}\n"
                     "contacts: {tray: {gap: R - r - d, slip: \"(x*y' - y*x')/d + r*ph'\", "
                     "friction: 1}}\nrun: {until: 1}\n";
  list = find(tray, 0, NULL, &model, &simulation);
  const carom_equilibrium *bottom = in_mode(list, "K");
  assert_non_null(bottom);
  assert_int_equal(bottom->eigenvalues, 2);
  CHECK_NEAR(fabs(bottom->im[0]), sqrt(10.0 / 0.9 / 1.4), 1e-9);
  assert_int_equal(bottom->kind, CAROM_EQUILIBRIUM_MARGINAL);
  release(list, model, simulation);
}

// A root has no slope where the valve's pressure starts
static void test_from_beside(void **unused) {
  (void)unused;
  const char *valve = "parameters: {q: 3}\ncoordinates: {y1: 0.2}\n"
                      "states: {y3: {start: 0, rate: '20*(q - y1*sqrt(y3))'}}\n"
                      "energy: {kinetic: y1'^2/2, potential: (y1 + 10)^2/2, "
                      "dissipation: 0.625*y1'^2}\nforces: {y1: y3}\n"
                      "contacts: {seat: {gap: y1, impact: 0.8}}\nrun: {until: 1}\n";
  carom_model *model;
  carom_simulation *simulation;
  carom_equilibria *list = find(valve, 0, NULL, &model, &simulation);
  assert_int_equal(carom_equilibria_count(list), 1);
  double lift = carom_equilibria_at(list, 0)->state[0];
  CHECK_NEAR(lift * sqrt(lift + 10.0), 3.0, 1e-9);
  assert_true(carom_equilibria_at(list, 0)->admissible);
  release(list, model, simulation);
}

// a force, a state and a floor that move with time
static void test_time_is_refused(void **unused) {
  (void)unused;
  static const char force[] = "coordinates: {x: 0}\nenergy: {kinetic: \"x'^2/2\"}\n"
                              "forces: {x: sin(t)}\nrun: {until: 1}\n";
  static const char moving[] = "states: {z: {start: 0, rate: cos(t) - z}}\nrun: {until: 1}\n";
  static const char floor[] =
      "coordinates: {y: 0}\nenergy: {kinetic: \"y'^2/2\", potential: 9.81*y}\n"
      "contacts: {floor: {gap: y - 0.1*sin(t)}}\nrun: {until: 1}\n";
  const char *const texts[] = {force, moving, floor};
  for (int k = 0; k < 3; k++) {
    carom_error error = {0};
    carom_model *model;
    carom_simulation *simulation;
    carom_equilibria *list = NULL;
    assert_int_equal(carom_model_parse(texts[k], NULL, 0, NULL, &model, &error), CAROM_OK);
    assert_int_equal(carom_simulation_create(model, &simulation, &error), CAROM_OK);
    assert_int_equal(carom_equilibria_find(simulation, &list, &error), CAROM_ERR_UNSUPPORTED);
    CHECK(strstr(error.text, "time") != NULL);
    release(list, model, simulation);
  }
}

// At rest a rate is zero but for rounding that wavers about its tolerance: sections on it are told
// to be flat once in a while, and the run goes on.
static void test_rest_goes_on(void **unused) {
  (void)unused;
  const carom_setting settings[] = {{"mu", "0.41107499999999997"}, {"a", "0.38886363332544649"}};
  carom_error error = {0};
  carom_model *model = NULL;
  carom_simulation *simulation = NULL;
  carom_certificate certificate = {0};
  if (carom_model_load(CAROM_SOURCE_DIR "/scenarios/frictional_impact_oscillator_return.yaml", 2,
                       settings, &model, &error) != CAROM_OK ||
      carom_simulation_create(model, &simulation, &error) != CAROM_OK ||
      carom_simulation_run(simulation, &error) != CAROM_OK ||
      carom_simulation_certificate(simulation, &certificate, &error) != CAROM_OK)
    fail_msg("%s", error.text);
  CHECK_SAME(carom_simulation_time(simulation), carom_simulation_until(simulation));
  CHECK(certificate.counts.instants < 100);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

// A block on a belt that moves across its spring: at rest along friction, mu(s) N = k r. Along the
// slip lambda^2 + N mu'/m lambda + k/m = 0, across it lambda^2 + N mu/(m s) lambda + k/m = 0.
static void test_slip_in_space(void **unused) {
  (void)unused;
  const char *text =
      "parameters: {mu: 0.5}\n"
      "coordinates: {x: 0.05, y: 0.02, z: 0}\n"
      "energy: {kinetic: \"x'^2 + y'^2 + z'^2\", potential: 19.62*z + 20*(x^2 + y^2)}\n"
      "contacts: {belt: {gap: z, slip: [x' - 0.3, y' - 0.4], friction: mu/(1 + "
      "slip)}}\n"
      "run: {until: 1}\n";
  carom_model *model;
  carom_simulation *simulation;
  carom_equilibria *list = find(text, 0, NULL, &model, &simulation);
  assert_int_equal(carom_equilibria_count(list), 1);
  const carom_equilibrium *e = carom_equilibria_at(list, 0);
  CHECK(e->admissible && strcmp(e->mode, "S") == 0 && e->kind == CAROM_EQUILIBRIUM_UNSTABLE);
  CHECK_NEAR(e->state[0], 0.6 * 6.54 / 40.0, 1e-12);
  CHECK_NEAR(e->state[1], 0.8 * 6.54 / 40.0, 1e-12);
  CHECK_NEAR(e->tangential[0], 6.54, 1e-12);
  CHECK_NEAR(e->re[0], 0.25 * 19.62 * 0.5 / 2.25, 1e-10);
  CHECK_NEAR(e->re[2], -0.25 * 6.54 / 0.5, 1e-10);
  CHECK_NEAR(fabs(e->im[2]), sqrt(20.0 - 0.0625 * 13.08 * 13.08), 1e-10);
  release(list, model, simulation);
}

// Three feet, nine rows for six directions: the stool stands on a slope as long as tan(al) < mu,
// whatever forces its feet are given; a ball is held where tan(al) < lr/R by what it carries.
static void test_stands_in_space(void **unused) {
  (void)unused;
  const char *stool = "gravity: 9.81\n"
                      "bodies:\n"
                      "  stool: {polyhedron: [[0.2, 0, -0.3], [-0.1, 0.17, -0.3], [-0.1, -0.17, "
                      "-0.3]], mass: 4, inertia: [0.1, 0.1, 0.12], at: [0, 0, 0.4]}\n"
                      "  floor: {plane: [0.2, 0, 1]}\n"
                      "contacts: {feet: {between: [stool, floor], friction: 0.3}}\n"
                      "run: {until: 1}\n";
  const char *ball = "parameters: {al: 0.01}\n"
                     "coordinates: {x: 0, y: 0, z: 0.1, a: 0, b: 0, c: 0}\n"
                     "energy:\n"
                     "  kinetic: (x'^2 + y'^2 + z'^2)/2 + 0.002*(a'^2 + b'^2 + c'^2)\n"
                     "  potential: 9.81*(z*cos(al) - x*sin(al))\n"
                     "contacts:\n"
                     "  floor: {gap: z - 0.1, slip: [x' - 0.1*b', y' + 0.1*a'], friction: 0.3}\n"
                     "  rolling: {normal: floor.normal, slip: [a', b'], friction: 0.002}\n"
                     "  pivoting: {normal: floor.normal, slip: c', friction: 0.001}\n"
                     "run: {until: 1}\n";
  const struct {
    const char *text, *path, *value, *mode;
    int admissible; // -1: not there
  } cases[] = {{stool, "contacts.feet.friction", "0.205", "feet1:K,feet2:K,feet3:K", 1},
               {stool, "contacts.feet.friction", "0.195", "feet1:K,feet2:K,feet3:K", 0},
               {stool, "contacts.feet.friction", "0.6", "feet1:K,feet2:K,feet3:K", 1},
               {ball, "al", "0.0199", "floor:K,rolling:K,pivoting:K", 1},
               {ball, "al", "0.0201", "floor:K,rolling:K,pivoting:K", 0},
               {ball, "al", "0.0199", "floor:K", -1}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    carom_model *model;
    carom_simulation *simulation;
    const carom_setting setting = {cases[c].path, cases[c].value};
    carom_equilibria *list = find(cases[c].text, 1, &setting, &model, &simulation);
    int found = -1;
    for (int k = 0; k < carom_equilibria_count(list); k++)
      if (strcmp(carom_equilibria_at(list, k)->mode, cases[c].mode) == 0)
        found = carom_equilibria_at(list, k)->admissible;
    assert_int_equal(found, cases[c].admissible);
    release(list, model, simulation);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_pendulum),
                                     cmocka_unit_test(test_slow),
                                     cmocka_unit_test(test_constraint),
                                     cmocka_unit_test(test_falling_friction),
                                     cmocka_unit_test(test_beyond_painleve),
                                     cmocka_unit_test(test_stuck),
                                     cmocka_unit_test(test_stick_leaves_directions),
                                     cmocka_unit_test(test_from_beside),
                                     cmocka_unit_test(test_time_is_refused),
                                     cmocka_unit_test(test_rest_goes_on),
                                     cmocka_unit_test(test_slip_in_space),
                                     cmocka_unit_test(test_stands_in_space)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
