// SPDX-License-Identifier: MIT
#include "draw/plot_marks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_LINE = 15, MOST_TOKENS = 512, LONGEST_GROUP = 8 };
static const double SAME = 0.012;  // of the diagram's width: marks that share a letter
static const double APART = 0.024; // letters stand that far from each other

// where a value stands between the ends of the first axis
static double share_across(const carom_plot_marks *it, double x) {
  if (it->log_x && it->low_x > 0.0 && x > 0.0)
    return log(x / it->low_x) / log(it->high_x / it->low_x);
  return (x - it->low_x) / (it->high_x - it->low_x);
}

// Lines at nearly the same place are the same only when they are exactly there: steps of a cascade
// stay apart.
static bool same_place(const carom_plot_marks *it, const carom_plot_mark *a,
                       const carom_plot_mark *b) {
  if (isnan(b->y)) return fabs(a->x - b->x) < 1e-6 * (it->high_x - it->low_x);
  double dx = share_across(it, a->x) - share_across(it, b->x);
  double dy = it->high_y > it->low_y ? (a->y - b->y) / (it->high_y - it->low_y) : 0.0;
  return fabs(dx) < SAME && fabs(dy) < SAME;
}

static int by_place(const void *a, const void *b) {
  double x = ((const carom_plot_mark *)a)->x, y = ((const carom_plot_mark *)b)->x;
  return x < y ? -1 : x > y;
}

void carom_plot_marks_add(carom_plot_marks *it, const carom_plot_mark *mark) {
  if (mark->x < it->low_x || mark->x > it->high_x) return;
  for (int k = 0; k < it->count; k++) {
    carom_plot_mark *other = &it->marks[k];
    if (!same_place(it, other, mark)) continue;
    size_t length = strlen(other->text);
    if (!strstr(other->text, mark->text))
      (void)snprintf(other->text + length, sizeof other->text - length, "; %s", mark->text);
    return;
  }
  if (it->count < CAROM_PLOT_MARKS)
    it->marks[it->count++] = *mark;
  else
    it->left_out++;
}

void carom_plot_marks_sort(carom_plot_marks *it) {
  qsort(it->marks, (size_t)it->count, sizeof *it->marks, by_place);
}

// two columns where the texts are short enough
int carom_plot_marks_rows(const carom_plot_marks *it, int curves) {
  const size_t half = 20;
  bool wide = false;
  for (int k = 0; k < it->count; k++)
    wide = wide || strlen(it->marks[k].text) > half;
  int lines = curves + it->count + (it->left_out > 0);
  return wide || lines <= 6 ? lines : (lines + 1) / 2;
}

int carom_plot_marks_height(const carom_plot_marks *it, int curves) {
  return KEY_LINE * (carom_plot_marks_rows(it, curves) - CAROM_PLOT_CURVES);
}

// letters side by side, each as near to its place as the others allow: pushed to the right, and
// back from the border
static void spread_letters(const carom_plot_marks *it, double at[CAROM_PLOT_MARKS]) {
  for (int k = 0; k < it->count; k++) {
    at[k] = share_across(it, it->marks[k].x);
    if (k > 0 && at[k] < at[k - 1] + APART) at[k] = at[k - 1] + APART;
  }
  // a row of letters that touch is moved back by half of what the last one was moved
  for (int from = 0; from < it->count;) {
    int end = from + 1;
    while (end < it->count && at[end] < at[end - 1] + 1.001 * APART)
      end++;
    double moved = 0.5 * (at[end - 1] - share_across(it, it->marks[end - 1].x));
    if (from > 0 && at[from] - moved < at[from - 1] + APART)
      moved = at[from] - at[from - 1] - APART;
    for (int k = from; k < end; k++)
      at[k] -= moved;
    from = end;
  }
  double over = it->count > 0 ? at[it->count - 1] - 1.0 : 0.0;
  for (int k = it->count - 1; k >= 0 && over > 0.0; k--) {
    double most = k == it->count - 1 ? 1.0 : at[k + 1] - APART;
    if (at[k] > most) at[k] = most;
  }
}

static void put_line(const carom_plot_marks *it, FILE *out, int k, double letter) {
  const carom_plot_mark *mark = &it->marks[k];
  const char *look = "nohead back lw 0.8 dt 3 lc rgb '#777777'";
  fprintf(out, "set arrow from first %.12g, graph 0 to first %.12g, graph 1 %s\n", mark->x, mark->x,
          look);
  fprintf(out,
          "set arrow from first %.12g, graph 1 to graph %.5f, graph 1.03 nohead lw 0.6 lc rgb "
          "'#777777'\n",
          mark->x, letter);
  fprintf(out, "set label '%c' at graph %.5f, graph 1.055 center font ',9'\n", 'a' + k, letter);
}

void carom_plot_marks_put(const carom_plot_marks *it, carom_plot_job *job) {
  FILE *out = job->script.commands;
  double letters[CAROM_PLOT_MARKS];
  bool lines = false;
  spread_letters(it, letters);
  for (int k = 0; k < it->count; k++) {
    const carom_plot_mark *mark = &it->marks[k];
    if (isnan(mark->y)) {
      put_line(it, out, k, letters[k]);
      lines = true;
      continue;
    }
    // beside its point, where there is room
    double at = share_across(it, mark->x);
    bool left = at > 0.95 || (mark->rising && at > 0.05);
    fprintf(out,
            "set label '%c' at first %.12g, first %.12g point pt 7 ps 0.6 lc rgb '#b00020' "
            "%s offset %s,0.55 font ',10'\n",
            'a' + k, mark->x, mark->y, left ? "right" : "left", left ? "-0.5" : "0.5");
  }
  if (lines) fprintf(out, "set title offset 0,0.9\n");
}

// as many decimals as tell a thousandth of the diagram's width
static void write_place(const carom_plot_marks *it, double x, char *text, size_t room) {
  double exponent = floor(log10(it->high_x - it->low_x));
  int decimals = (int)fmin(fmax(3.0 - exponent, 0.0), 12.0);
  if (it->log_x || fabs(x) >= 1e7 || exponent < -9.0)
    (void)snprintf(text, room, "%.6g", x);
  else
    (void)snprintf(text, room, "%.*f", decimals, x);
}

void carom_plot_marks_key(const carom_plot_marks *it, carom_plot_job *job) {
  FILE *out = job->script.commands;
  for (int k = 0; k < it->count; k++) {
    char place[40], line[CAROM_PLOT_MARK_TEXT + 48];
    write_place(it, it->marks[k].x, place, sizeof place);
    (void)snprintf(line, sizeof line, "%s  %s", place, it->marks[k].text);
    fprintf(out, ", \\\n  NaN with points pt '%c' lc rgb '#000000' title ", 'a' + k);
    carom_script_text(&job->script, line);
  }
  if (it->left_out > 0)
    fprintf(out, ", \\\n  NaN with points pt '+' lc rgb '#000000' title '%d more'", it->left_out);
}

// ---- words ----

typedef struct tokens {
  const char *at[MOST_TOKENS];
  size_t length[MOST_TOKENS];
  int count;
} tokens;

// up to a comma with a blank behind it (others part the contacts of a mode); returns what follows
static const char *split_at_comma(const char *word, tokens *to) {
  to->count = 0;
  while (*word && strncmp(word, ", ", 2) != 0 && to->count < MOST_TOKENS) {
    size_t length = strcspn(word, " ");
    if (length > 1 && word[length - 1] == ',') length--;
    if (length > 0) {
      to->at[to->count] = word;
      to->length[to->count++] = length;
    }
    word += length + (word[length] == ' ');
  }
  return word;
}

static bool same_tokens(const tokens *t, int a, int b, int count) {
  for (int k = 0; k < count; k++)
    if (a + k >= t->count || b + k >= t->count || t->length[a + k] != t->length[b + k] ||
        strncmp(t->at[a + k], t->at[b + k], t->length[a + k]) != 0)
      return false;
  return true;
}

// the group from a place on that repeats over most tokens; its length, and how often it comes
static int find_group(const tokens *t, int at, int *times) {
  int best = 1;
  *times = 1;
  for (int length = 1; length <= LONGEST_GROUP; length++) {
    int count = 1;
    while (same_tokens(t, at, at + count * length, length))
      count++;
    if (count > 1 && count * length > best * *times) best = length, *times = count;
  }
  return best;
}

void carom_plot_word(const char *word, char *text, size_t room) {
  static const char MORE[] = " …";
  tokens t;
  size_t used = 0;
  const char *rest = split_at_comma(word, &t);
  text[0] = '\0';
  for (int at = 0; at < t.count;) {
    int times, length = find_group(&t, at, &times);
    const char *last = t.at[at + length - 1] + t.length[at + length - 1];
    int wide = (int)(last - t.at[at]);
    const char *space = at > 0 ? " " : "";
    char group[CAROM_PLOT_MARK_TEXT];
    int wrote = times > 1
                    ? snprintf(group, sizeof group, "%s(%.*s)%d", space, wide, t.at[at], times)
                    : snprintf(group, sizeof group, "%s%.*s", space, wide, t.at[at]);
    at += length * times;
    size_t behind = strlen(rest) + (at < t.count ? sizeof MORE : 1);
    bool fits = wrote > 0 && wrote < (int)sizeof group && used + (size_t)wrote + behind <= room;
    if (!fits && used + sizeof MORE <= room)
      (void)snprintf(text + used, room - used, "%s", used > 0 ? MORE : MORE + 1);
    if (!fits) break;
    (void)snprintf(text + used, room - used, "%s", group);
    used += (size_t)wrote;
  }
  used = strlen(text);
  (void)snprintf(text + used, room - used, "%s", rest);
}
