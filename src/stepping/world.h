// SPDX-License-Identifier: MIT
/// Bodies that are moved by steps of constant length: the scheme of Moreau (1999) and Jean (1999)
/// with theta = 1/2. One step from t to t + h:
///
///   places in the middle, q_m = q + h/2 v, where contacts are found and all rows are taken
///   M (v' - v) = h f + W(q_m) p
///   0 <= W_n^T v' + e min(W_n^T v, 0)  complementary to  p_n >= 0,  |p_t| <= mu p_n, Coulomb's law
///   joints: J(q_m) (v + v') = 0
///   q' = q + h (v + v')/2
///
/// In the plane vectors have a third component 0 and bodies turn about the third axis.
#ifndef CAROM_STEPPING_WORLD_H
#define CAROM_STEPPING_WORLD_H

#include "base/arena.h"
#include "scenario/stepping_description.h"

#include <stdint.h>

typedef struct carom_solid_shape {
  carom_solid_kind kind;
  int corner_count;
  double (*corners)[3]; // in the body
  double radius, normal[3];
  double reach; // largest distance of a point from the centre
  double thin;  // smallest half thickness: what may not be passed in one step
} carom_solid_shape;

typedef struct carom_solid {
  carom_solid_shape shape;
  bool moves;
  double mass, inertia[3], drag; // drag: force by velocity, against it
  // the state; of a body that does not move by itself at the end of the last step
  double x[3], v[3];
  double spin[3]; // about the body's axes
  double angle;   // in the plane
  double e[4];    // quaternion, in space
  // in the middle of the step
  double place[3], turn[9], (*at)[3], low[3], high[3];
  double light, spread[9]; // 1/mass and inverse inertia about the axes of space; 0: it is not moved
  double v0[3], w0[3];     // velocity and spin about the axes of space as the step begins
  double w[3];             // and the spin as it ends (v: above)
  double own[3];           // what Euler's equations change of `spin` without any torque
  double pushed[6];        // impulse and turning impulse of forces, along the axes of space
  int calm, asleep;        // steps it has been slow for; 1 + its island, 0: it is awake
} carom_solid;

/// A contact in a step.
typedef struct carom_touch {
  int a, b;         // the normal points from b to a
  int law;          // entry of the scenario
  uint32_t feature; // of the pair: which corner, edge or face
  double gap, axes[3][3], arm_a[3], arm_b[3];
  double turn_a[3][3], turn_b[3][3];     // arm x axis
  double spread_a[3][3], spread_b[3][3]; // what that torque does to the spin
  double p[3];                           // impulse along the axes; in the plane the third is 0
  double before[3];                      // relative velocity as the step begins
  double friction, rest;                 // mu, e
  double weight, along;                  // 1/masses: along the normal; a bound for all tangents
} carom_touch;

/// A row of a joint: u = lin.(va - vb) + turn_a.wa - turn_b.wb, of which is asked
///   u' + echo u + aim + soft p = 0
/// with u before and u' after the step. Joints that hold have echo = 1 and nothing else; springs
/// with dampers have what the rule of the midpoint makes of them.
typedef struct carom_row {
  int a, b;
  double lin[3], turn_a[3], turn_b[3];
  double spread_a[3], spread_b[3];
  double p, weight, before, error; // error: how far the joint is off here
  double soft, echo, aim;
  double damping; // of a spring: impulse by mean velocity
} carom_row;

typedef struct carom_bond {
  carom_stepping_joint_kind kind;
  int a, b, first, rows; // rows of the world
  double point_a[3], point_b[3], axis_a[3], axis_b[3], length;
  double stiffness, damping, stretched; // of a spring; stretched: its length at the last step's end
  double turned[9];                     // a against b at the start
} carom_bond;

typedef struct carom_world_law {
  const bool *first, *second;
  double friction, restitution;
} carom_world_law;

/// What is fixed for a run.
typedef struct carom_world_settings {
  bool space;
  double step, gravity[3], residual;
  double sleep; // the speed below which bodies may sleep; 0: never
  long sweeps;
  int law_count;
  carom_world_law *laws;
} carom_world_settings;

/// How steps were solved: as a whole, without restitution since there was no other solution, and
/// the first and the last that was not. How far contacts were from their laws, of the speeds.
typedef struct carom_world_ways {
  long refined, yielded;
  double unsolved_from, unsolved_until, misfit;
} carom_world_ways;

/// Bodies that went to sleep and that woke, and the kinetic energy that was stopped so.
typedef struct carom_world_sleep {
  long slept, woken;
  double stopped;
} carom_world_sleep;

/// What a run is held against.
typedef struct carom_world_ledger {
  double work_drives, work_forces, lost_impacts, lost_friction, lost_dampers;
  double gain, corrected, projected, worked_joints;
  double deepest, allowed, joint_error, residual, cone, stride;
  long steps, sweeps, most_sweeps, contact_sweeps, unsolved, contacts, most_contacts, impacts;
  carom_world_ways ways;
  carom_world_sleep sleep;
} carom_world_ledger;

/// Cells of the grid, see grid.c.
typedef struct carom_grid {
  int *heads, *next, bucket_count;
  int *cells; // three numbers of each body
  int *large, large_count;
  double cell;
} carom_grid;

/// Where a body is that does not move by itself.
typedef struct carom_pose {
  double place[3], turn[9], v[3], w[3];
} carom_pose;

/// What acts from outside, as the scenario says.
typedef struct carom_world_outside {
  void (*drive)(void *ctx, int body, double t, carom_pose *pose); // of bodies that are not moved
  /// Forces and torques along the axes of space in the middle of the step, with the means of the
  /// velocities before and after it; NULL: none.
  void (*push)(void *ctx, double (*forces)[6]);
  void *ctx;
  bool driven, by_velocity; // some bodies are moved as time says; forces depend on velocities
  double (*forces)[6];      // of every body
} carom_world_outside;

/// Room of sleep.c.
typedef struct carom_world_nap {
  int *parent; // islands
  bool *held;  // it touches something or is joined to it
} carom_world_nap;

typedef struct carom_world {
  carom_arena *arena;
  carom_world_settings set;
  int count;
  carom_solid *solids;
  int bond_count, row_count;
  carom_bond *bonds;
  carom_row *rows;
  int touch_count, touch_room, old_count, old_room;
  carom_touch *touches, *old; // of this step and of the one before
  carom_grid grid;
  carom_world_nap nap;
  struct carom_whole *whole; // room of whole.c
  struct carom_acceleration *acceleration;
  carom_world_ledger ledger;
  bool out_of_memory;
  double start;
  carom_world_outside outside;
  int overlap[2]; // bodies that overlap at the start, deeper than `deep`
  double deep;
} carom_world;

// world.c
/// Turn and inverse inertia of a solid whose place is `x` and which has turned on by `h`.
void carom_solid_pose(carom_solid *solid, bool space, double h);
/// Moves a solid on for `h` with velocity v and spin about its axes.
void carom_solid_move(carom_solid *solid, bool space, double h, const double v[3],
                      const double spin[3]);
/// Its quaternion when it has turned on by `h`.
void carom_solid_turned(const carom_solid *solid, double h, double e[4]);
double carom_world_kinetic(const carom_world *world);
/// Of gravity, and of springs as they were measured last.
double carom_world_potential(const carom_world *world);
/// Prepares what follows from shapes and masses; once all solids are set.
bool carom_world_begin(carom_world *world);
/// Notes that memory has ended, which a run is told at the end of its step; false.
bool carom_world_no_memory(carom_world *world);
/// There are so many contacts, which the caller fills in.
bool carom_world_expect(carom_world *world, int touches);

// grid.c
bool carom_grid_create(carom_world *world);
/// Finds all contacts at the places in the middle of the step.
void carom_world_find(carom_world *world);

// touch_plane.c, touch_space.c
/// Adds the contacts of a pair of bodies (round and hulls among each other).
void carom_touch_in_plane(carom_world *world, int law, int a, int b);
void carom_touch_in_space(carom_world *world, int law, int a, int b);

// touch_line.c
/// Two capsules; the side of a capsule at a polygon's corners, or at corners and edges of a box.
void carom_touch_lines(carom_world *world, int law, int a, int b);
void carom_touch_line_at_hull(carom_world *world, int law, int a, int b);

/// Edges that lie above each other to this part of a body's size are flush: the corner stands
/// there, and nothing is cut. Else rounding would say now that there are four points and now six.
#define CAROM_TOUCH_FLUSH 1e-8

// touch_pair.c
/// Adds a contact at `point` with the unit normal from b to a, if it is closed or may cling.
void carom_touch_add(carom_world *world, int law, int a, int b, uint32_t feature,
                     const double point[3], const double normal[3], double gap);
/// Whether it is closed only if it bore something in the step before.
bool carom_touch_clings(const carom_world *world, const carom_touch *t);
/// A pair of any shapes.
void carom_touch_pair(carom_world *world, int law, int a, int b);
/// Two balls, and the nearest point of a segment.
void carom_touch_balls(carom_world *world, int law, int a, int b, uint32_t feature,
                       const double ca[3], double ra, const double cb[3], double rb);
void carom_nearest_on_segment(const double p[3], const double a[3], const double b[3],
                              double nearest[3]);

// joints.c
void carom_bonds_begin(carom_world *world);
/// Rows of all joints in the middle of the step.
void carom_bonds_rows(carom_world *world);
/// Brings positions back onto the joints, and measures springs there.
void carom_bonds_project(carom_world *world);
double carom_bonds_potential(const carom_world *world);
/// Measures springs where the bodies are; once their state has been set.
void carom_bonds_measure(carom_world *world);

// solve.c
/// Impulses of all contacts and joints; velocities of the solids are those after the step then.
void carom_world_solve(carom_world *world);
/// How far velocities are from the laws of contacts and joints.
double carom_world_misfit(const carom_world *world);
/// Euler's equations and forces with the velocities that impulses have left; returns the largest
/// change of velocity.
double carom_world_push(carom_world *world); // step.c
/// What velocities of a step are compared with.
double carom_world_scale(const carom_world *world);
/// Did the contact come in faster than gravity alone would bring it?
bool carom_touch_strikes(const carom_world *world, const carom_touch *touch);
/// The relative velocity along an axis of a contact, and other impulses at it.
double carom_touch_speed(const carom_world *world, const carom_touch *touch, int k);
void carom_touch_set(carom_world *world, carom_touch *touch, const double *p, int count);
double carom_row_speed(const carom_world *world, const carom_row *row);
void carom_row_set(carom_world *world, carom_row *row, double p);

// accelerate.c
struct carom_acceleration *carom_accelerate_create(carom_arena *arena); // NULL: out of memory
/// Sweeps begin, from the impulses of now; false: out of memory.
bool carom_accelerate_begin(carom_world *world);
/// After a sweep forth and back: better impulses than those it left, if it can.
void carom_accelerate(carom_world *world);

// whole.c
bool carom_whole_create(carom_world *world);
/// What a step of Newton's method over all contacts and joints costs, in products of blocks of
/// bodies; HUGE_VAL: out of memory, which is noted.
double carom_whole_cost(carom_world *world);
/// Impulses of all contacts and joints at once, from those of now; once the cost has been asked
/// for. Returns the misfit, which is no larger than it was.
double carom_world_whole(carom_world *world, double enough);

// sleep.c
/// Whether it may touch others: it moves and is awake, or time moves it.
bool carom_solid_stirs(const carom_solid *solid);
/// Puts islands to sleep that have been calm for long enough; at the end of a step.
void carom_world_doze(carom_world *world);
/// Wakes islands that are touched in this step, which begins for them now; whether there were any.
bool carom_world_rouse(carom_world *world);
/// Wakes islands on which forces have changed.
void carom_world_rouse_pushed(carom_world *world);

// step.c
/// The middle of the step, and velocities that it would end with if nothing touched.
void carom_solid_begin(const carom_world *world, carom_solid *solid);
/// Puts the bodies that do not move by themselves where they are at t.
void carom_world_drive(carom_world *world, double t);
double carom_world_time(const carom_world *world);
void carom_world_step(carom_world *world);

#endif
