// SPDX-License-Identifier: MIT
// Velocities that are not rates of coordinates: bodies with quaternions against Euler's angles and
// elliptic functions, a skate and rolling against closed forms and contacts, what is refused.
#include "motion.h"

#include "carom/equilibrium.h"

#define QUATERNION                                                                                 \
  "rates:\n"                                                                                       \
  "  e0: -(e1*wx + e2*wy + e3*wz)/2\n"                                                             \
  "  e1: (e0*wx + e2*wz - e3*wy)/2\n"                                                              \
  "  e2: (e0*wy + e3*wx - e1*wz)/2\n"                                                              \
  "  e3: (e0*wz + e1*wy - e2*wx)/2\n"
#define LENGTH "invariants: {length: e0^2 + e1^2 + e2^2 + e3^2 = 1}\n"
// columns of the matrix that turns the body's axes into those of space, and its spin there
#define AXES                                                                                       \
  "define:\n"                                                                                      \
  "  ax: e0^2 + e1^2 - e2^2 - e3^2\n  ay: 2*(e1*e2 + e0*e3)\n  az: 2*(e1*e3 - e0*e2)\n"            \
  "  bx: 2*(e1*e2 - e0*e3)\n  by: e0^2 - e1^2 + e2^2 - e3^2\n  bz: 2*(e2*e3 + e0*e1)\n"            \
  "  cx: 2*(e1*e3 + e0*e2)\n  cy: 2*(e2*e3 - e0*e1)\n  cz: e0^2 - e1^2 - e2^2 + e3^2\n"            \
  "  ox: ax*wx + bx*wy + cx*wz\n  oy: ay*wx + by*wy + cy*wz\n  oz: az*wx + bz*wy + cz*wz\n"

static double length_off(const motion *m) {
  double sum = -1.0;
  const char *const names[] = {"e0", "e1", "e2", "e3"};
  for (int k = 0; k < 4; k++)
    sum += value_of(m, names[k]) * value_of(m, names[k]);
  return fabs(sum);
}

// ---- free bodies

// Euler's equations as they stand in tennis_racket.yaml; the time of turning over by K
static void tumbles_as_the_racket(void **state) {
  (void)state;
  const carom_setting sharp[] = {{"push", "1"}, {"run.rtol", "1e-13"}, {NULL, NULL}};
  motion body = motion_load("tumbling_body", sharp), racket = motion_load("tennis_racket", sharp);
  for (double t = 1.0; t < 40.0; t += 3.7) {
    motion_advance(&body, t);
    motion_advance(&racket, t);
    CHECK_NEAR(value_of(&body, "wx"), value_of(&racket, "w1"), 1e-10);
    CHECK_NEAR(value_of(&body, "wy"), value_of(&racket, "w2"), 1e-10);
    CHECK_NEAR(value_of(&body, "wz"), value_of(&racket, "w3"), 1e-10);
    // angular momentum stays where it is in space
    CHECK_NEAR(value_of(&body, "Ly"), 10.0, 1e-12);
    CHECK(length_off(&body) < 1e-15);
  }
  motion_advance(&body, 40.0);
  CHECK(certificate_of(&body).passed);
  motion_end(&body);
  motion_end(&racket);
}

// w1 = a cn(nu t), w2 = b sn, w3 = c dn (Landau and Lifshitz, Mechanics, section 37), far from the
// separatrix, where digits are not lost
static void spins_as_jacobi(void **state) {
  (void)state;
  const double A = 1.0, B = 2.0, C = 3.0, w1 = 1.0, w3 = 2.0;
  motion m = motion_parse("title: free body\n"
                          "coordinates: {e0: 1, e1: 0, e2: 0, e3: 0}\n"
                          "speeds: {wx: 1, wy: 0, wz: 2}\n" QUATERNION LENGTH
                          "energy: {kinetic: (wx^2 + 2*wy^2 + 3*wz^2)/2}\n"
                          "sections: {over: {when: wy}}\n"
                          "run: {until: 50, rtol: 1e-13}\n"
                          "observe: {last: 'at(over, t)', count: count(over)}\n");
  double twice = A * w1 * w1 + C * w3 * w3, square = A * A * w1 * w1 + C * C * w3 * w3;
  double nu = sqrt((C - B) * (square - twice * A) / (A * B * C));
  double k = sqrt((B - A) * (twice * C - square) / ((C - B) * (square - twice * A)));
  motion_run(&m);
  CHECK_NEAR(value_of(&m, "last"), value_of(&m, "count") * 2.0 * elliptic_k(k) / nu, 1e-10);
  motion_end(&m);
}

static void falls_as_the_top(void **state) {
  (void)state;
  motion top =
      motion_load("spinning_top", (const carom_setting[]){{"run.rtol", "1e-13"}, {NULL, NULL}});
  motion m = motion_parse(
      "title: top\n"
      "parameters: {m: 0.3, l: 0.05, g: 9.81, I1: 1.2e-3, I3: 4e-4, omega: 150, tilt: 30 deg}\n"
      "coordinates: {e0: cos(tilt/2), e1: 0, e2: sin(tilt/2), e3: 0}\n"
      "speeds: {wx: 0, wy: 0, wz: omega}\n" QUATERNION LENGTH AXES
      "energy: {kinetic: I1/2*(wx^2 + wy^2) + I3/2*wz^2, potential: m*g*l*cz}\n"
      "run: {until: 5, rtol: 1e-13}\n");
  for (double t = 0.5; t <= 5.0; t += 0.75) {
    motion_advance(&top, t);
    motion_advance(&m, t);
    CHECK_NEAR(value_of(&m, "cx") * 0.05, value_of(&top, "x"), 1e-11);
    CHECK_NEAR(value_of(&m, "cy") * 0.05, value_of(&top, "y"), 1e-11);
  }
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
  motion_end(&top);
}

// Euler's angles with the angular velocity as speeds: c^r_sk are numbers there, too
static void speeds_over_angles(void **state) {
  (void)state;
  motion m = motion_parse("title: angles\n"
                          "coordinates: {psi: 0, th: 1, ph: 0}\n"
                          "speeds: {wx: 1, wy: 0, wz: 2}\n"
                          "rates:\n"
                          "  psi: (wx*sin(ph) + wy*cos(ph))/sin(th)\n"
                          "  th: wx*cos(ph) - wy*sin(ph)\n"
                          "  ph: wz - (wx*sin(ph) + wy*cos(ph))*cos(th)/sin(th)\n"
                          "energy: {kinetic: (wx^2 + 2*wy^2 + 3*wz^2)/2}\n"
                          "run: {until: 5}\n");
  char *text = NULL;
  carom_error error = {0};
  MUST(carom_model_derive(m.model, CAROM_PLAIN, &text, &error), error);
  CHECK(strstr(text, "h[wx] = -wy*wz") != NULL);
  carom_text_destroy(text);
  motion_end(&m);
}

// Polar velocities: the commutator of (v, w) is -w/r, no number. A free particle goes straight on.
static void speeds_along_polar_axes(void **state) {
  (void)state;
  motion m = motion_parse("title: particle\n"
                          "coordinates: {r: 1, phi: 0}\n"
                          "speeds: {v: 0.5, w: 2}\n"
                          "rates: {r: v, phi: w/r}\n"
                          "energy: {kinetic: (v^2 + w^2)/2}\n"
                          "run: {until: 3, rtol: 1e-12}\n");
  motion_run(&m);
  double r = value_of(&m, "r"), phi = value_of(&m, "phi");
  CHECK_NEAR(r * cos(phi), 1.0 + 0.5 * 3.0, 1e-10);
  CHECK_NEAR(r * sin(phi), 2.0 * 3.0, 1e-10);
  motion_end(&m);
}

// ---- rolling and skating

static void skates_along_a_cycloid(void **state) {
  (void)state;
  motion m = motion_load("skate", (const carom_setting[]){{"run.rtol", "1e-12"}, {NULL, NULL}});
  double a = 9.81 * sin(0.1), w = 1.5;
  for (double t = 1.3; t < 20.0; t += 4.1) {
    motion_advance(&m, t);
    CHECK_NEAR(value_of(&m, "x"), a / (2.0 * w * w) * pow(sin(w * t), 2), 1e-10);
    CHECK_NEAR(value_of(&m, "y"), a / (2.0 * w) * (t - sin(2.0 * w * t) / (2.0 * w)), 1e-10);
    CHECK_NEAR(value_of(&m, "v"), a / w * sin(w * t), 1e-10);
    CHECK_NEAR(value_of(&m, "v'"), a * cos(w * t), 1e-9);
  }
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// Chaplygin's sleigh, m v' = m c w^2, (J + m c^2) w' = -m c v w: energy stays, and from rest
// forward w = w0 sech(...) ends in straight motion with all energy in v
static void sleigh_straightens(void **state) {
  (void)state;
  motion m = motion_load(
      "skate",
      (const carom_setting[]){{"c", "0.5"}, {"slope", "0"}, {"run.rtol", "1e-12"}, {NULL, NULL}});
  double J = 5.0 + 60.0 * 0.25, k = 60.0 * 0.5 / J, fast = 1.5 * sqrt(J / 60.0);
  for (double t = 1.0; t < 12.0; t += 3.0) {
    motion_advance(&m, t);
    CHECK_NEAR(value_of(&m, "v"), fast * tanh(k * fast * t), 1e-10);
    CHECK_NEAR(value_of(&m, "w"), 1.5 / cosh(k * fast * t), 1e-10);
  }
  motion_end(&m);
}

#define COIN                                                                                       \
  "title: coin\n"                                                                                  \
  "parameters:\n"                                                                                  \
  "  {m: 0.01, R: 0.0125, g: 9.81, mu: 5, A: m*R^2/4, C: m*R^2/2, tilt: 0.3, turn: 4, more: 3,\n"  \
  "   w: (A*turn^2*cos(tilt) - m*g*R)*sin(tilt)/((C + m*R^2)*turn*cos(tilt)) + more}\n"            \
  "speeds: {wx: 0, wy: turn*cos(tilt), wz: w}\n"

#define EDGE                                                                                       \
  "  lean: sqrt(1 - cz^2)\n" /* from the centre to the lowest point: -R s, s up along the disc */  \
  "  sx: -cz*cx/lean\n  sy: -cz*cy/lean\n  sz: lean\n"                                             \
  "  ux: -R*(oy*sz - oz*sy)\n  uy: -R*(oz*sx - ox*sz)\n"

static const char COIN_TOUCHING[] =
    COIN "coordinates:\n"
         "  {x: {start: 0, rate: -R*w}, y: 0, z: R*cos(tilt), e0: cos(pi/4 - tilt/2),\n"
         "   e1: sin(pi/4 - tilt/2), e2: 0, e3: 0}\n" QUATERNION LENGTH AXES EDGE "energy:\n"
         "  kinetic: m/2*(x'^2 + y'^2 + z'^2) + (A*wx^2 + A*wy^2 + C*wz^2)/2\n"
         "  potential: m*g*z\n"
         "contacts:\n"
         "  table: {gap: z - R*lean, slip: [x' + ux, y' + uy], friction: mu, impact: 0}\n"
         "run: {until: 1, rtol: 1e-12}\n";

// speeds in the energy stand for the attitude alone: the place follows it
static const char COIN_ROLLING[] =
    COIN "coordinates:\n"
         "  {x: 0, y: 0, e0: cos(pi/4 - tilt/2), e1: sin(pi/4 - tilt/2), e2: 0, e3: 0}\n" QUATERNION
         "  x: -ux\n"
         "  y: -uy\n" LENGTH AXES EDGE "  z: R*lean\n"
         "energy:\n"
         "  kinetic: m/2*(x'^2 + y'^2 + z'^2) + (A*wx^2 + A*wy^2 + C*wz^2)/2\n"
         "  potential: m*g*z\n"
         "run: {until: 1, rtol: 1e-12}\n";

// in Euler's angles, touching with friction, and as a system that rolls by its rates
static void coin_rolls(void **state) {
  (void)state;
  motion angles = motion_load(
      "coin", (const carom_setting[]){
                  {"more_spin", "3"}, {"mu", "5"}, {"run.rtol", "1e-12"}, {NULL, NULL}});
  motion others[] = {motion_parse(COIN_TOUCHING), motion_parse(COIN_ROLLING)};
  for (double t = 0.1; t <= 1.0; t += 0.3) {
    motion_advance(&angles, t);
    for (int k = 0; k < 2; k++) {
      motion_advance(&others[k], t);
      CHECK_NEAR(value_of(&others[k], "x"), value_of(&angles, "x"), 1e-11);
      CHECK_NEAR(value_of(&others[k], "y"), value_of(&angles, "y"), 1e-11);
      CHECK_NEAR(value_of(&others[k], "cz"), sin(value_of(&angles, "th")), 1e-10);
    }
  }
  for (int k = 0; k < 2; k++) {
    CHECK(certificate_of(&others[k]).passed);
    motion_end(&others[k]);
  }
  motion_end(&angles);
}

// ---- contacts

// bounces, slides, curves and rolls; wherever the ball's own axes point at the start
static void ball_bounces(void **state) {
  (void)state;
  motion plain = motion_load("ball_space", (const carom_setting[]){{"coordinates.z.start", "0.5"},
                                                                   {"mu", "0.1"},
                                                                   {"run.rtol", "1e-12"},
                                                                   {NULL, NULL}});
  motion m = motion_parse(
      "title: ball\n"
      "parameters: {m: 1, R: 0.1, k: 2/5, g: 9.81, mu: 0.1}\n"
      "coordinates: {x: {start: 0, rate: 1}, y: 0, z: 0.5, e0: 0.5, e1: 0.5, e2: 0.5, e3: 0.5}\n"
      "speeds: {wx: -5, wy: 3, wz: 20}\n" /* (20, -5, 3) in space: x is the ball's third axis */
      QUATERNION LENGTH AXES "energy:\n"
      "  kinetic: m/2*(x'^2 + y'^2 + z'^2) + k*m*R^2/2*(wx^2 + wy^2 + wz^2)\n"
      "  potential: m*g*z\n"
      "contacts:\n"
      "  table: {gap: z - R, slip: [x' - R*oy, y' + R*ox], friction: mu, impact: 0.6}\n"
      "run: {until: 3, rtol: 1e-12}\n");
  for (double t = 0.1; t <= 3.0; t += 0.2) {
    motion_advance(&plain, t);
    motion_advance(&m, t);
    const char *const names[][2] = {{"x", "x"},   {"y", "y"},   {"z", "z"},   {"x'", "x'"},
                                    {"y'", "y'"}, {"a'", "ox"}, {"b'", "oy"}, {"c'", "oz"}};
    for (int k = 0; k < 8; k++)
      CHECK_NEAR(value_of(&m, names[k][1]), value_of(&plain, names[k][0]), 1e-9);
  }
  CHECK(certificate_of(&m).passed);
  CHECK(length_off(&m) < 1e-15);
  motion_end(&m);
  motion_end(&plain);
}

// A top without much spin falls on a table that only its attitude knows of, bounces and stays on
// it, going round; in Euler's angles the same.
static void top_lands(void **state) {
  (void)state;
  motion angles = motion_load(
      "spinning_top",
      (const carom_setting[]){{"omega", "20"},
                              {"contacts", "{table: {gap: 'cos(nutation) - 0.2', impact: 0.3}}"},
                              {"run.rtol", "1e-13"},
                              {NULL, NULL}});
  motion m = motion_parse(
      "title: top\n"
      "parameters: {m: 0.3, l: 0.05, g: 9.81, I1: 1.2e-3, I3: 4e-4, omega: 20, tilt: 30 deg}\n"
      "coordinates: {e0: cos(tilt/2), e1: 0, e2: sin(tilt/2), e3: 0}\n"
      "speeds: {wx: 0, wy: 0, wz: omega}\n" QUATERNION LENGTH AXES
      "energy: {kinetic: I1/2*(wx^2 + wy^2) + I3/2*wz^2, potential: m*g*l*cz}\n"
      "contacts: {table: {gap: cz - 0.2, impact: 0.3}}\n"
      "run: {until: 2, rtol: 1e-13}\n");
  for (double t = 0.1; t <= 2.0; t += 0.2) {
    motion_advance(&angles, t);
    motion_advance(&m, t);
    CHECK_NEAR(value_of(&m, "cx") * 0.05, value_of(&angles, "x"), 1e-10);
    CHECK_NEAR(value_of(&m, "cz"), cos(value_of(&angles, "nutation")), 1e-10);
  }
  CHECK_NEAR(value_of(&m, "cz"), 0.2, 1e-15);
  carom_certificate c = certificate_of(&m), other = certificate_of(&angles);
  CHECK(c.passed && c.counts.impacts == other.counts.impacts && c.counts.impacts > 5);
  motion_end(&m);
  motion_end(&angles);
}

// With loose tolerances, too, what lies on the table stays on it; a rate of the gap that is
// rounding is no impact.
static void top_lies(void **state) {
  (void)state;
  for (int k = 0; k < 6; k++) {
    motion m = motion_parse(
        "title: top\n"
        "parameters: {m: 0.3, l: 0.05, g: 9.81, I1: 1.2e-3, I3: 4e-4, turn: 1, tilt: acos(0.2)}\n"
        "coordinates: {e0: cos(tilt/2), e1: 0.6*sin(tilt/2), e2: 0.8*sin(tilt/2), e3: 0}\n"
        "speeds: {wx: -0.8*turn*sin(tilt), wy: 0.6*turn*sin(tilt), wz: turn*cos(tilt)}\n" QUATERNION
            LENGTH AXES "energy: {kinetic: I1/2*(wx^2 + wy^2) + I3/2*wz^2, potential: m*g*l*cz}\n"
        "contacts: {table: {gap: cz - 0.2, impact: 0.3}}\n"
        "run: {until: 20, rtol: 1e-5}\n");
    carom_error error = {0};
    set_value(&m, "turn", 0.7 + 0.3 * k);
    MUST(carom_simulation_reset(m.simulation, &error), error);
    motion_run(&m);
    CHECK_NEAR(value_of(&m, "cz"), 0.2, 1e-15);
    CHECK_NEAR(value_of(&m, "oz"), 0.7 + 0.3 * k, 1e-9);
    carom_certificate c = certificate_of(&m);
    CHECK(c.passed && c.counts.impacts == 0);
    motion_end(&m);
  }
}

// ---- constraints, events, saved states, rest

#define HUNG                                                                                       \
  "title: rod\n"                                                                                   \
  "parameters: {m: 1, l: 1, g: 9.81, A: 1/12, C: 1/100, tilt: 2, c: 0}\n"                          \
  "speeds: {wx: 0, wy: 1, wz: 2}\n"

// a rod held at its end by three constraints on a free body, and one that knows of nothing else
static const char ROD_HELD[] =
    HUNG "coordinates: {x: 0, y: -l/2*sin(tilt), z: l/2*cos(tilt), e0: cos(tilt/2),\n"
         "  e1: sin(tilt/2), e2: 0, e3: 0}\n" QUATERNION LENGTH AXES "energy:\n"
         "  kinetic: m/2*(x'^2 + y'^2 + z'^2) + A/2*(wx^2 + wy^2) + C/2*wz^2\n"
         "  potential: m*g*z\n"
         "  dissipation: c/2*(wx^2 + wy^2 + wz^2)\n"
         "constraints: {px: x - l/2*cx, py: y - l/2*cy, pz: z - l/2*cz}\n"
         "run: {until: 5, rtol: 1e-13}\n";
static const char ROD_TURNING[] =
    HUNG "coordinates: {e0: cos(tilt/2), e1: sin(tilt/2), e2: 0, e3: 0}\n" QUATERNION LENGTH AXES
         "  x: l/2*cx\n  y: l/2*cy\n  z: l/2*cz\n"
         "energy:\n"
         "  kinetic: (A + m*l^2/4)/2*(wx^2 + wy^2) + C/2*wz^2\n"
         "  potential: m*g*z\n"
         "  dissipation: c/2*(wx^2 + wy^2 + wz^2)\n"
         "events: {kick: {when: t - 7, do: {wx: wx + 1}}}\n"
         "run: {until: 9, rtol: 1e-13}\n";

static void rod_is_held(void **state) {
  (void)state;
  motion held = motion_parse(ROD_HELD), turning = motion_parse(ROD_TURNING);
  for (double t = 0.7; t <= 5.0; t += 0.8) {
    motion_advance(&held, t);
    motion_advance(&turning, t);
    const char *const names[] = {"x", "y", "z", "wx", "wy", "wz", "e0", "e3"};
    for (int k = 0; k < 8; k++)
      CHECK_NEAR(value_of(&held, names[k]), value_of(&turning, names[k]), 1e-10);
    // rates of coordinates by name, as speeds tell
    CHECK_NEAR(value_of(&held, "e0'"),
               -0.5 * (value_of(&held, "e1") * value_of(&held, "wx") +
                       value_of(&held, "e2") * value_of(&held, "wy") +
                       value_of(&held, "e3") * value_of(&held, "wz")),
               1e-13);
  }
  carom_certificate c = certificate_of(&held);
  CHECK(c.passed && c.worst.constraint_error < 1e-13);
  motion_end(&held);
  motion_end(&turning);
}

// the pendulum of that inertia: -c/(2 J) +- i sqrt(m g l/(2 J) - (c/(2 J))^2) twice, -c/C about its
// axis, 0 about the vertical
static void rod_at_rest(void **state) {
  (void)state;
  const double J = 1.0 / 12 + 0.25, c = 0.02, damp = c / (2 * J),
               omega = sqrt(9.81 / (2 * J) - damp * damp);
  for (int k = 0; k < 2; k++) {
    motion m = motion_parse(k == 0 ? ROD_HELD : ROD_TURNING);
    carom_equilibria *list = NULL;
    carom_error error = {0};
    set_value(&m, "c", c);
    MUST(carom_simulation_reset(m.simulation, &error), error);
    MUST(carom_equilibria_find(m.simulation, &list, &error), error);
    assert_int_equal(carom_equilibria_count(list), 1);
    const carom_equilibrium *e = carom_equilibria_at(list, 0);
    assert_int_equal(e->eigenvalues, 6);
    CHECK_NEAR(e->re[0], 0.0, 1e-9);
    for (int j = 1; j < 5; j++) {
      CHECK_NEAR(e->re[j], -damp, 1e-9);
      CHECK_NEAR(fabs(e->im[j]), omega, 1e-9);
    }
    CHECK_NEAR(e->re[5], -c * 100.0, 1e-9);
    carom_equilibria_destroy(list);
    motion_end(&m);
  }
}

static void event_changes_a_speed(void **state) {
  (void)state;
  motion m = motion_parse(ROD_TURNING);
  motion_advance(&m, 6.999999);
  double before = value_of(&m, "wx");
  motion_advance(&m, 7.0);
  CHECK_NEAR(value_of(&m, "wx") - before, 1.0, 1e-4);
  motion_advance(&m, 9.0);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// stopped, saved and gone on with elsewhere: the same bits; a start set by name
static void saved_state_goes_on(void **state) {
  (void)state;
  motion whole = motion_parse(COIN_TOUCHING), first = motion_parse(COIN_TOUCHING),
         second = motion_parse(COIN_TOUCHING);
  carom_error error = {0};
  size_t size = 0;
  static char buffer[1 << 16];
  motion_advance(&whole, 0.4);
  motion_advance(&first, 0.4);
  MUST(carom_simulation_save(first.simulation, NULL, &size, &error), error);
  CHECK(size <= sizeof buffer);
  MUST(carom_simulation_save(first.simulation, buffer, &size, &error), error);
  MUST(carom_simulation_restore(second.simulation, buffer, size, &error), error);
  motion_advance(&whole, 0.9);
  motion_advance(&second, 0.9);
  int count = 0;
  const double *a = carom_simulation_state(whole.simulation, &count),
               *b = carom_simulation_state(second.simulation, NULL);
  assert_int_equal(count, 3 + 6 + 4);
  assert_memory_equal(a, b, (size_t)count * sizeof *a);
  set_value(&first, "wz", 7.0);
  MUST(carom_simulation_reset(first.simulation, &error), error);
  CHECK(value_of(&first, "wz") == 7.0);
  motion_end(&whole);
  motion_end(&first);
  motion_end(&second);
}

// a start off the sphere is refused, or brought there
static void start_off_the_sphere(void **state) {
  (void)state;
  static const char text[] = "coordinates: {e0: 2, e1: 0, e2: 0, e3: 1}\n"
                             "speeds: {wx: 1, wy: 0, wz: 2}\n" QUATERNION LENGTH
                             "energy: {kinetic: (wx^2 + 2*wy^2 + 3*wz^2)/2}\n";
  char whole[1000];
  carom_error error = {0};
  (void)snprintf(whole, sizeof whole, "%srun: {until: 1}\n", text);
  motion m = motion_parse(whole);
  assert_int_equal(carom_simulation_run(m.simulation, &error), CAROM_ERR_INPUT);
  CHECK(strstr(error.text, "the start breaks invariants.length") != NULL);
  motion_end(&m);
  (void)snprintf(whole, sizeof whole, "%srun: {until: 1, assemble: yes}\n", text);
  m = motion_parse(whole);
  CHECK_NEAR(value_of(&m, "e0"), 2.0 / sqrt(5.0), 1e-15);
  CHECK_NEAR(value_of(&m, "e3"), 1.0 / sqrt(5.0), 1e-15);
  motion_end(&m);
}

// compliant contacts: a ball that drops and rises with e, whatever its axes
static void soft_contact(void **state) {
  (void)state;
  motion m =
      motion_parse("title: ball\n"
                   "parameters: {m: 1, R: 0.1, g: 9.81}\n"
                   "coordinates: {x: 0, z: 0.2, e0: 0.5, e1: 0.5, e2: 0.5, e3: 0.5}\n"
                   "speeds: {wx: -5, wy: 3, wz: 20}\n" QUATERNION LENGTH AXES "energy:\n"
                   "  kinetic: m/2*(x'^2 + z'^2) + m*R^2/5*(wx^2 + wy^2 + wz^2)\n"
                   "  potential: m*g*z\n"
                   "contacts: {table: {gap: z - R, slip: x' - R*oy, friction: 0.1, impact: 0.5}}\n"
                   "run: {until: 0.25, compliant: 1e7}\n");
  motion_run(&m);
  CHECK_NEAR(value_of(&m, "z'"), 0.5 * sqrt(2 * 9.81 * 0.1) - 9.81 * (0.25 - sqrt(0.2 / 9.81)),
             2e-2);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// what a speed stands for where a blade takes velocities away is not clear from its energy
static void energy_in_speeds_of_a_skate(void **state) {
  (void)state;
  carom_model *model = NULL;
  carom_error error = {0};
  assert_int_equal(carom_model_parse("coordinates: {x: 0, y: 0, phi: 0}\n"
                                     "speeds: {v: 1, w: 1}\n"
                                     "rates: {x: v*cos(phi), y: v*sin(phi), phi: w}\n"
                                     "energy:\n"
                                     "  kinetic: v^2 + w^2\n"
                                     "run: {until: 1}\n",
                                     NULL, 0, NULL, &model, &error),
                   CAROM_ERR_INPUT);
  CHECK(error.line == 5);
  CHECK(strstr(error.text, "write energy.kinetic in rates of coordinates") != NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tumbles_as_the_racket),
      cmocka_unit_test(spins_as_jacobi),
      cmocka_unit_test(falls_as_the_top),
      cmocka_unit_test(speeds_over_angles),
      cmocka_unit_test(speeds_along_polar_axes),
      cmocka_unit_test(skates_along_a_cycloid),
      cmocka_unit_test(sleigh_straightens),
      cmocka_unit_test(coin_rolls),
      cmocka_unit_test(ball_bounces),
      cmocka_unit_test(top_lands),
      cmocka_unit_test(top_lies),
      cmocka_unit_test(rod_is_held),
      cmocka_unit_test(rod_at_rest),
      cmocka_unit_test(event_changes_a_speed),
      cmocka_unit_test(saved_state_goes_on),
      cmocka_unit_test(start_off_the_sphere),
      cmocka_unit_test(soft_contact),
      cmocka_unit_test(energy_in_speeds_of_a_skate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
