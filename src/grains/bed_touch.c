// SPDX-License-Identifier: MIT
// Forces, chunk by chunk: gravity, contacts, and what other chunks have sent. Sums are taken in
// orders that do not know how many threads there are.
#include "grains/bed_kernels.h"
#include "grains/touch_lanes.h"

void carom_bed_touch_chunk(carom_bed *bed, carom_bed_chunk *chunk) {
  memset(&chunk->sums, 0, sizeof chunk->sums);
  bed->kernels->pull(bed, chunk);
  carom_bed_touch_pairs(bed, chunk);
  for (int k = 0; k < bed->settings->wall_count; k++)
    carom_bed_touch_wall(bed, chunk, k);
}

void carom_bed_read_mail(carom_bed *bed, const carom_bed_chunk *chunk) {
  for (int s = 0; s < chunk->sender_count; s++) {
    const carom_bed_chunk *from = &bed->chunks[chunk->senders[s][0]];
    const carom_bed_leg *leg = &from->legs[chunk->senders[s][1]];
    for (int k = leg->mail; k < leg->mail_end; k++)
      for (int c = 0; c < 8; c++)
        chunk->push[from->mail.to[k] - chunk->first][c] += from->mail.push[k][c];
  }
}

static void collect_strikes(carom_strike_sums *to, const carom_strike_sums *from) {
  to->count += from->count;
  to->begun += from->begun;
  to->flights += from->flights;
  for (int c = 0; c < 3; c++) {
    to->before[c] += from->before[c];
    to->after[c] += from->after[c];
  }
  to->plate += from->plate;
  to->flight += from->flight;
  for (int k = 0; k < CAROM_BED_PHASES; k++)
    to->phases[k] += from->phases[k];
  for (int k = 0; k < CAROM_BED_FLIGHTS; k++)
    to->lengths[k] += from->lengths[k];
}

void carom_bed_collect_sums(carom_bed *bed) {
  double h = bed->settings->step;
  bed->counts.tests = bed->counts.contacts = 0;
  for (int k = 0; k < bed->chunk_count; k++) {
    const carom_bed_sums *sums = &bed->chunks[k].sums;
    bed->ledger.lost_normal += sums->lost_normal * h;
    bed->ledger.taken_tangent += sums->taken_tangent * h;
    bed->ledger.work_drive += sums->work_drive * h;
    bed->ledger.deepest = sums->deepest > bed->ledger.deepest ? sums->deepest : bed->ledger.deepest;
    bed->counts.tests += sums->tests;
    bed->counts.contacts += sums->contacts;
    if (sums->struck) collect_strikes(&bed->striking.strikes, &sums->strikes);
    if (sums->trouble.yes && !bed->condition.trouble.yes) bed->condition.trouble = sums->trouble;
    bed->condition.no_memory |= sums->no_memory;
  }
  bed->counts.all_tests += bed->counts.tests;
}

void carom_bed_forces(carom_bed *bed) {
  for (int k = 0; k < bed->chunk_count; k++)
    carom_bed_touch_chunk(bed, &bed->chunks[k]);
  for (int k = 0; k < bed->chunk_count; k++)
    carom_bed_read_mail(bed, &bed->chunks[k]);
  carom_bed_collect_sums(bed);
}

// ---- a single distance, for checks and for the search

static double nearest_image(double d, double period) {
  double half = 0.5 * period;
  d = d > half ? d - period : d;
  return d < -half ? d + period : d;
}

double carom_bed_gap(const carom_bed *bed, int i, int j) {
  double r[3], s = 0.0, t = 0.0, sum = 0.0;
  for (int c = 0; c < 3; c++) {
    r[c] = bed->x[c][i] - bed->x[c][j];
    if (bed->settings->periodic[c] > 0.0) r[c] = nearest_image(r[c], bed->settings->periodic[c]);
  }
  const carom_bed_kind *a = carom_bed_kind_of(bed, i), *b = carom_bed_kind_of(bed, j);
  carom_segment_nearest(r[0], r[1], r[2], bed->u[0][i], bed->u[1][i], bed->u[2][i], a->half,
                        bed->u[0][j], bed->u[1][j], bed->u[2][j], b->half, &s, &t);
  for (int c = 0; c < 3; c++) {
    double d = r[c] + s * bed->u[c][i] - t * bed->u[c][j];
    sum += d * d;
  }
  return sqrt(sum) - a->radius - b->radius;
}
