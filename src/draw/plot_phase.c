// SPDX-License-Identifier: MIT
/// Phase portraits drawn by contact mode; sections and return maps.
#include "draw/plot.h"
#include "draw/run_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  WIDTH = 480,
  HEIGHT = 440,
  MOST_MODES = 12,
  MOST_POINTS = 20000,
  MODE_TEXT = 160,
  LEGEND_TEXT = 36,
  FEW_CONTACTS = 2,
  KEY_LINE = 20, // pixels
  FEW = 300
};

/// The modes of all contacts together, as one kind of line.
typedef struct mode_line {
  char letters[CAROM_RUN_MOST_CONTACTS + 1];
  int block;
} mode_line;

typedef struct portrait {
  carom_plot_job *job;
  carom_run_data run;
  const char *x_name, *y_name;
  double *x, *y;
  long first, end;
  mode_line lines[MOST_MODES];
  int line_count, jumps;
} portrait;

static void letters_at(const portrait *it, long k, char *letters) {
  int count = it->run.contact_count;
  for (int c = 0; c < count; c++)
    letters[c] = carom_run_data_mode(&it->run, c, k);
  letters[count] = '\0';
}

static int find_line(portrait *it, const char *letters) {
  for (int k = 0; k < it->line_count; k++)
    if (strcmp(it->lines[k].letters, letters) == 0) return k;
  if (it->line_count == MOST_MODES) return MOST_MODES - 1;
  (void)snprintf(it->lines[it->line_count].letters, sizeof it->lines[0].letters, "%s", letters);
  return it->line_count++;
}

static bool is_impact(const carom_run_data *run, long event) {
  return strcmp(run->event_kind[event], "impact") == 0;
}

static void put_point(portrait *it, long k) {
  carom_script_number(&it->job->script, it->x[k]);
  carom_script_number(&it->job->script, it->y[k]);
  carom_script_row(&it->job->script);
}

// all stretches of one mode in one block, parted by blank lines
static void put_mode(portrait *it, int line) {
  carom_script *script = &it->job->script;
  char letters[CAROM_RUN_MOST_CONTACTS + 1];
  long stride = 1 + (it->end - it->first) / MOST_POINTS;
  bool open = false;
  it->lines[line].block = carom_script_block(script);
  for (long k = it->first; k + 1 < it->end; k += stride) {
    long next = k + stride < it->end ? k + stride : it->end - 1;
    letters_at(it, k, letters);
    bool mine = find_line(it, letters) == line;
    bool broken = it->run.t[k] == it->run.t[next]; // a jump
    if (mine && !broken) {
      if (!open) put_point(it, k);
      put_point(it, next);
    } else if (open) {
      fprintf(script->data, "\n");
    }
    open = mine && !broken;
  }
}

static int put_jumps(portrait *it) {
  carom_script *script = &it->job->script;
  const carom_run_data *run = &it->run;
  int x = carom_run_data_find(run, it->x_name), y = carom_run_data_find(run, it->y_name);
  if (x < 0 || y < 0 || x >= run->state || y >= run->state) return -1;
  int block = -1;
  for (long k = 0; k < run->events; k++) {
    if (!is_impact(run, k) || run->event_t[k] < run->t[it->first] ||
        run->event_t[k] > run->t[it->end - 1])
      continue;
    if (block < 0) block = carom_script_block(script);
    const double *sides[] = {run->before + k * run->state, run->after + k * run->state};
    for (int side = 0; side < 2; side++) {
      carom_script_number(script, sides[side][x]);
      carom_script_number(script, sides[side][y]);
      carom_script_row(script);
    }
    fprintf(script->data, "\n");
  }
  return block;
}

// of many contacts the names of those that touch, as many as a line of the legend has room for
static void touching_title(const portrait *it, const char *letters, char text[MODE_TEXT]) {
  int left = 0;
  for (int c = 0; c < it->run.contact_count; c++) {
    size_t used = strlen(text);
    if (letters[c] == 'F') continue;
    const char *mode = letters[c] == 'C' ? "" : carom_mode_text(letters[c]);
    if (used + strlen(it->run.contacts[c]) + strlen(mode) + 3 > LEGEND_TEXT)
      left++;
    else
      (void)snprintf(text + used, MODE_TEXT - used, "%s%s%s%s", used ? ", " : "",
                     it->run.contacts[c], mode[0] ? " " : "", mode);
  }
  size_t used = strlen(text);
  if (left > 0) (void)snprintf(text + used, MODE_TEXT - used, " and %d more", left);
  if (!used) (void)snprintf(text, MODE_TEXT, "flight");
}

static void mode_title(const portrait *it, const char *letters, char text[MODE_TEXT]) {
  text[0] = '\0';
  if (it->run.contact_count == 0) return;
  if (it->run.contact_count == 1) {
    (void)snprintf(text, MODE_TEXT, "%s", carom_mode_text(letters[0]));
    return;
  }
  if (it->run.contact_count > FEW_CONTACTS) {
    touching_title(it, letters, text);
    return;
  }
  for (int c = 0; c < it->run.contact_count; c++) {
    size_t used = strlen(text);
    (void)snprintf(text + used, MODE_TEXT - used, "%s%.20s %s", c ? ", " : "", it->run.contacts[c],
                   carom_mode_text(letters[c]));
  }
}

// both axes to the same scale, with the same step of tics
static void put_equal_scale(portrait *it, double span) {
  double low = INFINITY, high = -INFINITY;
  for (long k = it->first; k < it->end; k++)
    low = fmin(low, it->y[k]), high = fmax(high, it->y[k]);
  span = fmax(span, high - low);
  fprintf(it->job->script.commands, "set size ratio -1\n");
  carom_script_tics(&it->job->script, "x", 0.0, span, 5);
  carom_script_tics(&it->job->script, "y", 0.0, span, 5);
}

/// How a line is drawn.
typedef struct mode_style {
  int dash;
  const char *colour;
} mode_style;

// of a single contact flight is solid, stick dashed, slip dotted in every picture; of several
// contacts the modes are numbered as they come
static mode_style style_of(const portrait *it, int line) {
  static const struct {
    char mode;
    mode_style style;
  } OF_ONE[] = {{'F', {1, "#0072b2"}},
                {'K', {2, "#e69f00"}},
                {'+', {3, "#a0306a"}},
                {'-', {4, "#009e73"}},
                {'C', {5, "#222222"}}};
  for (size_t k = 0; it->run.contact_count == 1 && k < sizeof OF_ONE / sizeof *OF_ONE; k++)
    if (OF_ONE[k].mode == it->lines[line].letters[0]) return OF_ONE[k].style;
  return (mode_style){carom_script_dash(line), carom_script_colour(line)};
}

static void put_portrait(portrait *it) {
  carom_plot_job *job = it->job;
  FILE *out = job->script.commands;
  carom_script_label(&job->script, "title", job->title);
  carom_plot_axis(job, "xlabel", it->x_name);
  carom_plot_axis(job, "ylabel", it->y_name);
  double low = INFINITY, high = -INFINITY;
  for (long k = it->first; k < it->end; k++)
    low = fmin(low, it->x[k]), high = fmax(high, it->x[k]);
  double bottom = INFINITY, top = -INFINITY;
  for (long k = it->first; k < it->end; k++)
    bottom = fmin(bottom, it->y[k]), top = fmax(top, it->y[k]);
  carom_script_tics(&job->script, "x", low, high, 5);
  carom_script_digits(&job->script, "y", bottom, top);
  if (job->options->equal && high > low) put_equal_scale(it, high - low);
  fprintf(out,
          "set key below %s noenhanced samplen 3 height 0.8\nset offsets graph 0.03, "
          "graph 0.03, "
          "graph 0.03, graph 0.03\nplot ",
          it->run.contact_count > FEW_CONTACTS ? "vertical maxcols 1" : "horizontal");
  for (int k = 0; k < it->line_count; k++) {
    char title[MODE_TEXT];
    mode_title(it, it->lines[k].letters, title);
    fprintf(out, k ? ", \\\n  " : "");
    carom_script_source(&job->script, it->lines[k].block);
    mode_style style = style_of(it, k);
    // what stays where it is, is a point
    bool moves = high > low || top > bottom;
    fprintf(out, " using 1:2 with %s lw 1.6 dt %d lc rgb '%s' ",
            moves ? "lines" : "linespoints pt 7 ps 0.8", style.dash, style.colour);
    if (title[0]) {
      fprintf(out, "title ");
      carom_script_text(&job->script, title);
    } else {
      fprintf(out, "notitle");
    }
  }
  if (it->jumps >= 0) {
    fprintf(out, ", \\\n  ");
    carom_script_source(&job->script, it->jumps);
    fprintf(out, " using 1:2 with linespoints pt 7 ps 0.35 lw 0.8 dt 3 lc rgb '#b00020' title "
                 "'impact'");
  }
  carom_plot_add_overlay(job);
  fprintf(out, "\n");
}

// two names: those given, or the first coordinate and its rate
static carom_status choose_axes(portrait *it, carom_error *error) {
  const carom_plot_job *job = it->job;
  static const char NONE[] = "";
  it->x_name = job->name_count > 0 ? job->names[0] : it->run.name_count ? it->run.names[0] : NONE;
  it->y_name = job->name_count > 1 ? job->names[1] : NONE;
  for (int k = 0; k < it->run.name_count && it->y_name == NONE; k++) {
    size_t length = strlen(it->x_name);
    const char *name = it->run.names[k];
    if (strncmp(name, it->x_name, length) == 0 && strcmp(name + length, "'") == 0)
      it->y_name = name;
  }
  if (it->y_name == NONE)
    return carom_draw_fail(error, CAROM_ERR_INPUT,
                           "say which two quantities: --of x,y; 'carom info FILE' lists them");
  carom_status status = carom_run_data_series(&it->run, it->x_name, &it->x, error);
  if (status == CAROM_OK) status = carom_run_data_series(&it->run, it->y_name, &it->y, error);
  return status;
}

static carom_status open_portrait(portrait *it, carom_plot_job *job, carom_error *error) {
  it->job = job;
  carom_status status = carom_run_data_read(job->store, &it->run, error);
  if (status != CAROM_OK) return status;
  carom_run_data_span(&it->run, job->options->from, job->options->until, &it->first, &it->end);
  if (it->end - it->first < 2)
    return carom_draw_fail(error, CAROM_ERR_INPUT, "there are no samples in that span of time");
  return CAROM_OK;
}

static void close_portrait(portrait *it) {
  free(it->x);
  free(it->y);
  carom_run_data_free(&it->run);
}

carom_status carom_plot_phase(carom_plot_job *it, carom_error *error) {
  portrait page = {0};
  carom_status status = open_portrait(&page, it, error);
  if (status == CAROM_OK) status = choose_axes(&page, error);
  for (long k = page.first; k < page.end && status == CAROM_OK; k++) {
    char letters[CAROM_RUN_MOST_CONTACTS + 1];
    letters_at(&page, k, letters);
    (void)find_line(&page, letters);
  }
  // a line of the legend each, where names are long
  int more =
      page.run.contact_count > 1 && page.line_count > 3 ? KEY_LINE * (page.line_count - 3) : 0;
  if (status == CAROM_OK) status = carom_plot_begin(it, WIDTH, HEIGHT + more, error);
  if (status == CAROM_OK) {
    for (int k = 0; k < page.line_count; k++)
      put_mode(&page, k);
    page.jumps = put_jumps(&page);
    put_portrait(&page);
    status = carom_script_end(&it->script, error);
  }
  close_portrait(&page);
  return status;
}

// ---- sections ----

// the crossings of the first section, or of the section named last in --of; else the impacts
static const char *choose_section(const carom_run_data *run, const carom_plot_job *job,
                                  const char **kind) {
  *kind = "section";
  for (long k = 0; k < run->events; k++)
    if (strcmp(run->event_kind[k], "section") == 0)
      for (int n = 0; n < job->name_count; n++)
        if (strcmp(run->event_name[k], job->names[n]) == 0) return run->event_name[k];
  for (long k = 0; k < run->events; k++)
    if (strcmp(run->event_kind[k], "section") == 0) return run->event_name[k];
  *kind = "impact";
  for (long k = 0; k < run->events; k++)
    if (is_impact(run, k)) return run->event_name[k];
  return NULL;
}

static bool event_crosses(const portrait *it, long event, const char *kind, const char *name) {
  const carom_run_data *run = &it->run;
  return strcmp(run->event_kind[event], kind) == 0 && strcmp(run->event_name[event], name) == 0 &&
         run->event_t[event] >= run->t[it->first] && run->event_t[event] <= run->t[it->end - 1];
}

// does component k differ between crossings by more than the others' rounding?
static bool component_varies(const portrait *it, const char *kind, const char *name, int k) {
  double low = INFINITY, high = -INFINITY, scale = 0.0;
  for (long e = 0; e < it->run.events; e++) {
    if (!event_crosses(it, e, kind, name)) continue;
    const double *state = it->run.before + e * it->run.state;
    low = fmin(low, state[k]), high = fmax(high, state[k]);
    for (long j = 0; j < it->run.state; j++)
      scale = fmax(scale, fabs(state[j]));
  }
  return high - low > 1e-9 * scale;
}

// names of --of that are components of the state, else the first that vary, else the first
static int choose_components(const portrait *it, const char *kind, const char *name, int wanted,
                             int columns[2]) {
  int count = 0;
  for (int n = 0; n < it->job->name_count && count < wanted; n++) {
    int column = carom_run_data_find(&it->run, it->job->names[n]);
    if (column >= 0 && column < it->run.state) columns[count++] = column;
  }
  for (int round = 0; round < 2; round++)
    for (int k = 0; k < it->run.state && count < wanted; k++)
      if ((count == 0 || columns[0] != k) && (round > 0 || component_varies(it, kind, name, k)))
        columns[count++] = k;
  return count;
}

// the states at the crossings; of a map one component, against its value a crossing before
typedef struct crossings {
  const char *kind, *name;
  bool map;
  int x, y; // components
  long points;
} crossings;

// both axes of a map show the same quantity, so that its diagonal is one
static void share_range(carom_script *script, double low, double high) {
  double room = 0.05 * (high - low);
  fprintf(script->commands, "set size ratio 1\n");
  if (room > 0.0 && !script->overlaid)
    fprintf(script->commands, "set xrange [%.12g:%.12g]\nset yrange [%.12g:%.12g]\n", low - room,
            high + room, low - room, high + room);
}

// writes the points and fits the axes to them; returns their block
static int write_crossings(portrait *it, carom_script *script, crossings *drawn) {
  int block = carom_script_block(script);
  double last = NAN, low = INFINITY, high = -INFINITY, bottom = INFINITY, top = -INFINITY;
  for (long k = 0; k < it->run.events; k++) {
    if (!event_crosses(it, k, drawn->kind, drawn->name)) continue;
    const double *state = it->run.before + k * it->run.state;
    double x = drawn->map ? last : state[drawn->x], y = state[drawn->y];
    last = state[drawn->x];
    if (isnan(x)) continue;
    low = fmin(low, x), high = fmax(high, x);
    bottom = fmin(bottom, y), top = fmax(top, y);
    carom_script_number(script, x);
    carom_script_number(script, y);
    carom_script_row(script);
    drawn->points++;
  }
  if (drawn->map) {
    low = bottom = fmin(low, bottom), high = top = fmax(high, top);
    share_range(script, low, high);
  }
  carom_script_tics(script, "x", low, high, 5);
  carom_script_tics(script, "y", bottom, top, drawn->map ? 5 : 10);
  return block;
}

static void label_crossings(carom_script *script, const portrait *it, const crossings *drawn) {
  char label[300];
  (void)snprintf(label, sizeof label, "%s at %s %s%s", it->run.names[drawn->x], drawn->kind,
                 drawn->name, drawn->map ? ", number n" : "");
  carom_script_label(script, "xlabel", label);
  (void)snprintf(label, sizeof label, "%s at %s %s%s", it->run.names[drawn->y], drawn->kind,
                 drawn->name, drawn->map ? ", number n + 1" : "");
  carom_script_label(script, "ylabel", label);
}

static carom_status choose_crossings(portrait *it, const carom_plot_job *job, crossings *drawn,
                                     carom_error *error) {
  int columns[2] = {0, 0}, wanted = drawn->map ? 1 : 2;
  drawn->name = choose_section(&it->run, job, &drawn->kind);
  if (!drawn->name || choose_components(it, drawn->kind, drawn->name, wanted, columns) < wanted)
    return carom_draw_fail(error, CAROM_ERR_INPUT,
                           "the run has no section and no impact that could be drawn");
  drawn->x = columns[0];
  drawn->y = columns[wanted - 1];
  return CAROM_OK;
}

static carom_status draw_crossings(carom_plot_job *job, bool map, carom_error *error) {
  portrait it = {0};
  crossings drawn = {.kind = "", .map = map};
  carom_status status = open_portrait(&it, job, error);
  if (status == CAROM_OK) status = choose_crossings(&it, job, &drawn, error);
  if (status == CAROM_OK) status = carom_plot_begin(job, WIDTH, HEIGHT, error);
  if (status == CAROM_OK) {
    carom_script *script = &job->script;
    FILE *out = script->commands;
    int block = write_crossings(&it, script, &drawn);
    carom_script_label(script, "title", job->title);
    label_crossings(script, &it, &drawn);
    fprintf(out, "set offsets graph 0.05, graph 0.05, graph 0.05, graph 0.05\nset key below height "
                 "0.8\nplot ");
    if (map) fprintf(out, "x with lines lw 0.8 dt 2 lc rgb '#777777' title 'n + 1 equals n', ");
    carom_script_source(script, block);
    fprintf(out, " using 1:2 with points pt 7 ps %g lc rgb '#12407a' title '%s'",
            drawn.points <= FEW ? 0.9 : 0.6, map ? "successive crossings" : "crossings");
    carom_plot_add_overlay(job);
    fprintf(out, "\n");
    status = carom_script_end(script, error);
  }
  close_portrait(&it);
  return status;
}

carom_status carom_plot_section(carom_plot_job *it, carom_error *error) {
  return draw_crossings(it, false, error);
}

carom_status carom_plot_return(carom_plot_job *it, carom_error *error) {
  return draw_crossings(it, true, error);
}
