// SPDX-License-Identifier: MIT
// Laws of the user's own: q = normal n + tangential v_t with expressions of d, vn, vt and time,
// integrated by adaptive quadrature.
#include "field/field.h"

#include "field/matrix3.h"

#include <math.h>

typedef struct own_sum {
  carom_field *it;
  const carom_field_own *law;
  const carom_pose *pose;
  const carom_support_now *support;
} own_sum;

static double own_output(const carom_field *it, int k) {
  return k < 0 ? 0.0 : it->registers.own[carom_program_output(it->model->own, k)];
}

enum { FORCE = 0, MOMENT = 3, POWER = 12, VALUES = 13 };

static void value_at(void *ctx, const double x[3], double distance, double *values) {
  own_sum *sum = ctx;
  const double *n = sum->support->normal;
  double v[3], vt[3], q[3];
  carom_m3_times(sum->pose->G, x, v);
  for (int i = 0; i < 3; i++)
    v[i] += sum->pose->velocity[i] - sum->support->velocity[i];
  double vn = carom_v3_dot(n, v);
  for (int i = 0; i < 3; i++)
    vt[i] = v[i] - vn * n[i];
  double *work = sum->it->registers.own;
  work[1] = distance;
  work[2] = vn;
  work[3] = sqrt(carom_v3_dot(vt, vt));
  carom_program_run(sum->it->model->own, work);
  double normal = own_output(sum->it, sum->law->normal),
         drag = own_output(sum->it, sum->law->tangential);
  for (int i = 0; i < 3; i++) {
    values[FORCE + i] = q[i] = normal * n[i] + drag * vt[i];
    for (int j = 0; j < 3; j++)
      values[MOMENT + 3 * i + j] = q[i] * x[j];
  }
  values[POWER] = carom_v3_dot(q, v);
  for (int k = 0; k < sum->law->kinks.count; k++)
    values[VALUES + k] = own_output(sum->it, sum->law->kinks.first + k);
}

void carom_field_own_loads(carom_field *it, double t, const carom_pose *pose, int support,
                           const carom_support_now *now, const carom_sight *sight,
                           carom_loads *loads) {
  it->registers.own[0] = t;
  for (int k = 0; k < it->numbers.own_count; k++) {
    const carom_field_own *law = &it->numbers.own[k];
    if (!(law->supports >> support & 1u)) continue;
    own_sum sum = {it, law, pose, now};
    carom_integrand integrand = {.count = VALUES,
                                 .group_count = 2,
                                 .group_end = {MOMENT, POWER},
                                 .kinks = law->kinks.count,
                                 .quadratic = law->still,
                                 .value = value_at,
                                 .ctx = &sum};
    double sums[VALUES] = {0.0};
    carom_body_integrate(&it->body, sight, law->faces, &integrand, sums);
    for (int i = 0; i < 3; i++)
      loads->force[i] += sums[FORCE + i];
    for (int i = 0; i < 9; i++)
      loads->moment[i] += sums[MOMENT + i];
    loads->taken[law->law] -= sums[POWER];
    loads->driven[law->law] += carom_v3_dot(sums + FORCE, now->velocity);
  }
}
