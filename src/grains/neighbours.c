// SPDX-License-Identifier: MIT
// Which rods are near each other. A long rod would make cells of its length useful for nothing, so
// each is cut into short pieces, the pieces go into cells, and rods that have pieces in adjacent
// cells are measured. Contacts keep their histories from one search to the next.
#include "grains/bed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SORT_EVERY = 16, LARGEST_GRID = 1024 };

// half a piece is at most this many radii long
static const double PIECE = 2.2;

typedef struct carom_bed_search {
  int *pieces;          // [n + 1] first piece of each rod
  float *centre[3];     // [pieces] from the grid's corner, in the order of cells
  int *owner;           // [pieces] rod, in the order of cells
  int *cell;            // [pieces] in the order of rods
  int *start;           // [cells + 1]
  int cells, cell_room; // in use, allocated
  int *stamp;           // [n] last rod that looked at this one
  int *near;            // [n] what one rod found
  int *first;           // [n + 1] of remembered contacts by rod
  int *order;           // [n] for sorting
  double *shelf;        // [n] one array while it is sorted
  int piece_total;
  double longest; // half length of a piece
  double reach;   // pieces whose centres are further apart belong to rods that cannot touch
  // the grid
  double low[3], size[3];
  int count[3];
} carom_bed_search;

// ---- lists

bool carom_touch_list_grow(carom_arena *arena, carom_touch_list *list) {
  if (list->count < list->capacity) return true;
  carom_touch_list wider = *list;
  wider.capacity = list->capacity ? 2 * list->capacity : 256;
  size_t room = (size_t)wider.capacity, used = (size_t)list->count;
  wider.a = carom_arena_array(arena, room, sizeof *wider.a);
  wider.b = carom_arena_array(arena, room, sizeof *wider.b);
  wider.wake = carom_arena_array(arena, room, sizeof *wider.wake);
  wider.root = carom_arena_array(arena, room, sizeof *wider.root);
  wider.slides = carom_arena_array(arena, room, sizeof *wider.slides);
  bool good = wider.a && wider.b && wider.wake && wider.root && wider.slides;
  for (int c = 0; c < 3; c++)
    good = (wider.s[c] = carom_arena_array(arena, room, sizeof *wider.s[c])) && good;
  if (!good) return false;
  if (used > 0) {
    memcpy(wider.a, list->a, used * sizeof *wider.a);
    memcpy(wider.b, list->b, used * sizeof *wider.b);
    memcpy(wider.wake, list->wake, used * sizeof *wider.wake);
    memcpy(wider.root, list->root, used * sizeof *wider.root);
    memcpy(wider.slides, list->slides, used * sizeof *wider.slides);
    for (int c = 0; c < 3; c++)
      memcpy(wider.s[c], list->s[c], used * sizeof *wider.s[c]);
  }
  *list = wider;
  return true;
}

static bool append(carom_bed *bed, carom_touch_list *list, int a, int b, double gap) {
  if (!carom_touch_list_grow(bed->arena, list)) return false;
  int k = list->count++;
  list->a[k] = a;
  list->b[k] = b;
  list->wake[k] = gap > 0.0 ? bed->travel + gap : 0.0;
  list->s[0][k] = list->s[1][k] = list->s[2][k] = list->root[k] = 0.0;
  list->slides[k] = 0;
  return true;
}

static void copy_history(carom_touch_list *to, int k, const carom_touch_list *from, int j,
                         double sign) {
  for (int c = 0; c < 3; c++)
    to->s[c][k] = sign * from->s[c][j];
  to->root[k] = from->root[j];
  to->slides[k] = from->slides[j];
}

// ---- workspace

static int pieces_of(const carom_bed *bed, int i) {
  double count = ceil(bed->half[i] / (PIECE * bed->radius[i]) - 1e-9);
  return count < 1.0 ? 1 : (int)count;
}

static carom_bed_search *workspace(carom_bed *bed) {
  if (bed->search) return bed->search;
  carom_arena *arena = bed->arena;
  carom_bed_search *s = carom_arena_take(arena, sizeof *s);
  if (!s) return NULL;
  size_t n = (size_t)bed->n;
  double thickest = 0.0;
  for (int i = 0; i < bed->n; i++) {
    int pieces = pieces_of(bed, i);
    s->piece_total += pieces;
    s->longest = fmax(s->longest, bed->half[i] / pieces);
    thickest = fmax(thickest, bed->radius[i]);
  }
  s->reach = 2.0 * thickest + bed->skin + 2.0 * s->longest;
  size_t total = (size_t)s->piece_total;
  s->pieces = carom_arena_array(arena, n + 1, sizeof *s->pieces);
  s->owner = carom_arena_array(arena, total, sizeof *s->owner);
  s->cell = carom_arena_array(arena, total, sizeof *s->cell);
  s->stamp = carom_arena_array(arena, n, sizeof *s->stamp);
  s->near = carom_arena_array(arena, n, sizeof *s->near);
  s->first = carom_arena_array(arena, n + 2, sizeof *s->first);
  s->order = carom_arena_array(arena, n, sizeof *s->order);
  s->shelf = carom_arena_array(arena, n, sizeof *s->shelf);
  bool good =
      s->pieces && s->owner && s->cell && s->stamp && s->near && s->first && s->order && s->shelf;
  for (int c = 0; c < 3; c++) {
    s->centre[c] = carom_arena_array(arena, total, sizeof *s->centre[c]);
    good = good && s->centre[c];
  }
  return good ? bed->search = s : NULL;
}

// ---- grid

// brings centres back into the first period
static void wrap(carom_bed *bed) {
  for (int c = 0; c < 3; c++) {
    double period = bed->settings->periodic[c];
    if (!(period > 0.0)) continue;
    for (int i = 0; i < bed->n; i++) {
      double turns = floor(bed->x[c][i] / period);
      if (turns == 0.0) continue;
      bed->x[c][i] -= turns * period;
      bed->image[c][i] += (int)turns;
    }
  }
}

static bool lay_grid(carom_bed *bed, carom_bed_search *s) {
  double cells = 1.0, most = 4.0 * s->piece_total + 64.0;
  for (int c = 0; c < 3; c++) {
    double low = HUGE_VAL, high = -HUGE_VAL, period = bed->settings->periodic[c];
    for (int i = 0; i < bed->n; i++) {
      double out = bed->half[i] * fabs(bed->u[c][i]);
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
  // a few rods flung far away must not ask for a huge grid
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
    s->cell_room = 2 * (s->cells + 1);
    s->start = carom_arena_array(bed->arena, (size_t)s->cell_room, sizeof *s->start);
  }
  return s->start != NULL;
}

static int column(const carom_bed *bed, const carom_bed_search *s, int c, double x) {
  double period = bed->settings->periodic[c];
  if (period > 0.0) x -= floor(x / period) * period;
  int k = (int)((x - s->low[c]) / s->size[c]);
  return k < 0 ? 0 : k >= s->count[c] ? s->count[c] - 1 : k;
}

static int cell_of(const carom_bed *bed, const carom_bed_search *s, const double x[3]) {
  int k[3];
  for (int c = 0; c < 3; c++)
    k[c] = column(bed, s, c, x[c]);
  return (k[2] * s->count[1] + k[1]) * s->count[0] + k[0];
}

// counting sort of keys below `cells`; `start` gets the first place of each key, order[place] =
// item
static void sort_by_key(int count, const int *key, int cells, int *start, int *order) {
  memset(start, 0, ((size_t)cells + 1) * sizeof *start);
  for (int k = 0; k < count; k++)
    start[key[k] + 1]++;
  for (int c = 0; c < cells; c++)
    start[c + 1] += start[c];
  for (int k = 0; k < count; k++)
    order[start[key[k]]++] = k;
  for (int c = cells; c > 0; c--)
    start[c] = start[c - 1];
  start[0] = 0;
}

// the centre of piece p of rod i that is cut into `count`
static void piece_centre(const carom_bed *bed, int i, int p, int count, double x[3]) {
  double along = bed->half[i] * ((2.0 * p + 1.0) / count - 1.0);
  for (int c = 0; c < 3; c++)
    x[c] = bed->x[c][i] + along * bed->u[c][i];
}

static void fill_cells(carom_bed *bed, carom_bed_search *s) {
  int k = 0;
  double x[3];
  for (int i = 0; i < bed->n; i++) {
    int count = pieces_of(bed, i);
    s->pieces[i] = k;
    for (int p = 0; p < count; p++, k++) {
      piece_centre(bed, i, p, count, x);
      s->cell[k] = cell_of(bed, s, x);
    }
  }
  s->pieces[bed->n] = k;
  memset(s->start, 0, ((size_t)s->cells + 1) * sizeof *s->start);
  for (int p = 0; p < k; p++)
    s->start[s->cell[p] + 1]++;
  for (int c = 0; c < s->cells; c++)
    s->start[c + 1] += s->start[c];
  for (int i = 0; i < bed->n; i++) {
    int first = s->pieces[i], count = s->pieces[i + 1] - first;
    for (int p = 0; p < count; p++) {
      int at = s->start[s->cell[first + p]]++;
      piece_centre(bed, i, p, count, x);
      s->owner[at] = i;
      for (int c = 0; c < 3; c++)
        s->centre[c][at] = (float)(x[c] - s->low[c]);
    }
  }
  for (int c = s->cells; c > 0; c--)
    s->start[c] = s->start[c - 1];
  s->start[0] = 0;
}

// ---- one rod

typedef struct seeker {
  carom_bed *bed;
  carom_bed_search *s;
  int i, found;
  double reach2;
} seeker;

static double image_gap(double d, double period) {
  if (!(period > 0.0)) return d;
  double half = 0.5 * period;
  return d > half ? d - period : d < -half ? d + period : d;
}

static void look_into(seeker *it, const double x[3], int cell) {
  carom_bed_search *s = it->s;
  const double *period = it->bed->settings->periodic;
  double reach2 = it->reach2;
  for (int p = s->start[cell]; p < s->start[cell + 1]; p++) {
    int j = s->owner[p];
    if (j <= it->i || s->stamp[j] == it->i + 1) continue;
    double dx = image_gap(x[0] - (double)s->centre[0][p], period[0]);
    double dy = image_gap(x[1] - (double)s->centre[1][p], period[1]);
    double dz = image_gap(x[2] - (double)s->centre[2][p], period[2]);
    if (dx * dx + dy * dy + dz * dz > reach2) continue;
    s->stamp[j] = it->i + 1;
    s->near[it->found++] = j;
  }
}

// the columns to look into along c: itself and its neighbours, once each
static int columns(const carom_bed *bed, const carom_bed_search *s, int c, double x, int out[3]) {
  int k = column(bed, s, c, x), count = 0, most = s->count[c];
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

static void look_around(seeker *it, int piece, int count) {
  const carom_bed_search *s = it->s;
  double x[3];
  piece_centre(it->bed, it->i, piece, count, x);
  int at[3][3], many[3];
  for (int c = 0; c < 3; c++) {
    many[c] = columns(it->bed, s, c, x[c], at[c]);
    x[c] -= s->low[c];
  }
  for (int z = 0; z < many[2]; z++)
    for (int y = 0; y < many[1]; y++)
      for (int k = 0; k < many[0]; k++)
        look_into(it, x, (at[2][z] * s->count[1] + at[1][y]) * s->count[0] + at[0][k]);
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

static bool keep_histories(carom_bed *bed, carom_touch_list *kept, const int *label) {
  // contacts alone, under their new numbers
  carom_touch_list *old = &bed->pairs;
  int count = 0;
  for (int k = 0; k < old->count; k++) {
    if (old->root[k] <= 0.0) continue;
    int a = label ? label[old->a[k]] : old->a[k], b = label ? label[old->b[k]] : old->b[k];
    bool turned = a > b;
    old->a[count] = turned ? b : a;
    old->b[count] = turned ? a : b;
    copy_history(old, count, old, k, turned ? -1.0 : 1.0);
    count++;
  }
  old->count = count;

  // in the order of their first rod; the spare list takes them
  carom_bed_search *s = bed->search;
  kept->count = 0;
  while (kept->capacity < count) {
    kept->count = kept->capacity;
    if (!carom_touch_list_grow(bed->arena, kept)) return false;
  }
  kept->count = count;
  memset(s->first, 0, ((size_t)bed->n + 1) * sizeof *s->first);
  for (int k = 0; k < count; k++)
    s->first[old->a[k] + 1]++;
  for (int i = 0; i < bed->n; i++)
    s->first[i + 1] += s->first[i];
  for (int k = 0; k < count; k++) {
    int at = s->first[old->a[k]]++;
    kept->a[at] = old->a[k];
    kept->b[at] = old->b[k];
    copy_history(kept, at, old, k, 1.0);
  }
  for (int i = bed->n; i > 0; i--)
    s->first[i] = s->first[i - 1];
  s->first[0] = 0;
  old->count = 0;
  return true;
}

static void recall(const carom_bed_search *s, const carom_touch_list *kept, carom_touch_list *list,
                   int k) {
  for (int j = s->first[list->a[k]]; j < s->first[list->a[k] + 1]; j++) {
    if (kept->b[j] != list->b[k]) continue;
    copy_history(list, k, kept, j, 1.0);
    list->wake[k] = 0.0; // a contact that has just opened must be looked at once more
    return;
  }
}

// walls: contacts are few a rod, in the order of rods; `label` may have mixed them
static bool rebuild_wall(carom_bed *bed, int which, const int *label) {
  const carom_bed_wall *wall = &bed->settings->walls[which];
  carom_touch_list *list = &bed->walls[which];
  carom_bed_search *s = bed->search;
  carom_touch_list *kept = &bed->spare;
  int count = 0;
  while (kept->capacity < list->count) {
    kept->count = kept->capacity;
    if (!carom_touch_list_grow(bed->arena, kept)) return false;
  }
  // near[] names the remembered contacts of a rod: at most three ends
  memset(s->first, 0, ((size_t)bed->n + 1) * sizeof *s->first);
  for (int k = 0; k < list->count; k++)
    if (list->root[k] > 0.0) s->first[(label ? label[list->a[k]] : list->a[k]) + 1]++;
  for (int i = 0; i < bed->n; i++)
    s->first[i + 1] += s->first[i];
  for (int k = 0; k < list->count; k++) {
    if (list->root[k] <= 0.0) continue;
    int a = label ? label[list->a[k]] : list->a[k], at = s->first[a]++;
    kept->a[at] = a;
    kept->b[at] = list->b[k];
    copy_history(kept, at, list, k, 1.0);
    count++;
  }
  for (int i = bed->n; i > 0; i--)
    s->first[i] = s->first[i - 1];
  s->first[0] = 0;
  kept->count = count;
  list->count = 0;
  int from = wall->kind == CAROM_WALL_OUTSIDE ? CAROM_END_NEAREST : CAROM_END_UPPER;
  int to = wall->kind == CAROM_WALL_OUTSIDE ? CAROM_END_NEAREST : CAROM_END_LOWER;
  for (int i = 0; i < bed->n; i++) {
    int last = bed->half[i] > 0.0 ? to : from; // a sphere has one end
    for (int end = from; end <= last; end++) {
      double gap = carom_bed_wall_gap(bed, i, wall, end);
      if (gap > bed->skin) continue;
      if (!append(bed, list, i, end, gap)) return false;
      recall(s, kept, list, list->count - 1);
    }
  }
  return true;
}

// ---- rods sorted in memory

static void permute(carom_bed_search *s, int n, double *values) {
  for (int k = 0; k < n; k++)
    s->shelf[k] = values[s->order[k]];
  memcpy(values, s->shelf, (size_t)n * sizeof *values);
}

static void permute_numbers(carom_bed_search *s, int n, int *values) {
  int *shelf = (int *)(void *)s->shelf;
  for (int k = 0; k < n; k++)
    shelf[k] = values[s->order[k]];
  memcpy(values, shelf, (size_t)n * sizeof *values);
}

// neighbours in space become neighbours in memory; near[old] = new place
static void sort_rods(carom_bed *bed) {
  carom_bed_search *s = bed->search;
  int n = bed->n;
  for (int i = 0; i < n; i++) {
    double x[3] = {bed->x[0][i], bed->x[1][i], bed->x[2][i]};
    s->near[i] = cell_of(bed, s, x);
  }
  sort_by_key(n, s->near, s->cells, s->start, s->order);
  double **groups[] = {bed->x, bed->u, bed->v, bed->w, bed->f, bed->q, bed->sv, bed->sw};
  for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
    for (int c = 0; c < 3; c++)
      if ((g < 6 || groups[g][c] != groups[g - 4][c]) && groups[g][c]) permute(s, n, groups[g][c]);
  double *single[] = {bed->half, bed->radius, bed->im, bed->ii, bed->ia, bed->gyro};
  for (size_t g = 0; g < sizeof single / sizeof *single; g++)
    permute(s, n, single[g]);
  for (int c = 0; c < 5 && bed->struck; c++)
    permute(s, n, bed->struck + (size_t)c * (size_t)n);
  for (int c = 0; c < 3; c++)
    permute_numbers(s, n, bed->image[c]);
  if (bed->touching) permute_numbers(s, n, bed->touching);
  permute_numbers(s, n, bed->id);
  for (int k = 0; k < n; k++) {
    s->near[s->order[k]] = k;
    bed->place[bed->id[k]] = k;
  }
}

// ---- all rods

static bool find_pairs(carom_bed *bed) {
  carom_bed_search *s = bed->search;
  memset(s->stamp, 0, (size_t)bed->n * sizeof *s->stamp);
  // centres are kept in single precision: look a little further
  double wide = 0.0;
  for (int c = 0; c < 3; c++)
    wide = fmax(wide, s->size[c] * s->count[c]);
  double reach = s->reach + 1e-6 * (wide + 4.0 * s->longest);
  for (int i = 0; i < bed->n; i++) {
    seeker it = {bed, s, i, 0, reach * reach};
    int count = s->pieces[i + 1] - s->pieces[i];
    for (int p = 0; p < count; p++)
      look_around(&it, p, count);
    sort_numbers(s->near, it.found);
    for (int k = 0; k < it.found; k++) {
      double gap = carom_bed_gap(bed, i, s->near[k]);
      if (gap > bed->skin) continue;
      if (!append(bed, &bed->pairs, i, s->near[k], gap)) return false;
      recall(s, &bed->spare, &bed->pairs, bed->pairs.count - 1);
    }
  }
  return true;
}

static bool make_list_room(carom_bed *bed) {
  int most = bed->pairs.count;
  for (int k = 0; k < bed->settings->wall_count; k++)
    if (bed->walls[k].count > most) most = bed->walls[k].count;
  if (most + 1 <= bed->list_room) return true;
  bed->list_room = 2 * (most + 1);
  bed->list = carom_arena_array(bed->arena, (size_t)bed->list_room, sizeof *bed->list);
  return bed->list != NULL;
}

bool carom_bed_search_neighbours(carom_bed *bed) {
  carom_bed_search *s = workspace(bed);
  if (!s) return false;
  wrap(bed);
  if (!lay_grid(bed, s)) return false;
  int *label = NULL;
  if (bed->searches % SORT_EVERY == 0) {
    sort_rods(bed);
    label = s->near;
  }
  // walls first: they use the same memory for what is kept
  for (int k = 0; k < bed->settings->wall_count; k++)
    if (!rebuild_wall(bed, k, label)) return false;
  if (!keep_histories(bed, &bed->spare, label)) return false;
  fill_cells(bed, s);
  if (!find_pairs(bed) || !make_list_room(bed)) return false;
  bed->built = bed->travel;
  bed->searches++;
  return true;
}
