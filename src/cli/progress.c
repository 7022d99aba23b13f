// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include "report.h"

#include <signal.h>
#include <time.h>

static const double FIRST_AFTER = 1.0, THEN_EVERY = 0.25; // [s]

// the one thing a signal handler may touch
static volatile sig_atomic_t interrupted;

static void note_interrupt(int signal_number) {
  (void)signal_number;
  interrupted = 1;
}

void carom_interrupt_catch(void) {
  struct sigaction action = {.sa_handler = note_interrupt, .sa_flags = (int)SA_RESETHAND};
  (void)sigemptyset(&action.sa_mask);
  (void)sigaction(SIGINT, &action, NULL);
  (void)sigaction(SIGTERM, &action, NULL);
}

bool carom_interrupted(void) { return interrupted != 0; }

double carom_clock(void) {
  struct timespec now = {0};
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

carom_progress carom_progress_begin(bool wanted, double t_start, double t_end) {
  double now = carom_clock();
  return (carom_progress){.wanted = wanted && carom_is_terminal(stderr),
                          .t_start = t_start,
                          .t_end = t_end,
                          .began = now,
                          .updated = now + FIRST_AFTER - THEN_EVERY};
}

static void print_left(double seconds) {
  if (seconds < 100.0)
    fprintf(stderr, ", %.0f s left", seconds);
  else if (seconds < 6000.0)
    fprintf(stderr, ", %.0f min left", seconds / 60.0);
  else
    fprintf(stderr, ", %.1f h left", seconds / 3600.0);
}

void carom_progress_update(carom_progress *progress, double t) {
  if (!progress->wanted) return;
  double now = carom_clock();
  if (now - progress->updated < THEN_EVERY) return;
  progress->updated = now;
  progress->shown = true;
  double part = (t - progress->t_start) / (progress->t_end - progress->t_start);
  fprintf(stderr, "\r\x1b[K%5.1f %%  t = %.6g of %.6g", 100.0 * part, t, progress->t_end);
  if (part > 0.0) print_left((now - progress->began) * (1.0 - part) / part);
  (void)fflush(stderr);
}

void carom_progress_points(carom_progress *progress, long done, long total, double left) {
  if (!progress->wanted) return;
  double now = carom_clock();
  if (now - progress->updated < THEN_EVERY) return;
  progress->updated = now;
  progress->shown = true;
  fprintf(stderr, "\r\x1b[K%5.1f %%  %ld of %ld", 100.0 * (double)done / (double)total, done,
          total);
  if (left >= 0.0) print_left(left);
  (void)fflush(stderr);
}

void carom_progress_end(carom_progress *progress) {
  if (progress->shown) fprintf(stderr, "\r\x1b[K");
  progress->shown = false;
}
