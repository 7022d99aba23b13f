// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include "report.h"

#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static const double FIRST_AFTER = 1.0, THEN_EVERY = 0.25; // [s]

// ---- Ctrl-C ----
// The first one sets a flag, at which the computation looks between its steps. Where it does not
// look in time, inside one long step or impact, the program ends without its results: whoever asks
// it to stop never waits. Runs whose single steps take long, such as those of many rods, are given
// some of them.

static const double SAME_WISH = 0.1;                                           // [s]
static const double HEARD_WITHIN = 0.15, STEPS_GIVEN = 4.0, MOST_GIVEN = 30.0; // [s], steps, [s]
static const char GIVEN_UP[] = "carom: interrupted in the middle of a long step: ended without "
                               "results; what was saved stays, and --resume goes on where "
                               "there is a journal\n";

// the things that the signal handlers touch
static volatile sig_atomic_t interrupted, heard;
static volatile double began, looks; // when Ctrl-C was caught first; how often a run has looked
static volatile double asked;        // when it came
static timer_t deadline;
static volatile sig_atomic_t has_deadline;

static void give_up(int signal_number) {
  (void)signal_number;
  if (heard) return;
  // there is nobody to tell where this fails
  ssize_t told = write(STDERR_FILENO, GIVEN_UP, sizeof GIVEN_UP - 1);
  (void)told;
  _exit(CAROM_EXIT_FAILED);
}

// One wish to stop may come as several signals, to a whole group of processes and to each of them;
// what comes later is a second wish, and ends the program.
static bool is_second(int signal_number) {
  if (!interrupted) return false;
  if (carom_clock() - asked < SAME_WISH) return true;
  (void)signal(signal_number, SIG_DFL);
  (void)raise(signal_number);
  return true;
}

static void note_interrupt(int signal_number) {
  int kept = errno;
  if (is_second(signal_number)) return;
  interrupted = 1;
  asked = carom_clock();
  double step = looks > 0.0 ? (carom_clock() - began) / looks : 0.0;
  double wait = STEPS_GIVEN * step < MOST_GIVEN ? STEPS_GIVEN * step : MOST_GIVEN;
  if (wait < HEARD_WITHIN) wait = HEARD_WITHIN;
  time_t seconds = (time_t)wait;
  struct itimerspec when = {
      .it_value = {.tv_sec = seconds, .tv_nsec = (long)(1e9 * (wait - (double)seconds))}};
  if (has_deadline) (void)timer_settime(deadline, 0, &when, NULL);
  errno = kept;
}

void carom_interrupt_catch(void) {
  struct sigaction action = {.sa_handler = note_interrupt};
  struct sigaction last = {.sa_handler = give_up};
  struct sigevent alarm = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
  (void)sigemptyset(&action.sa_mask);
  (void)sigemptyset(&last.sa_mask);
  began = carom_clock();
  if (!has_deadline && sigaction(SIGALRM, &last, NULL) == 0)
    has_deadline = timer_create(CLOCK_MONOTONIC, &alarm, &deadline) == 0;
  (void)sigaction(SIGINT, &action, NULL);
  (void)sigaction(SIGTERM, &action, NULL);
}

bool carom_interrupted(void) { return interrupted != 0; }

void carom_interrupt_heard(void) { heard = 1; }

bool carom_interrupt_look(void) {
  looks = looks + 1.0;
  if (interrupted) heard = 1;
  return interrupted != 0;
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

void carom_progress_found(void *ctx, const carom_bifurcation_point *point) {
  (void)ctx, (void)point;
}

void carom_progress_end(carom_progress *progress) {
  if (progress->shown) fprintf(stderr, "\r\x1b[K");
  progress->shown = false;
}
