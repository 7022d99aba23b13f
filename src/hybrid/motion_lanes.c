// SPDX-License-Identifier: MIT
/// Motions of one model side by side. Each has its own time, step, events and modes, and takes its
/// steps as it would alone; what they share is the evaluation of their Taylor series, which for one
/// motion is a long chain of results that wait for each other, and for four the same chain in
/// vector registers. The bits are those of each motion alone.
#include "hybrid/hybrid.h"

#include "base/wide.h"

enum { LANES = CAROM_LANES };

struct carom_motion_lanes {
  carom_program_lanes_code *code;
  int registers, states, outputs;
  double *work, *state, *value; // elements of four numbers
  double *spare;                // for coefficients that nobody wants
  const carom_hybrid *motion[LANES];
  long configuration[LANES]; // of the motion, when its parameters were copied
};

static carom_program_lanes_code *code_of(const carom_hybrid_model *model) {
  const carom_program *program = model->free_series.program;
  return program ? carom_program_native_lanes(program) : NULL;
}

int carom_hybrid_lanes(const carom_model *model) { return code_of(model->prepared) ? LANES : 1; }

// rooms for the four, kept by the first of them; NULL where there is no code, or no memory
static carom_motion_lanes *lanes_of(carom_hybrid *leader) {
  const carom_phase_series *series = &leader->model->free_series;
  carom_program_lanes_code *code = code_of(leader->model);
  if (!code || leader->lanes) return leader->lanes;
  carom_arena *arena = leader->simulation->arena;
  carom_motion_lanes *made = carom_arena_take(arena, sizeof *made);
  if (!made) return NULL;
  *made = (carom_motion_lanes){.code = code,
                               .registers = carom_program_registers(series->program),
                               .states = leader->model->dynamics->size,
                               .outputs = series->degree * (leader->size + series->functions)};
  size_t number = LANES * sizeof(double);
  // whole blocks of four outputs are read
  made->work = carom_arena_array(arena, (size_t)made->registers, number);
  made->state = carom_arena_array(arena, (size_t)made->states, number);
  made->value = carom_arena_array(arena, (size_t)made->outputs + LANES, number);
  made->spare = carom_arena_array(arena, (size_t)made->outputs + LANES, sizeof(double));
  if (!made->work || !made->state || !made->value || !made->spare) return NULL;
  return leader->lanes = made;
}

// will the next step of this motion be one by the series of free motion?
static bool flies(const carom_hybrid *it) {
  return it->contact.closed == 0 && !it->tangent && !it->run.loose;
}

static void take_parameters(carom_motion_lanes *lanes, int lane, carom_hybrid *it) {
  if (lanes->motion[lane] == it && lanes->configuration[lane] == it->configuration) return;
  lanes->motion[lane] = it;
  lanes->configuration[lane] = it->configuration;
  carom_phase_series_configure(&it->model->free_series, &it->free_series, it);
  for (int k = 0; k < lanes->registers; k++)
    lanes->work[k * LANES + lane] = it->free_series.registers[k];
}

static void take_state(carom_motion_lanes *lanes, int lane, carom_hybrid *it) {
  take_parameters(lanes, lane, it);
  lanes->work[lane] = it->stepper.t;
  for (int k = 0; k < lanes->states; k++)
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

// The series of all motions that fly, so that their steppers find them made. One alone is quicker
// by itself.
static void make_series(carom_motion_lanes *lanes, carom_hybrid *const *motions, int count) {
  double *to[LANES] = {lanes->spare, lanes->spare, lanes->spare, lanes->spare};
  int flying = 0;
  for (int lane = 0; lane < count; lane++)
    flying += motions[lane] && flies(motions[lane]);
  if (flying < 2) return;
  for (int lane = 0; lane < count; lane++) {
    carom_hybrid *it = motions[lane];
    if (!it || !flies(it)) continue;
    take_state(lanes, lane, it);
    to[lane] = it->stepper.taylor + it->size; // behind the values themselves
  }
  lanes->code(lanes->work, lanes->state, lanes->value);
  hand_out(lanes->value, lanes->outputs, to);
  for (int lane = 0; lane < count; lane++)
    if (to[lane] != lanes->spare)
      motions[lane]->stepper.series_ready = lanes->value[lanes->outputs * LANES + lane] == 0.0;
}

// motions[k] becomes NULL when it has arrived
static void advance_group(carom_simulation *const *simulations, int count, const double *t_end,
                          carom_status *statuses, carom_error *errors) {
  carom_hybrid *motions[LANES];
  carom_advance ways[LANES];
  int left = count;
  for (int k = 0; k < count; k++) {
    motions[k] = simulations[k]->state;
    ways[k] = carom_hybrid_advance_begin(motions[k], t_end[k], false);
  }
  carom_motion_lanes *lanes = lanes_of(motions[0]);
  while (left > 0) {
    if (lanes && left > 1) make_series(lanes, motions, count);
    for (int k = 0; k < count; k++) {
      carom_hybrid *it = motions[k];
      if (!it) continue;
      if (carom_hybrid_advance_more(it, &ways[k])) {
        carom_hybrid_advance_step(it, &ways[k], &errors[k]);
        it->stepper.series_ready = false;
        continue;
      }
      statuses[k] = carom_hybrid_advance_end(it, &ways[k]);
      motions[k] = NULL;
      left--;
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
