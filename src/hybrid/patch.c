// SPDX-License-Identifier: MIT
/// A rigid face that lies flat on a plane touches with all of its rim. Of what the rim bears only
/// two things act: the sum N of the loads, and where their centre is, no farther out than the rim.
/// Three points do the same while the centre stays between them: with places e_k on the unit circle
///
///   c = sum N_k e_k/N,   |c| <= 1.
///
/// Where one load comes to zero, c is on a side of their triangle, and the first point goes into
/// the direction of c; the face tips where |c| comes to 1, over that very point. In an impact, too,
/// velocities f(e) = a + b.e of the rim have their least value at -b/|b|: that is where a point has
/// to be. Places are changed between events only (a cutting plane, as in semi-infinite programs:
/// Hettich, Kortanek 1993).
#include "hybrid/hybrid.h"

#include "base/elementary.h"

#include "hybrid/tangent.h"

#include <math.h>
#include <string.h>

enum { PLACES = CAROM_PATCH_PLACES, TRIALS_EACH = 10 };
static const double HALF_ROOT3 = 0.86602540378443865;
static const double ALIGNED = 1e-14; // 1 - cos of the least angle that a point is moved by
static const double ENDED =
    1e-6; // Chosen: of all of the load: none, where it has just come to its end
static const double UNEVEN = 1e-9;    // Chosen: of the fastest point: less tells no direction
static const double TILTS = 1e-6;     // Chosen: of it, in an impact
static const double ROUNDING = 1e-15; // of it, in an impact
static const double SIDE = 1e-8;      // an angle

static const carom_round_patch *patch_at(const carom_hybrid *it, int p) {
  return &it->model->scenario->convex.patches[p];
}

int carom_patch_count(const carom_hybrid_model *model) {
  return model->scenario && !model->scenario->run.compliant ? model->scenario->convex.patch_count
                                                            : 0;
}

carom_status carom_patch_init(carom_patches *patches, carom_arena *arena,
                              const carom_hybrid_model *model, carom_error *error) {
  size_t count = (size_t)carom_patch_count(model);
  if (count == 0) return CAROM_OK;
  patches->way = carom_arena_array(arena, count, sizeof *patches->way);
  patches->flat = carom_arena_array(arena, count, sizeof *patches->flat);
  patches->last = carom_arena_array(arena, count, sizeof *patches->last);
  return patches->way && patches->flat && patches->last ? CAROM_OK : carom_fail_memory(error);
}

static void set_way(carom_hybrid *it, int p, double x, double y) {
  double *way = it->watching.patches.way[p];
  way[0] = x;
  way[1] = y;
}

void carom_patch_start(carom_hybrid *it) {
  for (int p = 0; p < carom_patch_count(it->model); p++) {
    set_way(it, p, 1.0, 0.0);
    it->watching.patches.flat[p] = false;
  }
}

void carom_patch_put(carom_hybrid *it) {
  for (int p = 0; p < carom_patch_count(it->model); p++)
    memcpy(it->settings.parameters + patch_at(it, p)->way, it->watching.patches.way[p],
           sizeof it->watching.patches.way[p]);
}

// ---- what a face does

// the direction of point k of the rim
static void direction_of(const carom_hybrid *it, int p, int k, double e[2]) {
  const double *way = it->watching.patches.way[p];
  double c = k == 0 ? 1.0 : -0.5, s = k == 0 ? 0.0 : k == 1 ? HALF_ROOT3 : -HALF_ROOT3;
  e[0] = c * way[0] - s * way[1];
  e[1] = s * way[0] + c * way[1];
}

/// What a rim does all around, a + b.e, from what it does at three points.
typedef struct rim_field {
  double a, b[2], size; // size: the length of b
  double largest;       // of the three
} rim_field;

static rim_field field_of(const carom_hybrid *it, int p, const double *rows) {
  const carom_round_patch *patch = patch_at(it, p);
  rim_field f = {0};
  for (int k = 0; k < PLACES; k++) {
    double e[2], v = rows[it->model->contacts.normal[patch->contacts[k]]];
    direction_of(it, p, k, e);
    f.a += v / PLACES;
    f.b[0] += 2.0 / PLACES * v * e[0];
    f.b[1] += 2.0 / PLACES * v * e[1];
    f.largest = fmax(f.largest, fabs(v));
  }
  f.size = carom_hypot(f.b[0], f.b[1]);
  return f;
}

static bool patch_exists(const carom_hybrid *it, int p) {
  int row = it->model->contacts.normal[patch_at(it, p)->contacts[0]];
  return it->work.rows.position[row] != CAROM_ABSENT_GAP;
}

static int count_closed(const carom_hybrid *it, int p) {
  int closed = 0;
  for (int k = 0; k < PLACES; k++)
    closed += carom_contact_is_closed(it->memory[patch_at(it, p)->contacts[k]].mode);
  return closed;
}

// do all three points touch?
static bool patch_touches(const carom_hybrid *it, int p) {
  bool all = patch_exists(it, p);
  for (int k = 0; k < PLACES && all; k++) {
    int contact = patch_at(it, p)->contacts[k];
    all = it->work.rows.position[it->model->contacts.normal[contact]] <= it->tolerance.gap[contact];
  }
  return all;
}

static bool patch_rests(const carom_hybrid *it, int p) {
  bool all = patch_touches(it, p);
  for (int k = 0; k < PLACES && all; k++) {
    int contact = patch_at(it, p)->contacts[k];
    all = fabs(it->work.rows.velocity[it->model->contacts.normal[contact]]) <=
          it->tolerance.speed[contact];
  }
  return all;
}

// Where its points go depends on the state, of which derivatives know nothing.
static carom_status refuse_tangent(const carom_hybrid *it, int p, carom_error *error) {
  if (!it->clients.tangent || !it->clients.tangent->active) return CAROM_OK;
  const carom_contact *contact = &it->model->contacts.contacts[patch_at(it, p)->contacts[0]];
  return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                    "at t = %.15g the flat round face of %s comes down or tips: that has no "
                    "derivative here; supports: 6 has one",
                    it->now.t, contact->name);
}

// points that are others: what was closed is closed, how they slide is found out
static carom_status move_points(carom_hybrid *it, int p, carom_error *error) {
  carom_status status = refuse_tangent(it, p, error);
  for (int k = 0; k < PLACES; k++) {
    int contact = patch_at(it, p)->contacts[k];
    if (carom_contact_is_closed(it->memory[contact].mode))
      carom_hybrid_put_mode(it, contact, CAROM_CONTACT_CLOSED);
    if (it->model->contacts.cross[contact] >= 0)
      carom_spatial_set_off(it, contact, (const double[]){0.0, 0.0});
  }
  carom_hybrid_configure(it);
  return status;
}

// ---- when

void carom_patch_begin(carom_hybrid *it) {
  for (int p = 0; p < carom_patch_count(it->model); p++)
    it->watching.patches.flat[p] = patch_exists(it, p);
}

void carom_patch_appear(carom_hybrid *it, bool *moved) {
  *moved = false;
  for (int p = 0; p < carom_patch_count(it->model); p++) {
    bool was = it->watching.patches.flat[p];
    bool flat = it->watching.patches.flat[p] = patch_exists(it, p);
    if (was || !flat) continue;
    rim_field down = field_of(it, p, it->work.rows.position);
    if (!(down.size > 0.0)) continue;
    set_way(it, p, -down.b[0] / down.size, -down.b[1] / down.size);
    *moved = true;
  }
  if (*moved) carom_hybrid_configure(it);
}

static bool patch_holds(const carom_hybrid *it, int p) {
  return count_closed(it, p) > 0 && patch_rests(it, p);
}

void carom_patch_hold(carom_hybrid *it) {
  for (int p = 0; p < carom_patch_count(it->model); p++)
    for (int k = 0; k < PLACES && patch_holds(it, p); k++) {
      int contact = patch_at(it, p)->contacts[k];
      if (!carom_contact_is_closed(it->memory[contact].mode))
        carom_hybrid_put_mode(it, contact, CAROM_CONTACT_CLOSED);
    }
}

// The direction in which the centre of the loads is, were all three points held, even where that
// would take a pull; false: it is between them, or as near as can be.
static bool leaves_points(const carom_hybrid *it, int p, double direction[2]) {
  double load[PLACES], c[2] = {0.0, 0.0}, sum = 0.0, least = HUGE_VAL, turned = -1.0;
  for (int k = 0; k < PLACES; k++) {
    load[k] = it->contact.lambda[it->model->contacts.normal[patch_at(it, p)->contacts[k]]];
    least = fmin(least, load[k]);
    sum += load[k];
  }
  if (!(sum > 0.0) || least > ENDED * sum) return false;
  for (int k = 0; k < PLACES; k++) {
    double e[2];
    direction_of(it, p, k, e);
    c[0] += load[k] / sum * e[0];
    c[1] += load[k] / sum * e[1];
  }
  double size = carom_hypot(c[0], c[1]);
  direction[0] = c[0] / size;
  direction[1] = c[1] / size;
  for (int k = 0; k < PLACES; k++) {
    double e[2];
    direction_of(it, p, k, e);
    turned = fmax(turned, e[0] * direction[0] + e[1] * direction[1]);
  }
  return turned < 1.0 - ALIGNED;
}

carom_status carom_patch_bear(carom_hybrid *it, bool *moved, carom_error *error) {
  int count = carom_patch_count(it->model);
  bool known = false;
  carom_status status = CAROM_OK;
  *moved = false;
  for (int p = 0; p < count && status == CAROM_OK; p++) {
    double direction[2];
    if (!patch_holds(it, p)) continue;
    // forces that these points cannot bear have no answer of their own, but tell where they ask for
    // it
    if (!known) (void)carom_hybrid_forces(it, it->now.t, it->y, false);
    known = true;
    if (!leaves_points(it, p, direction)) continue;
    set_way(it, p, direction[0], direction[1]);
    *moved = true;
    status = move_points(it, p, error);
  }
  return status;
}

bool carom_patch_has(const carom_hybrid *it, int contact) {
  bool any = false;
  for (int p = 0; p < carom_patch_count(it->model); p++)
    for (int k = 0; k < PLACES; k++)
      any = any || patch_at(it, p)->contacts[k] == contact;
  return any;
}

carom_status carom_patch_land(carom_hybrid *it, bool *moved, carom_error *error) {
  carom_status status = CAROM_OK;
  *moved = false;
  for (int p = 0; p < carom_patch_count(it->model) && status == CAROM_OK; p++) {
    if (!patch_touches(it, p)) continue;
    rim_field in = field_of(it, p, it->work.rows.velocity);
    double rest = it->tolerance.speed[patch_at(it, p)->contacts[0]];
    if (in.a - in.size >= -rest || in.size <= fmax(rest, UNEVEN * in.largest)) continue;
    set_way(it, p, -in.b[0] / in.size, -in.b[1] / in.size);
    *moved = true;
    status = move_points(it, p, error);
    for (int k = 0; k < PLACES; k++)
      carom_hybrid_put_mode(it, patch_at(it, p)->contacts[k], CAROM_CONTACT_OPEN);
  }
  return status;
}

static double wrap_angle(double a) {
  const double turn = 6.283185307179586;
  return a - turn * floor(a / turn + 0.5);
}

// The next direction to try. How far the least velocity is from the first point is nearly linear in
// where that is: the secant through the last two trials (angle, distance).
static double next_angle(double angle, double off, double *last) {
  double step = 0.5 * off, slope = (off - last[1]) / wrap_angle(angle - last[0]);
  if (last[1] != 0.0 && slope < 0.0) step = fmax(-1.0, fmin(1.0, -off / slope));
  last[0] = angle;
  last[1] = off;
  return angle + step;
}

carom_status carom_patch_leave(carom_hybrid *it, bool *moved, carom_error *error) {
  carom_status status = CAROM_OK;
  *moved = false;
  for (int p = 0; p < carom_patch_count(it->model) && status == CAROM_OK; p++) {
    if (!patch_touches(it, p)) continue;
    int contact = patch_at(it, p)->contacts[0];
    rim_field out = field_of(it, p, it->work.rows.velocity);
    double least = out.a - out.size, rest = it->tolerance.speed[contact];
    if (out.size <= fmax(rest, TILTS * out.largest)) continue;
    set_way(it, p, -out.b[0] / out.size, -out.b[1] / out.size);
    *moved = true;
    status = move_points(it, p, error);
    for (int k = 0; k < PLACES; k++)
      carom_hybrid_put_mode(it, patch_at(it, p)->contacts[k],
                            k == 0 && least <= rest ? CAROM_CONTACT_CLOSED : CAROM_CONTACT_OPEN);
  }
  return status;
}

bool carom_patch_touches(const carom_hybrid *it) {
  bool any = false;
  for (int p = 0; p < carom_patch_count(it->model) && !any; p++)
    any = patch_touches(it, p);
  return any;
}

// A part of the rim that is `off` the first point would go down. The speed there is of second order
// in that angle, so the angle itself is asked for, where there is one.
static bool goes_through(const rim_field *out, double off, double fastest) {
  double down = out->size - out->a;
  bool tilts = out->size > TILTS * fastest && fabs(off) > SIDE;
  return down > UNEVEN * fastest || (down > ROUNDING * fastest && tilts);
}

// An impact with much friction has several outcomes by its law, of which one is found; that may let
// a rim through wherever the secant leads. Other points then begin anew.
static double another_start(const double *last, int trial) {
  const double golden = 2.399963229728653; // angles that never come near each other
  int round = trial / TRIALS_EACH;
  return last[2] + round * golden;
}

carom_status carom_patch_pass(carom_hybrid *it, const double *after, int trial, bool *moved,
                              carom_error *error) {
  carom_status status = CAROM_OK;
  double fastest = 0.0;
  *moved = false;
  for (int r = 0; r < it->model->dynamics->rows; r++)
    fastest = fmax(fastest, fmax(fabs(after[r]), fabs(it->instant.striking.approach[r])));
  for (int p = 0; p < carom_patch_count(it->model) && status == CAROM_OK; p++) {
    if (!patch_touches(it, p)) continue;
    const double *way = it->watching.patches.way[p];
    double *last = it->watching.patches.last[p], angle = carom_atan2(way[1], way[0]);
    if (trial == 0) last[2] = angle;
    if (trial % TRIALS_EACH == 0) last[0] = last[1] = 0.0; // nothing is known of another impact
    rim_field out = field_of(it, p, after);
    double off = wrap_angle(carom_atan2(-out.b[1], -out.b[0]) - angle);
    if (!goes_through(&out, off, fastest)) continue;
    double next = (trial + 1) % TRIALS_EACH == 0 ? another_start(last, trial + 1)
                                                 : next_angle(angle, off, last);
    set_way(it, p, carom_cos(next), carom_sin(next));
    *moved = true;
    status = move_points(it, p, error);
  }
  return status;
}
