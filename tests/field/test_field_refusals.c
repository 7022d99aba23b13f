// SPDX-License-Identifier: MIT
// Starts and masses that cannot be: every refusal names its place in the file and a value that
// works, and that value does work.
#include "field_motion_help.h"

#include <string.h>

typedef struct refusal {
  const char *text;         // of a scenario with %s
  const char *wrong, *good; // what stands there, and what the message offers instead
  int line, column;
  const char *says;
  bool offered; // the message has `good` word for word
} refusal;

#define SQUARE(rest) "engine: field\nbody: {square: 1" rest "}\n"
#define SOFT_SQUARE SQUARE(", soft: {c10: 1e5}")
#define REPELS "fields: {repulsion: {rest: 0.01}}\n"
#define BODY(what) "engine: field\nbody: {" what "}\n" REPELS "start: {gap: 0.1}\n" UNTIL("0.01")
#define UNTIL(t) "run: {until: " t "}\n"
#define WALL "supports: {floor: {}, wall: {normal: [1, 0], point: [-0.2, 0]}}\n"
#define CORNER                                                                                     \
  "supports: {floor: {normal: [0, 0, 1]}, slope: {normal: [1, 0, 1]}, wall: {normal: [0, -1, 0]}}" \
  "\n"

static const refusal REFUSALS[] = {
    {SQUARE() WALL REPELS "start: {gap: 0.1%s}\n" UNTIL("0.1"), "", ", position: [0.31, 0.6]", 5, 8,
     "reaches 0.3 behind the support 'wall' (line 3); start.position: [0.31, 0.6] would be clear",
     false},
    {SQUARE() REPELS "start: {position: %s, angle: 0.3}\n" UNTIL("0.1"), "[0, 0.2]",
     "[0, 0.635428]", 4, 8,
     "reaches 0.425428 behind the support 'floor'; start.position: [0, 0.635428]", true},
    {SQUARE() REPELS "start: {gap: %s}\n" UNTIL("0.1"), "-0.1", "0.01", 4, 8,
     "start.gap is -0.1; a positive one, such as 0.01", true},
    {"engine: field\nbody: {cube: 1}\n" CORNER "start: {position: %s}\n" UNTIL("0.01"), "[0, 0, 0]",
     "[0.252071, -0.51, 0.762071]", 4, 8, "reaches 0.7", true},
    {SOFT_SQUARE REPELS "start: {gap: 0.1, deformation: %s}\n" UNTIL("0.1"), "[[1, 2], [2, 4]]",
     "[[1.25, 0], [0, 0.8]]", 4, 32, "has the determinant 0; a body that is neither flattened",
     true},
    {SOFT_SQUARE REPELS "start: {gap: 0.1, deformation: %s}\n" UNTIL("0.1"), "[[1, 0], [0, -1]]",
     "[[1.25, 0], [0, 0.8]]", 4, 32, "has the determinant -1; a body that is", true},
    {SOFT_SQUARE REPELS "start: {gap: 0.1, deformation: %s}\n" UNTIL("0.1"),
     "[[1.5, 0.3], [0, 1.5]]", "[[1, 0.2], [0, 1]]", 4, 32,
     "has the determinant 2.25, but a soft body keeps its volume", true},
    {SOFT_SQUARE REPELS "start: {gap: 0.1, deformation_rate: %s}\n" UNTIL("0.1"),
     "[[1, 0], [0.5, 0]]", "[[0.5, 0], [0.5, -0.5]]", 4, 37, "grow at 1 of itself per second",
     true},
    {"engine: field\nbody: {cube: 1, soft: {c10: 1e5}}\n" REPELS
     "start: {gap: 0.1, deformation: %s}\n" UNTIL("0.01"),
     "[[1, 0, 0], [0, 1, 0], [0, 0, 8]]", "[[0.5, 0, 0], [0, 0.5, 0], [0, 0, 4]]", 4, 32,
     "has the determinant 8, but a soft body keeps its volume", true},
    {SQUARE(", mass_factor: 2 - 4*t") REPELS "start: {gap: 0.1}\nrun: {until: %s}\n", "3", "0.495",
     2, 32, "no longer positive at t = 0.5: end the run before that, with run.until: 0.495", true},
    {SQUARE(", mass_factor: 't - 1'") REPELS "start: {gap: 0.1}\nrun: {start: %s, until: 1.6}\n",
     "0.5", "1.5", 2, 32, "is -0.5 at the start; it must be positive", false},
    {BODY("cube: %s"), "-1", "1", 2, 14, "body.cube is -1; a length of a body is positive", false},
    {BODY("cube: %s"), "0", "1e-3", 2, 14, "body.cube is 0; a length", false},
    {BODY("die: %s"), "1 - 2", "1", 2, 13, "body.die is -1; a length", false},
    {BODY("box: [1, %s, 1]"), "-1", "1", 2, 17, "body.box is -1; a length", false},
    {BODY("square: %s"), "-2", "2", 2, 16, "body.square is -2; a length", false},
    {BODY("rectangle: [1, %s]"), "-2", "2", 2, 23, "body.rectangle is -2; a length", false},
    {BODY("rectangle: [1, %s]"), "1e308*10", "2", 2, 23, "body.rectangle is inf; a length", false},
    {BODY("disc: %s"), "-2", "2", 2, 14, "body.disc is -2; a length", false},
    {BODY("sphere: %s"), "-2", "2", 2, 16, "body.sphere is -2; a length", false},
    {BODY("cylinder: %s, height: 1"), "0", "2", 2, 18, "body.cylinder is 0; a length", false},
    {BODY("cylinder: 1, height: %s"), "-1", "2", 2, 29, "body.height is -1; a length", false},
    {BODY("prism: [[0, 0], [1, 0], [0, 1]], height: %s"), "-1", "2", 2, 49,
     "body.height is -1; a length", false},
};

static carom_status make(const char *text, carom_model **model, carom_simulation **simulation,
                         carom_error *error) {
  carom_status status = carom_model_parse(text, "test", 0, NULL, model, error);
  return status ? status : carom_simulation_create(*model, simulation, error);
}

static void refused_with_a_way_out(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof REFUSALS / sizeof *REFUSALS; k++) {
    const refusal *r = &REFUSALS[k];
    char text[1024];
    carom_error error = {0};
    carom_model *model = NULL;
    carom_simulation *simulation = NULL;
    (void)snprintf(text, sizeof text, r->text, r->wrong);
    CHECK(make(text, &model, &simulation, &error) == CAROM_ERR_INPUT);
    bool offered = r->offered ? strstr(error.text, r->good) != NULL : true;
    bool right = strstr(error.text, r->says) && offered && error.line == r->line &&
                 error.column == r->column;
    if (!right) print_error("%zu: %d:%d: %s\n", k, error.line, error.column, error.text);
    CHECK(right);
    carom_simulation_destroy(simulation);
    carom_model_destroy(model);
    (void)snprintf(text, sizeof text, r->text, r->good);
    motion it = motion_text(text);
    carom_status status = carom_simulation_run(it.simulation, &error);
    if (status < 0) print_error("%zu: %s\n", k, error.text);
    CHECK(status >= 0 && motion_certificate(&it).passed);
    motion_end(&it);
  }
}

// a slot narrower than the body has no place that works
static void no_room(void **state) {
  (void)state;
  static const char *const starts[] = {"position: [0, 0.5]", "gap: 0.01"};
  for (int k = 0; k < 2; k++) {
    char text[512];
    carom_error error = {0};
    carom_model *model = NULL;
    carom_simulation *simulation = NULL;
    (void)snprintf(
        text, sizeof text,
        SQUARE() "supports: {floor: {}, roof: {normal: [0, -1], point: [0, 0.9]}}\n" REPELS
                 "start: {%s}\n" UNTIL("1"),
        starts[k]);
    CHECK(make(text, &model, &simulation, &error) == CAROM_ERR_INPUT);
    CHECK(strstr(error.text, "there is no room for it") != NULL && error.line == 5);
    carom_simulation_destroy(simulation);
    carom_model_destroy(model);
  }
}

// a run driven beyond its end, to where the mass is gone: told with the time
static void mass_that_ends_on_the_way(void **state) {
  (void)state;
  motion it = motion_text(SQUARE(", mass_factor: 2 - t") REPELS "start: {gap: 0.5}\n" UNTIL("1.5"));
  carom_error error = {0};
  double t = NAN;
  CHECK(carom_simulation_advance(it.simulation, 3.0, &error) < 0);
  if (!strstr(error.text, "body.mass_factor comes to")) print_error("%s\n", error.text);
  CHECK(strstr(error.text, "body.mass_factor comes to") != NULL && error.line == 2);
  CHECK(sscanf(error.text, "at t = %lf", &t) == 1);
  CHECK_NEAR(t, 2.0, 1e-4);
  motion_end(&it);
}

// entries of F that are set by name are brought to determinant 1 together
static void entries_by_name(void **state) {
  (void)state;
  motion it = motion_text(SOFT_SQUARE REPELS "start: {gap: 0.5}\n" UNTIL("1"));
  motion_set(&it, "F11", 1.6);
  motion_set(&it, "F22", 0.9);
  motion_set(&it, "F11'", 2.0);
  double det = motion_get(&it, "F11") * motion_get(&it, "F22");
  double growth = motion_get(&it, "F11'") / motion_get(&it, "F11") +
                  motion_get(&it, "F22'") / motion_get(&it, "F22");
  CHECK_NEAR(det, 1.0, 1e-15);
  CHECK_NEAR(motion_get(&it, "F11") / motion_get(&it, "F22"), 1.6 / 0.9, 1e-14);
  CHECK_NEAR(growth, 0.0, 1e-14);
  carom_error error = {0};
  CHECK(carom_simulation_set(it.simulation, "F22", -0.9, &error) == CAROM_ERR_INPUT);
  CHECK(strstr(error.text, "determinant") != NULL);
  motion_end(&it);
}

// A body that falls on a face, or against a support, that nothing keeps off. The face that is
// nearest to the ground follows from the posture.
static void goes_through(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"body: {square: 1}\nstart: {gap: 0.5, angle: 0.3}", "'floor' with its face 'bottom', which"},
      {"body: {square: 1}\nfields: {repulsion: {rest: 0.01, faces: [bottom]}}\n"
       "start: {gap: 0.5, angle: 2}",
       "'floor' with its face 'left', which no field keeps off"},
      {"body: {square: 1}\nfields: {repulsion: {rest: 0.01, faces: [bottom]}}\n"
       "start: {gap: 0.5, angle: -2}",
       "'floor' with its face 'right', which no field keeps off"},
      {"body: {square: 1}\nfields: {repulsion: {rest: 0.01, faces: [bottom]}}\n"
       "start: {gap: 0.5, angle: 3}",
       "'floor' with its face 'top', which no field keeps off"},
      {"body: {square: 1}\nfields: {damping: {exponent: 1, coefficient: 10}}\n"
       "start: {gap: 0.5, angle: 0.3}",
       "'floor' with its face 'bottom', which no field keeps off"},
      {"body: {disc: 1}\nstart: {gap: 0.5}", "'floor' with its face 'side', which"},
      {"body: {cylinder: 0.5}\nfields: {repulsion: {exponent: 2, coefficient: 1, faces: [top]}}\n"
       "start: {gap: 0.5, tilt: 0.1}",
       "'floor' with its face 'bottom', which"},
      {"body: {cube: 1}\nfields: {repulsion: {rest: 0.01, from: [floor]}}\n"
       "supports: {floor: {}, wall: {normal: [1, 0, 0], point: [-3, 0, 0]}}\n"
       "start: {gap: 0.5, velocity: [-3, 0, 0]}",
       "'wall' with its face 'left', which no field keeps off"},
      {"body: {cube: 1}\nfields: {repulsion: {exponent: 1.5, coefficient: 1e-9}}\n"
       "start: {gap: 0.5, tilt: 0.1, velocity: [0, 0, -30]}",
       "'floor' with its face 'bottom': the fields that act there are too weak"},
      {"body: {cube: 1, soft: {c10: 1e5}}\nfields: {repulsion: {rest: 0.01, faces: [top]}}\n"
       "start: {gap: 0.5, tilt: 0.1}",
       "'floor' with its face 'bottom', which"},
      {"body: {polyhedron: [[0, 0, 0], [1, 0, 0.1], [0, 1, 0.2], [0, 0, 1]]}\n"
       "start: {gap: 0.5, tilt: 0.1}",
       "'floor' with its face 1, which"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    for (int implicit = 0; implicit < 2; implicit++) {
      char text[640];
      carom_error error = {0};
      carom_model *model = NULL;
      carom_simulation *simulation = NULL;
      (void)snprintf(text, sizeof text, "engine: field\n%s\nrun: {until: 2%s}\n", cases[k][0],
                     implicit ? ", method: implicit" : "");
      CHECK(make(text, &model, &simulation, &error) == CAROM_OK);
      CHECK(carom_simulation_run(simulation, &error) < 0);
      if (!strstr(error.text, cases[k][1])) print_error("%s\n%s\n", text, error.text);
      CHECK(strstr(error.text, cases[k][1]));
      carom_simulation_destroy(simulation);
      carom_model_destroy(model);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(refused_with_a_way_out),
                                     cmocka_unit_test(goes_through), cmocka_unit_test(no_room),
                                     cmocka_unit_test(mass_that_ends_on_the_way),
                                     cmocka_unit_test(entries_by_name)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
