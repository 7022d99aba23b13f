// SPDX-License-Identifier: MIT
// Hulls of points: closed forms of volume and inertia, Euler's formula, points that lie in faces,
// on edges, twice or almost twice; meshes from files; the same motion of a box written as a box, as
// corners and as a mesh.
#include "hybrid/motion.h"

#include "base/random.h"
#include "bodies/mesh_file.h"
#include "convex/hull.h"

enum { MOST_POINTS = 4000 };

typedef struct cloud {
  int count;
  double points[MOST_POINTS][3];
} cloud;

static const carom_place SOMEWHERE = {"points", 1, 1};

static void add(cloud *c, double x, double y, double z) {
  CHECK(c->count < MOST_POINTS);
  double *p = c->points[c->count++];
  p[0] = x;
  p[1] = y;
  p[2] = z;
}

static carom_hull hull_of(carom_arena *arena, const cloud *c, double tolerance, int most) {
  carom_hull hull = {0};
  carom_error error = {0};
  MUST(carom_hull_make(arena, c->count, (const double(*)[3])c->points, tolerance, most, SOMEWHERE,
                       &hull, &error),
       error);
  return hull;
}

// the turn of a unit quaternion
static void turn(cloud *c, const double e[4]) {
  double a = e[0], b = e[1], d = e[2], f = e[3];
  double r[3][3] = {{1 - 2 * (d * d + f * f), 2 * (b * d - a * f), 2 * (b * f + a * d)},
                    {2 * (b * d + a * f), 1 - 2 * (b * b + f * f), 2 * (d * f - a * b)},
                    {2 * (b * f - a * d), 2 * (d * f + a * b), 1 - 2 * (b * b + d * d)}};
  for (int k = 0; k < c->count; k++) {
    double p[3] = {c->points[k][0], c->points[k][1], c->points[k][2]};
    for (int i = 0; i < 3; i++)
      c->points[k][i] = r[i][0] * p[0] + r[i][1] * p[1] + r[i][2] * p[2];
  }
}

// every point is inside of every face, and the edges go around: V - E + F = 2 for the triangles
static void check_hull(const carom_hull *hull, const cloud *c, double near) {
  double by_faces = 0.0;
  CHECK(hull->face_count == 2 * hull->corner_count - 4);
  for (int f = 0; f < hull->face_count; f++) {
    const double *a = hull->corners[hull->faces[f][0]], *b = hull->corners[hull->faces[f][1]],
                 *d = hull->corners[hull->faces[f][2]];
    double u[3], v[3], n[3], size = 0.0;
    for (int i = 0; i < 3; i++) {
      u[i] = b[i] - a[i];
      v[i] = d[i] - a[i];
    }
    for (int i = 0; i < 3; i++)
      n[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
    size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < c->count; k++) {
      double out = 0.0;
      for (int i = 0; i < 3; i++)
        out += n[i] / size * (c->points[k][i] - a[i]);
      CHECK(out <= near);
    }
    for (int i = 0; i < 3; i++) // the volume once more, as a third of heights times areas
      by_faces += n[i] * (a[i] - hull->centre[i]) / 6.0;
  }
  CHECK_RELATIVE(hull->volume, by_faces, 1e-12);
}

static int planes_of(const carom_hull *hull) { return 2 - hull->corner_count + hull->edge_count; }

// ---- closed forms

static void box_of_many_points(void **state) {
  (void)state;
  static cloud c;
  const double s[3] = {1.0, 2.0, 3.0};
  for (int round = 0; round < 12; round++) {
    carom_arena *arena = carom_arena_create(NULL);
    double e[4], size = 0.0, noise = round < 6 ? 0.0 : 1e-8;
    c.count = 0;
    for (int i = 0; i <= 6; i++) // a grid on the faces, edges and corners, and inside
      for (int j = 0; j <= 6; j++)
        for (int k = 0; k <= 6; k++)
          add(&c, s[0] * i / 6, s[1] * j / 6, s[2] * k / 6);
    for (int k = 0; k < 4; k++) {
      e[k] = carom_random_normal(7, (uint64_t)round, (uint64_t)k);
      size += e[k] * e[k];
    }
    for (int k = 0; k < 4; k++)
      e[k] = round == 0 ? (k == 0) : e[k] / sqrt(size);
    turn(&c, e);
    for (int k = 0; k < c.count; k++)
      for (int i = 0; i < 3; i++)
        c.points[k][i] +=
            noise * (carom_random_uniform(8, (uint64_t)round, (uint64_t)(3 * k + i)) - 0.5);
    carom_hull hull = hull_of(arena, &c, 1e-6, 0);
    CHECK(hull.corner_count == 8);
    CHECK(hull.edge_count == 12);
    CHECK(planes_of(&hull) == 6);
    CHECK_RELATIVE(hull.volume, 6.0, 1e-13 + 10 * noise);
    // what no turn changes: the trace of the tensor and of its square
    double trace = 0.0, square = 0.0, wanted = 0.0, wanted_square = 0.0;
    for (int k = 0; k < 3; k++) {
      double own = 0.5 * (s[(k + 1) % 3] * s[(k + 1) % 3] + s[(k + 2) % 3] * s[(k + 2) % 3]);
      trace += hull.inertia[k];
      square += hull.inertia[k] * hull.inertia[k] + 2 * hull.inertia[3 + k] * hull.inertia[3 + k];
      wanted += own;
      wanted_square += own * own;
    }
    CHECK_RELATIVE(trace, wanted, 1e-13 + 20 * noise);
    CHECK_RELATIVE(square, wanted_square, 1e-13 + 40 * noise);
    check_hull(&hull, &c, 1e-6);
    carom_arena_destroy(arena);
  }
}

// with corners at 0 and at a, b, c along the axes: volume abc/6, centre (a, b, c)/4, J_xx = m 3
// (b^2 + c^2)/80, J_xy = m ab/80
static void tetrahedron(void **state) {
  (void)state;
  static cloud c;
  carom_arena *arena = carom_arena_create(NULL);
  const double a = 1.5, b = 0.7, d = 2.0, m = a * b * d / 6.0;
  c.count = 0;
  add(&c, 0, 0, 0);
  add(&c, a, 0, 0);
  add(&c, 0, b, 0);
  add(&c, 0, 0, d);
  add(&c, 0.1, 0.1, 0.1);
  add(&c, a, 0, 0);
  carom_hull hull = hull_of(arena, &c, 1e-10, 0);
  CHECK(hull.corner_count == 4 && hull.edge_count == 6 && hull.face_count == 4);
  CHECK_RELATIVE(hull.volume, m, 1e-14);
  CHECK_RELATIVE(hull.centre[0], a / 4, 1e-14);
  CHECK_RELATIVE(hull.centre[1], b / 4, 1e-14);
  CHECK_RELATIVE(hull.centre[2], d / 4, 1e-14);
  CHECK_RELATIVE(hull.inertia[0], 3 * m * (b * b + d * d) / 80, 1e-13);
  CHECK_RELATIVE(hull.inertia[1], 3 * m * (a * a + d * d) / 80, 1e-13);
  CHECK_RELATIVE(hull.inertia[2], 3 * m * (a * a + b * b) / 80, 1e-13);
  CHECK_RELATIVE(hull.inertia[3], m * a * b / 80, 1e-13);
  CHECK_RELATIVE(hull.inertia[4], m * a * d / 80, 1e-13);
  CHECK_RELATIVE(hull.inertia[5], m * b * d / 80, 1e-13);
  carom_arena_destroy(arena);
}

static void on_sphere(cloud *c, int count, uint64_t seed) {
  c->count = 0;
  for (int k = 0; k < count; k++) {
    double p[3], size = 0.0;
    for (int i = 0; i < 3; i++) {
      p[i] = carom_random_normal(seed, 1, (uint64_t)(3 * k + i));
      size += p[i] * p[i];
    }
    size = sqrt(size);
    add(c, p[0] / size, p[1] / size, p[2] / size);
  }
}

// every point of a sphere is a corner; volume and inertia go to those of the ball
static void sphere(void **state) {
  (void)state;
  static cloud c;
  carom_arena *arena = carom_arena_create(NULL);
  on_sphere(&c, 1500, 3);
  carom_hull hull = hull_of(arena, &c, 1e-10, 0);
  CHECK(hull.corner_count == 1500);
  CHECK(hull.face_count == 2996);
  CHECK(hull.edge_count == 4494); // all faces are triangles
  check_hull(&hull, &c, 1e-12);
  CHECK_RELATIVE(hull.volume, 4.0 / 3.0 * PI, 0.01);
  for (int k = 0; k < 3; k++)
    CHECK_RELATIVE(hull.inertia[k], 8.0 / 15.0 * PI, 0.02);
  // of fewer corners none is farther out than is told
  carom_hull few = hull_of(arena, &c, 1e-10, 40);
  CHECK(few.corner_count == 40);
  check_hull(&few, &c, few.left + 1e-12);
  CHECK(few.left > 0.0 && few.left < 0.3);
  CHECK(few.volume < hull.volume && few.volume > 0.7 * hull.volume);
  carom_arena_destroy(arena);
}

// ---- what is even, twice or almost twice

// points of a small grid: most lie in faces and on edges of others; a corner is what is outside of
// the hull of all others
static void grids(void **state) {
  (void)state;
  static cloud c, others;
  int hulls = 0;
  for (int round = 0; round < 120; round++) {
    carom_arena *arena = carom_arena_create(NULL);
    c.count = 0;
    int count = 8 + round % 30, wide = 2 + round % 3;
    for (int k = 0; k < count; k++)
      for (int i = 0; i < 3; i++) {
        if (i == 0) c.count++;
        c.points[k][i] =
            (double)(carom_random_bits(5, (uint64_t)round, (uint64_t)(3 * k + i)) % (uint64_t)wide);
      }
    carom_hull hull, without;
    carom_error error = {0};
    if (carom_hull_make(arena, c.count, (const double(*)[3])c.points, 1e-9, 0, SOMEWHERE, &hull,
                        &error) != CAROM_OK) {
      CHECK(strstr(error.text, "no volume") != NULL);
      carom_arena_destroy(arena);
      continue;
    }
    check_hull(&hull, &c, 1e-9);
    hulls++;
    // volumes of bodies with whole corners are sixths of whole numbers
    CHECK_NEAR(6.0 * hull.volume, floor(6.0 * hull.volume + 0.5), 1e-11);
    for (int k = 0; k < hull.corner_count; k++) {
      others.count = 0;
      for (int j = 0; j < c.count; j++)
        if (memcmp(c.points[j], hull.corners[k], sizeof *c.points) != 0)
          add(&others, c.points[j][0], c.points[j][1], c.points[j][2]);
      if (carom_hull_make(arena, others.count, (const double(*)[3])others.points, 1e-9, 0,
                          SOMEWHERE, &without, &error) == CAROM_OK)
        CHECK(without.volume < hull.volume - 1e-3);
    }
    carom_arena_destroy(arena);
  }
  CHECK(hulls > 100);
}

// a cylinder with many points on its mantle, in layers that are near each other, and noise of every
// size about the tolerance
static void noisy_cylinders(void **state) {
  (void)state;
  static cloud c;
  for (int round = 0; round < 40; round++) {
    carom_arena *arena = carom_arena_create(NULL);
    double noise = pow(10.0, -9.0 + 0.1 * round); // to 1e-5
    c.count = 0;
    for (int layer = 0; layer < 8; layer++)
      for (int k = 0; k < 24; k++)
        add(&c, cos(2 * PI * k / 24), sin(2 * PI * k / 24), layer < 6 ? 1e-7 * layer : 0.1 * layer);
    for (int k = 0; k < c.count; k++)
      for (int i = 0; i < 3; i++)
        c.points[k][i] +=
            noise * (carom_random_uniform(9, (uint64_t)round, (uint64_t)(3 * k + i)) - 0.5);
    carom_hull hull = hull_of(arena, &c, 1e-6, 0);
    check_hull(&hull, &c, 4e-4);
    CHECK_RELATIVE(hull.volume, 12.0 * sin(PI / 12) * 0.7, 1e-4);
    carom_arena_destroy(arena);
  }
}

static void flat_ones(void **state) {
  (void)state;
  static cloud c;
  static const struct {
    int dimensions;
    const char *told;
  } cases[] = {{0, "one place"}, {1, "one line"}, {2, "one plane"}};
  for (int n = 0; n < 3; n++) {
    carom_arena *arena = carom_arena_create(NULL);
    carom_hull hull;
    carom_error error = {0};
    c.count = 0;
    for (int k = 0; k < 50; k++) {
      double x = n > 0 ? carom_random_uniform(4, 0, (uint64_t)k) : 0.0;
      double y = n > 1 ? carom_random_uniform(4, 1, (uint64_t)k) : 0.0;
      add(&c, 1 + x + y, 2 - x, 3 * x - 2 * y);
    }
    CHECK(carom_hull_make(arena, c.count, (const double(*)[3])c.points, 1e-9, 0, SOMEWHERE, &hull,
                          &error) == CAROM_ERR_INPUT);
    CHECK(strstr(error.text, cases[n].told) != NULL);
    CHECK(error.line == 1);
    c.points[3][1] = (double)NAN;
    CHECK(carom_hull_make(arena, c.count, (const double(*)[3])c.points, 1e-9, 0, SOMEWHERE, &hull,
                          &error) == CAROM_ERR_INPUT);
    CHECK(strstr(error.text, "point 4 of 50 is not finite") != NULL);
    carom_arena_destroy(arena);
  }
}

// ---- files

static carom_status read_mesh(carom_arena *arena, const char *name, const char *bytes,
                              size_t length, carom_mesh *mesh, carom_error *error) {
  *error = (carom_error){0};
  return carom_mesh_read(arena, name, bytes, length, mesh, error);
}

static void mesh_texts(void **state) {
  (void)state;
  carom_arena *arena = carom_arena_create(NULL);
  carom_mesh mesh;
  carom_error error;
  const char *stl = "solid a thing\r\nfacet normal 0 0 1\nouter loop\n vertex 0 0 1e-1\n\tvertex 1 "
                    "0.5 -2E0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n";
  MUST(read_mesh(arena, "a.STL", stl, strlen(stl), &mesh, &error), error);
  CHECK(mesh.count == 3);
  CHECK_SAME(mesh.points[0][2], 0.1);
  CHECK_SAME(mesh.points[1][2], -2.0);
  const char *obj = "# comment\nv 1 2 3 1.0\nvn 0 0 1\nvt 0 0\nv 4 5 6\nf 1//1 2//1 2//1";
  MUST(read_mesh(arena, "b.obj", obj, strlen(obj), &mesh, &error), error);
  CHECK(mesh.count == 2);
  CHECK_SAME(mesh.points[1][2], 6.0);
  static const struct {
    const char *name, *text, *told;
    int line, column;
  } wrong[] = {{"c.obj", "v 1 2\nv 1 2 3\n", "third", 1, 6},
               {"c.obj", "v 1 2 3\n v 1 x 3\n", "second", 2, 6},
               {"c.obj", "v 1 2 3\nv 1 nan 3\n", "second", 2, 5},
               {"c.obj", "v 1 2 3e999\n", "third", 1, 7},
               {"c.obj", "# nothing\n", "no points", 0, 0},
               {"c.stl", "v 1 2 3\n", "no STL file", 0, 0},
               {"c.stl", "solid\nvertex 1 2,5 3\n", "second", 2, 10},
               {"c.stl", "", "no STL file", 0, 0},
               {"c.ply", "ply\n", ".stl or .obj", 0, 0}};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    CHECK(read_mesh(arena, wrong[k].name, wrong[k].text, strlen(wrong[k].text), &mesh, &error) < 0);
    if (!strstr(error.text, wrong[k].told)) print_error("%s\n", error.text);
    CHECK(strstr(error.text, wrong[k].told) != NULL);
    CHECK(error.line == wrong[k].line && error.column == wrong[k].column);
  }
  carom_arena_destroy(arena);
}

// bytes of a binary STL file of `count` triangles, corners all at (1, 2, k)
static size_t binary_stl(char *bytes, int count) {
  memset(bytes, 0, 84 + (size_t)count * 50);
  memcpy(bytes, "solid though it is binary", 25);
  bytes[80] = (char)count;
  for (int k = 0; k < 3 * count; k++) {
    float point[3] = {1.0f, 2.0f, (float)k};
    for (int i = 0; i < 3; i++) {
      uint32_t bits;
      memcpy(&bits, &point[i], 4);
      for (int b = 0; b < 4; b++)
        bytes[84 + k / 3 * 50 + 12 + k % 3 * 12 + i * 4 + b] = (char)(bits >> (8 * b) & 255);
    }
  }
  return 84 + (size_t)count * 50;
}

static void mesh_bytes(void **state) {
  (void)state;
  carom_arena *arena = carom_arena_create(NULL);
  carom_mesh mesh;
  carom_error error;
  char bytes[1000] = {0};
  size_t length = binary_stl(bytes, 4);
  MUST(read_mesh(arena, "d.stl", bytes, length, &mesh, &error), error);
  CHECK(mesh.count == 12);
  CHECK_SAME(mesh.points[11][2], 11.0);
  CHECK_SAME(mesh.points[5][1], 2.0);
  CHECK(read_mesh(arena, "d.stl", bytes, length - 1, &mesh, &error) == CAROM_ERR_INPUT);
  CHECK(strstr(error.text, "4 triangles has 284 bytes, not 283") != NULL);
  memset(bytes + 84 + 50 + 12, 255, 4); // no number
  CHECK(read_mesh(arena, "d.stl", bytes, length, &mesh, &error) == CAROM_ERR_INPUT);
  CHECK(strstr(error.text, "triangle 2 of 4") != NULL);
  carom_arena_destroy(arena);
}

// ---- as bodies

static motion thrown(const char *shape) {
  char text[1500], path[400];
  carom_model *model = NULL;
  carom_error error = {0};
  (void)snprintf(path, sizeof path, "%s/tests/bodies/thrown.yaml", CAROM_SOURCE_DIR);
  (void)snprintf(text, sizeof text,
                 "gravity: 9.81\n"
                 "bodies:\n"
                 "  floor: {plane: [0, 0, 1]}\n"
                 "  brick: {%s, at: [0, 0, 1], turn: {axis: [1, 2, 3], angle: 0.5},\n"
                 "          velocity: [1, 0.2, 0], spin: [3, -1, 2]}\n"
                 "contacts: {touch: {between: [brick, floor], friction: 0.3, impact: 0.4}}\n"
                 "run: {until: 0.7}\n",
                 shape);
  MUST(carom_model_parse(text, path, 0, NULL, &model, &error), error);
  return motion_of(model);
}

// the same brick by its edges, by its corners and by three files, in metres and millimetres
static void brick_is_thrown(void **state) {
  (void)state;
  static const char *const shapes[] = {
      "box: [0.1, 0.2, 0.3], density: 2000",
      ("polyhedron: [[0, 0, 0], [0.1, 0, 0], [0, 0.2, 0], [0.1, 0.2, 0], [0, 0, 0.3], "
       "[0.1, 0, 0.3], [0, 0.2, 0.3], [0.1, 0.2, 0.3]], density: 2000"),
      "hull: brick.stl, scale: 0.001, density: 2000", "hull: brick_binary.stl, mass: 12",
      "hull: brick.obj, mass: 12, inertia: [0.13, 0.1, 0.05]"};
  static const char *const names[] = {"brick.x", "brick.z", "brick.w1", "brick.w2", "brick.e3"};
  // of a brick in single precision, whose error the impacts make larger
  static const double near[] = {0.0, 1e-10, 1e-10, 1e-4, 1e-10};
  double reference[5];
  for (int k = 0; k < 5; k++) {
    motion m = thrown(shapes[k]);
    motion_advance(&m, 0.7);
    for (int i = 0; i < 5; i++) {
      if (k == 0) reference[i] = value_of(&m, names[i]);
      CHECK_NEAR(value_of(&m, names[i]), reference[i], near[k]);
    }
    CHECK(certificate_of(&m).passed);
    motion_end(&m);
  }
}

// A tetrahedron that spins freely: energy and angular momentum stay, with products of inertia; as a
// part of a body it has the same tensor.
static void tetrahedron_spins(void **state) {
  (void)state;
  static const char *const shape =
      "polyhedron: [[0, 0, 0], [0.3, 0, 0], [0, 0.2, 0], [0, 0, 0.4]], density: 1000";
  double ends[2][3];
  for (int k = 0; k < 2; k++) {
    char text[700];
    (void)snprintf(text, sizeof text,
                   "bodies:\n  t: {%s%s%s, spin: [1, 2, 3]}\ndefine: {lx: t.lx, ly: t.ly, lz: "
                   "t.lz}\nrun: {until: 5}\n",
                   k ? "parts: {only: {" : "", shape,
                   k ? ", turn: {axis: [0, 0, 1], angle: 0}}}" : "");
    motion m = motion_parse(text);
    double before[3] = {value_of(&m, "lx"), value_of(&m, "ly"), value_of(&m, "lz")};
    CHECK_RELATIVE(value_of(&m, "t.mass"), 4.0, 1e-13);
    // L = J w at the start, J_xx = 3 m (b^2 + c^2)/80, J_xy = m ab/80
    CHECK_RELATIVE(before[0], 4.0 / 80 * (3 * 0.2 + 2 * 0.06 + 3 * 0.12), 1e-12);
    motion_advance(&m, 5.0);
    CHECK_RELATIVE(value_of(&m, "lx"), before[0], 1e-9);
    CHECK_RELATIVE(value_of(&m, "ly"), before[1], 1e-9);
    CHECK_RELATIVE(value_of(&m, "lz"), before[2], 1e-9);
    ends[k][0] = value_of(&m, "t.w1");
    ends[k][1] = value_of(&m, "t.w2");
    ends[k][2] = value_of(&m, "t.w3");
    motion_end(&m);
  }
  for (int i = 0; i < 3; i++)
    CHECK_NEAR(ends[1][i], ends[0][i], 1e-9);
}

static void mistakes(void **state) {
  (void)state;
  static const struct {
    const char *body, *told;
  } wrong[] = {{"hull: nothing.stl, mass: 1", "no file 'nothing.stl'"},
               {"hull: ../fuzz/replay.c, mass: 1", "leads out"},
               {"hull: thrown.txt, mass: 1", "no file"},
               {"hull: brick.stl, scale: -1, mass: 1", "scale is a plain number above 0"},
               {"hull: brick.stl, corners: 3, mass: 1", "whole number from 4 to 64"},
               {"hull: ball.obj, mass: 1", "has 162 corners, and a body touches with at most 64"},
               {"hull: brick.stl", "needs a mass or a density"},
               {"hull: flat.obj, mass: 1", "lie in one plane"},
               {"polyhedron: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], mass: 1", "lie in one plane"}};
  char text[600], path[400];
  (void)snprintf(path, sizeof path, "%s/tests/bodies/thrown.yaml", CAROM_SOURCE_DIR);
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    carom_model *model = NULL;
    carom_error error = {0};
    (void)snprintf(text, sizeof text, "bodies:\n  a: {at: [0, 0, 0], %s}\nrun: {until: 1}\n",
                   wrong[k].body);
    CHECK(carom_model_parse(text, path, 0, NULL, &model, &error) < 0);
    if (!strstr(error.text, wrong[k].told)) print_error("%s\n", error.text);
    CHECK(strstr(error.text, wrong[k].told) != NULL);
    CHECK(error.line == 2);
  }
}

// a mesh of a ball with a few of its corners: the mass is that of the whole
static void ball_with_few_corners(void **state) {
  (void)state;
  motion m = thrown("hull: ball.obj, corners: 24, density: 1000");
  CHECK(carom_model_count(m.model, CAROM_CONTACTS) == 24);
  double volume = value_of(&m, "brick.volume");
  CHECK_RELATIVE(value_of(&m, "brick.mass"), 1000 * volume, 1e-14);
  CHECK_RELATIVE(volume, 4.0 / 3.0 * PI * 0.001, 0.05);
  CHECK_RELATIVE(value_of(&m, "brick.inertia1"), 0.4 * 0.01 * value_of(&m, "brick.mass"), 0.04);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(box_of_many_points),
                                     cmocka_unit_test(tetrahedron),
                                     cmocka_unit_test(sphere),
                                     cmocka_unit_test(grids),
                                     cmocka_unit_test(noisy_cylinders),
                                     cmocka_unit_test(flat_ones),
                                     cmocka_unit_test(mesh_texts),
                                     cmocka_unit_test(mesh_bytes),
                                     cmocka_unit_test(brick_is_thrown),
                                     cmocka_unit_test(tetrahedron_spins),
                                     cmocka_unit_test(mistakes),
                                     cmocka_unit_test(ball_with_few_corners)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
