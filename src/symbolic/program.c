// SPDX-License-Identifier: MIT
// The compiler of register programs. Expressions are walked depth first (which keeps few values
// alive), split into setup and body, fused, and given registers by a linear scan.
#include "base/wide.h"
#include "symbolic/native.h"

#include <assert.h>
#include <string.h>

typedef enum part { PART_INPUT, PART_CONSTANT, PART_SETUP, PART_BODY } part;

enum { NONE = -1, OPERANDS = 5 };

// A node that the outputs need, numbered in an order where operands come first.
typedef struct item {
  carom_node node;
  carom_op op;
  part part;
  bool varies;   // changes while the parameters stay
  bool absorbed; // computed inside the instruction of another item
  bool kept;     // its register is never given to another value
  int uses;      // by operands and outputs
  int operand[3];
  int sine, cosine; // items that are sin and cos of this one
  int last[2];      // last step of setup and of body that reads it
  int place;        // its register
} item;

// An instruction before registers are known; operands are items.
typedef struct step {
  int code, target, second; // second: the cosine of SINCOS
  int operand[OPERANDS];
  int table;
} step;

typedef struct step_list {
  step *steps;
  int count, capacity;
} step_list;

typedef struct visit {
  carom_node node;
  int next; // operand to look at
} visit;

typedef struct builder {
  const carom_graph *graph;
  carom_arena *scratch; // all of this, released after compilation
  carom_error *error;
  int *slot; // node -> item + 1, or 0
  item *items;
  int count, capacity;
  visit *stack;
  int stack_count, stack_capacity;
  step_list lists[2]; // setup, body
} builder;

// ---- collecting the nodes ----------------------------------------------------------------------

// A new item, or NULL when out of memory.
static item *add_item(builder *b, carom_node node, part kind, bool varies) {
  void *items = b->items;
  if (!carom_arena_grow(b->scratch, &items, b->count, &b->capacity, sizeof(item))) return NULL;
  b->items = items;
  item *made = &b->items[b->count++];
  *made = (item){.node = node,
                 .op = carom_node_op(b->graph, node),
                 .part = kind,
                 .varies = varies,
                 .operand = {NONE, NONE, NONE},
                 .sine = NONE,
                 .cosine = NONE,
                 .last = {NONE, NONE},
                 .place = NONE};
  b->slot[node] = b->count;
  return made;
}

static bool is_node(const builder *b, carom_node node) {
  return node > 0 && node <= (carom_node)carom_graph_count(b->graph);
}

static carom_status add_inputs(builder *b, int count, const carom_node *inputs) {
  for (int k = 0; k < count; k++) {
    if (!is_node(b, inputs[k]) || !carom_node_as_symbol(b->graph, inputs[k]))
      return carom_fail(b->error, CAROM_ERR_ARGUMENT, "input %d of a program is not a symbol", k);
    const carom_symbol *symbol = carom_node_as_symbol(b->graph, inputs[k]);
    if (b->slot[inputs[k]])
      return carom_fail(b->error, CAROM_ERR_ARGUMENT, "'%s' is an input twice", symbol->name);
    item *made = add_item(b, inputs[k], PART_INPUT, symbol->kind != CAROM_SYMBOL_PARAMETER);
    if (!made) return carom_fail_memory(b->error);
    made->place = k;
  }
  return CAROM_OK;
}

// A node whose operands are all items becomes one itself.
static carom_status finish_node(builder *b, carom_node node) {
  if (carom_node_op(b->graph, node) == CAROM_OP_SYMBOL)
    return carom_fail(b->error, CAROM_ERR_ARGUMENT, "'%s' is not known here",
                      carom_node_as_symbol(b->graph, node)->name);
  bool constant = carom_node_op(b->graph, node) == CAROM_OP_CONST, varies = false;
  int operand[3] = {NONE, NONE, NONE};
  for (int k = 0; k < 3; k++) {
    carom_node below = carom_node_operand(b->graph, node, k);
    if (!below) continue;
    assert(b->slot[below] > 0);
    operand[k] = b->slot[below] - 1;
    b->items[operand[k]].uses++;
    varies |= b->items[operand[k]].varies;
  }
  part kind = constant ? PART_CONSTANT : varies ? PART_BODY : PART_SETUP;
  item *made = add_item(b, node, kind, varies);
  if (!made) return carom_fail_memory(b->error);

  memcpy(made->operand, operand, sizeof operand);
  if (made->op == CAROM_OP_SIN) b->items[operand[0]].sine = b->count - 1;
  if (made->op == CAROM_OP_COS) b->items[operand[0]].cosine = b->count - 1;
  return CAROM_OK;
}

static carom_status push_node(builder *b, carom_node node) {
  void *stack = b->stack;
  if (!carom_arena_grow(b->scratch, &stack, b->stack_count, &b->stack_capacity, sizeof(visit)))
    return carom_fail_memory(b->error);
  b->stack = stack;
  b->stack[b->stack_count++] = (visit){node, 0};
  return CAROM_OK;
}

// Depth first with a stack of our own: expressions may be deeper than the C stack.
static carom_status collect_nodes(builder *b, carom_node root) {
  if (b->slot[root]) return CAROM_OK;
  carom_status status = push_node(b, root);
  while (!status && b->stack_count > 0) {
    visit *top = &b->stack[b->stack_count - 1];
    carom_node below = 0;
    while (top->next < 3 && !below) {
      below = carom_node_operand(b->graph, top->node, top->next++);
      if (below && b->slot[below]) below = 0;
    }
    if (below) {
      status = push_node(b, below);
    } else {
      b->stack_count--;
      if (!b->slot[top->node]) status = finish_node(b, top->node);
    }
  }
  return status;
}

static carom_status collect_all(builder *b, int count, const carom_node *outputs) {
  for (int k = 0; k < count; k++) {
    if (!is_node(b, outputs[k]))
      return carom_fail(b->error, CAROM_ERR_ARGUMENT, "output %d of a program is no expression", k);
    carom_status status = collect_nodes(b, outputs[k]);
    if (status) return status;
    item *result = &b->items[b->slot[outputs[k]] - 1];
    result->uses++;
    result->kept = true;
  }
  return CAROM_OK;
}

// ---- fusing ------------------------------------------------------------------------------------

static void set_step(step *s, int code, int a, int b, int c, int d) {
  s->code = code;
  s->operand[0] = a;
  s->operand[1] = b;
  s->operand[2] = c;
  s->operand[3] = d;
  s->operand[4] = NONE;
}

static void absorb_item(builder *b, int index) { b->items[index].absorbed = true; }

// A formula of CAROM_FUSED_LIST laid over an item and those below it.
typedef struct match {
  const builder *b;
  const item *user;
  const char *at; // the symbol of the formula to be matched next, from its end
  int operand[OPERANDS];
  int inside[OPERANDS], count; // items that the instruction computes on the way
} match;

static char symbol_of(carom_op op) {
  static const char symbols[CAROM_OP_COUNT] = {[CAROM_OP_ADD] = '+',
                                               [CAROM_OP_SUB] = '-',
                                               [CAROM_OP_MUL] = '*',
                                               [CAROM_OP_DIV] = '/',
                                               [CAROM_OP_NEG] = 'n'};
  return symbols[op];
}

// may the item be computed inside the instruction of `user`: no other reader, same part?
static bool is_inner(const builder *b, const item *user, int index) {
  const item *x = &b->items[index];
  return x->uses == 1 && x->part == user->part && symbol_of(x->op);
}

// Does the formula up to m->at say what the item computes? Operands stand for any item, each once.
static bool formula_matches(match *m, int index) {
  const item *x = &m->b->items[index];
  char symbol = *m->at--;
  if (symbol >= 'a' && symbol <= 'e') {
    m->operand[symbol - 'a'] = index;
    return true;
  }
  if (symbol_of(x->op) != symbol || (x != m->user && !is_inner(m->b, m->user, index))) return false;
  assert(m->count < OPERANDS);
  if (x != m->user) m->inside[m->count++] = index;
  if (symbol == 'n') return formula_matches(m, x->operand[0]);
  // the right operand stands last in the formula; the other way round where that is the same
  const char *at = m->at;
  int count = m->count;
  for (int turn = 0; turn < (symbol == '+' || symbol == '*' ? 2 : 1); turn++) {
    m->at = at;
    m->count = count;
    if (formula_matches(m, x->operand[1 - turn]) && formula_matches(m, x->operand[turn]))
      return true;
  }
  return false;
}

// the longest formula that fits
static bool fuse_formula(builder *b, const item *u, step *s) {
  char symbol = symbol_of(u->op);
  bool any = symbol && (is_inner(b, u, u->operand[0]) ||
                        (u->operand[1] != NONE && is_inner(b, u, u->operand[1])));
  for (int code = CAROM_OP_COUNT; code < CAROM_CODE_FUSED_END && any; code++) {
    const char *formula = carom_formulas[code], *last = formula + strlen(formula) - 1;
    match m = {b, u, last, .operand = {NONE, NONE, NONE, NONE, NONE}};
    if (*last != symbol || !formula_matches(&m, (int)(u - b->items))) continue;
    for (int k = 0; k < m.count; k++)
      absorb_item(b, m.inside[k]);
    s->code = code;
    memcpy(s->operand, m.operand, sizeof m.operand);
    return true;
  }
  return false;
}

// sin and cos of a product: every periodic drive
static bool fuse_wave(builder *b, const item *u, step *s) {
  const item *x = &b->items[u->operand[0]];
  const int *m = x->operand;
  if (x->op != CAROM_OP_MUL || !is_inner(b, u, u->operand[0])) return false;
  absorb_item(b, u->operand[0]);
  set_step(s, u->op == CAROM_OP_SIN ? CAROM_CODE_SIN_MUL : CAROM_CODE_COS_MUL, m[0], m[1], NONE,
           NONE);
  return true;
}

// constant exponents: the short cuts of carom_power, chosen once
static bool fuse_pow(const builder *b, const item *u, step *s) {
  static const struct {
    double exponent;
    int code;
  } cuts[] = {
#define X(name, exponent, ...) {exponent, CAROM_CODE_##name},
      CAROM_SHORT_POWERS(X)
#undef X
          {0.5, CAROM_OP_SQRT}};
  double exponent;
  int x = u->operand[0];
  if (!carom_node_is_constant(b->graph, b->items[u->operand[1]].node, &exponent)) return false;
  set_step(s, CAROM_CODE_POW_GENERAL, x, u->operand[1], NONE, NONE);
  if (exponent == 2.0) set_step(s, CAROM_OP_MUL, x, x, NONE, NONE);
  for (size_t k = 0; k < sizeof cuts / sizeof *cuts; k++)
    if (exponent == cuts[k].exponent) set_step(s, cuts[k].code, x, NONE, NONE, NONE);
  return true;
}

static bool fuse_items(builder *b, const item *u, step *s) {
  if (u->op == CAROM_OP_SIN || u->op == CAROM_OP_COS) return fuse_wave(b, u, s);
  return u->op == CAROM_OP_POW ? fuse_pow(b, u, s) : fuse_formula(b, u, s);
}

// sin and cos of one argument are computed where the first of them stands
static void fuse_sincos(builder *b, int index, step *s) {
  item *u = &b->items[index];
  if (u->op != CAROM_OP_SIN && u->op != CAROM_OP_COS) return;
  const item *argument = &b->items[u->operand[0]];
  if (argument->sine == NONE || argument->cosine == NONE) return;
  absorb_item(b, argument->sine);
  absorb_item(b, argument->cosine);
  s->code = CAROM_CODE_SINCOS;
  s->target = argument->sine;
  s->second = argument->cosine;
}

static step plain_step(const builder *b, int index) {
  const item *u = &b->items[index];
  step s = {.code = (int)u->op, .target = index, .second = NONE, .table = 0};
  set_step(&s, s.code, u->operand[0], u->operand[1], u->operand[2], NONE);
  int table = carom_node_table_index(b->graph, u->node);
  if (table >= 0) s.table = table;
  return s;
}

static bool add_step(const builder *b, step_list *list, step s) {
  void *steps = list->steps;
  if (!carom_arena_grow(b->scratch, &steps, list->count, &list->capacity, sizeof(step)))
    return false;
  list->steps = steps;
  list->steps[list->count++] = s;
  return true;
}

// Users choose first what they absorb, so fusing walks backwards; the steps then go in order.
static carom_status make_steps(builder *b) {
  step *steps = carom_arena_array(b->scratch, (size_t)b->count + 1, sizeof(step));
  if (!steps) return carom_fail_memory(b->error);
  for (int k = b->count - 1; k >= 0; k--) {
    const item *u = &b->items[k];
    if (u->absorbed || u->part < PART_SETUP) continue;
    steps[k] = plain_step(b, k);
    fuse_items(b, u, &steps[k]);
  }
  for (int k = 0; k < b->count; k++) {
    const item *u = &b->items[k];
    if (u->absorbed || u->part < PART_SETUP) continue;
    fuse_sincos(b, k, &steps[k]);
    if (!add_step(b, &b->lists[u->part == PART_BODY], steps[k])) return carom_fail_memory(b->error);
  }
  return CAROM_OK;
}

// ---- registers ---------------------------------------------------------------------------------

static void note_uses(builder *b) {
  for (int which = 0; which < 2; which++) {
    const step_list *list = &b->lists[which];
    for (int k = 0; k < list->count; k++)
      for (int j = 0; j < OPERANDS; j++)
        if (list->steps[k].operand[j] != NONE) b->items[list->steps[k].operand[j]].last[which] = k;
  }
}

// Constants and what the body or the caller reads of the setup part keep their registers for ever.
// Returns the next free register; constants come first so that they are one block.
static int place_kept(builder *b, int next) {
  for (int k = 0; k < b->count; k++) {
    item *u = &b->items[k];
    bool used = u->kept || u->last[0] != NONE || u->last[1] != NONE;
    if (u->part == PART_CONSTANT && used) u->place = next++;
  }
  for (int k = 0; k < b->count; k++) {
    item *u = &b->items[k];
    if (u->part != PART_SETUP) continue;
    u->kept = u->kept || u->last[1] != NONE;
    if (u->kept) u->place = next++;
  }
  return next;
}

typedef struct pool {
  int *free;
  int free_count, next, highest;
} pool;

static int take_register(pool *p) {
  if (p->free_count > 0) return p->free[--p->free_count];
  int got = p->next++;
  if (p->next > p->highest) p->highest = p->next;
  return got;
}

// Linear scan: a register is free again after the last reader. The target is chosen before the
// operands are released, so that no instruction writes over what it reads.
static void place_part(builder *b, int which, pool *p) {
  const step_list *list = &b->lists[which];
  for (int k = 0; k < list->count; k++) {
    const step *s = &list->steps[k];
    if (b->items[s->target].place == NONE) b->items[s->target].place = take_register(p);
    if (s->second != NONE && b->items[s->second].place == NONE)
      b->items[s->second].place = take_register(p);
    for (int j = 0; j < OPERANDS; j++) {
      if (s->operand[j] == NONE) continue;
      item *u = &b->items[s->operand[j]];
      bool mine = u->part == (which ? PART_BODY : PART_SETUP);
      if (!mine || u->kept || u->last[which] != k) continue;
      u->last[which] = NONE; // an operand read twice is released once
      assert(u->place != NONE && p->free_count < b->count);
      p->free[p->free_count++] = u->place;
    }
  }
}

static carom_status place_all(builder *b, int input_count, int *registers) {
  note_uses(b);
  int base = place_kept(b, input_count);
  pool p = {.free = carom_arena_array(b->scratch, (size_t)b->count + 1, sizeof(int)),
            .highest = base};
  if (!p.free) return carom_fail_memory(b->error);
  for (int which = 0; which < 2; which++) {
    p.next = base;
    p.free_count = 0;
    place_part(b, which, &p);
  }
  *registers = p.highest;
  if (*registers > CAROM_PROGRAM_MAX_REGISTERS)
    return carom_fail(b->error, CAROM_ERR_LIMIT, "a program needs %d registers, the limit is %d",
                      *registers, CAROM_PROGRAM_MAX_REGISTERS);
  return CAROM_OK;
}

// ---- the program -------------------------------------------------------------------------------

static uint16_t place_of(const builder *b, int index) {
  assert(0 <= index && index < b->count && b->items[index].place != NONE);
  return (uint16_t)b->items[index].place;
}

// operands that an instruction does not have repeat the first
static uint16_t operand_place(const builder *b, const step *s, int k) {
  return place_of(b, s->operand[k] == NONE ? s->operand[0] : s->operand[k]);
}

static bool write_code(const builder *b, carom_arena *arena, const step_list *list,
                       carom_code *code) {
  code->count = list->count;
  code->items = carom_arena_array(arena, (size_t)list->count, sizeof(carom_instruction));
  code->nodes = carom_arena_array(arena, (size_t)list->count, sizeof(carom_node));
  if (!code->items || !code->nodes) return false;
  for (int k = 0; k < list->count; k++) {
    const step *s = &list->steps[k];
    uint16_t d = s->second != NONE ? place_of(b, s->second) : operand_place(b, s, 3);
    code->items[k] = (carom_instruction){.code = (uint16_t)s->code,
                                         .to = place_of(b, s->target),
                                         .a = operand_place(b, s, 0),
                                         .b = operand_place(b, s, 1),
                                         .c = operand_place(b, s, 2),
                                         .d = d,
                                         .e = operand_place(b, s, 4),
                                         .table = (uint16_t)s->table};
    code->nodes[k] = b->items[s->target].node;
  }
  return true;
}

static bool write_constants(const builder *b, carom_arena *arena, carom_program *program) {
  int count = 0;
  for (int k = 0; k < b->count; k++)
    count += b->items[k].part == PART_CONSTANT && b->items[k].place != NONE;
  program->constant_count = count;
  program->constants = carom_arena_array(arena, (size_t)count, sizeof(double));
  program->constant_nodes = carom_arena_array(arena, (size_t)count, sizeof(carom_node));
  if (!program->constants || !program->constant_nodes) return false;
  for (int k = 0; k < b->count; k++) {
    const item *u = &b->items[k];
    if (u->part != PART_CONSTANT || u->place == NONE) continue;
    int at = u->place - program->input_count;
    assert(0 <= at && at < count);
    program->constant_nodes[at] = u->node;
    carom_node_is_constant(b->graph, u->node, &program->constants[at]);
  }
  return true;
}

static bool write_tables(const builder *b, carom_arena *arena, carom_program *program) {
  int count = carom_graph_table_count(b->graph);
  program->tables = carom_arena_array(arena, (size_t)count, sizeof(carom_table));
  if (!program->tables) return false;
  for (int k = 0; k < count; k++)
    program->tables[k] = *carom_graph_table(b->graph, k);
  return true;
}

// the first run of inputs that make up a state
static void find_states(const builder *b, carom_program *program, const carom_node *inputs) {
  const unsigned kinds =
      1u << CAROM_SYMBOL_COORDINATE | 1u << CAROM_SYMBOL_RATE | 1u << CAROM_SYMBOL_STATE;
  for (int k = 0; k < program->input_count; k++) {
    bool state = kinds >> carom_node_as_symbol(b->graph, inputs[k])->kind & 1u;
    if (state && program->state_count == 0) program->state_first = k;
    if (!state && program->state_count > 0) break;
    program->state_count += state;
  }
}

static carom_status write_program(const builder *b, carom_arena *arena, carom_program *program,
                                  const carom_node *inputs, const carom_node *outputs) {
  size_t input_count = (size_t)program->input_count, output_count = (size_t)program->output_count;
  program->wide = carom_machine_has_avx2();
  program->input_nodes = carom_arena_array(arena, input_count, sizeof(carom_node));
  program->outputs = carom_arena_array(arena, output_count, sizeof(uint16_t));
  bool written = program->input_nodes && program->outputs && write_constants(b, arena, program) &&
                 write_tables(b, arena, program) &&
                 write_code(b, arena, &b->lists[0], &program->setup) &&
                 write_code(b, arena, &b->lists[1], &program->body);
  if (!written) return carom_fail_memory(b->error);
  if (input_count) memcpy(program->input_nodes, inputs, input_count * sizeof(carom_node));
  for (size_t k = 0; k < output_count; k++)
    program->outputs[k] = place_of(b, b->slot[outputs[k]] - 1);
  find_states(b, program, inputs);
  program->native = carom_native_compile(arena, program);
  return CAROM_OK;
}

static carom_status build_program(builder *b, carom_arena *arena, int input_count,
                                  const carom_node *inputs, int count, const carom_node *outputs,
                                  carom_program **program) {
  b->slot = carom_arena_array(b->scratch, (size_t)carom_graph_count(b->graph) + 1, sizeof(int));
  carom_program *made = carom_arena_array(arena, 1, sizeof(carom_program));
  if (!b->slot || !made) return carom_fail_memory(b->error);
  made->input_count = input_count;
  made->output_count = count;
  carom_status status = add_inputs(b, input_count, inputs);
  if (!status) status = collect_all(b, count, outputs);
  if (!status) status = make_steps(b);
  if (!status) status = place_all(b, input_count, &made->register_count);
  if (!status) status = write_program(b, arena, made, inputs, outputs);
  if (!status) *program = made;
  return status;
}

carom_status carom_program_compile(carom_arena *arena, carom_graph *graph, int input_count,
                                   const carom_node *inputs, int count, const carom_node *outputs,
                                   carom_program **program, carom_error *error) {
  *program = NULL;
  if (input_count < 0 || count < 0 || input_count > CAROM_PROGRAM_MAX_REGISTERS)
    return carom_fail(error, CAROM_ERR_ARGUMENT, "a program with %d inputs and %d outputs",
                      input_count, count);
  // a graph that ran out of memory or room on the way here lacks expressions
  carom_status incomplete = carom_graph_status(graph);
  if (incomplete) return carom_fail(error, incomplete, "%s", carom_status_text(incomplete));
  if (carom_graph_table_count(graph) > UINT16_MAX)
    return carom_fail(error, CAROM_ERR_LIMIT, "more than %d tables", UINT16_MAX);
  builder b = {.graph = graph, .error = error};
  b.scratch = carom_arena_create(carom_arena_allocator(arena));
  if (!b.scratch) return carom_fail_memory(error);
  carom_status status = build_program(&b, arena, input_count, inputs, count, outputs, program);
  carom_arena_destroy(b.scratch);
  return status;
}

int carom_program_registers(const carom_program *program) { return program->register_count; }
int carom_program_output(const carom_program *program, int k) {
  assert(0 <= k && k < program->output_count);
  return program->outputs[k];
}
int carom_program_length(const carom_program *program) { return program->body.count; }
int carom_program_setup_length(const carom_program *program) { return program->setup.count; }
