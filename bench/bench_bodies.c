// SPDX-License-Identifier: MIT
// Bodies by steps. First piles and walls in space: time, contacts and sweeps of a step, what a
// sweep costs a contact, and the contact problems of some steps beside the solvers of Siconos at
// the same residual, where it is installed. Then closed forms: errors and cost of a step of Carom,
// of the Open Dynamics Engine and of Bullet, where they are installed, at one step and at equal
// cost. One core. usage: bench_bodies [BOXES BRICKS [STEPS]]
#define _POSIX_C_SOURCE 200809L
#include "base/vector.h"
#include "bullet_bodies.h"
#include "event_costs.h"
#include "ode_bodies.h"
#include "siconos_friction.h"
#include "stepping/stepping.h"

#include <math.h>
#include <string.h>

enum { LOOKS = 3, MOST_DENSE = 900 }; // problems of a run that are compared, of so many contacts

static carom_simulation *start(const char *name, int count, const carom_setting *settings,
                               carom_model **model) {
  carom_simulation *simulation = NULL;
  carom_error error = {0};
  char path[400];
  (void)snprintf(path, sizeof path, "%s/bench/%s.yaml", CAROM_SOURCE_DIR, name);
  must(carom_model_load(path, count, settings, model, &error), &error);
  must(carom_simulation_create(*model, &simulation, &error), &error);
  return simulation;
}

static carom_world *world_of(const carom_simulation *simulation) {
  return ((carom_stepping *)simulation->state)->world;
}

// ---- the contact problem of the last step, as a whole matrix

// what an impulse along axis l of contact u does to the velocity along axis k of contact t
static double coupled(const carom_world *world, const carom_touch *t, int k, const carom_touch *u,
                      int l) {
  double sum = 0.0;
  for (int side = 0; side < 4; side++) {
    int i = side / 2, j = side % 2, body = i ? t->b : t->a;
    if (body != (j ? u->b : u->a) || !world->solids[body].moves) continue;
    const double *turn = i ? t->turn_b[k] : t->turn_a[k];
    const double *spread = j ? u->spread_b[l] : u->spread_a[l];
    sum +=
        (i == j ? 1.0 : -1.0) * (world->solids[body].light * carom_v3_dot(t->axes[k], u->axes[l]) +
                                 carom_v3_dot(turn, spread));
  }
  return sum;
}

// CPU time of Siconos for it; < 0: not there, or not solved
static double by_siconos(const carom_world *world, const char **solver) {
  int n = world->touch_count, rows = 3 * n;
  size_t size = (size_t)rows;
  double *W = calloc(size * size, sizeof *W), *q = calloc(size, sizeof *q),
         *mu = calloc(size, sizeof *mu), *forces = calloc(size, sizeof *forces);
  double seconds = -1.0;
  for (int i = 0; W && q && mu && forces && i < rows; i++) {
    const carom_touch *t = &world->touches[i / 3];
    q[i] = carom_touch_speed(world, t, i % 3) + (i % 3 == 0 ? t->rest : 0.0);
    mu[i / 3] = t->friction;
    for (int j = 0; j < rows; j++) {
      const carom_touch *u = &world->touches[j / 3];
      W[(size_t)i * size + (size_t)j] = coupled(world, t, i % 3, u, j % 3);
      q[i] -= W[(size_t)i * size + (size_t)j] * u->p[j % 3];
    }
  }
  if (W && q && mu && forces)
    seconds = siconos_friction(3, n, W, q, mu, world->set.residual, forces, solver);
  free(W);
  free(q);
  free(mu);
  free(forces);
  return seconds;
}

// ---- piles and walls

typedef struct tally {
  double seconds, warm, cold, siconos; // the last three of the steps that are compared
  int looks, failed;
} tally;

// the same step from no impulses at all, as the solvers of Siconos begin it
static double step_cold(const carom_simulation *simulation) {
  carom_simulation *copy = NULL;
  carom_error error = {0};
  must(carom_simulation_clone(simulation, &copy, &error), &error);
  world_of(copy)->touch_count = 0;
  double began = cpu_seconds();
  carom_world_step(world_of(copy));
  double seconds = cpu_seconds() - began;
  carom_simulation_destroy(copy);
  return seconds;
}

static void run(const carom_simulation *simulation, long steps, tally *all) {
  carom_world *world = world_of(simulation);
  const char *solver = "";
  long every = steps / LOOKS > 0 ? steps / LOOKS : 1;
  for (long k = 1; k <= steps; k++) {
    bool look = siconos_friction_is_here && k % every == 0;
    double cold = look ? step_cold(simulation) : 0.0, began = cpu_seconds(), own;
    carom_world_step(world);
    own = cpu_seconds() - began;
    all->seconds += own;
    if (!look || world->touch_count == 0 || world->touch_count > MOST_DENSE) continue;
    double other = by_siconos(world, &solver);
    all->failed += other < 0.0;
    if (other < 0.0) continue;
    all->warm += own;
    all->cold += cold;
    all->siconos += other;
    all->looks++;
  }
}

static void measure(const char *name, const char *what, const char *count, const char *wide,
                    long steps) {
  carom_model *model = NULL;
  const carom_setting settings[] = {{"n", count}, {"wide", wide}};
  carom_simulation *simulation = start(name, 2, settings, &model);
  carom_world *world = world_of(simulation);
  const carom_world_ledger *ledger = &world->ledger;
  tally all = {0};
  run(simulation, steps, &all);
  printf("| %s %s | %ld | %ld | %.1f | %.1f | %.0f | %ld | ", count, what, steps,
         ledger->most_contacts, 1e3 * all.seconds / (double)steps,
         (double)ledger->sweeps / (double)steps,
         1e9 * all.seconds / (double)(ledger->contact_sweeps ? ledger->contact_sweeps : 1),
         ledger->unsolved);
  if (!siconos_friction_is_here)
    printf("not installed |\n");
  else if (all.looks == 0)
    printf("%d looks, none solved or small enough |\n", all.failed);
  else
    printf("%.1f, warm %.1f (%d problems, %d not solved by it) |\n", all.siconos / all.cold,
           all.siconos / all.warm, all.looks, all.failed);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

// ---- closed forms

#define STEP "1e-3"
#define RUN "run: {until: 10, method: stepping, step: " STEP "}\n"

typedef struct form {
  const char *name, *text, *observed;
  double until, right;
  double (*ode)(double until, double step, double *seconds);
  double (*bullet)(double until, double step, double *seconds);
} form;

static const form FORMS[] = {
    {"a ball comes to roll, 5/7 v",
     "gravity: 9.81\n"
     "bodies: {floor: {plane: [0, 0, 1]},\n"
     "         ball: {sphere: 0.1, mass: 1, at: [0, 0, 0.1], velocity: [2, 0, 0]}}\n"
     "contacts: {c: {between: [ball, floor], friction: 0.3, impact: 0}}\n" RUN,
     "ball.x'", 1.0, 10.0 / 7.0, ode_ball_rolls, bullet_ball_rolls},
    {"a block slides v^2/(2 mu g)",
     "gravity: 9.81\n"
     "bodies: {floor: {plane: [0, 0, 1]},\n"
     "         block: {box: [0.2, 0.2, 0.1], mass: 1, at: [0, 0, 0.05], velocity: [2, 0, 0]}}\n"
     "contacts: {c: {between: [block, floor], friction: 0.4, impact: 0}}\n" RUN,
     "block.x", 1.0, 4.0 / (2.0 * 0.4 * 9.81), ode_block_slides, bullet_block_slides},
    {"the top of ten boxes at rest, 10 s",
     "gravity: 9.81\n"
     "bodies: {floor: {plane: [0, 0, 1]},\n"
     "         \"box[i=1..10]\": {box: [0.2, 0.2, 0.1], mass: 1, at: [0, 0, \"0.1*i - 0.05\"]}}\n"
     "contacts: {all: {between: all, friction: 0.5, impact: 0}}\n" RUN,
     "box10.z", 10.0, 0.95, ode_stack_rests, bullet_stack_rests},
    {"the last of five balls, v",
     "bodies: {\"ball[i=1..5]\": {sphere: 0.1, mass: 1, at: [\"0.2000001*i\", 0, 0],\n"
     "                        velocity: [\"if(i < 2, 1, 0)\", 0, 0]}}\n"
     "contacts: {all: {between: all, impact: 1}}\n" RUN,
     "ball5.x'", 0.5, 1.0, ode_cradle, bullet_cradle},
    {"a coin that turns about its centre, height after 0.3 s",
     "gravity: 9.81\n"
     "bodies: {floor: {plane: [0, 0, 1]},\n"
     "         coin: {coin: 0.1, mass: 1, at: [0, 0, 0.1*sin(0.4)],\n"
     "                turn: {axis: [1, 0, 0], angle: 0.4},\n"
     "                spin: [0, -cos(0.4)*sqrt(4*9.81/0.1*sin(0.4)),\n"
     "                       -sin(0.4)*sqrt(4*9.81/0.1*sin(0.4))]}}\n"
     "contacts: {c: {between: [coin, floor], friction: 2, impact: 0}}\n" RUN,
     "coin.z", 0.3, 0.038941834230865, ode_coin_turns, bullet_coin_turns}};

static double by_carom(const form *one, double step, double *seconds) {
  carom_model *model = NULL;
  carom_simulation *simulation = NULL;
  carom_error error = {0};
  double value = NAN;
  char text[40];
  (void)snprintf(text, sizeof text, "%.17g", step);
  const carom_setting setting = {"run.step", text};
  must(carom_model_parse(one->text, NULL, 1, &setting, &model, &error), &error);
  must(carom_simulation_create(model, &simulation, &error), &error);
  double began = cpu_seconds();
  must(carom_simulation_advance(simulation, one->until, &error), &error);
  *seconds = cpu_seconds() - began;
  must(carom_simulation_get(simulation, one->observed, &value, &error), &error);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
  return value;
}

// The other program at the step at which it costs as much as Carom at the given one: found from
// what steps of this length cost it, twice, since that depends on their length.
static void compare_other(const form *one, double (*other)(double, double, double *), double step,
                          double own) {
  double same = step, seconds = 0.0;
  if (!other) {
    printf(" not installed | | |");
    return;
  }
  double value = other(one->until, same, &seconds), first = fabs(value - one->right);
  for (int round = 0; round < 2; round++) {
    same = fmin(fmax(same * seconds / own, 1e-7), 0.02);
    value = other(one->until, same, &seconds);
  }
  printf(" %.1e | %.1e | %.1e (%.2f) |", first, same, fabs(value - one->right), seconds / own);
}

static void compare_forms(void) {
  const double step = 1e-3;
  printf("\n| closed form | Carom, step " STEP
         ": error | us a step | ODE, this step | at equal cost: "
         "step | error (cost) | Bullet, this step | at equal cost: step | error (cost) |\n"
         "|---|---|---|---|---|---|---|---|---|\n");
  for (size_t k = 0; k < sizeof FORMS / sizeof *FORMS; k++) {
    double own;
    double value = by_carom(&FORMS[k], step, &own);
    printf("| %s | %.1e | %.2f |", FORMS[k].name, fabs(value - FORMS[k].right),
           1e6 * own * step / FORMS[k].until);
    compare_other(&FORMS[k], FORMS[k].ode, step, own);
    compare_other(&FORMS[k], FORMS[k].bullet, step, own);
    printf("\n");
  }
}

int main(int count, char **words) {
  const char *boxes = count > 1 ? words[1] : "100", *bricks = count > 2 ? words[2] : "60";
  long steps = count > 3 ? atol(words[3]) : 150;
  (void)setvbuf(stdout, NULL, _IOLBF, 0); // some solvers write between the lines
  printf("| | steps | contacts at most | ms a step | sweeps a step | ns a sweep and contact | "
         "unsolved steps | Siconos takes so many times as long, both from nothing "
         "|\n|---|---|---|---|---|---|---|---|\n");
  measure("pile_in_space", "boxes", "50", "5", steps);
  measure("pile_in_space", "boxes", boxes, "5", steps);
  measure("wall_and_ball", "bricks", bricks, "10", steps);
  compare_forms();
  return 0;
}
