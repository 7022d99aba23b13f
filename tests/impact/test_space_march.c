// SPDX-License-Identifier: MIT
// Several contacts in space by the energetic law: one alone against its own solver, contacts in the
// plane seen along turned tangents against the planar march, contacts in space against brute force
// in small steps; what may not matter (turned tangents, order, scale), energy, redundant contacts.
// Arguments: `test_space_march COUNT SEED`.
#include "check.h"

#include "impact/space_energetic.h"
#include "impact/space_march.h"

#include <stdlib.h>
#include <string.h>

static int count = 50;
static uint64_t seed = 1;
static carom_arena *arena;
static carom_space_march *work, *other_work;

static double uniform(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) / 9007199254740992.0;
}
static double between(double lo, double hi) { return lo + (hi - lo) * uniform(); }

enum { MOST = 4, ROWS = 3 * MOST };

typedef struct impact {
  double G[ROWS * ROWS], v[ROWS], stick[MOST], slide[MOST], e[MOST], k[MOST], a[MOST];
  carom_space_march_problem p;
} impact;

static void point(impact *q, int n) {
  q->p = (carom_space_march_problem){n, q->G, q->v, q->stick, q->slide, q->e, q->k, q->a, -1};
}

// n contacts of bodies with so many degrees of freedom: more rows than those depend on each other
static void make(impact *q, int n, int freedom) {
  double A[ROWS][16];
  memset(q, 0, sizeof *q);
  for (int r = 0; r < 3 * n; r++)
    for (int j = 0; j < freedom; j++)
      A[r][j] = between(-1.0, 1.0);
  for (int r = 0; r < 3 * n; r++)
    for (int c = 0; c < 3 * n; c++)
      for (int j = 0; j < freedom; j++)
        q->G[r * 3 * n + c] += A[r][j] * A[c][j];
  for (int j = 0; j < freedom; j++) {
    double u = between(-1.0, 1.0);
    for (int r = 0; r < 3 * n; r++)
      q->v[r] += A[r][j] * u;
  }
  for (int i = 0; i < n; i++) {
    q->slide[i] = between(0.0, 1.0);
    q->stick[i] = uniform() < 0.5 ? q->slide[i] : q->slide[i] * between(1.0, 1.5);
    q->e[i] = uniform() < 0.2 ? 0.0 : between(0.1, 1.0);
    q->k[i] = between(0.2, 5.0);
    q->a[i] = uniform() < 0.5 ? 1.5 : 1.0;
  }
  point(q, n);
}

static bool strikes(const impact *q) {
  for (int i = 0; i < q->p.contacts; i++)
    if (q->v[3 * i] < -0.05) return true;
  return false;
}

static double fastest(const impact *q) {
  double most = 0.0;
  for (int r = 0; r < 3 * q->p.contacts; r++)
    most = fmax(most, fabs(q->v[r]));
  return most;
}

static void one_contact(void **state) {
  (void)state;
  for (int n = 0; n < 2 * count; n++) {
    impact q;
    make(&q, 1, 4);
    q.v[0] = -between(0.1, 1.0);
    q.e[0] = between(0.1, 1.0);
    carom_space_impact one = {.stick = q.stick[0], .slide = q.slide[0], .e = q.e[0]};
    memcpy(one.G, q.G, sizeof one.G);
    memcpy(one.v, q.v, sizeof one.v);
    carom_space_outcome o;
    carom_space_march_result r;
    CHECK(carom_space_impact_solve(&one, &o));
    assert_int_equal(carom_space_march_solve(&q.p, work, &r), CAROM_OK);
    for (int i = 0; i < 3; i++) {
      CHECK_NEAR(r.after[i], o.v[i], 1e-10 * fastest(&q));
      double answer = fabs(o.P[i] * one.G[i][i]); // large where friction carries most of it
      CHECK_NEAR(r.impulse[i] * one.G[i][i], o.P[i] * one.G[i][i],
                 1e-9 * fmax(fastest(&q), 0.01 * answer));
    }
    assert_int_equal(r.sticks[0], o.sticks);
  }
}

// A body that sticks and nearly wedges is a thousand times as heavy as its contact tells: what is
// stored grows for long, and fades all the same.
static void heavy(void **state) {
  (void)state;
  impact q = {.G = {0.20872410895990953, 0.4028406413842206, -0.20807825551619288,
                    0.4028406413842206, 1.2267786564109295, 0.56008065844342914,
                    -0.20807825551619288, 0.56008065844342914, 2.2765262940414113},
              .v = {-0.77713019659061411, 1.3703321027278352, 0.020950896579044212},
              .stick = {1.1576590918545366},
              .slide = {0.96009583338831694},
              .e = {0.96962111733782819},
              .k = {2.6953904519504834},
              .a = {1.0}};
  carom_space_impact one = {.stick = q.stick[0], .slide = q.slide[0], .e = q.e[0]};
  carom_space_outcome o;
  carom_space_march_result r;
  memcpy(one.G, q.G, sizeof one.G);
  memcpy(one.v, q.v, sizeof one.v);
  point(&q, 1);
  CHECK(carom_space_impact_solve(&one, &o));
  assert_int_equal(carom_space_march_solve(&q.p, work, &r), CAROM_OK);
  CHECK(o.sticks && r.sticks[0]);
  CHECK_NEAR(r.after[0], o.v[0], 1e-9);
}

// However slowly contacts come, beside what they slip, they leave: a box that slides strikes with
// its four corners.
static void slow_approach(void **state) {
  (void)state;
  const double corner[4][2] = {{0.15, 0.1}, {0.15, -0.1}, {-0.15, 0.1}, {-0.15, -0.1}};
  const double inertia[6] = {2.0, 2.0, 2.0, 0.01, 0.02, 0.03};
  for (int n = 0; n < 15; n++) {
    double scale = pow(0.1, n), u[6] = {1.0, -0.5, -scale, 0.3 * scale, 0.2 * scale, 0.7};
    impact q = {0};
    double A[ROWS][6] = {0};
    for (int i = 0; i < 4; i++) {
      const double x = corner[i][0], y = corner[i][1], z = -0.05;
      const double rows[3][6] = {{0, 0, 1, y, -x, 0}, {1, 0, 0, 0, z, -y}, {0, 1, 0, -z, 0, x}};
      memcpy(A[3 * i], rows, sizeof rows);
      q.slide[i] = q.stick[i] = 0.3;
      q.k[i] = 1.0;
      q.a[i] = 1.5;
    }
    for (int r = 0; r < ROWS; r++)
      for (int j = 0; j < 6; j++) {
        q.v[r] += A[r][j] * u[j];
        for (int c = 0; c < ROWS; c++)
          q.G[r * ROWS + c] += A[r][j] * A[c][j] / inertia[j];
      }
    point(&q, 4);
    carom_space_march_result r;
    assert_int_equal(carom_space_march_solve(&q.p, work, &r), CAROM_OK);
    // 1e-12 of the slip may stay, down to where the approach is its own measure
    for (int i = 0; i < 4; i++)
      CHECK(r.after[3 * i] > -1e-5 * scale && r.after[3 * i] < scale);
  }
}

// ---- the plane

typedef struct flat {
  double G[4 * MOST * MOST], v[2 * MOST];
  int normal[MOST], tangent[MOST];
} flat;

static int flat_row(int r) { return r / 2 * 3 + r % 2; }

// the rows of normals and first tangents
static carom_energetic_problem flatten(const impact *q, flat *f) {
  int n = q->p.contacts;
  for (int r = 0; r < 2 * n; r++) {
    f->v[r] = q->v[flat_row(r)];
    *(r % 2 ? &f->tangent[r / 2] : &f->normal[r / 2]) = r;
    for (int c = 0; c < 2 * n; c++)
      f->G[r * 2 * n + c] = q->G[flat_row(r) * 3 * n + flat_row(c)];
  }
  return (carom_energetic_problem){.impact = {.rows = 2 * n,
                                              .contacts = n,
                                              .normal = f->normal,
                                              .tangent = f->tangent,
                                              .G = f->G,
                                              .before = f->v,
                                              .e = q->e,
                                              .stick = q->stick,
                                              .slide = q->slide,
                                              .pushing = -1},
                                   .stiffness = q->k,
                                   .exponent = q->a};
}

// the same in space, the line of each contact under an angle to its tangents
static void unflatten(const flat *f, const double *angle, impact *q) {
  int n = q->p.contacts;
  double part[ROWS];
  for (int r = 0; r < 3 * n; r++)
    part[r] = r % 3 == 0 ? 1.0 : r % 3 == 1 ? cos(angle[r / 3]) : sin(angle[r / 3]);
  for (int r = 0; r < 3 * n; r++) {
    int from = r / 3 * 2 + (r % 3 > 0);
    q->v[r] = part[r] * f->v[from];
    for (int c = 0; c < 3 * n; c++)
      q->G[r * 3 * n + c] = part[r] * part[c] * f->G[from * 2 * n + c / 3 * 2 + (c % 3 > 0)];
  }
}

static void in_the_plane(void **state) {
  (void)state;
  carom_energetic_workspace *plane = carom_energetic_workspace_create(arena, 2 * MOST, MOST);
  int ended = 0, off = 0, open = 0, judged = 0, locked = 0;
  for (int trial = 0; trial < 2 * count; trial++) {
    impact q;
    flat f;
    double angle[MOST];
    int n = 2 + (int)(3.0 * uniform());
    make(&q, n, 2 + (int)(8.0 * uniform()));
    if (uniform() < 0.3) q.v[4] = 0.0;
    if (!strikes(&q)) continue;
    carom_energetic_problem p = flatten(&q, &f);
    carom_energetic_options options = carom_energetic_options_default();
    carom_energetic_result o;
    carom_status verdict = carom_energetic_solve(&p, &options, plane, &o);
    for (int i = 0; i < n; i++)
      angle[i] = between(0.0, 6.2);
    unflatten(&f, angle, &q);
    carom_space_march_result r;
    carom_status found = carom_space_march_solve(&q.p, work, &r);
    locked += verdict != CAROM_OK;
    judged += verdict != found;
    if (verdict != CAROM_OK || o.steps > 200) continue;
    if (found != CAROM_OK) {
      open++;
      continue;
    }
    double worst = 0.0;
    for (int i = 0; i < n; i++) {
      double slip = cos(angle[i]) * r.after[3 * i + 1] + sin(angle[i]) * r.after[3 * i + 2];
      worst = fmax(worst, fabs(r.after[3 * i] - o.after[2 * i]));
      worst = fmax(worst, fabs(slip - o.after[2 * i + 1]));
    }
    ended++;
    // where e is 0 the end of a compression is a quadrature over a kink
    bool returns = true;
    for (int i = 0; i < n; i++)
      returns = returns && q.e[i] > 0.0;
    off += worst > (returns ? 1e-8 : 1e-4) * fastest(&q);
  }
  print_message(
      "%d impacts in the plane, %d differ, %d more do not end; %d are told not to fade, %d "
      "judged otherwise\n",
      ended, off, open, locked, judged);
  CHECK(20 * judged < 2 * count);
  CHECK(2 * ended > count && 100 * off < ended && 20 * open < ended);
}

// ---- invariance and energy

// other tangents, contacts in another order, other units
static void look_otherwise(const impact *q, impact *t, double *angle) {
  int n = q->p.contacts;
  double R[ROWS][ROWS] = {{0}};
  *t = *q;
  point(t, n);
  for (int i = 0; i < n; i++) {
    int to = n - 1 - i;
    double c = cos(angle[i]), s = sin(angle[i]);
    R[3 * to][3 * i] = 1.0;
    R[3 * to + 1][3 * i + 1] = R[3 * to + 2][3 * i + 2] = c;
    R[3 * to + 1][3 * i + 2] = s, R[3 * to + 2][3 * i + 1] = -s;
    t->stick[to] = q->stick[i], t->slide[to] = q->slide[i], t->e[to] = q->e[i];
    t->k[to] = q->k[i], t->a[to] = q->a[i];
  }
  memset(t->G, 0, sizeof t->G);
  memset(t->v, 0, sizeof t->v);
  for (int a = 0; a < 3 * n; a++)
    for (int b = 0; b < 3 * n; b++) {
      t->v[a] += R[a][b] * q->v[b];
      for (int c = 0; c < 3 * n; c++)
        for (int d = 0; d < 3 * n && R[a][c] != 0.0; d++)
          t->G[a * 3 * n + b] += R[a][c] * q->G[c * 3 * n + d] * R[b][d];
    }
}

static void invariant(void **state) {
  (void)state;
  int ended = 0, off = 0;
  for (int trial = 0; trial < count; trial++) {
    impact q, t;
    double angle[MOST], energy = 0.0;
    int n = 2 + (int)(3.0 * uniform());
    make(&q, n, 5 + (int)(7.0 * uniform()));
    for (int i = 0; i < n; i++)
      angle[i] = between(0.0, 6.2);
    carom_space_march_result r, o;
    if (!strikes(&q) || carom_space_march_solve(&q.p, work, &r) != CAROM_OK) continue;
    ended++;
    // momentum, energy, cones, nothing approaches
    for (int a = 0; a < 3 * n; a++) {
      double v = q.v[a];
      for (int b = 0; b < 3 * n; b++)
        v += q.G[a * 3 * n + b] * r.impulse[b];
      CHECK_NEAR(v, r.after[a], 1e-10 * fastest(&q));
      energy += 0.5 * r.impulse[a] * (r.after[a] + q.v[a]);
    }
    CHECK(energy <= 1e-11);
    for (int i = 0; i < n; i++)
      CHECK(r.after[3 * i] >= -(1e-11 + r.left) * fastest(&q) && r.impulse[3 * i] >= 0.0);
    look_otherwise(&q, &t, angle);
    if (carom_space_march_solve(&t.p, other_work, &o) != CAROM_OK) continue;
    double worst = 0.0;
    for (int i = 0; i < n; i++) {
      const double *a = r.after + 3 * (size_t)i, *b = o.after + 3 * (size_t)(n - 1 - i);
      double c = cos(angle[i]), s = sin(angle[i]);
      worst = fmax(worst, fabs(a[0] - b[0]));
      worst = fmax(worst, hypot(c * a[1] + s * a[2] - b[1], c * a[2] - s * a[1] - b[2]));
    }
    off += worst > 1e-8 * fastest(&q);
  }
  print_message("%d of %d impacts end, %d differ by more than 1e-8 when looked at otherwise\n",
                ended, count, off);
  CHECK(4 * ended > count && 20 * off < ended);
}

// ---- how it ends

// Random impacts of many contacts come to an outcome, after thousands of steps if need be, or it is
// told what is left open and who holds whom.
static void ends(void **state) {
  (void)state;
  int told = 0, late = 0, trials = 2 * count;
  for (int trial = 0; trial < trials; trial++) {
    impact q;
    make(&q, 2 + (int)(3.0 * uniform()), 4 + (int)(6.0 * uniform()));
    if (!strikes(&q)) continue;
    carom_space_march_result r;
    carom_status status = carom_space_march_solve(&q.p, work, &r);
    CHECK(status == CAROM_OK || (status == CAROM_ERR_NO_CONVERGENCE && r.left > 1e-6));
    double held = 0.0, energy = 0.0, most = 0.0;
    int rows = 3 * q.p.contacts;
    for (int i = 0; i < q.p.contacts; i++)
      held += r.holding[i];
    for (int a = 0; a < rows; a++) {
      energy += 0.5 * r.impulse[a] * (r.after[a] + q.v[a]);
      most = fmax(most, q.v[a] * q.v[a]);
    }
    CHECK(energy <= 1e-11 * most);
    told += status != CAROM_OK;
    late += r.steps > 5000;
    if (status != CAROM_OK) CHECK(held > 0.0);
  }
  print_message("%d impacts: %d are told not to fade, %d take more than 5000 steps\n", trials, told,
                late);
  CHECK(10 * told < trials);
}

// A ball between two slopes, whose friction presses it back as it goes in and holds it as it comes
// out: m w^2/2 is taken by N (sin(b) + mu cos(b)), and given back by N (sin(b) - mu cos(b)). Where
// mu > tan(b) it stays, wedged.
static void wedge(void **state) {
  (void)state;
  const double b = 0.5, m = 2.0, R = 0.3, J = 0.4 * m * R * R;
  const double mu[] = {0.0, 0.2, 0.5, 0.53, 0.6, 2.0};
  for (int k = 0; k < 6; k++) {
    impact q = {0};
    // velocities of rows by those of the ball: x, y, z, spins about y and about the slopes' lines
    double A[6][6] = {{cos(b), 0, sin(b)},  {-sin(b), 0, cos(b), R}, {0, 1, 0, 0, R * sin(b)},
                      {-cos(b), 0, sin(b)}, {sin(b), 0, cos(b), -R}, {0, 1, 0, 0, R * sin(b)}};
    const double mass[] = {m, m, m, J, J, J};
    const double turn[2] = {0.4, 2.0}; // tangents of their own
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 6; j++) {
        double one = A[3 * i + 1][j], two = A[3 * i + 2][j];
        A[3 * i + 1][j] = cos(turn[i]) * one + sin(turn[i]) * two;
        A[3 * i + 2][j] = cos(turn[i]) * two - sin(turn[i]) * one;
      }
    for (int r = 0; r < 6; r++) {
      for (int c = 0; c < 6; c++)
        for (int j = 0; j < 6; j++)
          q.G[6 * r + c] += A[r][j] * A[c][j] / mass[j];
      q.v[r] = -3.0 * A[r][2];
    }
    for (int i = 0; i < 2; i++) {
      q.slide[i] = q.stick[i] = mu[k];
      q.e[i] = 0.8;
      q.k[i] = 1.0;
      q.a[i] = 1.5;
    }
    point(&q, 2);
    carom_space_march_result r;
    carom_status status = carom_space_march_solve(&q.p, work, &r);
    if (mu[k] > tan(b)) {
      assert_int_equal(status, CAROM_ERR_NO_CONVERGENCE);
      double taken = 0.5 * m * 9.0 * sin(b) / (sin(b) + mu[k] * cos(b));
      CHECK_RELATIVE(r.holding[0] + r.holding[1], taken, 1e-9);
      CHECK_RELATIVE(r.holding[0], 0.5 * taken, 1e-9);
      continue;
    }
    double back = 0.8 * 3.0 * sqrt((tan(b) - mu[k]) / (tan(b) + mu[k]));
    assert_int_equal(status, CAROM_OK);
    CHECK_NEAR(r.after[0], back * sin(b), 1e-10);
    CHECK_NEAR(r.after[3], back * sin(b), 1e-10);
    CHECK_NEAR(hypot(r.after[1], r.after[2]), back * cos(b), 1e-10);
  }
}

// ---- brute force: implicit friction in small equal steps, of first order

typedef struct slow {
  const impact *q;
  double x[MOST], v[ROWS], T[ROWS];
} slow;

static void relax(slow *s, const double *free, double h, int sweeps) {
  int n = s->q->p.contacts, rows = 3 * n;
  const double *G = s->q->G;
  for (int sweep = 0; sweep < sweeps; sweep++)
    for (int i = 0; i < n; i++) {
      double u[2], own = G[(3 * i + 1) * (rows + 1)] + G[(3 * i + 2) * (rows + 1)];
      for (int k = 0; k < 2; k++) {
        u[k] = free[3 * i + 1 + k];
        for (int c = 0; c < rows; c++)
          if (c % 3 > 0) u[k] += h * G[(3 * i + 1 + k) * rows + c] * s->T[c];
      }
      double T[2] = {s->T[3 * i + 1] - u[0] / (h * own), s->T[3 * i + 2] - u[1] / (h * own)};
      double size = hypot(T[0], T[1]), most = s->q->slide[i] * s->T[3 * i];
      for (int k = 0; k < 2; k++)
        s->T[3 * i + 1 + k] = size > most ? T[k] * most / size : T[k];
    }
}

static bool small_step(slow *s, double h) {
  const impact *q = s->q;
  int n = q->p.contacts, rows = 3 * n;
  double free[ROWS];
  bool over = true;
  for (int i = 0; i < n; i++) {
    double v = s->v[3 * i];
    s->x[i] = fmax(0.0, s->x[i] - h * v / (v > 0.0 ? q->e[i] * q->e[i] : 1.0));
    s->T[3 * i] = q->k[i] * pow(s->x[i], q->a[i]);
    over = over && s->x[i] == 0.0 && v >= 0.0;
  }
  for (int r = 0; r < rows; r++) {
    free[r] = s->v[r];
    for (int i = 0; i < n; i++)
      free[r] += h * q->G[r * rows + 3 * i] * s->T[3 * i];
  }
  relax(s, free, h, 40);
  for (int r = 0; r < rows; r++) {
    s->v[r] = free[r];
    for (int c = 0; c < rows; c++)
      if (c % 3 > 0) s->v[r] += h * q->G[r * rows + c] * s->T[c];
  }
  return !over;
}

static bool by_force(const impact *q, double h, double *after) {
  slow s = {.q = q};
  memcpy(s.v, q->v, sizeof s.v);
  for (long k = 0; k < 4000000; k++)
    if (!small_step(&s, h)) {
      memcpy(after, s.v, sizeof s.v);
      return true;
    }
  return false;
}

static void against_brute_force(void **state) {
  (void)state;
  int compared = 0, off = 0;
  for (int trial = 0; compared < count / 10; trial++) {
    impact q;
    int n = 2 + (int)(2.0 * uniform());
    make(&q, n, 6 + (int)(6.0 * uniform()));
    for (int i = 0; i < n; i++) {
      q.stick[i] = q.slide[i];
      q.e[i] = between(0.4, 1.0);
    }
    carom_space_march_result r;
    double fine[ROWS], coarse[ROWS];
    if (!strikes(&q) || carom_space_march_solve(&q.p, work, &r) != CAROM_OK || r.steps > 1000)
      continue;
    if (!by_force(&q, 1e-3, coarse) || !by_force(&q, 2.5e-4, fine)) continue;
    double error = 0.0, change = 0.0;
    for (int k = 0; k < 3 * n; k++) {
      error = fmax(error, fabs(fine[k] - r.after[k]));
      change = fmax(change, fabs(fine[k] - coarse[k]));
    }
    // three quarters of its error vanish with the longer steps
    compared++;
    off += error > 0.5 * change + 1e-4;
  }
  print_message("%d impacts by brute force, %d beyond its error\n", compared, off);
  CHECK(10 * off <= compared);
}

int main(int argc, char **argv) {
  if (argc > 1) count = atoi(argv[1]);
  if (argc > 2) seed = strtoull(argv[2], NULL, 10);
  arena = carom_arena_create(NULL);
  work = carom_space_march_create(arena, MOST);
  other_work = carom_space_march_create(arena, MOST);
  if (!work || !other_work) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_contact),   cmocka_unit_test(heavy),
      cmocka_unit_test(slow_approach), cmocka_unit_test(in_the_plane),
      cmocka_unit_test(invariant),     cmocka_unit_test(ends),
      cmocka_unit_test(wedge),         cmocka_unit_test(against_brute_force)};
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  carom_arena_destroy(arena);
  return failed;
}
