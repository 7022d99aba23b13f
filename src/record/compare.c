// SPDX-License-Identifier: MIT
#include "record/compare.h"

#include "record/trouble.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_PATH = 512, DEEPEST = 4 };

typedef struct walk {
  const carom_store *first, *second;
  bool only_second; // looks for what the first does not have
  void *ctx;
  void (*tell)(void *ctx, const carom_difference *difference);
} walk;

bool carom_difference_none(const carom_difference *difference, double tolerance) {
  const carom_difference *d = difference;
  if (!d->in_first || !d->in_second || d->rows_first != d->rows_second) return false;
  return d->different == 0 || (!d->text && d->relative <= tolerance);
}

static void compare_numbers(const double *a, const double *b, long count, carom_difference *d) {
  double scale = 0.0;
  for (long k = 0; k < count; k++) {
    scale = fmax(scale, fmax(fabs(a[k]), fabs(b[k])));
    if (a[k] == b[k] || (isnan(a[k]) && isnan(b[k]))) continue;
    if (d->different++ == 0) d->where = k;
    double difference = fabs(a[k] - b[k]);
    // a number against none is as different as can be
    d->largest = fmax(d->largest, isnan(difference) ? INFINITY : difference);
  }
  d->relative = d->different == 0 ? 0.0 : scale > 0.0 ? d->largest / scale : INFINITY;
}

static void compare_texts(char *const *a, char *const *b, long count, carom_difference *d) {
  for (long k = 0; k < count; k++) {
    if (strcmp(a[k], b[k]) == 0) continue;
    if (d->different++ == 0) d->where = k;
  }
}

static long least_of(long a, long b) { return a < b ? a : b; }

static void compare_entry(const walk *it, const char *path) {
  carom_difference d = {.path = path, .where = -1};
  long columns_a = 0, columns_b = 0;
  double *a = carom_store_array(it->first, path, &d.rows_first, &columns_a);
  double *b = carom_store_array(it->second, path, &d.rows_second, &columns_b);
  if (a || b) {
    d.in_first = a != NULL;
    d.in_second = b != NULL;
    d.rows_first *= columns_a;
    d.rows_second *= columns_b;
    if (a && b) compare_numbers(a, b, least_of(d.rows_first, d.rows_second), &d);
  } else {
    char **s = carom_store_texts(it->first, path, &d.rows_first);
    char **t = carom_store_texts(it->second, path, &d.rows_second);
    d.text = true;
    d.in_first = s != NULL;
    d.in_second = t != NULL;
    if (s && t) compare_texts(s, t, least_of(d.rows_first, d.rows_second), &d);
    free(s);
    free(t);
  }
  free(a);
  free(b);
  bool told = it->only_second ? !d.in_first && d.in_second : d.in_first;
  if (told) it->tell(it->ctx, &d);
}

static void visit_group(const walk *it, const char *path, int depth) {
  int count;
  char **members = carom_store_list(it->only_second ? it->second : it->first, path, &count);
  if (!members) {
    compare_entry(it, path);
    return;
  }
  for (int k = 0; k < count && depth < DEEPEST; k++) {
    char member[LONGEST_PATH];
    int length =
        snprintf(member, sizeof member, "%s/%s", strcmp(path, "/") == 0 ? "" : path, members[k]);
    if (length < LONGEST_PATH && strcmp(member, "/provenance") != 0)
      visit_group(it, member, depth + 1);
  }
  free(members);
}

carom_status carom_compare(const carom_store *first, const carom_store *second, void *ctx,
                           void (*tell)(void *ctx, const carom_difference *difference),
                           carom_error *error) {
  if (strcmp(carom_store_kind(first), carom_store_kind(second)) != 0)
    return carom_record_fail(error, CAROM_ERR_INPUT, NULL, "one file holds a %s, the other a %s",
                             carom_store_kind(first), carom_store_kind(second));
  walk it = {first, second, false, ctx, tell};
  visit_group(&it, "/", 0);
  it.only_second = true;
  visit_group(&it, "/", 0);
  return CAROM_OK;
}
