// SPDX-License-Identifier: MIT
// Random bodies in the plane against a second program that shares nothing with the library: up to
// ten contacts with sloped, shaken and running lines, friction of three kinds, Newton's and
// Poisson's laws. Each motion is compared up to where the law has several outcomes, or none, or
// bounces pile up. `test_plain_scenes COUNT SEED` asks for more and prints the counts.
#include "motion.h"

#include "plain_scene.h"

#include <stdlib.h>

static int scenes = 60;
static uint64_t first_seed = 1;
static bool talks;

static uint64_t seed;
static double uniform(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) * 0x1p-53;
}
static double between(double low, double high) { return low + (high - low) * uniform(); }
static bool chance(double p) { return uniform() < p; }

static void add_line(plain_scene *s, double turn, double place, bool shaken, bool belt) {
  plain_line line = {.turn = turn, .place = place, .rate = between(4.0, 20.0)};
  line.swing = shaken ? between(0.004, 0.04) : 0.0;
  line.belt_rate = between(1.0, 8.0);
  line.belt = belt ? between(-1.0, 1.0) : 0.0;
  line.belt_swing = belt ? between(0.0, 0.5) : 0.0;
  s->line[s->lines++] = line;
}

static void add_pair(plain_scene *s, int corner, int line, double e) {
  if (s->pairs == SCENE_PAIRS) return;
  double mu = between(0.03, 0.8), kind = uniform();
  plain_pair pair = {corner, line, mu, mu, 0.0, between(0.0, 0.8), e};
  if (kind > 0.4) pair.mu_s = mu * between(1.05, 1.6);
  if (kind > 0.7) pair.fall = between(0.05, 0.6);
  s->pair[s->pairs++] = pair;
}

static void make_scene(plain_scene *s, uint64_t number) {
  seed = 7919u * number + 104729u;
  for (int k = 0; k < 5; k++)
    (void)uniform();
  *s = (plain_scene){.poisson = chance(0.6), .gravity = 9.81, .until = 1.5};
  s->mass = between(0.5, 2.0);
  s->inertia = between(0.02, 0.2);
  bool sprung = chance(0.4), damped = chance(0.3), flat = chance(0.4);
  s->spring = sprung ? between(0.0, 40.0) : 0.0;
  s->turn_spring = sprung ? between(0.0, 4.0) : 0.0;
  s->damper = damped ? between(0.0, 1.0) : 0.0;
  s->turn_damper = damped ? between(0.0, 0.1) : 0.0;
  s->corners = 2 + (int)(3.0 * uniform());
  for (int k = 0; k < s->corners; k++) {
    s->reach[k] = flat ? 0.4 : between(0.25, 0.5);
    s->angle[k] = (k + (flat ? 0.0 : 0.4 * uniform())) * 2.0 * PI / s->corners;
  }
  double e = chance(0.5) ? 0.0 : between(0.1, 0.8), slope = flat ? 0.0 : between(-0.4, 0.4);
  s->u[0] = between(-2.0, 2.0);
  if (flat) { // on two corners; a rod of two corners lies along x
    s->q[2] = s->corners == 2 ? 0.0 : -0.5 * PI - PI / s->corners;
    s->q[1] = s->corners == 2 ? 0.0 : 0.4 * cos(PI / s->corners);
  } else {
    s->q[1] = between(0.6, 1.0);
    s->q[2] = between(0.0, 2.0 * PI);
    s->u[2] = between(-3.0, 3.0);
  }
  s->rest = s->q[2];
  add_line(s, 0.5 * PI + slope, 0.0, chance(0.3), chance(0.4));
  if (chance(0.6)) add_line(s, 0.0, -between(0.6, 1.2), chance(0.3), chance(0.2));
  if (chance(0.6)) add_line(s, PI, -between(0.6, 1.2), chance(0.3), chance(0.2));
  for (int line = 0; line < s->lines; line++)
    for (int corner = 0; corner < s->corners; corner++)
      add_pair(s, corner, line, e);
}

// ---- the same scene as a scenario --------------------------------------------------------------

static char text[16000];
static size_t used;

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...) {
  va_list list;
  va_start(list, format);
  int wrote = vsnprintf(text + used, sizeof text - used, format, list);
  va_end(list);
  if (wrote > 0) used += (size_t)wrote;
}

static void say_pair(const plain_scene *s, int k) {
  const plain_pair *pair = &s->pair[k];
  const plain_line *l = &s->line[pair->line];
  int c = pair->corner;
  say("  c%d: {gap: \"%.17g*x%d + %.17g*y%d - (%.17g) - %.17g*(1 - cos(%.17g*t))\", ", k,
      cos(l->turn), c, sin(l->turn), c, l->place, l->swing, l->rate);
  say("slip: \"%.17g*x%d' - (%.17g)*y%d' - (%.17g) - %.17g*sin(%.17g*t)\", ", sin(l->turn), c,
      cos(l->turn), c, l->belt, l->belt_swing, l->belt_rate);
  say("friction: {stick: %.17g, ", pair->mu_s);
  if (pair->fall > 0.0)
    say("slip: \"%.17g - %.17g*(1 - exp(-(slip/%.17g)^2))\", ", pair->mu_s, pair->mu_s - pair->mu,
        pair->fall);
  else
    say("slip: %.17g, ", pair->mu);
  say("impact: %.17g}, impact: {law: %s, e: %.17g}}\n", pair->mu_impact,
      s->poisson ? "poisson" : "newton", pair->e);
}

static void say_scene(const plain_scene *s) {
  used = 0;
  say("coordinates:\n  x: {start: 0, rate: %.17g}\n  y: %.17g\n", s->u[0], s->q[1]);
  say("  th: {start: %.17g, rate: %.17g}\ndefine:\n", s->q[2], s->u[2]);
  for (int k = 0; k < s->corners; k++)
    say("  x%d: x + %.17g*cos(th + %.17g)\n  y%d: y + %.17g*sin(th + %.17g)\n", k, s->reach[k],
        s->angle[k], k, s->reach[k], s->angle[k]);
  say("energy:\n  kinetic: %.17g/2*(x'^2 + y'^2) + %.17g/2*th'^2\n", s->mass, s->inertia);
  say("  potential: %.17g*y + %.17g/2*x^2 + %.17g/2*(th - (%.17g))^2\n", s->mass * s->gravity,
      s->spring, s->turn_spring, s->rest);
  say("  dissipation: %.17g/2*(x'^2 + y'^2) + %.17g/2*th'^2\ncontacts:\n", s->damper,
      s->turn_damper);
  for (int k = 0; k < s->pairs; k++)
    say_pair(s, k);
  say("run: {until: 1.5, rtol: 1e-11}\n");
}

// ---- comparison --------------------------------------------------------------------------------

typedef struct counts {
  int compared, differing, ends[PLAIN_CROWDED + 1], uncertain, failed;
  long events;
  double time;
} counts;

static double distance(const double *q, const double *u, const plain_state *x) {
  double worst = 0.0;
  for (int i = 0; i < 3; i++)
    worst = fmax(worst, fmax(fabs(q[i] - x->q[i]), fabs(u[i] - x->u[i])));
  return worst;
}

static bool run_library(double until, double *q, double *u, carom_error *error) {
  motion m = motion_parse(text);
  carom_status status = carom_simulation_advance(m.simulation, until, error);
  const char *names[] = {"x", "y", "th", "x'", "y'", "th'"};
  for (int i = 0; i < 6 && status >= 0; i++)
    *(i < 3 ? &q[i] : &u[i - 3]) = value_of(&m, names[i]);
  motion_end(&m);
  return status >= 0;
}

static void compare(uint64_t number, counts *sum) {
  plain_scene s;
  plain_state coarse, fine;
  make_scene(&s, number);
  say_scene(&s);
  plain_end end = plain_follow(&s, 1e-3, &coarse);
  // up to just before what the second program does not follow
  if (end != PLAIN_DONE) {
    s.until = coarse.t - 1e-5;
    if (plain_follow(&s, 1e-3, &coarse) != PLAIN_DONE) s.until = 0.0;
  }
  sum->ends[end]++;
  if (!(s.until > 0.01)) return;
  bool same = plain_follow(&s, 5e-4, &fine) == PLAIN_DONE && fine.events == coarse.events;
  double doubt = same ? distance(coarse.q, coarse.u, &fine) : INFINITY;
  if (doubt > 1e-6) { // its own steps are too coarse for this motion
    sum->uncertain++;
    return;
  }
  double q[3] = {0}, u[3] = {0};
  carom_error error = {0};
  bool ran = run_library(s.until, q, u, &error);
  double off = ran ? distance(q, u, &fine) : INFINITY;
  sum->compared++;
  sum->events += fine.events;
  sum->time += s.until;
  sum->failed += !ran;
  if (off <= 1e-7 + 20.0 * doubt) return;
  sum->differing++;
  print_message("scene %llu until %.9g: off by %.3g, doubt %.2g, %d events, %s %s\n",
                (unsigned long long)number, s.until, off, doubt, fine.events,
                s.poisson ? "poisson" : "newton", ran ? "" : error.text);
  if (scenes == 1) (void)fputs(text, stdout);
}

static void agrees_with_second_program(void **state) {
  (void)state;
  counts sum = {0};
  for (int k = 0; k < scenes; k++)
    compare(first_seed + (uint64_t)k, &sum);
  if (talks)
    print_message("%d compared over %.0f s with %ld events, %d differ (%d failed), %d uncertain; "
                  "ends: %d done, %d several, %d none, %d piling up, %d crowded\n",
                  sum.compared, sum.time, sum.events, sum.differing, sum.failed, sum.uncertain,
                  sum.ends[PLAIN_DONE], sum.ends[PLAIN_AMBIGUOUS], sum.ends[PLAIN_STUCK],
                  sum.ends[PLAIN_SMALL], sum.ends[PLAIN_CROWDED]);
  CHECK(sum.compared > scenes / 2);
  CHECK(sum.differing == 0);
}

int main(int argc, char **argv) {
  if (argc > 1) {
    scenes = atoi(argv[1]);
    talks = true;
  }
  if (argc > 2) first_seed = strtoull(argv[2], NULL, 10);
  const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_second_program)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
