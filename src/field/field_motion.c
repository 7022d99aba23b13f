// SPDX-License-Identifier: MIT
// The equations of motion. The state is q, q', z and then the energy integrals:
//   rigid, plane: x y theta;  rigid, space: x y z turn_x turn_y turn_z, z = quaternion, where the
//   turns are the integrals of the angular velocity;  soft: x y (z) and the rows of F.
#include "field/field.h"

#include "base/elementary.h"
#include "field/matrix3.h"

#include <math.h>
#include <string.h>

static const double IDENTITY[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};

// the quaternion's length drifts by rounding alone and has no meaning: the rotation has none
static void rotation_of(const double *q, double *R) {
  double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  double w = q[0] / length, x = q[1] / length, y = q[2] / length, z = q[3] / length;
  R[0] = 1.0 - 2.0 * (y * y + z * z), R[1] = 2.0 * (x * y - w * z), R[2] = 2.0 * (x * z + w * y);
  R[3] = 2.0 * (x * y + w * z), R[4] = 1.0 - 2.0 * (x * x + z * z), R[5] = 2.0 * (y * z - w * x);
  R[6] = 2.0 * (x * z - w * y), R[7] = 2.0 * (y * z + w * x), R[8] = 1.0 - 2.0 * (x * x + y * y);
}

// G = omega x R
static void spin_of(const double *omega, const double *R, double *G) {
  for (int j = 0; j < 3; j++) {
    double column[3] = {R[j], R[3 + j], R[6 + j]}, turned[3];
    carom_v3_cross(omega, column, turned);
    for (int i = 0; i < 3; i++)
      G[3 * i + j] = turned[i];
  }
}

static void read_deformation(int d, const double *q, double *F) {
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++)
      F[3 * i + j] = q[d + d * i + j];
}

static void angular_velocity(const carom_field *it, const double *y, double *omega) {
  int n = it->model->n;
  omega[0] = omega[1] = 0.0;
  omega[2] = it->model->dimension == 2 ? y[n + 2] : y[n + 5];
  if (it->model->dimension == 3) omega[0] = y[n + 3], omega[1] = y[n + 4];
}

void carom_field_pose(const carom_field *it, const double *y, carom_pose *pose) {
  int d = it->model->dimension, n = it->model->n;
  memset(pose, 0, sizeof *pose);
  memcpy(pose->place, y, (size_t)d * sizeof *y);
  memcpy(pose->velocity, y + n, (size_t)d * sizeof *y);
  memcpy(pose->F, IDENTITY, sizeof IDENTITY);
  if (it->model->field->soft) {
    read_deformation(d, y, pose->F);
    read_deformation(d, y + n, pose->G);
    return;
  }
  double omega[3];
  angular_velocity(it, y, omega);
  if (d == 2) {
    double s, c;
    carom_sincos(y[2], &s, &c);
    pose->F[0] = pose->F[4] = c;
    pose->F[1] = -s;
    pose->F[3] = s;
  } else {
    rotation_of(y + 2 * (size_t)n, pose->F);
  }
  spin_of(omega, pose->F, pose->G);
}

// ---- rigid

// the torque about the mass centre: epsilon_ijk T_kj, T = M R^T
static void torque_of(const double *M, const double *R, double *torque) {
  double T[9];
  carom_multiply_transposed3(M, R, T);
  torque[0] = T[7] - T[5];
  torque[1] = T[2] - T[6];
  torque[2] = T[3] - T[1];
}

// omega' = R I^-1 (R^T torque - w x I w), w = R^T omega
static void angular_acceleration(const carom_field *it, const carom_pose *pose, const double *omega,
                                 const double *torque, double factor, double *rate) {
  double w[3], Iw[3], gyro[3], own[3], turned[3];
  carom_m3_transposed(pose->F, omega, w);
  carom_m3_transposed(pose->F, torque, own);
  carom_m3_times(it->numbers.inertia, w, Iw);
  carom_v3_cross(w, Iw, gyro);
  for (int i = 0; i < 3; i++)
    own[i] = own[i] / factor - gyro[i];
  carom_m3_times(it->numbers.inertia_inverse, own, turned);
  carom_m3_times(pose->F, turned, rate);
}

static void rigid_rates(carom_field *it, const double *y, const carom_pose *pose,
                        const carom_loads *loads, double factor, double *dydt) {
  int d = it->model->dimension, n = it->model->n;
  double omega[3], torque[3], turning[3];
  angular_velocity(it, y, omega);
  torque_of(loads->moment, pose->F, torque);
  if (d == 2) {
    dydt[n + 2] = torque[2] / (factor * it->numbers.inertia[8]);
    return;
  }
  angular_acceleration(it, pose, omega, torque, factor, turning);
  memcpy(dydt + n + 3, turning, sizeof turning);
  // q' = (0, omega) q / 2
  const double *q = y + 2 * (size_t)n;
  double *rate = dydt + 2 * (size_t)n, turned[3];
  carom_v3_cross(omega, q + 1, turned);
  rate[0] = -0.5 * carom_v3_dot(omega, q + 1);
  for (int i = 0; i < 3; i++)
    rate[1 + i] = 0.5 * (omega[i] * q[0] + turned[i]);
}

// ---- soft

/// F, its inverse, L = F' F^-1 and the stress S without its reaction.
typedef struct strain {
  double inverse[9], L[9], stress[9];
  double dissipation; // mu D . D
} strain;

// S F^T = 2 c10 B - 2 c01 B^-1 + mu D; directions beyond the dimension are left out
static void strain_of(const carom_field *it, const carom_pose *pose, strain *s) {
  const carom_field_numbers *p = &it->numbers;
  double B[9], B_inverse[9], T[9], transposed[9];
  (void)carom_invert3(pose->F, s->inverse);
  carom_multiply3(pose->G, s->inverse, s->L);
  carom_multiply_transposed3(pose->F, pose->F, B);
  (void)carom_invert3(B, B_inverse);
  s->dissipation = 0.0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double D = 0.5 * (s->L[3 * i + j] + s->L[3 * j + i]);
      T[3 * i + j] =
          2.0 * (p->c10 * B[3 * i + j] - p->c01 * B_inverse[3 * i + j]) + p->viscosity * D;
      s->dissipation += p->viscosity * D * D;
      transposed[3 * i + j] = s->inverse[3 * j + i];
    }
  carom_multiply3(T, transposed, s->stress);
}

// F'' = A + p F^-T J^-1 with A = (M - vol S) J^-1; the pressure p keeps det F:
// p = [tr(L^2) - tr(F^-1 A)] / tr(F^-1 F^-T J^-1)
static void soft_rates(carom_field *it, const carom_loads *loads, const strain *s, double factor,
                       double *dydt) {
  int d = it->model->dimension, n = it->model->n;
  const double *J_inverse = it->numbers.euler_inverse;
  double load[9], A[9], push[9], transposed[9], a = 0.0, b = 0.0, c = 0.0;
  for (int i = 0; i < 9; i++)
    load[i] = (loads->moment[i] - it->body.volume * s->stress[i]) / factor;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      transposed[3 * i + j] = s->inverse[3 * j + i];
  carom_multiply3(load, J_inverse, A);
  carom_multiply3(transposed, J_inverse, push);
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++) {
      a += s->L[3 * i + j] * s->L[3 * j + i];
      b += s->inverse[3 * i + j] * A[3 * j + i];
      c += s->inverse[3 * i + j] * push[3 * j + i];
    }
  double pressure = (a - b) / c;
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++)
      dydt[n + d + d * i + j] = A[3 * i + j] + pressure * push[3 * i + j];
}

// ---- all

static double kinetic_energy(const carom_field *it, const double *y, const carom_pose *pose,
                             double factor) {
  double sum = it->body.mass * carom_v3_dot(pose->velocity, pose->velocity);
  if (it->model->field->soft) {
    double GJ[9];
    carom_multiply3(pose->G, it->numbers.euler, GJ);
    for (int i = 0; i < it->model->dimension; i++)
      for (int j = 0; j < it->model->dimension; j++)
        sum += GJ[3 * i + j] * pose->G[3 * i + j];
  } else {
    double omega[3], w[3], Iw[3];
    angular_velocity(it, y, omega);
    carom_m3_transposed(pose->F, omega, w);
    carom_m3_times(it->numbers.inertia, w, Iw);
    sum += carom_v3_dot(w, Iw);
  }
  return 0.5 * factor * sum;
}

carom_status carom_field_rhs(void *ctx, double t, const double *y, double *dydt) {
  carom_field *it = ctx;
  int d = it->model->dimension, n = it->model->n;
  carom_pose pose;
  carom_loads loads;
  strain s = {.dissipation = 0.0};
  carom_field_pose(it, y, &pose);
  carom_status status = carom_field_loads(it, t, &pose, false, &loads);
  if (status != CAROM_OK) return status;
  const double *factor = loads.factor;
  if (!(factor[0] > 0.0)) return CAROM_ERR_NONFINITE; // no mass, no motion
  memcpy(dydt, y + n, (size_t)n * sizeof *y);
  for (int i = 0; i < d; i++)
    dydt[n + i] = it->numbers.gravity[i] + loads.force[i] / (factor[0] * it->body.mass);
  if (it->model->field->soft) {
    strain_of(it, &pose, &s);
    soft_rates(it, &loads, &s, factor[0], dydt);
  } else {
    rigid_rates(it, y, &pose, &loads, factor[0], dydt);
  }
  // energy integrals
  const carom_field_integrals *integrals = &it->model->integrals;
  double *power = dydt + it->model->size;
  for (int k = 0; k < it->model->field->law_count; k++) {
    if (integrals->taken[k] >= 0) power[integrals->taken[k]] = loads.taken[k];
    if (integrals->driven[k] >= 0) power[integrals->driven[k]] = loads.driven[k];
  }
  if (integrals->viscous >= 0) power[integrals->viscous] = it->body.volume * s.dissipation;
  if (integrals->mass >= 0)
    power[integrals->mass] =
        factor[1] * (kinetic_energy(it, y, &pose, 1.0) -
                     it->body.mass * carom_v3_dot(it->numbers.gravity, pose.place));
  return CAROM_OK;
}

// tr B - 3 and tr B^-1 - 3 as they are written lose all digits where the strain is small. With
// E = B - 1 and its invariants I2, I3, det B = 1 reads tr E + I2 + I3 = 0, so that
//   tr B - 3 = -I2 - I3,   tr B^-1 - 3 = 2 tr E + I2 = -I2 - 2 I3,
// which are quadratic in E. Where it is large the traces are better.
static double stored_in(const carom_field_numbers *p, const double *F) {
  double E[9], C[9], trace = 0.0, squares = 0.0, first = 0.0, second = 0.0;
  carom_multiply_transposed3(F, F, E);
  for (int i = 0; i < 3; i++)
    trace += E[4 * i] -= 1.0;
  for (int i = 0; i < 9; i++)
    squares += E[i] * E[i];
  double I2 = 0.5 * (trace * trace - squares), I3 = carom_cofactor3(E, C);
  if (squares < 1.0) return -p->c10 * (I2 + I3) - p->c01 * (I2 + 2.0 * I3);
  double det = carom_cofactor3(F, C);
  for (int i = 0; i < 9; i++) {
    first += F[i] * F[i];
    second += C[i] * C[i] / (det * det);
  }
  return p->c10 * (first - 3.0) + p->c01 * (second - 3.0);
}

carom_status carom_field_energy_at(carom_field *it, double t, const double *y,
                                   carom_field_energy *energy) {
  carom_pose pose;
  carom_loads loads;
  carom_field_pose(it, y, &pose);
  carom_status status = carom_field_loads(it, t, &pose, true, &loads);
  if (status != CAROM_OK) return status;
  energy->kinetic = kinetic_energy(it, y, &pose, loads.factor[0]);
  energy->gravity =
      -loads.factor[0] * it->body.mass * carom_v3_dot(it->numbers.gravity, pose.place);
  energy->elastic = 0.0;
  double fields = 0.0;
  for (int k = 0; k < it->model->field->law_count; k++)
    fields += energy->law[k] = loads.potential[k];
  energy->potential = fields + energy->gravity;
  if (!it->model->field->soft) return CAROM_OK;
  energy->elastic = it->body.volume * stored_in(&it->numbers, pose.F);
  energy->potential += energy->elastic;
  return CAROM_OK;
}

// F / det^(1/d), and F' without its part along F^-T, so that tr(F' F^-1) = 0
bool carom_field_project(carom_field *it, double *y, double *error) {
  int d = it->model->dimension, n = it->model->n;
  if (!it->model->field->soft) return false;
  carom_pose pose;
  carom_field_pose(it, y, &pose);
  double inverse[9] = {0.0}, det = carom_invert3(pose.F, inverse), trace = 0.0, size = 0.0;
  *error = fabs(det - 1.0);
  double scale = d == 2 ? 1.0 / sqrt(det) : 1.0 / carom_cbrt(det);
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++) {
      y[d + d * i + j] *= scale;
      trace += pose.G[3 * i + j] * inverse[3 * j + i];
      size += inverse[3 * i + j] * inverse[3 * i + j];
    }
  // the size of F^-1 changes by rounding-sized parts only: the old one will do
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++)
      y[n + d + d * i + j] -= trace / size * inverse[3 * j + i];
  return true;
}

carom_status carom_field_check_shape(const carom_field *it, carom_error *error) {
  if (!it->model->field->soft || it->body.vertex_count > 0) return CAROM_OK;
  carom_pose pose;
  double cofactor[9];
  carom_field_pose(it, it->y, &pose);
  (void)carom_cofactor3(pose.F, cofactor);
  double growth = carom_body_growth(cofactor);
  if (growth <= CAROM_GROWTH_MOST) return CAROM_OK;
  return carom_fail(error, CAROM_ERR_LIMIT,
                    "at t = %.15g the body is so flat that its surface grows %.3g times as much in "
                    "one place as in another; beyond %d the forces on a round body lose digits",
                    it->now.t, growth, CAROM_GROWTH_MOST);
}
