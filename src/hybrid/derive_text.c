// SPDX-License-Identifier: MIT
/// The derived equations as text a person can check against a paper.
#include "hybrid/hybrid.h"

#include "symbolic/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct page {
  carom_arena *arena;
  const carom_graph *graph;
  const carom_scenario *scenario;
  const carom_mechanics *mechanics;
  bool latex;
  char *text;
  size_t used, room;
  bool failed;
} page;

CAROM_PRINTF(2, 3) static void put(page *it, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  va_list again;
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  size_t need = it->used + (size_t)length + 1;
  if (need > it->room) {
    size_t room = 2 * need;
    char *wider = realloc(it->text, room);
    if (wider) {
      it->text = wider;
      it->room = room;
    }
    it->failed |= !wider;
  }
  if (need <= it->room) {
    (void)vsnprintf(it->text + it->used, it->room - it->used, format, again);
    it->used += (size_t)length;
  }
  va_end(again);
}

static const char *node_as_written(page *it, carom_node node) {
  const char *text = it->latex ? carom_node_latex(it->arena, it->graph, node, 0)
                               : carom_node_text(it->arena, it->graph, node, 0);
  it->failed |= !text;
  return text ? text : "";
}

// "name = expression"; zero entries are left out where `sparse`
static void write_equation(page *it, const char *name, carom_node node, bool sparse) {
  double value;
  if (sparse && carom_node_is_constant(it->graph, node, &value) && value == 0.0) return;
  put(it, it->latex ? "%s &= %s \\\\\n" : "%s = %s\n", name, node_as_written(it, node));
}

static void write_heading(page *it, const char *text) {
  put(it, it->latex ? "%% %s\n" : "# %s\n", text);
}

static const char *row_name(const page *it, int k, char *name, size_t room) {
  const carom_scenario *s = it->scenario;
  if (k < s->constraint_count) {
    (void)snprintf(name, room, "%s", s->constraints[k].value.name);
    return name;
  }
  int row = s->constraint_count;
  for (int c = 0; c < s->contact_count; c++) {
    if (row++ == k)
      (void)snprintf(name, room, "%s.%s", s->contacts[c].name,
                     s->contacts[c].load.node ? "normal" : "gap");
    if (s->contacts[c].slip.node && row++ == k)
      (void)snprintf(name, room, s->contacts[c].space.slip.node ? "%s.slip1" : "%s.slip",
                     s->contacts[c].name);
    if (s->contacts[c].space.slip.node && row++ == k)
      (void)snprintf(name, room, "%s.slip2", s->contacts[c].name);
  }
  return name;
}

static void put_motion(page *it) {
  const carom_mechanics *m = it->mechanics;
  char name[160];
  write_heading(it, "mass matrix, upper triangle (entries that are zero are left out)");
  for (int i = 0; i < m->n; i++)
    for (int j = i; j < m->n; j++) {
      const char *a = it->scenario->coordinates[i].name, *b = it->scenario->coordinates[j].name;
      (void)snprintf(name, sizeof name, it->latex ? "M_{%s,%s}" : "M[%s,%s]", a, b);
      write_equation(it, name, m->mass[i * m->n + j], true);
    }
  write_heading(it, m->nq == m->n ? "bias forces: M q'' = h + W^T lambda"
                                  : "bias forces: M u' = h + W^T lambda, u: rates and speeds");
  for (int i = 0; i < m->n; i++) {
    (void)snprintf(name, sizeof name, it->latex ? "h_{%s}" : "h[%s]",
                   it->scenario->coordinates[i].name);
    write_equation(it, name, m->bias[i], false);
  }
}

static void put_row(page *it, int k) {
  const carom_row *row = &it->mechanics->rows[k];
  char who[120] = "", name[300];
  row_name(it, k, who, sizeof who);
  if (row->load) {
    (void)snprintf(name, sizeof name, it->latex ? "\\lambda_{%s}" : "lambda[%s]", who);
    write_equation(it, name, row->load, false);
    return;
  }
  for (int i = 0; i < it->mechanics->n; i++) {
    const char *q = it->scenario->coordinates[i].name;
    (void)snprintf(name, sizeof name, it->latex ? "W_{%s,%s}" : "W[%s,%s]", who, q);
    write_equation(it, name, row->jacobian[i], true);
  }
  (void)snprintf(name, sizeof name, it->latex ? "w_{%s}" : "w[%s]", who);
  write_equation(it, name, row->offset, true);
  (void)snprintf(name, sizeof name, it->latex ? "\\zeta_{%s}" : "zeta[%s]", who);
  write_equation(it, name, row->drift, true);
}

// what the branches in the equations above are chosen by
static void put_switches(page *it) {
  const carom_kink_list *kinks = &it->mechanics->kinks;
  if (kinks->count > 0) write_heading(it, "switches: each is +1 or -1 between events, the sign of");
  for (int k = 0; k < kinks->count; k++)
    put(it, it->latex ? "%s &= \\mathrm{sign}\\left(%s\\right) \\\\\n" : "%s = sign(%s)\n",
        node_as_written(it, kinks->items[k].mode), node_as_written(it, kinks->items[k].argument));
}

carom_status carom_hybrid_derive(const carom_model *model, carom_notation notation, char **text,
                                 carom_error *error) {
  const carom_hybrid_model *prepared = model->prepared;
  page it = {.arena = carom_arena_create(NULL),
             .graph = model->scenario->graph,
             .scenario = model->scenario,
             .mechanics = prepared->mechanics,
             .latex = notation == CAROM_LATEX};
  if (!it.arena) return carom_fail_memory(error);
  if (it.latex) put(&it, "\\begin{align*}\n");
  if (it.mechanics->n > 0) put_motion(&it);
  if (it.mechanics->turned > 0) write_heading(&it, "rates of coordinates");
  for (int k = 0; k < it.mechanics->m; k++) {
    if (k == it.mechanics->turned) write_heading(&it, "first-order states");
    write_equation(&it, carom_node_as_symbol(it.graph, it.mechanics->z_rate[k])->name,
                   it.mechanics->equation[k], false);
  }
  if (it.mechanics->row_count > 0)
    write_heading(&it, it.mechanics->nq == it.mechanics->n
                           ? "rows: velocity = W q' + w, its rate = W q'' + zeta"
                           : "rows: velocity = W u + w, its rate = W u' + zeta");
  for (int k = 0; k < it.mechanics->row_count; k++)
    put_row(&it, k);
  put_switches(&it);
  if (it.latex) put(&it, "\\end{align*}\n");
  carom_arena_destroy(it.arena);
  if (it.failed || !it.text) {
    free(it.text);
    return carom_fail_memory(error);
  }
  *text = it.text;
  return CAROM_OK;
}
