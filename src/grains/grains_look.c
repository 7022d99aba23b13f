// SPDX-License-Identifier: MIT
// What is seen of a bed: mean motion, tilt, energies, contacts, strikes; reducers of it; the
// ledger.
#include "base/elementary.h"
#include "base/whole.h"
#include "grains/grains.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

// the axis of the cylinders, or the origin
static void find_axis(const carom_bed_settings *set, double axis[2]) {
  for (int k = 0; k < set->wall_count; k++)
    for (int c = 0; c < 2 && set->walls[k].kind != CAROM_WALL_PLANE; c++)
      axis[c] = set->walls[k].centre[c];
}

static_assert((int)CAROM_SEEN_OF_KIND_LEAN == (int)CAROM_SEEN_LEAN,
              "means of a kind come in the order of those over all rods");

// what means are taken of, in the order of their names
static void look_at_rod(const carom_bed *bed, int i, const double axis[2], double *own) {
  for (int c = 0; c < 3; c++) {
    own[CAROM_SEEN_X + c] = bed->x[c][i] + bed->order.image[c][i] * bed->settings->periodic[c];
    own[CAROM_SEEN_VX + c] = bed->v[c][i];
  }
  double dx = bed->x[0][i] - axis[0], dy = bed->x[1][i] - axis[1], r = sqrt(dx * dx + dy * dy);
  own[CAROM_SEEN_SWIRL] = r > 0.0 ? (dx * bed->v[1][i] - dy * bed->v[0][i]) / r : 0.0;
  // an axis has no direction: the end that is up counts
  double up = bed->u[2][i] < 0.0 ? -1.0 : 1.0, uz = up * bed->u[2][i];
  own[CAROM_SEEN_TILT] = carom_acos(uz > 1.0 ? 1.0 : uz);
  own[CAROM_SEEN_LEAN] = carom_atan2(up * bed->u[0][i], uz);
}

static void look_at_motion(const carom_bed *bed, bool mixed, double *seen) {
  const carom_bed_settings *set = bed->settings;
  double axis[2] = {0.0, 0.0}, own[CAROM_SEEN_LEAN + 1], *of_kinds = seen + CAROM_SEEN_COUNT;
  find_axis(set, axis);
  // in the order of ids, so that sorting in memory does not change a bit
  for (int id = 0; id < bed->n; id++) {
    int i = bed->order.place[id];
    look_at_rod(bed, i, axis, own);
    for (int k = CAROM_SEEN_X; k <= CAROM_SEEN_LEAN; k++)
      seen[k] += own[k];
    if (!mixed) continue;
    double *of_kind = of_kinds + bed->kind[i] * CAROM_SEEN_OF_KIND_COUNT;
    for (int k = CAROM_SEEN_X; k <= CAROM_SEEN_LEAN; k++)
      of_kind[k] += own[k];
    carom_bed_energy e = carom_bed_rod_energies(bed, i);
    of_kind[CAROM_SEEN_OF_KIND_KINETIC] += e.translation + e.rotation;
    of_kind[CAROM_SEEN_OF_KIND_ROTATION] += e.rotation;
  }
  for (int k = CAROM_SEEN_X; k <= CAROM_SEEN_LEAN; k++) {
    seen[k] /= bed->n;
    for (int kind = 0; mixed && kind < set->species_count; kind++)
      of_kinds[kind * CAROM_SEEN_OF_KIND_COUNT + k] /= set->species[kind].count;
  }
}

// how tilts are distributed, and how they change around the axis of the walls
static void look_at_tilts(const carom_bed *bed, double *seen) {
  double centre[2] = {0.0, 0.0}, many[CAROM_SEEN_RING] = {0.0};
  find_axis(bed->settings, centre);
  for (int id = 0; id < bed->n; id++) {
    int i = bed->order.place[id];
    double up = fabs(bed->u[2][i]), tilt = carom_acos(up > 1.0 ? 1.0 : up);
    long bin = carom_whole(tilt * CAROM_SEEN_TILTS * 2.0 / PI, 0, CAROM_SEEN_TILTS - 1);
    seen[CAROM_SEEN_TILT_1 + bin] += 1.0 / bed->n;
    double angle = carom_atan2(bed->x[1][i] - centre[1], bed->x[0][i] - centre[0]);
    double turned = (angle < 0.0 ? angle + 2.0 * PI : angle) / (2.0 * PI);
    long sector = carom_whole(turned * CAROM_SEEN_RING, 0, CAROM_SEEN_RING - 1);
    seen[CAROM_SEEN_RING_1 + sector] += tilt;
    many[sector] += 1.0;
  }
  for (int k = 0; k < CAROM_SEEN_RING; k++)
    if (many[k] > 0.0) seen[CAROM_SEEN_RING_1 + k] /= many[k];
}

// the lower end of the first rod
static void look_at_tip(const carom_bed *bed, double *seen) {
  int i = bed->order.place[0];
  const carom_bed_kind *rod = carom_bed_kind_of(bed, i);
  double down = bed->u[2][i] < 0.0 ? 1.0 : -1.0, far = down * rod->half;
  seen[CAROM_SEEN_TIP_X] = bed->x[0][i] + bed->order.image[0][i] * bed->settings->periodic[0];
  seen[CAROM_SEEN_TIP_X] += far * bed->u[0][i];
  seen[CAROM_SEEN_TIP_Z] = bed->x[2][i] + bed->order.image[2][i] * bed->settings->periodic[2];
  seen[CAROM_SEEN_TIP_Z] += far * bed->u[2][i] - rod->radius;
}

static void look_at_distributions(const carom_strike_sums *s, double *seen) {
  const int merged = CAROM_BED_PHASES / CAROM_SEEN_PHASES;
  for (int k = 0; k < CAROM_BED_PHASES && s->begun > 0; k++)
    seen[CAROM_SEEN_PHASE_1 + k / merged] += (double)s->phases[k] / (double)s->begun;
  for (int k = 0; k < CAROM_SEEN_FLIGHTS && s->flights > 0; k++)
    seen[CAROM_SEEN_FLIGHTS_1 + k] = (double)s->lengths[k] / (double)s->flights;
}

static void look_at_strikes(const carom_bed *bed, double *seen) {
  const carom_strike_sums *s = &bed->striking.strikes;
  look_at_distributions(s, seen);
  double count = (double)s->count;
  seen[CAROM_SEEN_STRIKES] = count;
  seen[CAROM_SEEN_STRIKE_PLATE] = s->plate / (double)(s->begun > 0 ? s->begun : 1);
  const carom_grains_seen before[3] = {CAROM_SEEN_BEFORE_VX, CAROM_SEEN_BEFORE_VZ,
                                       CAROM_SEEN_BEFORE_TURN};
  const carom_grains_seen after[3] = {CAROM_SEEN_AFTER_VX, CAROM_SEEN_AFTER_VZ,
                                      CAROM_SEEN_AFTER_TURN};
  for (int c = 0; c < 3; c++) {
    if (s->begun > 0) seen[before[c]] = s->before[c] / (double)s->begun;
    if (s->count > 0) seen[after[c]] = s->after[c] / count;
  }
  if (s->flights > 0) seen[CAROM_SEEN_FLIGHT] = s->flight / (double)s->flights;
}

void carom_grains_look(carom_grains *it) {
  const carom_bed *bed = it->bed;
  double *seen = it->columns;
  int states = it->model->scenario->state_count;
  memset(seen, 0, (size_t)it->model->column_count * sizeof *seen);
  look_at_motion(bed, states > CAROM_SEEN_COUNT, seen);
  look_at_strikes(bed, seen);
  carom_bed_energy e = carom_bed_energies(bed);
  look_at_tilts(bed, seen);
  look_at_tip(bed, seen);
  seen[CAROM_SEEN_ROTATION] = e.rotation;
  seen[CAROM_SEEN_SPIN] = e.spin;
  for (int c = 0; c < 3; c++)
    seen[CAROM_SEEN_KINETIC_X + c] = e.along[c];
  seen[CAROM_SEEN_SPRINGS] = e.normal;
  seen[CAROM_SEEN_SHEAR] = e.tangent;
  seen[CAROM_SEEN_PAIRS] = (double)carom_bed_count_pairs(bed) / bed->n;
  seen[CAROM_SEEN_WALLS] = (double)carom_bed_count_walls(bed) / bed->n;
  seen[CAROM_SEEN_PLATE] = bed->wall.z;
  seen[states] = e.translation + e.rotation;
  seen[states + 1] = e.gravity + e.normal;
}

// ---- reducers

static void enter_values(carom_grains *it) {
  const carom_scenario *s = it->model->scenario;
  for (int k = 0; k < s->state_count; k++)
    it->settings.values[carom_scenario_symbol_index(s, s->states[k].symbol)] = it->columns[k];
  it->settings.values[carom_scenario_symbol_index(s, s->time)] = carom_bed_time(it->bed);
}

void carom_grains_tally_look(carom_grains *it) {
  const carom_scenario *s = it->model->scenario;
  double t = carom_bed_time(it->bed), slack = 0.5 * it->bed_settings.step;
  if (t < it->numbers.window_start - slack || t > it->numbers.window_end + slack) return;
  if (!it->now.measuring) {
    // strikes are those of the window
    memset(&it->bed->striking.strikes, 0, sizeof it->bed->striking.strikes);
    it->now.measuring = true;
    carom_grains_look(it);
  }
  enter_values(it);
  for (int k = 0; k < s->measure.reducer_count; k++)
    if (s->measure.reducers[k].value)
      carom_look_tally_add(
          &it->tallies[k], s->measure.reducers[k].kind, t,
          carom_node_evaluate(s->graph, s->measure.reducers[k].value, it->settings.values, NULL));
}

static void enter_reduced(carom_grains *it) {
  const carom_scenario *s = it->model->scenario;
  for (int k = 0; k < s->measure.reducer_count; k++)
    it->settings.values[carom_scenario_symbol_index(s, s->measure.reducers[k].symbol)] =
        carom_look_tally_value(&it->tallies[k], s->measure.reducers[k].kind);
}

carom_status carom_grains_observable(carom_grains *it, int k, double *value, carom_error *error) {
  const carom_scenario *s = it->model->scenario;
  carom_grains_look(it);
  enter_values(it);
  enter_reduced(it);
  *value =
      carom_node_evaluate(s->graph, s->measure.observables[k].node, it->settings.values, error);
  return CAROM_OK;
}

carom_status carom_grains_regime(carom_simulation *simulation, const char **name,
                                 carom_error *error) {
  carom_grains *it = simulation->state;
  const carom_scenario *s = it->model->scenario;
  *name = NULL;
  enter_reduced(it);
  for (int k = 0; k < s->measure.regime_count && !*name; k++) {
    const carom_regime *regime = &s->measure.regimes[k];
    if (regime->word || !regime->condition) continue; // rods have no words
    double holds = carom_node_evaluate(s->graph, regime->condition, it->settings.values, error);
    if (holds != 0.0) *name = regime->name;
  }
  return CAROM_OK;
}

// ---- the ledger

carom_status carom_grains_certificate(carom_simulation *simulation, carom_certificate *certificate,
                                      carom_error *error) {
  (void)error;
  const carom_grains *it = simulation->state;
  const carom_bed *bed = it->bed;
  carom_bed_energy e = carom_bed_energies(bed);
  carom_certificate c = {
      .t_start = it->numbers.start, .t_end = carom_bed_time(bed), .has_energy = true};
  c.energy.kinetic_start = it->now.kinetic_start;
  c.energy.potential_start = it->now.potential_start;
  c.energy.kinetic = e.translation + e.rotation;
  c.energy.potential = e.gravity + e.normal;
  c.energy.work_drives = bed->ledger.work_drive;
  c.energy.lost_dampers = bed->ledger.lost_normal;
  // what went into tangential springs and is not in them any more, and what is
  c.energy.lost_friction = bed->ledger.taken_tangent;
  c.energy.residual = c.energy.kinetic + c.energy.potential - c.energy.kinetic_start -
                      c.energy.potential_start - c.energy.work_drives + c.energy.lost_dampers +
                      c.energy.lost_friction;
  double scale = fabs(c.energy.kinetic) + fabs(c.energy.kinetic_start) +
                 fabs(c.energy.potential - c.energy.potential_start) + fabs(c.energy.work_drives) +
                 fabs(c.energy.lost_dampers) + fabs(c.energy.lost_friction);
  c.energy.residual_relative = scale > 0.0 ? c.energy.residual / scale : 0.0;
  c.worst.penetration = bed->ledger.deepest;
  c.counts.steps = bed->counts.steps;
  c.counts.evaluations = bed->counts.steps;
  c.counts.impacts = bed->striking.strikes.count;
  c.tolerance = 1e-2;
  c.passed = fabs(c.energy.residual_relative) <= c.tolerance;
  *certificate = c;
  return CAROM_OK;
}
