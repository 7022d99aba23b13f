// SPDX-License-Identifier: MIT
/// Frames of motions in the plane.
#include "draw/movie.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_CORNERS = 512 };
static const unsigned INK = 0x22303d, TRAIL = 0xb05014, FORCE = 0xb00020;
static const unsigned TONES[] = {0x6c93c0, 0xd9ab60, 0x7db294, 0xad85a7, 0x95a0ab};

static void widen(double box[4], double x, double y, double margin) {
  box[0] = fmin(box[0], x - margin), box[1] = fmin(box[1], y - margin);
  box[2] = fmax(box[2], x + margin), box[3] = fmax(box[3], y + margin);
}

static long last_frame(const carom_stage *it) {
  return it->last > 0 ? it->last : it->scene->frames - 1;
}

static void measure_plane(carom_stage *it) {
  const carom_scene_data *s = it->scene;
  const double empty[4] = {INFINITY, INFINITY, -INFINITY, -INFINITY};
  for (int k = 0; k < 4; k++)
    it->box[k] = empty[k];
  long last = last_frame(it), stride = 1 + (last - it->first) / 400;
  for (long frame = it->first; frame <= last; frame += stride)
    for (long p = 0; p < s->part_count; p++) {
      const carom_part *part = &s->parts[p];
      const double *at = carom_scene_data_at(s, frame, part);
      if (part->kind == CAROM_PART_CIRCLE) widen(it->box, at[0], at[1], at[2]);
      if (part->kind == CAROM_PART_SEGMENT || part->kind == CAROM_PART_POLYGON)
        for (int k = 0; k + 1 < part->count; k += 2)
          widen(it->box, at[k], at[k + 1], 0.0);
      if (part->kind == CAROM_PART_LEVEL) {
        it->box[1] = fmin(it->box[1], at[0]);
        it->box[3] = fmax(it->box[3], at[0]);
      }
    }
  for (int k = 0; k < 2; k++)
    if (!(it->box[k] <= it->box[k + 2])) it->box[k] = -1.0, it->box[k + 2] = 1.0;
  double pad = 0.08 * fmax(it->box[2] - it->box[0], it->box[3] - it->box[1]);
  if (!(pad > 0.0)) pad = 1.0;
  it->box[0] -= pad, it->box[1] -= pad, it->box[2] += pad, it->box[3] += pad;
}

// of the rods at the start, where they are too many to be told apart
static void measure_layers(carom_stage *it) {
  enum { MANY = 1000 };
  const carom_scene_data *s = it->scene;
  double low = INFINITY, high = -INFINITY;
  long rods = 0;
  for (long p = 0; p < s->part_count; p++) {
    if (s->parts[p].kind != CAROM_PART_ROD) continue;
    double z = carom_scene_data_at(s, 0, &s->parts[p])[2];
    low = fmin(low, z), high = fmax(high, z);
    rods++;
  }
  if (rods > MANY) it->low = low, it->high = high;
}

// rods of the same half length and radius are of one kind; beyond the room for kinds they are not
// told apart
static void measure_kinds(carom_stage *it) {
  const carom_scene_data *s = it->scene;
  for (long p = 0; p < s->part_count; p++) {
    const double *own = s->fixed + s->parts[p].fixed_first;
    if (s->parts[p].kind != CAROM_PART_ROD) continue;
    int k = 0;
    while (k < it->kind_count && (it->kinds[k][0] != own[0] || it->kinds[k][1] != own[1]))
      k++;
    if (k < it->kind_count || k == CAROM_STAGE_KINDS) continue;
    it->kinds[k][0] = own[0], it->kinds[k][1] = own[1];
    it->kind_count++;
  }
}

// whether rods, and nothing else, stay in a plane y = const
static bool is_flat(const carom_stage *it) {
  const carom_scene_data *s = it->scene;
  double y = NAN;
  for (long frame = it->first; frame <= last_frame(it); frame++)
    for (long p = 0; p < s->part_count; p++) {
      if (s->parts[p].kind == CAROM_PART_BODY) return false;
      if (s->parts[p].kind != CAROM_PART_ROD) continue;
      const double *at = carom_scene_data_at(s, frame, &s->parts[p]);
      if (isnan(y)) y = at[1];
      if (at[1] != y || at[4] != 0.0) return false;
    }
  return !isnan(y);
}

static void measure_space(carom_stage *it) {
  const carom_scene_data *s = it->scene;
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  long last = last_frame(it), stride = 1 + (last - it->first) / 60;
  for (long frame = it->first; frame <= last; frame += stride)
    for (long p = 0; p < s->part_count; p++) {
      const carom_part *part = &s->parts[p];
      if (part->kind != CAROM_PART_ROD && part->kind != CAROM_PART_BODY) continue;
      const double *at = carom_scene_data_at(s, frame, part), *own = s->fixed + part->fixed_first;
      double reach = part->kind == CAROM_PART_ROD ? own[0] + own[1] : 0.0;
      for (int k = 1; part->kind == CAROM_PART_BODY && k + 2 <= 3 * (int)own[0]; k += 3)
        reach =
            fmax(reach, sqrt(own[k] * own[k] + own[k + 1] * own[k + 1] + own[k + 2] * own[k + 2]));
      for (int c = 0; c < 3; c++) {
        low[c] = fmin(low[c], at[c] - reach);
        high[c] = fmax(high[c], at[c] + reach);
      }
    }
  it->reach = 0.0;
  for (int c = 0; c < 3; c++) {
    it->middle[c] = isfinite(low[c]) ? 0.5 * (low[c] + high[c]) : 0.0;
    it->extent[c] = isfinite(low[c]) ? high[c] - low[c] : 0.0;
    it->reach = fmax(it->reach, it->extent[c]);
  }
  if (!(it->reach > 0.0)) it->reach = 1.0;
  measure_layers(it);
  measure_kinds(it);
  it->flat = is_flat(it);
  carom_stage_fit_space(it);
}

void carom_stage_measure(carom_stage *stage) {
  if (stage->scene->space)
    measure_space(stage);
  else
    measure_plane(stage);
}

static double scale_of(const carom_stage *it) {
  const double *b = it->box;
  return fmin(it->raster->width / (b[2] - b[0]), it->raster->height / (b[3] - b[1]));
}

static void place(const carom_stage *it, double x, double y, double out[2]) {
  double scale = scale_of(it);
  out[0] = 0.5 * it->raster->width + (x - 0.5 * (it->box[0] + it->box[2])) * scale;
  out[1] = 0.5 * it->raster->height - (y - 0.5 * (it->box[1] + it->box[3])) * scale;
}

static void paint_outline(const carom_stage *it, int count, const double (*corners)[2],
                          double width) {
  for (int k = 0; k < count; k++)
    carom_raster_line(it->raster, corners[k], corners[(k + 1) % count], width,
                      (carom_paint){INK, 1.0});
}

// a line through a point, hatched on the far side of its normal
static void paint_ground(const carom_stage *it, const double point[2], const double normal[2]) {
  double p[2], reach = it->raster->width + it->raster->height;
  place(it, point[0], point[1], p);
  double along[2] = {normal[1], normal[0]}, down[2] = {-normal[0], normal[1]};
  const double a[2] = {p[0] - reach * along[0], p[1] - reach * along[1]};
  const double b[2] = {p[0] + reach * along[0], p[1] + reach * along[1]};
  carom_raster_line(it->raster, a, b, 2.0, (carom_paint){INK, 1.0});
  int hatches = (int)(reach / 14.0);
  for (int k = -hatches; k <= hatches; k++) {
    double s = 14.0 * k;
    const double top[2] = {p[0] + s * along[0] + 2.0 * down[0],
                           p[1] + s * along[1] + 2.0 * down[1]};
    const double low[2] = {top[0] - 8.0 * along[0] + 8.0 * down[0],
                           top[1] - 8.0 * along[1] + 8.0 * down[1]};
    carom_raster_line(it->raster, top, low, 1.0, (carom_paint){0x9aa5b0, 1.0});
  }
}

static void paint_part(const carom_stage *it, long frame, long p) {
  const carom_part *part = &it->scene->parts[p];
  const double *at = carom_scene_data_at(it->scene, frame, part);
  unsigned tone = TONES[p % 5];
  double corners[MOST_CORNERS][2], scale = scale_of(it);
  if (part->kind == CAROM_PART_CIRCLE) {
    place(it, at[0], at[1], corners[0]);
    double radius = fmax(2.0, at[2] * scale);
    carom_raster_disc(it->raster, corners[0][0], corners[0][1], radius, (carom_paint){tone, 0.95});
    carom_raster_ring(it->raster, corners[0][0], corners[0][1], radius, 1.6,
                      (carom_paint){INK, 1.0});
  } else if (part->kind == CAROM_PART_SEGMENT) {
    place(it, at[0], at[1], corners[0]);
    place(it, at[2], at[3], corners[1]);
    carom_raster_line(it->raster, corners[0], corners[1], 4.5, (carom_paint){INK, 1.0});
  } else if (part->kind == CAROM_PART_POLYGON) {
    int count = part->count / 2 < MOST_CORNERS ? part->count / 2 : MOST_CORNERS;
    for (int k = 0; k < count; k++)
      place(it, at[2 * k], at[2 * k + 1], corners[k]);
    carom_raster_polygon(it->raster, count, (const double(*)[2])corners, (carom_paint){tone, 0.85});
    paint_outline(it, count, (const double(*)[2])corners, 1.6);
  } else if (part->kind == CAROM_PART_LEVEL) {
    const double point[2] = {0.5 * (it->box[0] + it->box[2]), at[0]}, up[2] = {0.0, 1.0};
    paint_ground(it, point, up);
  } else if (part->kind == CAROM_PART_PLANE) {
    paint_ground(it, at, at + 3);
  }
}

static bool moves(const carom_scene_data *s, const carom_part *part) {
  const double *first = carom_scene_data_at(s, 0, part);
  const double *later = carom_scene_data_at(s, s->frames / 2, part);
  for (int k = 0; k < part->count; k++)
    if (first[k] != later[k]) return true;
  return false;
}

// the way of the first circle that moves, or of the far end of the first segment
static void paint_trail(const carom_stage *it, long frame) {
  const carom_scene_data *s = it->scene;
  const carom_part *part = NULL;
  static const carom_part_kind KINDS[] = {CAROM_PART_CIRCLE, CAROM_PART_SEGMENT,
                                          CAROM_PART_POLYGON};
  for (int k = 0; k < 3 && !part; k++)
    for (long p = 0; p < s->part_count && !part; p++)
      if (s->parts[p].kind == KINDS[k] && moves(s, &s->parts[p])) part = &s->parts[p];
  if (!part) return;
  int at = part->kind == CAROM_PART_SEGMENT ? 2 : 0;
  double last[2], now[2];
  long first = frame > it->trail ? frame - it->trail : 0;
  for (long f = first; f <= frame; f++) {
    const double *numbers = carom_scene_data_at(s, f, part);
    place(it, numbers[at], numbers[at + 1], now);
    if (f > first) carom_raster_line(it->raster, last, now, 1.4, (carom_paint){TRAIL, 0.5});
    last[0] = now[0], last[1] = now[1];
  }
}

void carom_stage_plane(const carom_stage *stage, long frame) {
  paint_trail(stage, frame);
  for (long p = 0; p < stage->scene->part_count; p++)
    paint_part(stage, frame, p);
}

void carom_stage_arrow(const carom_stage *stage, const double at[2], const double force[2],
                       double length) {
  double from[2], size = hypot(force[0], force[1]);
  if (!(size > 0.0) || !(length > 1.0)) return;
  place(stage, at[0], at[1], from);
  const double along[2] = {force[0] / size, -force[1] / size};
  const double tip[2] = {from[0] + length * along[0], from[1] + length * along[1]};
  const double head[3][2] = {
      {tip[0] + 4.0 * along[0], tip[1] + 4.0 * along[1]},
      {tip[0] - 7.0 * along[0] - 4.5 * along[1], tip[1] - 7.0 * along[1] + 4.5 * along[0]},
      {tip[0] - 7.0 * along[0] + 4.5 * along[1], tip[1] - 7.0 * along[1] - 4.5 * along[0]}};
  carom_raster_line(stage->raster, from, tip, 2.6, (carom_paint){FORCE, 1.0});
  carom_raster_polygon(stage->raster, 3, head, (carom_paint){FORCE, 1.0});
}
