// SPDX-License-Identifier: MIT
// Laws of the user's own: q = normal n + tangential v_t with expressions of d, vn, vt and time,
// summed over quadrature points that are graded by the distance.
#include "field/field.h"

#include "field/matrix3.h"

#include <math.h>

typedef struct own_sum {
  carom_field *it;
  const carom_field_own *law;
  const carom_pose *pose;
  const carom_support_now *support;
  carom_loads *loads;
} own_sum;

static double output(const carom_field *it, int k) {
  return k < 0 ? 0.0 : it->own_registers[carom_program_output(it->model->own, k)];
}

static void add_point(void *ctx, const double x[3], double weight, double distance) {
  own_sum *sum = ctx;
  const double *n = sum->support->normal;
  double v[3], vt[3], q[3];
  carom_apply3(sum->pose->G, x, v);
  for (int i = 0; i < 3; i++)
    v[i] += sum->pose->velocity[i] - sum->support->velocity[i];
  double vn = carom_dot3(n, v);
  for (int i = 0; i < 3; i++)
    vt[i] = v[i] - vn * n[i];
  double *work = sum->it->own_registers;
  work[1] = distance;
  work[2] = vn;
  work[3] = sqrt(carom_dot3(vt, vt));
  carom_program_run(sum->it->model->own, work);
  double normal = output(sum->it, sum->law->normal), drag = output(sum->it, sum->law->tangential);
  for (int i = 0; i < 3; i++) {
    q[i] = weight * (normal * n[i] + drag * vt[i]);
    sum->loads->force[i] += q[i];
    for (int j = 0; j < 3; j++)
      sum->loads->moment[3 * i + j] += q[i] * x[j];
  }
  sum->loads->forces += carom_dot3(q, v);
}

void carom_field_own_loads(carom_field *it, double t, const carom_pose *pose, int support,
                           const carom_support_now *now, const carom_sight *sight,
                           carom_loads *loads) {
  it->own_registers[0] = t;
  for (int k = 0; k < it->numbers.own_count; k++) {
    const carom_field_own *law = &it->numbers.own[k];
    own_sum sum = {it, law, pose, now, loads};
    if (law->supports >> support & 1u)
      carom_body_visit(&it->body, sight, law->faces, add_point, &sum);
  }
}
