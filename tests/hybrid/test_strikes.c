// SPDX-License-Identifier: MIT
// Impacts inside a run against a second program: contacts that are in touch and approach, rest or
// move apart, by three laws, with and without friction, away from the origin. Arguments ask for
// others and print the counts: `test_strikes COUNT SEED`.
#include "motion.h"

#include "../impact/second_solver.h"

#include <stdlib.h>

typedef enum law { NEWTON, POISSON, ENERGETIC, LAWS } law;
static const char *const LAW[LAWS] = {"newton", "poisson", "energetic"};

static int strikes = 40;
static bool talks;
static uint64_t first_seed = 1, seed;

static double uniform(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) / 9007199254740992.0;
}
static double between(double lo, double hi) { return lo + (hi - lo) * uniform(); }

static void give_speed(second_problem *p, int i, double v) {
  double size = 0.0;
  for (int k = 0; k < p->f; k++) {
    v -= p->wn[i][k] * p->u[k];
    size += p->wn[i][k] * p->wn[i][k];
  }
  for (int k = 0; k < p->f; k++)
    p->u[k] += v * p->wn[i][k] / size;
}

static void random_problem(second_problem *p, uint64_t number) {
  static const double special[] = {0.0, 1e-12, 1e-9, 1e-6, 1e-3, 0.3};
  seed = (first_seed * 7919u + number) * 0x9e3779b97f4a7c15u;
  for (int k = 0; k < 4; k++)
    (void)uniform();
  *p = (second_problem){.n = 2 + (int)(uniform() * 3.0), .rough = uniform() < 0.7};
  if (p->rough && p->n > 3) p->n = 3;
  p->f = 2 * p->n;
  for (int k = 0; k < p->f; k++) {
    p->mass[k] = between(0.5, 2.0);
    p->u[k] = between(-1.0, 1.0);
  }
  for (int i = 0; i < p->n; i++) {
    for (int k = 0; k < p->f; k++) {
      p->wn[i][k] = between(-1.0, 1.0);
      p->wt[i][k] = between(-1.0, 1.0);
    }
    p->k[i] = exp(between(-1.0, 1.0));
    p->a[i] = 1.5;
    p->e[i] = between(0.3, 1.0);
    p->slide[i] = between(0.05, 0.6);
    p->stick[i] = p->slide[i] * (uniform() < 0.5 ? 1.0 : between(1.0, 1.4));
  }
  give_speed(p, 0, -between(0.2, 1.0));
  give_speed(p, p->n - 1, special[(int)(uniform() * 6.0)]);
}

// the sum of these terms as text
static void add_sum(char *text, size_t room, int f, const double *w, const char *after,
                    const double *from) {
  for (int k = 0; k < f; k++) {
    size_t used = strlen(text);
    (void)snprintf(text + used, room - used, "%s(%.17g)*(q%d%s - (%.17g))", k ? " + " : "", w[k], k,
                   after, from ? from[k] : 0.0);
  }
}

static carom_model *pose(const second_problem *p, law which) {
  char text[12000] = "coordinates:\n";
  double from[SECOND_FREEDOM];
  size_t room = sizeof text;
#define ADD(...) (void)snprintf(text + strlen(text), room - strlen(text), __VA_ARGS__)
  for (int k = 0; k < p->f; k++) {
    from[k] = between(-2.0, 2.0);
    ADD("  q%d: {start: %.17g, rate: %.17g}\n", k, from[k], p->u[k]);
  }
  ADD("energy:\n  kinetic: ");
  for (int k = 0; k < p->f; k++)
    ADD("%s%.17g*q%d'^2/2", k ? " + " : "", p->mass[k], k);
  ADD("\ncontacts:\n");
  for (int i = 0; i < p->n; i++) {
    ADD("  c%d:\n    gap: ", i);
    add_sum(text, room, p->f, p->wn[i], "", from);
    if (p->rough) {
      ADD("\n    slip: ");
      add_sum(text, room, p->f, p->wt[i], "'", NULL);
      ADD("\n    friction: {stick: %.17g, slip: %.17g}", p->stick[i], p->slide[i]);
    }
    ADD("\n    impact: {law: %s, e: %.17g", LAW[which], p->e[i]);
    if (which == ENERGETIC) ADD(", stiffness: %.17g, exponent: %.17g", p->k[i], p->a[i]);
    ADD("}\n");
  }
  ADD("run: {until: 1e-9, rtol: 1e-12}\n");
#undef ADD
  carom_model *model = NULL;
  carom_error error = {0};
  MUST(carom_model_parse(text, NULL, 0, NULL, &model, &error), error);
  return model;
}

// the outcomes of the second program
static bool all_outcomes(const second_problem *p, law which, second_list *list) {
  second_outcome o;
  if (which == NEWTON) second_newton(p, list);
  if (which == POISSON) second_poisson(p, list);
  if (which != ENERGETIC) return !list->singular && list->count > 0;
  *list = (second_list){.count = 1};
  bool ends = second_energetic(p, 1e-12, 60000, &o) && !o.doubtful;
  memcpy(list->u[0], o.u, sizeof o.u);
  return ends;
}

static double distance(const second_problem *p, const second_list *list, const motion *m) {
  double least = INFINITY;
  for (int j = 0; j < list->count; j++) {
    double most = 0.0;
    for (int k = 0; k < p->f; k++) {
      char name[20];
      (void)snprintf(name, sizeof name, "q%d'", k);
      most = fmax(most, fabs(value_of(m, name) - list->u[j][k]));
    }
    least = fmin(least, most);
  }
  return least;
}

static void strike(law which) {
  static second_list list;
  int compared = 0, off = 0, told = 0;
  double worst = 0.0;
  for (int number = 0; number < strikes; number++) {
    second_problem p;
    random_problem(&p, (uint64_t)number);
    if (!all_outcomes(&p, which, &list)) continue;
    motion m = {.model = pose(&p, which)};
    carom_error error = {0};
    carom_status status = carom_simulation_create(m.model, &m.simulation, &error);
    if (status >= 0) status = carom_simulation_run(m.simulation, &error);
    double far = status >= 0 ? distance(&p, &list, &m) : INFINITY;
    compared++;
    if (which == ENERGETIC && status == CAROM_ERR_NO_CONVERGENCE) { // it hardly fades
      told++;
    } else if (far > 1e-9) {
      off++;
      print_message("%s, strike %d of seed %lu: %d contacts, off by %.1e %s\n", LAW[which], number,
                    (unsigned long)first_seed, p.n, far, error.text);
    } else {
      worst = fmax(worst, far);
    }
    motion_end(&m);
  }
  if (talks)
    print_message("%s: %d compared, %d told not to fade, %d off, the others by %.1e\n", LAW[which],
                  compared, told, off, worst);
  CHECK(compared > strikes * 9 / 10 && 1000 * told <= compared);
  assert_int_equal(off, 0);
}

static void test_newton(void **state) {
  (void)state;
  strike(NEWTON);
}
static void test_poisson(void **state) {
  (void)state;
  strike(POISSON);
}
static void test_energetic(void **state) {
  (void)state;
  strike(ENERGETIC);
}

int main(int argc, char **argv) {
  if (argc > 1) {
    strikes = atoi(argv[1]);
    talks = true;
  }
  if (argc > 2) first_seed = strtoull(argv[2], NULL, 10);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_newton),
      cmocka_unit_test(test_poisson),
      cmocka_unit_test(test_energetic),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
