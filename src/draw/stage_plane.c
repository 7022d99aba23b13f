// SPDX-License-Identifier: MIT
/// Frames of motions in the plane.
#include "draw/movie.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CORNERS = 512, MOST_LABELS = 64, TONE_COUNT = 6, LETTERS = 13 };
static const unsigned INK = 0x22303d, SOFT = 0x5d6b7a, TRAIL = 0xb05014, FORCE = 0xb00020,
                      PAPER = 0xfbfcfd;

// the colours of pages (src/draw/page/helpers.js)
static const struct {
  const char *name;
  unsigned colour;
} COLOURS[] = {{"blue", 0x3b76b5},   {"orange", 0xe08a2c}, {"green", 0x4a9a6a},
               {"purple", 0x8a63a8}, {"teal", 0x2a8f8c},   {"red", 0xc8453b},
               {"brown", 0x8c6a4f},  {"pink", 0xd77fa8},   {"yellow", 0xe0b93b},
               {"grey", 0x8794a1},   {"black", 0x22303d},  {"white", 0xffffff}};

static void widen_box(double box[4], double x, double y, double margin) {
  box[0] = fmin(box[0], x - margin), box[1] = fmin(box[1], y - margin);
  box[2] = fmax(box[2], x + margin), box[3] = fmax(box[3], y + margin);
}

static bool has_ends(carom_part_kind kind) {
  return kind == CAROM_PART_SEGMENT || kind == CAROM_PART_SPRING || kind == CAROM_PART_DAMPER;
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
      if (part->kind == CAROM_PART_CIRCLE || part->kind == CAROM_PART_ANGLE)
        widen_box(it->box, at[0], at[1], at[2]);
      if (has_ends(part->kind) || part->kind == CAROM_PART_POLYGON)
        for (int k = 0; k + 1 < part->count; k += 2)
          widen_box(it->box, at[k], at[k + 1], 0.0);
      if (part->kind == CAROM_PART_PLANE) {
        int axis = fabs(at[3]) > 0.5 ? 0 : 1;
        it->box[axis] = fmin(it->box[axis], at[axis]);
        it->box[axis + 2] = fmax(it->box[axis + 2], at[axis]);
      }
      if (part->kind == CAROM_PART_LEVEL) {
        it->box[1] = fmin(it->box[1], at[0]);
        it->box[3] = fmax(it->box[3], at[0]);
      }
    }
  for (int k = 0; k < 2; k++)
    if (!(it->box[k] <= it->box[k + 2])) it->box[k] = -1.0, it->box[k + 2] = 1.0;
  double size = fmax(it->box[2] - it->box[0], it->box[3] - it->box[1]);
  double pad = size > 0.0 ? 0.08 * size : 0.08;
  // what moves along a line has room across it
  for (int k = 0; k < 2; k++)
    if (it->box[k + 2] - it->box[k] < 0.3 * size)
      it->box[k] -= 0.15 * size, it->box[k + 2] += 0.15 * size;
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

// how far a part reaches from its place
static double reach_of(const carom_part *part, const double *at, const double *own) {
  if (part->kind == CAROM_PART_ROD)
    return own[0] * sqrt(at[3] * at[3] + at[4] * at[4] + at[5] * at[5]) + own[1];
  double most = 0.0;
  for (int k = 1; k + 2 <= 3 * (int)own[0]; k += 3) {
    double square = 0.0;
    for (int i = 3; i < 12; i += 3) {
      double x = at[i] * own[k] + at[i + 1] * own[k + 1] + at[i + 2] * own[k + 2];
      square += x * x;
    }
    most = fmax(most, square);
  }
  return sqrt(most);
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
      double reach = reach_of(part, at, own);
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

static void place_point(const carom_stage *it, double x, double y, double out[2]) {
  double scale = scale_of(it);
  out[0] = 0.5 * it->raster->width + (x - 0.5 * (it->box[0] + it->box[2])) * scale;
  out[1] = 0.5 * it->raster->height - (y - 0.5 * (it->box[1] + it->box[3])) * scale;
}

static const double *numbers_of(const carom_stage *it, long frame, const carom_part *part) {
  return it->now ? it->now + part->first : carom_scene_data_at(it->scene, frame, part);
}

// colours by name, else by the order of what is filled
static unsigned tone_of(const carom_stage *it, long p) {
  const carom_part *parts = it->scene->parts;
  for (size_t k = 0; parts[p].color && k < sizeof COLOURS / sizeof *COLOURS; k++)
    if (strcmp(parts[p].color, COLOURS[k].name) == 0) return COLOURS[k].colour;
  bool filled = false;
  int order = -1;
  for (long k = 0; k <= p; k++) {
    filled = parts[k].kind == CAROM_PART_CIRCLE || parts[k].kind == CAROM_PART_POLYGON ||
             parts[k].kind == CAROM_PART_BEAD;
    order += filled && !(parts[k].color && parts[k].color[0]);
  }
  return filled ? COLOURS[order % TONE_COUNT].colour : INK;
}

static void paint_outline(const carom_stage *it, int count, const double (*corners)[2],
                          carom_paint paint) {
  for (int k = 0; k < count; k++)
    carom_raster_line(it->raster, corners[k], corners[(k + 1) % count], 1.6, paint);
}

// a line through a point, shaded on the far side of its normal
static void paint_ground(const carom_stage *it, const double point[2], const double normal[2],
                         unsigned tone) {
  enum { BANDS = 13 };
  double p[2], reach = it->raster->width + it->raster->height;
  place_point(it, point[0], point[1], p);
  const double along[2] = {normal[1], normal[0]}, down[2] = {-normal[0], normal[1]};
  for (int band = BANDS; band >= 0; band--) {
    double off = 2.0 * band, cover = band > 0 ? 0.3 * (1.0 - (band - 0.5) / BANDS) : 1.0;
    const double a[2] = {p[0] - reach * along[0] + off * down[0],
                         p[1] - reach * along[1] + off * down[1]};
    const double b[2] = {p[0] + reach * along[0] + off * down[0],
                         p[1] + reach * along[1] + off * down[1]};
    carom_raster_line(it->raster, a, b, 2.0,
                      (carom_paint){band > 0 && tone == INK ? SOFT : tone, cover});
  }
}

// ---- symbols ----

/// A line in the picture, and places along and across it.
typedef struct track {
  double from[2], along[2], length;
} track;

static track track_of(const double a[2], const double b[2]) {
  double length = hypot(b[0] - a[0], b[1] - a[1]), unit = length > 0.0 ? 1.0 / length : 0.0;
  return (track){{a[0], a[1]}, {(b[0] - a[0]) * unit, (b[1] - a[1]) * unit}, length};
}

static void on_track(const track *it, double s, double across, double out[2]) {
  out[0] = it->from[0] + it->along[0] * s - it->along[1] * across;
  out[1] = it->from[1] + it->along[1] * s + it->along[0] * across;
}

// lines through places (along, across); a break where the way along is NaN
static void paint_strokes(const carom_stage *it, const track *way, int count,
                          const double (*places)[2], carom_paint paint) {
  double last[2], now[2];
  for (int k = 0; k < count; k++) {
    if (isnan(places[k][0])) continue;
    on_track(way, places[k][0], places[k][1], now);
    if (k > 0 && !isnan(places[k - 1][0])) carom_raster_line(it->raster, last, now, 1.8, paint);
    last[0] = now[0], last[1] = now[1];
  }
}

static void paint_spring(const carom_stage *it, const track *way, carom_paint paint) {
  enum { TURNS = 8, PLACES = 2 * TURNS + 4 };
  double places[PLACES][2], ends = fmin(10.0, 0.15 * way->length);
  places[0][0] = places[0][1] = places[1][1] = places[PLACES - 2][1] = places[PLACES - 1][1] = 0.0;
  places[1][0] = ends, places[PLACES - 2][0] = way->length - ends,
  places[PLACES - 1][0] = way->length;
  for (int k = 0; k < 2 * TURNS; k++) {
    places[2 + k][0] = ends + (way->length - 2.0 * ends) * (k + 0.5) / (2.0 * TURNS);
    places[2 + k][1] = k % 2 ? -7.0 : 7.0;
  }
  paint_strokes(it, way, PLACES, (const double(*)[2])places, paint);
}

static void paint_damper(const carom_stage *it, const track *way, carom_paint paint) {
  double m = 0.5 * way->length, h = fmin(16.0, 0.3 * way->length);
  const double places[][2] = {{0.0, 0.0},        {m - h, 0.0}, {NAN, 0.0},   {m + h, -7.0},
                              {m - h, -7.0},     {m - h, 7.0}, {m + h, 7.0}, {NAN, 0.0},
                              {m, -5.0},         {m, 5.0},     {NAN, 0.0},   {m, 0.0},
                              {way->length, 0.0}};
  paint_strokes(it, way, (int)(sizeof places / sizeof *places), places, paint);
}

static void paint_head(const carom_stage *it, const double tip[2], const double along[2],
                       unsigned colour) {
  const double head[3][2] = {
      {tip[0] + 4.0 * along[0], tip[1] + 4.0 * along[1]},
      {tip[0] - 7.0 * along[0] - 4.5 * along[1], tip[1] - 7.0 * along[1] + 4.5 * along[0]},
      {tip[0] - 7.0 * along[0] + 4.5 * along[1], tip[1] - 7.0 * along[1] - 4.5 * along[0]}};
  carom_raster_polygon(it->raster, 3, head, (carom_paint){colour, 1.0});
}

static void paint_angle(const carom_stage *it, const double *at, unsigned tone) {
  enum { PIECES = 48 };
  double apex[2], radius = at[2] * scale_of(it), last[2], now[2] = {0.0, 0.0};
  place_point(it, at[0], at[1], apex);
  for (int k = 0; k <= PIECES; k++) {
    double angle = at[3] + (at[4] - at[3]) * k / PIECES;
    now[0] = apex[0] + radius * cos(angle), now[1] = apex[1] - radius * sin(angle);
    if (k > 0) carom_raster_line(it->raster, last, now, 1.4, (carom_paint){tone, 1.0});
    last[0] = now[0], last[1] = now[1];
  }
  const double zero[2] = {apex[0] + 1.2 * radius * cos(at[3]), apex[1] - 1.2 * radius * sin(at[3])};
  carom_raster_line(it->raster, apex, zero, 1.0, (carom_paint){tone, 0.5});
  double way = at[4] + (at[4] < at[3] ? -0.5 : 0.5) * 3.14159265358979;
  const double along[2] = {cos(way), -sin(way)};
  if (fabs(at[4] - at[3]) * radius > 10.0) paint_head(it, now, along, tone);
}

static void paint_disc(const carom_stage *it, const carom_part *part, const double *at,
                       unsigned tone) {
  double p[2], radius = at[2] > 0.0 ? fmax(2.5, at[2] * scale_of(it)) : 7.0;
  place_point(it, at[0], at[1], p);
  if (!part->hollow) carom_raster_disc(it->raster, p[0], p[1], radius, (carom_paint){tone, 0.9});
  carom_raster_ring(it->raster, p[0], p[1], radius, 1.6,
                    (carom_paint){part->hollow ? tone : INK, 1.0});
}

static void paint_polygon(const carom_stage *it, const carom_part *part, const double *at,
                          unsigned tone) {
  double corners[MOST_CORNERS][2];
  int count = part->count / 2 < MOST_CORNERS ? part->count / 2 : MOST_CORNERS;
  for (int k = 0; k < count; k++)
    place_point(it, at[2 * k], at[2 * k + 1], corners[k]);
  if (!part->hollow)
    carom_raster_polygon(it->raster, count, (const double(*)[2])corners, (carom_paint){tone, 0.85});
  paint_outline(it, count, (const double(*)[2])corners,
                (carom_paint){part->hollow ? tone : INK, 1.0});
}

static void paint_part(const carom_stage *it, long frame, long p) {
  const carom_part *part = &it->scene->parts[p];
  const double *at = numbers_of(it, frame, part);
  unsigned tone = tone_of(it, p);
  double a[2] = {0.0, 0.0}, b[2] = {0.0, 0.0};
  if (has_ends(part->kind)) place_point(it, at[0], at[1], a), place_point(it, at[2], at[3], b);
  track way = track_of(a, b);
  const double level[2] = {0.5 * (it->box[0] + it->box[2]), at[0]}, up[2] = {0.0, 1.0};
  carom_paint paint = {tone, 1.0};
  switch (part->kind) {
  case CAROM_PART_CIRCLE: paint_disc(it, part, at, tone); break;
  case CAROM_PART_SEGMENT: carom_raster_line(it->raster, a, b, 4.5, paint); break;
  case CAROM_PART_POLYGON: paint_polygon(it, part, at, tone); break;
  case CAROM_PART_SPRING: paint_spring(it, &way, paint); break;
  case CAROM_PART_DAMPER: paint_damper(it, &way, paint); break;
  case CAROM_PART_ANGLE: paint_angle(it, at, tone == INK ? SOFT : tone); break;
  case CAROM_PART_LEVEL: paint_ground(it, level, up, tone); break;
  case CAROM_PART_PLANE: paint_ground(it, at, at + 3, tone); break;
  default: break;
  }
}

// ---- letters ----

// readable over whatever lies below
void carom_stage_text(const carom_stage *it, double x, double y, double size, const char *text,
                      unsigned colour) {
  for (int k = 0; k < 8; k++) {
    static const double AROUND[8][2] = {{-1, 0},  {1, 0}, {0, -1}, {0, 1},
                                        {-1, -1}, {1, 1}, {1, -1}, {-1, 1}};
    carom_raster_text(it->raster, x + AROUND[k][0], y + AROUND[k][1], size, text,
                      (carom_paint){PAPER, 0.6});
  }
  carom_raster_text(it->raster, x, y, size, text, (carom_paint){colour, 1.0});
}

static bool overlaps_any(int count, const double (*boxes)[4], const double box[4]) {
  for (int k = 0; k < count; k++)
    if (box[0] < boxes[k][2] && boxes[k][0] < box[2] && box[1] < boxes[k][3] &&
        boxes[k][1] < box[3])
      return true;
  return false;
}

// names beside their shapes: a place where no other name is, or none
static void paint_label(const carom_stage *it, const carom_part *part, const double *at, int *count,
                        double (*boxes)[4]) {
  static const double SIDES[6][2] = {{0, -1}, {-1, -1}, {0, 1}, {-1, 1}, {-0.5, -1.3}, {-0.5, 1.3}};
  double middle[2] = {0.0, 0.0}, p[2], width = carom_raster_text_width(LETTERS, part->label);
  int places =
      part->kind == CAROM_PART_CIRCLE || part->kind == CAROM_PART_ANGLE ? 1 : part->count / 2;
  for (int k = 0; k < places; k++)
    middle[0] += at[2 * k] / places, middle[1] += at[2 * k + 1] / places;
  double away = part->kind == CAROM_PART_CIRCLE ? fmax(8.0, at[2] * scale_of(it)) : 8.0;
  place_point(it, middle[0], middle[1], p);
  if (part->kind == CAROM_PART_ANGLE) {
    double angle = 0.5 * (at[3] + at[4]), radius = at[2] * scale_of(it) + 6.0;
    p[0] += radius * cos(angle) - 4.0, p[1] -= radius * sin(angle) - 8.0;
  }
  for (int k = 0; k < 6 && *count < MOST_LABELS; k++) {
    double x = p[0] + (SIDES[k][0] < 0.0 ? SIDES[k][0] * (width + (k < 4) * away) : away);
    double y = p[1] + SIDES[k][1] * away + (SIDES[k][1] < 0.0 ? -LETTERS : 0.0);
    const double box[4] = {x, y, x + width, y + LETTERS + 2.0};
    if (overlaps_any(*count, (const double(*)[4])boxes, box) || x < 0.0 || y < 0.0 ||
        box[2] > it->raster->width || box[3] > it->raster->height)
      continue;
    memcpy(boxes[(*count)++], box, sizeof box);
    carom_stage_text(it, x, y, LETTERS, part->label, INK);
    return;
  }
}

static void paint_labels(const carom_stage *it, long frame) {
  double boxes[MOST_LABELS][4];
  int count = 0;
  for (long p = 0; p < it->scene->part_count; p++) {
    const carom_part *part = &it->scene->parts[p];
    bool named = part->label && part->label[0];
    if (named && part->kind != CAROM_PART_LEVEL && part->kind != CAROM_PART_PLANE)
      paint_label(it, part, numbers_of(it, frame, part), &count, boxes);
  }
}

// 1, 2 or 5 times a power of ten, not above a size
static double round_below(double size) {
  double ten = pow(10.0, floor(log10(size) + 1e-9));
  return 5.0 * ten <= size ? 5.0 * ten : 2.0 * ten <= size ? 2.0 * ten : ten;
}

static void paint_scale(const carom_stage *it) {
  double scale = scale_of(it), length = round_below(0.25 * it->raster->width / scale),
         y = it->raster->height - 12.0;
  const double a[2] = {14.0, y}, b[2] = {14.0 + length * scale, y};
  const double up[2][2] = {{a[0], y - 5.0}, {b[0], y - 5.0}};
  char text[32];
  carom_raster_line(it->raster, a, b, 1.5, (carom_paint){SOFT, 1.0});
  carom_raster_line(it->raster, a, up[0], 1.5, (carom_paint){SOFT, 1.0});
  carom_raster_line(it->raster, b, up[1], 1.5, (carom_paint){SOFT, 1.0});
  (void)snprintf(text, sizeof text, "%g", length);
  carom_stage_text(it, 19.0, y - 19.0, LETTERS - 1.0, text, SOFT);
}

// ---- beads: a row each, from the least to the most a value ever is ----

static void bead_range(const carom_stage *it, const carom_part *bead, double range[2]) {
  const carom_scene_data *s = it->scene;
  range[0] = INFINITY, range[1] = -INFINITY;
  for (long p = 0; p < s->part_count; p++) {
    const carom_part *part = &s->parts[p];
    bool stop =
        part->kind == CAROM_PART_STOP && s->fixed[part->fixed_first] == s->fixed[bead->fixed_first];
    for (long f = it->first; f <= last_frame(it) && (stop || part == bead); f++) {
      double value = carom_scene_data_at(s, f, part)[0];
      range[0] = fmin(range[0], value), range[1] = fmax(range[1], value);
    }
  }
  if (!(range[1] > range[0])) range[0] -= 1.0, range[1] += 1.0;
}

static void paint_bead(const carom_stage *it, long frame, long p, double y) {
  const carom_scene_data *s = it->scene;
  const carom_part *bead = &s->parts[p];
  double range[2], left = 84.0, right = it->raster->width - 30.0;
  bead_range(it, bead, range);
  double zoom = (right - left) / (range[1] - range[0]);
  const double a[2] = {left, y}, b[2] = {right, y};
  carom_raster_line(it->raster, a, b, 1.5, (carom_paint){0xc4ccd4, 1.0});
  for (long k = 0; k < s->part_count; k++) {
    const carom_part *stop = &s->parts[k];
    if (stop->kind != CAROM_PART_STOP || s->fixed[stop->fixed_first] != s->fixed[bead->fixed_first])
      continue;
    double x = left + (numbers_of(it, frame, stop)[0] - range[0]) * zoom,
           side = s->fixed[stop->fixed_first + 1];
    const double top[2] = {x, y - 14.0}, low[2] = {x, y + 14.0},
                 back[2] = {x - 5.0 * side, y - 14.0}, foot[2] = {x - 5.0 * side, y + 14.0};
    carom_raster_line(it->raster, back, foot, 9.0, (carom_paint){SOFT, 0.25});
    carom_raster_line(it->raster, top, low, 2.0, (carom_paint){INK, 1.0});
  }
  double x = left + (numbers_of(it, frame, bead)[0] - range[0]) * zoom;
  carom_raster_disc(it->raster, x, y, 8.0, (carom_paint){tone_of(it, p), 1.0});
  carom_raster_ring(it->raster, x, y, 8.0, 1.5, (carom_paint){INK, 1.0});
  carom_raster_text(it->raster, left - 18.0 - carom_raster_text_width(LETTERS, bead->label),
                    y - 8.0, LETTERS, bead->label, (carom_paint){INK, 1.0});
}

static bool paint_beads(const carom_stage *it, long frame) {
  long rows = 0, row = 0;
  for (long p = 0; p < it->scene->part_count; p++)
    rows += it->scene->parts[p].kind == CAROM_PART_BEAD;
  double room = rows > 0 ? fmin(90.0, (it->raster->height - 60.0) / (double)rows) : 0.0;
  double top = 0.5 * (it->raster->height - room * (double)rows) + 16.0;
  for (long p = 0; p < it->scene->part_count; p++)
    if (it->scene->parts[p].kind == CAROM_PART_BEAD)
      paint_bead(it, frame, p, top + room * ((double)row++ + 0.5));
  return rows > 0;
}

// ---- the frame ----

static bool part_moves(const carom_scene_data *s, const carom_part *part) {
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
      if (s->parts[p].kind == KINDS[k] && part_moves(s, &s->parts[p])) part = &s->parts[p];
  if (!part) return;
  int at = part->kind == CAROM_PART_SEGMENT ? 2 : 0;
  double last[2] = {0.0, 0.0}, now[2];
  long first = frame > it->trail ? frame - it->trail : 0;
  for (long f = first; f <= frame + 1; f++) {
    const double *numbers =
        f <= frame ? carom_scene_data_at(s, f, part) : numbers_of(it, frame, part);
    place_point(it, numbers[at], numbers[at + 1], now);
    if (f > first) carom_raster_line(it->raster, last, now, 1.4, (carom_paint){TRAIL, 0.5});
    last[0] = now[0], last[1] = now[1];
  }
}

// what moves at a frame
static bool box_of_moving(const carom_stage *it, long frame, bool now, double box[4]) {
  const carom_scene_data *s = it->scene;
  const double empty[4] = {INFINITY, INFINITY, -INFINITY, -INFINITY};
  memcpy(box, empty, sizeof empty);
  for (long p = 0; p < s->part_count; p++) {
    const carom_part *part = &s->parts[p];
    bool round = part->kind == CAROM_PART_CIRCLE;
    if ((!round && !has_ends(part->kind) && part->kind != CAROM_PART_POLYGON) ||
        !part_moves(s, part))
      continue;
    const double *at = now ? numbers_of(it, frame, part) : carom_scene_data_at(s, frame, part);
    for (int k = 0; k + 1 < (round ? 2 : part->count); k += 2)
      widen_box(box, at[k], at[k + 1], round ? at[2] : 0.0);
  }
  return box[0] <= box[2];
}

static double measure_near(const carom_stage *it) {
  enum { LOOKS = 50 };
  double size = fmax(it->box[2] - it->box[0], it->box[3] - it->box[1]), most = 0.0, box[4];
  for (int k = 0; k < LOOKS; k++)
    if (box_of_moving(it, it->first + (last_frame(it) - it->first) * k / (LOOKS - 1), false, box))
      most = fmax(most, fmax(box[2] - box[0], box[3] - box[1]));
  return fmin(size, most > 0.0 ? fmax(3.0 * most, 0.005 * size) : 0.1 * size);
}

void carom_stage_follow(carom_stage *stage, long frame) {
  double box[4], width = stage->raster->width, height = stage->raster->height;
  if (stage->near == 0.0) stage->near = measure_near(stage);
  if (!box_of_moving(stage, frame, true, box)) return;
  double half = 0.5 * stage->near / fmin(width, height);
  const double middle[2] = {0.5 * (box[0] + box[2]), 0.5 * (box[1] + box[3])};
  const double seen[4] = {middle[0] - half * width, middle[1] - half * height,
                          middle[0] + half * width, middle[1] + half * height};
  memcpy(stage->box, seen, sizeof seen);
}

void carom_stage_plane(const carom_stage *stage, long frame) {
  if (paint_beads(stage, frame)) return;
  paint_trail(stage, frame);
  for (long p = 0; p < stage->scene->part_count; p++)
    paint_part(stage, frame, p);
  paint_labels(stage, frame);
  paint_scale(stage);
}

void carom_stage_arrow(const carom_stage *stage, const double at[2], const double force[2],
                       double length) {
  double from[2], size = hypot(force[0], force[1]);
  if (!(size > 0.0) || !(length > 1.0)) return;
  place_point(stage, at[0], at[1], from);
  const double along[2] = {force[0] / size, -force[1] / size};
  const double tip[2] = {from[0] + length * along[0], from[1] + length * along[1]};
  carom_raster_line(stage->raster, from, tip, 2.6, (carom_paint){FORCE, 1.0});
  paint_head(stage, tip, along, FORCE);
}

void carom_stage_force_scale(const carom_stage *stage, double pixels_a_unit) {
  double force = round_below(75.0 / pixels_a_unit), length = force * pixels_a_unit;
  double y = stage->raster->height - 14.0, right = stage->raster->width - 20.0;
  const double from[2] = {right - length, y}, tip[2] = {right, y}, along[2] = {1.0, 0.0};
  char text[32];
  (void)snprintf(text, sizeof text, "%g", force);
  carom_raster_line(stage->raster, from, tip, 2.6, (carom_paint){FORCE, 1.0});
  paint_head(stage, tip, along, FORCE);
  carom_stage_text(stage, right - carom_raster_text_width(LETTERS - 1.0, text), y - 21.0,
                   LETTERS - 1.0, text, SOFT);
}
