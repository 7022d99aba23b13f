// SPDX-License-Identifier: MIT
/// After how long a drive repeats itself. Everything that depends on time must do so through sin,
/// cos, tan or mod of an argument that grows evenly: the rates of these arguments are kept when the
/// model is prepared, their values and common period found when a run begins.
#include "hybrid/hybrid.h"

#include <math.h>

static const double TWO_PI = 6.283185307179586;
static const double WHOLE = 1e-9; // how near to a whole number of turns counts as one
enum { MOST_TURNS = 1000 };

typedef enum verdict { UNKNOWN, REPEATS, NEVER } verdict;

typedef struct search {
  carom_hybrid_model *model;
  carom_graph *graph;
  carom_node time;
  unsigned char *known; // per node
  int nodes;            // that `known` has room for: those made on the way need none
} search;

// an argument that grows evenly: its rate is one of the frequencies
static bool keep_frequency(search *it, carom_node argument) {
  const unsigned moving = 1u << CAROM_SYMBOL_TIME | 1u << CAROM_SYMBOL_COORDINATE |
                          1u << CAROM_SYMBOL_RATE | 1u << CAROM_SYMBOL_ACCELERATION |
                          1u << CAROM_SYMBOL_STATE | 1u << CAROM_SYMBOL_STATE_RATE |
                          1u << CAROM_SYMBOL_MODE | 1u << CAROM_SYMBOL_OTHER;
  carom_drive *drive = &it->model->drive;
  carom_node rate = carom_node_derivative(it->graph, argument, it->time);
  if (!rate || carom_node_depends_kind(it->graph, rate, moving)) return false;
  for (int k = 0; k < drive->count; k++)
    if (drive->frequencies[k] == rate) return true;
  if (drive->count == CAROM_MOST_FREQUENCIES) return false;
  drive->frequencies[drive->count++] = rate;
  return true;
}

// the angle of a node that repeats itself with every turn of one; 0: it does not
static carom_node angle_of(const search *it, carom_node node) {
  carom_node a = carom_node_operand(it->graph, node, 0);
  switch (carom_node_op(it->graph, node)) {
  case CAROM_OP_SIN:
  case CAROM_OP_COS:
  case CAROM_OP_TAN: return a;
  // with every integer; which branch a mode calls +1 does not matter
  case CAROM_OP_PARITY:
  case CAROM_OP_FRACTION: return carom_mul(it->graph, carom_node_constant(it->graph, TWO_PI), a);
  default: return 0;
  }
}

static verdict judge_node(search *it, carom_node node) {
  if (!node || !carom_node_depends(it->graph, node, it->time)) return REPEATS;
  if (node == it->time || (int)node >= it->nodes) return NEVER;
  if (it->known[node] != UNKNOWN) return it->known[node];
  carom_op op = carom_node_op(it->graph, node);
  carom_node angle = angle_of(it, node);
  verdict found = REPEATS;
  if (!angle || !keep_frequency(it, angle))
    for (int k = 0; k < carom_op_arity(op) && found == REPEATS; k++)
      found = judge_node(it, carom_node_operand(it->graph, node, k));
  it->known[node] = (unsigned char)found;
  return found;
}

static bool all_repeat(search *it, int count, const carom_node *nodes) {
  for (int k = 0; k < count; k++)
    if (judge_node(it, nodes[k]) != REPEATS) return false;
  return true;
}

static bool mechanics_repeats(search *it, const carom_mechanics *m) {
  bool repeats = all_repeat(it, m->n, m->acceleration) && all_repeat(it, m->m, m->equation);
  for (int r = 0; r < m->row_count && repeats; r++)
    repeats = judge_node(it, m->rows[r].position) == REPEATS &&
              judge_node(it, m->rows[r].velocity) == REPEATS &&
              judge_node(it, m->rows[r].free_rate) == REPEATS &&
              all_repeat(it, m->n, m->rows[r].response);
  for (int k = 0; k < m->kinks.count && repeats; k++)
    repeats = judge_node(it, m->kinks.items[k].argument) == REPEATS;
  return repeats;
}

static bool contacts_repeat(search *it, const carom_scenario *s) {
  for (int k = 0; k < s->contact_count; k++) {
    const carom_contact *c = &s->contacts[k];
#define NUMBER(name) c->name,
    const carom_node laws[] = {CAROM_CONTACT_NUMBERS(NUMBER) c->tangential.node};
#undef NUMBER
    if (!all_repeat(it, (int)(sizeof laws / sizeof *laws), laws)) return false;
  }
  return true;
}

static bool events_repeat(search *it, const carom_scenario *s) {
  for (int k = 0; k < s->rules.event_count; k++) {
    const carom_event_rule *rule = &s->rules.events[k];
    if (judge_node(it, rule->trigger.when.node) != REPEATS ||
        judge_node(it, rule->condition) != REPEATS)
      return false;
    for (int j = 0; j < rule->assignment_count; j++)
      if (judge_node(it, rule->assignments[j].value) != REPEATS) return false;
  }
  return true;
}

carom_status carom_drive_prepare(carom_hybrid_model *model, carom_arena *arena,
                                 carom_error *error) {
  const carom_scenario *s = model->scenario;
  search it = {.model = model, .graph = s->graph, .time = s->time};
  it.nodes = carom_graph_count(s->graph) + 1;
  it.known = carom_arena_array(arena, (size_t)it.nodes, sizeof *it.known);
  if (!it.known) return carom_fail_memory(error);
  model->drive.repeats =
      mechanics_repeats(&it, model->mechanics) && contacts_repeat(&it, s) && events_repeat(&it, s);
  return CAROM_OK;
}

// the least number of turns of the slowest after which all have turned a whole number of times
static double common_period(int count, const double *frequencies) {
  double slowest = INFINITY;
  for (int k = 0; k < count; k++)
    slowest = fmin(slowest, frequencies[k]);
  for (int turns = 1; turns <= MOST_TURNS && count > 0; turns++) {
    bool whole = true;
    for (int k = 0; k < count && whole; k++) {
      double others = turns * frequencies[k] / slowest;
      whole = fabs(others - round(others)) <= WHOLE * turns;
    }
    if (whole) return turns * TWO_PI / slowest;
  }
  return 0.0;
}

double carom_drive_period(const carom_hybrid *it, carom_error *error) {
  const carom_drive *drive = &it->model->drive;
  double frequencies[CAROM_MOST_FREQUENCIES];
  int count = 0;
  for (int k = 0; k < drive->count && drive->repeats; k++) {
    double w = fabs(carom_node_evaluate(it->model->scenario->graph, drive->frequencies[k],
                                        it->settings.values, error));
    if (!isfinite(w)) return 0.0;
    if (w > 0.0) frequencies[count++] = w;
  }
  return common_period(count, frequencies);
}
