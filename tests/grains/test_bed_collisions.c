// SPDX-License-Identifier: MIT
// Single soft collisions: the rigid theory, energy, the order of the integrators.
#include "bed_setup.h"

#include <string.h>

static const double DEG = 0.017453292519943295;

/// What a sweep over all tilts found (figure 12: mu = 0.4, -c_z/c_x = 2, unit speed).
typedef struct sweep {
  double least, most, mean; // restitution
  double one[2], own[2];    // rms of c_x, c_z against rigid theory with eps = 0.65 and with its own
} sweep;

static void compare(const carom_rod_place *place, double eps, const carom_rod_motion *before,
                    const carom_rod_motion *after, double sum[2]) {
  carom_rod_collision rigid;
  assert_int_equal(carom_rod_collide(place, before, 0, 0.4, eps, &rigid, NULL), CAROM_OK);
  sum[0] += pow(after->cx - rigid.after.cx, 2);
  sum[1] += pow(after->cz - rigid.after.cz, 2);
}

static sweep sweep_tilts(int reading) {
  sweep out = {.least = 1};
  int count = 0;
  for (double deg = 2; deg <= 88; deg += 2, count++) {
    carom_bed_settings set = paper_settings(reading, 1, 9.5, 0.4);
    carom_rod_motion before = {1 / sqrt(5.0), -2 / sqrt(5.0), 0}, after;
    (void)strike(&set, deg * DEG, before.cx, before.cz, 0, &after);
    carom_rod_place place = {4.25 * sin(deg * DEG), 4.25 * cos(deg * DEG) + 0.5 * reading,
                             set.species[0].across / set.species[0].mass};
    double eps = (after.cz + after.omega * place.X) / -before.cz;
    compare(&place, 0.65, &before, &after, out.one);
    compare(&place, eps, &before, &after, out.own);
    out.least = fmin(out.least, eps), out.most = fmax(out.most, eps), out.mean += eps;
  }
  out.mean /= count;
  for (int c = 0; c < 2; c++)
    out.one[c] = sqrt(out.one[c] / count), out.own[c] = sqrt(out.own[c] / count);
  return out;
}

static void test_rigid_theory(void **state) {
  (void)state;
  for (int reading = 0; reading < 2; reading++) {
    sweep found = sweep_tilts(reading);
    print_message(
        "reading %d: eps %.3f to %.3f, mean %.3f; rms %.4f %.4f, with own eps %.4f %.4f\n", reading,
        found.least, found.most, found.mean, found.one[0], found.one[1], found.own[0],
        found.own[1]);
    CHECK_NEAR(found.least, 0.63, 0.035);
    CHECK_NEAR(found.most, 0.81, 0.015);
    CHECK_NEAR(found.mean, 0.68, 0.02);
    CHECK(found.one[0] < 0.026 && found.one[1] < 0.06);
    CHECK(found.own[0] < 0.025 && found.own[1] < 0.013);
  }
}

// the largest gain of energy over tilts, directions of approach (76 degrees from the normal among
// them) and frictions, in parts of the energy before
static double worst_gain(bool plain, bool hertz, double damping) {
  double worst = -1;
  for (double deg = 1; deg < 90; deg += 12.5)
    for (double graze = 10; graze < 90; graze += 11)
      for (double mu = 0.1; mu < 2; mu *= 3)
        for (int side = -1; side <= 1; side += 2) {
          carom_bed_settings set = paper_settings(1, 1, 9.5, mu);
          set.walls[0].law.gn = set.walls[0].law.gt = damping;
          set.walls[0].law.hertz = hertz;
          set.walls[0].law.kt = 0.8 * set.walls[0].law.kn;
          if (!hertz) set.walls[0].law.kn *= 0.03, set.walls[0].law.kt *= 0.03;
          set.walls[0].law.plain = plain;
          set.leapfrog = false;
          carom_rod_motion after;
          double cx = side * sin(graze * DEG), cz = -cos(graze * DEG);
          double gain = strike(&set, deg * DEG, cx, cz, 0, &after);
          worst = fmax(worst, gain / (0.5 * set.species[0].mass));
        }
  return worst;
}

static void test_grazing_never_gains(void **state) {
  (void)state;
  print_message("gains %.2e %.2e %.2e, plain %.2e\n", worst_gain(false, true, 0),
                worst_gain(false, true, 500), worst_gain(false, false, 0),
                worst_gain(true, true, 0));
  // the springs alone, and with damping; what is left is the error of the step
  CHECK(worst_gain(false, true, 0) < 2e-4);
  CHECK(worst_gain(false, true, 500) < 1e-5);
  CHECK(worst_gain(false, false, 0) < 2e-4);
  // a spring that keeps its length while it stiffens does gain: the test can tell
  CHECK(worst_gain(true, true, 0) > 1e-3);
}

// in a gap between contacts that last: a rod that stands between two plates oscillates, damped;
// halving the step divides the error by 4 (velocity Verlet) or by 2 (leapfrog with damping)
static void squeezed(bool leapfrog, double step, double t_end, double out[4]) {
  carom_bed_settings set = paper_settings(1, 1, 3.0, 0.3);
  carom_arena *arena;
  set.leapfrog = leapfrog;
  set.step = step;
  set.no_spin = false;
  set.gravity[2] = -1.0;
  set.wall_count = 2;
  set.walls[1] = set.walls[0];
  set.walls[1].normal[2] = -1.0;
  set.walls[1].at = -2.99; // pressed in by 1 % of the diameter
  set.law.kn = set.law.kt = 5e4;
  set.walls[0].law.kn = set.walls[1].law.kn = 5e4;
  set.walls[0].law.kt = set.walls[1].law.kt = 5e4;
  set.walls[0].law.gn = set.walls[1].law.gn = 200;
  carom_bed *bed = new_bed(&arena, &set);
  bed->x[2][0] = 1.497;
  bed->v[2][0] = 0.1, bed->v[0][0] = 0.01, bed->w[0][0] = 0.01, bed->w[1][0] = 0.02;
  begin(bed);
  advance(bed, lround(t_end / step));
  const double end[4] = {bed->x[2][0], 0.01 * bed->v[2][0], bed->x[0][0], bed->u[0][0]};
  memcpy(out, end, sizeof end);
  carom_arena_destroy(arena);
}

static double squeezed_error(bool leapfrog, double step, const double best[4]) {
  double out[4], sum = 0;
  squeezed(leapfrog, step, 0.2, out);
  for (int k = 0; k < 4; k++)
    sum += pow(out[k] - best[k], 2);
  return sqrt(sum);
}

static void test_order(void **state) {
  (void)state;
  for (int leapfrog = 0; leapfrog < 2; leapfrog++) {
    double best[4];
    squeezed(false, 2e-6, 0.2, best);
    double a = squeezed_error(leapfrog, 2e-4, best), b = squeezed_error(leapfrog, 1e-4, best);
    double c = squeezed_error(leapfrog, 5e-5, best);
    print_message("%s: errors %.2e %.2e %.2e, orders %.2f %.2f\n",
                  leapfrog ? "leapfrog" : "velocity Verlet", a, b, c, log2(a / b), log2(b / c));
    if (!leapfrog)
      CHECK(log2(b / c) > 1.8);
    else
      CHECK(log2(b / c) > 0.8);
    CHECK(c < 1e-3);
  }
}

// A rod that lies on the floor slides off, along its axis or also across it; across it begins to
// roll, so that the direction of slip turns.
static void slide_flat(double across, double step, double v[2]) {
  carom_bed_settings set = carom_bed_settings_default();
  set.species_count = 1;
  set.species[0] = carom_bed_species_uniform(1, 1, 4, 1);
  set.law = (carom_grain_law){.kn = 1e5, .kt = 1e4, .gn = 5, .gt = 1, .stick = 0.3, .slip = 0.3};
  set.gravity[2] = -1;
  set.step = step;
  set.wall_count = 1;
  set.walls[0] = (carom_bed_wall){.name = "floor", .normal = {0, 0, 1}, .law = set.law};
  carom_arena *arena;
  carom_bed *bed = new_bed(&arena, &set);
  double weight = set.species[0].mass;
  bed->u[0][0] = 1, bed->u[2][0] = 0;
  bed->x[2][0] = 0.5 - 0.5 * weight / set.law.kn; // at rest on both ends
  bed->v[0][0] = 1, bed->v[1][0] = across;
  begin(bed);
  advance(bed, lround(0.4 / step));
  v[0] = bed->v[0][0], v[1] = bed->v[1][0];
  carom_arena_destroy(arena);
}

// the same for a rigid rod: slip across the axis slows down faster, by what rolling takes
static void slide_rigid(double across, double v[2]) {
  carom_bed_species rod = carom_bed_species_uniform(1, 1, 4, 1);
  const double roll = 1 + 0.25 * rod.mass / rod.along, h = 1e-5;
  double slip[2] = {1, across};
  v[0] = 1, v[1] = across;
  for (int k = 0; k < 40000; k++) {
    double size = hypot(slip[0], slip[1]), push[2] = {-0.3 * slip[0] / size, -0.3 * slip[1] / size};
    v[0] += h * push[0], v[1] += h * push[1];
    slip[0] += h * push[0], slip[1] += h * roll * push[1];
  }
}

// where slip keeps its direction steps make no error; while it turns they are of first order:
// Coulomb's limit cuts the spring back along where it points after the step
static void test_order_of_slip(void **state) {
  (void)state;
  for (int turns = 0; turns < 2; turns++) {
    double v[3][2], rigid[2];
    for (int k = 0; k < 3; k++)
      slide_flat(turns ? 0.6 : 0.0, 4e-4 / (1 << k), v[k]);
    slide_rigid(turns ? 0.6 : 0.0, rigid);
    double a = hypot(v[1][0] - v[0][0], v[1][1] - v[0][1]);
    double b = hypot(v[2][0] - v[1][0], v[2][1] - v[1][1]);
    print_message("slip %s: changes %.2e %.2e\n", turns ? "turns" : "straight", a, b);
    CHECK(turns ? log2(a / b) > 0.9 && log2(a / b) < 1.1 : fmax(a, b) < 1e-12);
    // contacts are pressed in by 1.4e-5
    for (int c = 0; c < 2; c++)
      CHECK_NEAR(v[2][c], rigid[c], turns ? 6e-5 : 1e-9);
  }
}

// a free symmetric top: axis turns about the angular momentum at the rate L/I, energy constant
static void test_free_top(void **state) {
  (void)state;
  carom_bed_settings set = carom_bed_settings_default();
  carom_arena *arena;
  set.species_count = 1;
  set.species[0] = (carom_bed_species){1, 1, 3, 2.0, 0.7, 0.3};
  set.gravity[2] = 0;
  set.step = 1e-3;
  set.law.kn = set.law.kt = 10;
  carom_bed *bed = new_bed(&arena, &set);
  double tilt = 0.4, L = 2.0; // L along z, axis tilted from it
  bed->u[0][0] = sin(tilt), bed->u[2][0] = cos(tilt);
  // w = L/I across + (L.u) (1/J - 1/I) u
  double along = L * cos(tilt) * (1 / 0.3 - 1 / 0.7);
  bed->w[0][0] = along * sin(tilt), bed->w[2][0] = L / 0.7 + along * cos(tilt);
  begin(bed);
  double before = total_energy(bed);
  advance(bed, 3000);
  double turn = L / 0.7 * 3.0;
  CHECK_NEAR(bed->u[0][0], sin(tilt) * cos(turn), 1e-5);
  CHECK_NEAR(bed->u[1][0], sin(tilt) * sin(turn), 1e-5);
  CHECK_NEAR(bed->u[2][0], cos(tilt), 1e-6);
  CHECK_RELATIVE(total_energy(bed), before, 1e-12);
  carom_arena_destroy(arena);
}

// static friction holds what sliding friction does not: a block of a sphere without spin on an
// incline
static void test_static_friction(void **state) {
  (void)state;
  for (int pushed = 0; pushed < 2; pushed++) {
    carom_bed_settings set = paper_settings(0, 1, 1.0, 0.25);
    carom_arena *arena;
    set.walls[0].law.stick = 0.65; // let go at once, the spring swings up to twice the slope of 0.3
    set.species[0] = (carom_bed_species){1, 1, 1, 1, 1e6, 1e6}; // too heavy to roll
    set.gravity[0] = 0.3;
    carom_bed *bed = new_bed(&arena, &set);
    bed->x[2][0] = 0.5 - pow(1.0 / 5e6, 2.0 / 3);
    bed->v[0][0] = pushed ? 0.05 : 0;
    begin(bed);
    advance(bed, 50000);
    if (pushed)
      CHECK_NEAR(bed->v[0][0], 0.05 + 0.05 * 1.0, 2e-3); // (0.3 - 0.25) g over a second
    else
      CHECK_NEAR(bed->x[0][0], 0, 1e-5);
    carom_arena_destroy(arena);
  }
}

// ---- a second integrator: the sticking contact as seven equations, by a rule of fourth order

// x, z, phi, their rates, and the tangential spring
static void sticking_rates(const carom_bed_settings *set, const double y[7], double rate[7]) {
  const carom_grain_law *law = &set->walls[0].law;
  const carom_bed_species *rod = &set->species[0];
  double half = 0.5 * (rod->length - rod->diameter), radius = 0.5 * rod->diameter;
  // the lower end: arm from the centre to the contact point
  double depth = radius - (y[1] - half * cos(y[2])), root = sqrt(fmax(depth, 0));
  double ax = -half * sin(y[2]), az = -half * cos(y[2]) - (radius - depth);
  double vx = y[3] + y[5] * az, vz = y[4] - y[5] * ax;
  double fz = root * (law->kn * depth - law->gn * rod->mass * vz);
  double fx = -root * (law->kt * y[6] + law->gt * rod->mass * vx);
  rate[0] = y[3], rate[1] = y[4], rate[2] = y[5];
  rate[3] = fx / rod->mass, rate[4] = fz / rod->mass;
  rate[5] = (az * fx - ax * fz) / rod->across;
  rate[6] = vx;
}

static void runge_kutta(const carom_bed_settings *set, double h, int steps, double y[7]) {
  for (int k = 0; k < steps; k++) {
    double a[7], b[7], c[7], d[7], z[7];
    sticking_rates(set, y, a);
    for (int j = 0; j < 7; j++)
      z[j] = y[j] + 0.5 * h * a[j];
    sticking_rates(set, z, b);
    for (int j = 0; j < 7; j++)
      z[j] = y[j] + 0.5 * h * b[j];
    sticking_rates(set, z, c);
    for (int j = 0; j < 7; j++)
      z[j] = y[j] + h * c[j];
    sticking_rates(set, z, d);
    for (int j = 0; j < 7; j++)
      y[j] += h / 6 * (a[j] + 2 * b[j] + 2 * c[j] + d[j]);
  }
}

static double against_runge_kutta(carom_bed_settings *set, double h, const double exact[7]) {
  carom_arena *arena;
  set->step = h;
  carom_bed *bed = new_bed(&arena, set);
  double phi = 0.5, half = carom_bed_kind_of(bed, 0)->half;
  bed->u[0][0] = sin(phi), bed->u[2][0] = cos(phi);
  bed->x[2][0] = half * cos(phi) + 0.5 - 1e-3;
  bed->v[0][0] = 0.2, bed->v[2][0] = -0.3;
  begin(bed);
  advance(bed, lround(0.004 / h));
  double error = fmax(fabs(bed->x[2][0] - exact[1]), fabs(bed->v[0][0] - exact[3]));
  error = fmax(error, fmax(fabs(bed->v[2][0] - exact[4]), fabs(bed->w[1][0] - exact[5])));
  carom_arena_destroy(arena);
  return error;
}

static void test_higher_order_cross_check(void **state) {
  (void)state;
  carom_bed_settings set = paper_settings(1, 1, 5, 1000);
  set.leapfrog = false;
  set.gravity[2] = 0;
  set.law.plain = set.walls[0].law.plain = true;
  set.law.kt = set.walls[0].law.kt = 2e6;
  double phi = 0.5, half = 2, y[7] = {0, half * cos(phi) + 0.5 - 1e-3, phi, 0.2, -0.3, 0, 0};
  double coarse[7];
  for (int j = 0; j < 7; j++)
    coarse[j] = y[j];
  runge_kutta(&set, 1e-6, 4000, y);
  runge_kutta(&set, 2e-6, 2000, coarse);
  CHECK_NEAR(coarse[4], y[4], 1e-8); // the reference itself has converged
  double a = against_runge_kutta(&set, 4e-5, y), b = against_runge_kutta(&set, 2e-5, y);
  print_message("against Runge and Kutta: %.2e %.2e, order %.2f\n", a, b, log2(a / b));
  CHECK(b < 2e-5 && log2(a / b) > 1.7);
}

// a contact without a tangential spring is a damper: what slides is slowed at the rate c/m, with
// c = gamma m sqrt(d) or gamma sqrt(m k sqrt(d)), linear contacts with 1 for sqrt(d)
static void test_tangential_damping(void **state) {
  (void)state;
  for (int form = 0; form < 4; form++) {
    carom_bed_settings set = paper_settings(1, 1, 1.0, 100);
    carom_arena *arena;
    bool hertz = form % 2, ratio = form / 2;
    carom_grain_law *law = &set.walls[0].law;
    *law = (carom_grain_law){.hertz = hertz, .kn = 1e4, .gn = 100, .stick = 100, .slip = 100};
    law->damping = ratio ? CAROM_DAMPING_RATIO : CAROM_DAMPING_MASS;
    law->gt = ratio ? 0.05 : 20;
    set.species[0] = (carom_bed_species){1, 1, 1, 2, 1e9, 1e9}; // mass 2, too heavy to roll
    set.leapfrog = false;
    set.step = 1e-4;
    carom_bed *bed = new_bed(&arena, &set);
    double depth = hertz ? pow(2e-4, 2.0 / 3) : 2e-4, root = hertz ? sqrt(depth) : 1;
    double c = ratio ? law->gt * sqrt(2 * 1e4 * root) : law->gt * 2 * root;
    bed->x[2][0] = 0.5 - depth;
    bed->v[0][0] = 1e-3;
    begin(bed);
    advance(bed, 2000);
    CHECK(c * 0.2 / 2 > 0.05);
    CHECK_RELATIVE(bed->v[0][0], 1e-3 * exp(-c * 0.2 / 2), 1e-4);
    carom_arena_destroy(arena);
  }
}

// the largest step that is let pass resolves elastic collisions of rods at any tilt
static void test_largest_step(void **state) {
  (void)state;
  double worst = 0;
  for (double deg = 0; deg < 90; deg += 7) {
    carom_bed_settings set = paper_settings(1, 1, 5, 0);
    set.law.gn = set.law.gt = set.walls[0].law.gn = set.walls[0].law.gt = 0;
    set.leapfrog = false;
    set.step = carom_bed_largest_step(&set);
    carom_rod_motion after;
    worst = fmax(worst, fabs(strike(&set, deg * DEG, 0, -1, 0, &after)) / 0.5);
  }
  print_message("energy error at the largest step %.1e\n", worst);
  CHECK(worst < 1e-4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rigid_theory),
      cmocka_unit_test(test_grazing_never_gains),
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_order_of_slip),
      cmocka_unit_test(test_free_top),
      cmocka_unit_test(test_static_friction),
      cmocka_unit_test(test_higher_order_cross_check),
      cmocka_unit_test(test_tangential_damping),
      cmocka_unit_test(test_largest_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
