// SPDX-License-Identifier: MIT
// Which rods are near each other. A long rod would make cells of its length useful for nothing, so
// each is cut into short pieces, the pieces go into cells, and rods that have pieces in adjacent
// cells are measured. Contacts keep their histories from one search to the next.
#include "base/elementary_kernel.h"
#include "base/pool.h"
#include "base/whole.h"
#include "grains/bed.h"
#include "grains/lanes.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SORT_EVERY = 16, LARGEST_GRID = 1024, WIDE = 8 };

// what one thread needs to find the pairs of a chunk
typedef struct seeker {
  int *stamp; // [n] last rod that looked at this one
  int *near;  // [n] what one rod found
  int *tally; // [chunks + 1] pairs by the chunk of the second rod
  int found_count, found_room, (*found)[2];
  double *gap; // of what was found
} seeker;

typedef struct carom_bed_search {
  float *centre[3];     // [pieces] from the grid's corner, in the order of cells
  int *owner;           // [pieces] rod, in the order of cells
  int *start;           // [cells + 1]
  int cells, cell_room; // in use, allocated
  int *first;           // [n + 1] of remembered contacts by rod
  int *order;           // [n] for sorting; later `first`
  int *label;           // [n] new place of each rod
  double *shelf;        // [n] one array while it is sorted; later the first seeker's
  int seeker_count;
  seeker *seekers;
  int piece_total;
  double longest; // half length of a piece
  double reach;   // pieces whose centres are further apart belong to rods that cannot touch
  double near2;   // of a piece's centre and an axis, squared, with what single precision may hide
  bool no_memory;
  // the grid
  double low[3], size[3];
  int count[3];
} carom_bed_search;

// ---- workspace

static int pieces_of(const carom_bed *bed, int i) { return carom_bed_kind_of(bed, i)->pieces; }

static bool take_seekers(carom_bed *bed, carom_bed_search *s) {
  size_t n = (size_t)bed->n, chunks = (size_t)bed->chunk_count;
  int threads = bed->settings->threads < 1 ? 1 : bed->settings->threads;
  s->seeker_count = threads < bed->chunk_count ? threads : bed->chunk_count;
  s->seekers = carom_arena_array(bed->arena, (size_t)s->seeker_count, sizeof *s->seekers);
  for (int k = 0; s->seekers && k < s->seeker_count; k++) {
    seeker *it = &s->seekers[k];
    double *both = carom_arena_array(bed->arena, n, sizeof *both);
    it->stamp = (int *)(void *)both;
    it->near = both ? it->stamp + n : NULL;
    if (k == 0) s->shelf = both;
    it->tally = carom_arena_array(bed->arena, chunks + 1, sizeof *it->tally);
    if (!it->stamp || !it->near || !it->tally) return false;
  }
  return s->seekers != NULL;
}

static carom_bed_search *workspace_of(carom_bed *bed) {
  if (bed->search) return bed->search;
  carom_arena *arena = bed->arena;
  carom_bed_search *s = carom_arena_take(arena, sizeof *s);
  if (!s) return NULL;
  size_t n = (size_t)bed->n;
  double thickest = 0.0;
  for (int i = 0; i < bed->n; i++) {
    int pieces = pieces_of(bed, i);
    s->piece_total += pieces;
    s->longest = fmax(s->longest, carom_bed_kind_of(bed, i)->half / pieces);
    thickest = fmax(thickest, carom_bed_kind_of(bed, i)->radius);
  }
  s->reach = 2.0 * thickest + bed->reach.skin + 2.0 * s->longest;
  size_t total = (size_t)s->piece_total;
  s->owner = carom_arena_array(arena, total + WIDE, sizeof *s->owner);
  s->first = carom_arena_array(arena, n + 2, sizeof *s->first);
  s->order = s->first;
  s->label = carom_arena_array(arena, n, sizeof *s->label);
  bool good = s->owner && s->first && s->label && take_seekers(bed, s);
  float *centres = carom_arena_array(arena, 3 * (total + WIDE), sizeof *centres);
  for (size_t c = 0; centres && c < 3; c++)
    s->centre[c] = centres + c * (total + WIDE);
  return good && centres ? bed->search = s : NULL;
}

// ---- grid

// brings centres back into the first period
static void wrap_centres(carom_bed *bed) {
  for (int c = 0; c < 3; c++) {
    double period = bed->settings->periodic[c];
    if (!(period > 0.0)) continue;
    for (int i = 0; i < bed->n; i++) {
      double turns = floor(bed->x[c][i] / period);
      if (turns == 0.0) continue;
      bed->x[c][i] -= turns * period;
      bed->order.image[c][i] += (int)carom_whole(turns, -INT_MAX / 2, INT_MAX / 2);
    }
  }
}

static bool lay_grid(carom_bed *bed, carom_bed_search *s) {
  double cells = 1.0, most = s->piece_total + 64.0;
  for (int c = 0; c < 3; c++) {
    double low = HUGE_VAL, high = -HUGE_VAL, period = bed->settings->periodic[c];
    for (int i = 0; i < bed->n; i++) {
      double out = carom_bed_kind_of(bed, i)->half * fabs(bed->u[c][i]);
      low = fmin(low, bed->x[c][i] - out);
      high = fmax(high, bed->x[c][i] + out);
    }
    if (period > 0.0) low = 0.0, high = period;
    double count = floor((high - low) / s->reach);
    count = count >= 1.0 && count < LARGEST_GRID ? count : count >= 1.0 ? LARGEST_GRID : 1.0;
    s->low[c] = low;
    s->count[c] = (int)count;
    s->size[c] = (high - low) / count;
    if (!(s->size[c] > 0.0)) s->size[c] = 1.0;
    cells *= count;
  }
  // a few rods flung far away must not ask for a huge grid: a cell a piece is enough
  while (cells > most) {
    int c = s->count[0] > s->count[1] ? 0 : 1;
    c = s->count[c] > s->count[2] ? c : 2;
    cells /= s->count[c];
    int half = (s->count[c] + 1) / 2;
    s->size[c] *= (double)s->count[c] / half;
    s->count[c] = half;
    cells *= s->count[c];
  }
  s->cells = s->count[0] * s->count[1] * s->count[2];
  if (s->cells + 1 > s->cell_room) {
    s->cell_room = (int)fmin(2.0 * (s->cells + 1), most + 1.0);
    s->start = carom_arena_array(bed->arena, (size_t)s->cell_room, sizeof *s->start);
  }
  return s->start != NULL;
}

static int column_of(const carom_bed *bed, const carom_bed_search *s, int c, double x) {
  double period = bed->settings->periodic[c];
  if (period > 0.0) x -= floor(x / period) * period;
  return (int)carom_whole((x - s->low[c]) / s->size[c], 0, s->count[c] - 1);
}

static int cell_of(const carom_bed *bed, const carom_bed_search *s, const double x[3]) {
  int k[3];
  for (int c = 0; c < 3; c++)
    k[c] = column_of(bed, s, c, x[c]);
  return (k[2] * s->count[1] + k[1]) * s->count[0] + k[0];
}

// where on the axis piece p of `count` has its centre
static double piece_along(double half, int p, int count) {
  return half * ((2.0 * p + 1.0) / count - 1.0);
}

static void piece_centre(const carom_bed *bed, int i, int p, int count, double x[3]) {
  double along = piece_along(carom_bed_kind_of(bed, i)->half, p, count);
  for (int c = 0; c < 3; c++)
    x[c] = bed->x[c][i] + along * bed->u[c][i];
}

static void fill_cells(carom_bed *bed, carom_bed_search *s) {
  double x[3];
  memset(s->start, 0, ((size_t)s->cells + 1) * sizeof *s->start);
  for (int i = 0; i < bed->n; i++) {
    int count = pieces_of(bed, i);
    for (int p = 0; p < count; p++) {
      piece_centre(bed, i, p, count, x);
      s->start[cell_of(bed, s, x) + 1]++;
    }
  }
  for (int c = 0; c < s->cells; c++)
    s->start[c + 1] += s->start[c];
  for (int i = 0; i < bed->n; i++) {
    int count = pieces_of(bed, i);
    for (int p = 0; p < count; p++) {
      piece_centre(bed, i, p, count, x);
      int at = s->start[cell_of(bed, s, x)]++;
      s->owner[at] = i;
      for (int c = 0; c < 3; c++)
        s->centre[c][at] = (float)(x[c] - s->low[c]);
    }
  }
  for (int c = s->cells; c > 0; c--)
    s->start[c] = s->start[c - 1];
  s->start[0] = 0;

  // centres are kept in single precision: look a little further
  double wide = 0.0;
  for (int c = 0; c < 3; c++)
    wide = fmax(wide, s->size[c] * s->count[c]);
  double near = s->reach - s->longest + 1e-6 * (wide + 4.0 * s->longest);
  s->near2 = near * near;
}

// ---- one rod

// a rod as it is seen from the centre of one of its pieces
typedef struct probe {
  double x[3], u[3], begin, end; // the axis from x + begin u to x + end u
} probe;

static probe probe_of(const carom_bed *bed, int i, int piece, int count) {
  double half = carom_bed_kind_of(bed, i)->half, along = piece_along(half, piece, count);
  probe out = {.begin = -half - along, .end = half - along};
  piece_centre(bed, i, piece, count, out.x);
  for (int c = 0; c < 3; c++)
    out.u[c] = bed->u[c][i];
  return out;
}

// eight pieces at a time, in single precision: near2 has room for its rounding
typedef float v8 __attribute__((vector_size(32)));
typedef int32_t m8 __attribute__((vector_size(32)));

CAROM_INLINE v8 v8_all(double x) {
  float y = (float)x;
  return (v8){y, y, y, y, y, y, y, y};
}

CAROM_INLINE v8 v8_if(m8 mask, v8 yes, v8 no) { return (v8)((mask & (m8)yes) | (~mask & (m8)no)); }

// eight of `centre` minus x, through the nearest image
CAROM_INLINE v8 gap8(double x, const float *centre, double period) {
  v8 at, half = v8_all(0.5 * period), whole = v8_all(period);
  memcpy(&at, centre, sizeof at);
  v8 d = at - v8_all(x);
  if (!(period > 0.0)) return d;
  d = v8_if((m8)(d > half), d - whole, d);
  return v8_if((m8)(d < -half), d + whole, d);
}

// rods after i with a piece near the axis of i, among the pieces of cells that follow each other;
// each is taken once. Arrays of pieces end a little later than the pieces.
CAROM_CLONES static int look_into(const carom_bed *bed, seeker *it, int i, int found,
                                  const probe *from, int first_cell, int last_cell) {
  const carom_bed_search *s = bed->search;
  const double *period = bed->settings->periodic, *x = from->x;
  const int begin = s->start[first_cell], end = s->start[last_cell + 1];
  const v8 near2 = v8_all(s->near2), t0 = v8_all(from->begin), t1 = v8_all(from->end);
  const v8 ux = v8_all(from->u[0]), uy = v8_all(from->u[1]), uz = v8_all(from->u[2]);
  for (int p = begin; p < end; p += WIDE) {
    v8 dx = gap8(x[0] - s->low[0], s->centre[0] + p, period[0]);
    v8 dy = gap8(x[1] - s->low[1], s->centre[1] + p, period[1]);
    v8 dz = gap8(x[2] - s->low[2], s->centre[2] + p, period[2]);
    v8 t = dx * ux + dy * uy + dz * uz;
    t = v8_if((m8)(t < t0), t0, v8_if((m8)(t > t1), t1, t));
    dx -= t * ux, dy -= t * uy, dz -= t * uz;
    m8 owner, near = (m8)(dx * dx + dy * dy + dz * dz <= near2);
    memcpy(&owner, s->owner + p, sizeof owner);
    near &= (m8)(owner > (m8){i, i, i, i, i, i, i, i});
    if (!m_any((carom_mask)near)) continue;
    int most = end - p < WIDE ? end - p : WIDE;
    for (int l = 0; l < most; l++) {
      int j = owner[l];
      if (!near[l] || it->stamp[j] == i + 1) continue;
      it->stamp[j] = i + 1;
      it->near[found++] = j;
    }
  }
  return found;
}

// the columns to look into along c: itself and its neighbours, once each
static int columns_around(const carom_bed *bed, const carom_bed_search *s, int c, int k,
                          int out[3]) {
  int count = 0, most = s->count[c];
  bool round = bed->settings->periodic[c] > 0.0;
  for (int d = -1; d <= 1; d++) {
    int m = k + d;
    if (round) m = (m + most) % most;
    if (m < 0 || m >= most) continue;
    bool twice = (count > 0 && out[0] == m) || (count > 1 && out[1] == m);
    if (!twice) out[count++] = m;
  }
  return count;
}

// Is the column m one of those around k? A grid that goes round in few columns says no, since a
// piece may be seen there through another image.
static bool is_around(const carom_bed *bed, const carom_bed_search *s, int c, int k, int m) {
  int apart = abs(m - k), most = s->count[c];
  if (!(bed->settings->periodic[c] > 0.0)) return apart <= 1;
  return most > 3 && (apart <= 1 || apart == most - 1);
}

// The cells around piece `piece` of rod i, without those around the piece before, whose columns
// `last` has; there becomes the place of this one's.
static int look_around(const carom_bed *bed, seeker *it, int i, int found, int piece, int count,
                       int last[3]) {
  const carom_bed_search *s = bed->search;
  const probe from = probe_of(bed, i, piece, count);
  int at[3][3], many[3], known[3][3];
  for (int c = 0; c < 3; c++) {
    int own = column_of(bed, s, c, from.x[c]);
    many[c] = columns_around(bed, s, c, own, at[c]);
    for (int k = 0; k < many[c]; k++)
      known[c][k] = piece > 0 && is_around(bed, s, c, last[c], at[c][k]);
    last[c] = own;
  }
  for (int z = 0; z < many[2]; z++)
    for (int y = 0; y < many[1]; y++) {
      int line = (at[2][z] * s->count[1] + at[1][y]) * s->count[0], cells[3], left = 0;
      for (int x = 0; x < many[0]; x++)
        if (!known[2][z] || !known[1][y] || !known[0][x]) cells[left++] = line + at[0][x];
      // cells along x follow each other in memory, unless the grid goes round
      bool row = left > 0 && cells[left - 1] - cells[0] == left - 1;
      if (row) found = look_into(bed, it, i, found, &from, cells[0], cells[left - 1]);
      for (int k = 0; k < left && !row; k++)
        found = look_into(bed, it, i, found, &from, cells[k], cells[k]);
    }
  return found;
}

static void sort_numbers(int *numbers, int count) {
  for (int k = 1; k < count; k++) {
    int value = numbers[k], j = k;
    for (; j > 0 && numbers[j - 1] > value; j--)
      numbers[j] = numbers[j - 1];
    numbers[j] = value;
  }
}

// ---- histories

// what distinguishes the contacts of a rod: the other rod, or the wall and the end
static int key_of(int list, int b) { return list == 0 ? b : -1 - (3 * (list - 1) + b); }

// a contact under the new numbers of rods; pairs turn round where sorting has turned their order
static void relabel_touch(carom_touch_hot *it, const int *label, bool rods) {
  it->a = label[it->a];
  if (!rods) return;
  it->b = label[it->b];
  if (it->a < it->b) return;
  int b = it->a;
  it->a = it->b, it->b = b;
  for (int d = 0; d < 3; d++)
    it->past[d] = -it->past[d];
}

// One large array that grows with the contacts: not the arena's, which would keep what was
// outgrown.
static void release_kept(void *ctx) {
  const carom_bed *bed = ctx;
  const carom_allocator *memory = carom_arena_allocator(bed->arena);
  if (bed->kept.touches) memory->release(memory->ctx, bed->kept.touches);
}

static bool make_kept_room(carom_bed *bed, int room) {
  if (room <= bed->kept.room) return true;
  const carom_allocator *memory = carom_arena_allocator(bed->arena);
  if (!bed->kept.touches && !carom_arena_on_destroy(bed->arena, release_kept, bed)) return false;
  room += room / 4;
  void *kept =
      memory->resize(memory->ctx, bed->kept.touches, (size_t)room * sizeof *bed->kept.touches);
  if (!kept) return false;
  bed->kept.touches = kept, bed->kept.room = room;
  return true;
}

// contacts of all lists are kept in the order of their rods under new numbers
static bool remember_contacts(carom_bed *bed, const int *label) {
  carom_bed_search *s = bed->search;
  int total = 0, lists = 1 + bed->settings->wall_count;
  memset(s->first, 0, ((size_t)bed->n + 1) * sizeof *s->first);
  for (int c = 0; c < bed->chunk_count; c++)
    for (int which = 0; which < lists; which++) {
      const carom_touch_list *list = &bed->chunks[c].lists[which];
      for (int k = 0; k < list->hot_count; k++) {
        if (label) relabel_touch(&list->hot[k], label, which == 0);
        s->first[list->hot[k].a + 1]++;
      }
      total += list->hot_count;
    }
  if (!make_kept_room(bed, total)) return false;
  for (int i = 0; i < bed->n; i++)
    s->first[i + 1] += s->first[i];
  for (int c = 0; c < bed->chunk_count; c++)
    for (int which = 0; which < lists; which++) {
      const carom_touch_list *list = &bed->chunks[c].lists[which];
      for (int k = 0; k < list->hot_count; k++) {
        carom_touch_hot *it = &bed->kept.touches[s->first[list->hot[k].a]++];
        *it = list->hot[k];
        it->b = key_of(which, it->b);
      }
    }
  for (int i = bed->n; i > 0; i--)
    s->first[i] = s->first[i - 1];
  s->first[0] = 0;
  return true;
}

// a new candidate, with the history it had: a contact that has just opened must be looked at once
// more
static bool append_touch(carom_bed *bed, carom_touch_list *list, int which, int a, int b,
                         double gap) {
  const carom_bed_search *s = bed->search;
  const double *past = NULL;
  int key = key_of(which, b);
  for (int j = s->first[a]; j < s->first[a + 1] && !past; j++)
    if (bed->kept.touches[j].b == key && bed->kept.touches[j].past[3] != 0.0)
      past = bed->kept.touches[j].past;
  if (!carom_touch_list_reserve(bed, list, list->count + 1)) return false;
  if (!carom_touch_list_reserve_hot(bed, list, list->hot_count + 1)) return false;
  carom_touch_list_append(list, a, b, fmax(gap, 0.0), past);
  return true;
}

static bool rebuild_wall(carom_bed *bed, const carom_bed_chunk *chunk, int which) {
  const carom_bed_wall *wall = &bed->settings->walls[which];
  carom_touch_list *list = &chunk->lists[1 + which];
  int from = wall->kind == CAROM_WALL_OUTSIDE ? CAROM_END_NEAREST : CAROM_END_UPPER;
  int to = wall->kind == CAROM_WALL_OUTSIDE ? CAROM_END_NEAREST : CAROM_END_LOWER;
  carom_touch_list_clear(list);
  for (int i = chunk->first; i < chunk->end; i++) {
    int last = carom_bed_kind_of(bed, i)->half > 0.0 ? to : from; // a sphere has one end
    for (int end = from; end <= last; end++) {
      double gap = carom_bed_wall_gap(bed, i, wall, end);
      if (gap > bed->reach.skin) continue;
      if (!append_touch(bed, list, 1 + which, i, end, gap)) return false;
    }
  }
  return true;
}

// ---- rods sorted in memory

static void permute_values(carom_bed_search *s, int n, double *values) {
  for (int k = 0; k < n; k++)
    s->shelf[k] = values[s->order[k]];
  memcpy(values, s->shelf, (size_t)n * sizeof *values);
}

static void permute_column(carom_bed_search *s, int n, double *values, size_t stride) {
  for (int k = 0; k < n; k++)
    s->shelf[k] = values[(size_t)s->order[k] * stride];
  for (int k = 0; k < n; k++)
    values[(size_t)k * stride] = s->shelf[k];
}

static void permute_numbers(carom_bed_search *s, int n, int *values) {
  int *shelf = (int *)(void *)s->shelf;
  for (int k = 0; k < n; k++)
    shelf[k] = values[s->order[k]];
  memcpy(values, shelf, (size_t)n * sizeof *values);
}

static void permute_bytes(carom_bed_search *s, int n, unsigned char *values) {
  unsigned char *shelf = (unsigned char *)(void *)s->shelf;
  for (int k = 0; k < n; k++)
    shelf[k] = values[s->order[k]];
  memcpy(values, shelf, (size_t)n);
}

// ten bits of a column, with two places free after each
static uint32_t spread_bits(int column) {
  uint32_t bits = (uint32_t)column & 0x3ff;
  bits = (bits | bits << 16) & 0x030000ff;
  bits = (bits | bits << 8) & 0x0300f00f;
  bits = (bits | bits << 4) & 0x030c30c3;
  return (bits | bits << 2) & 0x09249249;
}

// the place of a cell on a curve that visits cells in cubes, cubes in larger cubes and so on, so
// that a chunk of rods is a lump and most that they touch is in it (Morton 1966)
static int curve_place(const carom_bed *bed, const carom_bed_search *s, int i) {
  uint32_t place = 0;
  for (int c = 0; c < 3; c++)
    place |= spread_bits(column_of(bed, s, c, bed->x[c][i])) << c;
  return (int)place;
}

// order[place] = item, by thirty bits of their keys: digit by digit, the last first
static void sort_by_key(int count, const int *key, int *order, int *other) {
  enum { DIGIT = 10, VALUES = 1 << DIGIT };
  for (int k = 0; k < count; k++)
    other[k] = k;
  for (int shift = 0; shift < 3 * DIGIT; shift += DIGIT) {
    int start[VALUES + 1] = {0};
    for (int k = 0; k < count; k++)
      start[(key[k] >> shift & (VALUES - 1)) + 1]++;
    for (int v = 0; v < VALUES; v++)
      start[v + 1] += start[v];
    for (int k = 0; k < count; k++)
      order[start[key[other[k]] >> shift & (VALUES - 1)]++] = other[k];
    memcpy(other, order, (size_t)count * sizeof *other);
  }
}

// neighbours in space become neighbours in memory; label[old] = new place
static void sort_rods(carom_bed *bed) {
  carom_bed_search *s = bed->search;
  int n = bed->n;
  for (int i = 0; i < n; i++)
    s->label[i] = curve_place(bed, s, i);
  sort_by_key(n, s->label, s->order, (int *)(void *)s->shelf);
  double **groups[] = {bed->x, bed->u, bed->v, bed->w};
  for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
    for (int c = 0; c < 3; c++)
      permute_values(s, n, groups[g][c]);
  for (int c = 0; c < 12; c++)
    permute_column(s, n, bed->seen[0] + c, 12);
  for (int c = 0; c < 3; c++)
    permute_numbers(s, n, bed->order.image[c]);
  if (bed->striking.released) permute_numbers(s, n, (int *)bed->striking.released);
  if (bed->striking.touching) permute_bytes(s, n, bed->striking.touching);
  permute_numbers(s, n, bed->order.id);
  permute_bytes(s, n, bed->kind);
  for (int k = 0; k < n; k++) {
    s->label[s->order[k]] = k;
    bed->order.place[bed->order.id[k]] = k;
  }
}

// ---- one chunk

static bool keep_found(carom_bed *bed, seeker *it, int a, int b, double gap) {
  if (it->found_count == it->found_room) {
    int room = it->found_room ? 2 * it->found_room : 16 * CAROM_BED_CHUNK;
    size_t used = (size_t)it->found_count;
    int(*found)[2] = carom_bed_array(bed, room, sizeof *found);
    double *gaps = carom_bed_array(bed, room, sizeof *gaps);
    if (!found || !gaps) return false;
    if (used > 0) {
      memcpy(found, it->found, used * sizeof *found);
      memcpy(gaps, it->gap, used * sizeof *gaps);
    }
    it->found = found, it->gap = gaps, it->found_room = room;
  }
  int k = it->found_count++;
  it->found[k][0] = a, it->found[k][1] = b;
  it->gap[k] = gap;
  return true;
}

// what rod i finds
static bool find_for(carom_bed *bed, seeker *it, int i) {
  int found = 0, count = pieces_of(bed, i), last[3] = {0};
  for (int p = 0; p < count; p++)
    found = look_around(bed, it, i, found, p, count, last);
  sort_numbers(it->near, found);
  for (int k = 0; k < found; k++) {
    double gap = carom_bed_gap(bed, i, it->near[k]);
    if (gap <= bed->reach.skin && !keep_found(bed, it, i, it->near[k], gap)) return false;
  }
  return true;
}

// pairs in the order of the second rod's chunk, then as they were found
static bool enter_pairs(carom_bed *bed, carom_bed_chunk *chunk, seeker *it) {
  carom_touch_list *list = &chunk->lists[0];
  int own = chunk->first / CAROM_BED_CHUNK, last = own;
  carom_touch_list_clear(list);
  if (!carom_touch_list_reserve(bed, list, it->found_count)) return false;
  for (int k = 0; k < it->found_count; k++) {
    int to = it->found[k][1] / CAROM_BED_CHUNK;
    last = to > last ? to : last;
    it->tally[to]++;
  }
  for (int to = own; to <= last; to++) {
    for (int k = 0; k < it->found_count && it->tally[to] > 0; k++) {
      if (it->found[k][1] / CAROM_BED_CHUNK != to) continue;
      if (!append_touch(bed, list, 0, it->found[k][0], it->found[k][1], it->gap[k])) return false;
      it->tally[to]--;
    }
  }
  return true;
}

bool carom_bed_make_awake_room(carom_bed *bed, carom_bed_chunk *chunk) {
  int most = 0;
  for (int k = 0; k <= bed->settings->wall_count; k++)
    most = chunk->lists[k].count > most ? chunk->lists[k].count : most;
  // one more: who is awake is written before it is known
  if (most + 1 <= chunk->awake_room) return true;
  int room = most + most / 2 + 16, *awake = carom_bed_array(bed, room, sizeof *awake);
  if (!awake) return false;
  chunk->awake = awake, chunk->awake_room = room;
  return true;
}

static void search_piece(void *ctx, int worker, int piece) {
  carom_bed *bed = ctx;
  carom_bed_search *s = bed->search;
  carom_bed_chunk *chunk = &bed->chunks[piece];
  seeker *it = &s->seekers[worker];
  bool good = true;
  for (int k = 0; good && k < bed->settings->wall_count; k++)
    good = rebuild_wall(bed, chunk, k);
  it->found_count = 0;
  for (int i = chunk->first; good && i < chunk->end; i++)
    good = find_for(bed, it, i);
  good = good && enter_pairs(bed, chunk, it) && carom_bed_make_awake_room(bed, chunk);
  if (good) return;
  carom_pool_lock(bed->pool);
  s->no_memory = true;
  carom_pool_unlock(bed->pool);
}

// ---- who sends to whom

static bool add_leg(carom_bed *bed, carom_bed_chunk *chunk, int to, int from) {
  if (chunk->leg_count == chunk->leg_room) {
    int room = 2 * chunk->leg_room + 8;
    carom_bed_leg *legs = carom_arena_array(bed->arena, (size_t)room, sizeof *legs);
    if (!legs) return false;
    if (chunk->leg_count > 0) memcpy(legs, chunk->legs, (size_t)chunk->leg_count * sizeof *legs);
    chunk->legs = legs, chunk->leg_room = room;
  }
  chunk->legs[chunk->leg_count++] = (carom_bed_leg){.to = to, .from = from};
  return true;
}

static bool add_sender(carom_bed *bed, int to, int from, int leg) {
  carom_bed_chunk *chunk = &bed->chunks[to];
  if (chunk->sender_count == chunk->sender_room) {
    int room = 2 * chunk->sender_room + 8;
    int(*senders)[2] = carom_arena_array(bed->arena, (size_t)room, sizeof *senders);
    if (!senders) return false;
    size_t used = (size_t)chunk->sender_count;
    if (used > 0) memcpy(senders, chunk->senders, used * sizeof *senders);
    chunk->senders = senders, chunk->sender_room = room;
  }
  int k = chunk->sender_count++;
  chunk->senders[k][0] = from, chunk->senders[k][1] = leg;
  return true;
}

bool carom_bed_link_chunks(carom_bed *bed) {
  for (int c = 0; c < bed->chunk_count; c++)
    bed->chunks[c].sender_count = bed->chunks[c].leg_count = 0;
  for (int c = 0; c < bed->chunk_count; c++) {
    carom_bed_chunk *chunk = &bed->chunks[c];
    const carom_touch_list *list = &chunk->lists[0];
    for (int k = 0, last = c; k < list->count; k++) {
      int to = list->each[k].b / CAROM_BED_CHUNK;
      if (to == last) continue;
      last = to;
      if (!add_leg(bed, chunk, to, k) || !add_sender(bed, to, c, chunk->leg_count - 1))
        return false;
    }
  }
  for (int c = 0; c < bed->chunk_count; c++)
    atomic_init(&bed->chunks[c].awaited, 1 + bed->chunks[c].sender_count);
  return true;
}

size_t carom_bed_search_bytes(const carom_bed *bed) {
  const carom_bed_search *s = bed->search;
  if (!s) return 0;
  size_t n = (size_t)bed->n, piece = sizeof *s->owner + 3 * sizeof **s->centre;
  size_t rod = sizeof *s->first + sizeof *s->label;
  size_t seeking = sizeof *s->seekers->stamp + sizeof *s->seekers->near;
  return (size_t)s->piece_total * piece + n * (rod + (size_t)s->seeker_count * seeking) +
         (size_t)s->cell_room * sizeof *s->start;
}

// ---- all

bool carom_bed_search_neighbours(carom_bed *bed) {
  carom_bed_search *s = workspace_of(bed);
  if (!s) return false;
  wrap_centres(bed);
  if (!lay_grid(bed, s)) return false;
  int *label = NULL;
  if (bed->counts.searches % SORT_EVERY == 0) {
    sort_rods(bed);
    label = s->label;
  }
  if (!remember_contacts(bed, label)) return false;
  fill_cells(bed, s);
  for (int k = 0; k < s->seeker_count; k++)
    memset(s->seekers[k].stamp, 0, (size_t)bed->n * sizeof *s->seekers[k].stamp);
  s->no_memory = false;
  carom_pool_share(bed->pool, bed->chunk_count, search_piece, bed);
  if (s->no_memory || !carom_bed_link_chunks(bed)) return false;
  memset(bed->reach.way, 0, (size_t)bed->n * sizeof *bed->reach.way);
  memset(bed->wall.way, 0, sizeof bed->wall.way);
  bed->counts.searches++;
  return true;
}
