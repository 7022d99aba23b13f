// SPDX-License-Identifier: MIT
/// Bifurcation diagrams: what a section sees along a parameter; and branches of solutions, stable
/// ones drawn solid, unstable ones dashed, virtual ones grey.
#include "base/error.h"
#include "draw/plot_marks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 640, HEIGHT = 420, HALF_LINE = 40, LINE = 80, MANY_POINTS = 2000 };

static double *load_column(const carom_store *store, const char *table, const char *name,
                           long *count) {
  char path[400];
  (void)snprintf(path, sizeof path, "/%.120s/%.250s", table, name);
  return carom_store_array(store, path, count, NULL);
}

// ---- bifurcation diagrams ----

/// Columns of a diagram; crossing and period: NULL where the table does not have them.
typedef struct diagram {
  long count;
  double *x, *y, *direction, *crossing, *period;
} diagram;

// a periodic motion has as many different points as its period
static bool is_repeated(const diagram *d, long k) {
  return d->crossing && d->period && d->period[k] > 0.0 && d->crossing[k] >= d->period[k];
}

static int put_direction(carom_script *script, const diagram *d, bool up) {
  int block = -1;
  for (long k = 0; k < d->count; k++) {
    if ((d->direction[k] >= 0.0) != up || isnan(d->y[k]) || is_repeated(d, k)) continue;
    if (block < 0) block = carom_script_block(script);
    carom_script_number(script, d->x[k]);
    carom_script_number(script, d->y[k]);
    carom_script_row(script);
  }
  return block;
}

// what the diagram shows: the part asked for, or all values with a margin
static void find_bounds(const carom_plot_job *it, const double *x, const double *y, long count,
                        carom_plot_marks *to) {
  const double margin = 0.02;
  double low = INFINITY, high = -INFINITY, bottom = INFINITY, top = -INFINITY;
  for (long k = 0; k < count; k++) {
    low = fmin(low, x[k]), high = fmax(high, x[k]);
    bottom = fmin(bottom, y[k]), top = fmax(top, y[k]);
  }
  double span = high > low ? high - low : fmax(fabs(low), 1.0);
  bool log_x = it->options->log_x && low > 0.0;
  *to = (carom_plot_marks){.low_x = log_x ? low / 1.05 : low - margin * span,
                           .high_x = log_x ? high * 1.05 : high + margin * span,
                           .low_y = bottom,
                           .high_y = top,
                           .log_x = log_x};
  if (!isnan(it->options->from)) to->low_x = it->options->from;
  if (!isnan(it->options->until)) to->high_x = it->options->until;
}

static void put_axes(carom_plot_job *it, const char *x, const char *y,
                     const carom_plot_marks *marks) {
  FILE *out = it->script.commands;
  carom_script_label(&it->script, "title", it->title);
  carom_plot_axis(it, "xlabel", x);
  carom_plot_axis(it, "ylabel", y);
  fprintf(out, "set xrange [%.12g:%.12g]\n", marks->low_x, marks->high_x);
  carom_script_digits(&it->script, "x", marks->low_x, marks->high_x);
  carom_script_digits(&it->script, "y", marks->low_y, marks->high_y);
  carom_plot_marks_put(marks, it);
  fprintf(out,
          "set key below left vertical maxrows %d Left reverse samplen 1.8 spacing 1.05 "
          "height 0.6 font ',9' noenhanced\n",
          carom_plot_marks_rows(marks, CAROM_PLOT_CURVES));
}

// does the motion change at one place both ways along the parameter?
static bool is_shared(const double *at, long count, long k, const carom_plot_marks *marks) {
  int found = 0;
  for (long j = 0; j < count; j++)
    found += fabs(at[j] - at[k]) < 1e-6 * (marks->high_x - marks->low_x);
  return found > 1;
}

// a line at every change of the motion: an arrow says on which way along the parameter, and what
// it changes to
static void find_changes(const carom_plot_job *it, const char *parameter, carom_plot_marks *to) {
  long count = 0, afters = 0, directions = 0;
  double *at = load_column(it->store, "changes", parameter, &count);
  double *direction = load_column(it->store, "changes", "direction", &directions);
  char **after = carom_store_texts(it->store, "/changes/after", &afters);
  for (long k = 0; at && after && direction && k < count && k < afters && k < directions; k++) {
    char word[LINE];
    carom_plot_mark mark = {.x = at[k], .y = NAN};
    carom_plot_word(after[k], word, is_shared(at, count, k, to) ? HALF_LINE : LINE);
    (void)snprintf(mark.text, sizeof mark.text, "%s %s", direction[k] >= 0.0 ? "→" : "←", word);
    carom_plot_marks_add(to, &mark);
  }
  carom_plot_marks_sort(to);
  free(at);
  free(direction);
  free(after);
}

// does no value take its start from another?
static bool is_fresh(const diagram *d) {
  for (long k = 0; k < d->count; k++)
    if (d->direction[k] != 0.0) return false;
  return true;
}

static void put_diagram(carom_plot_job *it, const char *parameter, const char *observable,
                        const int blocks[2], const carom_plot_marks *marks, bool fresh,
                        long points) {
  // few points are large, those of a cloud are small
  double size = points < MANY_POINTS ? 0.6 : 0.3;
  FILE *out = it->script.commands;
  put_axes(it, parameter, observable, marks);
  fprintf(out, "plot ");
  bool begun = false;
  for (int k = 0; k < 2; k++) {
    if (blocks[k] < 0) continue;
    fprintf(out, begun ? ", \\\n  " : "");
    carom_script_source(&it->script, blocks[k]);
    fprintf(out, " using 1:2 with points pt %d ps %.2f lw 1.2 lc rgb '%s' ", k == 0 ? 7 : 6,
            k == 0 ? size : 1.25 * size, k == 0 ? "#12407a" : "#d55e00");
    fprintf(out, "%s", fresh ? "notitle" : k == 0 ? "title 'upwards'" : "title 'downwards'");
    begun = true;
  }
  carom_plot_add_overlay(it);
  carom_plot_marks_key(marks, it);
  fprintf(out, "\n");
}

static double *full_column(const carom_store *store, const char *name, long count) {
  long length;
  double *values = load_column(store, "points", name, &length);
  if (values && length == count) return values;
  free(values);
  return NULL;
}

// parameter, direction, crossing, observable
static bool read_diagram(const carom_store *store, char *const *names, int name_count,
                         diagram *to) {
  *to = (diagram){0};
  if (!names || name_count < 4) return false;
  to->x = load_column(store, "points", names[0], &to->count);
  to->y = full_column(store, names[3], to->count);
  to->direction = full_column(store, "direction", to->count);
  to->crossing = full_column(store, "crossing", to->count);
  to->period = full_column(store, "period", to->count);
  return to->x && to->y && to->direction && to->count > 0;
}

static void free_diagram(diagram *d) {
  free(d->x);
  free(d->y);
  free(d->direction);
  free(d->crossing);
  free(d->period);
}

carom_status carom_plot_bifurcation(carom_plot_job *it, carom_error *error) {
  int name_count;
  char **names = carom_store_list(it->store, "/points", &name_count);
  carom_plot_marks marks;
  diagram d;
  carom_status status = CAROM_OK;
  if (!read_diagram(it->store, names, name_count, &d))
    status = carom_draw_fail(error, CAROM_ERR_INPUT, "the file holds no bifurcation diagram");
  else if (it->name_count > 0 && strcmp(it->names[0], names[3]) != 0)
    status = carom_draw_fail(error, CAROM_ERR_INPUT,
                             "the diagram is one of '%.60s'; 'carom bifurcate --observe' makes one "
                             "of '%.60s'",
                             names[3], it->names[0]);
  if (status == CAROM_OK) {
    find_bounds(it, d.x, d.y, d.count, &marks);
    find_changes(it, names[0], &marks);
    status = carom_plot_begin(it, WIDTH,
                              HEIGHT + carom_plot_marks_height(&marks, CAROM_PLOT_CURVES), error);
  }
  if (status == CAROM_OK) {
    const int blocks[2] = {put_direction(&it->script, &d, true),
                           put_direction(&it->script, &d, false)};
    put_diagram(it, names[0], names[3], blocks, &marks, is_fresh(&d), d.count);
    status = carom_script_end(&it->script, error);
  }
  free_diagram(&d);
  free(names);
  return status;
}

// ---- branches ----

/// A table of solutions along a parameter.
typedef struct branches {
  char table[128];
  char **names;
  int name_count;
  char x_name[CAROM_PLOT_NAME], y_name[CAROM_PLOT_NAME];
  double *x, *y, *stable, *branch; // stable, branch: NULL where the table does not say
  bool *special;                   // points that have a name: folds, flips; NULL: not known
  long count;
} branches;

static bool is_text(const carom_store *store, const char *table, const char *name) {
  char path[400];
  long rows;
  (void)snprintf(path, sizeof path, "/%s/%.200s", table, name);
  double *values = carom_store_array(store, path, &rows, NULL);
  free(values);
  return !values;
}

// the k-th column of numbers that is no number of a row
static const char *number_column(const carom_store *store, const branches *it, int wanted) {
  static const char *const COUNTS[] = {"index", "branch", "stable",   "number", "status",
                                       "point", "re",     "unstable", "im",     "period"};
  for (int k = 0; k < it->name_count; k++) {
    bool count = false;
    for (size_t j = 0; j < sizeof COUNTS / sizeof *COUNTS; j++)
      count = count || strcmp(it->names[k], COUNTS[j]) == 0;
    if (count || is_text(store, it->table, it->names[k])) continue;
    if (wanted-- == 0) return it->names[k];
  }
  return NULL;
}

// the first column of known values whose name begins so, or NULL
static const char *column_called(const carom_store *store, const branches *it, const char *begin) {
  for (int k = 0; k < it->name_count; k++) {
    if (strncmp(it->names[k], begin, strlen(begin)) != 0) continue;
    long count;
    double *values = load_column(store, it->table, it->names[k], &count);
    bool known = values && count > 0 && !isnan(values[0]);
    free(values);
    if (known) return it->names[k];
  }
  return NULL;
}

// the largest value of a turn tells more of a branch than the state at its section
static const char *usual_ordinate(const carom_store *store, const branches *it) {
  const char *name = column_called(store, it, "top of ");
  if (!name) name = column_called(store, it, "start of ");
  return name ? name : number_column(store, it, 1);
}

// a table of motions says in words which are stable
static double *told_stable(const carom_store *store, const char *table, long *count) {
  char path[200];
  (void)snprintf(path, sizeof path, "/%s/stability", table);
  char **words = carom_store_texts(store, path, count);
  double *stable = words ? calloc((size_t)*count + 1, sizeof *stable) : NULL;
  for (long k = 0; stable && k < *count; k++)
    stable[k] = strcmp(words[k], "stable") == 0;
  free(words);
  return stable;
}

static bool same_length(double **values, long length, long count) {
  if (*values && length == count) return true;
  free(*values);
  *values = NULL;
  return false;
}

// the table named "points" or "branch", else the first of the file
static void choose_table(const carom_store *store, branches *it) {
  int count;
  char **tables = carom_store_list(store, "/", &count);
  for (int k = 0; k < count; k++) {
    bool usual = strcmp(tables[k], "points") == 0 || strcmp(tables[k], "branch") == 0;
    int members;
    char **list;
    char path[200];
    (void)snprintf(path, sizeof path, "/%.120s", tables[k]);
    list = carom_store_list(store, path, &members);
    if (list && members > 1 && strcmp(tables[k], "provenance") != 0 && (usual || !it->table[0]))
      (void)snprintf(it->table, sizeof it->table, "%.120s", tables[k]);
    free(list);
  }
  free(tables);
}

static carom_status unknown_column(const branches *it, const char *name, carom_error *error) {
  char hint[600];
  carom_name_hint(hint, sizeof hint, name, (const char *const *)it->names, it->name_count);
  return carom_draw_fail(error, CAROM_ERR_INPUT, "the table %s has no column '%.60s'%s", it->table,
                         name, hint);
}

static carom_status read_branches(const carom_plot_job *job, branches *it, carom_error *error) {
  const carom_store *store = job->store;
  *it = (branches){0};
  choose_table(store, it);
  char path[200];
  (void)snprintf(path, sizeof path, "/%s", it->table);
  it->names = carom_store_list(store, path, &it->name_count);
  // one name of --of is the ordinate; with two the first is the abscissa
  const char *x = job->name_count > 1 ? job->names[0] : number_column(store, it, 0);
  const char *y = job->name_count > 1    ? job->names[1]
                  : job->name_count == 1 ? job->names[0]
                                         : usual_ordinate(store, it);
  if (!x || !y) return carom_draw_fail(error, CAROM_ERR_INPUT, "the file holds no table to draw");
  (void)snprintf(it->x_name, sizeof it->x_name, "%.120s", x);
  (void)snprintf(it->y_name, sizeof it->y_name, "%.120s", y);
  long length;
  it->x = load_column(store, it->table, x, &it->count);
  it->y = load_column(store, it->table, y, &length);
  bool same = same_length(&it->y, length, it->count);
  if (it->x && it->count == 0)
    return carom_draw_fail(error, CAROM_ERR_INPUT, "the table %s is empty", it->table);
  if (!it->x || !same) return unknown_column(it, it->x ? y : x, error);
  it->stable = load_column(store, it->table, "stable", &length);
  if (!it->stable) {
    // or how many multipliers are unstable: none
    it->stable = load_column(store, it->table, "unstable", &length);
    for (long k = 0; it->stable && k < length; k++)
      it->stable[k] = it->stable[k] == 0.0;
  }
  if (!it->stable) it->stable = told_stable(store, it->table, &length);
  (void)same_length(&it->stable, length, it->count);
  it->branch = load_column(store, it->table, "branch", &length);
  (void)same_length(&it->branch, length, it->count);
  return CAROM_OK;
}

// A named point whose value is not known lies on the line between its neighbours.
static void fill_gaps(branches *it) {
  for (long k = 1; k + 1 < it->count; k++) {
    long a = k - 1, b = k;
    if (!isnan(it->y[k]) || isnan(it->y[a])) continue;
    while (b < it->count && isnan(it->y[b]))
      b++;
    bool same = b < it->count && (!it->branch || it->branch[a] == it->branch[b]);
    if (same) it->y[k] = it->y[a] + (it->y[b] - it->y[a]) / (double)(b - a);
  }
}

// kinds of points, in the column of stability
enum { VIRTUAL_ONE = -1, UNSTABLE_ONE, STABLE_ONE };

// points whose stability is told to be that of a virtual motion
static void find_virtual(const carom_store *store, branches *it) {
  char path[200];
  long count = 0;
  (void)snprintf(path, sizeof path, "/%s/stability", it->table);
  char **texts = it->stable ? carom_store_texts(store, path, &count) : NULL;
  for (long k = 0; texts && k < count && k < it->count; k++)
    if (strncmp(texts[k], "virtual", 7) == 0) it->stable[k] = VIRTUAL_ONE;
  free(texts);
}

static int kind_of(const branches *it, long k, int otherwise) {
  if (!it->stable) return otherwise;
  return it->stable[k] < 0.0 ? VIRTUAL_ONE : it->stable[k] == 0.0 ? UNSTABLE_ONE : STABLE_ONE;
}

static void put_branch_point(carom_script *script, const branches *it, long k) {
  carom_script_number(script, it->x[k]);
  carom_script_number(script, it->y[k]);
  carom_script_row(script);
}

// A branch that begins beside a named point of an earlier one begins there; -1: it does not.
static long begins_at(const branches *it, long k) {
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, least = 0.03;
  long found = -1;
  for (long j = 0; j < it->count; j++) {
    low[0] = fmin(low[0], it->x[j]), high[0] = fmax(high[0], it->x[j]);
    low[1] = fmin(low[1], it->y[j]), high[1] = fmax(high[1], it->y[j]);
  }
  for (long j = 0; j < k && it->special; j++) {
    double far = hypot((it->x[k] - it->x[j]) / (high[0] - low[0]),
                       (it->y[k] - it->y[j]) / (high[1] - low[1]));
    if (!it->special[j] || !(far < least)) continue;
    least = far;
    found = j;
  }
  return found;
}

// Lines are broken where stability or branch changes: at the special point that changes it; where
// none is told, a stretch takes the next point with it.
static int put_stretches(carom_script *script, const branches *it, int kind) {
  int block = -1;
  bool open = false, blank = true; // two blank lines would begin another block
  for (long k = 0; k < it->count; k++) {
    bool mine = kind_of(it, k, kind) == kind;
    bool parted = k > 0 && it->branch && it->branch[k] != it->branch[k - 1];
    bool behind = k > 0 && !parted && it->special && it->special[k - 1];
    if (block >= 0 && parted && !blank) {
      fprintf(script->data, "\n");
      blank = true;
    }
    if (parted) open = false;
    if (!mine && !open) continue;
    if (block < 0) block = carom_script_block(script);
    if (mine && !open && behind) put_branch_point(script, it, k - 1);
    long root = mine && parted ? begins_at(it, k) : -1;
    if (root >= 0) put_branch_point(script, it, root);
    if (mine || !behind) put_branch_point(script, it, k);
    if (!mine) fprintf(script->data, "\n");
    blank = !mine;
    open = mine;
  }
  return block;
}

// labels of a branch in words that a caption needs not explain
static const char *label_text(const char *label) {
  static const char *const TEXTS[][2] = {{"flip", "flip: the period doubles"},
                                         {"graze", "an impact grazes"},
                                         {"word", "another phase"},
                                         {"crossing", "another branch crosses"},
                                         {"jump", "jump to another motion"},
                                         {"lost", "not followed further"}};
  for (size_t k = 0; k < sizeof TEXTS / sizeof *TEXTS; k++)
    if (strcmp(label, TEXTS[k][0]) == 0) return TEXTS[k][1];
  return label;
}

// where the word changes: the next one on the branch
static void name_change(const char *label, char *const *words, long count, long k,
                        char text[CAROM_PLOT_MARK_TEXT]) {
  char word[LINE];
  bool changes = strcmp(label, "word") == 0 || strcmp(label, "graze") == 0;
  long next = k + 1;
  while (words && next < count && strcmp(words[next], words[k]) == 0)
    next++;
  (void)snprintf(text, CAROM_PLOT_MARK_TEXT, "%.100s", label_text(label));
  if (!changes || !words || next >= count) return;
  carom_plot_word(words[next], word, sizeof word);
  (void)snprintf(text, CAROM_PLOT_MARK_TEXT, "then %s", word);
}

static bool is_rising(const branches *b, long k) {
  long before = k > 0 ? k - 1 : k, after = k + 1 < b->count ? k + 1 : k;
  return (b->x[after] - b->x[before]) * (b->y[after] - b->y[before]) > 0.0;
}

// texts of the table that mark a point: fold, period doubling, grazing
static void find_special(const carom_plot_job *it, branches *b, carom_plot_marks *to) {
  static const char *const COLUMNS[] = {"event", "bifurcation", "kind", "special", "label"};
  char path[200];
  long words = 0;
  (void)snprintf(path, sizeof path, "/%s/word", b->table);
  char **word = carom_store_texts(it->store, path, &words);
  b->special = calloc((size_t)b->count + 1, sizeof *b->special);
  for (size_t c = 0; c < sizeof COLUMNS / sizeof *COLUMNS; c++) {
    long count;
    (void)snprintf(path, sizeof path, "/%s/%s", b->table, COLUMNS[c]);
    char **texts = carom_store_texts(it->store, path, &count);
    for (long k = 0; texts && k < count && k < b->count; k++) {
      if (!texts[k][0] || strcmp(texts[k], "start") == 0 || strcmp(texts[k], "end") == 0) continue;
      carom_plot_mark mark = {.x = b->x[k], .y = b->y[k], .rising = is_rising(b, k)};
      name_change(texts[k], word, words, k, mark.text);
      carom_plot_marks_add(to, &mark);
      if (b->special) b->special[k] = true;
    }
    free(texts);
  }
  carom_plot_marks_sort(to);
  free(word);
}

carom_status carom_plot_branch(carom_plot_job *it, carom_error *error) {
  branches b;
  carom_plot_marks marks;
  carom_status status = read_branches(it, &b, error);
  if (status == CAROM_OK) {
    fill_gaps(&b);
    find_bounds(it, b.x, b.y, b.count, &marks);
    find_special(it, &b, &marks);
    status = carom_plot_begin(it, WIDTH,
                              HEIGHT + carom_plot_marks_height(&marks, CAROM_PLOT_CURVES), error);
  }
  if (status == CAROM_OK) {
    FILE *out = it->script.commands;
    find_virtual(it->store, &b);
    int stable = put_stretches(&it->script, &b, STABLE_ONE);
    int unstable = b.stable ? put_stretches(&it->script, &b, UNSTABLE_ONE) : -1;
    int beyond = b.stable ? put_stretches(&it->script, &b, VIRTUAL_ONE) : -1;
    put_axes(it, b.x_name, b.y_name, &marks);
    fprintf(out, "plot ");
    if (stable >= 0) {
      carom_script_source(&it->script, stable);
      fprintf(out, " using 1:2 with lines lw 2 lc rgb '#12407a' title '%s'",
              b.stable ? "stable" : "solutions");
    }
    if (unstable >= 0) {
      fprintf(out, stable >= 0 ? ", \\\n  " : "");
      carom_script_source(&it->script, unstable);
      fprintf(out, " using 1:2 with lines lw 1.5 dt 2 lc rgb '#d55e00' title 'unstable'");
    }
    if (beyond >= 0) {
      fprintf(out, stable >= 0 || unstable >= 0 ? ", \\\n  " : "");
      carom_script_source(&it->script, beyond);
      fprintf(out, " using 1:2 with lines lw 1.5 dt 3 lc rgb '#888888' title 'virtual'");
    }
    carom_plot_add_overlay(it);
    carom_plot_marks_key(&marks, it);
    fprintf(out, "\n");
    status = carom_script_end(&it->script, error);
  }
  free(b.x);
  free(b.y);
  free(b.stable);
  free(b.branch);
  free(b.special);
  free(b.names);
  return status;
}
