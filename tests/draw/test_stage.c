// SPDX-License-Identifier: MIT
// Pictures of space: grids of planes end where another plane begins, so that walls look like a box;
// kinds of rods have their own colours.
#include "check.h"
#include "draw/movie.h"

#include <string.h>

enum { SIZE = 200, PLANES = 2, PIXELS = SIZE * SIZE };

static double painting[PIXELS];

// parts of six numbers each, in space and at rest
static carom_scene_data scene_of(int count, carom_part *parts, double *numbers, double *fixed) {
  return (carom_scene_data){.space = true,
                            .frames = 1,
                            .size = 6L * count,
                            .part_count = count,
                            .parts = parts,
                            .numbers = numbers,
                            .fixed = fixed};
}

// how dark each pixel is with these planes alone: of each a place and a normal
static const double *paint(int count, const double planes[][6]) {
  carom_part parts[PLANES];
  double fixed[1] = {0.0}, numbers[6 * PLANES];
  carom_raster raster;
  CHECK(carom_raster_create(&raster, SIZE, SIZE));
  carom_raster_clear(&raster, 0xffffff);
  memcpy(numbers, planes, (size_t)count * sizeof planes[0]);
  for (int k = 0; k < count; k++)
    parts[k] = (carom_part){.kind = CAROM_PART_PLANE, .label = "", .first = 6 * k, .count = 6};
  carom_scene_data scene = scene_of(count, parts, numbers, fixed);
  carom_stage stage = {.scene = &scene, .raster = &raster, .reach = 1.0, .zoom = 80.0};
  carom_stage_space(&stage, 0);
  for (int k = 0; k < PIXELS; k++)
    painting[k] = 255 - raster.pixels[3 * k];
  carom_raster_free(&raster);
  return painting;
}

static void nothing_is_seen_behind_a_plane(void **state) {
  (void)state;
  const double both[2][6] = {{0, 0, 0.3, 0, 0, 1}, {0, 0, -0.3, 0, 0, 1}};
  double alone[PIXELS], dark = 0.0;
  memcpy(alone, paint(1, both), sizeof alone);
  const double *together = paint(2, both);
  for (int k = 0; k < PIXELS; k++) {
    CHECK(alone[k] == together[k]);
    dark += alone[k];
  }
  CHECK(dark > 0.0);
}

// a wall through the middle leaves one half of the floor, the same wall turned round the other
static void walls_cut_the_floor(void **state) {
  (void)state;
  const double floor[1][6] = {{0, 0, 0, 0, 0, 1}};
  double whole[PIXELS], half[2] = {0.0, 0.0}, either = 0.0, all = 0.0, first[PIXELS] = {0};
  memcpy(whole, paint(1, floor), sizeof whole);
  for (int side = 0; side < 2; side++) {
    const double planes[2][6] = {{0, 0, 0, 0, 0, 1}, {0, 0, 0, side ? -1 : 1, 0, 0}};
    const double *cut = paint(2, planes);
    for (int k = 0; k < PIXELS; k++) {
      if (whole[k] > 0.0 && cut[k] > 0.0) half[side] += 1.0;
      if (side == 1 && whole[k] > 0.0) {
        all += 1.0;
        either += cut[k] > 0.0 || first[k] > 0.0;
      }
    }
    if (side == 0) memcpy(first, cut, sizeof first);
  }
  CHECK(all > 1000.0);
  CHECK(half[0] < 0.8 * all && half[1] < 0.8 * all);
  CHECK(either > 0.99 * all);
}

static carom_part rod_part(int first, int fixed_first) {
  return (carom_part){.kind = CAROM_PART_ROD,
                      .label = "",
                      .first = first,
                      .count = 6,
                      .fixed_first = fixed_first,
                      .fixed_length = 2,
                      .color = ""};
}

// how many pixels have a colour when spheres of these radii lie side by side
static void count_tones(int count, const double *radii, const unsigned *tones, int *pixels) {
  carom_part parts[3];
  double fixed[6], numbers[18] = {0.0};
  for (int k = 0; k < count; k++) {
    parts[k] = rod_part(6 * k, 2 * k);
    fixed[2 * k] = 0.0, fixed[2 * k + 1] = radii[k];
    numbers[6 * k] = 3.0 * k, numbers[6 * k + 3] = 1.0;
  }
  carom_raster raster;
  CHECK(carom_raster_create(&raster, SIZE, SIZE));
  carom_raster_clear(&raster, 0xffffff);
  carom_scene_data scene = scene_of(count, parts, numbers, fixed);
  carom_stage stage = {.scene = &scene, .raster = &raster};
  carom_stage_measure(&stage);
  carom_stage_space(&stage, 0);
  for (int tone = 0; tone < 3; tone++) {
    pixels[tone] = 0;
    for (int k = 0; k < PIXELS; k++) {
      const unsigned char *c = raster.pixels + 3 * k;
      pixels[tone] += ((unsigned)c[0] << 16 | (unsigned)c[1] << 8 | c[2]) == tones[tone];
    }
  }
  carom_raster_free(&raster);
}

static void kinds_have_their_colours(void **state) {
  (void)state;
  const unsigned tones[3] = {0x3f6fa8, 0xc98a2b, 0x4d8f6b};
  const double alike[3] = {1.0, 1.0, 1.0}, mixed[3] = {1.0, 1.4, 1.0};
  int pixels[3];
  count_tones(3, alike, tones, pixels);
  CHECK(pixels[0] > 50 && pixels[1] > 50 && pixels[2] > 50);
  count_tones(3, mixed, tones, pixels);
  CHECK(pixels[0] > 100 && pixels[1] > 50);
  CHECK(pixels[2] == 0);
}

// a body that was far away before the first frame that is shown does not make the others small
static void only_what_is_shown_counts(void **state) {
  (void)state;
  carom_part part = rod_part(0, 0);
  double fixed[2] = {0.0, 1.0}, numbers[18] = {0, 0, 100, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 2, 1};
  carom_raster raster;
  CHECK(carom_raster_create(&raster, SIZE, SIZE));
  carom_scene_data scene = {.space = true,
                            .frames = 3,
                            .size = 6,
                            .part_count = 1,
                            .parts = &part,
                            .numbers = numbers,
                            .fixed = fixed};
  carom_stage whole = {.scene = &scene, .raster = &raster};
  carom_stage late = {.scene = &scene, .raster = &raster, .first = 1, .last = 2};
  carom_stage_measure(&whole);
  carom_stage_measure(&late);
  CHECK_NEAR(whole.extent[2], 101.0, 1e-12);
  CHECK_NEAR(late.extent[2], 3.0, 1e-12);
  carom_raster_free(&raster);
}

// Rods that never leave a plane across y are seen from the front: lines up stay upright and x runs
// level. A place or an axis out of the plane in any frame, and it is seen from the side.
static void flat_motions_are_seen_from_the_front(void **state) {
  (void)state;
  carom_part parts[2] = {rod_part(0, 0), rod_part(6, 0)};
  double fixed[2] = {1.0, 0.5};
  const double flat[24] = {0, 3, 0, 0, 0, 1, 5, 3, 0, 0.6, 0, 0.8, 1, 3, 0, 0, 0, 1, 6, 3, 1, 1};
  for (int wrong = 0; wrong < 3; wrong++) {
    double numbers[24];
    memcpy(numbers, flat, sizeof flat);
    if (wrong == 1) numbers[13] = 3.1;
    if (wrong == 2) numbers[22] = 0.1;
    carom_raster raster;
    CHECK(carom_raster_create(&raster, SIZE, SIZE));
    carom_scene_data scene = scene_of(2, parts, numbers, fixed);
    scene.frames = 2, scene.size = 12;
    carom_stage stage = {.scene = &scene, .raster = &raster};
    carom_stage_measure(&stage);
    CHECK(stage.flat == (wrong == 0));
    carom_raster_free(&raster);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_is_seen_behind_a_plane),
      cmocka_unit_test(walls_cut_the_floor),
      cmocka_unit_test(kinds_have_their_colours),
      cmocka_unit_test(only_what_is_shown_counts),
      cmocka_unit_test(flat_motions_are_seen_from_the_front),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
