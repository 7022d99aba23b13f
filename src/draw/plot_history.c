// SPDX-License-Identifier: MIT
/// Time histories: one panel a quantity, or several that are asked for together, the contact modes
/// as bands behind a single contact or as strips below several, events as marks. And the energy
/// ledger over time.
#include "draw/plot.h"
#include "draw/run_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  WIDTH = 640,
  PANEL = 120, // height of a panel
  MARGINS = 90,
  STRIP = 22,
  MOST_PANELS = 8,
  MOST_CURVES = 4, // of one panel
  MOST_TICS = 4,
  BUCKETS = 1500,  // parts of the time axis of which smallest and largest values are drawn
  MOST_MARKS = 150 // more events than this are not marked one by one
};

static const double BELOW_STRIPS = 114.0; // room for the times and two lines of legend

// ---- data ----

// a long series as smallest and largest value of each bucket, in their order; short ones as they
// are
static int put_series(carom_script *script, const double *t, const double *values, long first,
                      long end) {
  int block = carom_script_block(script);
  long per = (end - first) / BUCKETS;
  for (long at = first; at < end;) {
    long stop = per > 2 ? at + per : at + 1, low = at, high = at;
    if (stop > end) stop = end;
    for (long k = at; k < stop; k++) {
      if (values[k] < values[low] || isnan(values[low])) low = k;
      if (values[k] > values[high] || isnan(values[high])) high = k;
    }
    const long order[2] = {low < high ? low : high, low < high ? high : low};
    for (int j = 0; j < (low == high ? 1 : 2); j++) {
      carom_script_number(script, t[order[j]]);
      carom_script_number(script, values[order[j]]);
      carom_script_row(script);
    }
    at = stop;
  }
  return block;
}

static void find_range(const double *values, long first, long end, double *low, double *high) {
  *low = INFINITY;
  *high = -INFINITY;
  for (long k = first; k < end; k++) {
    *low = fmin(*low, values[k]);
    *high = fmax(*high, values[k]);
  }
}

// t_from, t_to of the stretches a contact spends in a mode; returns the block, -1: never
static int put_bands(carom_script *script, const carom_run_data *run, int contact, char mode,
                     long first, long end) {
  int block = -1;
  for (long k = first; k < end;) {
    long from = k;
    char stays = carom_run_data_mode(run, contact, from);
    while (k < end && carom_run_data_mode(run, contact, k) == stays)
      k++;
    if (stays != mode) continue;
    if (block < 0) block = carom_script_block(script);
    // where no event tells when, a mode begins and ends between two samples
    double begins = from > first ? 0.5 * (run->t[from - 1] + run->t[from]) : run->t[from];
    double ends = k < end ? 0.5 * (run->t[k - 1] + run->t[k]) : run->t[k - 1];
    carom_script_number(script, begins);
    carom_script_number(script, ends);
    carom_script_row(script);
  }
  return block;
}

// the value of a series at an event: of the state it is known, else between samples
static double value_at(const carom_run_data *run, int column, const double *values, long event) {
  if (column >= 0 && column < run->state) return run->before[event * run->state + column];
  double t = run->event_t[event];
  long low = 0, high = run->count - 1;
  while (high - low > 1) {
    long middle = (low + high) / 2;
    if (run->t[middle] <= t)
      low = middle;
    else
      high = middle;
  }
  double span = run->t[high] - run->t[low], part = span > 0.0 ? (t - run->t[low]) / span : 0.0;
  return values[low] + part * (values[high] - values[low]);
}

static bool is_kind(const carom_run_data *run, long event, const char *kind) {
  return strcmp(run->event_kind[event], kind) == 0;
}

static long count_kind(const carom_run_data *run, const char *kind, double from, double until) {
  long count = 0;
  for (long k = 0; k < run->events; k++)
    count += is_kind(run, k, kind) && run->event_t[k] >= from && run->event_t[k] <= until;
  return count;
}

static int put_marks(carom_script *script, const carom_run_data *run, const char *kind,
                     const char *name, const double *values, double from, double until) {
  long count = count_kind(run, kind, from, until);
  if (count == 0 || count > MOST_MARKS) return -1;
  int block = carom_script_block(script), column = carom_run_data_find(run, name);
  for (long k = 0; k < run->events; k++) {
    if (!is_kind(run, k, kind) || run->event_t[k] < from || run->event_t[k] > until) continue;
    carom_script_number(script, run->event_t[k]);
    carom_script_number(script, value_at(run, column, values, k));
    carom_script_row(script);
  }
  return block;
}

// ---- looks ----

typedef struct mode_look {
  char mode;
  const char *fill; // of a box
} mode_look;

// in print: stick darkest, slip + light, slip - between them
static const mode_look MODES[] = {{'K', "fs solid 1.0 noborder lc rgb '#b3abdb'"},
                                  {'+', "fs solid 1.0 noborder lc rgb '#fbe5bf'"},
                                  {'-', "fs solid 1.0 noborder lc rgb '#a9cfe8'"},
                                  {'C', "fs solid 1.0 noborder lc rgb '#d2d2d2'"}};
enum { MODE_COUNT = 4 };

typedef struct event_look {
  const char *kind, *title, *mark;
} event_look;
static const event_look EVENTS[] = {{"impact", "impact", "pt 9 ps 0.75 lc rgb '#b00020'"},
                                    {"section", "section", "pt 6 ps 0.65 lw 1.2 lc rgb '#000000'"},
                                    {"event", "event", "pt 5 ps 0.55 lc rgb '#007a4d'"}};
enum { EVENT_COUNT = 3 };

typedef struct panel {
  int count;
  char names[MOST_CURVES][80];
  double low, high;
  int curves[MOST_CURVES], marks[EVENT_COUNT]; // events are marked on the first
} panel;

typedef struct sheet {
  carom_plot_job *job;
  carom_run_data run;
  long first, end;
  panel panels[MOST_PANELS];
  int panel_count;
  int bands[CAROM_RUN_MOST_CONTACTS][MODE_COUNT]; // blocks; -1: none
} sheet;

// names asked for, or the first coordinates (their rates come behind them in the state)
static int choose_names(sheet *it, const char *chosen[MOST_PANELS]) {
  const carom_plot_job *job = it->job;
  int count = 0;
  for (int k = 0; k < job->name_count && count < MOST_PANELS; k++)
    chosen[count++] = job->names[k];
  for (int k = 0; k < it->run.name_count && job->name_count == 0 && count < 4; k++)
    if (!strchr(it->run.names[k], '\''))
      chosen[count++] = it->run.names[k];
    else if (count > 0)
      break;
  return count;
}

// one more curve of a panel, with its name
static carom_status add_curve(sheet *it, panel *p, carom_error *error) {
  carom_script *script = &it->job->script;
  const char *name = p->names[p->count];
  double *values, low, high, from = it->run.t[it->first], until = it->run.t[it->end - 1];
  carom_status status = carom_run_data_series(&it->run, name, &values, error);
  if (status != CAROM_OK) return status;
  find_range(values, it->first, it->end, &low, &high);
  p->low = p->count > 0 ? fmin(p->low, low) : low;
  p->high = p->count > 0 ? fmax(p->high, high) : high;
  p->curves[p->count] = put_series(script, it->run.t, values, it->first, it->end);
  for (int e = 0; e < EVENT_COUNT && p->count == 0; e++)
    p->marks[e] = put_marks(script, &it->run, EVENTS[e].kind, name, values, from, until);
  free(values);
  p->count++;
  return CAROM_OK;
}

// "a+b": two curves in one panel
static carom_status fill_panel(sheet *it, panel *p, const char *names, carom_error *error) {
  carom_status status = CAROM_OK;
  while (*names && p->count < MOST_CURVES && status == CAROM_OK) {
    size_t length = strcspn(names, "+"), most = sizeof p->names[0] - 1;
    (void)snprintf(p->names[p->count], sizeof p->names[0], "%.*s",
                   (int)(length < most ? length : most), names);
    status = add_curve(it, p, error);
    names += length + (names[length] == '+');
  }
  return status;
}

static carom_status fill_sheet(sheet *it, carom_error *error) {
  const char *chosen[MOST_PANELS];
  carom_script *script = &it->job->script;
  it->panel_count = choose_names(it, chosen);
  for (int k = 0; k < it->panel_count; k++) {
    carom_status status = fill_panel(it, &it->panels[k], chosen[k], error);
    if (status != CAROM_OK) return status;
  }
  for (int c = 0; c < it->run.contact_count; c++)
    for (int m = 0; m < MODE_COUNT; m++)
      it->bands[c][m] = put_bands(script, &it->run, c, MODES[m].mode, it->first, it->end);
  return CAROM_OK;
}

// boxes of the k-th contact between two heights; `told` keeps each mode once in the legend
static bool put_boxes(sheet *it, int contact, double low, double high, bool told[MODE_COUNT],
                      bool begun) {
  FILE *out = it->job->script.commands;
  for (int m = 0; m < MODE_COUNT; m++) {
    if (it->bands[contact][m] < 0) continue;
    fprintf(out, begun ? ", \\\n  " : "plot \\\n  ");
    carom_script_source(&it->job->script, it->bands[contact][m]);
    fprintf(out, " using 1:(%g):1:2:(%g):(%g) with boxxyerror %s ", low, low, high, MODES[m].fill);
    if (told[m])
      fprintf(out, "notitle");
    else
      fprintf(out, "title '%s'", carom_mode_text(MODES[m].mode));
    told[m] = true;
    begun = true;
  }
  return begun;
}

// what is on the vertical axis; of several curves the unit they share, their names in a legend
// above
static void put_names(sheet *it, const panel *p) {
  const char *names[MOST_CURVES];
  for (int k = 0; k < p->count; k++)
    names[k] = p->names[k];
  if (p->count == 1) {
    carom_plot_axis(it->job, "ylabel", names[0]);
    return;
  }
  carom_plot_shared_axis(it->job, "ylabel", p->count, names);
  fprintf(it->job->script.commands, "set key at graph 1, graph 1.01 bottom right horizontal\n");
}

static void put_lines(sheet *it, const panel *p) {
  static const char *const LOOKS[MOST_CURVES] = {"lc rgb '#12407a'", "dt 2 lc rgb '#a8503f'",
                                                 "dt 3 lc rgb '#2a8f8c'", "dt 4 lc rgb '#8d5a86'"};
  FILE *out = it->job->script.commands;
  for (int k = 0; k < p->count; k++) {
    fprintf(out, k > 0 ? ", \\\n  " : "");
    carom_script_source(&it->job->script, p->curves[k]);
    fprintf(out, " using 1:2 with lines lw 1.5 %s ", LOOKS[k]);
    fprintf(out, p->count > 1 ? "title " : "notitle");
    if (p->count > 1) carom_script_text(&it->job->script, p->names[k]);
  }
}

static void put_panel(sheet *it, int k, bool last) {
  carom_plot_job *job = it->job;
  FILE *out = job->script.commands;
  const panel *p = &it->panels[k];
  put_names(it, p);
  carom_script_tics(&job->script, "y", p->low, p->high, MOST_TICS);
  fprintf(out, last ? "" : "unset xlabel; set format x ''\n");
  bool single = it->run.contact_count == 1, told[MODE_COUNT] = {k > 0, k > 0, k > 0, k > 0};
  bool begun = false;
  if (single) {
    // bands over the whole height, whatever the range will be
    fprintf(out,
            "low = %.9g; high = %.9g\n"
            "pad = high > low ? 0.08*(high - low) : (abs(high) > 0 ? 0.1*abs(high) : 1)\n"
            "set yrange [low - pad:high + pad]\n",
            p->low, p->high);
    for (int m = 0; m < MODE_COUNT; m++) {
      if (it->bands[0][m] < 0) continue;
      fprintf(out, begun ? ", \\\n  " : "plot \\\n  ");
      carom_script_source(&job->script, it->bands[0][m]);
      fprintf(out, " using 1:(low):1:2:(low - pad):(high + pad) with boxxyerror %s ",
              MODES[m].fill);
      if (told[m])
        fprintf(out, "notitle");
      else
        fprintf(out, "title '%s'", carom_mode_text(MODES[m].mode));
      begun = true;
    }
  }
  fprintf(out, begun ? ", \\\n  " : "plot \\\n  ");
  put_lines(it, p);
  for (int e = 0; e < EVENT_COUNT; e++) {
    if (p->marks[e] < 0) continue;
    fprintf(out, ", \\\n  ");
    carom_script_source(&job->script, p->marks[e]);
    fprintf(out, " using 1:2 with points %s ", EVENTS[e].mark);
    fprintf(out, k == 0 ? "title '%s'" : "notitle", EVENTS[e].title);
  }
  if (k == 0) carom_plot_add_overlay(job);
  fprintf(out, "\nunset yrange; set autoscale y\nunset title\n");
}

// one strip a contact, below the panels
static void put_strips(sheet *it, double top, double bottom) {
  carom_plot_job *job = it->job;
  FILE *out = job->script.commands;
  bool told[MODE_COUNT] = {false, false, false, false}, begun = false;
  int count = it->run.contact_count;
  fprintf(out, "set tmargin at screen %g; set bmargin at screen %g\n", top, bottom);
  fprintf(out, "unset ylabel; unset grid; unset ytics; set yrange [%d:0]\nset ytics (", count);
  for (int c = 0; c < count; c++) {
    fprintf(out, c ? ", " : "");
    carom_script_text(&job->script, it->run.contacts[c]);
    fprintf(out, " %g", c + 0.5);
  }
  fprintf(out, ") scale 0 noenhanced\nset key at screen 0.55, screen 0.02 bottom center horizontal "
               "maxrows 1 samplen 1.6\n");
  for (int c = 0; c < count; c++)
    begun = put_boxes(it, c, c + 0.12, c + 0.88, told, begun);
  fprintf(out, begun ? ", \\\n  " : "plot \\\n  ");
  fprintf(out, "NaN with lines lc rgb '#bbbbbb' title 'blank: flight'\n");
}

// room at the left for the longest number of a panel and the name beside it, or for the longest
// name of a strip
static double left_margin(const sheet *it) {
  const double least = 0.13, letter = 8.0, name = 44.0, most = 0.4;
  double wide = 0.0;
  for (int k = 0; k < it->panel_count; k++) {
    int letters = carom_script_tic_letters(it->panels[k].low, it->panels[k].high, MOST_TICS);
    wide = fmax(wide, letter * letters + name);
  }
  for (int c = 0; c < it->run.contact_count && it->run.contact_count > 1; c++)
    wide = fmax(wide, letter * ((double)strlen(it->run.contacts[c]) + 2.0));
  return fmin(fmax(least, wide / WIDTH), most);
}

static void put_sheet(sheet *it, int height) {
  carom_plot_job *job = it->job;
  FILE *out = job->script.commands;
  int contacts = it->run.contact_count, strips = contacts > 1 ? STRIP * contacts : 0;
  double top = 1.0 - 46.0 / height, low = (52.0 + strips + (strips ? 68.0 : 0.0)) / height;
  double panel_height = (top - low) / it->panel_count, gap = 17.0 / height;
  double left = left_margin(it);
  fprintf(out,
          "set multiplot\nset lmargin at screen %.4f; set rmargin at screen 0.97\n"
          "set xrange [%.12g:%.12g]\nset key at screen 0.97, screen %.4f top right "
          "horizontal noenhanced samplen 1.6 width 1\nset grid y\nset ytics nomirror\n",
          left, it->run.t[it->first], it->run.t[it->end - 1], 1.0 - 22.0 / height);
  carom_script_label(&job->script, "label 1", job->title);
  fprintf(out, "set label 1 at screen %.4f, screen %.4f left font ',12'\n", left,
          1.0 - 12.0 / height);
  for (int k = 0; k < it->panel_count; k++) {
    bool last = k == it->panel_count - 1 && strips == 0;
    double high = top - k * panel_height;
    fprintf(out, "set tmargin at screen %.4f; set bmargin at screen %.4f\n", high,
            high - panel_height + gap);
    if (last) {
      carom_plot_axis(job, "xlabel", "t");
      fprintf(out, "set format x '%%g'\n");
    }
    put_panel(it, k, last);
    fprintf(out, "unset label 1\n");
  }
  if (strips > 0) {
    carom_plot_axis(job, "xlabel", "t");
    fprintf(out, "set format x '%%g'\n");
    put_strips(it, (BELOW_STRIPS + strips) / height, BELOW_STRIPS / height);
  }
  fprintf(out, "unset multiplot\n");
}

carom_status carom_plot_history(carom_plot_job *it, carom_error *error) {
  sheet page = {.job = it};
  carom_status status = carom_run_data_read(it->store, &page.run, error);
  if (status == CAROM_OK) {
    const char *chosen[MOST_PANELS];
    carom_run_data_span(&page.run, it->options->from, it->options->until, &page.first, &page.end);
    int contacts = page.run.contact_count, panels = choose_names(&page, chosen);
    int height = MARGINS + panels * PANEL + (contacts > 1 ? STRIP * contacts + 78 : 0);
    if (panels == 0 || page.end - page.first < 2)
      status = carom_draw_fail(error, CAROM_ERR_INPUT, "there are no samples in that span of time");
    if (status == CAROM_OK) status = carom_plot_begin(it, WIDTH, height, error);
    if (status == CAROM_OK) {
      status = fill_sheet(&page, error);
      if (status == CAROM_OK) {
        put_sheet(&page, height);
        status = carom_script_end(&it->script, error);
      } else {
        carom_script_abandon(&it->script);
      }
    }
  }
  carom_run_data_free(&page.run);
  return status;
}

// ---- the energy ledger ----

typedef struct entry {
  const char *path, *title, *look;
  double sign;
} entry;

static const entry LEDGER[] = {
    {"kinetic", "kinetic", "lw 1.2 dt 1 lc rgb '#0072b2'", 1.0},
    {"potential", "potential", "lw 1.2 dt 2 lc rgb '#009e73'", 1.0},
    {"work_drives", "work of drives", "lw 1.2 dt 4 lc rgb '#222222'", 1.0},
    {"work_forces", "work of forces", "lw 1.2 dt 5 lc rgb '#b8a800'", 1.0},
    {"work_events", "work of events", "lw 1.2 dt 3 lc rgb '#56b4e9'", 1.0},
    {"lost_dampers", "taken by dampers", "lw 1.8 dt 2 lc rgb '#a0306a'", 1.0},
    {"lost_friction", "taken by friction", "lw 1.8 dt 4 lc rgb '#d55e00'", 1.0},
    {"lost_impacts", "taken by impacts", "lw 1.8 dt 1 lc rgb '#e69f00'", 1.0}};
enum { LEDGER_COUNT = 8 };

static double *read_energy(const carom_run_data *run, const char *name) {
  char path[64];
  (void)snprintf(path, sizeof path, "/energy/%s", name);
  return carom_run_data_array(run, path, -1);
}

static bool is_zero(const double *values, long count) {
  for (long k = 0; k < count; k++)
    if (values[k] != 0.0) return false;
  return true;
}

/// What is drawn of a ledger: blocks of numbers, -1 for those left out.
typedef struct ledger_sheet {
  carom_plot_job *job;
  const carom_run_data *run;
  long first, end;
  int energies[LEDGER_COUNT], residual;
  double low, high;   // of the residual
  double least, most; // of what the panel above shows
  char **works;       // names of what every field did, or NULL
  int work_count, *work_blocks;
  int height; // of the page
} ledger_sheet;

enum { LEDGER_PAGE = 420, WORKS_PANEL = 240 };

// margins of a panel, in pixels from the top of the page
static void ledger_panel(const ledger_sheet *it, int top, int bottom) {
  fprintf(it->job->script.commands,
          "set tmargin at screen %.4f; set bmargin at screen %.4f\n"
          "set key at screen 0.97, screen %.4f top right\n",
          1.0 - (double)top / it->height, 1.0 - (double)bottom / it->height,
          1.0 - (top - 63.0) / it->height);
}

static void begin_curve(ledger_sheet *it, int block, bool *begun) {
  fprintf(it->job->script.commands, *begun ? ", \\\n  " : "plot \\\n  ");
  carom_script_source(&it->job->script, block);
  *begun = true;
}

static void put_energies(ledger_sheet *it) {
  FILE *out = it->job->script.commands;
  ledger_panel(it, 92, 260);
  carom_plot_axis(it->job, "ylabel", "energy");
  carom_script_digits(&it->job->script, "y", it->least, it->most);
  bool begun = false;
  for (int k = 0; k < LEDGER_COUNT; k++) {
    if (it->energies[k] < 0) continue;
    begin_curve(it, it->energies[k], &begun);
    fprintf(out, " using 1:2 with lines %s title '%s'", LEDGER[k].look, LEDGER[k].title);
  }
  carom_plot_add_overlay(it->job);
  fprintf(out, "\nset autoscale y\nunset label 1\n");
}

// "work.lower pad" and "work_gravity" without their first word
static void put_works(ledger_sheet *it) {
  FILE *out = it->job->script.commands;
  bool begun = false;
  ledger_panel(it, 343, 500);
  carom_plot_axis(it->job, "ylabel", "work on the body");
  for (int k = 0; k < it->work_count; k++) {
    if (it->work_blocks[k] < 0) continue;
    begin_curve(it, it->work_blocks[k], &begun);
    fprintf(out, " using 1:2 with lines lw 1.3 dt %d lc rgb '%s' title ", carom_script_dash(k),
            carom_script_colour(k));
    carom_script_text(&it->job->script, it->works[k] + strlen("work."));
  }
  fprintf(out, "\n");
}

static void put_ledger(ledger_sheet *it) {
  FILE *out = it->job->script.commands;
  fprintf(out,
          "set multiplot\nset lmargin at screen 0.16; set rmargin at screen 0.97\n"
          "set xrange [%.12g:%.12g]\nset key horizontal noenhanced samplen 2.5 width 1 maxrows 3\n"
          "set format x ''\n",
          it->run->t[it->first], it->run->t[it->end - 1]);
  carom_script_label(&it->job->script, "label 1", it->job->title);
  fprintf(out, "set label 1 at screen 0.16, screen %.4f left font ',12'\n",
          1.0 - 15.0 / it->height);
  put_energies(it);
  if (it->work_count > 0) put_works(it);
  ledger_panel(it, it->height - 143, it->height - 55);
  fprintf(out, "unset key\nset format x '%%g'\n");
  carom_plot_axis(it->job, "xlabel", "t");
  carom_script_label(&it->job->script, "ylabel", "residual");
  carom_script_tics(&it->job->script, "y", it->low, it->high, 3);
  fprintf(out, "set format y '%%.1e'\nplot ");
  carom_script_source(&it->job->script, it->residual);
  fprintf(out, " using 1:2 with lines lw 1 lc rgb '#b00020'\nunset multiplot\n");
}

// the ledger's lines of the form "work.NAME" and those of gravity, elasticity, viscosity and mass
static bool is_work(const char *name) {
  static const char *const others[] = {"work_gravity", "work_elasticity", "work_viscosity",
                                       "work_mass"};
  bool found = strncmp(name, "work.", strlen("work.")) == 0;
  for (size_t k = 0; k < sizeof others / sizeof *others; k++)
    found = found || strcmp(name, others[k]) == 0;
  return found;
}

static void list_works(ledger_sheet *it) {
  int count = 0;
  it->works = carom_store_list(it->job->store, "/energy", &count);
  for (int k = 0; k < count && it->works; k++) {
    if (is_work(it->works[k])) it->works[it->work_count++] = it->works[k];
  }
  it->work_blocks = calloc((size_t)it->work_count + 1, sizeof *it->work_blocks);
  if (!it->work_blocks) it->work_count = 0;
}

static int put_energy_block(ledger_sheet *it, const char *name, bool always) {
  double *values = read_energy(it->run, name), low, high;
  bool shown = values && (always || !is_zero(values, it->run->count));
  int block = shown ? put_series(&it->job->script, it->run->t, values, it->first, it->end) : -1;
  if (shown) {
    find_range(values, it->first, it->end, &low, &high);
    it->least = fmin(it->least, low);
    it->most = fmax(it->most, high);
  }
  free(values);
  return block;
}

static void fill_ledger(ledger_sheet *it, const double *residual) {
  for (int k = 0; k < it->work_count; k++)
    it->work_blocks[k] = put_energy_block(it, it->works[k], false);
  it->least = INFINITY, it->most = -INFINITY;
  // something is to be seen also of what has no energy at all
  for (int k = 0; k < LEDGER_COUNT; k++)
    it->energies[k] = put_energy_block(it, LEDGER[k].path, k == 0);
  it->residual = put_series(&it->job->script, it->run->t, residual, it->first, it->end);
  find_range(residual, it->first, it->end, &it->low, &it->high);
}

carom_status carom_plot_energy(carom_plot_job *it, carom_error *error) {
  carom_run_data run;
  ledger_sheet sheet_of = {.job = it, .run = &run};
  carom_status status = carom_run_data_read(it->store, &run, error);
  double *residual = NULL;
  if (status == CAROM_OK) {
    carom_run_data_span(&run, it->options->from, it->options->until, &sheet_of.first,
                        &sheet_of.end);
    residual = read_energy(&run, "residual");
    if (!residual || sheet_of.end - sheet_of.first < 2)
      status = carom_draw_fail(error, CAROM_ERR_INPUT, "the recording has no energy ledger");
  }
  if (status == CAROM_OK) {
    list_works(&sheet_of);
    sheet_of.height = LEDGER_PAGE + (sheet_of.work_count > 0 ? WORKS_PANEL : 0);
    status = carom_plot_begin(it, WIDTH, sheet_of.height, error);
  }
  if (status == CAROM_OK) {
    fill_ledger(&sheet_of, residual);
    put_ledger(&sheet_of);
    status = carom_script_end(&it->script, error);
  }
  free(sheet_of.works);
  free(sheet_of.work_blocks);
  free(residual);
  carom_run_data_free(&run);
  return status;
}
