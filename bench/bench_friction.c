// SPDX-License-Identifier: MIT
// The friction solver: walls of bricks with a load that changes a little from solve to solve
// (warm) and from nothing (cold), against the limits that a step of a simulation can bear, and the
// problems of other people's simulations beside the solvers of Siconos, where it is installed (else
// the times that were measured once). One core.
// usage: bench_friction [FOLDER]: further problems (or CAROM_FRICTION_PROBLEMS)
#define _POSIX_C_SOURCE 200809L
#include "../tests/friction/friction_help.h"
#include "friction/friction.h"
#include "siconos_friction.h"

#include <dirent.h>
#include <time.h>

enum { ROUNDS = 7, STEPS = 20 };
#define LONG_ENOUGH 0.05 // seconds of one problem

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double least(double a, double b) { return a < b ? a : b; }

// ---- a wall

// Contact i presses body above[i] away from body below[i] (-1: the ground) at x from the middle of
// each; half heights are 1/2. In space a body has three more rows; here only turns about y and x.
typedef struct wall {
  int d, n, bodies;
  int *above, *below;
  double (*arm)[4]; // x, y of the contact from the middle of the upper and of the lower brick
  int *start, *column;
  double *block, *q, *mu;
} wall;

// row `a` of contact i for the body: forces (normal z, tangents x, y) and the turns they cause
static void jacobian(const wall *w, int i, int a, bool upper, double *J) {
  double sign = upper ? 1.0 : -1.0, z = upper ? -0.5 : 0.5;
  const double *arm = w->arm[i] + (upper ? 0 : 2);
  memset(J, 0, 6 * sizeof(double));
  double force[3] = {a == 1, a == 2, a == 0}, at[3] = {arm[0], arm[1], z};
  for (int k = 0; k < 3; k++) {
    J[k] = sign * force[k];
    int l = (k + 1) % 3, m = (k + 2) % 3;
    J[3 + k] = sign * (at[l] * force[m] - at[m] * force[l]);
  }
}

static double coupled(const wall *w, int i, int a, int j, int b) {
  static const double inverse[6] = {1, 1, 1, 6, 6, 6};
  double sum = 0.0;
  for (int s = 0; s < 2; s++)
    for (int t = 0; t < 2; t++) {
      int one = s ? w->above[i] : w->below[i], other = t ? w->above[j] : w->below[j];
      double J[6], K[6];
      if (one < 0 || one != other) continue;
      jacobian(w, i, a, s == 1, J);
      jacobian(w, j, b, t == 1, K);
      for (int k = 0; k < 6; k++)
        sum += J[k] * K[k] * inverse[k];
    }
  return sum;
}

static bool touch(const wall *w, int i, int j) {
  int a = w->above[i], b = w->below[i];
  return a == w->above[j] || a == w->below[j] || (b >= 0 && (b == w->above[j] || b == w->below[j]));
}

static void add_contact(wall *w, int above, int below, double x, double y, double shift) {
  int i = w->n++;
  w->above[i] = above;
  w->below[i] = below;
  double arm[4] = {x, y, x + shift, y};
  memcpy(w->arm[i], arm, sizeof arm);
}

// bricks of length 2 in courses, each on the halves of two, until `most` contacts are there
static wall build(int d, int most) {
  size_t room = (size_t)most + 8;
  wall w = {.d = d};
  w.above = calloc(room, sizeof(int));
  w.below = calloc(room, sizeof(int));
  w.arm = calloc(room, sizeof *w.arm);
  int wide = most < 100 ? 3 : 8;
  for (int course = 0; w.n < most; course++)
    for (int k = 0; k < wide && w.n < most; k++) {
      int brick = w.bodies++;
      for (int side = -1; side <= 1; side += 2)
        for (int depth = -1; depth <= 1 && w.n < most; depth += 2) {
          if (d == 2 && depth > 0) continue;
          int under = k + (course % 2 ? (side + 1) / 2 : (side - 1) / 2);
          bool there = course > 0 && under >= 0 && under < wide;
          int below = course == 0 ? -1 : there ? (course - 1) * wide + under : -1;
          add_contact(&w, brick, below, 0.8 * side, d == 3 ? 0.4 * depth : 0.0, -side * 1.0);
        }
    }
  size_t n = (size_t)w.n, size = (size_t)(d * d);
  int blocks = 0;
  for (int i = 0; i < w.n; i++)
    for (int j = 0; j < w.n; j++)
      blocks += touch(&w, i, j);
  w.start = calloc(n + 1, sizeof(int));
  w.column = calloc((size_t)blocks, sizeof(int));
  w.block = calloc((size_t)blocks * size, sizeof(double));
  w.q = calloc(n * (size_t)d, sizeof(double));
  w.mu = calloc(n, sizeof(double));
  for (int i = 0, next = 0; i < w.n; i++) {
    w.mu[i] = 0.5;
    for (int j = 0; j < w.n; j++) {
      if (!touch(&w, i, j)) continue;
      for (int e = 0; e < d * d; e++)
        w.block[(size_t)next * size + (size_t)e] = coupled(&w, i, e / d, j, e % d);
      w.column[next++] = j;
    }
    w.start[i + 1] = next;
  }
  return w;
}

// What the bricks would do in a step without contacts: fall, pushed along x by a load that grows
// and is not the same for all, so that some begin to slip.
static void load(wall *w, int step) {
  unsigned state = 1;
  double push = 0.3 + 0.01 * step;
  memset(w->q, 0, (size_t)(w->d * w->n) * sizeof(double));
  for (int brick = 0; brick < w->bodies; brick++) {
    double u[6] = {push * (1.0 + 0.5 * noise(&state)), 0.0, -1.0, 0.0, 0.0, 0.0};
    if (w->d == 3) u[1] = 0.2 * noise(&state);
    for (int i = 0; i < w->n; i++)
      for (int a = 0; a < w->d; a++)
        for (int upper = 0; upper < 2; upper++) {
          double J[6];
          if ((upper ? w->above[i] : w->below[i]) != brick) continue;
          jacobian(w, i, a, upper == 1, J);
          for (int k = 0; k < 6; k++)
            w->q[i * w->d + a] += J[k] * u[k];
        }
  }
}

static void measure(int d, int contacts, double limit) {
  wall w = build(d, contacts);
  carom_arena *arena = carom_arena_create(NULL);
  carom_friction_workspace *work = carom_friction_workspace_create(arena, d, w.n, w.start[w.n]);
  carom_friction_options o = carom_friction_options_default();
  double *start = calloc((size_t)(d * w.n), sizeof(double)), worst = 0.0;
  double warm = 0.0, cold = 0.0, slowest = 0.0;
  o.dimension = d;
  o.contacts = w.n;
  o.block_start = w.start;
  o.block_column = w.column;
  o.block = w.block;
  o.q = w.q;
  o.mu = w.mu;
  o.prove = false;
  for (int step = 0; step < STEPS; step++) {
    const carom_friction_view *view = NULL;
    double best[2] = {1e9, 1e9};
    load(&w, step);
    for (int round = 0; round < ROUNDS; round++)
      for (int how = 0; how < 2; how++) {
        if (how == 1 && step == 0) continue;
        o.start = how ? start : NULL;
        double t = cpu_seconds();
        (void)carom_friction_find(&o, work, &view, NULL);
        best[how] = least(best[how], cpu_seconds() - t);
        worst = worst > view->residual ? worst : view->residual;
      }
    cold += best[0] / STEPS;
    if (step > 0) {
      warm += best[1] / (STEPS - 1);
      slowest = slowest > best[1] ? slowest : best[1];
    }
    memcpy(start, view->forces, (size_t)(d * w.n) * sizeof(double));
  }
  printf("| wall of bricks, %s | %d | %.3f | %.3f | %.3f | %.0f | %.2f | %.0e |\n",
         d == 2 ? "plane" : "space", w.n, 1e3 * warm, 1e3 * slowest, 1e3 * cold, 1e3 * limit,
         slowest / limit, worst);
  carom_arena_destroy(arena);
  free(start);
  free(w.above);
  free(w.below);
  free(w.arm);
  free(w.start);
  free(w.column);
  free(w.block);
  free(w.q);
  free(w.mu);
}

// ---- problems of others

// Siconos 4.4.0 (Debian 12), to 1e-8 by its own measure, the better of NSGS and NSN_AC, as measured
// once: for machines where it is not installed. 0: neither solves it, -1: not measured
static const struct {
  const char *name;
  double seconds;
} once[] = {{"boxesstack1-i100000-32", 0},    {"capsules-i100-889", 0.228},
            {"capsules-i103-990", 0.247},     {"confeti-ex03-fc3d-sbm", 0.002},
            {"confeti-ex13-fc3d-sbm", 0.003}, {"oneobject-i100000-316", 0.003},
            {"oneobject-i1028-138", 0.005}};

static double time_once(const char *name) {
  for (size_t k = 0; k < sizeof once / sizeof *once; k++)
    if (strcmp(once[k].name, name) == 0) return once[k].seconds;
  return strncmp(name, "frictioncontactproblem0", 23) == 0 ? -1.0 : 0.001;
}

static void tell_peer(const posed *p, const char *name, double own) {
  const char *solver = "measured once";
  double *forces = calloc((size_t)(p->d * p->n), sizeof(double));
  double seconds = siconos_friction_is_here
                       ? siconos_friction(p->d, p->n, p->W, p->q, p->mu, 1e-8, forces, &solver)
                       : time_once(name);
  if (seconds > 0.0)
    printf("%.4f (%s) | %.3f | ", 1e3 * seconds, solver, own / seconds);
  else
    printf("%s | | ", siconos_friction_is_here || seconds == 0.0 ? "not solved" : "not measured");
  if (siconos_friction_is_here && seconds > 0.0) printf("%.0e", residual_of(p, forces));
  printf(" |\n");
  free(forces);
}

// the blocks that are not zero, as the peers are given them
typedef struct blocks {
  int *start, *column;
  double *block;
} blocks;

static bool is_zero(const posed *p, int i, int j) {
  for (int e = 0; e < p->d * p->d; e++)
    if (p->W[(i * p->d + e / p->d) * p->d * p->n + j * p->d + e % p->d] != 0.0) return false;
  return true;
}

static blocks list_blocks(const posed *p) {
  int d = p->d, size = d * d, next = 0;
  size_t n = (size_t)p->n;
  blocks b = {calloc(n + 1, sizeof(int)), calloc(n * n, sizeof(int)),
              calloc(n * n, (size_t)size * sizeof(double))};
  for (int i = 0; i < p->n; i++) {
    for (int j = 0; j < p->n; j++) {
      if (is_zero(p, i, j)) continue;
      for (int e = 0; e < size; e++)
        b.block[next * size + e] = p->W[(i * d + e / d) * d * p->n + j * d + e % d];
      b.column[next++] = j;
    }
    b.start[i + 1] = next;
  }
  return b;
}

static void compare(const char *folder, const char *file) {
  char path[1024], name[256];
  size_t length = strlen(file);
  if (length < 5 || length > sizeof name || strcmp(file + length - 4, ".txt") != 0) return;
  (void)snprintf(path, sizeof path, "%s/%s", folder, file);
  (void)snprintf(name, sizeof name, "%.*s", (int)(length - 4), file);
  posed p = read_problem(path);
  if (p.n == 0) return;
  carom_friction_options o = ask(&p);
  carom_arena *arena = carom_arena_create(NULL);
  carom_friction_workspace *work = carom_friction_workspace_create(arena, p.d, p.n, p.n * p.n);
  const carom_friction_view *view = NULL;
  blocks b = list_blocks(&p);
  double best = 1e9;
  o.W = NULL;
  o.block_start = b.start;
  o.block_column = b.column;
  o.block = b.block;
  o.prove = false;
  // small problems often: a moment in which nobody else is at work is short
  double until = cpu_seconds() + LONG_ENOUGH;
  for (int round = 0, calls = 1; round < ROUNDS || cpu_seconds() < until; round++) {
    double t = cpu_seconds();
    for (int call = 0; call < calls; call++)
      (void)carom_friction_find(&o, work, &view, NULL);
    best = least(best, (cpu_seconds() - t) / calls);
    calls = calls_in_a_row(best);
  }
  printf("| %s | %d | %.4f | %.0e | ", name, p.n, 1e3 * best, residual_of(&p, view->forces));
  tell_peer(&p, name, best);
  carom_arena_destroy(arena);
  free(b.start);
  free(b.column);
  free(b.block);
  dispose(&p);
}

static void compare_folder(const char *folder) {
  struct dirent **entries = NULL;
  int count = scandir(folder, &entries, NULL, alphasort);
  for (int k = 0; k < count; k++) {
    compare(folder, entries[k]->d_name);
    free(entries[k]);
  }
  free(entries);
}

int main(int count, char **words) {
  (void)setvbuf(stdout, NULL, _IOLBF, 0);
  const char *folder = count > 1 ? words[1] : getenv("CAROM_FRICTION_PROBLEMS");
  printf("| problem | contacts | warm, ms | slowest | cold | limit | slowest/limit | residual |\n"
         "|---|---|---|---|---|---|---|---|\n");
  measure(2, 30, 1e-3);
  measure(2, 300, 50e-3);
  measure(3, 30, 5e-3);
  measure(3, 300, 500e-3);
  printf("\n| problem | contacts | ms, from nothing | residual | Siconos to 1e-8, ms | ratio | its "
         "residual |\n"
         "|---|---|---|---|---|---|---|\n");
  compare_folder(folder ? folder : CAROM_SOURCE_DIR "/tests/friction/problems");
  return 0;
}
