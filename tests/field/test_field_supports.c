// SPDX-License-Identifier: MIT
// Supports by the symmetries of mechanics: a wall, a ceiling or a slope is a floor in another
// frame, a floor that moves steadily is a floor at rest, one that is accelerated is heavier
// gravity; a vibrating one against linear theory. Fields that name faces. And none is ever stepped
// through.
#include "field_motion_help.h"

#include <string.h>

static const double PI = 3.14159265358979323846;

#define ALL_FIELDS                                                                                 \
  "fields:\n  repulsion: {exponent: 6, coefficient: 1e-7}\n"                                       \
  "  damping: {exponent: 2, coefficient: 2}\n  friction: {exponent: 2, coefficient: 20}\n"         \
  "  adhesion: {pressure: 2e4, length: 0.02}\n"

// the plane turned by `angle`: floor 0, wall pi/2, ceiling pi
static void turned_plane(double angle, double end[3]) {
  char text[1024];
  double s = sin(angle), c = cos(angle), g = 9.81, x = 0.1, y = 0.6, vx = 0.5, vy = -1.0;
  (void)snprintf(text, sizeof text,
                 "engine: field\nbody: {rectangle: [1, 0.7]}\ngravity: [%.17g, %.17g]\n"
                 "supports: {plane: {normal: [%.17g, %.17g]}}\n" ALL_FIELDS
                 "start: {position: [%.17g, %.17g], velocity: [%.17g, %.17g], angle: %.17g, rate: "
                 "0.7}\nrun: {until: 1, rtol: 1e-11}\n",
                 g * s, -g * c, -s, c, c * x - s * y, s * x + c * y, c * vx - s * vy,
                 s * vx + c * vy, angle + 0.1);
  motion it = motion_text(text);
  motion_run(&it, 1.0);
  double px = motion_get(&it, "x"), py = motion_get(&it, "y");
  end[0] = c * px + s * py, end[1] = -s * px + c * py;
  end[2] = motion_get(&it, "theta") - angle;
  CHECK(motion_certificate(&it).passed);
  motion_end(&it);
}

static void wall_ceiling_and_slope_are_floors(void **state) {
  (void)state;
  double floor[3], other[3];
  const double angles[] = {0.5 * PI, PI, -0.5 * PI, PI / 20.0, 2.0};
  turned_plane(0.0, floor);
  for (size_t k = 0; k < sizeof angles / sizeof *angles; k++) {
    turned_plane(angles[k], other);
    for (int i = 0; i < 3; i++)
      CHECK_NEAR(other[i], floor[i], 1e-8);
  }
}

// In space: the axes are permuted, floor z, walls x and y.
static void walls_in_space(void **state) {
  (void)state;
  double end[3][3];
  for (int k = 0; k < 3; k++) {
    char text[1024];
    const double place[3] = {0.05, -0.1, 0.62}, velocity[3] = {0.4, -0.2, -0.8},
                 spin[3] = {0.5, 1.0, 0.3};
    double p[3], v[3], w[3], n[3] = {0}, g[3] = {0};
    for (int i = 0; i < 3; i++) {
      p[(i + k) % 3] = place[i], v[(i + k) % 3] = velocity[i], w[(i + k) % 3] = spin[i];
      n[(2 + k) % 3] = 1.0, g[(2 + k) % 3] = -9.81;
    }
    (void)snprintf(
        text, sizeof text,
        "engine: field\nbody: {cube: 1}\ngravity: [%g, %g, %g]\n"
        "supports: {plane: {normal: [%g, %g, %g]}}\n" ALL_FIELDS
        "start: {position: [%g, %g, %g], velocity: [%g, %g, %g], angular: [%g, %g, %g]}\n"
        "run: {until: 0.8, rtol: 1e-11}\n",
        g[0], g[1], g[2], n[0], n[1], n[2], p[0], p[1], p[2], v[0], v[1], v[2], w[0], w[1], w[2]);
    motion it = motion_text(text);
    motion_run(&it, 0.8);
    static const char *const names[] = {"x", "y", "z"};
    for (int i = 0; i < 3; i++)
      end[k][i] = motion_get(&it, names[(i + k) % 3]);
    motion_end(&it);
  }
  for (int k = 1; k < 3; k++)
    for (int i = 0; i < 3; i++)
      CHECK_NEAR(end[k][i], end[0][i], 1e-8);
}

// a floor that moves steadily sees the same motion; the work of both frames differs, the ledger
// closes in each
static void steady_floor(void **state) {
  (void)state;
  double end[2][3];
  for (int k = 0; k < 2; k++) {
    char text[1024];
    double ux = k ? 0.3 : 0.0, uy = k ? 0.7 : 0.0;
    (void)snprintf(text, sizeof text,
                   "engine: field\nbody: {square: 1}\nsupports: {floor: {shift: ['%g*t', "
                   "'%g*t']}}\n" ALL_FIELDS
                   "start: {position: [0, 0.7], velocity: [%g, %g], angle: 0.1}\n"
                   "run: {until: 1, rtol: 1e-11}\n",
                   ux, uy, ux + 0.5, uy - 0.5);
    motion it = motion_text(text);
    motion_run(&it, 1.0);
    end[k][0] = motion_get(&it, "x") - ux, end[k][1] = motion_get(&it, "y") - uy;
    end[k][2] = motion_get(&it, "theta");
    carom_certificate c = motion_certificate(&it);
    CHECK((c.energy.work_drives != 0.0) == (k == 1));
    CHECK_NEAR(c.energy.residual_relative, 0.0, 1e-9);
    motion_end(&it);
  }
  for (int i = 0; i < 3; i++)
    CHECK_NEAR(end[1][i], end[0][i], 1e-8);
}

// a floor accelerated by a is one at rest in gravity g + a
static void accelerated_floor(void **state) {
  (void)state;
  double end[2][2];
  for (int k = 0; k < 2; k++) {
    char text[1024];
    (void)snprintf(text, sizeof text,
                   "engine: field\nbody: {disc: 0.5}\ngravity: %g\n"
                   "supports: {floor: {shift: [0, '%s']}}\n"
                   "fields:\n  repulsion: {exponent: 8, coefficient: 1e-10}\n"
                   "  damping: {exponent: 2, coefficient: 1}\n"
                   "start: {position: [0, 0.6]}\nrun: {until: 0.7, rtol: 1e-11}\n",
                   k ? 9.81 : 14.81, k ? "2.5*t^2" : "0");
    motion it = motion_text(text);
    motion_run(&it, 0.7);
    end[k][0] = motion_get(&it, "y") - (k ? 2.5 * 0.49 : 0.0);
    end[k][1] = motion_get(&it, "y'") - (k ? 5.0 * 0.7 : 0.0);
    motion_end(&it);
  }
  CHECK_NEAR(end[1][0], end[0][0], 1e-9);
  CHECK_NEAR(end[1][1], end[0][1], 1e-8);
}

// The floor vibrates by A sin(w t). For small A the block follows by B = A w0^2/(w0^2 - w^2), once
// it is started so; w0^2 = nu g/d0.
static void vibrating_floor(void **state) {
  (void)state;
  const double A = 1e-7, w = 30.0, w0 = sqrt(5.0 * 9.81 / 0.02),
               B = A * w0 * w0 / (w0 * w0 - w * w);
  char text[1024];
  (void)snprintf(
      text, sizeof text,
      "engine: field\nbody: {square: 1}\nsupports: {floor: {shift: [0, '%g*sin(%g*t)']}}\n"
      "fields: {repulsion: {exponent: 5, rest: 0.02, faces: [bottom]}}\n"
      "start: {position: [0, 0.52], velocity: [0, %.17g]}\n"
      "run: {until: 1, rtol: 1e-13, atol: 1e-16}\n",
      A, w, B * w);
  motion it = motion_text(text);
  for (int k = 1; k <= 10; k++) {
    double t = 0.1 * k;
    motion_run(&it, t);
    CHECK_NEAR((motion_get(&it, "y") - 0.52) / B, sin(w * t), 1e-4);
  }
  motion_end(&it);
}

// Four walls at once: what happens in one corner of a box happens in the opposite one.
static void inside_a_box(void **state) {
  (void)state;
  motion it = motion_text(
      "engine: field\ngravity: 0\nbody: {square: 0.5}\nsupports:\n"
      "  floor: {normal: [0, 1], point: [0, -1]}\n  ceiling: {normal: [0, -1], point: [0, 1]}\n"
      "  left: {normal: [1, 0], point: [-1, 0]}\n  right: {normal: [-1, 0], point: [1, 0]}\n"
      "fields: {repulsion: {exponent: 8, coefficient: 1e-12}}\n"
      "start: {position: [0, 0], velocity: [1.3, 0.8], rate: 2, angle: 0.3}\n"
      "run: {until: 20, rtol: 1e-10}\n"
      "observe: {nearest: min(d), right: max(x), left: min(x), high: max(y), low: min(y)}\n");
  motion_run(&it, 20.0);
  CHECK(motion_get(&it, "nearest") > 0.0);
  // it has been at all four walls
  CHECK(motion_get(&it, "right") > 0.6 && motion_get(&it, "left") < -0.6);
  CHECK(motion_get(&it, "high") > 0.6 && motion_get(&it, "low") < -0.6);
  CHECK_NEAR(motion_certificate(&it).energy.residual_relative, 0.0, 1e-9);
  motion_end(&it);
  double pushed[2][2];
  for (int k = 0; k < 2; k++) {
    char text[700];
    (void)snprintf(text, sizeof text,
                   "engine: field\ngravity: 0\nbody: {square: 0.5}\nsupports:\n"
                   "  a: {normal: [0, 1], point: [0, -1]}\n  b: {normal: [0, -1], point: [0, 1]}\n"
                   "  c: {normal: [1, 0], point: [-1, 0]}\n  d: {normal: [-1, 0], point: [1, 0]}\n"
                   "fields: {repulsion: {exponent: 8, coefficient: 1e-12}}\n"
                   "start: {position: [%g, %g], angle: 0.3}\nrun: {until: 1}\n",
                   k ? -0.6 : 0.6, k ? -0.65 : 0.65);
    motion other = motion_text(text);
    pushed[k][0] = motion_get(&other, "x''"), pushed[k][1] = motion_get(&other, "y''");
    motion_end(&other);
  }
  CHECK_RELATIVE(pushed[1][0], -pushed[0][0], 1e-9);
  CHECK_RELATIVE(pushed[1][1], -pushed[0][1], 1e-9);
}

// The pull of a field on all faces is the sum of those on each, by name or number.
static void faces_add_up(void **state) {
  (void)state;
  static const struct {
    const char *body, *faces[6], *up;
  } bodies[] = {{"cube: 1", {"bottom", "top", "left", "right", "front", "back"}, "z''"},
                {"square: 1", {"bottom", "top", "left", "right", NULL, NULL}, "y''"},
                {"polygon: [[0, 0], [2, 0], [1, 1]]", {"1", "2", "3", NULL, NULL, NULL}, "y''"},
                {"cylinder: 0.3", {"side", "bottom", "top", NULL, NULL, NULL}, "z''"}};
  for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++) {
    double all = 0.0, sum = 0.0;
    bool space = bodies[k].up[0] == 'z';
    for (int f = -1; f < 6 && (f < 0 || bodies[k].faces[f]); f++) {
      char text[512], named[64] = "";
      if (f >= 0) (void)snprintf(named, sizeof named, ", faces: ['%s']", bodies[k].faces[f]);
      (void)snprintf(text, sizeof text,
                     "engine: field\ngravity: 0\nbody: {%s}\n"
                     "fields: {repulsion: {exponent: 4, coefficient: 1%s}}\n"
                     "start: {position: [0, %s], %s}\nrun: {until: 1}\n",
                     bodies[k].body, named, space ? "0, 0.9" : "0.9",
                     space ? "tilt: 0.2" : "angle: 0.2");
      motion it = motion_text(text);
      double push = motion_get(&it, bodies[k].up);
      CHECK(push > 0.0);
      if (f < 0)
        all = push;
      else
        sum += push;
      motion_end(&it);
    }
    CHECK_RELATIVE(sum, all, 1e-12);
  }
}

// ---- never through

// Fast bodies, fields a hair thin, tolerances that would let anything pass, floors that come up.
static void never_through(void **state) {
  (void)state;
  static const char *const bodies[] = {"square: 1", "disc: 0.5", "cube: 1", "sphere: 0.5",
                                       "box: [1, 0.01, 0.02]"};
  static const double speeds[] = {1.0, 100.0, 1e4};
  static const char *const rests[] = {"1e-2", "1e-5", "1e-8"};
  for (size_t b = 0; b < sizeof bodies / sizeof *bodies; b++)
    for (size_t s = 0; s < sizeof speeds / sizeof *speeds; s++)
      for (size_t r = 0; r < sizeof rests / sizeof *rests; r++) {
        char text[640];
        bool space = b > 1;
        // the tip of a thin rod at 10 km/s needs less distance than doubles can tell: it is refused
        if (b == 4 && s == 2) continue;
        (void)snprintf(
            text, sizeof text,
            "engine: field\nbody: {%s}\nsupports: {floor: {shift: [0, %s'0.05*sin(300*t)']}}\n"
            "fields: {repulsion: {exponent: 12, rest: %s}}\n"
            "start: {position: [0, %s1.5], velocity: [1, %s%g], %s}\n"
            "run: {until: %.17g, rtol: 1e-2}\nobserve: {nearest: min(d), back: \"max(%s)\"}\n",
            bodies[b], space ? "0, " : "", rests[r], space ? "0, " : "", space ? "0, " : "",
            -speeds[s], space ? "tilt: 0.7, angular: [3, 5, 2]" : "angle: 0.7, rate: 5",
            2.0 / speeds[s] + 0.02, space ? "z'" : "y'");
        motion it = motion_text(text);
        motion_run(&it, carom_simulation_until(it.simulation));
        CHECK(motion_get(&it, "d") > 0.0);
        // between steps too, where the field is thick enough to be seen at such a tolerance
        if (r < 2) CHECK(motion_get(&it, "nearest") > 0.0);
        // it has come back up
        CHECK(motion_get(&it, "back") > 0.0);
        motion_end(&it);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wall_ceiling_and_slope_are_floors),
      cmocka_unit_test(walls_in_space),
      cmocka_unit_test(steady_floor),
      cmocka_unit_test(accelerated_floor),
      cmocka_unit_test(vibrating_floor),
      cmocka_unit_test(inside_a_box),
      cmocka_unit_test(faces_add_up),
      cmocka_unit_test(never_through),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
