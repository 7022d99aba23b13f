// SPDX-License-Identifier: MIT
/// Bifurcation diagrams: what a section sees along a parameter; and branches of solutions, stable
/// ones drawn solid, unstable ones dashed.
#include "draw/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 640, HEIGHT = 420, MOST_LABELS = 12, MOST_BRANCHES = 32 };

static double *column(const carom_store *store, const char *table, const char *name, long *count) {
  char path[400];
  (void)snprintf(path, sizeof path, "/%.120s/%.250s", table, name);
  return carom_store_array(store, path, count, NULL);
}

static void span_x(carom_plot_job *it) {
  FILE *out = it->script.commands;
  if (isnan(it->options->from) && isnan(it->options->until)) return;
  fprintf(out, "set xrange [");
  if (!isnan(it->options->from)) fprintf(out, "%.12g", it->options->from);
  fprintf(out, ":");
  if (!isnan(it->options->until)) fprintf(out, "%.12g", it->options->until);
  fprintf(out, "]\n");
}

// ---- bifurcation diagrams ----

static int put_direction(carom_script *script, const double *x, const double *y,
                         const double *direction, long count, bool up) {
  int block = -1;
  for (long k = 0; k < count; k++) {
    if ((direction[k] >= 0.0) != up || isnan(y[k])) continue;
    if (block < 0) block = carom_script_block(script);
    carom_script_number(script, x[k]);
    carom_script_number(script, y[k]);
    carom_script_row(script);
  }
  return block;
}

// a line at every change of the motion; those that are not too near the one before say what it
// changes to
static void put_changes(carom_plot_job *it, const char *parameter, double span) {
  long count = 0, afters = 0;
  double last = -INFINITY;
  FILE *out = it->script.commands;
  double *at = column(it->store, "changes", parameter, &count);
  char **after = carom_store_texts(it->store, "/changes/after", &afters);
  for (long k = 0; at && after && k < count && k < afters && k < MOST_LABELS; k++) {
    fprintf(out,
            "set arrow from first %.12g, graph 0 to first %.12g, graph 1 nohead lw 0.8 dt 3 lc rgb "
            "'#777777'\n",
            at[k], at[k]);
    if (fabs(at[k] - last) < 0.02 * span) continue;
    last = at[k];
    char text[200];
    (void)snprintf(text, sizeof text, "%.5g  %.28s", at[k], after[k]);
    fprintf(out, "set label %ld ", k + 1);
    carom_script_text(&it->script, text);
    fprintf(out,
            " at first %.12g, graph 0.99 right rotate by 90 offset 0.6,0 font ',8' textcolor "
            "rgb '#555555' noenhanced\n",
            at[k]);
  }
  free(at);
  free(after);
}

static void put_diagram(carom_plot_job *it, const char *parameter, const char *observable,
                        const int blocks[2], double span) {
  static const char *const LOOKS[2] = {"pt 7 ps 0.36 lc rgb '#12407a' title 'upwards'",
                                       "pt 6 ps 0.5 lw 0.8 lc rgb '#d55e00' title 'downwards'"};
  FILE *out = it->script.commands;
  carom_script_label(&it->script, "title", it->title);
  carom_plot_axis(it, "xlabel", parameter);
  carom_plot_axis(it, "ylabel", observable);
  span_x(it);
  put_changes(it, parameter, span);
  fprintf(out, "set key below height 0.8\nplot ");
  bool begun = false;
  for (int k = 0; k < 2; k++) {
    if (blocks[k] < 0) continue;
    fprintf(out, begun ? ", \\\n  " : "");
    carom_script_source(&it->script, blocks[k]);
    fprintf(out, " using 1:2 with points %s", LOOKS[k]);
    begun = true;
  }
  carom_plot_add_overlay(it);
  fprintf(out, "\n");
}

carom_status carom_plot_bifurcation(carom_plot_job *it, carom_error *error) {
  int name_count;
  char **names = carom_store_list(it->store, "/points", &name_count);
  long count = 0, other = 0, third = 0;
  double *x = NULL, *y = NULL, *direction = NULL;
  carom_status status = CAROM_OK;
  // parameter, direction, crossing, observable
  if (names && name_count > 3) {
    x = column(it->store, "points", names[0], &count);
    direction = column(it->store, "points", "direction", &other);
    y = column(it->store, "points", names[3], &third);
  }
  if (!x || !y || !direction || count != other || count != third || count == 0)
    status = carom_draw_fail(error, CAROM_ERR_INPUT, "the file holds no bifurcation diagram");
  if (status == CAROM_OK) status = carom_plot_begin(it, WIDTH, HEIGHT, error);
  if (status == CAROM_OK) {
    const int blocks[2] = {put_direction(&it->script, x, y, direction, count, true),
                           put_direction(&it->script, x, y, direction, count, false)};
    put_diagram(it, names[0], names[3], blocks, fabs(x[count - 1] - x[0]));
    status = carom_script_end(&it->script, error);
  }
  free(x);
  free(y);
  free(direction);
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

// the largest value of a turn tells more of a branch than the state at its section
static const char *usual_ordinate(const carom_store *store, const branches *it) {
  for (int k = 0; k < it->name_count; k++) {
    if (strncmp(it->names[k], "top of ", 7) != 0) continue;
    long count;
    double *values = column(store, it->table, it->names[k], &count);
    bool known = values && count > 0 && !isnan(values[0]);
    free(values);
    if (known) return it->names[k];
  }
  return number_column(store, it, 1);
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
  it->x = column(store, it->table, x, &it->count);
  it->y = column(store, it->table, y, &length);
  if (!it->x || !same_length(&it->y, length, it->count) || it->count == 0)
    return carom_draw_fail(error, CAROM_ERR_INPUT, "the table %s has no columns '%s' and '%s'",
                           it->table, x, y);
  it->stable = column(store, it->table, "stable", &length);
  if (!it->stable) {
    // or how many multipliers are unstable: none
    it->stable = column(store, it->table, "unstable", &length);
    for (long k = 0; it->stable && k < length; k++)
      it->stable[k] = it->stable[k] == 0.0;
  }
  (void)same_length(&it->stable, length, it->count);
  it->branch = column(store, it->table, "branch", &length);
  (void)same_length(&it->branch, length, it->count);
  return CAROM_OK;
}

// lines are broken where stability or branch changes; a stretch takes the next point with it
static int put_stretches(carom_script *script, const branches *it, bool stable) {
  int block = -1;
  bool open = false, blank = true; // two blank lines would begin another block
  for (long k = 0; k < it->count; k++) {
    bool mine = !it->stable || (it->stable[k] != 0.0) == stable;
    bool parted = k > 0 && it->branch && it->branch[k] != it->branch[k - 1];
    if (block >= 0 && parted && !blank) {
      fprintf(script->data, "\n");
      blank = true;
    }
    if (parted) open = false;
    if (!mine && !open) continue;
    if (block < 0) block = carom_script_block(script);
    carom_script_number(script, it->x[k]);
    carom_script_number(script, it->y[k]);
    carom_script_row(script);
    if (!mine) fprintf(script->data, "\n");
    blank = !mine;
    open = mine;
  }
  return block;
}

// texts of the table that mark a point: fold, period doubling, grazing
static void put_special(carom_plot_job *it, const branches *b) {
  static const char *const COLUMNS[] = {"event", "bifurcation", "kind", "special", "label"};
  FILE *out = it->script.commands;
  int label = 1;
  for (size_t c = 0; c < sizeof COLUMNS / sizeof *COLUMNS; c++) {
    char path[200];
    long count;
    (void)snprintf(path, sizeof path, "/%s/%s", b->table, COLUMNS[c]);
    char **texts = carom_store_texts(it->store, path, &count);
    for (long k = 0; texts && k < count && k < b->count && label <= MOST_LABELS; k++) {
      if (!texts[k][0] || strcmp(texts[k], "start") == 0 || strcmp(texts[k], "end") == 0) continue;
      fprintf(out, "set label %d ", label++);
      carom_script_text(&it->script, texts[k]);
      fprintf(out,
              " at first %.12g, first %.12g point pt 5 ps 0.7 lc rgb '#b00020' offset 0.6,0.6 "
              "font ',9' noenhanced\n",
              b->x[k], b->y[k]);
    }
    free(texts);
  }
}

carom_status carom_plot_branch(carom_plot_job *it, carom_error *error) {
  branches b;
  carom_status status = read_branches(it, &b, error);
  if (status == CAROM_OK) status = carom_plot_begin(it, WIDTH, HEIGHT, error);
  if (status == CAROM_OK) {
    FILE *out = it->script.commands;
    int stable = put_stretches(&it->script, &b, true);
    int unstable = b.stable ? put_stretches(&it->script, &b, false) : -1;
    carom_script_label(&it->script, "title", it->title);
    carom_plot_axis(it, "xlabel", b.x_name);
    carom_plot_axis(it, "ylabel", b.y_name);
    span_x(it);
    put_special(it, &b);
    fprintf(out, "set key below height 0.8\nplot ");
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
    carom_plot_add_overlay(it);
    fprintf(out, "\n");
    status = carom_script_end(&it->script, error);
  }
  free(b.x);
  free(b.y);
  free(b.stable);
  free(b.branch);
  free(b.names);
  return status;
}
