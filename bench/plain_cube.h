// SPDX-License-Identifier: MIT
/// The cube of figure 17 as one would write it by hand: the same equations and the same integrator
/// as the engine `field`, but the repulsion by a product Gauss rule on each face, with as many
/// points as the wanted accuracy takes there. Header of the benchmark alone.
#ifndef CAROM_BENCH_PLAIN_CUBE_H
#define CAROM_BENCH_PLAIN_CUBE_H

#include "base/arena.h"
#include "ode/stepper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct plain_rule {
  int n;
  double *node, *weight;
} plain_rule;

static plain_rule make_rule(int n) {
  plain_rule rule = {n, malloc((size_t)n * sizeof(double)), malloc((size_t)n * sizeof(double))};
  if (!rule.node || !rule.weight) exit(1);
  for (int i = 0; i < n; i++) {
    double x = cos(3.14159265358979323846 * (i + 0.75) / (n + 0.5)), slope = 1.0;
    for (int round = 0; round < 50; round++) {
      double p0 = 1.0, p1 = x;
      for (int k = 2; k <= n; k++) {
        double p2 = ((2 * k - 1) * x * p1 - (k - 1) * p0) / k;
        p0 = p1, p1 = p2;
      }
      slope = n * (x * p1 - p0) / (x * x - 1.0);
      x -= p1 / slope;
    }
    rule.node[i] = 0.5 * (1.0 - x);
    rule.weight[i] = 1.0 / ((1.0 - x * x) * slope * slope);
  }
  return rule;
}

static void free_rule(plain_rule *rule) {
  free(rule->node);
  free(rule->weight);
}

enum { PLAIN_RULES = 96, PLAIN_SIZE = 13 };

/// x y z, quaternion, velocity, angular velocity; edge 1 m, 1000 kg.
typedef struct plain_cube {
  plain_rule rules[PLAIN_RULES]; // made when first needed; rule k has 4 (k + 1) points
  double coefficient;            // of d^-8
  double points;                 // times sqrt(far/near): how many a direction needs
  double damping, friction;      // uniform over the surface
  long evaluations, visited;
} plain_cube;

static const plain_rule *plain_rule_for(plain_cube *it, double ratio) {
  int k = (int)(it->points * sqrt(ratio) / 4.0);
  if (k >= PLAIN_RULES) k = PLAIN_RULES - 1;
  if (it->rules[k].n == 0) it->rules[k] = make_rule(4 * (k + 1));
  return &it->rules[k];
}

// adds int d^-8 (1, rx, ry) over the face spanned by a and b from the corner p, all from the centre
static int plain_face(plain_cube *it, double height, const double p[3], const double a[3],
                      const double b[3], double sum[3]) {
  double d = height + p[2], far = d + fmax(a[2], 0.0) + fmax(b[2], 0.0);
  double near = d + fmin(a[2], 0.0) + fmin(b[2], 0.0);
  if (!(near > 0.0)) return 1;
  const plain_rule *rule = plain_rule_for(it, far / near);
  for (int i = 0; i < rule->n; i++)
    for (int j = 0; j < rule->n; j++) {
      double s = rule->node[i], t = rule->node[j], u = 1.0 / (d + a[2] * s + b[2] * t);
      u *= u, u *= u, u *= u;
      double term = rule->weight[i] * rule->weight[j] * u;
      sum[0] += term;
      sum[1] += term * (p[0] + a[0] * s + b[0] * t);
      sum[2] += term * (p[1] + a[1] * s + b[1] * t);
    }
  it->visited += (long)rule->n * rule->n;
  return 0;
}

static void plain_rotation(const double *q, double R[3][3]) {
  double w = q[0], x = q[1], y = q[2], z = q[3], n = w * w + x * x + y * y + z * z;
  double M[3][3] = {
      {1 - 2 * (y * y + z * z) / n, 2 * (x * y - w * z) / n, 2 * (x * z + w * y) / n},
      {2 * (x * y + w * z) / n, 1 - 2 * (x * x + z * z) / n, 2 * (y * z - w * x) / n},
      {2 * (x * z - w * y) / n, 2 * (y * z + w * x) / n, 1 - 2 * (x * x + y * y) / n}};
  for (int i = 0; i < 9; i++)
    R[i / 3][i % 3] = M[i / 3][i % 3];
}

static carom_status plain_rhs(void *ctx, double t, const double *y, double *dydt) {
  plain_cube *it = ctx;
  const double *q = y + 3, *v = y + 7, *w = y + 10;
  const double mass = 1000.0, area = 6.0, second = 5.0 / 6.0, inertia = mass / 6.0;
  double R[3][3], sum[3] = {0.0};
  (void)t;
  plain_rotation(q, R);
  for (int face = 0; face < 6; face++) {
    int axis = face / 2, one = (axis + 1) % 3, two = (axis + 2) % 3;
    double side = face % 2 ? 0.5 : -0.5, p[3], a[3], b[3];
    for (int k = 0; k < 3; k++) {
      a[k] = R[k][one], b[k] = R[k][two];
      p[k] = side * R[k][axis] - 0.5 * a[k] - 0.5 * b[k];
    }
    if (plain_face(it, y[2], p, a, b, sum)) return CAROM_ERR_NONFINITE;
  }
  it->evaluations++;
  double push = it->coefficient;
  for (int k = 0; k < 3; k++)
    dydt[k] = v[k];
  dydt[3] = 0.5 * (-w[0] * q[1] - w[1] * q[2] - w[2] * q[3]);
  dydt[4] = 0.5 * (w[0] * q[0] + w[1] * q[3] - w[2] * q[2]);
  dydt[5] = 0.5 * (w[1] * q[0] + w[2] * q[1] - w[0] * q[3]);
  dydt[6] = 0.5 * (w[2] * q[0] + w[0] * q[2] - w[1] * q[1]);
  dydt[7] = -it->friction * area * v[0] / mass;
  dydt[8] = -it->friction * area * v[1] / mass;
  dydt[9] = (push * sum[0] - it->damping * area * v[2]) / mass - 9.81;
  double level = (it->damping + it->friction) * second;
  dydt[10] = (push * sum[2] - level * w[0]) / inertia;
  dydt[11] = (-push * sum[1] - level * w[1]) / inertia;
  dydt[12] = -2.0 * it->friction * second * w[2] / inertia;
  return CAROM_OK;
}

/// From y at time 0 to `until`; false when the cube is not above the floor any more.
static bool plain_run(plain_cube *it, double *y, double until, double rtol) {
  carom_stepper stepper;
  carom_error error = {0};
  carom_arena *arena = carom_arena_create(NULL);
  carom_stepper_options options = carom_stepper_options_default();
  options.rtol = rtol;
  options.atol = 0.01 * rtol;
  carom_status status =
      arena ? carom_stepper_init(&stepper, arena, PLAIN_SIZE, plain_rhs, it, &options, &error)
            : CAROM_ERR_MEMORY;
  if (!status) status = carom_stepper_start(&stepper, 0.0, y, 0.0, &error);
  while (!status && stepper.t < until) {
    status = carom_stepper_try(&stepper, until, &error);
    if (!status) carom_stepper_commit(&stepper);
  }
  for (int i = 0; !status && i < PLAIN_SIZE; i++)
    y[i] = stepper.y[i];
  carom_arena_destroy(arena);
  return status == CAROM_OK;
}

#endif
