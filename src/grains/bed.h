// SPDX-License-Identifier: MIT
/// A bed of rods: many spherocylinders with soft contacts between themselves and with walls. This
/// is the moving part of the engine `grains`; it knows nothing of scenarios.
///
/// A rod is the set of points within `radius` of a segment of half length `half`; a sphere has
/// half = 0. Flat ends are not modelled. It has a centre x, an axis u, a velocity v and an angular
/// velocity w (all three components, spin about the axis included). Memory is structure of arrays:
/// component c of the centre of rod i is x[c][i]. Rods are sorted in memory from time to time;
/// id[i] is the number under which the caller knows rod i.
#ifndef CAROM_GRAINS_BED_H
#define CAROM_GRAINS_BED_H

#include "base/arena.h"
#include "grains/law.h"

#include <stdatomic.h>
#include <stdint.h>

enum {
  CAROM_BED_MAX_WALLS = 16,
  CAROM_BED_MAX_SPECIES = 16,
  CAROM_BED_PHASES = 24,
  CAROM_BED_FLIGHTS = 8
};
/// How far bodies of a settled start may overlap, in parts of the radius.
#define CAROM_BED_ALLOWED 0.02
/// Rods are shared out to threads in chunks of this many, whatever the number of threads.
enum { CAROM_BED_CHUNK = 256 };

/// Rods of one kind.
typedef struct carom_bed_species {
  int count;
  double diameter, length; // total length, caps included; length = diameter is a sphere [m]
  double mass;             // kg
  double across, along;    // moments of inertia about the centre [kg m^2]
} carom_bed_species;

/// Mass and inertia of a uniform spherocylinder.
carom_bed_species carom_bed_species_uniform(int count, double diameter, double length,
                                            double density);

typedef enum carom_wall_kind {
  CAROM_WALL_PLANE,   // normal . x >= at
  CAROM_WALL_INSIDE,  // rods inside an upright cylinder of radius `at` about (centre)
  CAROM_WALL_OUTSIDE, // rods outside of one
} carom_wall_kind;

typedef struct carom_bed_wall {
  const char *name;
  carom_wall_kind kind;
  double normal[3]; // of a plane, unit, into the bed
  double at;        // m
  double centre[2]; // of a cylinder
  bool driven;      // moves along z with the drive
  bool strikes;     // collisions with it are counted and measured
  carom_grain_law law;
  const carom_grain_law *laws; // [species_count] by kind of rod, of the same form; NULL: `law`
} carom_bed_wall;

/// Position and velocity along z of the driven walls at time t.
typedef void (*carom_bed_drive)(void *ctx, double t, double *z, double *rate);

/// What a bed is made of; constant while it moves.
typedef struct carom_bed_settings {
  int species_count, wall_count;
  carom_bed_species species[CAROM_BED_MAX_SPECIES];
  carom_bed_wall walls[CAROM_BED_MAX_WALLS];
  carom_grain_law law;         // between rods
  const carom_grain_law *laws; // [species_count^2] by kinds of both, of one form; NULL: `law`
  double gravity[3];           // m/s^2
  double periodic[3];          // length of the period in each direction; 0: open
  double step;                 // s
  double skin;           // m; how far apart rods are still remembered as neighbours; 0: chosen
  double start;          // time at the start [s]
  int threads;           // that share the work; results do not depend on it; 0: one
  bool leapfrog;         // damping sees the velocity half a step back; else velocity Verlet
  bool no_spin;          // rods do not turn about their own axis (five freedoms)
  bool plane;            // motion in the x-z plane
  double period;         // of the drive, for the phases of strikes; 0: unknown
  carom_bed_drive drive; // NULL: at rest
  void *drive_ctx;
} carom_bed_settings;

carom_bed_settings carom_bed_settings_default(void);

/// How far bodies have come since the last search for neighbours: [a], [b] of the two bodies of a
/// candidate. No two ways of a list together have grown by more than `step` in the last step;
/// candidates that may touch within `ahead` of such growth are kept at hand.
typedef struct carom_bed_ways {
  const double *a, *b;
  double step, ahead;
} carom_bed_ways;

/// A candidate for contact: a pair of rods (a < b), or a rod and a wall (b: which point of the
/// axis, see CAROM_END_*).
typedef struct carom_touch {
  float wake; // apart: not touching before the ways of both together reach this; 0: touches
  int a, b;
} carom_touch;

/// A wake in single precision: not above it.
static inline float carom_touch_wake(double wake) { return (float)(wake * (1.0 - 1e-7)); }

/// A candidate whose forces are computed, side by side with what that needs: contacts have a root
/// in their past.
typedef struct carom_touch_hot {
  double past[4]; // tangential spring of v_a - v_b [m]; sqrt of the overlap, < 0: slides, 0: apart
  int a, b, at;   // `at`: which candidate it is
} carom_touch_hot;

/// Candidates that may touch soon, column by column: they are looked through in every step. Columns
/// end a little later, so that lanes can be read at once.
typedef struct carom_touch_soon {
  int *at, *a, *b;
  float *wake;
} carom_touch_soon;

/// Candidates of pairs, or of rods with one wall.
typedef struct carom_touch_list {
  int count, capacity;
  carom_touch *each;
  int hot_count, hot_room;
  carom_touch_hot *hot; // in the order of the list
  double travel;        // grows in each step by what no two bodies of the list come nearer by [m]
  int soon_count;
  carom_touch_soon soon; // those that may wake before `travel` reaches the horizon, in any order
  double horizon, next_wake; // of travel: none wakes before the latter
} carom_touch_list;
enum { CAROM_END_UPPER = 0, CAROM_END_LOWER = 1, CAROM_END_NEAREST = 2 };

/// Collisions with walls that count strikes, over the time since the last clearing.
typedef struct carom_strike_sums {
  long count, begun, flights; // strikes ended, begun; flights ended
  double before[3], after[3]; // sums of v_x, v_z, w_y, of those begun and of those ended
  double plate;               // sum of the wall's velocity
  double flight;              // sum of flight times [s]
  long phases[CAROM_BED_PHASES];
  long lengths[CAROM_BED_FLIGHTS]; // of flights, in half periods of the drive
} carom_strike_sums;

/// What went wrong in a step, and between whom.
typedef struct carom_bed_trouble {
  bool yes;
  int a, b;     // ids; b < 0: wall -1 - b
  double depth; // m
} carom_bed_trouble;

/// What one evaluation of forces adds up.
typedef struct carom_bed_sums {
  double lost_normal, taken_tangent, work_drive; // powers [W]
  double deepest;                                // m
  long tests, contacts;
  bool struck; // something is in `strikes`
  carom_strike_sums strikes;
  carom_bed_trouble trouble;
  bool no_memory;
} carom_bed_sums;

/// Pairs of a chunk whose second rods are in the chunk `to`: where they begin in the list, and
/// which part of the chunk's mail they fill.
typedef struct carom_bed_leg {
  int to, from, mail, mail_end;
} carom_bed_leg;

/// What a chunk sends to later ones.
typedef struct carom_bed_mail {
  int own; // contacts before this one are with rods of the chunk itself, all others are sent
  int room, *to;
  double (*push)[8]; // force and torque, as in `push` of a chunk
} carom_bed_mail;

/// Rods [first, end) and their candidates. What a chunk does to rods of a later chunk it puts into
/// its mail; the later chunk adds its mail up in the order of senders, so sums are always taken in
/// one order.
typedef struct carom_bed_chunk {
  int first, end;
  double thin;             // radius of the thinnest rod
  double (*push)[8];       // [end - first] force, 0, torque, 0 of the last evaluation
  carom_touch_list *lists; // [1 + walls]: pairs, in the order of their legs; then each wall
  int leg_count, leg_room;
  carom_bed_leg *legs;
  carom_bed_mail mail;
  int sender_count, sender_room, (*senders)[2]; // chunk and leg of what is sent here
  atomic_int awaited;     // of the chunk itself and its senders, who has not looked at its rods yet
  int *awake, awake_room; // pairs to test
  double fastest, farthest; // largest speed of a point of an axis, longest way
  carom_bed_sums sums;
} carom_bed_chunk;

/// Constants of a kind of rod: 1/mass, 1/inertia across and along, along over across; into how
/// many pieces the search cuts it.
typedef struct carom_bed_kind {
  double half, radius, im, ii, ia, gyro;
  int pieces;
} carom_bed_kind;

struct carom_pool;
struct carom_bed_kernels;

/// Which rod is where: rods are sorted by place now and then.
typedef struct carom_bed_order {
  int *image[3];   // whole periods to add to x
  int *id, *place; // id of rod i; where the rod of an id is
} carom_bed_order;

/// How far things have moved since the last search for neighbours.
typedef struct carom_bed_reach {
  double *way;    // [n] bound of what any point of the axis has moved [m]
  double skin;    // what may be moved before the next search
  double fastest; // largest speed of a point of an axis in the last drift
} carom_bed_reach;

/// Contacts remembered through a search.
typedef struct carom_bed_kept {
  carom_touch_hot *touches;
  int room;
} carom_bed_kept;

/// Driven walls.
typedef struct carom_bed_driven {
  double z, rate;
  double way[3]; // moved since the last search, for each end of rods
  double step;   // what they moved by in the last step [m]
} carom_bed_driven;

/// Energy since the start [J], and the largest overlap seen [m].
typedef struct carom_bed_ledger {
  double lost_normal, taken_tangent, work_drive, deepest;
} carom_bed_ledger;

/// Strikes, where a wall counts them.
typedef struct carom_bed_striking {
  unsigned char *touching; // [n] ends that touch
  uint32_t *released;      // [n] the step of the last release, 0: none yet; round after 2^32
  carom_strike_sums strikes;
} carom_bed_striking;

typedef struct carom_bed_counts {
  long steps, searches;
  long tests, contacts; // looked at and touching in the last step
  long all_tests;       // looked at in all steps
} carom_bed_counts;

typedef struct carom_bed_condition {
  bool begun;     // forces are known: not before the first, nor after memory ran out
  bool exact;     // starts from numbers of a bed: what rounding did to them stays
  bool no_memory; // in the last forces
  carom_bed_trouble trouble;
} carom_bed_condition;

typedef struct carom_bed {
  const carom_bed_settings *settings;
  carom_arena *arena;
  const struct carom_bed_kernels *kernels;
  int n;
  double *x[3], *u[3], *v[3], *w[3];  // motion
  double (*push)[8];                  // force, 0, torque, 0 where they are kept
  double (*pads)[CAROM_BED_CHUNK][8]; // [threads] pushes that are used at once; NULL: one chunk
  double (*seen)[12];                 // x, u and the velocities v, w that forces see
  unsigned char *kind;                // species
  carom_bed_kind kinds[CAROM_BED_MAX_SPECIES];
  carom_bed_order order;
  int chunk_count;
  carom_bed_chunk *chunks;
  carom_bed_kept kept;
  struct carom_pool *pool; // while several threads are at work
  carom_bed_reach reach;
  carom_bed_driven wall;
  carom_bed_ledger ledger;
  carom_bed_striking striking;
  carom_bed_counts counts;
  carom_bed_condition condition;
  struct carom_bed_search *search; // workspace of the search for neighbours
} carom_bed;

static inline const carom_bed_kind *carom_bed_kind_of(const carom_bed *bed, int i) {
  return &bed->kinds[bed->kind[i]];
}

/// Asks memory for what forces will see of rod i.
static inline void carom_bed_fetch(const carom_bed *bed, int i) {
  __builtin_prefetch(bed->seen[i]);
  __builtin_prefetch(bed->seen[i] + 8);
}

/// An empty bed at time settings->start: rods lie at the origin along z; the caller places them
/// through x, u, v, w and then calls carom_bed_begin. All memory is the arena's; NULL: out of
/// memory.
carom_bed *carom_bed_create(carom_arena *arena, const carom_bed_settings *settings);

/// Refuses impossible rods and contacts, and steps too large for them, with the value that would
/// work.
carom_status carom_bed_check(const carom_bed_settings *settings, carom_error *error);
/// The first direction whose period is too short for the longest rods and the skin, told in
/// `error`; or -1.
int carom_bed_short_period(const carom_bed_settings *settings, carom_error *error);
/// The first wall that stands across a period without closing the bed, or that would push rods out
/// of the plane they move in, told in `error`; or -1.
int carom_bed_wrong_wall(const carom_bed_settings *settings, carom_error *error);

/// After placing: normalises axes, finds neighbours and first forces. Refuses overlaps, rods
/// outside walls and steps too large, with the value that would work; `trouble` then has the rods.
carom_status carom_bed_begin(carom_bed *bed, carom_error *error);

/// Advances by `steps` steps. CAROM_ERR_STEP when two bodies went through each other: the message
/// names them, and rods are left on their way into the next step. Out of memory, the bed has to
/// begin again; so it has when its state could not be restored.
carom_status carom_bed_advance(carom_bed *bed, long steps, carom_error *error);

double carom_bed_time(const carom_bed *bed);
/// A coordinate along direction c, brought into the first period where there is one.
double carom_bed_in_period(const carom_bed *bed, int c, double x);

/// Energies [J]: kinetic (of translation, of rotation), of gravity, of normal and tangential
/// springs.
typedef struct carom_bed_energy {
  double translation, rotation, gravity, normal, tangent;
  double along[3], spin; // shares: of translation along x, y, z; of rotation about the own axis
} carom_bed_energy;
carom_bed_energy carom_bed_energies(const carom_bed *bed);
/// Those of rod i alone, without springs.
carom_bed_energy carom_bed_rod_energies(const carom_bed *bed, int i);

/// Contacts between rods, and with walls, at the last step.
long carom_bed_count_pairs(const carom_bed *bed);
long carom_bed_count_walls(const carom_bed *bed);

/// The largest step that all contact laws of the settings allow [s].
double carom_bed_largest_step(const carom_bed_settings *settings);

/// Bytes that one rod needs beside its contacts.
size_t carom_bed_rod_bytes(const carom_bed *bed);

// ---- inside the room

/// Looks for neighbours again; false when out of memory. Histories of contacts are kept.
bool carom_bed_search_neighbours(carom_bed *bed);
/// Bytes of what the search works with, lists of pairs left out.
size_t carom_bed_search_bytes(const carom_bed *bed);
/// Makes room for all candidates of a list to wake at once.
bool carom_bed_make_awake_room(carom_bed *bed, carom_bed_chunk *chunk);
/// Is the motion of rod i told in numbers?
bool carom_bed_is_finite(const carom_bed *bed, int i);
/// Finds legs and senders from the lists of pairs.
bool carom_bed_link_chunks(carom_bed *bed);
/// Copies positions and velocities to where forces look.
void carom_bed_show_motion(carom_bed *bed);
/// Forces and torques of the present positions and seen velocities.
void carom_bed_forces(carom_bed *bed);
/// Its two parts, for one chunk each: all contacts; then mail from other chunks.
void carom_bed_touch_chunk(carom_bed *bed, carom_bed_chunk *chunk);
void carom_bed_read_mail(carom_bed *bed, const carom_bed_chunk *chunk);
/// Adds up what chunks summed, in their order.
void carom_bed_collect_sums(carom_bed *bed);
void carom_bed_touch_pairs(carom_bed *bed, carom_bed_chunk *chunk);
void carom_bed_touch_wall(carom_bed *bed, carom_bed_chunk *chunk, int which);
void carom_bed_place_walls(carom_bed *bed);
/// Nearest distance of the surfaces of rods i and j, negative when they overlap.
double carom_bed_gap(const carom_bed *bed, int i, int j);
/// Of rod i and a wall, for the point of the axis `end`.
double carom_bed_wall_gap(const carom_bed *bed, int i, const carom_bed_wall *wall, int end);
/// The ways of the rods of a chunk and walls.
carom_bed_ways carom_bed_ways_of_walls(const carom_bed *bed, const carom_bed_chunk *chunk);
/// Memory for `count` things, which any thread may ask for; NULL: none left.
void *carom_bed_array(carom_bed *bed, int count, size_t size);
/// Makes room for `room` candidates, or for so many hot ones.
bool carom_touch_list_reserve(carom_bed *bed, carom_touch_list *list, int room);
bool carom_touch_list_reserve_hot(carom_bed *bed, carom_touch_list *list, int room);
/// Has no candidates any more.
void carom_touch_list_clear(carom_touch_list *list);
/// A new candidate; with a past it is hot.
void carom_touch_list_append(carom_touch_list *list, int a, int b, double wake, const double *past);
/// Forgets who may touch soon, after wakes were changed from outside.
void carom_touch_list_stir(carom_touch_list *list);
/// Puts those that sleep no longer into `found` and returns their number; each must be settled, for
/// which there must be room among the hot ones.
int carom_touch_list_rouse(const carom_bed *bed, carom_touch_list *list, const carom_bed_ways *ways,
                           int *found);
/// Candidate k is hot, or sleeps again, as its new wake says.
void carom_touch_list_settle(carom_touch_list *list, const carom_bed_ways *ways, int k);
/// Candidate k is hot no more.
void carom_touch_list_cool(carom_touch_list *list, const carom_bed_ways *ways, int k);
/// How many of the hot ones come before candidate k.
int carom_touch_list_rank(const carom_touch_list *list, int k);

#endif
