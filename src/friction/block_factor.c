// SPDX-License-Identifier: MIT
#include "friction/block_factor.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

void block_factor_init(block_factor *f, carom_arena *arena, int d, int most) {
  size_t n = (size_t)most, size = (size_t)(d * d);
  f->d = d;
  f->most = most;
  f->n = 0;
  f->words = (most + 63) / 64;
  f->order = carom_arena_array(arena, n, sizeof(int));
  f->place = carom_arena_array(arena, n, sizeof(int));
  f->degree = carom_arena_array(arena, n, sizeof(int));
  f->graph = carom_arena_array(arena, n * (size_t)f->words, sizeof(uint64_t));
  f->places = carom_arena_array(arena, n * (size_t)f->words, sizeof(uint64_t));
  f->row_start = carom_arena_array(arena, n + 1, sizeof(int));
  f->diagonal = carom_arena_array(arena, n, sizeof(int));
  f->columns = carom_arena_array(arena, n * n, sizeof(int));
  f->values = carom_arena_array(arena, n * n, size * sizeof(double));
  f->row = carom_arena_array(arena, n, size * sizeof(double));
  f->inverse = carom_arena_array(arena, n, size * sizeof(double));
}

// ---- the order

static int count_bits(uint64_t x) {
  x = x - ((x >> 1) & 0x5555555555555555u);
  x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return (int)((x * 0x0101010101010101u) >> 56);
}

static int lowest_bit(uint64_t x) { return count_bits((x & (~x + 1)) - 1); }

static void set_bit(uint64_t *set, int k) { set[k >> 6] |= (uint64_t)1 << (k & 63); }

static void clear_bit(uint64_t *set, int k) { set[k >> 6] &= ~((uint64_t)1 << (k & 63)); }

static int count_set(const uint64_t *set, int words) {
  int count = 0;
  for (int w = 0; w < words; w++)
    count += count_bits(set[w]);
  return count;
}

static void draw_graph(block_factor *f, int contacts, const int *start, const int *column,
                       const bool *active) {
  memset(f->graph, 0, (size_t)contacts * (size_t)f->words * sizeof(uint64_t));
  for (int i = 0; i < contacts; i++) {
    if (!active[i]) continue;
    for (int k = start[i]; k < start[i + 1]; k++) {
      int j = column[k];
      if (j == i || !active[j]) continue;
      set_bit(f->graph + (size_t)i * (size_t)f->words, j);
      set_bit(f->graph + (size_t)j * (size_t)f->words, i);
    }
  }
}

// Joins the neighbours of `out`, which leaves the graph; its row keeps them: the pattern of U.
static void eliminate_node(block_factor *f, int out, int words) {
  const uint64_t *mine = f->graph + (size_t)out * (size_t)f->words;
  for (int w = 0; w < words; w++) {
    for (uint64_t left = mine[w]; left; left &= left - 1) {
      int j = w * 64 + lowest_bit(left);
      uint64_t *theirs = f->graph + (size_t)j * (size_t)f->words;
      for (int u = 0; u < words; u++)
        theirs[u] |= mine[u];
      clear_bit(theirs, j);
      clear_bit(theirs, out);
      f->degree[j] = count_set(theirs, words);
    }
  }
}

// two plain passes, which processors make in large strides; of equals the first
static int find_least(int count, const int *degree) {
  int least = INT_MAX;
  for (int i = 0; i < count; i++)
    least = degree[i] < least ? degree[i] : least;
  if (least == INT_MAX) return -1;
  for (int i = 0;; i++)
    if (degree[i] == least) return i;
}

static void order_by_degree(block_factor *f, int contacts, const bool *active) {
  assert(contacts <= f->most);
  int words = (contacts + 63) / 64;
  f->n = 0;
  for (int i = 0; i < contacts; i++) {
    f->place[i] = -1;
    f->degree[i] = active[i] ? count_set(f->graph + (size_t)i * (size_t)f->words, words) : INT_MAX;
  }
  for (int least; (least = find_least(contacts, f->degree)) >= 0;) {
    f->place[least] = f->n;
    f->order[f->n++] = least;
    eliminate_node(f, least, words);
    f->degree[least] = INT_MAX;
  }
}

// Entries of row k: to the right those that its elimination joined, to the left the same of others.
// Rows of the graph become sets of places, so that columns ascend.
static void lay_out(block_factor *f, int contacts) {
  assert(contacts <= f->most);
  int words = (contacts + 63) / 64, entries = 0;
  size_t stride = (size_t)f->words;
  memset(f->places, 0, (size_t)f->n * stride * sizeof(uint64_t));
  for (int k = 0; k < f->n; k++) {
    const uint64_t *mine = f->graph + (size_t)f->order[k] * stride;
    set_bit(f->places + (size_t)k * stride, k);
    for (int w = 0; w < words; w++)
      for (uint64_t left = mine[w]; left; left &= left - 1) {
        int c = f->place[w * 64 + lowest_bit(left)];
        if (c < k) continue;
        set_bit(f->places + (size_t)k * stride, c);
        set_bit(f->places + (size_t)c * stride, k);
      }
  }
  for (int k = 0; k < f->n; k++) {
    const uint64_t *mine = f->places + (size_t)k * stride;
    f->row_start[k] = entries;
    for (int w = 0; w < words; w++)
      for (uint64_t left = mine[w]; left; left &= left - 1) {
        int c = w * 64 + lowest_bit(left);
        if (c == k) f->diagonal[k] = entries;
        f->columns[entries++] = c;
      }
  }
  f->row_start[f->n] = entries;
}

void block_factor_order(block_factor *f, int contacts, const int *start, const int *column,
                        const bool *active) {
  draw_graph(f, contacts, start, column, active);
  order_by_degree(f, contacts, active);
  lay_out(f, contacts);
}

// ---- the numbers

// inverse of a d x d block by elimination with row exchanges; false: singular
static bool invert_block(int d, const double *A, double *inverse) {
  double work[9];
  for (int k = 0; k < d * d; k++) {
    work[k] = A[k];
    inverse[k] = k % (d + 1) == 0;
  }
  for (int k = 0; k < d; k++) {
    int top = k;
    for (int i = k + 1; i < d; i++)
      if (fabs(work[i * d + k]) > fabs(work[top * d + k])) top = i;
    if (!(fabs(work[top * d + k]) > 0.0)) return false;
    for (int j = 0; j < d && top != k; j++) {
      double a = work[k * d + j], b = inverse[k * d + j];
      work[k * d + j] = work[top * d + j];
      inverse[k * d + j] = inverse[top * d + j];
      work[top * d + j] = a;
      inverse[top * d + j] = b;
    }
    double pivot = 1.0 / work[k * d + k];
    for (int j = 0; j < d; j++) {
      work[k * d + j] *= pivot;
      inverse[k * d + j] *= pivot;
    }
    for (int i = 0; i < d; i++) {
      if (i == k) continue;
      double factor = work[i * d + k];
      for (int j = 0; j < d; j++) {
        work[i * d + j] -= factor * work[k * d + j];
        inverse[i * d + j] -= factor * inverse[k * d + j];
      }
    }
  }
  return true;
}

// C = A B
static inline void multiply_blocks(int d, const double *A, const double *B, double *C) {
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++) {
      double sum = 0.0;
      for (int k = 0; k < d; k++)
        sum += A[i * d + k] * B[k * d + j];
      C[i * d + j] = sum;
    }
}

// C -= A B
static inline void subtract_product(int d, const double *A, const double *B, double *C) {
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++) {
      double sum = 0.0;
      for (int k = 0; k < d; k++)
        sum += A[i * d + k] * B[k * d + j];
      C[i * d + j] -= sum;
    }
}

// y -= A x
static inline void subtract_applied(int d, const double *A, const double *x, double *y) {
  for (int i = 0; i < d; i++) {
    double sum = 0.0;
    for (int k = 0; k < d; k++)
      sum += A[i * d + k] * x[k];
    y[i] -= sum;
  }
}

// one row: subtract the rows above, keep the factors to the left and U to the right
static inline bool eliminate_row(block_factor *f, int d, int k) {
  assert(k >= 0 && k < f->n && d == f->d);
  int size = d * d;
  for (int e = f->row_start[k]; e < f->diagonal[k]; e++) {
    int above = f->columns[e];
    double factor[9];
    multiply_blocks(d, f->row + (size_t)(above * size), f->inverse + (size_t)(above * size),
                    factor);
    for (int u = f->diagonal[above] + 1; u < f->row_start[above + 1]; u++)
      subtract_product(d, factor, f->values + (size_t)u * (size_t)size,
                       f->row + (size_t)(f->columns[u] * size));
    memcpy(f->values + (size_t)e * (size_t)size, factor, (size_t)size * sizeof(double));
  }
  for (int e = f->diagonal[k]; e < f->row_start[k + 1]; e++)
    memcpy(f->values + (size_t)e * (size_t)size, f->row + (size_t)(f->columns[e] * size),
           (size_t)size * sizeof(double));
  return invert_block(d, f->values + (size_t)f->diagonal[k] * (size_t)size,
                      f->inverse + (size_t)(k * size));
}

bool block_factor_decompose(block_factor *f,
                            void (*fill)(void *ctx, int contact, const int *place, double *row),
                            void *ctx) {
  int size = f->d * f->d;
  for (int k = 0; k < f->n; k++) {
    for (int e = f->row_start[k]; e < f->row_start[k + 1]; e++)
      memset(f->row + (size_t)(f->columns[e] * size), 0, (size_t)size * sizeof(double));
    fill(ctx, f->order[k], f->place, f->row);
    if (!(f->d == 2 ? eliminate_row(f, 2, k) : eliminate_row(f, 3, k))) return false;
  }
  return true;
}

static inline void solve_places(const block_factor *f, int d, double *x) {
  assert(d == f->d && f->n <= f->most);
  int size = d * d;
  for (int k = 0; k < f->n; k++)
    for (int e = f->row_start[k]; e < f->diagonal[k]; e++)
      subtract_applied(d, f->values + (size_t)e * (size_t)size, x + f->columns[e] * d, x + k * d);
  for (int k = f->n - 1; k >= 0; k--) {
    for (int e = f->diagonal[k] + 1; e < f->row_start[k + 1]; e++)
      subtract_applied(d, f->values + (size_t)e * (size_t)size, x + f->columns[e] * d, x + k * d);
    double y[3] = {0.0, 0.0, 0.0};
    subtract_applied(d, f->inverse + (size_t)(k * size), x + k * d, y);
    for (int a = 0; a < d; a++)
      x[k * d + a] = -y[a];
  }
}

void block_factor_solve(const block_factor *f, double *b, double *room) {
  int d = f->d;
  for (int k = 0; k < f->n; k++)
    memcpy(room + k * d, b + f->order[k] * d, (size_t)d * sizeof(double));
  if (d == 2)
    solve_places(f, 2, room);
  else
    solve_places(f, 3, room);
  for (int k = 0; k < f->n; k++)
    memcpy(b + f->order[k] * d, room + k * d, (size_t)d * sizeof(double));
}
