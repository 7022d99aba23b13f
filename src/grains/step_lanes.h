// SPDX-License-Identifier: MIT
/// The two halves of a step, several rods at a time. A rod is a symmetric top: with the axis u, the
/// angular velocity w = p + s u (p across, s along the axis) and torque q,
///   u' = p x u,   p' = (q - (q.u) u)/I + (J s/I) u x p,   s' = (q.u)/J,
/// so p turns about u while u turns about p. Each turn is a rational rotation, exact in length.
#ifndef CAROM_GRAINS_STEP_LANES_H
#define CAROM_GRAINS_STEP_LANES_H

#include "grains/bed.h"
#include "grains/lanes.h"

// gravity, from which the sums of forces begin
static inline void carom_lanes_pull(const carom_bed *bed, const carom_bed_chunk *chunk) {
  const double *g = bed->settings->gravity;
  double pull[CAROM_BED_MAX_SPECIES][8] = {{0}};
  for (int k = 0; k < bed->settings->species_count; k++)
    for (int c = 0; c < 3; c++)
      pull[k][c] = g[c] * (1.0 / bed->kinds[k].im);
  const unsigned char *kind = bed->kind + chunk->first;
  const int count = chunk->end - chunk->first;
  for (int i = 0; i < count; i++)
    for (int c = 0; c < 8; c += CAROM_WIDTH)
      v_store(chunk->push[i] + c, v_load(pull[kind[i]] + c));
  // lanes behind the last rod feel nothing
  for (int i = count; i % 8 > 0; i++)
    memset(chunk->push[i], 0, sizeof *chunk->push);
}

// change of w by the torque q over h
CAROM_INLINE carom_space turn_kick(carom_space w, carom_space u, carom_space q, carom_vec h,
                                   carom_vec ii, carom_vec ia) {
  return s_plus(s_plus(w, h * ii, q), h * s_dot(q, u) * (ia - ii), u);
}

// the part of w across the axis turns about it over h
CAROM_INLINE carom_space precess(carom_space w, carom_space u, carom_vec h, carom_vec gyro) {
  carom_vec one = v_all(1.0), two = v_all(2.0);
  carom_vec s = s_dot(w, u), a = v_all(0.5) * h * gyro * s, scale = one / (one + a * a);
  carom_space p = s_plus(w, -s, u);
  p = s_times(scale, s_plus(s_times(one - a * a, p), two * a, s_cross(u, p)));
  return s_plus(p, s, u);
}

typedef struct kinds {
  carom_vec half, im, ii, ia, gyro;
} kinds;

CAROM_INLINE kinds one_kind(const carom_bed_kind *k) {
  return (kinds){v_all(k->half), v_all(k->im), v_all(k->ii), v_all(k->ia), v_all(k->gyro)};
}

CAROM_INLINE kinds kinds_of(const carom_bed *bed, int i) {
  double of[5][CAROM_WIDTH];
  for (int l = 0; l < CAROM_WIDTH; l++) {
    const carom_bed_kind *k = &bed->kinds[bed->kind[i + l]];
    of[0][l] = k->half, of[1][l] = k->im, of[2][l] = k->ii, of[3][l] = k->ia, of[4][l] = k->gyro;
  }
  return (kinds){v_load(of[0]), v_load(of[1]), v_load(of[2]), v_load(of[3]), v_load(of[4])};
}

CAROM_INLINE void read_push(const double (*push)[8], carom_space *f, carom_space *q) {
  const double *forces[CAROM_WIDTH], *torques[CAROM_WIDTH];
  carom_vec a[4], b[4];
  for (int l = 0; l < CAROM_WIDTH; l++) {
    forces[l] = push[l];
    torques[l] = push[l] + 4;
  }
  v_from_rows(forces, a);
  v_from_rows(torques, b);
  *f = (carom_space){a[0], a[1], a[2]};
  *q = (carom_space){b[0], b[1], b[2]};
}

CAROM_INLINE void show(carom_bed *bed, int i, carom_space x, carom_space u, carom_space v,
                       carom_space w) {
  carom_vec columns[3][4] = {{x.x, x.y, x.z, u.x}, {u.y, u.z, v.x, v.y}, {v.z, w.x, w.y, w.z}};
  for (int part = 0; part < 3; part++) {
    carom_row rows[CAROM_WIDTH];
    v_to_rows(columns[part], rows);
    for (int l = 0; l < CAROM_WIDTH; l++)
      row_store(bed->seen[i + l] + 4 * part, rows[l]);
  }
}

// rods as they are between two kicks
typedef struct movers {
  carom_space x, u, v, w, force, torque;
  kinds kind;
} movers;

CAROM_INLINE movers read_movers(const carom_bed *bed, const carom_bed_chunk *chunk, int i) {
  const bool same = bed->settings->species_count == 1;
  movers m = {.u = s_load(bed->u, i), .v = s_load(bed->v, i), .w = s_load(bed->w, i)};
  read_push((const double(*)[8])chunk->push + (i - chunk->first), &m.force, &m.torque);
  m.kind = same ? one_kind(&bed->kinds[0]) : kinds_of(bed, i);
  return m;
}

// what the rods of a chunk have come to: the greatest speed and way; a sum keeps what is not a
// number, which the greatest would pass over
typedef struct reached {
  carom_vec fastest, farthest, all;
} reached;

// v and w over half a step, x and u over a whole one
CAROM_INLINE void begin_step(carom_bed *bed, int i, movers m, reached *most) {
  const double step = bed->settings->step;
  const carom_vec h = v_all(step), hh = v_all(0.5 * step), one = v_all(1.0), two = v_all(2.0);
  const carom_vec far = v_all(step * (1.0 + 1e-9)); // with room for rounding
  const carom_vec ahead = v_all(bed->settings->leapfrog ? 0.0 : 0.5 * step);
  const kinds *k = &m.kind;
  carom_space u = m.u, v = s_plus(m.v, hh * k->im, m.force);
  carom_space w = precess(turn_kick(m.w, u, m.torque, hh, k->ii, k->ia), u, hh, k->gyro);
  carom_space x = s_plus(s_load(bed->x, i), h, v);

  // u turns about p; lengths and right angles are put right to rounding
  carom_vec s = s_dot(w, u);
  carom_space p = s_plus(w, -s, u);
  carom_vec p2 = s_dot(p, p), b = v_all(0.25) * h * h * p2;
  u = s_times(one / (one + b), s_plus(s_times(one - b, u), h, s_cross(p, u)));
  u = s_times(v_all(1.5) - v_all(0.5) * s_dot(u, u), u);
  p = s_plus(p, -s_dot(p, u), u);
  w = s_plus(p, s, u);
  s_store(bed->x, i, x);
  s_store(bed->u, i, u);
  s_store(bed->v, i, v);
  s_store(bed->w, i, w);
  show(bed, i, x, u, s_plus(v, ahead * k->im, m.force),
       turn_kick(w, u, m.torque, ahead, k->ii, k->ia));
  // |v| + |p| half is at most this
  carom_vec speed = v_sqrt(two * (s_dot(v, v) + p2 * k->half * k->half));
  carom_vec way = v_load(bed->reach.way + i) + far * speed;
  v_store(bed->reach.way + i, way);
  most->fastest = v_max(speed, most->fastest);
  most->farthest = v_max(way, most->farthest);
  most->all += way;
}

// v and w over the other half
CAROM_INLINE void end_step(const carom_bed *bed, movers *m) {
  const carom_vec hh = v_all(0.5 * bed->settings->step);
  const kinds *k = &m->kind;
  m->v = s_plus(m->v, hh * k->im, m->force);
  m->w = turn_kick(precess(m->w, m->u, hh, k->gyro), m->u, m->torque, hh, k->ii, k->ia);
}

CAROM_INLINE void put_reached(const reached *most, carom_bed_chunk *chunk) {
  double sum = 0.0;
  for (int l = 0; l < CAROM_WIDTH; l++)
    sum += most->all[l];
  chunk->fastest = isnan(sum) ? HUGE_VAL : 0.0;
  chunk->farthest = 0.0;
  for (int l = 0; l < CAROM_WIDTH; l++) {
    chunk->fastest = fmax(chunk->fastest, most->fastest[l]);
    chunk->farthest = fmax(chunk->farthest, most->farthest[l]);
  }
}

static inline void carom_lanes_first_half(carom_bed *bed, carom_bed_chunk *chunk) {
  reached most = {v_all(0.0), v_all(0.0), v_all(0.0)};
  for (int i = chunk->first; i < chunk->end; i += CAROM_WIDTH)
    begin_step(bed, i, read_movers(bed, chunk, i), &most);
  put_reached(&most, chunk);
}

static inline void carom_lanes_second_half(carom_bed *bed, const carom_bed_chunk *chunk) {
  for (int i = chunk->first; i < chunk->end; i += CAROM_WIDTH) {
    movers m = read_movers(bed, chunk, i);
    end_step(bed, &m);
    s_store(bed->v, i, m.v);
    s_store(bed->w, i, m.w);
  }
}

// the end of one step and the first half of the next
static inline void carom_lanes_turn(carom_bed *bed, carom_bed_chunk *chunk) {
  reached most = {v_all(0.0), v_all(0.0), v_all(0.0)};
  for (int i = chunk->first; i < chunk->end; i += CAROM_WIDTH) {
    movers m = read_movers(bed, chunk, i);
    end_step(bed, &m);
    begin_step(bed, i, m, &most);
  }
  put_reached(&most, chunk);
}

#endif
