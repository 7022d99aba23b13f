// SPDX-License-Identifier: MIT
// Random motions with contacts in space, rigid and compliant: blocks on tables that move, balls
// that are thrown, bodies that roll over their rounded side, three feet that slide. The compliant
// motion shares nothing with the solvers of rigid contact and must come near as its springs get
// stiffer.
//   test_spatial_scenes COUNT SEED    compares so many
#include "motion.h"
#include "random_scene.h"

#include <stdlib.h>

static int scene_count = 12;
static uint64_t scene_seed = 1;

enum { COORDINATES = 3, KINDS = 4 };
static const char *const STIFFNESSES[] = {"0", "3e4", "3e5", "3e8"};

static void law(scene_text *s, bool ellipse) {
  double mu = scene_between(s, 0.1, 0.7), kind = scene_random(s);
  if (kind < 0.4)
    scene_write(s, "friction: {slip: %.4f", mu);
  else if (kind < 0.7)
    scene_write(s, "friction: {slip: %.4f, stick: %.4f", mu, mu * scene_between(s, 1.1, 1.6));
  else
    scene_write(s, "friction: {slip: %.4f/(1 + slip/%.3f), stick: %.4f", mu,
                scene_between(s, 0.5, 2.0), mu * scene_between(s, 1.1, 1.4));
  if (ellipse && scene_chance(s, 0.4)) scene_write(s, ", across: %.4f", scene_between(s, 0.5, 1.5));
  scene_write(s, "}");
}

// a block on springs, dragged by a table that moves in its plane and up and down
static void write_block(scene_text *s) {
  scene_write(s,
              "coordinates: {x: {start: %.4f, rate: %.4f}, y: {start: %.4f, rate: %.4f}, z: 0}\n",
              scene_between(s, -0.2, 0.2), scene_between(s, -1, 1), scene_between(s, -0.2, 0.2),
              scene_between(s, -1, 1));
  scene_write(s,
              "energy: {kinetic: (x'^2 + y'^2 + z'^2)/2, potential: \"9.81*z + %.4f*x + %.4f*x^2 + "
              "%.4f*y^2 + %.4f*x*y\"}\n",
              scene_between(s, 0, 2), scene_between(s, 2, 30), scene_between(s, 2, 30),
              scene_between(s, -2, 2));
  scene_write(s, "forces: {z: %.4f*sin(%.3f*t)}\n", scene_between(s, -4, 4),
              scene_between(s, 1, 6));
  scene_write(s,
              "contacts: {floor: {gap: z, slip: [x' - %.4f*sin(%.3f*t), y' - %.4f*cos(%.3f*t)], ",
              scene_between(s, 0, 1), scene_between(s, 1, 5), scene_between(s, 0, 1),
              scene_between(s, 1, 5));
  law(s, true);
  scene_write(s, "}}\nobserve: {o0: x, o1: y, o2: \"y' + x'\"}\nrun: {until: 1.5");
}

static void write_laws(scene_text *s, double e) {
  law(s, true);
  scene_write(s, ", impact: {law: %s, e: %.3f}", s->law, e);
}

// a ball that lands on a slope with any spin
static void write_ball(scene_text *s) {
  scene_write(
      s, "coordinates:\n  x: {rate: %.4f}\n  y: {rate: %.4f}\n  z: {start: %.4f, rate: %.4f}\n",
      scene_between(s, -2, 2), scene_between(s, -2, 2), scene_between(s, 0.01, 0.1),
      scene_between(s, -1, 1));
  scene_write(s, "  a: {rate: %.4f}\n  b: {rate: %.4f}\n  c: {rate: %.4f}\n",
              scene_between(s, -20, 20), scene_between(s, -20, 20), scene_between(s, -20, 20));
  scene_write(s, "energy:\n  kinetic: (x'^2 + y'^2 + z'^2)/2 + 0.002*(a'^2 + b'^2 + c'^2)\n");
  scene_write(s, "  potential: \"9.81*z + %.4f*x + %.4f*y\"\n", scene_between(s, -2, 2),
              scene_between(s, -2, 2));
  scene_write(s, "contacts: {floor: {gap: z, slip: [x' - 0.1*b', y' + 0.1*a'], ");
  write_laws(s, scene_chance(s, 0.5) ? 0.0 : scene_between(s, 0.2, 0.8));
  scene_write(s, "}}\nobserve: {o0: x, o1: y, o2: 0.1*(a' + b')}\nrun: {until: 0.8");
}

// a thin ring or disc that falls on its edge, slides and rolls
static void write_coin(scene_text *s) {
  double A = scene_between(s, 0.2, 0.5);
  scene_write(s, "define: {up: cos(th), w: ph' + psi'*sin(th)}\n");
  scene_write(
      s, "coordinates:\n  x: {rate: %.4f}\n  y: {rate: %.4f}\n  z: {start: 0.12, rate: %.4f}\n",
      scene_between(s, -1, 1), scene_between(s, -1, 1), scene_between(s, -1, 0));
  scene_write(s, "  psi: {rate: %.4f}\n  th: {start: %.4f, rate: %.4f}\n  ph: {rate: %.4f}\n",
              scene_between(s, -6, 6), scene_between(s, -0.6, 0.6), scene_between(s, -2, 2),
              scene_between(s, -20, 20));
  scene_write(
      s, "energy:\n  kinetic: (x'^2 + y'^2 + z'^2)/2 + %.5f*(th'^2 + psi'^2*up^2) + %.5f*w^2\n",
      0.005 * A, 0.01 * A);
  scene_write(s, "  potential: 9.81*z\ncontacts:\n  floor:\n    gap: z - 0.1*up\n    slip:\n"
                 "      - x'*cos(psi) + y'*sin(psi) + 0.1*w\n"
                 "      - y'*cos(psi) - x'*sin(psi) - 0.1*th'*up\n    ");
  law(s, false);
  scene_write(s, "\n    impact: {law: energetic, e: 0}\n"
                 "observe: {o0: x, o1: y, o2: th}\nrun: {until: 0.15");
}

// three feet that slide, with a turn and a mass centre that is low
static void write_stool(scene_text *s) {
  static const char *const feet[] = {"s", "s + 2*pi/3", "s - 2*pi/3"};
  scene_write(
      s, "coordinates: {x: {rate: %.4f}, y: {rate: %.4f}, z: 0, p: 0, q: 0, s: {rate: %.4f}}\n",
      scene_between(s, -1, 1), scene_between(s, -1, 1), scene_between(s, -9, 9));
  scene_write(s, "energy: {kinetic: x'^2 + y'^2 + z'^2 + 0.015*(p'^2 + q'^2) + 0.025*s'^2, "
                 "potential: 19.62*z}\ncontacts:\n");
  uint64_t same = s->random;
  for (int k = 0; k < 3; k++) {
    scene_write(s,
                "  foot%d: {gap: z + 0.2*(p*sin(%s) - q*cos(%s)), slip: [x' - 0.05*q' - "
                "0.2*s'*sin(%s), y' + 0.05*p' + 0.2*s'*cos(%s)], ",
                k + 1, feet[k], feet[k], feet[k], feet[k]);
    s->random = same;
    law(s, false);
    scene_write(s, "}\n");
  }
  scene_write(s, "observe: {o0: x, o1: y, o2: s}\nrun: {until: 0.25");
}

static void write_scene(scene_text *s, int k) {
  static void (*const kinds[KINDS])(scene_text *) = {write_block, write_ball, write_coin,
                                                     write_stool};
  *s = (scene_text){.random = scene_seed * 1000003u + (uint64_t)k};
  for (int j = 0; j < 4; j++)
    (void)scene_random(s);
  s->law = "energetic";
  kinds[k % KINDS](s);
}

// false: the rigid motion met something that is not unique
static bool run(const scene_text *s, const char *stiffness, double *out) {
  char text[SCENE_TEXT + 80];
  (void)snprintf(text, sizeof text, "%s, rtol: 1e-9%s%s}\n", s->text,
                 *stiffness == '0' ? "" : ", compliant: ", *stiffness == '0' ? "" : stiffness);
  motion m = motion_parse(text);
  motion_run(&m);
  carom_certificate c = certificate_of(&m);
  if (!c.passed) print_error("%s", text);
  CHECK(c.passed);
  out[0] = value_of(&m, "o0");
  out[1] = value_of(&m, "o1");
  out[2] = value_of(&m, "o2");
  motion_end(&m);
  return c.counts.non_unique == 0;
}

static double apart(const double *a, const double *b) {
  double most = 0.0;
  for (int i = 0; i < COORDINATES; i++)
    most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

// Ends come near as the springs get ten times as stiff; where a motion magnifies what the landing
// leaves they are told by that alone. What a spring takes of time and of slip goes like the root of
// its compliance, so that what stays apart (a motion that ends just after an impact) has to come
// near with springs a thousand times as stiff. Coins are not followed until they have fallen over,
// which magnifies it without bounds.
static void random_scenes(void **state) {
  (void)state;
  int compared = 0, far = 0;
  static scene_text s;
  for (int k = 0; k < scene_count; k++) {
    double end[4][COORDINATES];
    write_scene(&s, k);
    if (!run(&s, STIFFNESSES[0], end[0])) continue;
    for (int j = 1; j < 3; j++)
      (void)run(&s, STIFFNESSES[j], end[j]);
    double soft = apart(end[0], end[1]), stiff = apart(end[0], end[2]);
    compared++;
    if (stiff < 1e-3 || stiff < 0.5 * soft) continue;
    (void)run(&s, STIFFNESSES[3], end[3]);
    double stiffest = apart(end[0], end[3]);
    if (stiffest < 1e-3 || stiffest < 0.1 * stiff) continue;
    print_error("scene %d: %.3e apart, %.3e with softer springs, %.3e with the stiffest\n%s}\n", k,
                stiff, soft, stiffest, s.text);
    far++;
  }
  print_message("%d of %d compared, %d far\n", compared, scene_count, far);
  assert_int_equal(far, 0);
  CHECK(compared > scene_count * 9 / 10);
}

int main(int argc, char **argv) {
  if (argc > 1) scene_count = atoi(argv[1]);
  if (argc > 2) scene_seed = (uint64_t)atoi(argv[2]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_scenes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
