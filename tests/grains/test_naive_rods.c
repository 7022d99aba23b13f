// SPDX-License-Identifier: MIT
// Rods once more, as simply as can be: all pairs within reach one after the other, no lanes, no
// sleeping contacts, no common code with the engine. The engine must go the same way, rod by rod.
//
// With arguments this is a program of its own that drives rods as the paper does, with the law as
// its appendix prints it, and prints what studies/rods.yaml compares with:
//
//   test_naive_rods row|ring r0|r1 point|centres SEED [PERIODS [L or TILT [N]]]
//
// or that starts as scenarios/rods_2d_r1.yaml does and prints how far the row creeps in a period of
// the drive, in the first, second and last third of the run (docs/findings-003.md):
//
//   test_naive_rods creep GAMMA STEP cut|printed PERIODS SEED
#include "carom/carom.h"
#include "grains/bed_setup.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 64, WALLS = 5 };
static const double PI = 3.14159265358979323846, REACH = 1.2;

typedef struct vec {
  double x, y, z;
} vec;

static vec add(vec a, vec b) { return (vec){a.x + b.x, a.y + b.y, a.z + b.z}; }
static vec sub(vec a, vec b) { return (vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
static vec times(double s, vec a) { return (vec){s * a.x, s * a.y, s * a.z}; }
static double dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static double size(vec a) { return sqrt(dot(a, a)); }
static vec cross(vec a, vec b) {
  return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static double clamp(double a, double most) { return a < -most ? -most : a > most ? most : a; }

/// Rods of diameter 1 on a floor, in a row of period `length` or (length 0) between two cylinders.
typedef struct world {
  int n;
  double length, inner, outer;
  double half, mass, inertia, damping, mu, step;
  bool at_point, printed; // where forces act; which part of the friction is cut at its limit
  vec x[MOST], u[MOST], v[MOST], w[MOST], force[MOST], torque[MOST];
  vec spring[MOST][MOST], wall_spring[MOST][WALLS];
  double wall_z, wall_rate;
  int pair_count, pairs[MOST * MOST][2];
  int touching[MOST]; // ends on the floor
} world;

static const double KN = 5e6, KT = 95 * 5e6;

static world new_world(bool r0, bool at_point, int n, double total_length) {
  double h0 = total_length - 1, mass = 1 + 1.5 * h0;
  double inertia = 0.1 + 9 * h0 / 32 + h0 * h0 / 4 + h0 * h0 * h0 / 8;
  world it = {.n = n, .half = h0 / 2, .mu = 0.3, .step = 2e-5, .at_point = at_point};
  it.mass = r0 ? mass : 1;
  it.inertia = it.mass * inertia / mass;
  it.damping = r0 ? 400 : 2000;
  return it;
}

// Where the friction is too large: the paper writes what is left into the spring, damping
// included; the other rule cuts the spring and gives the damper the room below the limit.
static vec friction(const world *it, double root, double press, double me, vec vt, vec *spring) {
  double most = it->mu * press, c = root * it->damping * me;
  vec pull = times(-root * KT, *spring), drag = times(-c, vt), both = add(pull, drag);
  if (it->printed) {
    if (size(both) <= most) return both;
    both = times(most / size(both), both);
    *spring = times(-1 / (root * KT), sub(both, drag));
    return both;
  }
  if (size(pull) > most) {
    *spring = times(most / size(pull), *spring);
    return times(-root * KT, *spring);
  }
  double room = most - size(pull);
  return add(pull, size(drag) > room ? times(room / size(drag), drag) : drag);
}

// the force on a body at overlap d; n points to it, v is its velocity at the contact
static vec contact(const world *it, double d, vec n, vec v, double me, vec *spring) {
  double root = sqrt(d), vn = dot(v, n), fn = root * (KN * d - it->damping * me * vn);
  vec vt = sub(v, times(vn, n)), old = sub(*spring, times(dot(*spring, n), n));
  *spring = add(old, times(it->step, vt));
  return add(times(fn, n), friction(it, root, fabs(fn), me, vt, spring));
}

// nearest points of two axes: each end of one with the other, and where the lines are nearest;
// parallel ones, the middle of the part that they share
static void nearest(double half, vec d, vec a, vec b, double *s, double *t) {
  double r = dot(a, b), p = dot(a, d), q = dot(b, d), sine = size(cross(a, b)), least = HUGE_VAL;
  double first = fmax(-half, -p - half), last = fmin(half, half - p);
  double crossing = sine > 1e-7 ? clamp((r * q - p) / (sine * sine), half) : 0.5 * (first + last);
  const double tries[5] = {crossing, -half, half, clamp(-half * r - p, half),
                           clamp(half * r - p, half)};
  for (int k = 0; k < 5; k++) {
    double one = clamp(tries[k], half), other = clamp(r * one + q, half);
    vec c = sub(add(d, times(one, a)), times(other, b));
    if (size(c) >= least) continue;
    least = size(c), *s = one, *t = other;
    if (sine <= 1e-7) break;
  }
}

static vec between(const world *it, int i, int j, double *s, double *t) {
  vec d = sub(it->x[i], it->x[j]);
  if (it->length > 0) d.x -= it->length * rint(d.x / it->length);
  nearest(it->half, d, it->u[i], it->u[j], s, t);
  return sub(add(d, times(*s, it->u[i])), times(*t, it->u[j]));
}

static void push(world *it, int i, vec arm, vec force) {
  it->force[i] = add(it->force[i], force);
  it->torque[i] = add(it->torque[i], cross(arm, force));
}

static void touch_rods(world *it, int i, int j) {
  double s, t, in;
  vec c = between(it, i, j, &s, &t), n = times(1 / size(c), c);
  if (size(c) >= 1) {
    it->spring[i][j] = (vec){0, 0, 0};
    return;
  }
  in = it->at_point ? 0.5 * size(c) : 0;
  vec a = sub(times(s, it->u[i]), times(in, n)), b = add(times(t, it->u[j]), times(in, n));
  vec v = sub(add(it->v[i], cross(it->w[i], a)), add(it->v[j], cross(it->w[j], b)));
  vec f = contact(it, 1 - size(c), n, v, it->mass / 2, &it->spring[i][j]);
  push(it, i, a, f);
  push(it, j, b, times(-1, f));
}

// the point s of the axis with a wall; true: it touches
static bool touch_wall(world *it, int i, int which, double s, vec n, double d) {
  if (d <= 0) {
    it->wall_spring[i][which] = (vec){0, 0, 0};
    return false;
  }
  vec arm = sub(times(s, it->u[i]), times(it->at_point ? 0.5 - d : 0, n));
  vec v = add(it->v[i], cross(it->w[i], arm));
  v.z -= it->wall_rate;
  push(it, i, arm, contact(it, d, n, v, it->mass, &it->wall_spring[i][which]));
  return true;
}

static void touch_walls(world *it, int i) {
  vec x = it->x[i], u = it->u[i];
  it->touching[i] = 0;
  for (int end = 0; end < 2; end++) {
    double s = end ? it->half : -it->half, d = 0.5 - (x.z + s * u.z - it->wall_z);
    it->touching[i] += touch_wall(it, i, end, s, (vec){0, 0, 1}, d);
    if (it->length > 0) continue;
    vec p = add(x, times(s, u));
    double r = hypot(p.x, p.y);
    (void)touch_wall(it, i, 2 + end, s, (vec){-p.x / r, -p.y / r, 0}, 0.5 - (it->outer - r));
  }
  if (it->length > 0) return;
  double flat = u.x * u.x + u.y * u.y;
  double s = flat > 1e-12 ? clamp(-(x.x * u.x + x.y * u.y) / flat, it->half) : 0;
  vec p = add(x, times(s, u));
  double r = hypot(p.x, p.y);
  (void)touch_wall(it, i, 4, s, (vec){p.x / r, p.y / r, 0}, 0.5 - (r - it->inner));
}

static void find_pairs(world *it) {
  double s, t;
  it->pair_count = 0;
  for (int i = 0; i < it->n; i++)
    for (int j = i + 1; j < it->n; j++) {
      if (size(between(it, i, j, &s, &t)) > REACH) continue;
      it->pairs[it->pair_count][0] = i;
      it->pairs[it->pair_count++][1] = j;
    }
}

static void find_forces(world *it) {
  for (int i = 0; i < it->n; i++) {
    it->force[i] = (vec){0, 0, -it->mass};
    it->torque[i] = (vec){0, 0, 0};
  }
  for (int k = 0; k < it->pair_count; k++)
    touch_rods(it, it->pairs[k][0], it->pairs[k][1]);
  for (int i = 0; i < it->n; i++)
    touch_walls(it, i);
}

// velocities over h, without spin about the axis
static void kick(world *it, double h) {
  for (int i = 0; i < it->n; i++) {
    vec u = it->u[i], q = sub(it->torque[i], times(dot(it->torque[i], u), u));
    it->v[i] = add(it->v[i], times(h / it->mass, it->force[i]));
    it->w[i] = add(it->w[i], times(h / it->inertia, q));
  }
}

// positions over a step: the axis turns by the angle |w| h
static void drift(world *it) {
  for (int i = 0; i < it->n; i++) {
    double rate = size(it->w[i]), angle = rate * it->step;
    vec u = it->u[i], side = cross(it->w[i], u);
    it->x[i] = add(it->x[i], times(it->step, it->v[i]));
    if (rate > 0) u = add(times(cos(angle), u), times(sin(angle) / rate, side));
    it->u[i] = times(1 / size(u), u);
    it->w[i] = sub(it->w[i], times(dot(it->w[i], it->u[i]), it->u[i]));
  }
}

// ---- beside the engine

// rods that lean and jostle, between cylinders or in a row
static void place(world *it, double tilt, uint64_t seed) {
  for (int i = 0; i < it->n; i++) {
    uint64_t k = 4 * (uint64_t)i;
    double a = 2 * PI * i / it->n, r = i % 2 ? 6.79 : 6.33;
    double lean = tilt * PI / 180;
    it->x[i] = (vec){r * cos(a), r * sin(a), 0};
    it->u[i] = (vec){-sin(a) * sin(lean), cos(a) * sin(lean), cos(lean)};
    if (it->length > 0) {
      lean += uniform(seed, k + 3, -0.004, 0.004); // none are parallel
      it->x[i] = (vec){it->length * i / it->n, 0, 0};
      it->u[i] = (vec){sin(lean), 0, cos(lean)};
    }
    it->x[i].z = it->half * it->u[i].z + 0.51;
    it->v[i] =
        (vec){uniform(seed, k, -0.5, 0.5), it->length > 0 ? 0 : uniform(seed, k + 1, -0.5, 0.5),
              uniform(seed, k + 2, -0.5, 0.5)};
  }
}

static carom_bed_settings same_settings(const world *it, double total_length) {
  carom_bed_settings set = paper_settings(it->mass > 1 ? 0 : 1, it->n, total_length, it->mu);
  set.law.centres = !it->at_point;
  set.law.plain = true;
  set.walls[0].law = set.law;
  set.periodic[0] = it->length;
  if (it->length > 0) {
    set.plane = true;
    return set;
  }
  set.wall_count = 3;
  set.walls[1] = (carom_bed_wall){
      .name = "inner", .kind = CAROM_WALL_OUTSIDE, .at = it->inner, .law = set.law};
  set.walls[2] =
      (carom_bed_wall){.name = "outer", .kind = CAROM_WALL_INSIDE, .at = it->outer, .law = set.law};
  return set;
}

static void put_into(const world *it, carom_bed *bed) {
  for (int i = 0; i < it->n; i++) {
    const double x[3] = {it->x[i].x, it->x[i].y, it->x[i].z};
    const double u[3] = {it->u[i].x, it->u[i].y, it->u[i].z};
    const double v[3] = {it->v[i].x, it->v[i].y, it->v[i].z};
    for (int c = 0; c < 3; c++)
      bed->x[c][i] = x[c], bed->u[c][i] = u[c], bed->v[c][i] = v[c];
  }
}

static double farthest(const world *it, const carom_bed *bed) {
  double most = 0;
  for (int id = 0; id < it->n; id++) {
    int i = bed->order.place[id];
    vec x = {bed->x[0][i], bed->x[1][i], bed->x[2][i]}, d = sub(x, it->x[id]);
    vec u = {bed->u[0][i], bed->u[1][i], bed->u[2][i]};
    if (it->length > 0) d.x -= it->length * rint(d.x / it->length);
    most = fmax(most, fmax(size(d), size(sub(u, it->u[id]))));
  }
  return most;
}

// leapfrog in halves, as the engine tells it: velocities at full steps, forces see those between
static double compare(world *it, double total_length, double tilt, long steps, long *contacts) {
  carom_arena *arena;
  carom_bed_settings set = same_settings(it, total_length);
  place(it, tilt, 4);
  carom_bed *bed = new_bed(&arena, &set);
  put_into(it, bed);
  begin(bed);
  advance(bed, steps);
  find_pairs(it);
  find_forces(it);
  *contacts = 0;
  for (long k = 0; k < steps; k++) {
    kick(it, 0.5 * it->step);
    drift(it);
    if (k % 100 == 0) find_pairs(it);
    find_forces(it);
    for (int j = 0; j < it->pair_count; j++)
      *contacts += size(it->spring[it->pairs[j][0]][it->pairs[j][1]]) > 0;
    kick(it, 0.5 * it->step);
  }
  double apart = farthest(it, bed);
  carom_arena_destroy(arena);
  return apart;
}

// Thousands of steps with many collisions, slip and stick: what is left is rounding, which grows as
// motions of hard bodies do.
static void test_same_way(void **state) {
  (void)state;
  for (int reading = 0; reading < 2; reading++)
    for (int ring = 0; ring < 2; ring++) {
      static world it;
      double total_length = ring ? 8 : 9.5;
      long contacts;
      it = new_world(reading == 0, reading == 1, ring ? 44 : 20, total_length);
      it.inner = 7.28 / 2 / 0.635, it.outer = 9.45 / 2 / 0.635;
      if (!ring) it.length = 24;
      double apart = compare(&it, total_length, ring ? 6 : 28, 20000, &contacts);
      print_message("reading %d, %s: %.1e apart after %ld steps in contact\n", reading,
                    ring ? "ring" : "row", apart, contacts);
      CHECK(contacts > 1000);
      CHECK(apart < 1e-9);
    }
}

// ---- the program

typedef struct tally {
  long begun, flights, longer, samples;
  double plate, flight, swirl, tilt, x[2], t[2], released[MOST];
} tally;

static void watch_floor(const world *it, const int before[MOST], double now, double period,
                        tally *sums) {
  for (int i = 0; i < it->n; i++) {
    if (it->touching[i] > 0 && before[i] == 0) {
      sums->begun++;
      sums->plate += it->wall_rate;
      if (sums->released[i] > 0) {
        double flight = now - sums->released[i];
        sums->flights++;
        sums->flight += flight;
        sums->longer += flight > period;
      }
    }
    if (it->touching[i] == 0 && before[i] > 0) sums->released[i] = now;
  }
}

static void look(const world *it, double now, tally *sums) {
  double x = 0;
  for (int i = 0; i < it->n; i++) {
    vec at = it->x[i], v = it->v[i];
    x += at.x / it->n;
    sums->tilt += acos(fmin(1, fabs(it->u[i].z))) / it->n;
    sums->swirl += (at.x * v.y - at.y * v.x) / hypot(at.x, at.y) / it->n;
  }
  int k = sums->samples++ > 0;
  sums->x[k] = x, sums->t[k] = now;
}

// the leapfrog of the paper; measuring begins after a third
static tally shake(world *it, double f, double gamma, double periods) {
  tally sums = {0};
  double omega = 2 * PI * f, amplitude = gamma / (omega * omega);
  long steps = lround(periods / f / it->step);
  for (long k = 0; k < steps; k++) {
    int before[MOST];
    double now = (double)k * it->step;
    memcpy(before, it->touching, sizeof before);
    it->wall_z = amplitude * sin(omega * now);
    it->wall_rate = amplitude * omega * cos(omega * now);
    if (k % 100 == 0) find_pairs(it);
    if (k % 100 == 0 && 3 * k >= steps) look(it, now, &sums);
    find_forces(it);
    if (3 * k >= steps) watch_floor(it, before, now, 1 / f, &sums);
    kick(it, it->step);
    drift(it);
  }
  return sums;
}

static int program(int count, char **words) {
  bool ring = strcmp(words[1], "ring") == 0, r0 = strcmp(words[2], "r0") == 0;
  double periods = count > 5 ? atof(words[5]) : 60;
  double par = count > 6 ? atof(words[6]) : ring ? 15 : 56.569;
  int n = count > 7 ? atoi(words[7]) : ring ? 44 : 40;
  double d = ring ? 0.635 : 0.6, f = 60 * sqrt(d / 981), unit = sqrt(981 * d);
  static world it;
  it = new_world(r0, strcmp(words[3], "point") == 0, n < MOST ? n : MOST, ring ? 8 : 9.5);
  it.inner = 7.28 / 2 / 0.635, it.outer = 9.45 / 2 / 0.635;
  it.length = ring ? 0 : par;
  it.printed = true;
  place(&it, ring ? par : (acos(it.n / par) - 0.01) * 180 / PI, (uint64_t)atol(words[4]));
  tally sums = shake(&it, f, 3.3, periods);
  double rate =
      ring ? sums.swirl / (double)sums.samples : (sums.x[1] - sums.x[0]) / (sums.t[1] - sums.t[0]);
  printf("%s %s %s seed %s: drift %.3f cm/s, tilt %.2f, plate %.4f V0, long %.3f, %ld collisions\n",
         words[1], words[2], words[3], words[4], rate * unit,
         sums.tilt / (double)sums.samples * 180 / PI,
         sums.plate / (double)sums.begun / (3.3 / (2 * PI * f)),
         (double)sums.longer / (double)sums.flights, sums.begun);
  return 0;
}

static double middle(const world *it) {
  double sum = 0;
  for (int i = 0; i < it->n; i++)
    sum += it->x[i].x / it->n;
  return sum;
}

static int creep(char **words) {
  const carom_setting settings[] = {{"Gamma", words[2]}, {"seed", words[6]}};
  const char *path = CAROM_SOURCE_DIR "/scenarios/rods_2d_r1.yaml";
  carom_model *model = NULL;
  carom_simulation *start = NULL;
  if (carom_model_load(path, 2, settings, &model, NULL) ||
      carom_simulation_create(model, &start, NULL))
    return 1;
  static world it;
  it = new_world(false, true, 40, 9.5);
  double f = 0, gamma = atof(words[2]), x[4] = {0};
  (void)carom_simulation_get(start, "f", &f, NULL);
  (void)carom_simulation_get(start, "L", &it.length, NULL);
  it.step = atof(words[3]);
  it.printed = strcmp(words[4], "printed") == 0;
  for (int i = 0; i < it.n; i++) {
    carom_body_motion rod;
    (void)carom_simulation_body(start, i, &rod);
    it.x[i] = (vec){rod.x[0], rod.x[1], rod.x[2]}, it.u[i] = (vec){rod.u[0], rod.u[1], rod.u[2]};
    it.v[i] = (vec){rod.v[0], rod.v[1], rod.v[2]}, it.w[i] = (vec){rod.w[0], rod.w[1], rod.w[2]};
  }
  carom_simulation_destroy(start);
  carom_model_destroy(model);
  double omega = 2 * PI * f, amplitude = gamma / (omega * omega), third = atof(words[5]) / 3;
  x[0] = middle(&it);
  for (long part = 1, k = 0; part <= 3; part++) {
    for (long end = lround((double)part * third / f / it.step); k < end; k++) {
      it.wall_z = amplitude * sin(omega * (double)k * it.step);
      it.wall_rate = amplitude * omega * cos(omega * (double)k * it.step);
      if (k % 50 == 0) find_pairs(&it);
      find_forces(&it);
      kick(&it, it.step);
      drift(&it);
    }
    x[part] = middle(&it);
  }
  printf("creep a period: %.3e, %.3e, %.3e d\n", (x[1] - x[0]) / third, (x[2] - x[1]) / third,
         (x[3] - x[2]) / third);
  return 0;
}

int main(int count, char **words) {
  if (count == 7 && strcmp(words[1], "creep") == 0) return creep(words);
  if (count > 4) return program(count, words);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_way)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
