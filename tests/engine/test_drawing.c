// SPDX-License-Identifier: MIT
/// What is drawn: symbols of springs, dampers and angles; and of a scenario without shapes its
/// coordinates and contacts.
#include "hybrid/motion.h"

#include "carom/scene.h"

typedef struct picture {
  motion m;
  carom_scene *scene;
} picture;

static int look(void *ctx, const carom_simulation *simulation, double t, int count,
                const double *values) {
  carom_error error = {0};
  (void)simulation;
  MUST(carom_scene_look(ctx, t, count, values, &error), error);
  return 1; // the first sample is enough
}

// the scene of the first sample
static picture open_picture(const char *text) {
  picture it = {.m = motion_parse(text)};
  carom_error error = {0};
  MUST(carom_scene_create(it.m.simulation, &it.scene, &error), error);
  carom_observer observer = {.ctx = it.scene, .sample = look};
  carom_simulation_observe(it.m.simulation, &observer);
  MUST(carom_simulation_run(it.m.simulation, &error), error);
  return it;
}

static void close_picture(picture *it) {
  carom_scene_destroy(it->scene);
  motion_end(&it->m);
}

// the kinds of all parts, and the numbers of each
static void check_parts(const picture *it, int count, const char *const *kinds,
                        const double *numbers) {
  int size;
  const double *seen = carom_scene_numbers(it->scene, &size);
  assert_int_equal(carom_scene_parts(it->scene), count);
  for (int k = 0; k < count; k++) {
    const carom_part *part = carom_scene_part(it->scene, k);
    assert_string_equal(carom_part_kind_text(part->kind), kinds[k]);
    for (int j = 0; j < part->count; j++)
      CHECK_NEAR(seen[part->first + j], *numbers++, 1e-15);
  }
}

static void test_symbols(void **state) {
  (void)state;
  picture it = open_picture("coordinates: {x: 2, phi: 0.5}\nenergy: {kinetic: (x'^2 + phi'^2)/2}\n"
                            "shapes:\n"
                            "  - {spring: [[0, 1], [x, 1]], color: red}\n"
                            "  - {damper: [[0, 0], [x, 0]]}\n"
                            "  - {angle: [x, 3], radius: 0.25, from: -pi/2, to: phi - pi/2}\n"
                            "  - {circle: [x, 1], radius: 0.5, fill: none, label: mass}\n"
                            "run: {until: 1}\n");
  const char *const kinds[] = {"spring", "damper", "angle", "circle"};
  const double numbers[] = {0, 1, 2, 1, 0, 0, 2, 0, 2, 3, 0.25, -PI / 2, 0.5 - PI / 2, 2, 1, 0.5};
  check_parts(&it, 4, kinds, numbers);
  CHECK(!carom_scene_is_made(it.scene));
  assert_string_equal(carom_scene_part(it.scene, 0)->color, "red");
  assert_string_equal(carom_scene_part(it.scene, 1)->color, "");
  CHECK(carom_scene_part(it.scene, 3)->hollow && !carom_scene_part(it.scene, 2)->hollow);
  close_picture(&it);
}

// two places; a floor that moves, a wall to the right of the second, one that stops both: no line
static void test_places(void **state) {
  (void)state;
  picture it = open_picture("coordinates: {x1: 1, y1: 2, x2: 3, y2: 4, phi: 0}\n"
                            "energy: {kinetic: (x1'^2 + y1'^2 + x2'^2 + y2'^2 + phi'^2)/2}\n"
                            "contacts:\n"
                            "  floor: {gap: y1 - 0.25*cos(t), impact: 0}\n"
                            "  wall: {gap: 7 - x2, impact: 0}\n"
                            "  pair: {gap: x2 - x1, impact: 0}\n"
                            "run: {until: 1}\n");
  const char *const kinds[] = {"circle", "circle", "level", "plane"};
  const double numbers[] = {1, 2, 0, 3, 4, 0, 0.25, 7, 0, 0, -1, 0, 0};
  check_parts(&it, 4, kinds, numbers);
  CHECK(carom_scene_is_made(it.scene));
  assert_int_equal(carom_model_count(it.m.model, CAROM_SHAPES), 0);
  close_picture(&it);
}

// coordinates that are no places: beads, and stops on their rows
static void test_beads(void **state) {
  (void)state;
  picture it =
      open_picture("coordinates: {phi: 0.5, s: -1}\nenergy: {kinetic: (phi'^2 + s'^2)/2}\n"
                   "states: {z: {start: 3, rate: -z}}\n"
                   "contacts: {upper: {gap: 1 - phi, impact: 0}, lower: {gap: s + 2, impact: 0}}\n"
                   "run: {until: 1}\n");
  const char *const kinds[] = {"bead", "stop", "bead", "stop", "bead"};
  const double numbers[] = {0.5, 1, -1, -2, 3};
  check_parts(&it, 5, kinds, numbers);
  int count;
  const double *fixed = carom_scene_fixed(it.scene, &count);
  // rows, and of stops the side on which the bead is free
  const double wanted[] = {0, 0, -1, 1, 1, 1, 2};
  assert_int_equal(count, 7);
  for (int k = 0; k < count; k++)
    CHECK_SAME(fixed[k], wanted[k]);
  assert_string_equal(carom_scene_part(it.scene, 3)->label, "lower");
  close_picture(&it);
}

// one coordinate alone is a height or a way
static void test_alone(void **state) {
  (void)state;
  picture ball = open_picture("coordinates: {y: 2}\nenergy: {kinetic: y'^2/2}\n"
                              "contacts: {floor: {gap: y, impact: 0}}\nrun: {until: 1}\n");
  const char *const kinds[] = {"circle", "level"};
  const double numbers[] = {0, 2, 0, 0};
  check_parts(&ball, 2, kinds, numbers);
  close_picture(&ball);
  picture cart = open_picture("coordinates: {x: 2}\nenergy: {kinetic: x'^2/2}\nrun: {until: 1}\n");
  const double way[] = {2, 0, 0};
  check_parts(&cart, 1, kinds, way);
  close_picture(&cart);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_symbols), cmocka_unit_test(test_places),
                                     cmocka_unit_test(test_beads), cmocka_unit_test(test_alone)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
