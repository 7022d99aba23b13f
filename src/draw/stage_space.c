// SPDX-License-Identifier: MIT
/// Frames of motions in space: rods and triangles painted from far to near.
#include "draw/movie.h"

#include <math.h>
#include <stdlib.h>

// where the eye stands; before a flat motion a little above, so that the floor is seen as a floor
static const double TURN = -0.7, TILT = 0.35, FRONT_TILT = 0.06;
static const unsigned INK = 0x22303d, GRID = 0xcdd5dc;
static const unsigned TONES[] = {0x3f6fa8, 0xc98a2b, 0x4d8f6b, 0x8d5a86, 0x6c7a89, 0xa8503f};

/// Something to paint, and how far away it is.
typedef struct piece {
  double depth;
  bool rod;
  double corners[3][2];
  double width;
  unsigned colour;
} piece;

/// A place seen by the eye: to the right, up and away from the middle; how much larger things look
/// there.
typedef struct sight {
  double right, up, depth, near;
} sight;

static sight see_point(const carom_stage *it, const double q[3]) {
  double x = q[0] - it->middle[0], y = q[1] - it->middle[1], z = q[2] - it->middle[2];
  double turn = it->flat ? 0.0 : TURN, tilt = it->flat ? FRONT_TILT : TILT;
  double back = sin(turn) * x + cos(turn) * y, distance = 3.2 * it->reach;
  sight s = {.right = cos(turn) * x - sin(turn) * y, .up = cos(tilt) * z + sin(tilt) * back};
  s.depth = cos(tilt) * back - sin(tilt) * z;
  s.near = distance / (distance + s.depth);
  return s;
}

void carom_stage_fit_space(carom_stage *it) {
  double wide = 0.0, high = 0.0;
  for (int k = 0; k < 8; k++) {
    double corner[3];
    for (int c = 0; c < 3; c++)
      corner[c] = it->middle[c] + (k >> c & 1 ? 0.5 : -0.5) * it->extent[c];
    sight s = see_point(it, corner);
    wide = fmax(wide, fabs(s.right) * s.near);
    high = fmax(high, fabs(s.up) * s.near);
  }
  // a margin all around
  double across = 0.46 * it->raster->width, along = 0.46 * it->raster->height;
  it->zoom = fmin(wide > 0.0 ? across / wide : HUGE_VAL, high > 0.0 ? along / high : HUGE_VAL);
  if (!isfinite(it->zoom)) it->zoom = fmin(across, along) / it->reach;
}

/// x, y in pixels, depth, pixels per unit of length there.
static void project_point(const carom_stage *it, const double q[3], double out[4]) {
  sight s = see_point(it, q);
  double scale = it->zoom * s.near;
  out[0] = 0.5 * it->raster->width + s.right * scale;
  out[1] = 0.5 * it->raster->height - s.up * scale;
  out[2] = s.depth;
  out[3] = scale;
}

static void line_between(const carom_stage *it, const double a[3], const double b[3],
                         unsigned colour, double width) {
  double p[4], q[4];
  project_point(it, a, p);
  project_point(it, b, q);
  carom_raster_line(it->raster, p, q, width, (carom_paint){colour, 1.0});
}

static double before_plane(const double *at, const double x[3]) {
  return at[3] * (x[0] - at[0]) + at[4] * (x[1] - at[1]) + at[5] * (x[2] - at[2]);
}

// cuts a line down to what lies before all other planes; false if that is nothing
static bool clip_to_planes(const carom_stage *it, long frame, const double *own, double a[3],
                           double b[3]) {
  for (long k = 0; k < it->scene->part_count; k++) {
    const carom_part *part = &it->scene->parts[k];
    const double *at = carom_scene_data_at(it->scene, frame, part);
    if (part->kind != CAROM_PART_PLANE || at == own) continue;
    double from = before_plane(at, a), to = before_plane(at, b);
    if (from < 0.0 && to < 0.0) return false;
    for (int c = 0; c < 3 && (from < 0.0 || to < 0.0); c++) {
      double cut = a[c] + (b[c] - a[c]) * from / (from - to);
      if (from < 0.0) a[c] = cut;
      if (to < 0.0) b[c] = cut;
    }
  }
  return true;
}

// a grid on a plane, about the foot of the middle
static void paint_floor(const carom_stage *it, long frame, const double *at) {
  const double *n = at + 3;
  double u[3] = {-n[1], n[0], 0.0}, v[3], distance = 0.0;
  if (fabs(n[2]) > 0.5) u[0] = 1.0, u[1] = 0.0, u[2] = -n[0] / n[2];
  double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]), half = 0.75 * it->reach;
  for (int c = 0; c < 3; c++) {
    u[c] /= length;
    distance += n[c] * (at[c] - it->middle[c]);
  }
  v[0] = n[1] * u[2] - n[2] * u[1], v[1] = n[2] * u[0] - n[0] * u[2];
  v[2] = n[0] * u[1] - n[1] * u[0];
  for (int k = -8; k <= 8; k++)
    for (int side = 0; side < 2; side++) {
      const double *s = side ? v : u, *w = side ? u : v;
      double a[3], b[3];
      for (int c = 0; c < 3; c++) {
        double foot = it->middle[c] + distance * n[c] + s[c] * half * k / 8.0;
        a[c] = foot - half * w[c], b[c] = foot + half * w[c];
      }
      if (clip_to_planes(it, frame, at, a, b)) line_between(it, a, b, GRID, 1.0);
    }
}

static void paint_tube(const carom_stage *it, const double *own) {
  if (!(own[2] < 10.0 * it->reach)) return;
  // from the lowest to the highest that is ever seen
  double half = it->extent[2] > 0.0 ? 0.5 * it->extent[2] : 0.2 * it->reach;
  for (int end = -1; end <= 1; end += 2)
    for (int k = 0; k < 72; k++) {
      double a[3], b[3], turn = 6.283185307179586477 / 72.0;
      a[0] = own[0] + own[2] * cos(turn * k), a[1] = own[1] + own[2] * sin(turn * k);
      b[0] = own[0] + own[2] * cos(turn * (k + 1)), b[1] = own[1] + own[2] * sin(turn * (k + 1));
      a[2] = b[2] = it->middle[2] + end * half;
      line_between(it, a, b, 0x9fb0c0, 1.0);
    }
}

// Kinds of rods have their own colours. Of one kind, few are told apart by their number; of many
// the layers of the start, so that one sees them mix.
static unsigned rod_tone(const carom_stage *it, const carom_part *part, long number) {
  const double *own = it->scene->fixed + part->fixed_first;
  for (int k = 0; k < it->kind_count && it->kind_count > 1; k++)
    if (it->kinds[k][0] == own[0] && it->kinds[k][1] == own[1]) return TONES[k];
  if (!(it->high > it->low)) return TONES[number % 6];
  double z = carom_scene_data_at(it->scene, 0, part)[2];
  int layer = (int)(6.0 * (z - it->low) / (it->high - it->low));
  return TONES[layer < 0 ? 0 : layer > 5 ? 5 : layer];
}

static piece rod_piece(const carom_stage *it, const double *at, const double *own,
                       unsigned colour) {
  double a[3], b[3], p[4], q[4];
  for (int c = 0; c < 3; c++)
    a[c] = at[c] - own[0] * at[3 + c], b[c] = at[c] + own[0] * at[3 + c];
  project_point(it, a, p);
  project_point(it, b, q);
  return (piece){.depth = 0.5 * (p[2] + q[2]),
                 .rod = true,
                 .corners = {{p[0], p[1]}, {q[0], q[1]}},
                 .width = fmax(1.5, own[1] * (p[3] + q[3])),
                 .colour = colour};
}

static unsigned shade_colour(unsigned colour, double bright) {
  unsigned shaded = 0;
  for (int c = 0; c < 3; c++)
    shaded = shaded << 8 | (unsigned)(((colour >> (16 - 8 * c)) & 255U) * bright);
  return shaded;
}

static void corner_of(const double *at, const double *x, double p[3]) {
  for (int i = 0; i < 3; i++)
    p[i] = at[i] + at[3 + 3 * i] * x[0] + at[4 + 3 * i] * x[1] + at[5 + 3 * i] * x[2];
}

// false: seen from behind
static bool triangle_piece(const carom_stage *it, const double *at, const double *own, int k,
                           piece *out) {
  double p[3][3], seen[3][4], n[3];
  for (int j = 0; j < 3; j++) {
    corner_of(at, own + 1 + 3 * (int)own[k + j], p[j]);
    project_point(it, p[j], seen[j]);
  }
  double facing = (seen[1][0] - seen[0][0]) * (seen[2][1] - seen[0][1]) -
                  (seen[1][1] - seen[0][1]) * (seen[2][0] - seen[0][0]);
  if (facing > 0.0) return false;
  double e[3], f[3];
  for (int c = 0; c < 3; c++)
    e[c] = p[1][c] - p[0][c], f[c] = p[2][c] - p[0][c];
  n[0] = e[1] * f[2] - e[2] * f[1], n[1] = e[2] * f[0] - e[0] * f[2];
  n[2] = e[0] * f[1] - e[1] * f[0];
  double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  double light = length > 0.0 ? (0.35 * n[0] - 0.5 * n[1] + 0.79 * n[2]) / length : 0.0;
  *out = (piece){.depth = (seen[0][2] + seen[1][2] + seen[2][2]) / 3.0,
                 .colour = shade_colour(TONES[(int)own[k + 3] % 6], 0.62 + 0.38 * light)};
  for (int j = 0; j < 3; j++)
    out->corners[j][0] = seen[j][0], out->corners[j][1] = seen[j][1];
  return true;
}

static int far_first(const void *a, const void *b) {
  double x = ((const piece *)a)->depth, y = ((const piece *)b)->depth;
  return x > y ? -1 : x < y;
}

static void paint_piece(const carom_stage *it, const piece *p) {
  if (!p->rod) {
    carom_raster_polygon(it->raster, 3, p->corners, (carom_paint){p->colour, 1.0});
    // the seam between triangles of one face would shine through
    for (int k = 0; k < 3; k++)
      carom_raster_line(it->raster, p->corners[k], p->corners[(k + 1) % 3], 0.8,
                        (carom_paint){p->colour, 1.0});
    return;
  }
  const double *a = p->corners[0], *b = p->corners[1];
  // outlines of thin rods would hide their colour
  bool thick = p->width >= 4.0;
  unsigned edge = thick ? INK : shade_colour(p->colour, 0.6);
  double inside = thick ? p->width - 2.0 : 0.6 * p->width;
  carom_raster_line(it->raster, a, b, p->width, (carom_paint){edge, 1.0});
  carom_raster_line(it->raster, a, b, inside, (carom_paint){p->colour, 1.0});
  carom_raster_line(it->raster, a, b, 0.28 * p->width, (carom_paint){0xffffff, 0.35});
}

void carom_stage_space(const carom_stage *stage, long frame) {
  const carom_scene_data *s = stage->scene;
  size_t room = 0, count = 0;
  for (long k = 0; k < s->part_count; k++)
    room += 1 + (size_t)s->parts[k].fixed_length / 4;
  piece *pieces = malloc((room + 1) * sizeof *pieces);
  if (!pieces) return;
  for (long k = 0; k < s->part_count; k++) {
    const carom_part *part = &s->parts[k];
    const double *at = carom_scene_data_at(s, frame, part), *own = s->fixed + part->fixed_first;
    if (part->kind == CAROM_PART_PLANE) paint_floor(stage, frame, at);
    if (part->kind == CAROM_PART_TUBE) paint_tube(stage, own);
    if (part->kind == CAROM_PART_ROD)
      pieces[count++] = rod_piece(stage, at, own, rod_tone(stage, part, k));
    for (int j = 1 + 3 * (int)own[0]; part->kind == CAROM_PART_BODY && j + 3 < part->fixed_length;
         j += 4)
      count += triangle_piece(stage, at, own, j, &pieces[count]);
  }
  qsort(pieces, count, sizeof *pieces, far_first);
  for (size_t k = 0; k < count; k++)
    paint_piece(stage, &pieces[k]);
  free(pieces);
}
