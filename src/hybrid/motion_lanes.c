// SPDX-License-Identifier: MIT
/// Motions of one model side by side. Each has its own time, step, events and modes, and takes its
/// steps as it would alone; what those in the same phase share is the evaluation of their Taylor
/// series, which for one motion is a long chain of results that wait for each other, and for four
/// the same chain in vector registers. The bits are those of each motion alone, so that it does not
/// matter who goes first: motions wait for others to come into their phase.
#include "hybrid/hybrid.h"

#include "base/wide.h"

enum { LANES = CAROM_LANES };

/// Where the series of one phase is evaluated for all motions that are in it.
typedef struct lane_room {
  const carom_phase_series *series;
  int wishes; // how often several motions were in the phase together
  bool tried; // to have code and memory
  carom_program_lanes_code *code;
  int registers, outputs;
  double *work, *value; // elements of four numbers
  const carom_hybrid *motion[LANES];
  long configuration[LANES]; // of the motion, when its parameters were copied
} lane_room;

enum { ROOMS = 8, WISHES = 16 }; // code is written for phases that are seen more often than that

struct carom_motion_lanes {
  lane_room rooms[ROOMS];
  int count;
  double *state; // elements of four numbers
  double *spare; // for coefficients that nobody wants
};

int carom_hybrid_lanes(const carom_model *model) {
  const carom_hybrid_model *prepared = model->prepared;
  const carom_program *program = prepared->free_series.program;
  return program && carom_program_has_lanes(program) ? LANES : 1;
}

static int outputs_of(const carom_hybrid *it, const carom_phase_series *series) {
  return series->degree * (it->size + series->functions);
}

// what the four share, kept by the first of them; NULL where there is no memory
static carom_motion_lanes *lanes_of(carom_hybrid *leader) {
  if (leader->clients.lanes) return leader->clients.lanes;
  carom_arena *arena = leader->simulation->arena;
  carom_motion_lanes *made = carom_arena_take(arena, sizeof *made);
  if (!made) return NULL;
  *made = (carom_motion_lanes){0};
  size_t states = (size_t)leader->model->dynamics->size;
  // whole blocks of four outputs are read
  size_t outputs =
      (size_t)(CAROM_SERIES_DEGREE * leader->size + carom_phase_series_room(leader->model) + LANES);
  made->state = carom_arena_array(arena, states, LANES * sizeof *made->state);
  made->spare = carom_arena_array(arena, outputs, sizeof *made->spare);
  return leader->clients.lanes = made->state && made->spare ? made : NULL;
}

// code and memory for a phase; it has none where that is not to be had
static void furnish_room(lane_room *room, carom_hybrid *leader) {
  carom_arena *arena = leader->simulation->arena;
  size_t number = LANES * sizeof(double);
  room->tried = true;
  room->registers = carom_program_registers(room->series->program);
  room->outputs = outputs_of(leader, room->series);
  room->work = carom_arena_array(arena, (size_t)room->registers, number);
  room->value = carom_arena_array(arena, (size_t)room->outputs + LANES, number);
  if (room->work && room->value)
    room->code = carom_program_native_lanes(arena, room->series->program);
}

// the room of a phase, once it is known to come up; NULL: motions in it go one by one
static lane_room *room_of(carom_motion_lanes *lanes, carom_hybrid *leader,
                          const carom_phase_series *series) {
  int k = 0;
  while (k < lanes->count && lanes->rooms[k].series != series)
    k++;
  if (k == ROOMS) return NULL;
  lane_room *room = &lanes->rooms[k];
  if (k == lanes->count) {
    *room = (lane_room){.series = series};
    lanes->count++;
  }
  if (!room->tried && ++room->wishes > WISHES) furnish_room(room, leader);
  return room->code ? room : NULL;
}

// the series that the next step of this motion will be made by, or NULL
static const carom_phase_series *phase_of(const carom_hybrid *it) {
  return it->clients.tangent || it->run.loose ? NULL : carom_phase_series_now(it);
}

static void take_parameters(lane_room *room, int lane, carom_hybrid *it) {
  if (room->motion[lane] == it && room->configuration[lane] == it->configuration) return;
  room->motion[lane] = it;
  room->configuration[lane] = it->configuration;
  carom_phase_work *work = carom_phase_work_now(it);
  carom_phase_series_configure(room->series, work, it);
  for (int k = 0; k < room->registers; k++)
    room->work[k * LANES + lane] = work->registers[k];
}

static void take_state(carom_motion_lanes *lanes, lane_room *room, int lane, carom_hybrid *it) {
  take_parameters(room, lane, it);
  room->work[lane] = it->stepper.t;
  for (int k = 0; k < it->model->dynamics->size; k++)
    lanes->state[k * LANES + lane] = it->stepper.y[k];
}

typedef struct block {
  carom_v4 row[LANES];
} block;

CAROM_INLINE block transpose(block b) {
  carom_v4 a0 = __builtin_shufflevector(b.row[0], b.row[1], 0, 4, 2, 6);
  carom_v4 a1 = __builtin_shufflevector(b.row[0], b.row[1], 1, 5, 3, 7);
  carom_v4 a2 = __builtin_shufflevector(b.row[2], b.row[3], 0, 4, 2, 6);
  carom_v4 a3 = __builtin_shufflevector(b.row[2], b.row[3], 1, 5, 3, 7);
  return (block){
      {__builtin_shufflevector(a0, a2, 0, 1, 4, 5), __builtin_shufflevector(a1, a3, 0, 1, 4, 5),
       __builtin_shufflevector(a0, a2, 2, 3, 6, 7), __builtin_shufflevector(a1, a3, 2, 3, 6, 7)}};
}

CAROM_INLINE void form_blocks(const double *value, int count, double *const to[LANES]) {
  for (int k = 0; k < count; k += LANES) {
    block b;
    for (int j = 0; j < LANES; j++)
      b.row[j] = v4_load(value + (k + j) * LANES);
    b = transpose(b);
    for (int lane = 0; lane < LANES; lane++)
      v4_store(to[lane] + k, b.row[lane]);
  }
}

// the coefficients to where each stepper keeps its own, which are padded
CAROM_WITH_AVX2 static void hand_out(const double *value, int count, double *const to[LANES]) {
  form_blocks(value, count, to);
}

// The series of the motions marked, so that their steppers find them made.
static void make_series(carom_motion_lanes *lanes, lane_room *room, carom_hybrid *const *motions,
                        const bool *marked) {
  double *to[LANES] = {lanes->spare, lanes->spare, lanes->spare, lanes->spare};
  for (int lane = 0; lane < LANES; lane++) {
    carom_hybrid *it = motions[lane];
    if (!marked[lane] || !carom_phase_series_safe(it)) continue;
    take_state(lanes, room, lane, it);
    to[lane] = it->stepper.expansion.coefficients + it->size; // behind the values themselves
  }
  room->code(room->work, lanes->state, room->value);
  hand_out(room->value, room->outputs, to);
  for (int lane = 0; lane < LANES; lane++)
    if (to[lane] != lanes->spare)
      motions[lane]->stepper.expansion.ready = room->value[room->outputs * LANES + lane] == 0.0;
}

// Marks the motions of the phase that most are in, which is returned; NULL where each is in one of
// its own.
static const carom_phase_series *find_largest(carom_hybrid *const *motions, bool *marked) {
  const carom_phase_series *phases[LANES], *largest = NULL;
  int most = 1;
  for (int k = 0; k < LANES; k++)
    phases[k] = motions[k] ? phase_of(motions[k]) : NULL;
  for (int k = 0; k < LANES; k++) {
    int same = 0;
    for (int j = k; j < LANES && phases[k]; j++)
      same += phases[j] == phases[k];
    if (same <= most) continue;
    most = same;
    largest = phases[k];
  }
  for (int k = 0; k < LANES; k++)
    marked[k] = largest ? phases[k] == largest : motions[k] != NULL;
  return largest;
}

// Motions that have arrived leave: motions[k] becomes NULL. Returns how many are left.
static int dismiss_arrived(carom_hybrid **motions, const carom_advance *ways,
                           carom_status *statuses) {
  int left = 0;
  for (int k = 0; k < LANES; k++) {
    if (!motions[k]) continue;
    if (carom_hybrid_advance_more(motions[k], &ways[k])) {
      left++;
      continue;
    }
    statuses[k] = carom_hybrid_advance_end(motions[k], &ways[k]);
    motions[k] = NULL;
  }
  return left;
}

static void advance_group(carom_simulation *const *simulations, int count, const double *t_end,
                          carom_status *statuses, carom_error *errors) {
  carom_hybrid *motions[LANES] = {NULL}, *leader = simulations[0]->state;
  carom_advance ways[LANES];
  for (int k = 0; k < count; k++) {
    motions[k] = simulations[k]->state;
    ways[k] = carom_hybrid_advance_begin(motions[k], t_end[k], false);
    if (ways[k].status != CAROM_OK) errors[k] = motions[k]->fitting.misfit;
  }
  carom_motion_lanes *lanes = lanes_of(leader);
  for (int moving; (moving = dismiss_arrived(motions, ways, statuses)) > 0;) {
    bool marked[LANES] = {true, true, true, true};
    const carom_phase_series *phase = lanes && moving > 1 ? find_largest(motions, marked) : NULL;
    lane_room *room = phase ? room_of(lanes, leader, phase) : NULL;
    if (room) make_series(lanes, room, motions, marked);
    for (int k = 0; k < LANES; k++) {
      if (!motions[k] || !marked[k]) continue;
      carom_hybrid_advance_step(motions[k], &ways[k], &errors[k]);
      motions[k]->stepper.expansion.ready = false;
    }
  }
}

void carom_hybrid_advance_together(carom_simulation *const *simulations, int count,
                                   const double *t_end, carom_status *statuses,
                                   carom_error *errors) {
  for (int first = 0; first < count; first += LANES) {
    int some = count - first < LANES ? count - first : LANES;
    advance_group(simulations + first, some, t_end + first, statuses + first, errors + first);
  }
}
