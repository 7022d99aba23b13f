// SPDX-License-Identifier: MIT
// What can be seen of a body, as expressions of its motion: the places of its points, distances.
// With these, sections, stops and observables of a body are those of any other system.
#include "scenario/load.h"

#include <string.h>

typedef struct sight {
  carom_loader *loader;
  carom_graph *graph;
  const carom_scenario *scenario;
  const carom_field_description *field;
  int n;
  carom_node place[3], matrix[3][3]; // where the mass centre is, and R or F
} sight;

static carom_node constant_node(const sight *it, double value) {
  return carom_node_constant(it->graph, value);
}

static carom_node symbol_node(const sight *it, int k) {
  return it->scenario->coordinates[k].symbol;
}

// a b + c d
static carom_node pair_of_products(const sight *it, carom_node a, carom_node b, carom_node c,
                                   carom_node d) {
  return carom_add(it->graph, carom_mul(it->graph, a, b), carom_mul(it->graph, c, d));
}

// R of a quaternion w + x i + y j + z k of length 1
static void rotate_by_quaternion(sight *it) {
  carom_node q[4], two = constant_node(it, 2.0), one = constant_node(it, 1.0);
  carom_graph *g = it->graph;
  for (int k = 0; k < 4; k++)
    q[k] = it->scenario->states[k].symbol;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    carom_node xi = q[1 + i], xj = q[1 + j], xk = q[1 + k], w = q[0];
    it->matrix[i][i] = carom_sub(g, one, carom_mul(g, two, pair_of_products(it, xj, xj, xk, xk)));
    // R_ij = 2 (x_i x_j - w x_k), R_ji = 2 (x_i x_j + w x_k) for i, j, k in cyclic order
    carom_node product = carom_mul(g, xi, xj), cross = carom_mul(g, w, xk);
    it->matrix[i][j] = carom_mul(g, two, carom_sub(g, product, cross));
    it->matrix[j][i] = carom_mul(g, two, carom_add(g, product, cross));
  }
}

static void read_matrix(sight *it) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      it->matrix[i][j] = constant_node(it, i == j ? 1.0 : 0.0);
  if (it->field->soft) {
    for (int i = 0; i < it->n; i++)
      for (int j = 0; j < it->n; j++)
        it->matrix[i][j] = symbol_node(it, it->n + it->n * i + j);
  } else if (it->field->space) {
    rotate_by_quaternion(it);
  } else {
    carom_node theta = symbol_node(it, 2);
    carom_node c = carom_node_make(it->graph, CAROM_OP_COS, theta, 0, 0);
    carom_node s = carom_node_make(it->graph, CAROM_OP_SIN, theta, 0, 0);
    it->matrix[0][0] = it->matrix[1][1] = c;
    it->matrix[0][1] = carom_neg(it->graph, s);
    it->matrix[1][0] = s;
  }
}

// p = p0 + F (x - centre)
static void place_of(const sight *it, const carom_node at[3], carom_node out[3]) {
  for (int i = 0; i < 3; i++) {
    out[i] = it->place[i];
    for (int j = 0; j < it->n && j < 3; j++) {
      carom_node from_centre = carom_sub(it->graph, at[j], it->field->centre[j]);
      out[i] = carom_add(it->graph, out[i], carom_mul(it->graph, it->matrix[i][j], from_centre));
    }
  }
}

static carom_node length_of(const sight *it, int count, const carom_node *v) {
  carom_node sum = constant_node(it, 0.0);
  for (int k = 0; k < count; k++)
    sum = carom_add(it->graph, sum, carom_mul(it->graph, v[k], v[k]));
  return carom_node_make(it->graph, CAROM_OP_SQRT, sum, 0, 0);
}

// (p - point - shift) . n / |n|
static carom_node distance_of(const sight *it, const carom_field_support *support,
                              const carom_node p[3]) {
  carom_node sum = constant_node(it, 0.0);
  for (int k = 0; k < it->n; k++) {
    carom_node from = carom_sub(it->graph, p[k], support->point[k]);
    if (support->shift[k]) from = carom_sub(it->graph, from, support->shift[k]);
    sum = carom_add(it->graph, sum, carom_mul(it->graph, from, support->normal[k]));
  }
  return carom_div(it->graph, sum, length_of(it, it->n, support->normal));
}

static carom_node smaller_node(const sight *it, carom_node a, carom_node b) {
  return a ? carom_node_make(it->graph, CAROM_OP_MIN, a, b, 0) : b;
}

// a round body: its middle less what the radius reaches towards the plane
static carom_node round_distance(const sight *it, const carom_field_support *support) {
  const carom_field_description *f = it->field;
  carom_graph *g = it->graph;
  carom_node origin[3] = {constant_node(it, 0.0), constant_node(it, 0.0), constant_node(it, 0.0)};
  carom_node p[3] = {0, 0, 0}, slope[3];
  carom_node unit = length_of(it, it->n, support->normal);
  place_of(it, origin, p);
  carom_node d = distance_of(it, support, p);
  for (int j = 0; j < 3; j++) {
    slope[j] = constant_node(it, 0.0);
    for (int i = 0; i < it->n; i++)
      slope[j] = carom_add(g, slope[j],
                           carom_mul(g, it->matrix[i][j], carom_div(g, support->normal[i], unit)));
  }
  bool sphere = f->shape == CAROM_BODY_SPHERE;
  d = carom_sub(g, d, carom_mul(g, f->radius, length_of(it, sphere ? 3 : 2, slope)));
  if (f->shape != CAROM_BODY_CYLINDER) return d;
  carom_node along = carom_node_make(g, CAROM_OP_ABS, slope[2], 0, 0);
  return carom_sub(g, d, carom_mul(g, carom_mul(g, constant_node(it, 0.5), f->length), along));
}

static carom_node least_distance(const sight *it) {
  const carom_field_description *f = it->field;
  carom_node least = 0;
  for (int s = 0; s < f->support_count; s++) {
    if (f->corner_count == 0) least = smaller_node(it, least, round_distance(it, &f->supports[s]));
    for (int c = 0; c < f->corner_count; c++) {
      carom_node p[3] = {0, 0, 0};
      place_of(it, f->corners[c], p);
      least = smaller_node(it, least, distance_of(it, &f->supports[s], p));
    }
  }
  return least;
}

static carom_status define_name(const sight *it, const char *name, carom_node node) {
  carom_binding *b = carom_loader_find(it->loader, name);
  if (!node) return carom_loader_graph_failed(it->loader, it->field->body_place);
  b->node = it->loader->scenario->definitions.items[b->index].node = node;
  return CAROM_OK;
}

static carom_status define_point(const sight *it, const carom_field_point *point) {
  static const char *const axes[3] = {"x", "y", "z"};
  carom_node p[3] = {0, 0, 0};
  carom_status status = CAROM_OK;
  place_of(it, point->at, p);
  for (int k = 0; !status && k < it->n && k < 3; k++)
    status = define_name(it, carom_loader_path(it->loader, "%s.%s", point->name, axes[k]), p[k]);
  if (status) return status;
  return define_name(it, carom_loader_path(it->loader, "%s.d", point->name),
                     distance_of(it, &it->field->supports[0], p));
}

// q' = (0, omega) q / 2, omega in space
static void quaternion_equations(const sight *it) {
  carom_graph *g = it->graph;
  carom_state *states = it->loader->scenario->states;
  carom_node half = constant_node(it, 0.5), q[4], w[3];
  for (int k = 0; k < 4; k++)
    q[k] = states[k].symbol;
  for (int k = 0; k < 3; k++)
    w[k] = it->scenario->coordinates[3 + k].rate;
  carom_node sum = carom_mul(g, w[0], q[1]);
  sum = carom_add(g, sum, pair_of_products(it, w[1], q[2], w[2], q[3]));
  states[0].equation = carom_neg(g, carom_mul(g, half, sum));
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    carom_node turned = carom_sub(g, carom_mul(g, w[j], q[1 + k]), carom_mul(g, w[k], q[1 + j]));
    states[1 + i].equation = carom_mul(g, half, carom_add(g, carom_mul(g, w[i], q[0]), turned));
  }
}

carom_status carom_load_field_motion(carom_loader *loader) {
  const carom_field_description *f = loader->scenario->described.field;
  sight it = {.loader = loader,
              .graph = loader->graph,
              .scenario = loader->scenario,
              .field = f,
              .n = f->space ? 3 : 2};
  for (int k = 0; k < 3; k++)
    it.place[k] = k < it.n ? symbol_node(&it, k) : constant_node(&it, 0.0);
  read_matrix(&it);
  if (f->space && !f->soft) quaternion_equations(&it);
  carom_loader_know_equations(loader, loader->scenario->state_count);
  carom_status status = define_name(&it, "d", least_distance(&it));
  for (int k = 0; !status && k < f->point_count; k++)
    status = define_point(&it, &f->points[k]);
  return status;
}
