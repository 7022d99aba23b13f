// SPDX-License-Identifier: MIT
// Mass, mass centre and Euler tensor, exact for densities that change linearly: polynomials of
// degree 3 over simplices from the origin to each piece.
#include "field/body.h"

static const int PAIR[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

typedef struct sums {
  double volume, mass, first[3], second[6];
} sums;

static void add_point(const carom_body_numbers *numbers, const double x[3], double weight,
                      sums *sum) {
  const double *slope = numbers->density_gradient;
  double density = numbers->density + slope[0] * x[0] + slope[1] * x[1] + slope[2] * x[2];
  sum->volume += weight;
  sum->mass += weight * density;
  for (int k = 0; k < 3; k++)
    sum->first[k] += weight * density * x[k];
  for (int k = 0; k < 6; k++)
    sum->second[k] += weight * density * x[PAIR[k][0]] * x[PAIR[k][1]];
}

// the triangle from the origin to an edge, as mixtures; the Gauss rule is exact to degree 11
static void add_edge(const carom_body *body, const carom_piece *piece,
                     const carom_body_numbers *numbers, sums *sum) {
  const double *a = body->vertex[piece->corner[0]], *b = body->vertex[piece->corner[1]];
  double doubled = a[0] * b[1] - a[1] * b[0];
  carom_gauss rule = carom_gauss_rule(6);
  for (int i = 0; i < rule.count; i++)
    for (int j = 0; j < rule.count; j++) {
      double r = rule.node[i], s = rule.node[j];
      double x[3] = {r * (a[0] + s * (b[0] - a[0])), r * (a[1] + s * (b[1] - a[1])), 0.0};
      add_point(numbers, x, doubled * r * rule.weight[i] * rule.weight[j], sum);
    }
}

static void add_triangle(const carom_body *body, const carom_piece *piece,
                         const carom_body_numbers *numbers, sums *sum) {
  const double *a = body->vertex[piece->corner[0]], *b = body->vertex[piece->corner[1]],
               *c = body->vertex[piece->corner[2]];
  // six times the signed volume of the tetrahedron: twice the area times the height
  double sixfold = 2.0 * piece->size *
                   (a[0] * piece->normal[0] + a[1] * piece->normal[1] + a[2] * piece->normal[2]);
  carom_gauss rule = carom_gauss_rule(6);
  for (int i = 0; i < rule.count; i++)
    for (int j = 0; j < rule.count; j++)
      for (int k = 0; k < rule.count; k++) {
        double r = rule.node[i], s = rule.node[j], t = rule.node[k], x[3];
        for (int q = 0; q < 3; q++)
          x[q] = r * (a[q] + s * (b[q] - a[q] + t * (c[q] - b[q])));
        double weight = rule.weight[i] * rule.weight[j] * rule.weight[k];
        add_point(numbers, x, sixfold * r * r * s * weight, sum);
      }
}

// by symmetry the gradient moves the centre and adds nothing to the Euler tensor about the middle
static void add_round(const carom_body *body, const carom_body_numbers *numbers, sums *sum) {
  const double pi = 3.14159265358979323846;
  double r = body->radius, l = body->length, spread[3]; // mean squares of x, y, z
  if (body->shape == CAROM_BODY_SPHERE) {
    sum->volume = 4.0 / 3.0 * pi * r * r * r;
    spread[0] = spread[1] = spread[2] = r * r / 5.0;
  } else {
    bool disc = body->shape == CAROM_BODY_DISC;
    sum->volume = pi * r * r * (disc ? 1.0 : l);
    spread[0] = spread[1] = r * r / 4.0;
    spread[2] = disc ? 0.0 : l * l / 12.0;
  }
  sum->mass = numbers->density * sum->volume;
  for (int k = 0; k < 3; k++) {
    sum->first[k] = numbers->density_gradient[k] * sum->volume * spread[k];
    sum->second[k] = sum->mass * spread[k];
  }
}

void carom_body_weigh(carom_body *body, const carom_body_numbers *numbers) {
  sums sum = {0};
  for (int p = 0; p < body->piece_count; p++)
    if (body->dimension == 2)
      add_edge(body, &body->piece[p], numbers, &sum);
    else
      add_triangle(body, &body->piece[p], numbers, &sum);
  if (body->piece_count == 0) add_round(body, numbers, &sum);
  body->volume = sum.volume;
  body->mass = sum.mass;
  for (int k = 0; k < 3; k++)
    body->centre[k] = sum.mass != 0.0 ? sum.first[k] / sum.mass : 0.0;
  for (int k = 0; k < 6; k++)
    body->euler[k] = sum.second[k] - sum.mass * body->centre[PAIR[k][0]] * body->centre[PAIR[k][1]];
}
