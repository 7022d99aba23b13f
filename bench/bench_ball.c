// SPDX-License-Identifier: MIT
// Ball on a vibrating plate, e = 0.9, Gamma = 2, tolerance 1e-9: impacts per second of CPU time.
//   Carom    the scenario bench/ball.yaml, in the frame at rest, the plate moves
//   hand     a hand-written Runge-Kutta 5(4) with events for this one system, in the plate's frame
//   Siconos  EventDriven with LsodarOSI, in the plate's frame (where it is installed)
// All three run in turns, the best of the repeats counts. The motion is chaotic, so what they have
// in common is the statistics: the mean speed after impacts, relative to the plate, is printed.
#define _POSIX_C_SOURCE 200809L
#include "carom/simulation.h"
#include "hand_rk54.h"
#include "siconos_ball.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REPEATS = 5 };
static const double TWO_PI = 6.283185307179586476925, TOLERANCE = 1e-9, E = 0.9;

typedef struct outcome {
  double seconds, periods, speed; // CPU time; simulated time; mean speed after impacts
  long impacts, steps, evaluations;
} outcome;

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- Carom ----

typedef struct speeds {
  double sum;
  long count;
} speeds;

static int note_speed(void *ctx, const carom_event *event) {
  speeds *all = ctx;
  if (event->kind != CAROM_EVENT_IMPACT) return 0;
  all->sum += event->after[1] - 2.0 / TWO_PI * cos(TWO_PI * event->t);
  all->count++;
  return 0;
}

static void must(carom_status status, const carom_error *error) {
  if (status >= 0) return;
  fprintf(stderr, "%s\n", error->text);
  exit(1);
}

// speeds are noted in a run of their own: timing is without an observer
static outcome run_carom(long impacts, const carom_observer *observer) {
  carom_model *model;
  carom_simulation *simulation;
  carom_error error = {0};
  carom_certificate now = {0};
  must(carom_model_load(CAROM_SOURCE_DIR "/bench/ball.yaml", 0, NULL, &model, &error), &error);
  must(carom_simulation_create(model, &simulation, &error), &error);
  carom_simulation_observe(simulation, observer);
  double began = cpu_seconds();
  while (now.counts.impacts < impacts) {
    double t = carom_simulation_time(simulation);
    must(carom_simulation_advance(simulation, t + 1000.0, &error), &error);
    must(carom_simulation_certificate(simulation, &now, &error), &error);
  }
  outcome out = {.seconds = cpu_seconds() - began,
                 .periods = carom_simulation_time(simulation),
                 .impacts = now.counts.impacts,
                 .steps = now.counts.steps,
                 .evaluations = now.counts.evaluations};
  if (!now.passed) printf("the certificate did not pass\n");
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
  return out;
}

// ---- by hand ----

static void fall(double t, const double *y, double *f) {
  f[0] = y[1];
  f[1] = -1.0 + 2.0 * sin(TWO_PI * t);
}

static double height(double t, const double *y) {
  (void)t;
  return y[0];
}

// at the end of chatter the ball rests until the plate accelerates away: sin = 1/2 on its way up
static double wait_for_take_off(double t) {
  double phase = t - floor(t);
  if (phase < 1.0 / 12.0) return t + 1.0 / 12.0 - phase;
  return phase > 5.0 / 12.0 ? t + 13.0 / 12.0 - phase : t;
}

static outcome run_hand(long impacts) {
  hand_rk54 s = {.rhs = fall, .event = height, .tolerance = TOLERANCE};
  double y[HAND_N] = {0.5, 0.0}, t = 0.0;
  outcome out = {.impacts = impacts};
  double began = cpu_seconds();
  hand_start(&s, 0.0, y, 1e-2);
  for (long k = 0; k < impacts; k++) {
    t = hand_next_event(&s, y);
    double speed = -E * y[1];
    out.speed += speed;
    y[0] = 1e-300;
    y[1] = speed;
    if (speed > 1e-5) {
      hand_start(&s, t, y, fmin(s.h, 0.3 * speed)); // the first step must not pass the next impact
    } else {
      y[1] = 1e-6;
      hand_start(&s, wait_for_take_off(t), y, 1e-3);
    }
  }
  out.seconds = cpu_seconds() - began;
  out.speed /= (double)impacts;
  out.periods = t;
  out.steps = s.steps;
  out.evaluations = s.evaluations;
  return out;
}

// ---- the table ----

static void print(const char *name, const outcome *o, double carom_rate) {
  double rate = (double)o->impacts / o->seconds, n = (double)o->impacts;
  printf("%-8s %9.0f impacts/s  %8.2f us per impact  %5.2f periods, %6.1f steps, %7.1f "
         "evaluations per impact  mean speed %.4f  Carom is %.1f times as fast\n",
         name, rate, 1e6 / rate, o->periods / n, (double)o->steps / n, (double)o->evaluations / n,
         o->speed, carom_rate / rate);
}

int main(int argc, char **argv) {
  long impacts = argc > 1 ? atol(argv[1]) : 100000;
  speeds noted = {0};
  carom_observer observer = {.ctx = &noted, .event = note_speed};
  outcome carom = run_carom(impacts, &observer), hand = run_hand(impacts), siconos = {0};
  carom.speed = noted.sum / (double)noted.count;
  carom.seconds = hand.seconds = siconos.seconds = 1e300;
  for (int k = 0; k < REPEATS; k++) {
    carom.seconds = fmin(carom.seconds, run_carom(impacts, NULL).seconds);
    hand.seconds = fmin(hand.seconds, run_hand(impacts).seconds);
    siconos_result r;
    if (!siconos_ball(impacts < 3000 ? impacts : 3000, TOLERANCE, &r)) continue;
    siconos.impacts = r.impacts;
    siconos.periods = r.periods;
    siconos.speed = r.speed;
    siconos.seconds = fmin(siconos.seconds, r.seconds);
  }
  double rate = (double)carom.impacts / carom.seconds;
  print("Carom", &carom, rate);
  print("hand", &hand, rate);
  if (siconos.impacts > 0)
    print("Siconos", &siconos, rate);
  else
    printf("Siconos  not installed (libsiconos-kernel-dev, libsiconos-numerics-dev)\n");
  return 0;
}
