// SPDX-License-Identifier: MIT
// Where sweeps come to no end: all contacts and joints of the step at once, by Newton's method on
// velocities of bodies. With multipliers r, known from the round before, and a stiffness s of each
// contact,
//
//   p(u) = the impulse of Coulomb's law nearest to r - s (u + rest):
//     p_n = max(0, y_n), p_t = y_t, cut to mu p_n        (y = r - s (u + rest))
//   F(v) = M (v - v0) - H (p(u) - p0) = 0,   u = H^T v,
//
// is solved for v, then r = p(u): the method of multipliers (Hestenes 1969, Powell 1969) with the
// projections of Alart and Curnier (1991). Where r no longer changes, p obeys the law. As many
// impulses as there are may hold the same bodies: the matrix M + H D H^T, D = -dp/du, is that of
// bodies and always has an inverse when nothing slips. It is factorised within its envelope, in the
// order of Cuthill and McKee (1969) turned round.
#include "base/vector.h"
#include "stepping/world.h"

#include <limits.h>
#include <string.h>

enum { MOST_D = 6 };

/// Who touches whom: of each body the first of its links, which name the other body.
typedef struct link_list {
  int *head, *next, *other;
  int *degree; // links of each body
  int *queue;  // bodies on a walk along the links
} link_list;

typedef struct carom_whole {
  carom_arena *arena;  // of what contacts need; NULL: nothing yet
  carom_arena *matrix; // of the blocks; NULL: nothing yet
  int contacts, d;     // that there is room for; numbers of a body, 6 or 3
  long blocks;
  int bodies;        // that move and are touched or held
  int *place, *body; // of each body its place in the order, -1: none; and the other way round
  link_list links;
  int *first;                   // of each place: the first column of its row that is not zero
  long *start;                  // of each place: its row (left of the diagonal) among `left`
  double *left, *right;         // rows of L; columns of U
  double *diagonal;             // [bodies][d d] inverse of U there
  double *v, *trial, *F, *step; // changes of velocities, and what Newton's method needs
  double *p0, *r, *p, *best;    // impulses
  double hard;                  // stiffness of contacts by their weights
} carom_whole;

static void give_back(void *room) {
  carom_whole *it = room;
  carom_arena_destroy(it->arena);
  carom_arena_destroy(it->matrix);
}

bool carom_whole_create(carom_world *world) {
  carom_arena *arena = world->arena;
  carom_whole *it = carom_arena_take(arena, sizeof *it);
  if (!it || !carom_arena_on_destroy(arena, give_back, it)) return false;
  size_t count = (size_t)world->count;
  it->d = world->set.space ? 6 : 3;
  size_t numbers = count * (size_t)it->d;
  int **const whole[] = {&it->place,        &it->body,        &it->links.head,
                         &it->links.degree, &it->links.queue, &it->first};
  double **const vectors[] = {&it->v, &it->trial, &it->F, &it->step};
  for (size_t k = 0; k < sizeof whole / sizeof *whole; k++)
    *whole[k] = carom_arena_array(arena, count, sizeof(int));
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
    *vectors[k] = carom_arena_array(arena, numbers, sizeof(double));
  it->start = carom_arena_array(arena, count + 1, sizeof *it->start);
  it->diagonal = carom_arena_array(arena, numbers, (size_t)it->d * sizeof(double));
  world->whole = it;
  return carom_arena_failures(arena) == 0;
}

// ---- order

static void link_pair(carom_whole *it, const carom_world *world, int a, int b, int *links) {
  if (world->solids[a].light == 0.0 || world->solids[b].light == 0.0) return;
  for (int side = 0; side < 2; side++) {
    int from = side ? b : a, to = side ? a : b;
    it->links.other[*links] = to;
    it->links.next[*links] = it->links.head[from];
    it->links.head[from] = (*links)++;
    it->links.degree[from]++;
  }
}

// pairs of bodies that touch or are joined; contacts of a pair follow each other
static void link_bodies(carom_whole *it, const carom_world *world) {
  int links = 0;
  for (int k = 0; k < world->count; k++)
    it->links.head[k] = -1, it->links.degree[k] = 0;
  for (int k = 0; k < world->touch_count; k++) {
    const carom_touch *t = &world->touches[k], *last = k ? t - 1 : NULL;
    if (last && last->a == t->a && last->b == t->b) continue;
    link_pair(it, world, t->a, t->b, &links);
  }
  for (int k = 0; k < world->row_count; k++) {
    const carom_row *row = &world->rows[k], *last = k ? row - 1 : NULL;
    if (last && last->a == row->a && last->b == row->b) continue;
    link_pair(it, world, row->a, row->b, &links);
  }
}

// Lists in `queue` the bodies that are linked to `from`, directly or through others: nearest first,
// of equally near ones those with few neighbours first. Returns how many they are.
static int walk_outwards(carom_whole *it, int from, int mark) {
  int count = 0, done = 0;
  it->links.queue[count++] = from;
  it->place[from] = mark;
  while (done < count) {
    int body = it->links.queue[done++], begin = count;
    for (int k = it->links.head[body]; k >= 0; k = it->links.next[k]) {
      int other = it->links.other[k], at = count;
      if (it->place[other] == mark) continue;
      it->place[other] = mark;
      count++;
      while (at > begin && (it->links.degree[it->links.queue[at - 1]] > it->links.degree[other] ||
                            (it->links.degree[it->links.queue[at - 1]] == it->links.degree[other] &&
                             it->links.queue[at - 1] > other))) {
        it->links.queue[at] = it->links.queue[at - 1];
        at--;
      }
      it->links.queue[at] = other;
    }
  }
  return count;
}

static bool is_held(const carom_whole *it, const carom_world *world, int body) {
  return world->solids[body].light > 0.0 && it->links.degree[body] > 0;
}

// Places of all bodies that touch others which move, island by island, and envelopes of their rows.
// The cost of a factorisation in products of blocks.
static double order_bodies(carom_whole *it, const carom_world *world) {
  const int seen = -2, placed = -3;
  it->bodies = 0;
  for (int k = 0; k < world->count; k++)
    it->place[k] = -1;
  for (int k = 0; k < world->count; k++) {
    if (it->place[k] == placed || !is_held(it, world, k)) continue;
    int count = walk_outwards(it, k, seen); // from the far end of this walk again
    count = walk_outwards(it, it->links.queue[count - 1], placed);
    for (int i = count - 1; i >= 0; i--)
      it->body[it->bodies++] = it->links.queue[i];
  }
  // what touches only what stands still has a row of its own
  for (int k = 0; k < world->count; k++)
    if (world->solids[k].light > 0.0 && it->links.degree[k] == 0) it->body[it->bodies++] = k;
  for (int i = 0; i < it->bodies; i++)
    it->place[it->body[i]] = i;
  double cost = 0.0;
  it->start[0] = 0;
  for (int i = 0; i < it->bodies; i++) {
    int first = i;
    for (int k = it->links.head[it->body[i]]; k >= 0; k = it->links.next[k])
      if (it->place[it->links.other[k]] < first) first = it->place[it->links.other[k]];
    it->first[i] = first;
    it->start[i + 1] = it->start[i] + i - first;
    cost += (double)(i - first) * (double)(i - first);
  }
  return cost;
}

// ---- room

static bool take_contacts(carom_whole *it, int contacts, const carom_allocator *allocator) {
  size_t room = (size_t)contacts;
  carom_arena_destroy(it->arena);
  it->contacts = 0;
  carom_arena *arena = it->arena = carom_arena_create(allocator);
  if (!arena) return false;
  it->links.next = carom_arena_array(arena, 2 * room, sizeof(int));
  it->links.other = carom_arena_array(arena, 2 * room, sizeof(int));
  it->p0 = carom_arena_array(arena, 3 * room, sizeof(double));
  it->r = carom_arena_array(arena, 3 * room, sizeof(double));
  it->p = carom_arena_array(arena, 3 * room, sizeof(double));
  it->best = carom_arena_array(arena, 3 * room, sizeof(double));
  if (carom_arena_failures(arena) > 0) return false;
  it->contacts = contacts;
  return true;
}

static bool take_blocks(carom_whole *it, long blocks, const carom_allocator *allocator) {
  size_t size = (size_t)(it->d * it->d) * sizeof(double);
  if (blocks <= it->blocks) return true;
  blocks += blocks / 4;
  carom_arena_destroy(it->matrix);
  it->blocks = 0;
  it->matrix = carom_arena_create(allocator);
  if (!it->matrix) return false;
  it->left = carom_arena_array(it->matrix, (size_t)blocks, size);
  it->right = carom_arena_array(it->matrix, (size_t)blocks, size);
  it->blocks = it->left && it->right ? blocks : 0;
  return it->blocks > 0;
}

double carom_whole_cost(carom_world *world) {
  carom_whole *it = world->whole;
  int count = world->touch_count + world->row_count;
  if (count > it->contacts &&
      !take_contacts(it, count + count / 4, carom_arena_allocator(world->arena))) {
    (void)carom_world_no_memory(world);
    return HUGE_VAL;
  }
  link_bodies(it, world);
  return order_bodies(it, world);
}

// ---- the law

// the impulse of a contact at velocities u, and D (nullable)
static void law_of(const carom_touch *t, const double r[3], const double u[3], double s, bool space,
                   double p[3], double D[9]) {
  double y[3] = {r[0] - s * (u[0] + t->rest), r[1] - s * u[1], space ? r[2] - s * u[2] : 0.0};
  if (D) memset(D, 0, 9 * sizeof *D);
  memset(p, 0, 3 * sizeof *p);
  if (y[0] <= 0.0) return;
  double length = sqrt(y[1] * y[1] + y[2] * y[2]), most = t->friction * y[0];
  double part = length > most ? most / length : 1.0;
  p[0] = y[0], p[1] = part * y[1], p[2] = part * y[2];
  if (!D) return;
  D[0] = s;
  if (part >= 1.0) {
    D[4] = D[8] = s;
    return;
  }
  for (int k = 1; k < 3; k++) {
    D[3 * k] = s * t->friction * y[k] / length;
    for (int l = 1; l < 3; l++)
      D[3 * k + l] = s * part * ((k == l) - y[k] * y[l] / (length * length));
  }
}

// ---- rows of contacts and joints along the numbers of a body

typedef struct lever {
  int place; // -1: the body does not move
  double g[3][MOST_D];
} lever;

static void fill_lever(int d, double sign, const double lin[3], const double turn[3], double *g) {
  if (d == 3) {
    g[0] = sign * lin[0], g[1] = sign * lin[1], g[2] = sign * turn[2];
    return;
  }
  for (int c = 0; c < 3; c++)
    g[c] = sign * lin[c], g[3 + c] = sign * turn[c];
}

static lever lever_of(const carom_whole *it, const carom_world *world, const carom_touch *t,
                      int side) {
  int body = side ? t->b : t->a;
  lever one = {.place = world->solids[body].light > 0.0 ? it->place[body] : -1};
  for (int k = 0; k < 3 && one.place >= 0; k++)
    fill_lever(it->d, side ? -1.0 : 1.0, t->axes[k], side ? t->turn_b[k] : t->turn_a[k], one.g[k]);
  return one;
}

static lever lever_of_row(const carom_whole *it, const carom_world *world, const carom_row *row,
                          int side) {
  int body = side ? row->b : row->a;
  lever one = {.place = world->solids[body].light > 0.0 ? it->place[body] : -1};
  if (one.place >= 0)
    fill_lever(it->d, side ? -1.0 : 1.0, row->lin, side ? row->turn_b : row->turn_a, one.g[0]);
  return one;
}

// what velocities x give at the rows of a body
static void add_speed(const carom_whole *it, const lever *one, int rows, const double *x,
                      double *u) {
  if (one->place < 0) return;
  for (int k = 0; k < rows; k++)
    for (int c = 0; c < it->d; c++)
      u[k] += one->g[k][c] * x[one->place * it->d + c];
}

static void add_impulse(const carom_whole *it, const lever *one, int rows, const double *p,
                        double *F) {
  if (one->place < 0) return;
  for (int k = 0; k < rows; k++)
    for (int c = 0; c < it->d; c++)
      F[one->place * it->d + c] += one->g[k][c] * p[k];
}

static double *block_at(carom_whole *it, int row, int column) {
  size_t size = (size_t)(it->d * it->d);
  if (row == column) return it->diagonal + (size_t)row * size;
  if (column < row) return it->left + (size_t)(it->start[row] + column - it->first[row]) * size;
  return it->right + (size_t)(it->start[column] + row - it->first[column]) * size;
}

// adds a^T D b
static void add_stiffness(carom_whole *it, const lever *a, const lever *b, int rows,
                          const double *D) {
  if (a->place < 0 || b->place < 0) return;
  int d = it->d;
  double *block = block_at(it, a->place, b->place);
  for (int k = 0; k < rows; k++) {
    double row[MOST_D] = {0.0};
    for (int l = 0; l < rows; l++)
      for (int c = 0; c < d; c++)
        row[c] += D[k * rows + l] * b->g[l][c];
    for (int i = 0; i < d; i++)
      for (int c = 0; c < d; c++)
        block[i * d + c] += a->g[k][i] * row[c];
  }
}

// ---- the system

// velocities of bodies that do not move count as well: speeds of now, and what x - v0 adds
static void speeds_of(const carom_whole *it, const carom_world *world, const carom_touch *t,
                      const lever ends[2], const double *change, double u[3]) {
  for (int k = 0; k < 3; k++)
    u[k] = k < 2 || world->set.space ? carom_touch_speed(world, t, k) : 0.0;
  for (int side = 0; side < 2; side++)
    add_speed(it, &ends[side], 3, change, u);
}

static double row_stiffness(const carom_row *row, double hard) {
  return row->soft > 0.0 ? 1.0 / row->soft : row->weight > 0.0 ? hard / row->weight : 0.0;
}

// M x, of a body
static void mass_times(const carom_world *world, const carom_solid *s, const double *x, double *y) {
  if (!world->set.space) {
    y[0] = x[0] / s->light, y[1] = x[1] / s->light, y[2] = s->inertia[2] * x[2];
    return;
  }
  double own[3];
  carom_m3_transposed(s->turn, x + 3, own);
  for (int c = 0; c < 3; c++)
    y[c] = x[c] / s->light, own[c] *= s->inertia[c];
  carom_m3_times(s->turn, own, y + 3);
}

// what masses make of `change`; with `fill`, the matrix is theirs
static void take_masses(carom_whole *it, const carom_world *world, const double *change,
                        bool fill) {
  int d = it->d, n = it->bodies;
  size_t size = (size_t)(d * d) * sizeof(double);
  if (fill) {
    memset(it->left, 0, (size_t)it->start[n] * size);
    memset(it->right, 0, (size_t)it->start[n] * size);
    memset(it->diagonal, 0, (size_t)n * size);
  }
  for (int i = 0; i < n; i++) {
    const carom_solid *s = &world->solids[it->body[i]];
    mass_times(world, s, change + i * d, it->F + i * d);
    for (int c = 0; fill && c < d; c++) {
      double unit[MOST_D] = {0.0}, column[MOST_D];
      unit[c] = 1.0;
      mass_times(world, s, unit, column);
      for (int k = 0; k < d; k++)
        block_at(it, i, i)[k * d + c] = column[k];
    }
  }
}

static void add_touch(carom_whole *it, const carom_world *world, int k, const double *change,
                      bool fill) {
  const carom_touch *t = &world->touches[k];
  const lever ends[2] = {lever_of(it, world, t, 0), lever_of(it, world, t, 1)};
  double u[3], D[9], back[3];
  speeds_of(it, world, t, ends, change, u);
  law_of(t, it->r + 3 * k, u, it->hard / t->weight, world->set.space, it->p + 3 * k,
         fill ? D : NULL);
  for (int c = 0; c < 3; c++)
    back[c] = it->p0[3 * k + c] - it->p[3 * k + c];
  for (int side = 0; side < 2; side++)
    add_impulse(it, &ends[side], 3, back, it->F);
  for (int pair = 0; fill && D[0] > 0.0 && pair < 4; pair++)
    add_stiffness(it, &ends[pair / 2], &ends[pair % 2], 3, D);
}

static void add_row(carom_whole *it, const carom_world *world, int k, const double *change,
                    bool fill) {
  const carom_row *row = &world->rows[k];
  const lever ends[2] = {lever_of_row(it, world, row, 0), lever_of_row(it, world, row, 1)};
  int at = 3 * world->touch_count + k;
  double s = row_stiffness(row, it->hard), u = carom_row_speed(world, row);
  for (int side = 0; side < 2; side++)
    add_speed(it, &ends[side], 1, change, &u);
  it->p[at] = (row->soft > 0.0 ? 0.0 : it->r[at]) - s * (u + row->echo * row->before + row->aim);
  double back = it->p0[at] - it->p[at];
  for (int side = 0; side < 2; side++)
    add_impulse(it, &ends[side], 1, &back, it->F);
  for (int pair = 0; fill && pair < 4; pair++)
    add_stiffness(it, &ends[pair / 2], &ends[pair % 2], 1, &s);
}

// F at velocities that have changed by `change` since impulses were p0; p becomes p(u). With
// `fill`, the matrix as well.
static void evaluate_at(carom_whole *it, const carom_world *world, const double *change,
                        bool fill) {
  take_masses(it, world, change, fill);
  for (int k = 0; k < world->touch_count; k++)
    add_touch(it, world, k, change, fill);
  for (int k = 0; k < world->row_count; k++)
    add_row(it, world, k, change, fill);
}

// the largest velocity that F is worth
static double size_of(const carom_whole *it, const carom_world *world) {
  double most = 0.0;
  for (int i = 0; i < it->bodies; i++) {
    const carom_solid *s = &world->solids[it->body[i]];
    const double *F = it->F + i * it->d;
    double sum = 0.0;
    for (int c = 0; c < it->d; c++)
      sum += F[c] * F[c] * (c < (it->d == 6 ? 3 : 2) ? s->light * s->light : 0.0);
    const double turn[3] = {it->d == 6 ? F[3] : 0.0, it->d == 6 ? F[4] : 0.0, F[it->d - 1]};
    double spin[3];
    carom_m3_times(s->spread, turn, spin);
    most = fmax(most, sqrt(sum) + s->shape.reach * carom_v3_length(spin));
  }
  return most;
}

// ---- factorisation within the envelope: L with ones on its diagonal, U

// C -= A B
static inline void subtract_product(int d, const double *A, const double *B, double *C) {
  for (int i = 0; i < d; i++)
    for (int k = 0; k < d; k++) {
      double a = A[i * d + k];
      for (int j = 0; j < d; j++)
        C[i * d + j] -= a * B[k * d + j];
    }
}

static bool invert_block(int d, double *A) {
  double inverse[MOST_D * MOST_D];
  for (int k = 0; k < d * d; k++)
    inverse[k] = k % (d + 1) == 0;
  for (int k = 0; k < d; k++) {
    int top = k;
    for (int i = k + 1; i < d; i++)
      if (fabs(A[i * d + k]) > fabs(A[top * d + k])) top = i;
    if (!(fabs(A[top * d + k]) > 0.0)) return false;
    for (int j = 0; j < d && top != k; j++) {
      double a = A[k * d + j], b = inverse[k * d + j];
      A[k * d + j] = A[top * d + j], A[top * d + j] = a;
      inverse[k * d + j] = inverse[top * d + j], inverse[top * d + j] = b;
    }
    double pivot = 1.0 / A[k * d + k];
    for (int j = 0; j < d; j++)
      A[k * d + j] *= pivot, inverse[k * d + j] *= pivot;
    for (int i = 0; i < d; i++) {
      double factor = A[i * d + k];
      for (int j = 0; j < d && i != k; j++) {
        A[i * d + j] -= factor * A[k * d + j];
        inverse[i * d + j] -= factor * inverse[k * d + j];
      }
    }
  }
  memcpy(A, inverse, (size_t)(d * d) * sizeof *A);
  return true;
}

static inline bool factorise_blocks(carom_whole *it, int d) {
  size_t size = (size_t)(d * d);
  for (int i = 0; i < it->bodies; i++) {
    double *row = it->left + (size_t)it->start[i] * size;
    double *column = it->right + (size_t)it->start[i] * size;
    for (int j = it->first[i]; j < i; j++) {
      int from = it->first[i] > it->first[j] ? it->first[i] : it->first[j];
      const double *left = it->left + (size_t)(it->start[j] - it->first[j]) * size;
      const double *right = it->right + (size_t)(it->start[j] - it->first[j]) * size;
      double *at_left = row + (size_t)(j - it->first[i]) * size;
      double *at_right = column + (size_t)(j - it->first[i]) * size;
      for (int k = from; k < j; k++) {
        subtract_product(d, row + (size_t)(k - it->first[i]) * size, right + (size_t)k * size,
                         at_left);
        subtract_product(d, left + (size_t)k * size, column + (size_t)(k - it->first[i]) * size,
                         at_right);
      }
      double factor[MOST_D * MOST_D] = {0.0};
      subtract_product(d, at_left, it->diagonal + (size_t)j * size, factor);
      for (size_t k = 0; k < size; k++)
        at_left[k] = -factor[k];
    }
    double *diagonal = it->diagonal + (size_t)i * size;
    for (int k = it->first[i]; k < i; k++)
      subtract_product(d, row + (size_t)(k - it->first[i]) * size,
                       column + (size_t)(k - it->first[i]) * size, diagonal);
    if (!invert_block(d, diagonal)) return false;
  }
  return true;
}

static inline void solve_blocks(const carom_whole *it, int d, double *x) {
  size_t size = (size_t)(d * d);
  for (int i = 0; i < it->bodies; i++)
    for (int k = it->first[i]; k < i; k++) {
      const double *L = it->left + (size_t)(it->start[i] + k - it->first[i]) * size;
      for (int r = 0; r < d; r++)
        for (int c = 0; c < d; c++)
          x[i * d + r] -= L[r * d + c] * x[k * d + c];
    }
  for (int i = it->bodies - 1; i >= 0; i--) {
    double y[MOST_D] = {0.0};
    for (int r = 0; r < d; r++)
      for (int c = 0; c < d; c++)
        y[r] += it->diagonal[(size_t)i * size + (size_t)(r * d + c)] * x[i * d + c];
    memcpy(x + i * d, y, (size_t)d * sizeof *x);
    for (int k = it->first[i]; k < i; k++) {
      const double *U = it->right + (size_t)(it->start[i] + k - it->first[i]) * size;
      for (int r = 0; r < d; r++)
        for (int c = 0; c < d; c++)
          x[k * d + r] -= U[r * d + c] * y[c];
    }
  }
}

// ---- Newton's method, and rounds of multipliers

// one step of Newton's method, cut until F is less; false: it could not be made
static bool take_step(carom_whole *it, const carom_world *world, double *off) {
  const int most_cuts = 8;
  int count = it->bodies * it->d;
  evaluate_at(it, world, it->v, true);
  memcpy(it->step, it->F, (size_t)count * sizeof *it->step);
  if (!(it->d == 6 ? factorise_blocks(it, 6) : factorise_blocks(it, 3))) return false;
  if (it->d == 6)
    solve_blocks(it, 6, it->step);
  else
    solve_blocks(it, 3, it->step);
  double part = 1.0, best = HUGE_VAL, best_part = 0.0;
  for (int cut = 0; cut < most_cuts; cut++) {
    for (int k = 0; k < count; k++)
      it->trial[k] = it->v[k] - part * it->step[k];
    evaluate_at(it, world, it->trial, false);
    double size = size_of(it, world);
    if (size < best) best = size, best_part = part;
    if (size < (1.0 - 0.1 * part) * *off) break;
    if (best < *off && size > best) break;
    part *= 0.5;
  }
  if (!(best < HUGE_VAL)) return false;
  for (int k = 0; k < count; k++)
    it->v[k] -= best_part * it->step[k];
  *off = best;
  return true;
}

static void set_impulses(carom_world *world, const double *p) {
  for (int k = 0; k < world->touch_count; k++, p += 3)
    carom_touch_set(world, &world->touches[k], p, world->set.space ? 3 : 2);
  for (int k = 0; k < world->row_count; k++)
    carom_row_set(world, &world->rows[k], p[k]);
}

static void read_impulses(const carom_world *world, double *p) {
  for (int k = 0; k < world->touch_count; k++, p += 3)
    memcpy(p, world->touches[k].p, sizeof world->touches[k].p);
  for (int k = 0; k < world->row_count; k++)
    p[k] = world->rows[k].p;
}

// a round: F = 0 with the multipliers of now; false: not found
static bool run_round(carom_whole *it, carom_world *world, double enough) {
  const int most_steps = 15;
  int steps = 0;
  memset(it->v, 0, (size_t)(it->bodies * it->d) * sizeof *it->v);
  read_impulses(world, it->p0);
  memcpy(it->r, it->p0, (size_t)(3 * world->touch_count + world->row_count) * sizeof *it->r);
  evaluate_at(it, world, it->v, false);
  double off = size_of(it, world);
  while (steps < most_steps && off > 0.1 * enough && take_step(it, world, &off))
    steps++;
  evaluate_at(it, world, it->v, false);
  set_impulses(world, it->p);
  return off <= 0.1 * enough;
}

// Stiffer contacts make fewer rounds and harder ones: stiffness is raised as long as rounds end,
// and cut, from the impulses before, where one does not. The misfit may grow on the way: where
// impulses have far to go with little speed, they go by stiffness times speed in each round.
double carom_world_whole(carom_world *world, double enough) {
  const int most_rounds = 30;
  const double softest = 1.0, first = 1e2, hardest = 1e6, harder = 10.0;
  carom_whole *it = world->whole;
  if (!take_blocks(it, it->start[it->bodies] + 1, carom_arena_allocator(world->arena))) {
    (void)carom_world_no_memory(world);
    return HUGE_VAL;
  }
  double off = carom_world_misfit(world), best = off, most = hardest;
  read_impulses(world, it->best);
  it->hard = first;
  for (int round = 0; round < most_rounds && off > enough && it->hard >= softest; round++) {
    bool found = run_round(it, world, enough);
    if (!found) {
      set_impulses(world, it->p0);
      most = 0.5 * it->hard;
      it->hard /= harder;
      continue;
    }
    it->hard = fmin(most, harder * it->hard);
    most = fmin(hardest, 4.0 * most);
    off = carom_world_misfit(world);
    if (!(off < best)) continue;
    best = off;
    read_impulses(world, it->best);
  }
  if (off > best) set_impulses(world, it->best);
  return best;
}
