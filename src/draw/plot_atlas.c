// SPDX-License-Identifier: MIT
/// Atlases: curves in two parameters, a colour for each kind, dashed where their motions are
/// virtual; points at which two things happen at once have letters; along the line on which the
/// curves were found, the words of the motions that are stable there.
#include "base/error.h"
#include "draw/plot_marks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 640, HEIGHT = 460, KINDS = 16, WORD = 26, LEAST_WORD = 3, MOST_WORDS = 12 };
static const double LETTER = 0.0105; // of the width of the picture: a letter of a word

/// The table of curves.
typedef struct atlas {
  long count;
  double *curve, *x, *y, *beyond;
  char **kind, **label, **names;
  char x_name[CAROM_PLOT_NAME], y_name[CAROM_PLOT_NAME];
} atlas;

static const struct {
  const char *kind, *look, *title;
} LOOKS[] = {
    {"fold", "lc rgb '#12407a'", "fold"},
    {"flip", "lc rgb '#d55e00'", "flip: the period doubles"},
    {"torus", "lc rgb '#8d5a86'", "torus"},
    {"hopf", "lc rgb '#b3262e'", "Hopf"},
    {"graze", "lc rgb '#2a8f8c'", "graze of an impact"},
    {"grazing-sliding", "lc rgb '#6a9a1f'", "grazing-sliding"},
    {"crossing-sliding", "lc rgb '#b8860b'", "crossing-sliding"},
    {"switching-sliding", "lc rgb '#7f5539'", "switching-sliding"},
    {"adding-sliding", "lc rgb '#0b7a3e'", "adding-sliding"},
    {"lift-off", "lc rgb '#4e79c4'", "lift-off"},
    {"touch", "lc rgb '#2a8f8c'", "touch: a contact closes at rest"},
    {"slip", "lc rgb '#7f5539'", "slip from rest"},
    {"switch", "lc rgb '#0b7a3e'", "switch"},
    {"landing", "lc rgb '#57a0d3'", "landing"},
    {"impact-law", "lc rgb '#c2527f'", "another outcome of an impact"},
    {"end-of-chatter", "lc rgb '#9b59b6'", "end of chatter"},
};
enum { LOOK_COUNT = sizeof LOOKS / sizeof *LOOKS };

static double *load_column(const carom_store *store, const char *table, const char *name,
                           long count) {
  char path[400];
  long length;
  (void)snprintf(path, sizeof path, "/%s/%.250s", table, name);
  double *values = carom_store_array(store, path, &length, NULL);
  if (values && (count < 0 || length == count)) return values;
  free(values);
  return NULL;
}

static bool read_atlas(const carom_store *store, atlas *it) {
  int names;
  long kinds, labels;
  *it = (atlas){.names = carom_store_list(store, "/curves", &names)};
  if (!it->names || names < 5) return false;
  (void)snprintf(it->x_name, sizeof it->x_name, "%.120s", it->names[3]);
  (void)snprintf(it->y_name, sizeof it->y_name, "%.120s", it->names[4]);
  it->kind = carom_store_texts(store, "/curves/kind", &kinds);
  it->label = carom_store_texts(store, "/curves/label", &labels);
  if (!it->kind || !it->label || kinds != labels) return false;
  it->count = kinds;
  it->curve = load_column(store, "curves", "curve", kinds);
  it->x = load_column(store, "curves", it->x_name, kinds);
  it->y = load_column(store, "curves", it->y_name, kinds);
  it->beyond = load_column(store, "curves", "virtual", kinds);
  return it->curve && it->x && it->y && it->beyond;
}

static void free_atlas(atlas *it) {
  free(it->curve);
  free(it->x);
  free(it->y);
  free(it->beyond);
  free(it->kind);
  free(it->label);
  free(it->names);
}

static int list_kinds(const atlas *it, const char **kinds) {
  int count = 0;
  for (long k = 0; k < it->count; k++) {
    bool known = false;
    for (int j = 0; j < count; j++)
      known = known || strcmp(kinds[j], it->kind[k]) == 0;
    if (!known && count < KINDS) kinds[count++] = it->kind[k];
  }
  return count;
}

// entries of the key, at least the usual ones: a kind has one, and one of its virtual parts
static int count_looks(const atlas *it) {
  const char *kinds[KINDS];
  int count = list_kinds(it, kinds), looks = 0;
  for (int j = 0; j < count; j++) {
    bool there[2] = {false, false};
    for (long k = 0; k < it->count; k++)
      if (strcmp(kinds[j], it->kind[k]) == 0) there[it->beyond[k] != 0.0] = true;
    looks += there[0] + there[1];
  }
  return looks > CAROM_PLOT_CURVES ? looks : CAROM_PLOT_CURVES;
}

static void put_point(carom_script *script, const atlas *it, long k) {
  carom_script_number(script, it->x[k]);
  carom_script_number(script, it->y[k]);
  carom_script_row(script);
}

// the curves of a kind, or their virtual parts: a block; -1: there are none
static int put_curves(carom_script *script, const atlas *it, const char *kind, bool beyond) {
  int block = -1;
  bool open = false;
  for (long k = 0; k < it->count; k++) {
    bool mine = strcmp(it->kind[k], kind) == 0 && (it->beyond[k] != 0.0) == beyond;
    bool parted = k == 0 || it->curve[k] != it->curve[k - 1];
    if (open && (parted || !mine)) fprintf(script->data, "\n");
    open = open && !parted && mine;
    if (!mine) continue;
    if (block < 0) block = carom_script_block(script);
    if (!open && beyond && !parted) put_point(script, it, k - 1);
    put_point(script, it, k);
    open = true;
  }
  return block;
}

static void put_kind(carom_plot_job *job, const char *kind, int number, int block, bool beyond) {
  FILE *out = job->script.commands;
  const char *look = NULL, *title = kind;
  for (int k = 0; k < LOOK_COUNT; k++)
    if (strcmp(LOOKS[k].kind, kind) == 0) look = LOOKS[k].look, title = LOOKS[k].title;
  carom_script_source(&job->script, block);
  fprintf(out, " using 1:2 with lines lw %s ", beyond ? "1.2 dt 2" : "2.2");
  if (look)
    fprintf(out, "%s", look);
  else
    fprintf(out, "lc rgb '%s'", carom_script_colour(number));
  fprintf(out, " title ");
  char text[200];
  (void)snprintf(text, sizeof text, "%s%s", title, beyond ? ", of virtual motions" : "");
  carom_script_text(&job->script, text);
}

static bool is_corner(const char *label) {
  static const char *const plain[] = {"", "start", "bound", "end"};
  for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
    if (strcmp(label, plain[k]) == 0) return false;
  return true;
}

static void find_corners(const atlas *it, carom_plot_marks *to) {
  for (long k = 0; k < it->count; k++) {
    carom_plot_mark mark = {.x = it->x[k], .y = it->y[k], .rising = true};
    if (!is_corner(it->label[k])) continue;
    if (strcmp(it->label[k], "word") == 0)
      (void)snprintf(mark.text, sizeof mark.text, "the word ends: %s", it->kind[k]);
    else
      (void)snprintf(mark.text, sizeof mark.text, "%s", it->label[k]);
    carom_plot_marks_add(to, &mark);
  }
  carom_plot_marks_sort(to);
}

static void find_bounds(const atlas *it, carom_plot_marks *to) {
  const double margin = 0.03;
  *to = (carom_plot_marks){
      .low_x = INFINITY, .high_x = -INFINITY, .low_y = INFINITY, .high_y = -INFINITY};
  for (long k = 0; k < it->count; k++) {
    to->low_x = fmin(to->low_x, it->x[k]), to->high_x = fmax(to->high_x, it->x[k]);
    to->low_y = fmin(to->low_y, it->y[k]), to->high_y = fmax(to->high_y, it->y[k]);
  }
  double wide = to->high_x - to->low_x, high = to->high_y - to->low_y;
  if (!(wide > 0.0)) wide = fmax(1.0, fabs(to->low_x));
  if (!(high > 0.0)) high = fmax(1.0, fabs(to->low_y));
  to->low_x -= margin * wide, to->high_x += margin * wide;
  to->low_y -= margin * high, to->high_y += margin * high;
}

// Words of stable motions on the line where the curves were found, each in the middle of its
// stretch
static void put_words(carom_plot_job *job, const atlas *it, const carom_plot_marks *marks) {
  long words = 0;
  char **word = carom_store_texts(job->store, "/branches/word", &words);
  double *x = load_column(job->store, "branches", it->x_name, words),
         *y = load_column(job->store, "branches", it->y_name, words),
         *stable = load_column(job->store, "branches", "stable", words),
         *branch = load_column(job->store, "branches", "branch", words);
  FILE *out = job->script.commands;
  int told = 0;
  for (long first = 0, k; word && x && y && stable && branch && first < words; first = k) {
    double low = x[first], high = x[first];
    for (k = first; k < words && stable[k] == stable[first] && branch[k] == branch[first] &&
                    strcmp(word[k], word[first]) == 0;
         k++)
      low = fmin(low, x[k]), high = fmax(high, x[k]);
    low = fmax(low, marks->low_x), high = fmin(high, marks->high_x);
    // as many letters as the stretch has room for
    double room = (high - low) / (marks->high_x - marks->low_x) / LETTER;
    bool shown = stable[first] != 0.0 && word[first][0] && room >= LEAST_WORD;
    if (!shown || told++ >= MOST_WORDS) continue;
    size_t letters = room < WORD ? (size_t)room : WORD;
    char text[WORD + 8];
    carom_plot_word(word[first], text, letters);
    fprintf(out, "set arrow from %.12g,%.12g to %.12g,%.12g nohead dt 3 lc rgb '#777777'\n", low,
            y[first], high, y[first]);
    fprintf(out, "set label ");
    carom_script_text(&job->script, text);
    fprintf(out,
            " at %.12g,%.12g center offset 0,0.6 noenhanced font ',8' textcolor rgb '#555555'\n",
            0.5 * (low + high), y[first]);
  }
  free(word);
  free(x);
  free(y);
  free(stable);
  free(branch);
}

static void put_axes(carom_plot_job *job, const atlas *it, const carom_plot_marks *marks) {
  FILE *out = job->script.commands;
  carom_script_label(&job->script, "title", job->title);
  carom_plot_axis(job, "xlabel", it->x_name);
  carom_plot_axis(job, "ylabel", it->y_name);
  fprintf(out, "set xrange [%.12g:%.12g]\nset yrange [%.12g:%.12g]\n", marks->low_x, marks->high_x,
          marks->low_y, marks->high_y);
  carom_script_digits(&job->script, "x", marks->low_x, marks->high_x);
  carom_script_digits(&job->script, "y", marks->low_y, marks->high_y);
  carom_plot_marks_put(marks, job);
  put_words(job, it, marks);
  fprintf(out,
          "set key below left vertical maxrows %d Left reverse samplen 1.8 spacing 1.05 "
          "height 0.6 font ',9' noenhanced\n",
          carom_plot_marks_rows(marks, count_looks(it)));
}

static void put_all(carom_plot_job *job, const atlas *it, const carom_plot_marks *marks) {
  const char *kinds[KINDS];
  int count = list_kinds(it, kinds), blocks[2 * KINDS];
  bool begun = false;
  for (int k = 0; k < 2 * count; k++)
    blocks[k] = put_curves(&job->script, it, kinds[k / 2], k % 2 == 1);
  put_axes(job, it, marks);
  fprintf(job->script.commands, "plot ");
  for (int k = 0; k < 2 * count; k++) {
    if (blocks[k] < 0) continue;
    if (begun) fprintf(job->script.commands, ", \\\n  ");
    put_kind(job, kinds[k / 2], k / 2, blocks[k], k % 2 == 1);
    begun = true;
  }
  carom_plot_add_overlay(job);
  carom_plot_marks_key(marks, job);
  fprintf(job->script.commands, "\n");
}

carom_status carom_plot_atlas(carom_plot_job *job, carom_error *error) {
  atlas it;
  carom_plot_marks marks;
  carom_status status = CAROM_OK;
  if (!read_atlas(job->store, &it))
    status = carom_draw_fail(error, CAROM_ERR_INPUT, "the file holds no atlas");
  else if (it.count == 0)
    status = carom_draw_fail(error, CAROM_ERR_INPUT,
                             "the atlas is empty: no special point of a branch began a curve");
  if (status == CAROM_OK) {
    find_bounds(&it, &marks);
    find_corners(&it, &marks);
    status = carom_plot_begin(job, WIDTH,
                              HEIGHT + carom_plot_marks_height(&marks, count_looks(&it)), error);
  }
  if (status == CAROM_OK) {
    put_all(job, &it, &marks);
    status = carom_script_end(&job->script, error);
  }
  free_atlas(&it);
  return status;
}
