// SPDX-License-Identifier: MIT
/// Random impacts of one to eight contacts that approach, touch at rest or move apart, against a
/// second program (second_solver.h). The energetic law: velocities and every single impulse, those
/// of contacts that stick together too. Arguments ask for a campaign of other impacts and print
/// the counts: `test_second_solver COUNT SEED`.
#include "energetic_setup.h"
#include "second_solver.h"

#include <stdlib.h>

static int impacts = 100;
static bool talks;
static uint64_t first_seed = 1, seed;

static double uniform(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) / 9007199254740992.0;
}
static double between(double lo, double hi) { return lo + (hi - lo) * uniform(); }

// Gradients at random, or of points of a rigid body in the plane on a floor (tangents parallel,
// more contacts than independent normals), or on surfaces at random angles (three tangents of rank
// two).
typedef enum sort { ANYWHERE, ON_FLOOR, FANNED } sort;

static sort random_problem(second_problem *p, uint64_t number) {
  seed = (first_seed * 1000003u + number) * 0x9e3779b97f4a7c15u;
  for (int k = 0; k < 4; k++)
    (void)uniform();
  sort kind = number % 3 == 0 ? ON_FLOOR : number % 3 == 1 ? FANNED : ANYWHERE;
  *p = (second_problem){.n = 1 + (int)(uniform() * 8.0), .rough = uniform() < 0.75};
  if (kind != ANYWHERE && p->n > 4) p->n = 2 + p->n % 3;
  p->f = kind == ANYWHERE ? p->n + 2 : 3;
  for (int k = 0; k < p->f; k++) {
    p->mass[k] = between(0.5, 2.0);
    p->u[k] = between(-1.0, 1.0);
  }
  double height = between(0.1, 1.0);
  if (kind != ANYWHERE) {
    p->mass[2] = between(0.1, 1.0);
    p->u[1] = -between(0.2, 1.0);
  }
  for (int i = 0; i < p->n; i++) {
    double at = between(-1.0, 1.0), angle = kind == FANNED ? between(-0.6, 0.6) : 0.0;
    double wn[3] = {sin(angle), cos(angle), at}, wt[3] = {cos(angle), -sin(angle), height};
    for (int k = 0; k < p->f; k++) {
      p->wn[i][k] = kind == ANYWHERE ? between(-1.0, 1.0) : wn[k];
      p->wt[i][k] = kind == ANYWHERE ? between(-1.0, 1.0) : wt[k];
    }
    p->k[i] = exp(between(-1.5, 1.5));
    p->a[i] = uniform() < 0.7 ? 1.5 : uniform() < 0.5 ? 1.0 : between(1.0, 2.0);
    p->e[i] = uniform() < 0.1 ? 1.0 : between(0.3, 1.0);
    p->slide[i] = between(0.05, 0.8);
    p->stick[i] = p->slide[i] * (uniform() < 0.5 ? 1.0 : between(1.0, 1.4));
  }
  return kind;
}

// the first contact gets a normal velocity: none, or a small one either way
static void touch(second_problem *p) {
  static const double apart[] = {0.0, 1e-12, -1e-12, 1e-9, -1e-9, 1e-6, 0.1};
  if (uniform() < 0.4) return;
  double v = apart[(int)(uniform() * 7.0)], size = 0.0;
  for (int k = 0; k < p->f; k++) {
    v -= p->wn[0][k] * p->u[k];
    size += p->wn[0][k] * p->wn[0][k];
  }
  for (int k = 0; k < p->f; k++)
    p->u[k] += v * p->wn[0][k] / size;
}

static void pose(const second_problem *p, setup *s) {
  begin(s, p->f);
  memcpy(s->mass, p->mass, (size_t)p->f * sizeof(double));
  memcpy(s->u, p->u, (size_t)p->f * sizeof(double));
  for (int i = 0; i < p->n; i++) {
    int c = contact(s, p->wn[i], p->rough ? p->wt[i] : NULL, p->e[i], p->stick[i], p->slide[i]);
    s->stiffness[c] = p->k[i];
    s->exponent[c] = p->a[i];
  }
  assemble(s);
}

typedef struct tally {
  int compared, doubtful, endless, off;
  double velocity, normal, tangential; // worst differences
} tally;

// how much the tangential impulses of the second program change with ten times its tolerance
static double split_error(const second_problem *p, const second_outcome *fine) {
  second_outcome coarse;
  double error = 0.0;
  if (!second_energetic(p, 1e-12, 60000, &coarse)) return 0.0;
  for (int i = 0; i < p->n; i++)
    error = fmax(error, fabs(fine->tangential[i] - coarse.tangential[i]));
  return error;
}

static void compare(uint64_t number, tally *t) {
  static setup s;
  second_problem p;
  second_outcome o;
  random_problem(&p, number);
  touch(&p);
  pose(&p, &s);
  s.o.max_steps = 4000;
  carom_energetic_result r;
  carom_status status = carom_energetic_solve(&s.p, &s.o, work, &r);
  bool ends = second_energetic(&p, 1e-13, 60000, &o);
  if (status != CAROM_OK || !ends) {
    if (talks)
      print_message("impact %lu of seed %lu: %s, the second program %s in %ld steps\n",
                    (unsigned long)number, (unsigned long)first_seed,
                    status == CAROM_OK ? "ends" : "does not end", ends ? "ends" : "does not end",
                    o.steps);
    t->endless++;
    return;
  }
  if (o.doubtful) {
    t->doubtful++;
    return;
  }
  t->compared++;
  double velocity = 0.0, normal = 0.0, tangential = 0.0;
  for (int k = 0; k < p.f; k++) {
    double u = p.u[k];
    for (int q = 0; q < s.p.impact.rows; q++)
      u += s.W[q][k] * r.impulse[q] / s.mass[k];
    velocity = fmax(velocity, fabs(u - o.u[k]));
  }
  for (int i = 0; i < p.n; i++) {
    normal = fmax(normal, fabs(r.impulse[s.normal[i]] - o.normal[i]));
    if (p.rough) tangential = fmax(tangential, fabs(r.impulse[s.tangent[i]] - o.tangential[i]));
  }
  bool off = !(velocity < 1e-8 && normal < 1e-8 && tangential < 1e-8);
  // the second program splits friction among contacts that stick step by step, blind to kinks
  // within: what that is worth, another tolerance tells
  if (off && velocity < 1e-8 && normal < 1e-8) off = !(tangential < 2.0 * split_error(&p, &o));
  if (off) t->off++;
  if (off || (talks && fmax(velocity, tangential) > 1e-9))
    print_message("impact %lu of seed %lu: %d contacts, velocities %.1e, normal impulses %.1e, "
                  "tangential %.1e, word %s, %d steps\n",
                  (unsigned long)number, (unsigned long)first_seed, p.n, velocity, normal,
                  tangential, r.word, r.steps);
  if (off) return;
  t->velocity = fmax(t->velocity, velocity);
  t->normal = fmax(t->normal, normal);
  t->tangential = fmax(t->tangential, tangential);
}

static void test_energetic(void **state) {
  (void)state;
  tally t = {0};
  for (int number = 0; number < impacts; number++)
    compare((uint64_t)number, &t);
  if (talks)
    print_message(
        "%d impacts: %d compared, %d doubtful, %d do not end, %d off; the others differ by %.1e "
        "(velocities), %.1e, %.1e (normal, tangential impulses)\n",
        impacts, t.compared, t.doubtful, t.endless, t.off, t.velocity, t.normal, t.tangential);
  CHECK(t.compared > impacts * 8 / 10);
  assert_int_equal(t.off, 0);
}

// two tangents 4e-6 apart, by chance: dependent as far as 1e-11 of their squares goes, and yet one
// sticks while the other slips
static void test_nearly_parallel(void **state) {
  (void)state;
  tally t = {0};
  uint64_t kept = first_seed;
  first_seed = 99170001;
  compare(1516, &t);
  first_seed = kept;
  assert_true(t.compared == 1 && t.off == 0);
}

// ---- Newton's and Poisson's laws

static carom_impact_workspace *other_work;

static bool is_among(const second_problem *p, const second_list *list, const double *u) {
  for (int k = 0; k < list->count; k++) {
    double off = 0.0;
    for (int i = 0; i < p->f; i++)
      off = fmax(off, fabs(list->u[k][i] - u[i]));
    if (off < 1e-9) return true;
  }
  return false;
}

static void compare_law(uint64_t number, bool newton, tally *t) {
  static setup s;
  static second_list list;
  second_problem p;
  random_problem(&p, 3 * number + 2); // anywhere
  p.n = 1 + p.n % (p.rough ? 3 : 8);
  p.f = p.rough ? 2 * p.n + 1 : p.n + 2;
  for (int k = 0; k < p.f; k++) {
    p.mass[k] = between(0.5, 2.0);
    p.u[k] = between(-1.0, 1.0);
    for (int i = 0; i < p.n; i++) {
      p.wn[i][k] = between(-1.0, 1.0);
      p.wt[i][k] = between(-1.0, 1.0);
    }
  }
  touch(&p);
  pose(&p, &s);
  s.p.impact.law = newton ? CAROM_IMPACT_NEWTON : CAROM_IMPACT_POISSON;
  carom_impact_result r;
  carom_status status = carom_impact_solve(&s.p.impact, other_work, &r);
  (newton ? second_newton : second_poisson)(&p, &list);
  if (list.singular || status != CAROM_OK || r.relaxed) {
    t->doubtful++;
    CHECK(list.singular || list.count == 0);
    return;
  }
  t->compared++;
  if (list.count > 1) t->endless++; // here: several outcomes
  double u[SECOND_FREEDOM];
  for (int k = 0; k < p.f; k++) {
    u[k] = p.u[k];
    for (int q = 0; q < s.p.impact.rows; q++)
      u[k] += s.W[q][k] * r.impulse[q] / s.mass[k];
  }
  if (is_among(&p, &list, u)) return;
  t->off++;
  print_message("%s, impact %lu of seed %lu: %d contacts, not among %d outcomes\n",
                newton ? "Newton" : "Poisson", (unsigned long)number, (unsigned long)first_seed,
                p.n, list.count);
}

static void test_other_laws(void **state) {
  (void)state;
  other_work = carom_impact_workspace_create(arena, MAX_ROWS, MAX_CONTACTS);
  assert_non_null(other_work);
  for (int newton = 0; newton < 2; newton++) {
    tally t = {0};
    for (int number = 0; number < impacts; number++)
      compare_law((uint64_t)number, newton, &t);
    if (talks)
      print_message("%s: %d impacts, %d compared, %d of them with several outcomes, %d without or "
                    "singular, %d off\n",
                    newton ? "Newton" : "Poisson", impacts, t.compared, t.endless, t.doubtful,
                    t.off);
    CHECK(t.compared > impacts * 9 / 10);
    assert_int_equal(t.off, 0);
  }
}

// ---- stick among contacts that depend on each other

// three tangents of rank two, and stick that breaks; a tall body on three points whose slip
// reverses
static void fan(second_problem *p) {
  *p = (second_problem){.n = 3,
                        .f = 3,
                        .rough = true,
                        .wn = {{0.42261826174069944, 0.9063077870366499, 0.08187541847565147},
                               {-0.08715574274765817, 0.9961946980917455, 0.09920821062211042},
                               {-0.49999999999999994, 0.8660254037844387, 0.03349364905389034}},
                        .wt = {{0.9063077870366499, -0.42261826174069944, 0.12378072117590788},
                               {0.9961946980917455, 0.08715574274765817, -0.0018650417250796313},
                               {0.8660254037844387, 0.49999999999999994, -0.1076794919243112}},
                        .mass = {1.1, 1.1, 0.02},
                        .u = {0.14780966812458185, -1.3807077648130028, -3.5020218017696383},
                        .k = {165150369.21389893, 102964218.48317441, 212915778.82220706},
                        .a = {1.5, 1.5, 1.5},
                        .e = {0.6883485492950098, 0.6894233003344786, 0.8837520049160997},
                        .stick = {0.815816591512548, 0.03219789479656965, 1.0120601295295286},
                        .slide = {0.67984715959379, 0.026831578997141378, 0.8674801110253102}};
}

static void tall(second_problem *p) {
  *p = (second_problem){.n = 3,
                        .f = 3,
                        .rough = true,
                        .wn = {{0, 1, -0.06}, {0, 1, 0}, {0, 1, 0.06}},
                        .wt = {{1, 0, 0.12}, {1, 0, 0.12}, {1, 0, 0.12}},
                        .mass = {0.6, 0.6, 0.0035},
                        .u = {0.06, -0.8, -1.5},
                        .k = {2e9, 5e8, 1e9},
                        .a = {1.5, 1.5, 1.5},
                        .e = {0.95, 0.8, 0.85},
                        .stick = {0.08, 0.05, 0.07},
                        .slide = {0.06, 0.05, 0.07}};
}

// velocities and impulses have the digits of the tolerance, whichever it is
static void test_shared_stick(void **state) {
  (void)state;
  static setup s;
  void (*const make[])(second_problem *) = {fan, tall};
  for (int which = 0; which < 2; which++) {
    second_problem p;
    second_outcome o;
    make[which](&p);
    assert_true(second_energetic(&p, 1e-14, 100000, &o) && !o.doubtful);
    for (double tolerance = 1e-8; tolerance > 0.5e-13; tolerance *= 0.1) {
      pose(&p, &s);
      s.o.tolerance = tolerance;
      carom_energetic_result r = solve(&s);
      double near = 30.0 * tolerance + 3e-11;
      for (int k = 0; k < 3; k++) {
        CHECK_NEAR(s.u[k], o.u[k], near);
        CHECK_NEAR(r.impulse[s.normal[k]], o.normal[k], near);
        CHECK_NEAR(r.impulse[s.tangent[k]], o.tangential[k], near);
      }
    }
  }
}

int main(int argc, char **argv) {
  if (argc > 1) {
    impacts = atoi(argv[1]);
    talks = true;
  }
  if (argc > 2) first_seed = strtoull(argv[2], NULL, 10);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shared_stick), cmocka_unit_test(test_other_laws),
      cmocka_unit_test(test_nearly_parallel), cmocka_unit_test(test_energetic)};
  return cmocka_run_group_tests(tests, start, finish);
}
