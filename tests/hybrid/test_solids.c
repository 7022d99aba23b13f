// SPDX-License-Identifier: MIT
// Shapes in space: where they are and how they are turned, by closed forms; their triangles enclose
// the volume they should, seen from outside.
#include "motion.h"

#include "carom/scene.h"

static const char TEXT[] =
    "parameters: {R: 0.5}\n"
    "coordinates: {th: {start: 0.3, rate: 0}}\n"
    "energy: {kinetic: th'^2/2}\n"
    "shapes:\n"
    "  - {box: [0, 0, R], size: [1, 2, 3], turn: [{z: th}]}\n"
    "  - {cylinder: [2, 0, 0], radius: R, height: 1, turn: [cos(th/2), 0, 0, sin(th/2)]}\n"
    "  - {sphere: [0, th, 0], radius: 2, turn: [[0, 1, 0], [0, 0, 1], [1, 0, 0]]}\n"
    "  - {segment: [[0, 0, 0], [1, 1, th]]}\n"
    "  - {plane: -1}\n"
    "  - {plane: 2, normal: [3, 0, 4]}\n"
    "run: {until: 1, sample: 0.5}\n";

static carom_scene *seen;

static int look(void *ctx, const carom_simulation *simulation, double t, int count,
                const double *values) {
  (void)ctx;
  (void)simulation;
  assert_int_equal(carom_scene_look(seen, t, count, values, NULL), CAROM_OK);
  return 0;
}

static void check_numbers(int part, const double *expected) {
  int count;
  const carom_part *p = carom_scene_part(seen, part);
  const double *numbers = carom_scene_numbers(seen, &count) + p->first;
  for (int k = 0; k < p->count; k++)
    if (fabs(numbers[k] - expected[k]) > 1e-14)
      fail_msg("part %d, number %d: %.17g, not %.17g", part, k, numbers[k], expected[k]);
}

// six times the volume is the sum of a (b x c) over triangles that look outwards
static double volume(int part) {
  int count;
  const carom_part *p = carom_scene_part(seen, part);
  const double *fixed = carom_scene_fixed(seen, &count) + p->fixed_first;
  double sum = 0.0;
  for (int k = 1 + 3 * (int)fixed[0]; k + 3 < p->fixed_length; k += 4) {
    const double *a = fixed + 1 + 3 * (int)fixed[k], *b = fixed + 1 + 3 * (int)fixed[k + 1],
                 *c = fixed + 1 + 3 * (int)fixed[k + 2];
    sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return sum / 6.0;
}

static void places_and_turns(void **state) {
  (void)state;
  const double c = cos(0.3), s = sin(0.3), pi = 3.14159265358979323846;
  motion m = motion_parse(TEXT);
  assert_int_equal(carom_scene_create(m.simulation, &seen, NULL), CAROM_OK);
  assert_true(carom_scene_in_space(seen));
  assert_int_equal(carom_scene_parts(seen), 6);
  carom_observer observer = {.sample = look};
  carom_simulation_observe(m.simulation, &observer);
  assert_int_equal(carom_simulation_advance(m.simulation, 1.0, NULL), CAROM_OK);
  check_numbers(0, (double[]){0, 0, 0.5, 0.5 * c, -s, 0, 0.5 * s, c, 0, 0, 0, 1.5});
  check_numbers(1, (double[]){2, 0, 0, 0.5 * c, -0.5 * s, 0, 0.5 * s, 0.5 * c, 0, 0, 0, 0.5});
  check_numbers(2, (double[]){0, 0.3, 0, 0, 0, 2, 2, 0, 0, 0, 2, 0});
  check_numbers(3, (double[]){0.5, 0.5, 0.15, 0.5, 0.5, 0.15});
  check_numbers(4, (double[]){0, 0, -1, 0, 0, 1});
  check_numbers(5, (double[]){1.2, 0, 1.6, 0.6, 0, 0.8});
  assert_true(fabs(volume(0) - 8.0) < 1e-14);
  assert_true(fabs(volume(1) - 32.0 * sin(2.0 * pi / 32.0)) < 1e-13); // a prism of 32 sides
  double ball = volume(2) / (4.0 / 3.0 * pi);
  assert_true(ball > 0.97 && ball < 1.0); // inscribed
  carom_scene_destroy(seen);
  motion_end(&m);
}

// the numbers of the force of a contact at the end of a motion
static void force_of(const char *text, const char *contact, double until, double *numbers) {
  motion m = motion_parse(text);
  assert_int_equal(carom_scene_create(m.simulation, &seen, NULL), CAROM_OK);
  carom_observer observer = {.sample = look};
  carom_simulation_observe(m.simulation, &observer);
  assert_int_equal(carom_simulation_advance(m.simulation, until, NULL), CAROM_OK);
  int count, found = 0;
  for (int k = 0; k < carom_scene_parts(seen); k++) {
    const carom_part *p = carom_scene_part(seen, k);
    if (p->kind != CAROM_PART_FORCE || strcmp(p->label, contact) != 0) continue;
    memcpy(numbers, carom_scene_numbers(seen, &count) + p->first, 10 * sizeof *numbers);
    found++;
  }
  assert_int_equal(found, 1);
  carom_scene_destroy(seen);
  motion_end(&m);
}

static void check_force(const double *numbers, const double *expected) {
  for (int k = 0; k < 10; k++)
    if (!(fabs(numbers[k] - expected[k]) < 1e-7))
      fail_msg("force, number %d: %.12g, not %.12g", k, numbers[k], expected[k]);
}

// A ball rolls down a slope along (cos a, 0, -sin a) under 5/7 g sin a: friction holds it by
// 2/7 m g sin a. A block that slides along (3, 4)/5 is braked against its way, mu of its weight. A
// ball that lies on a hollow sphere's ground is borne where it lies.
static void forces_in_space(void **state) {
  (void)state;
  double f[10];
  const double m = 2.0, g = 9.81, a = 0.3, c = cos(a), s = sin(a);
  force_of("gravity: 9.81\n"
           "bodies:\n"
           "  slope: {plane: [sin(0.3), 0, cos(0.3)]}\n"
           "  ball: {sphere: 0.1, mass: 2, at: [0.1*sin(0.3), 0, 0.1*cos(0.3)]}\n"
           "contacts: {touch: {between: [ball, slope], friction: 0.6}}\n"
           "run: {until: 0.5, sample: 0.5}\n",
           "touch", 0.5, f);
  const double way = 0.5 * 5.0 / 7.0 * g * s * 0.25, held = 2.0 / 7.0 * m * g * s;
  check_force(f, (double[]){way * c, 0.0, -way * s, m * g * c * s - held * c, 0.0,
                            m * g * c * c + held * s, s, 0.0, c, 0.6});
  force_of("parameters: {mu: 0.25}\n"
           "coordinates: {x: {start: 0, rate: 3}, y: {start: 0, rate: 4}, z: 0.1}\n"
           "energy: {kinetic: x'^2 + y'^2 + z'^2, potential: 2*9.81*z}\n"
           "contacts: {floor: {gap: z - 0.1, slip: [x', y'], friction: mu, impact: 0}}\n"
           "shapes: [{sphere: [x, y, z], radius: 0.1}, {plane: 0}]\n"
           "run: {until: 1, sample: 1}\n",
           "floor", 1.0, f);
  const double far = 5.0 - 0.5 * 0.25 * g;
  check_force(f, (double[]){0.6 * far, 0.8 * far, 0.0, -0.6 * 0.25 * m * g, -0.8 * 0.25 * m * g,
                            m * g, 0.0, 0.0, 1.0, 0.25});
  force_of("coordinates: {x: 0, y: 0, z: -0.9}\n"
           "energy: {kinetic: x'^2 + y'^2 + z'^2, potential: 2*9.81*z}\n"
           "contacts: {bowl: {gap: 0.9 - sqrt(x^2 + y^2 + z^2), impact: 0}}\n"
           "shapes:\n"
           "  - {sphere: [x, y, z], radius: 0.1}\n"
           "  - {sphere: [0, 0, 0], radius: 1, fill: none}\n"
           "run: {until: 1, sample: 1}\n",
           "bowl", 1.0, f);
  check_force(f, (double[]){0.0, 0.0, -1.0, 0.0, 0.0, m * g, 0.0, 0.0, 1.0, 0.0});
}

// a shape of the plane among those of space, and what is missing, are told with their names
static void mistakes(void **state) {
  (void)state;
  static const struct {
    const char *shapes, *told;
  } CASES[] = {
      {"[{sphere: [0, 0, 0], radius: 1}, {circle: [0, 0], radius: 1}]", "drawn in the plane"},
      {"[{sphere: [0, 0], radius: 1}]", "three numbers"},
      {"[{box: [0, 0, 0]}]", "needs a size"},
      {"[{cylinder: [0, 0, 0], radius: 1}]", "needs a height"},
      {"[{sphere: [0, 0, 0], radius: 1, turn: [{z: 1, x: 2}]}]", "a turn is four numbers"},
  };
  for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
    char text[600];
    carom_error error = {0};
    carom_model *model = NULL;
    (void)snprintf(text, sizeof text,
                   "coordinates: {x: 0}\nenergy: {kinetic: x'^2/2}\nshapes: %s\nrun: {until: 1}\n",
                   CASES[k].shapes);
    assert_int_equal(carom_model_parse(text, "text", 0, NULL, &model, &error), CAROM_ERR_INPUT);
    if (!strstr(error.text, CASES[k].told)) fail_msg("%s: %s", CASES[k].shapes, error.text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(places_and_turns),
                                     cmocka_unit_test(forces_in_space), cmocka_unit_test(mistakes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
