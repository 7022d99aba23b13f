// SPDX-License-Identifier: MIT
/// Pictures of sweeps, exponents, periodic motions, regime charts and basins.
#include "base/error.h"
#include "draw/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 600, PANEL = 150, MAP_HEIGHT = 440, MOST_COLUMNS = 64, MOST_CURVES = 4 };
enum { MOST_REGIONS = 11, REGION_NAME = 64, KEY_LINE = 16 };

/// The rows of a table, of the columns that are numbers.
typedef struct rows {
  char **names;
  int name_count, column_count;
  long count;
  double *columns[MOST_COLUMNS];
  double *errors[MOST_COLUMNS]; // standard errors of means over seeds; NULL: single runs
  const char *column_names[MOST_COLUMNS];
  int across; // the column that curves are drawn over
} rows;

static carom_status read_rows(const carom_store *store, const char *table, rows *it,
                              carom_error *error) {
  *it = (rows){.across = 1};
  char path[400];
  (void)snprintf(path, sizeof path, "/%s", table);
  it->names = carom_store_list(store, path, &it->name_count);
  for (int k = 0; k < it->name_count && it->column_count < MOST_COLUMNS; k++) {
    long count;
    (void)snprintf(path, sizeof path, "/%s/%.300s", table, it->names[k]);
    double *values = carom_store_array(store, path, &count, NULL);
    if (!values) continue;
    if (it->column_count > 0 && count != it->count) {
      free(values);
      continue;
    }
    it->count = count;
    it->column_names[it->column_count] = it->names[k];
    it->columns[it->column_count++] = values;
  }
  if (it->column_count > 0 && it->count > 0) return CAROM_OK;
  return carom_draw_fail(error, CAROM_ERR_INPUT, "the file holds no rows of a table '%s'", table);
}

static void free_rows(rows *it) {
  for (int k = 0; k < it->column_count; k++) {
    free(it->columns[k]);
    free(it->errors[k]);
  }
  free(it->names);
}

static int find_column(const rows *it, const char *name) {
  for (int k = 0; k < it->column_count; k++)
    if (strcmp(it->column_names[k], name) == 0) return k;
  return -1;
}

// ---- the axes of a grid ----

// the first axis moves on only after the second has run through: how long that takes; 0: no grid
static long second_axis(const rows *it) {
  if (it->column_count < 3) return 0;
  const double *first = it->columns[1], *second = it->columns[2];
  long length = 1;
  while (length < it->count && first[length] == first[0])
    length++;
  if (length < 2 || length == it->count || it->count % length != 0) return 0;
  for (long k = length; k < it->count; k++)
    if (second[k] != second[k - length]) return 0;
  return length;
}

// Columns that say how a run went, not what it measured. Where an observable has such a name, the
// other column has a _ behind it.
static bool is_measured(const rows *table, const char *name) {
  static const char *const OTHERS[] = {"index",    "status", "passed",
                                       "residual", "events", "impacts"};
  for (size_t k = 0; k < sizeof OTHERS / sizeof *OTHERS; k++) {
    size_t length = strlen(OTHERS[k]);
    char longer[16];
    (void)snprintf(longer, sizeof longer, "%s_", OTHERS[k]);
    if (strcmp(name, longer) == 0) return false;
    if (strncmp(name, OTHERS[k], length) == 0 && !name[length])
      return find_column(table, longer) >= 0;
  }
  return true;
}

// ---- runs that differ by their seed ----

static void average_rows(double *values, double *errors, long count, long length) {
  for (long k = 0; k < count; k++) {
    double sum = 0.0, squares = 0.0;
    for (long j = 0; j < length; j++)
      sum += values[k * length + j];
    double mean = sum / (double)length;
    for (long j = 0; j < length; j++)
      squares += (values[k * length + j] - mean) * (values[k * length + j] - mean);
    values[k] = mean;
    errors[k] = sqrt(squares / (double)(length - 1) / (double)length);
  }
}

// where the second axis is the seed: means over it and their standard errors
static bool average_seeds(rows *it, long length) {
  if (length < 2 || strcmp(it->column_names[2], "seed") != 0) return false;
  long count = it->count / length;
  for (int c = 1; c < it->column_count; c++) {
    it->errors[c] = calloc((size_t)count, sizeof *it->errors[c]);
    if (!it->errors[c]) return false;
  }
  for (int c = 1; c < it->column_count; c++)
    average_rows(it->columns[c], it->errors[c], count, length);
  it->count = count;
  return true;
}

// ---- curves ----

/// Curves of one panel.
typedef struct panel {
  int count, columns[MOST_CURVES];
  bool marked; // with a line at `level`
  double level;
} panel;

static panel one_curve(int column) { return (panel){.count = 1, .columns = {column}}; }

/// Chooses panels of a table that has this many axes; returns how many.
typedef int panel_choice(const rows *table, int axes, panel panels[MOST_CURVES]);

// a column by its name, or -1 with a hint in `error`
static int ask_column(const rows *table, const char *name, carom_error *error) {
  int column = find_column(table, name);
  if (column >= 0) return column;
  char hint[600];
  carom_name_hint(hint, sizeof hint, name, table->column_names, table->column_count);
  (void)carom_draw_fail(error, CAROM_ERR_INPUT, "the table has no column '%s'%s", name, hint);
  return -1;
}

// "a+b": two curves in one panel
static bool read_panel(const rows *table, const char *names, panel *to, carom_error *error) {
  *to = (panel){0};
  while (*names && to->count < MOST_CURVES) {
    char name[200];
    size_t length = strcspn(names, "+");
    (void)snprintf(name, sizeof name, "%.*s", (int)(length < 199 ? length : 199), names);
    int column = ask_column(table, name, error);
    if (column < 0) return false;
    to->columns[to->count++] = column;
    names += length + (names[length] == '+');
  }
  return to->count > 0;
}

static int choose_observables(const rows *table, int axes, panel panels[MOST_CURVES]) {
  int count = 0;
  for (int k = 1 + axes; k < table->column_count && count < MOST_CURVES; k++)
    if (is_measured(table, table->column_names[k])) panels[count++] = one_curve(k);
  return count;
}

static int choose_panels(const carom_plot_job *it, const rows *table, int axes, panel_choice usual,
                         panel panels[MOST_CURVES], carom_error *error) {
  int count = 0;
  for (int k = 0; k < it->name_count && count < MOST_CURVES; k++)
    if (!read_panel(table, it->names[k], &panels[count++], error)) return 0;
  if (it->name_count == 0) count = usual(table, axes, panels);
  if (count == 0) (void)carom_draw_fail(error, CAROM_ERR_INPUT, "the table has nothing to draw");
  return count;
}

static void put_columns(carom_script *script, const rows *table, int axes, long gap) {
  for (long k = 0; k < table->count; k++) {
    if (axes > 1 && k > 0 && k % gap == 0) fprintf(script->data, "\n");
    for (int c = 1; c < table->column_count; c++)
      carom_script_number(script, table->columns[c][k]);
    for (int c = 1; c < table->column_count && table->errors[1]; c++)
      carom_script_number(script, table->errors[c][k]);
    carom_script_row(script);
  }
}

// the least and largest value of all curves of a panel
static void panel_range(const rows *table, const panel *p, double *low, double *high) {
  *low = INFINITY, *high = -INFINITY;
  for (int j = 0; j < p->count; j++)
    for (long k = 0; k < table->count; k++) {
      double value = table->columns[p->columns[j]][k];
      if (!isfinite(value)) continue;
      *low = fmin(*low, value);
      *high = fmax(*high, value);
    }
}

// as many digits as tell the values of a column apart
static void put_digits(carom_plot_job *it, const rows *table, const panel *p, const char *axis) {
  double low, high;
  panel_range(table, p, &low, &high);
  carom_script_digits(&it->script, axis, low, high);
}

static void put_curve(carom_plot_job *it, const rows *table, const panel *p, int k, int block) {
  static const char *const STYLES[MOST_CURVES] = {
      "pt 7 ps 0.45 lc rgb '#12407a'", "pt 5 ps 0.55 dt 2 lc rgb '#a8503f'",
      "pt 9 ps 0.6 dt 3 lc rgb '#2a8f8c'", "pt 13 ps 0.6 dt 4 lc rgb '#8d5a86'"};
  FILE *out = it->script.commands;
  int column = p->columns[k];
  if (table->errors[column]) {
    carom_script_source(&it->script, block);
    fprintf(out, " using %d:%d:%d with yerrorbars %s notitle, ", table->across, column,
            table->column_count - 1 + column, STYLES[k]);
  }
  carom_script_source(&it->script, block);
  fprintf(out, " using %d:%d with linespoints lw 1.5 %s ", table->across, column, STYLES[k]);
  if (p->count > 1) {
    fprintf(out, "title ");
    carom_script_text(&it->script, table->column_names[column]);
    fprintf(out, " noenhanced");
  } else {
    fprintf(out, "%s", it->overlay >= 0 ? "title 'Carom'" : "notitle");
  }
}

// all panels are as wide: room at the left for the longest number and a name, at the right for
// the longest name of a legend
static void put_margins(carom_plot_job *it, const rows *table, int count, const panel *panels) {
  const double letter = 8.0, wide = 8.5, name = 44.0, sample = 52.0;
  int letters = 6;
  size_t longest = 0;
  for (int k = 0; k < count; k++) {
    double low, high;
    panel_range(table, &panels[k], &low, &high);
    int mine = carom_script_tic_letters(low, high, 6);
    letters = mine > letters ? mine : letters;
    for (int j = 0; j < panels[k].count && panels[k].count > 1; j++) {
      size_t length = strlen(table->column_names[panels[k].columns[j]]);
      longest = length > longest ? length : longest;
    }
  }
  double legend = longest > 0 ? fmin(0.5 * WIDTH, sample + wide * (double)longest) : 0.04 * WIDTH;
  fprintf(it->script.commands, "set lmargin at screen %.4f; set rmargin at screen %.4f\n",
          (letter * letters + name) / WIDTH, 1.0 - legend / WIDTH);
}

static void put_curves(carom_plot_job *it, const rows *table, int count, const panel *panels,
                       int block) {
  FILE *out = it->script.commands;
  const panel parameter = one_curve(table->across);
  fprintf(out, "set multiplot layout %d,1\n", count);
  put_margins(it, table, count, panels);
  carom_script_label(&it->script, "title", it->title);
  put_digits(it, table, &parameter, "x");
  for (int k = 0; k < count; k++) {
    if (k == count - 1) carom_plot_axis(it, "xlabel", table->column_names[table->across]);
    const char *names[MOST_CURVES];
    for (int j = 0; j < panels[k].count; j++)
      names[j] = table->column_names[panels[k].columns[j]];
    if (panels[k].count > 1)
      carom_plot_shared_axis(it, "ylabel", panels[k].count, names);
    else
      carom_plot_axis(it, "ylabel", names[0]);
    fprintf(out, "set autoscale y\n");
    put_digits(it, table, &panels[k], "y");
    // beside the curves, not over them
    if (panels[k].count > 1)
      fprintf(out, "set key at graph 1.02, graph 1 left top Left reverse samplen 2\n");
    fprintf(out, "plot ");
    for (int j = 0; j < panels[k].count; j++) {
      if (j > 0) fprintf(out, ", ");
      put_curve(it, table, &panels[k], j, block);
    }
    if (panels[k].marked)
      fprintf(out, ", %g with lines dt 3 lc rgb '#999999' notitle", panels[k].level);
    if (k == 0) carom_plot_add_overlay(it);
    fprintf(out, "\nunset title\n");
  }
  fprintf(out, "unset multiplot\n");
}

// ---- cells of charts over two axes ----

/// The values of an axis that differ, in order; of a logarithmic one their logarithms.
typedef struct ticks {
  double *at;
  long count;
  bool log;
} ticks;

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static ticks find_ticks(const double *values, long count, bool log_scale) {
  ticks it = {malloc((size_t)(count + 1) * sizeof *it.at), 0, log_scale};
  if (!it.at || count == 0) return it;
  for (long k = 0; k < count; k++)
    it.at[k] = log_scale ? log(values[k]) : values[k];
  qsort(it.at, (size_t)count, sizeof *it.at, by_value);
  double span = it.at[count - 1] - it.at[0];
  for (long k = 0; k < count; k++)
    if (k == 0 || it.at[k] - it.at[it.count - 1] > 1e-9 * span) it.at[it.count++] = it.at[k];
  return it;
}

// From half way to the value before to half way to the next, as far on the other side at the ends;
// and a hair, so that no seam shows between cells.
static void put_cell(carom_script *script, const ticks *axis, double value) {
  if (axis->log) value = log(value);
  // the last that is not above it, but for rounding
  double slack = 1e-9 * (axis->at[axis->count - 1] - axis->at[0]);
  long low = 0, high = axis->count - 1;
  while (low < high) {
    long middle = (low + high + 1) / 2;
    if (axis->at[middle] <= value + slack)
      low = middle;
    else
      high = middle - 1;
  }
  double down = low > 0 ? 0.5 * (axis->at[low] - axis->at[low - 1]) : NAN;
  double up = low + 1 < axis->count ? 0.5 * (axis->at[low + 1] - axis->at[low]) : down;
  if (low == 0) down = up;
  if (axis->count < 2) down = up = 0.5;
  double hair = fmin(0.05 * fmin(down, up), 5e-4 * (axis->at[axis->count - 1] - axis->at[0]));
  double sides[2] = {value - down - hair, value + up + hair};
  for (int k = 0; k < 2; k++)
    carom_script_number(script, axis->log ? exp(sides[k]) : sides[k]);
}

// one row a point: both values, both sides along either axis, what is drawn; false: out of memory
static bool put_cells(carom_plot_job *it, const rows *table, int column) {
  carom_script *script = &it->script;
  const double *x = table->columns[1], *y = table->columns[2];
  ticks along = find_ticks(x, table->count, it->options->log_x);
  ticks up = find_ticks(y, table->count, it->options->log_y);
  bool good = along.at && up.at;
  for (long k = 0; good && k < table->count; k++) {
    if (!isfinite(table->columns[column][k])) continue;
    carom_script_number(script, x[k]);
    carom_script_number(script, y[k]);
    put_cell(script, &along, x[k]);
    put_cell(script, &up, y[k]);
    carom_script_number(script, table->columns[column][k]);
    carom_script_row(script);
  }
  free(along.at);
  free(up.at);
  return good;
}

static void put_surface(carom_plot_job *it, const rows *table, int column, int block) {
  FILE *out = it->script.commands;
  carom_script_label(&it->script, "title", it->title);
  carom_plot_axis(it, "xlabel", table->column_names[1]);
  carom_plot_axis(it, "ylabel", table->column_names[2]);
  carom_plot_axis(it, "cblabel", table->column_names[column]);
  // from dark to light: the order is kept in grey
  static const char *const axes[] = {"x", "y", "cb"};
  const int columns[] = {1, 2, column};
  for (int k = 0; k < 3; k++) {
    panel one = one_curve(columns[k]);
    put_digits(it, table, &one, axes[k]);
  }
  fprintf(out, "set lmargin at screen 0.15\nset rmargin at screen 0.82\nset palette defined (0 "
               "'#20124d', 1 '#3b4f9e', 2 '#2a8f8c', 3 '#7cc45c', 4 "
               "'#fbe723')\nunset key\nunset grid\nset autoscale fix\nset border 15\nplot ");
  carom_script_source(&it->script, block);
  fprintf(out, " using 1:2:3:4:5:6:7 with boxxyerror fs solid 1.0 noborder lc palette\n");
}

// what curves are drawn over, where another column than the axis is asked for
static carom_status choose_across(const carom_plot_job *it, rows *table, int axes,
                                  carom_error *error) {
  const char *name = it->options->over;
  if (!name) return CAROM_OK;
  if (axes > 1)
    return carom_draw_fail(error, CAROM_ERR_INPUT,
                           "runs over two axes are drawn as colours; --over is for curves");
  int column = ask_column(table, name, error);
  if (column < 0) return CAROM_ERR_INPUT;
  table->across = column;
  return CAROM_OK;
}

// curves over the one axis of a table, or colours over two
static carom_status draw_rows(carom_plot_job *it, rows *table, panel_choice usual,
                              carom_error *error) {
  panel panels[MOST_CURVES];
  long length = second_axis(table);
  bool seeds = average_seeds(table, length);
  int axes = length > 0 ? 2 : 1, count = choose_panels(it, table, axes, usual, panels, error);
  if (seeds) axes = 1;
  if (count == 0) return CAROM_ERR_INPUT;
  carom_status status = choose_across(it, table, axes, error);
  if (status == CAROM_OK)
    status = carom_plot_begin(it, WIDTH, axes > 1 ? MAP_HEIGHT : 90 + PANEL * (count + 1), error);
  if (status != CAROM_OK) return status;
  int block = carom_script_block(&it->script);
  put_columns(&it->script, table, axes, length);
  if (axes > 1) {
    block = carom_script_block(&it->script);
    if (!put_cells(it, table, panels[0].columns[0]))
      return carom_draw_fail(error, CAROM_ERR_MEMORY, "out of memory");
    put_surface(it, table, panels[0].columns[0], block);
  } else
    put_curves(it, table, count, panels, block);
  return carom_script_end(&it->script, error);
}

carom_status carom_plot_sweep(carom_plot_job *it, carom_error *error) {
  rows table;
  carom_status status = read_rows(it->store, "points", &table, error);
  if (status == CAROM_OK) status = draw_rows(it, &table, choose_observables, error);
  free_rows(&table);
  return status;
}

// ---- exponents and periodic motions ----

static bool has_numbers(const rows *table, int column) {
  for (long k = 0; k < table->count; k++)
    if (isfinite(table->columns[column][k])) return true;
  return false;
}

// all exponents in one panel, those of extinguished directions aside
static int choose_exponents(const rows *table, int axes, panel panels[MOST_CURVES]) {
  panel *all = &panels[0];
  *all = (panel){.marked = true};
  (void)axes;
  for (int k = 0; k < table->column_count && all->count < MOST_CURVES; k++)
    if (strncmp(table->column_names[k], "exponent ", 9) == 0 && has_numbers(table, k))
      all->columns[all->count++] = k;
  return all->count > 0;
}

// a table without an index in its first column gets an empty one
static void add_index(rows *it) {
  if (it->column_count == MOST_COLUMNS) free(it->columns[--it->column_count]);
  memmove(it->columns + 1, it->columns, (size_t)it->column_count * sizeof *it->columns);
  memmove(it->column_names + 1, it->column_names,
          (size_t)it->column_count++ * sizeof *it->column_names);
  it->columns[0] = NULL;
  it->column_names[0] = "";
}

// of a single point how the averages settled, else the exponents over the axes
carom_status carom_plot_exponents(carom_plot_job *it, carom_error *error) {
  rows table;
  carom_status status = read_rows(it->store, "course", &table, NULL);
  if (status == CAROM_OK) {
    add_index(&table);
  } else {
    free_rows(&table);
    status = read_rows(it->store, "exponents", &table, error);
  }
  if (status == CAROM_OK) status = draw_rows(it, &table, choose_exponents, error);
  free_rows(&table);
  return status;
}

// shares of attractors in one panel, the uncertainty exponent below
static int choose_shares(const rows *table, int axes, panel panels[MOST_CURVES]) {
  int exponent = find_column(table, "uncertainty exponent");
  (void)axes;
  panels[0] = (panel){0};
  for (int k = 0; k < table->column_count && panels[0].count < MOST_CURVES; k++)
    if (strncmp(table->column_names[k], "share ", 6) == 0) panels[0].columns[panels[0].count++] = k;
  if (exponent >= 0 && has_numbers(table, exponent)) panels[1] = one_curve(exponent);
  return exponent >= 0 && has_numbers(table, exponent) ? 2 : 1;
}

carom_status carom_plot_course(carom_plot_job *it, carom_error *error) {
  rows table;
  carom_status status = read_rows(it->store, "course", &table, error);
  if (status == CAROM_OK) status = draw_rows(it, &table, choose_shares, error);
  free_rows(&table);
  return status;
}

static const char LARGEST[] = "largest multiplier";

// its size is told apart from 1; and the period
static int choose_multiplier(const rows *table, int axes, panel panels[MOST_CURVES]) {
  int count = 0, largest = find_column(table, LARGEST), period = find_column(table, "period");
  (void)axes;
  if (largest >= 0) {
    panels[count] = one_curve(largest);
    panels[count].marked = true;
    panels[count++].level = 1.0;
  }
  if (period >= 0) panels[count++] = one_curve(period);
  return count;
}

// the real part of the first multiplier becomes its modulus
static void take_modulus(rows *it) {
  int re = find_column(it, "re 1"), im = find_column(it, "im 1");
  if (re < 0 || im < 0) return;
  for (long k = 0; k < it->count; k++)
    it->columns[re][k] = hypot(it->columns[re][k], it->columns[im][k]);
  it->column_names[re] = LARGEST;
}

// one turn in the plane of two states: of a quantity and its rate, or of two that are named
static carom_status draw_turn(carom_plot_job *it, const rows *turn, carom_error *error) {
  if (turn->column_count < 4)
    return carom_draw_fail(error, CAROM_ERR_INPUT, "a turn is drawn in the plane of two states");
  panel x = one_curve(2), y = one_curve(3);
  char rate[CAROM_PLOT_NAME + 2];
  (void)snprintf(rate, sizeof rate, "%.120s'", turn->column_names[2]);
  if (find_column(turn, rate) >= 0) y = one_curve(find_column(turn, rate));
  if (it->name_count > 0 && !read_panel(turn, it->names[0], &x, error)) return CAROM_ERR_INPUT;
  if (it->name_count > 1 && !read_panel(turn, it->names[1], &y, error)) return CAROM_ERR_INPUT;
  carom_status status = carom_plot_begin(it, WIDTH, MAP_HEIGHT, error);
  if (status != CAROM_OK) return status;
  FILE *out = it->script.commands;
  int block = carom_script_block(&it->script);
  put_columns(&it->script, turn, 1, 0);
  carom_script_label(&it->script, "title", it->title);
  carom_plot_axis(it, "xlabel", turn->column_names[x.columns[0]]);
  carom_plot_axis(it, "ylabel", turn->column_names[y.columns[0]]);
  put_digits(it, turn, &x, "x");
  put_digits(it, turn, &y, "y");
  fprintf(out, "set offsets graph 0.05, graph 0.05, graph 0.05, graph 0.05\nplot ");
  carom_script_source(&it->script, block);
  fprintf(out, " using %d:%d with lines lw 1.6 lc rgb '#12407a' notitle, \\\n  ", x.columns[0],
          y.columns[0]);
  carom_script_source(&it->script, block);
  fprintf(out, " every ::0::0 using %d:%d with points pt 7 ps 0.6 lc rgb '#444444' notitle",
          x.columns[0], y.columns[0]);
  carom_plot_add_overlay(it);
  fprintf(out, "\n");
  return carom_script_end(&it->script, error);
}

// of a single motion its turn, else multipliers and periods over the axes
carom_status carom_plot_orbits(carom_plot_job *it, carom_error *error) {
  rows table;
  carom_status status = read_rows(it->store, "turn", &table, NULL);
  if (status == CAROM_OK) {
    add_index(&table);
    status = draw_turn(it, &table, error);
  } else {
    free_rows(&table);
    status = read_rows(it->store, "orbits", &table, error);
    if (status == CAROM_OK && it->name_count == 0) take_modulus(&table);
    if (status == CAROM_OK) status = draw_rows(it, &table, choose_multiplier, error);
  }
  free_rows(&table);
  return status;
}

// ---- regions in the plane ----

/// Points of the plane that belong to named regions.
typedef struct chart {
  long count;
  const double *x, *y;
  int *region; // of each point the kind of motion, then the number of its region; -1: none
  char (*kinds)[REGION_NAME];
  int kind_count, kind_room;
  char names[MOST_REGIONS + 1][REGION_NAME]; // the last: others
  long sizes[MOST_REGIONS + 1];
  const char *x_name, *y_name;
} chart;

static void free_chart(chart *it) {
  free(it->region);
  free(it->kinds);
}

// Bounces that pile up are one motion, however many there are: three "F I" in a row and more are
// written (F I)...
static void shorten_word(const char *word, char text[REGION_NAME]) {
  const char bounce[] = "F I";
  size_t length = sizeof bounce - 1, at = 0;
  while (*word && at + 16 < REGION_NAME) {
    const char *next = word;
    int count = 0;
    for (; strncmp(next, bounce, length) == 0; count++)
      next += length + (next[length] == ' ');
    if (count > 2) {
      at += (size_t)snprintf(text + at, REGION_NAME - at, "(F I)...%s", *next ? " " : "");
      word = next;
    } else {
      text[at++] = *word++;
    }
  }
  text[at] = '\0';
}

// the number of a kind of motion by its name, a new one where it was not met before; -1: no memory
static int kind_of(chart *it, const char *name) {
  for (int k = 0; k < it->kind_count; k++)
    if (strcmp(it->kinds[k], name) == 0) return k;
  if (it->kind_count == it->kind_room) {
    int room = it->kind_room > 0 ? 2 * it->kind_room : 64;
    char(*grown)[REGION_NAME] = realloc(it->kinds, (size_t)room * sizeof *grown);
    if (!grown) return -1;
    it->kinds = grown;
    it->kind_room = room;
  }
  (void)snprintf(it->kinds[it->kind_count], REGION_NAME, "%s", name);
  return it->kind_count++;
}

// by name, 10 after 9: charts that have the same kinds of motion have the same colours
static bool comes_before(const char *a, const char *b) {
  size_t one = strlen(a), other = strlen(b);
  return one != other ? one < other : strcmp(a, b) < 0;
}

// the kinds with most points get a region each, in the order of their names; the others share one
static void choose_regions(chart *it, const long *sizes, bool *kept, int *region) {
  for (int k = 0; k < it->kind_count; k++) {
    int larger = 0;
    for (int j = 0; j < it->kind_count; j++)
      larger += sizes[j] > sizes[k] || (j < k && sizes[j] == sizes[k]);
    kept[k] = larger < MOST_REGIONS;
  }
  for (int k = 0; k < it->kind_count; k++) {
    int before = 0;
    for (int j = 0; j < it->kind_count; j++)
      before += kept[j] && comes_before(it->kinds[j], it->kinds[k]);
    region[k] = kept[k] ? before : MOST_REGIONS;
    (void)snprintf(it->names[region[k]], REGION_NAME, "%s", kept[k] ? it->kinds[k] : "others");
    it->sizes[region[k]] += sizes[k];
  }
}

static bool rank_regions(chart *it) {
  size_t room = (size_t)it->kind_count + 1;
  long *sizes = calloc(room, sizeof *sizes);
  int *region = calloc(room, sizeof *region);
  bool *kept = calloc(room, sizeof *kept), good = sizes && region && kept;
  for (long k = 0; good && k < it->count; k++)
    if (it->region[k] >= 0) sizes[it->region[k]]++;
  if (good) choose_regions(it, sizes, kept, region);
  for (long k = 0; good && k < it->count; k++)
    if (it->region[k] >= 0) it->region[k] = region[it->region[k]];
  free(sizes);
  free(region);
  free(kept);
  return good;
}

static void put_chart(carom_plot_job *it, chart *c, const int *blocks) {
  FILE *out = it->script.commands;
  carom_script_label(&it->script, "title", it->title);
  carom_plot_axis(it, "xlabel", c->x_name);
  carom_plot_axis(it, "ylabel", c->y_name);
  fprintf(out, "set key below left vertical maxcols 2 Left reverse samplen 1.5 noenhanced\n"
               "unset grid\nset autoscale fix\nset border 15\nset format '%%g'\nplot ");
  bool begun = false;
  for (int k = 0; k <= MOST_REGIONS; k++) {
    if (blocks[k] < 0) continue;
    fprintf(out, begun ? ", \\\n  " : "");
    carom_script_source(&it->script, blocks[k]);
    fprintf(out, " using 1:2:3:4:5:6 with boxxyerror %s title ", carom_script_region(k));
    char title[REGION_NAME + 40];
    (void)snprintf(title, sizeof title, "%s (%.3g %%)", c->names[k],
                   100.0 * (double)c->sizes[k] / (double)c->count);
    carom_script_text(&it->script, title);
    begun = true;
  }
  carom_plot_add_branches(it);
  carom_plot_add_overlay(it);
  fprintf(out, "\n");
}

static carom_status draw_chart(carom_plot_job *it, chart *c, carom_error *error) {
  int blocks[MOST_REGIONS + 1], shown = 0;
  if (!rank_regions(c)) return carom_draw_fail(error, CAROM_ERR_MEMORY, "out of memory");
  for (int k = 0; k <= MOST_REGIONS; k++)
    shown += c->sizes[k] > 0;
  carom_status status = carom_plot_begin(it, WIDTH, MAP_HEIGHT + KEY_LINE * (shown + 1) / 2, error);
  if (status != CAROM_OK) return status;
  ticks along = find_ticks(c->x, c->count, it->options->log_x);
  ticks up = find_ticks(c->y, c->count, it->options->log_y);
  if (!along.at || !up.at) {
    free(along.at);
    free(up.at);
    return carom_draw_fail(error, CAROM_ERR_MEMORY, "out of memory");
  }
  for (int region = 0; region <= MOST_REGIONS; region++) {
    blocks[region] = c->sizes[region] > 0 ? carom_script_block(&it->script) : -1;
    for (long k = 0; k < c->count; k++) {
      if (c->region[k] != region) continue;
      carom_script_number(&it->script, c->x[k]);
      carom_script_number(&it->script, c->y[k]);
      put_cell(&it->script, &along, c->x[k]);
      put_cell(&it->script, &up, c->y[k]);
      carom_script_row(&it->script);
    }
  }
  free(along.at);
  free(up.at);
  put_chart(it, c, blocks);
  return carom_script_end(&it->script, error);
}

carom_status carom_plot_map(carom_plot_job *it, carom_error *error) {
  rows table;
  long regimes = 0, words = 0;
  carom_status status = read_rows(it->store, "points", &table, error);
  char **regime = carom_store_texts(it->store, "/points/regime", &regimes);
  char **word = carom_store_texts(it->store, "/points/word", &words);
  chart c = {.count = table.count, .region = calloc((size_t)table.count + 1, sizeof(int))};
  if (status == CAROM_OK && !c.region)
    status = carom_draw_fail(error, CAROM_ERR_MEMORY, "out of memory");
  if (status == CAROM_OK && (table.column_count < 3 || regimes != c.count || words != c.count))
    status = carom_draw_fail(error, CAROM_ERR_INPUT, "the table has no two axes with regimes");
  if (status == CAROM_OK) {
    c.x = table.columns[1], c.y = table.columns[2];
    c.x_name = table.column_names[1], c.y_name = table.column_names[2];
    int status_column = find_column(&table, "status");
    for (long k = 0; k < c.count; k++) {
      char name[REGION_NAME];
      bool failed = status_column >= 0 && table.columns[status_column][k] < 0.0;
      shorten_word(failed         ? "(failed)"
                   : regime[k][0] ? regime[k]
                   : word[k][0]   ? word[k]
                                  : "(no cycle)",
                   name);
      c.region[k] = kind_of(&c, name);
    }
    status = draw_chart(it, &c, error);
  }
  free_chart(&c);
  free(regime);
  free(word);
  free_rows(&table);
  return status;
}

// "x = 1, y = 2": what was observed of an attractor that has neither regime nor word
static void name_by_values(const rows *attractors, int k, char name[REGION_NAME]) {
  size_t used = 0;
  // after attractor, points, fraction, low, high and mirror
  for (int c = find_column(attractors, "mirror") + 1; c < attractors->column_count; c++) {
    int wrote = snprintf(name + used, REGION_NAME - used, "%s%.24s = %.3g", used ? ", " : "",
                         attractors->column_names[c], attractors->columns[c][k]);
    used += wrote > 0 ? (size_t)wrote : 0;
    if (used + 1 >= REGION_NAME) break;
  }
  if (used == 0) (void)snprintf(name, REGION_NAME, "(no cycle)");
}

// "1  regime", or the word where the attractor has no regime
static void name_attractors(const carom_store *store, chart *c) {
  long regimes = 0, words = 0;
  rows numbers;
  carom_error unread = {0};
  char **regime = carom_store_texts(store, "/attractors/regime", &regimes);
  char **word = carom_store_texts(store, "/attractors/word", &words);
  bool known = read_rows(store, "attractors", &numbers, &unread) == CAROM_OK;
  for (int k = 0; k < regimes || k < words; k++) {
    char name[REGION_NAME], values[REGION_NAME] = "(no cycle)";
    if (known && k < numbers.count) name_by_values(&numbers, k, values);
    const char *text = regime && k < regimes && regime[k][0] ? regime[k]
                       : word && k < words && word[k][0]     ? word[k]
                                                             : values;
    (void)snprintf(name, sizeof name, "%d  %.50s", k + 1, text);
    (void)kind_of(c, name);
  }
  free_rows(&numbers);
  free(regime);
  free(word);
}

carom_status carom_plot_basin(carom_plot_job *it, carom_error *error) {
  rows table;
  carom_status status = read_rows(it->store, "starts", &table, error);
  int attractor = find_column(&table, "attractor");
  chart c = {.count = table.count, .region = calloc((size_t)table.count + 1, sizeof(int))};
  if (status == CAROM_OK && !c.region)
    status = carom_draw_fail(error, CAROM_ERR_MEMORY, "out of memory");
  if (status == CAROM_OK && attractor < 2)
    status = carom_draw_fail(error, CAROM_ERR_INPUT, "a picture of a basin needs two axes");
  if (status == CAROM_OK) {
    c.x = table.columns[0], c.y = table.columns[1];
    c.x_name = table.column_names[0], c.y_name = table.column_names[1];
    name_attractors(it->store, &c);
    for (long k = 0; k < c.count; k++) {
      int number = (int)table.columns[attractor][k] - 1;
      c.region[k] = number < c.kind_count ? number : -1;
    }
    status = draw_chart(it, &c, error);
  }
  free_chart(&c);
  free_rows(&table);
  return status;
}
