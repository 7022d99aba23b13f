// SPDX-License-Identifier: MIT
// The dice of figures 21 and 22, a soft cube and a soft brick by a second program (plain_affine.h):
// every face is cut into panels that grow with the distance, in both directions, with Gauss points
// on each; rotations are matrices that are integrated entry by entry. Carom must come to the same
// state.
#include "field_motion_help.h"
#include "plain_affine.h"

#include <cvode/cvode.h>

enum { MOST_NODES = 200, STATES = 24 };
static const double GRAVITY = 9.81, DENSITY = 1000.0;

/// A box above the plane z = 0.
typedef struct plain_box {
  double edge[3], mass;
  double a_r, a_d, a_f;
  int nu, nu_d, nu_f;
  bool soft;
  plain_material material;
} plain_box;

typedef struct face_sums {
  double force[3], pull; // pull: of d^-nu alone
  plain_matrix moment;
  bool below;
} face_sums;

/// Where the body is: p = place + F x, v = velocity + G x.
typedef struct plain_pose {
  double place[3], velocity[3];
  plain_matrix F, G;
} plain_pose;

/// Gauss points on [0, 1] for functions of d = near + s rise.
typedef struct plain_nodes {
  int count;
  double s[MOST_NODES], weight[MOST_NODES];
} plain_nodes;

static void grade(double near, double rise, plain_nodes *it) {
  static const double node[4] = {0.18343464249564980, 0.52553240991632899, 0.79666647741362674,
                                 0.96028985649753623};
  static const double weight[4] = {0.36268378337836198, 0.31370664587788729, 0.22238103445337447,
                                   0.10122853629037626};
  int panels = 1 + (int)(log1p(rise / near) / log(2.0));
  it->count = 0;
  double ratio = log1p(rise / near), low = 0.0;
  for (int k = 1; k <= panels; k++) {
    double high = k == panels || !(rise > 1e-9 * near) ? (double)k / panels
                                                       : near / rise * expm1(ratio * k / panels);
    for (int i = 0; i < 8; i++) {
      double x = i < 4 ? node[i] : -node[i - 4];
      it->s[it->count] = low + 0.5 * (1.0 + x) * (high - low);
      it->weight[it->count++] = 0.5 * weight[i % 4] * (high - low);
    }
    low = high;
  }
}

static void add_point(const plain_box *it, const plain_pose *pose, const double x[3], double d,
                      double weight, face_sums *s) {
  double v[3], push = plain_power(d, it->nu), damp = it->a_d * plain_power(d, it->nu_d);
  double drag = it->a_f * plain_power(d, it->nu_f);
  for (int i = 0; i < 3; i++) {
    v[i] = pose->velocity[i];
    for (int j = 0; j < 3; j++)
      v[i] += pose->G.at[i][j] * x[j];
  }
  const double q[3] = {-drag * v[0], -drag * v[1], it->a_r * push - damp * v[2]};
  s->pull += weight * push;
  for (int i = 0; i < 3; i++) {
    s->force[i] += weight * q[i];
    for (int j = 0; j < 3; j++)
      s->moment.at[i][j] += weight * q[i] * x[j];
  }
}

// the face across `axis` on the side `sign`, from its nearest corner
static void add_face(const plain_box *it, const plain_pose *pose, const plain_matrix *cofactor,
                     int axis, double sign, face_sums *s) {
  int along[2] = {(axis + 1) % 3, (axis + 2) % 3};
  double x[3], step[2], near = pose->place[2], rise[2], growth = 0.0;
  x[axis] = 0.5 * sign * it->edge[axis];
  near += pose->F.at[2][axis] * x[axis];
  for (int k = 0; k < 2; k++) {
    double slope = pose->F.at[2][along[k]] * it->edge[along[k]];
    step[k] = slope < 0.0 ? -it->edge[along[k]] : it->edge[along[k]];
    rise[k] = fabs(slope);
    x[along[k]] = -0.5 * step[k];
    near -= 0.5 * rise[k];
  }
  s->below = s->below || !(near > 0.0);
  if (s->below) return;
  for (int i = 0; i < 3; i++)
    growth += cofactor->at[i][axis] * cofactor->at[i][axis];
  double area = sqrt(growth) * it->edge[along[0]] * it->edge[along[1]];
  plain_nodes outer, inner;
  grade(near, rise[0], &outer);
  for (int i = 0; i < outer.count; i++) {
    double from = near + outer.s[i] * rise[0], at[3] = {x[0], x[1], x[2]};
    at[along[0]] += outer.s[i] * step[0];
    grade(from, rise[1], &inner);
    for (int j = 0; j < inner.count; j++) {
      at[along[1]] = x[along[1]] + inner.s[j] * step[1];
      add_point(it, pose, at, from + inner.s[j] * rise[1], area * outer.weight[i] * inner.weight[j],
                s);
    }
  }
}

static face_sums all_faces(const plain_box *it, const plain_pose *pose) {
  face_sums s = {.pull = 0.0};
  plain_matrix C = plain_cofactor(3, &pose->F);
  for (int axis = 0; axis < 3; axis++)
    for (int side = -1; side <= 1; side += 2)
      add_face(it, pose, &C, axis, side, &s);
  return s;
}

// ---- the motion: x, y, z, F by rows, and the rates of these; rigid: the rate of F is omega x F,
// and omega is kept where the first row of F' would be

static void read_pose(const plain_box *it, const double *y, plain_pose *pose) {
  memcpy(pose->place, y, sizeof pose->place);
  memcpy(pose->velocity, y + 12, sizeof pose->velocity);
  const double *w = y + 15;
  for (int i = 0; i < 9; i++) {
    int row = i / 3, column = i % 3, next = (row + 1) % 3, last = (row + 2) % 3;
    pose->F.at[row][column] = y[3 + i];
    pose->G.at[row][column] =
        it->soft ? y[15 + i]
                 : w[next] * y[3 + 3 * last + column] - w[last] * y[3 + 3 * next + column];
  }
}

// torque of q at x: sum of (F x) x q; the inertia of a cube is the same about every axis
static void rigid_rates(const plain_box *it, const plain_pose *pose, const face_sums *s,
                        double *rate) {
  plain_matrix T = plain_product(3, &s->moment, &pose->F, true); // T_ij = q_i (F x)_j
  double inertia = it->mass * it->edge[0] * it->edge[0] / 6.0;
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    rate[15 + k] = (T.at[j][i] - T.at[i][j]) / inertia;
  }
}

static int rates(realtype t, N_Vector state, N_Vector rate, void *ctx) {
  (void)t;
  const plain_box *it = ctx;
  const double *y = N_VGetArrayPointer(state);
  double *f = N_VGetArrayPointer(rate);
  plain_pose pose;
  read_pose(it, y, &pose);
  face_sums s = all_faces(it, &pose);
  if (s.below) return 1;
  memset(f, 0, STATES * sizeof *f);
  for (int i = 0; i < 3; i++) {
    f[i] = pose.velocity[i];
    f[12 + i] = s.force[i] / it->mass - (i == 2 ? GRAVITY : 0.0);
  }
  for (int i = 0; i < 9; i++)
    f[3 + i] = pose.G.at[i / 3][i % 3];
  if (!it->soft) {
    rigid_rates(it, &pose, &s, f);
    return 0;
  }
  plain_matrix faster = plain_soft_rates(3, &it->material, &pose.F, &pose.G, &s.moment);
  for (int i = 0; i < 9; i++)
    f[15 + i] = faster.at[i / 3][i % 3];
  return 0;
}

// ---- beside Carom

// mass, Euler tensor, and the coefficient with which the box rests flat at d0
static void prepare(plain_box *it, double d0) {
  plain_pose flat = {.place = {0.0, 0.0, 0.5 * it->edge[2] + d0}};
  double volume = it->edge[0] * it->edge[1] * it->edge[2];
  it->mass = DENSITY * volume;
  it->material.volume = volume;
  for (int i = 0; i < 3; i++) {
    it->material.J.at[i][i] = it->mass * it->edge[i] * it->edge[i] / 12.0;
    flat.F.at[i][i] = 1.0;
  }
  it->a_r = it->mass * GRAVITY / all_faces(it, &flat).pull;
}

// Carom's numbers in the order of this program
static void read_state(motion *it, bool soft, double y[STATES]) {
  static const char *const place[] = {"x", "y", "z", "x'", "y'", "z'"};
  static const char *const turning[] = {"turn_x'", "turn_y'", "turn_z'"};
  memset(y, 0, STATES * sizeof *y);
  for (int i = 0; i < 6; i++)
    y[i < 3 ? i : 9 + i] = motion_get(it, place[i]);
  for (int i = 0; soft && i < 18; i++) {
    char name[8];
    (void)snprintf(name, sizeof name, "F%d%d%s", i % 9 / 3 + 1, i % 3 + 1, i < 9 ? "" : "'");
    y[i < 9 ? 3 + i : 6 + i] = motion_get(it, name);
  }
  if (soft) return;
  double w = motion_get(it, "q_w"),
         q[3] = {motion_get(it, "q_x"), motion_get(it, "q_y"), motion_get(it, "q_z")};
  double square = w * w + q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
  // R x = x + 2 w (q x x) + 2 q x (q x x), column by column
  for (int j = 0; j < 3; j++) {
    double once[3] = {0.0};
    int next = (j + 1) % 3, last = (j + 2) % 3;
    once[next] = q[last], once[last] = -q[next];
    for (int i = 0; i < 3; i++) {
      int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
      double twice = q[i1] * once[i2] - q[i2] * once[i1];
      y[3 + 3 * i + j] = (i == j ? 1.0 : 0.0) + 2.0 * (w * once[i] + twice) / square;
    }
    y[15 + j] = motion_get(it, turning[j]);
  }
}

typedef struct second_case {
  const char *name, *path, *text;
  plain_box box;
  double d0, until, bound;
} second_case;

#define DIE(spinning) CAROM_SOURCE_DIR "/scenarios/field_die" spinning ".yaml"
#define SOFT(body, start)                                                                          \
  "engine: field\nbody: {" body ", soft: {c10: 6e4, c01: 2e4, viscosity: 300}}\nfields:\n"         \
  "  repulsion: {rest: 0.01, form: printed}\n  damping: {exponent: 2, coefficient: 2}\n"           \
  "  friction: {exponent: 3, coefficient: 0.1}\nstart: {" start                                    \
  "}\nrun: {until: 9, rtol: 1e-11}\n"
#define SOFT_BOX(x, y, z)                                                                          \
  {                                                                                                \
    .edge = {x, y, z}, .nu = 8, .a_d = 2, .nu_d = 2, .a_f = 0.1, .nu_f = 3, .soft = true,          \
    .material = {                                                                                  \
      .c10 = 6e4,                                                                                  \
      .c01 = 2e4,                                                                                  \
      .viscosity = 300                                                                             \
    }                                                                                              \
  }
#define DICE                                                                                       \
  { .edge = {1, 1, 1}, .a_d = 10, .a_f = 100, .nu = 8, .nu_d = 2, .nu_f = 2 }

static const second_case CASES[] = {
    {"figure 21", DIE(""), NULL, DICE, 0.002, 0.4, 1e-7},
    {"figure 22", DIE("_spinning"), NULL, DICE, 0.002, 0.4, 1e-7},
    {"soft cube", NULL,
     SOFT("cube: 1", "gap: 0.05, tilt: 0.5, axis: [1, 2, 0], angular: [1, 0, 2]"),
     SOFT_BOX(1, 1, 1), 0.01, 0.2, 1e-7},
    {"soft brick", NULL, SOFT("box: [1, 0.8, 0.6]", "gap: 0.05, tilt: 0.3, velocity: [1, 0, 0]"),
     SOFT_BOX(1, 0.8, 0.6), 0.01, 0.2, 1e-7},
};

static void another_program_agrees(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
    const second_case *c = &CASES[k];
    const carom_setting tight = {"run.rtol", "1e-11"};
    motion it = motion_make(c->path, c->text, c->path ? 1 : 0, &tight);
    plain_box box = c->box;
    double y[STATES], own[STATES], start[STATES], worst = 0.0, turned = 0.0;
    prepare(&box, c->d0);
    read_state(&it, box.soft, y);
    memcpy(start, y, sizeof y);
    CHECK(plain_integrate(STATES, rates, &box, y, c->until, false));
    motion_run(&it, c->until);
    read_state(&it, box.soft, own);
    for (int i = 0; i < STATES; i++) {
      worst = fmax(worst, fabs(y[i] - own[i]));
      if (i >= 15) turned = fmax(turned, fabs(own[i] - start[i]));
    }
    if (!(worst < c->bound)) print_error("%s: %.3g\n", c->name, worst);
    CHECK(worst < c->bound && turned > 0.5);
    motion_end(&it);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(another_program_agrees)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
