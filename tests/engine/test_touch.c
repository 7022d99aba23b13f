// SPDX-License-Identifier: MIT
// Where contact forces act in the picture, and which way: against statics and Newton's law.
#include "../hybrid/motion.h"
#include "carom/scene.h"

typedef struct looker {
  carom_scene *scene;
  int contact, samples;
  void (*check)(double t, const carom_contact_view *seen, const double *values);
} looker;

static int on_sample(void *ctx, const carom_simulation *simulation, double t, int count,
                     const double *values) {
  looker *it = ctx;
  carom_error error = {0};
  int contacts;
  (void)simulation;
  MUST(carom_scene_look(it->scene, t, count, values, &error), error);
  const carom_contact_view *seen = carom_scene_contacts(it->scene, &contacts);
  it->check(t, &seen[it->contact], values);
  it->samples++;
  return 0;
}

// looks at a contact of a scenario at every sample of its run
static void look(const char *scenario, int contact,
                 void (*check)(double t, const carom_contact_view *seen, const double *values)) {
  motion m = motion_parse(scenario);
  carom_error error = {0};
  looker it = {.contact = contact, .check = check};
  MUST(carom_scene_create(m.simulation, &it.scene, &error), error);
  carom_observer observer = {.ctx = &it, .sample = on_sample};
  carom_simulation_observe(m.simulation, &observer);
  MUST(carom_simulation_run(m.simulation, &error), error);
  CHECK(it.samples > 10);
  carom_scene_destroy(it.scene);
  motion_end(&m);
}

// a crate that sticks on a slope of 3 in 4: normal force and friction together bear the weight
#define CRATE                                                                                      \
  "parameters: {g: 10}\n"                                                                          \
  "coordinates: {x: 0, y: 0}\n"                                                                    \
  "energy: {kinetic: (x'^2 + y'^2)/2, potential: g*y}\n"                                           \
  "contacts: {ramp: {gap: 0.8*y - 0.6*x, slip: 0.8*x' + 0.6*y', friction: 1}}\n"                   \
  "run: {until: 1, sample: 0.05}\n"

static void weight_is_borne(double t, const carom_contact_view *seen, const double *values) {
  (void)t;
  (void)values;
  CHECK_NEAR(seen->force[0], 0.0, 1e-7);
  CHECK_NEAR(seen->force[1], 10.0, 1e-7);
}

// its lower side lies along the ramp: in the middle of its two corners
static void in_the_middle(double t, const carom_contact_view *seen, const double *values) {
  weight_is_borne(t, seen, values);
  CHECK_NEAR(seen->at[0], 0.0, 1e-9);
  CHECK_NEAR(seen->at[1], 0.0, 1e-9);
}

static void a_crate_on_a_slope(void **state) {
  (void)state;
  look(CRATE "shapes:\n"
             "  - {segment: [[-4, -3], [4, 3]]}\n"
             "  - {polygon: [[x - 0.8, y - 0.6], [x + 0.8, y + 0.6], [x + 0.2, y + 1.4], [x - 1.4, "
             "y + 0.2]]}\n",
       0, in_the_middle);
  // the ramp is not drawn: the crate alone tells the direction
  look(CRATE "shapes: [{circle: [x - 0.6, y + 0.8], radius: 1}]\n", 0, in_the_middle);
}

// a bead that slides down a fixed round hill until it flies off: m v^2/R = m g cos - N, along the
// line of centres, at the surface of the hill
static const char HILL[] = "parameters: {g: 10, R: 2, r: 0.5}\n"
                           "coordinates: {x: 0.3, y: sqrt((R + r)^2 - 0.09)}\n"
                           "energy: {kinetic: (x'^2 + y'^2)/2, potential: g*y}\n"
                           "contacts: {hill: {gap: sqrt(x^2 + y^2) - R - r, impact: {e: 0}}}\n"
                           "shapes: [{circle: [x, y], radius: r}, {circle: [0, 0], radius: R}]\n"
                           "stop: {flies: x - 1.5}\n"
                           "run: {until: 5, sample: 0.02}\n";

static void along_the_line_of_centres(double t, const carom_contact_view *seen,
                                      const double *values) {
  (void)t;
  double x = values[0], y = values[1], speed = hypot(values[2], values[3]);
  double size = 10.0 * y / 2.5 - speed * speed / 2.5;
  CHECK_NEAR(hypot(seen->force[0], seen->force[1]), size, 1e-6);
  CHECK_NEAR(seen->force[0] * y - seen->force[1] * x, 0.0, 1e-6);
  CHECK(seen->force[1] > 0.0);
  CHECK_NEAR(hypot(seen->at[0], seen->at[1]), 2.0, 1e-6);
}

static void a_bead_on_a_hill(void **state) {
  (void)state;
  look(HILL, 0, along_the_line_of_centres);
}

// a rolling disc on a level: its turning is not drawn, friction acts at its lowest point
static const char ROLLING[] =
    "parameters: {g: 10, r: 0.5, pull: 3}\n"
    "coordinates: {x: 0, y: r, phi: 0}\n"
    "energy: {kinetic: (x'^2 + y'^2)/2 + r^2*phi'^2/4, potential: g*y - pull*x}\n"
    "contacts: {floor: {gap: y - r, slip: x' + r*phi', friction: 0.5}}\n"
    "shapes: [{circle: [x, y], radius: r}, {plane: 0}]\n"
    "run: {until: 1, sample: 0.05}\n";

// rolling without slip under a pull at the centre: friction is a third of it
static void friction_of_rolling(double t, const carom_contact_view *seen, const double *values) {
  (void)t;
  CHECK_NEAR(seen->at[0], values[0], 1e-9);
  CHECK_NEAR(seen->at[1], 0.0, 1e-9);
  CHECK_NEAR(seen->force[0], -1.0, 1e-7);
  CHECK_NEAR(seen->force[1], 10.0, 1e-7);
}

static void a_rolling_disc(void **state) {
  (void)state;
  look(ROLLING, 0, friction_of_rolling);
}

// a plank on a foot in its middle, where no corner is
static const char PLANK[] =
    "parameters: {g: 10}\n"
    "coordinates: {x: 0, y: 0, theta: 0}\n"
    "energy: {kinetic: (x'^2 + y'^2)/2 + theta'^2/2, potential: g*y}\n"
    "contacts:\n"
    "  left: {gap: y - 2*sin(theta)}\n"
    "  foot: {gap: y + 0.5*sin(theta)}\n"
    "shapes:\n"
    "  - {segment: [[x - 2*cos(theta), y - 2*sin(theta)], [x + 2*cos(theta), y + 2*sin(theta)]]}\n"
    "  - {plane: 0}\n"
    "run: {until: 1, sample: 0.05}\n";

static void force_of_the_foot(double t, const carom_contact_view *seen, const double *values) {
  (void)t;
  (void)values;
  CHECK_NEAR(seen->at[0], 0.5, 1e-6);
  CHECK_NEAR(seen->force[1], 8.0, 1e-6); // 2 g/(2 + 0.5)
}

static void a_foot_inside_an_edge(void **state) {
  (void)state;
  look(PLANK, 1, force_of_the_foot);
}

static void nothing_drawn(double t, const carom_contact_view *seen, const double *values) {
  (void)t;
  (void)values;
  CHECK(seen->normal > 0.0 && isnan(seen->at[0]) && isnan(seen->force[1]));
}

static void no_shape_no_place(void **state) {
  (void)state;
  look(CRATE "shapes: [{plane: -9}]\n", 0, nothing_drawn);
  // where nothing is written the place of the crate is drawn, and the force acts there
  look(CRATE, 0, in_the_middle);
  look(CRATE "shapes: [{circle: [1, 1], radius: 1}]\n", 0, nothing_drawn); // one that never moves
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_crate_on_a_slope), cmocka_unit_test(a_bead_on_a_hill),
      cmocka_unit_test(a_rolling_disc),     cmocka_unit_test(a_foot_inside_an_edge),
      cmocka_unit_test(no_shape_no_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
