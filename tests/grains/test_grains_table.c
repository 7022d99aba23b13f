// SPDX-License-Identifier: MIT
// A bed that starts from a table: rods are where it says, whatever the order of its columns and
// lines; what is wrong is told with its line; no text whatever does harm.
#define _POSIX_C_SOURCE 200809L
#include "carom/carom.h"
#include "record/folder.h"

// one kind, in free space
#define RODS                                                                                       \
  "engine: grains\n"                                                                               \
  "rods: {diameter: 1, length: 3}\n"                                                               \
  "gravity: 0\n"                                                                                   \
  "contact: {stiffness: 1e4, friction: 0.3}\n"                                                     \
  "start: {as: table, table: rods.csv}\n"                                                          \
  "run: {until: 1, step: 1e-3}\n"
// several, on a floor
#define MIX                                                                                        \
  "engine: grains\n"                                                                               \
  "rods:\n"                                                                                        \
  "  - {name: sticks, diameter: 1, length: 3}\n"                                                   \
  "  - {name: balls, diameter: 2}\n"                                                               \
  "contact: {stiffness: 1e6, damping: 20, friction: 0.3}\n"                                        \
  "walls: {floor: {plane: [0, 0, 1]}}\n"                                                           \
  "start: {as: table, table: rods.csv}\n"                                                          \
  "run: {until: 1, step: 1e-4}\n"

static void put_bytes(const char *name, const char *text, size_t size) {
  FILE *out = fopen(name, "wb");
  CHECK(out && fwrite(text, 1, size, out) == size);
  CHECK(fclose(out) == 0);
}

static void put_file(const char *name, const char *text) { put_bytes(name, text, strlen(text)); }

typedef struct bed {
  carom_model *model;
  carom_simulation *simulation;
  carom_error error;
} bed;

static bed load(int count, const carom_setting *settings) {
  bed it = {0};
  if (!carom_model_load("bed.yaml", count, settings, &it.model, &it.error))
    (void)carom_simulation_create(it.model, &it.simulation, &it.error);
  return it;
}

static void unload(bed *it) {
  carom_simulation_destroy(it->simulation);
  carom_model_destroy(it->model);
}

static bed start(const char *scenario, const char *table) {
  put_file("bed.yaml", scenario);
  put_file("rods.csv", table);
  bed it = load(0, NULL);
  if (!it.simulation) print_error("%d:%d %s\n", it.error.line, it.error.column, it.error.text);
  assert_non_null(it.simulation);
  return it;
}

static carom_body_motion rod_of(const bed *it, int k) {
  carom_body_motion rod;
  CHECK(carom_simulation_body(it->simulation, k, &rod));
  return rod;
}

static int count_rods(const bed *it) {
  carom_body_motion rod;
  int count = 0;
  while (carom_simulation_body(it->simulation, count, &rod))
    count++;
  return count;
}

static void check_vector(const double a[3], double x, double y, double z, double tolerance) {
  CHECK_NEAR(a[0], x, tolerance);
  CHECK_NEAR(a[1], y, tolerance);
  CHECK_NEAR(a[2], z, tolerance);
}

// ---- what is read

static void test_columns(void **state) {
  (void)state;
  bed it = start(RODS, "# settled last week\n"
                       "\n"
                       "wy, uz,x,y,z,ux,uy,vx\n"
                       " 7, 4 , 1,2,-3e0,3,0,-0.5 # the first\n"
                       "# none here\n"
                       "0,0,+9,.5,1.,0,-1e-200,0\n");
  CHECK(count_rods(&it) == 2);
  carom_body_motion a = rod_of(&it, 0), b = rod_of(&it, 1), none;
  check_vector(a.x, 1, 2, -3, 0);
  check_vector(a.u, 0.6, 0, 0.8, 1e-15);
  check_vector(a.v, -0.5, 0, 0, 0);
  check_vector(a.w, 0, 7, 0, 0);
  check_vector(b.x, 9, 0.5, 1, 0);
  check_vector(b.u, 0, -1, 0, 0);
  assert_string_equal(a.name, "rods");
  CHECK(!carom_simulation_body(it.simulation, -1, &none));
  unload(&it);
}

// blanks, semicolons, quotes, line ends of other systems, a mark before the text, no end of line
static void test_forms(void **state) {
  (void)state;
  static const char *const forms[] = {"x y z ux uy uz vz\n1 2 3 0 0 1 4\n",
                                      "x\ty  z ux uy uz vz\n\t1 2 3 0 0 1 4 \n",
                                      "x;y;z;ux;uy;uz;vz\n1;2;3;0;0;1;4",
                                      "x,y,z,ux,uy,uz,vz\r\n1,2,3,0,0,1,4\r\n",
                                      "\xef\xbb\xbfx,y,z,ux,uy,uz,vz\n1,2,3,0,0,1,4",
                                      "\"x\",\"y\",z,ux,uy,uz,vz\n\"1\",2,3,0,0,1,4\n",
                                      "x,y,z,ux,uy,uz,vz,kind\n1,2,3,0,0,1,4,rods",
                                      "\n\r\n#\nx,y,z,ux,uy,uz,vz\n\n1,2,3,0,0,1,4\n\n#"};
  for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
    bed it = start(RODS, forms[k]);
    CHECK(count_rods(&it) == 1);
    carom_body_motion a = rod_of(&it, 0);
    check_vector(a.x, 1, 2, 3, 0);
    check_vector(a.u, 0, 0, 1, 0);
    check_vector(a.v, 0, 0, 4, 0);
    unload(&it);
  }
}

// what the start says of all rods is added; a seed gives one bed
static void test_motion_added(void **state) {
  (void)state;
  bed it = start(RODS, "x,y,z,ux,uy,uz,vx,wz\n0,0,0,0,0,1,1,1\n5,0,0,0,0,1,0,0\n");
  unload(&it);
  const carom_setting all[] = {{"start.velocity", "[1, 2, 3]"}, {"start.turn", "[0, 0, -4]"}};
  it = load(2, all);
  check_vector(rod_of(&it, 0).v, 2, 2, 3, 0);
  check_vector(rod_of(&it, 0).w, 0, 0, -3, 0);
  check_vector(rod_of(&it, 1).v, 1, 2, 3, 0);
  unload(&it);
  double seen[3];
  static const char *const seeds[] = {"1", "1", "2"};
  for (int k = 0; k < 3; k++) {
    const carom_setting random[] = {{"start.spread", "0.1"}, {"start.seed", seeds[k]}};
    it = load(2, random);
    seen[k] = rod_of(&it, 0).v[0];
    unload(&it);
  }
  CHECK_SAME(seen[0], seen[1]);
  CHECK(seen[0] != seen[2] && seen[0] != 1.0 && fabs(seen[0] - 1.0) < 0.6);
}

// places outside the first period are the same places; axes of spheres may be left out
static void test_period_and_spheres(void **state) {
  (void)state;
  bed it = start("engine: grains\n"
                 "rods: {count: 3, diameter: 1}\n"
                 "periodic: {x: 8}\n"
                 "contact: {stiffness: 1e4}\n"
                 "start: {as: table, table: rods.csv}\n"
                 "run: {until: 1, step: 1e-3}\n",
                 "x,y,z,vx\n-2,0,0,0\n8e15,0,0,-1\n3.5,0,0,0\n");
  CHECK_SAME(rod_of(&it, 0).x[0], 6);
  CHECK_SAME(rod_of(&it, 1).x[0], 0);
  CHECK_SAME(rod_of(&it, 2).x[0], 3.5);
  check_vector(rod_of(&it, 0).u, 0, 0, 1, 0);
  // ... and so they are when a rod has just left it
  CHECK(!carom_simulation_advance(it.simulation, 2e-3, &it.error));
  CHECK_NEAR(rod_of(&it, 1).x[0], 8 - 2e-3, 1e-12);
  unload(&it);
}

// ---- kinds, and the order of lines

static const char *const LINES[] = {"0,0,0.6,1,0,0,sticks\n", "0,3,1.1,0,0,0,balls\n",
                                    "0,0,1.59,0,1,0,sticks\n", "0,3,3.09,0,0,0,balls\n",
                                    "6,0,4.6,1,0,1,sticks\n"};
enum { LINE_COUNT = 5 };

static bed start_mix(bool backwards) {
  char table[512] = "x,y,z,ux,uy,uz,kind\n";
  for (int k = 0; k < LINE_COUNT; k++) {
    size_t used = strlen(table);
    (void)snprintf(table + used, sizeof table - used, "%s",
                   LINES[backwards ? LINE_COUNT - 1 - k : k]);
  }
  return start(MIX, table);
}

static void test_kinds(void **state) {
  (void)state;
  bed it = start_mix(false);
  for (int k = 0; k < LINE_COUNT; k++) {
    bool ball = k % 2 == 1;
    CHECK(rod_of(&it, k).kind == ball);
    assert_string_equal(rod_of(&it, k).name, ball ? "balls" : "sticks");
  }
  double height = 0.0;
  CHECK(!carom_simulation_get(it.simulation, "z_balls", &height, &it.error));
  CHECK_NEAR(height, 2.095, 1e-14);
  unload(&it);
}

// rods have the numbers of their lines; in another order they move the same, to rounding
static void test_order_of_lines(void **state) {
  (void)state;
  bed a = start_mix(false), b = start_mix(true);
  CHECK(!carom_simulation_advance(a.simulation, 0.3, &a.error));
  CHECK(!carom_simulation_advance(b.simulation, 0.3, &b.error));
  double moved = 0.0;
  for (int k = 0; k < LINE_COUNT; k++) {
    carom_body_motion one = rod_of(&a, k), other = rod_of(&b, LINE_COUNT - 1 - k);
    check_vector(one.x, other.x[0], other.x[1], other.x[2], 1e-10);
    check_vector(one.u, other.u[0], other.u[1], other.u[2], 1e-10);
    check_vector(one.v, other.v[0], other.v[1], other.v[2], 1e-9);
    check_vector(one.w, other.w[0], other.w[1], other.w[2], 1e-9);
    moved = fmax(moved, fabs(one.v[2]));
  }
  CHECK(moved > 0.01);
  unload(&a);
  unload(&b);
}

// a start from a table can be set and returned to, cloned and saved like any other
static void test_set_and_restore(void **state) {
  (void)state;
  bed it = start("engine: grains\n"
                 "parameters: {g: 0}\n"
                 "rods: [{name: a, diameter: 1}, {name: b, diameter: 2}]\n"
                 "gravity: g\n"
                 "contact: {stiffness: 1e4}\n"
                 "start: {as: table, table: rods.csv}\n"
                 "run: {until: 1, step: 1e-3}\n",
                 "kind,x,y,z\nb,0,0,0\na,5,0,0\nb,9,0,0\n");
  carom_simulation *copy = NULL;
  carom_body_motion rod;
  CHECK(!carom_simulation_set(it.simulation, "g", 2, &it.error));
  CHECK(!carom_simulation_advance(it.simulation, 1, &it.error));
  CHECK_NEAR(rod_of(&it, 1).x[2], -1, 1e-9);
  CHECK(!carom_simulation_clone(it.simulation, &copy, &it.error));
  CHECK(!carom_simulation_reset(it.simulation, &it.error));
  CHECK_SAME(rod_of(&it, 1).x[2], 0);
  CHECK(carom_simulation_body(copy, 1, &rod) && rod.kind == 0);
  CHECK_NEAR(rod.x[2], -1, 1e-9);
  CHECK(carom_simulation_body(copy, 2, &rod) && rod.kind == 1);
  carom_simulation_destroy(copy);
  unload(&it);
}

// ---- what is wrong

typedef struct fault {
  const char *table;
  int line, column;
  const char *text;
} fault;

static void check_faults(const char *scenario, int count, const fault *faults) {
  put_file("bed.yaml", scenario);
  for (int k = 0; k < count; k++) {
    const fault *f = &faults[k];
    put_file("rods.csv", f->table);
    bed it = load(0, NULL);
    bool right = it.error.status == CAROM_ERR_INPUT && strcmp(it.error.file, "rods.csv") == 0 &&
                 it.error.line == f->line && it.error.column == f->column &&
                 strstr(it.error.text, f->text);
    if (!right || it.simulation)
      fail_msg("'%.80s': %s:%d:%d: %s\nexpected %d:%d: %s", f->table, it.error.file, it.error.line,
               it.error.column, it.error.text, f->line, f->column, f->text);
    unload(&it);
  }
}

#define HEAD "x,y,z,ux,uy,uz\n"
#define COUNT(array) (int)(sizeof(array) / sizeof *(array))

static void test_faults(void **state) {
  (void)state;
  static const fault faults[] = {
      {"", 1, 1, "the table has no rods"},
      {"\n# nothing\n", 2, 1, "the table has no rods"},
      {HEAD "\n", 2, 1, "the table has no rods"},
      {"# 1\nx,z,ux,uy,uz\n", 2, 1, "the column 'y' is missing"},
      {"x,y,z,ux,uz\n", 1, 1, "the column 'uy' is missing"},
      {"x,y,z\n1,2,3\n", 1, 1, "the columns ux, uy, uz are missing; only spheres"},
      {"x,y,z,x\n", 1, 7, "two columns are called 'x'"},
      {"x,y,z,radius\n", 1, 7, "'radius' is no column of rods; there are x, y,"},
      {"x,y,z,\n", 1, 7, "'' is no column"},
      {"1,2,3\n", 1, 1, "'1' is no column"},
      {HEAD "0,0,0,0,0,1\n1,2, abc,0,0,1\n", 3, 6, "z is 'abc'; a number expected"},
      {HEAD "0,0,1e,0,0,1\n", 2, 5, "z is '1e'; a number expected"},
      {HEAD "0,0,nan,0,0,1\n", 2, 5, "z is 'nan'; a number expected"},
      {HEAD "0,0,-inf,0,0,1\n", 2, 5, "z is '-inf'; a number expected"},
      {HEAD "0,0,0x10,0,0,1\n", 2, 5, "z is '0x10'; a number expected"},
      {HEAD "0,0,,0,0,1\n", 2, 5, "z is ''; a number expected"},
      {HEAD "0,0,-1e101,0,0,1\n", 2, 5, "z is -1e101; at most 1e+100 will do"},
      {HEAD "0,0,1e999,0,0,1\n", 2, 5, "z is 1e999; at most 1e+100 will do"},
      {HEAD "0,0,0,0,0\n", 2, 1, "5 cells, but 6 names of columns"},
      {HEAD "0,0,0,0,0,1,\n", 2, 13, "more cells than names of columns, 6"},
      {HEAD "0,0,0,0,0,1,2\n", 2, 13, "more cells than names of columns, 6"},
      {HEAD "0,0,0,0,0,1\n\n#\n5,0,0,0,-0,0\n", 5, 1, "the axis ux, uy, uz has no length"},
      {HEAD "0,0,0,0,0,1\n#\n9,0,0,0,0,1\n0.9,0,0,0,0,2\n", 2, 1,
       "rods 0 and 2 overlap by 0.1 at the start (20.0 % of the radius); place them at least 0.1 "
       "further apart; rod 2 is in line 5"},
  };
  check_faults(RODS, COUNT(faults), faults);
}

static void test_faults_of_kinds(void **state) {
  (void)state;
  static const fault faults[] = {
      {HEAD "0,0,5,0,0,1\n", 1, 1, "the column 'kind' is missing: there are several kinds"},
      {"kind," HEAD "balls,0,0,5,0,0,1\nstick,0,0,9,0,0,1\n", 3, 1,
       "no rods are called 'stick'; did you mean 'sticks'?"},
      {"kind," HEAD ",0,0,5,0,0,1\n", 2, 1, "no rods are called ''"},
      {"kind," HEAD "balls,0,0,5,0,0,1\n", 2, 1, "the table has no rods of the kind sticks"},
      {"kind,x,y,z\nballs,0,0,5\nsticks,9,0,5\n", 1, 1, "the columns ux, uy, uz are missing"},
      {"kind," HEAD "balls,0,0,5,0,0,0\nsticks,9,0,5,0,0,0\n", 3, 1, "the axis ux, uy, uz has no"},
      {"kind," HEAD "balls,0,0,5,0,0,0\nsticks,9,0,1.2,0,0,1\n", 3, 1,
       "rod 1 is 0.3 beyond the wall 'floor' at the start; move it in by that much, or the wall "
       "out: at -0.3 instead of 0 holds all rods"},
  };
  check_faults(MIX, COUNT(faults), faults);
}

// a smaller radius is offered only where there is one
static void test_faults_about_a_post(void **state) {
  (void)state;
  static const fault faults[] = {
      {"x,y,z\n9,0,0\n2,0,0\n", 3, 1, "the wall out: a radius of 1.5 instead of 2 holds all rods"},
      {"x,y,z\n9,0,0\n0,0.1,0\n", 3, 1,
       "rod 1 stands within the cylinder 'post' at the start; move it out by 2.4"},
  };
  check_faults("engine: grains\n"
               "rods: {diameter: 1}\n"
               "contact: {stiffness: 1e4}\n"
               "walls: {post: {cylinder: 2, side: outside}}\n"
               "start: {as: table, table: rods.csv}\n"
               "run: {until: 1, step: 1e-3}\n",
               COUNT(faults), faults);
}

static void test_faults_in_the_plane(void **state) {
  (void)state;
  static const fault faults[] = {
      {"x,y,z,ux,uy,uz,vy\n0,0,0,0,0,1,0\n9,1e-9,0,0,0,1,0\n", 3, 1, "y is 1e-09; of rods that"},
      {"x,y,z,ux,uy,uz,vy\n0,0,0,0,1,1,0\n", 2, 1, "uy is 1; of rods that move in the plane"},
      {"x,y,z,ux,uy,uz,vy\n0,0,0,0,0,1,-2\n", 2, 1, "vy is -2; of rods that move in the plane"},
      {"x,y,z,ux,uy,uz,wx\n0,0,0,0,0,1,3\n", 2, 1, "wx is 3; of rods that move in the plane"},
      {"x,y,z,ux,uy,uz,wz\n0,0,0,0,0,1,3\n", 2, 1, "wz is 3; of rods that move in the plane"},
  };
  check_faults("engine: grains\n"
               "rods: {diameter: 1, length: 3}\n"
               "contact: {stiffness: 1e4}\n"
               "start: {as: table, table: rods.csv}\n"
               "run: {until: 1, step: 1e-3, freedoms: plane}\n",
               COUNT(faults), faults);
}

// what is wrong in the scenario is told there
static void test_faults_of_the_scenario(void **state) {
  (void)state;
  const struct {
    carom_setting setting;
    const char *text;
  } cases[] = {
      {{"start.table", "other.csv"}, "there is no file 'other.csv'"},
      {{"start.table", "../rods.csv"}, "leads out of the scenario's folder"},
      {{"start", "{as: table}"}, "start.table is missing"},
      {{"start.as", "poured"}, "start.as is not 'table'"},
      {{"rods.count", "3"}, "rods.count is 3, but start.table has 2 of them: give that, or leave"},
      {{"rods.count", "0"}, "rods.count is 0; it must be a whole number"},
  };
  bed it = start(RODS, HEAD "0,0,0,0,0,1\n9,0,0,0,0,1\n");
  unload(&it);
  for (int k = 0; k < COUNT(cases); k++) {
    const carom_setting settings[] = {{"rods.count", "2"}, cases[k].setting};
    it = load(2, settings);
    if (it.simulation || !strstr(it.error.text, cases[k].text))
      fail_msg("%s: '%s', expected '%s'", cases[k].setting.path, it.error.text, cases[k].text);
    assert_int_equal(it.error.status, CAROM_ERR_INPUT);
    unload(&it);
  }
  const carom_setting right = {"rods.count", "2"};
  it = load(1, &right);
  CHECK(it.simulation && count_rods(&it) == 2);
  unload(&it);
  CHECK(carom_model_parse(RODS, NULL, 0, NULL, &it.model, &it.error) == CAROM_ERR_INPUT);
  CHECK(strstr(it.error.text, "this scenario is not a file"));
}

// ---- any text

// a bed or an error with a text; a bed can make a step or say why not
static void try_table(const char *text, size_t size) {
  put_bytes("rods.csv", text, size);
  bed it = load(0, NULL);
  CHECK((it.simulation != NULL) == (it.error.status == CAROM_OK));
  CHECK(it.simulation || it.error.text[0]);
  if (it.simulation) {
    carom_status status = carom_simulation_advance(it.simulation, 2e-3, &it.error);
    CHECK(!status || it.error.text[0]);
  }
  unload(&it);
}

static void test_large_numbers(void **state) {
  (void)state;
  static const char *const rows[] = {
      "1e100,-1e100,1e100,1e100,1e100,1e100\n-1e100,1e100,-1e100,1,0,0\n",
      "0,0,5,1e-320,0,0\n1e-320,9,5,0,1e100,1e-100\n", "1e15,0,5,1,0,0\n0,0,5,0,1,0\n"};
  for (int periodic = 0; periodic < 2; periodic++)
    for (int k = 0; k < COUNT(rows); k++) {
      char table[256];
      put_file("bed.yaml", periodic ? RODS "periodic: {x: 20, y: 20, z: 20}\n" : RODS);
      (void)snprintf(table, sizeof table, HEAD "%s", rows[k]);
      try_table(table, strlen(table));
    }
  put_file("bed.yaml", RODS);
  static const char fast[] = "x,y,z,ux,uy,uz,vx,wx\n0,0,0,0,0,1,1e100,-1e100\n";
  try_table(fast, sizeof fast - 1);
}

static void test_many_columns(void **state) {
  (void)state;
  enum { CELLS = 1000000, SIZE = 2 * CELLS };
  char *text = malloc(SIZE + 32);
  assert_non_null(text);
  put_file("bed.yaml", RODS);
  for (size_t k = 0; k < CELLS; k++)
    memcpy(text + 2 * k, "x,", 2);
  try_table(text, SIZE);
  memset(text, ',', SIZE);
  try_table(text, SIZE);
  memset(text, ' ', SIZE);
  try_table(text, SIZE);
  memset(text, '"', SIZE);
  try_table(text, SIZE);
  memcpy(text, HEAD, strlen(HEAD));
  memset(text + strlen(HEAD), '9', SIZE);
  try_table(text, SIZE);
  for (size_t k = 0; k < CELLS; k++)
    memcpy(text + strlen(HEAD) + 2 * k, "1,", 2);
  try_table(text, SIZE);
  free(text);
}

// a good table with a few bytes changed, taken away or doubled
static void test_random_changes(void **state) {
  (void)state;
  static const char good[] = "x,y,z,ux,uy,uz,vx,wz,kind\n"
                             "0,0,0.5,1,0,0,-1e-3,2,sticks\n"
                             "0,4,1.5,0,0,0,.5,0,\"balls\" # a ball\r\n"
                             "0,8,0.5,0.6,0.8,0,1,0,sticks\n";
  static const char bytes[] = "0159.e+-,;\"#\n\r\t xuyzvwkinda\x80\xff\x01";
  uint64_t random = 1;
  put_file("bed.yaml", MIX);
  for (int k = 0; k < 600; k++) {
    char text[2 * sizeof good];
    size_t size = sizeof good - 1;
    memcpy(text, good, size);
    for (int changes = 1 + k % 3; changes > 0; changes--) {
      random = random * 6364136223846793005U + 1442695040888963407U;
      size_t at = (size_t)(random >> 33) % size, what = (size_t)(random >> 20) % sizeof bytes;
      if (random >> 62 == 0) {
        size = at > 0 ? at : 1; // the rest is missing
      } else if (random >> 62 == 1) {
        memmove(text + at + 1, text + at, size++ - at);
      } else {
        text[at] = bytes[what];
      }
    }
    try_table(text, size);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      IN_FOLDER(test_columns),
      IN_FOLDER(test_forms),
      IN_FOLDER(test_motion_added),
      IN_FOLDER(test_period_and_spheres),
      IN_FOLDER(test_kinds),
      IN_FOLDER(test_order_of_lines),
      IN_FOLDER(test_set_and_restore),
      IN_FOLDER(test_faults),
      IN_FOLDER(test_faults_of_kinds),
      IN_FOLDER(test_faults_about_a_post),
      IN_FOLDER(test_faults_in_the_plane),
      IN_FOLDER(test_faults_of_the_scenario),
      IN_FOLDER(test_large_numbers),
      IN_FOLDER(test_many_columns),
      IN_FOLDER(test_random_changes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
