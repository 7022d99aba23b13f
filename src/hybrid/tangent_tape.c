// SPDX-License-Identifier: MIT
/// The tape of a motion: what its derivative is made of, part by part, so that rows can be brought
/// back from its end to its start. That costs the same whatever the number of inputs. Steps by
/// series are kept as the series of their Jacobians, those by Runge-Kutta as Jacobians at their
/// stages, with the entries that are not zero; instants as matrices. An impact has the less digits
/// along the directions of single states the slower it is, for they soon leave it: from one slow
/// impact to the next the matrix is carried along, whose columns are neighbours that stay near.
#include "hybrid/tangent.h"

#include "ode/stepper_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SLOW = 1e-4; // of the largest state: the speed of an impact

/// One piece of the motion.
typedef struct piece {
  carom_variation_part part; // row NULL: a matrix
  double *numbers;           // coefficients, slopes or the matrix
  int *names;                // rows and columns, where they are its own
} piece;

struct carom_tape {
  int size; // of the state
  long count, room;
  size_t bytes, most; // kept; 0: no limit
  bool carries;       // the last impact was slow
  bool full;          // there is no memory
  piece *pieces;
  double *column; // the neighbour that steps are divided for [size], and where it is led
};

// room for a piece of `count` numbers and as many names of entries; NULL: there is none
static piece *add_piece(carom_tape *tape, const carom_variation_part *part, size_t count,
                        size_t names) {
  tape->bytes += (count + names + 1) * sizeof(double) + sizeof(piece);
  if (tape->count == tape->room) {
    long room = tape->room > 0 ? 2 * tape->room : 256;
    void *grown = realloc(tape->pieces, (size_t)room * sizeof *tape->pieces);
    if (!grown) return NULL;
    tape->pieces = grown;
    tape->room = room;
  }
  double *numbers = malloc((count + 1) * sizeof *numbers);
  int *own = names > 0 ? malloc(2 * names * sizeof *own) : NULL;
  if (!numbers || (names > 0 && !own)) {
    free(numbers);
    free(own);
    return NULL;
  }
  piece *made = &tape->pieces[tape->count++];
  *made = (piece){.part = *part, .numbers = numbers, .names = own};
  made->part.c = numbers;
  return made;
}

static bool keep_numbers(carom_tape *tape, const carom_variation_part *part, const double *from,
                         size_t count) {
  piece *made = add_piece(tape, part, count, 0);
  if (made) memcpy(made->numbers, from, count * sizeof *from);
  return made;
}

static bool is_used(const double *A, int entry, int square) {
  for (int j = 0; j < CAROM_VARIATION_STAGES; j++)
    if (A[j * square + entry] != 0.0) return true;
  return false;
}

// of all entries those that are not zero at each stage, with their rows and columns behind them
static bool choose_entries(carom_tape *tape, const carom_variation_part *part) {
  int size = tape->size, square = size * size, count = 0, at = 0;
  for (int e = 0; e < square; e++)
    count += is_used(part->c, e, square);
  size_t numbers = (size_t)count * CAROM_VARIATION_STAGES;
  piece *made = add_piece(tape, part, numbers, (size_t)count + 1);
  if (!made) return false;
  int *row = made->names, *column = row + count;
  made->part.count = count;
  made->part.row = row;
  made->part.column = column;
  for (int e = 0; e < square; e++) {
    if (!is_used(part->c, e, square)) continue;
    row[at] = e / size;
    column[at] = e % size;
    for (int j = 0; j < CAROM_VARIATION_STAGES; j++)
      made->numbers[j * count + at] = part->c[j * square + e];
    at++;
  }
  return true;
}

static bool keep_part(void *ctx, const carom_variation_part *part) {
  carom_tape *tape = ctx;
  size_t each = part->stages ? CAROM_VARIATION_STAGES : (size_t)part->degree;
  bool kept = part->row ? keep_numbers(tape, part, part->c, (size_t)part->count * each)
                        : choose_entries(tape, part);
  tape->full = tape->full || !kept;
  return !tape->full;
}

static void set_identity(const carom_tangent *tangent) {
  size_t size = (size_t)tangent->size;
  memset(tangent->matrix, 0, size * size * sizeof *tangent->matrix);
  for (size_t i = 0; i < size; i++)
    tangent->matrix[i * size + i] = 1.0;
}

static bool is_identity(const carom_tangent *tangent) {
  for (int i = 0; i < tangent->size; i++)
    for (int j = 0; j < tangent->size; j++)
      if (tangent->matrix[i * tangent->size + j] != (i == j ? 1.0 : 0.0)) return false;
  return true;
}

carom_status carom_tape_begin(carom_hybrid *it, carom_error *error) {
  carom_tape *tape = it->clients.tangent->tape;
  bool carried = tape->carries;
  tape->carries = false;
  return carried ? CAROM_OK : carom_hybrid_tangent_settle(it->simulation, error);
}

bool carom_tape_brims(const carom_hybrid *it) {
  const carom_tape *tape = it->clients.tangent ? it->clients.tangent->tape : NULL;
  return tape && tape->most > 0 && tape->bytes > tape->most && !tape->carries;
}

bool carom_tape_carries(const carom_tape *tape) { return tape->carries; }

bool carom_tape_takes(carom_hybrid *it) {
  double largest = 0.0;
  for (int i = 0; i < it->clients.tangent->size; i++)
    largest = fmax(largest, fabs(it->y[i]));
  for (int k = 0; k < it->model->contacts.count; k++) {
    double speed = -it->work.rows.velocity[it->model->contacts.normal[k]];
    if (it->instant.landed[k] && speed > 0.0 && speed < SLOW * largest)
      it->clients.tangent->tape->carries = true;
  }
  return it->clients.tangent->meeting.count <= 1 || it->clients.tangent->turns.unlinked;
}

carom_status carom_tape_refuse(const carom_hybrid *it, carom_error *error) {
  return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                    "at t = %.15g several contacts strike at once, and the impact of one changes "
                    "those of the others: the adjoint does not go through that, leave it out",
                    it->now.t);
}

void carom_tape_matrix(carom_tangent *tangent) {
  const carom_variation_part none = {0};
  size_t size = (size_t)tangent->size;
  if (!tangent->tape || tangent->tape->carries) return;
  if (!is_identity(tangent) && !keep_numbers(tangent->tape, &none, tangent->matrix, size * size))
    tangent->tape->full = true;
  set_identity(tangent);
}

// the neighbour that is off by the weight of each state
carom_status carom_tape_step(carom_hybrid *it, carom_error *error) {
  carom_tangent *tangent = it->clients.tangent;
  double *column = tangent->tape->column;
  for (int i = 0; i < tangent->size; i++)
    column[i] = carom_stepper_weight(&it->stepper, i,
                                     fmax(fabs(it->stepper.y[i]), fabs(it->stepper.y1[i])));
  const carom_variation_task task = carom_tangent_task(it);
  carom_status status =
      it->stepper.expansion.used
          ? carom_variation_series_seen(&it->stepper, tangent->size, 1, carom_tangent_series(it),
                                        column, tangent->room, keep_part, tangent->tape)
          : carom_variation_step_seen(&it->stepper, tangent->size, &task, column, tangent->room,
                                      keep_part, tangent->tape);
  if (tangent->tape->full)
    return carom_fail(error, CAROM_ERR_LIMIT,
                      "there is no memory to keep the motion for its adjoint at t = %.15g: let it "
                      "keep less, or leave the adjoint out",
                      it->stepper.t);
  return status;
}

carom_status carom_hybrid_tangent_record(carom_simulation *simulation, size_t most,
                                         carom_error *error) {
  carom_hybrid *it = simulation->state;
  carom_tangent *tangent = it->clients.tangent;
  carom_tape_destroy(tangent->tape);
  tangent->tape = calloc(1, sizeof *tangent->tape);
  if (tangent->tape) {
    tangent->tape->size = tangent->size;
    tangent->tape->most = most;
    tangent->tape->column = calloc((size_t)tangent->size + 1, sizeof *tangent->tape->column);
  }
  if (!tangent->tape || !tangent->tape->column) return carom_fail_memory(error);
  carom_tape_matrix(tangent); // how the start is made
  return CAROM_OK;
}

static void pull_matrix(int size, const double *matrix, double *row, double *room) {
  for (int j = 0; j < size; j++)
    room[j] = 0.0;
  for (int i = 0; i < size; i++)
    for (int j = 0; j < size && row[i] != 0.0; j++)
      room[j] += row[i] * matrix[i * size + j];
  memcpy(row, room, (size_t)size * sizeof *row);
}

carom_status carom_hybrid_tangent_pull(const carom_simulation *simulation, double *row,
                                       carom_error *error) {
  const carom_hybrid *it = simulation->state;
  const carom_tangent *tangent = it->clients.tangent;
  int size = tangent->size;
  double *room = malloc((CAROM_SERIES_DEGREE + 1) * (size_t)size * sizeof *room);
  if (!room) return carom_fail_memory(error);
  pull_matrix(size, tangent->matrix, row, room); // what was carried last
  for (long k = tangent->tape->count - 1; k >= 0; k--) {
    const piece *at = &tangent->tape->pieces[k];
    if (at->part.row) {
      carom_variation_pull(&at->part, size, row, room);
      continue;
    }
    pull_matrix(size, at->numbers, row, room);
  }
  free(room);
  return CAROM_OK;
}

void carom_tape_destroy(carom_tape *tape) {
  if (!tape) return;
  for (long k = 0; k < tape->count; k++) {
    free(tape->pieces[k].numbers);
    free(tape->pieces[k].names);
  }
  free(tape->pieces);
  free(tape->column);
  free(tape);
}
