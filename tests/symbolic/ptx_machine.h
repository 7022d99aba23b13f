// SPDX-License-Identifier: MIT
/// A machine for the part of PTX that native_ptx.c writes: reads a module, and runs its functions
/// on this processor. What it does not know, and a register that is read before it was written, is
/// an error. IEEE 754 is what says what instructions give.
#ifndef CAROM_TESTS_PTX_MACHINE_H
#define CAROM_TESTS_PTX_MACHINE_H

#include "symbolic/native_ptx.h"
#include "symbolic/operation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PTX_NAME = 64, PTX_CALLEES = 64 };

typedef enum ptx_kind {
  PTX_LOAD,
  PTX_STORE,
  PTX_NUMBER,
  PTX_ADD,
  PTX_SUB,
  PTX_MUL,
  PTX_DIV,
  PTX_SQRT,
  PTX_NEG,
  PTX_ABS,
  PTX_EQ,
  PTX_NEU,
  PTX_LT,
  PTX_LE,
  PTX_AND,
  PTX_OR,
  PTX_SELECT,
  PTX_ARGUMENT,
  PTX_CALL,
  PTX_RESULT,
  PTX_ADDRESS,
  PTX_POINTER,
  PTX_GIVE
} ptx_kind;

typedef struct ptx_line {
  ptx_kind kind;
  int to, a, b, c;
  char base;   // w, s, v: of an address
  long offset; // in bytes
  double value;
} ptx_line;

typedef struct ptx_function {
  char name[PTX_NAME];
  ptx_line *lines;
  int count, room, numbers, masks;
} ptx_function;

typedef struct ptx_callee {
  const char *name;
  int count; // numbers it takes; 0: sincos
  void (*call)(void);
} ptx_callee;

typedef struct ptx_module {
  ptx_function *functions;
  int count, room;
  int *codes; // of the table: numbers of functions, -1: none
  int code_count;
  char fault[200];
} ptx_module;

#define PTX_LEAF(NAME, name)
#define PTX_NONE(NAME, ...)
#define PTX_ONE(NAME, stem, ...)                                                                   \
  static double ptx_##stem(double a) { return carom_##stem(a); }
#define PTX_TWO(NAME, name, stem, ...)                                                             \
  static double ptx_##stem(double a, double b) { return carom_##stem(a, b); }
CAROM_OPERATIONS(PTX_LEAF, PTX_NONE, PTX_ONE, PTX_TWO, PTX_NONE)
#define PTX_ROW_ONE(NAME, stem, ...) {"carom_called_" #stem, 1, (void (*)(void))ptx_##stem},
#define PTX_ROW_TWO(NAME, name, stem, ...) {"carom_called_" #stem, 2, (void (*)(void))ptx_##stem},
static const ptx_callee PTX_FUNCTIONS[] = {
    CAROM_OPERATIONS(PTX_LEAF, PTX_NONE, PTX_ROW_ONE, PTX_ROW_TWO,
                     PTX_NONE){"carom_called_pow", 2, (void (*)(void))carom_pow},
    {"carom_called_sincos", 0, (void (*)(void))carom_sincos},
    {NULL, 0, NULL}};

// ---- reading ----

static bool ptx_refuse(ptx_module *m, const char *what, const char *line) {
  if (!m->fault[0]) (void)snprintf(m->fault, sizeof m->fault, "%s: %.100s", what, line);
  return false;
}

static ptx_line *ptx_add(ptx_function *f, ptx_kind kind) {
  if (f->count == f->room) {
    f->room = 2 * f->room + 64;
    f->lines = realloc(f->lines, (size_t)f->room * sizeof *f->lines);
    if (!f->lines) abort();
  }
  f->lines[f->count] = (ptx_line){.kind = kind};
  return &f->lines[f->count++];
}

static bool ptx_read_address(const char *at, ptx_line *line) { // [%work+8]
  char base[16];
  if (sscanf(at, "[%%%15[a-z]+%ld]", base, &line->offset) != 2) return false;
  line->base = base[0];
  return strcmp(base, "work") == 0 || strcmp(base, "states") == 0 || strcmp(base, "values") == 0;
}

static int ptx_callee_of(const char *name) {
  for (int k = 0; PTX_FUNCTIONS[k].name; k++)
    if (strcmp(PTX_FUNCTIONS[k].name, name) == 0) return k;
  return -1;
}

// instructions with registers alone: `form` has d for numbers and p for masks
static bool ptx_read_plain(ptx_module *m, ptx_function *f, const char *text) {
  static const struct {
    const char *name, *form;
    ptx_kind kind;
  } all[] = {{"add.rn.f64", "ddd", PTX_ADD},   {"sub.rn.f64", "ddd", PTX_SUB},
             {"mul.rn.f64", "ddd", PTX_MUL},   {"div.rn.f64", "ddd", PTX_DIV},
             {"sqrt.rn.f64", "dd", PTX_SQRT},  {"neg.f64", "dd", PTX_NEG},
             {"abs.f64", "dd", PTX_ABS},       {"setp.eq.f64", "pdd", PTX_EQ},
             {"setp.neu.f64", "pdd", PTX_NEU}, {"setp.lt.f64", "pdd", PTX_LT},
             {"setp.le.f64", "pdd", PTX_LE},   {"and.pred", "ppp", PTX_AND},
             {"or.pred", "ppp", PTX_OR},       {"selp.f64", "dddp", PTX_SELECT}};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    size_t length = strlen(all[k].name), operands = strlen(all[k].form);
    if (strncmp(text, all[k].name, length) != 0 || text[length] != ' ') continue;
    int which[4] = {0};
    const char *at = text + length + 1;
    for (size_t j = 0; j < operands; j++) {
      int used = 0;
      char kind;
      if (sscanf(at, "%%%c%d%n", &kind, &which[j], &used) != 2 || kind != all[k].form[j])
        return ptx_refuse(m, "operand", text);
      if (which[j] < 0 || which[j] >= (kind == 'd' ? f->numbers : f->masks))
        return ptx_refuse(m, "register", text);
      at += used;
      if (strncmp(at, j + 1 < operands ? ", " : ";", 2) != 0) return ptx_refuse(m, "end", text);
      at += 2;
    }
    ptx_line *line = ptx_add(f, all[k].kind);
    line->to = which[0], line->a = which[1], line->b = which[2], line->c = which[3];
    return true;
  }
  return ptx_refuse(m, "unknown", text);
}

static bool ptx_read_line(ptx_module *m, ptx_function *f, const char *text) {
  ptx_line line = {0};
  unsigned long long bits;
  char name[PTX_NAME];
  int which, slot;
  if (strncmp(text, ".param .b64 ", 12) == 0 || strcmp(text, "{") == 0) return true;
  if (strncmp(text, "ld.param.u64 %", 14) == 0) return true; // work, states, values
  if (strcmp(text, ".reg .b64 %work, %states, %values, %to1, %to2;") == 0) return true;
  if (sscanf(text, ".reg .f64 %%d<%d>;", &f->numbers) == 1 ||
      sscanf(text, ".reg .pred %%p<%d>;", &f->masks) == 1)
    return true;
  if (sscanf(text, "ld.f64 %%d%d, ", &line.to) == 1) {
    if (!ptx_read_address(strchr(text, '['), &line)) return ptx_refuse(m, "address", text);
    line.kind = PTX_LOAD;
  } else if (strncmp(text, "st.f64 ", 7) == 0) {
    if (!ptx_read_address(text + 7, &line) || sscanf(strchr(text, ']'), "], %%d%d;", &line.a) != 1)
      return ptx_refuse(m, "store", text);
    line.kind = PTX_STORE;
  } else if (sscanf(text, "mov.f64 %%d%d, 0d%16llX;", &line.to, &bits) == 2) {
    memcpy(&line.value, &bits, sizeof bits);
    line.kind = PTX_NUMBER;
  } else if (sscanf(text, "st.param.f64 [param%d+0], %%d%d;", &slot, &which) == 2) {
    line = (ptx_line){.kind = PTX_ARGUMENT, .to = slot, .a = which};
  } else if (sscanf(text, "st.param.f64 [func_retval0+0], %%d%d;", &line.a) == 1) {
    line.kind = PTX_GIVE;
  } else if (sscanf(text, "add.s64 %%to%d, %%work, %ld;", &line.to, &line.offset) == 2) {
    line.kind = PTX_ADDRESS;
  } else if (sscanf(text, "st.param.b64 [param%d+0], %%to%d;", &slot, &which) == 2) {
    line = (ptx_line){.kind = PTX_POINTER, .to = slot - 1, .a = which};
  } else if (sscanf(text, "call (retval0), %63[a-z0-9_], (param0", name) == 1 ||
             sscanf(text, "call %63[a-z0-9_], (param0, param1, param2);", name) == 1) {
    line = (ptx_line){.kind = PTX_CALL, .a = ptx_callee_of(name)};
    if (line.a < 0 ||
        (strstr(text, "(param0, param1);") != NULL) != (PTX_FUNCTIONS[line.a].count == 2))
      return ptx_refuse(m, "call", text);
  } else if (sscanf(text, "ld.param.f64 %%d%d, [retval0+0];", &line.to) == 1) {
    line.kind = PTX_RESULT;
  } else {
    return ptx_read_plain(m, f, text);
  }
  if (line.to >= f->numbers && line.kind != PTX_CALL) return ptx_refuse(m, "register", text);
  *ptx_add(f, line.kind) = line;
  return true;
}

// nothing may stand between what gives the arguments and the call, nor behind that before its
// result
static bool ptx_check_calls(ptx_module *m, const ptx_function *f) {
  bool sound = true;
  for (int k = 1; k < f->count && sound; k++) {
    ptx_kind before = f->lines[k - 1].kind, now = f->lines[k].kind;
    bool gives = before == PTX_ARGUMENT || before == PTX_POINTER;
    if (gives) sound = now == PTX_ARGUMENT || now == PTX_POINTER || now == PTX_CALL;
    if (now == PTX_CALL) sound = gives;
    if (now == PTX_RESULT) sound = before == PTX_CALL;
  }
  return sound || ptx_refuse(m, "a call is not whole", f->name);
}

// is each register written before it is read?
static bool ptx_check_registers(ptx_module *m, const ptx_function *f) {
  bool *number = calloc((size_t)f->numbers + 1, 1), *mask = calloc((size_t)f->masks + 1, 1),
       sound = number && mask;
  for (int k = 0; k < f->count && sound; k++) {
    const ptx_line *l = &f->lines[k];
    switch (l->kind) {
    case PTX_LOAD:
    case PTX_NUMBER:
    case PTX_RESULT: number[l->to] = true; break;
    case PTX_STORE:
    case PTX_ARGUMENT:
    case PTX_GIVE: sound = number[l->a]; break;
    case PTX_SQRT:
    case PTX_NEG:
    case PTX_ABS: sound = number[l->a], number[l->to] = true; break;
    case PTX_EQ:
    case PTX_NEU:
    case PTX_LT:
    case PTX_LE: sound = number[l->a] && number[l->b], mask[l->to] = true; break;
    case PTX_AND:
    case PTX_OR: sound = mask[l->a] && mask[l->b], mask[l->to] = true; break;
    case PTX_SELECT:
      sound = number[l->a] && number[l->b] && mask[l->c], number[l->to] = true;
      break;
    case PTX_ADD:
    case PTX_SUB:
    case PTX_MUL:
    case PTX_DIV: sound = number[l->a] && number[l->b], number[l->to] = true; break;
    default: break;
    }
  }
  free(number);
  free(mask);
  return sound || ptx_refuse(m, "read before it is written", f->name);
}

static int ptx_function_of(const ptx_module *m, const char *name) {
  for (int k = 0; k < m->count; k++)
    if (strcmp(m->functions[k].name, name) == 0) return k;
  return -1;
}

static ptx_function *ptx_begin_function(ptx_module *m, const char *text) {
  char name[PTX_NAME];
  if (sscanf(text,
             ".func (.param .b64 func_retval0) %63[a-z0-9_] (.param .b64 in_work, .param .b64 "
             "in_states, "
             ".param .b64 in_values)",
             name) != 1 &&
      sscanf(text, ".func %63[a-z0-9_] (.param .b64 in_work)", name) != 1)
    return NULL;
  if (m->count == m->room) {
    m->room = 2 * m->room + 16;
    m->functions = realloc(m->functions, (size_t)m->room * sizeof *m->functions);
    if (!m->functions) abort();
  }
  ptx_function *f = &m->functions[m->count++];
  *f = (ptx_function){0};
  memcpy(f->name, name, sizeof name);
  return f;
}

// "code_0_run, code_0_evaluate," and "0};"
static void ptx_read_codes(ptx_module *m, char *text) {
  for (char *word = strtok(text, ", }"); word && *word != ';'; word = strtok(NULL, ", }")) {
    m->codes = realloc(m->codes, (size_t)(m->code_count + 1) * sizeof *m->codes);
    if (!m->codes) abort();
    int found = ptx_function_of(m, word);
    m->codes[m->code_count++] = found;
    if (found < 0 && strcmp(word, "0") != 0) ptx_refuse(m, "no such function", word);
  }
}

/// False, with m->fault, where there is anything that it does not know.
static bool ptx_read(ptx_module *m, const char *module) {
  ptx_function *f = NULL;
  bool inner = false, table = false;
  char text[600];
  *m = (ptx_module){0};
  for (const char *at = module; *at && !m->fault[0];) {
    size_t length = strcspn(at, "\n");
    if (length >= sizeof text) return ptx_refuse(m, "long line", "");
    memcpy(text, at, length);
    text[length] = '\0';
    at += length + (at[length] == '\n');
    if (table) {
      ptx_read_codes(m, text);
    } else if (strncmp(text, ".visible .global .align 8 .u64 carom_codes[", 43) == 0) {
      table = true;
    } else if (!f && strncmp(text, ".func ", 6) == 0) {
      f = ptx_begin_function(m, text);
      if (!f) ptx_refuse(m, "function", text);
      inner = true; // its own brace
    } else if (!f && (text[0] == '.' || strcmp(text, "") == 0)) {
      continue; // version, target, what is called
    } else if (f && strcmp(text, "{") == 0 && inner) {
      inner = false;
    } else if (f && strcmp(text, "ret;") == 0) {
      ptx_check_calls(m, f);
      ptx_check_registers(m, f);
    } else if (f && strcmp(text, "}") == 0) {
      bool last = at[0] == '.' || at[0] == '\0';
      if (last) f = NULL;
    } else if (!f || !ptx_read_line(m, f, text)) {
      ptx_refuse(m, "line", text);
    }
  }
  return !m->fault[0];
}

static void ptx_release(ptx_module *m) {
  for (int k = 0; k < m->count; k++)
    free(m->functions[k].lines);
  free(m->functions);
  free(m->codes);
  *m = (ptx_module){0};
}

// ---- running ----

static double *ptx_place(const ptx_line *l, double *work, const double *states, double *values) {
  return (l->base == 'w'   ? work
          : l->base == 's' ? (double *)states
                           : values) +
         l->offset / (long)sizeof(double);
}

static double ptx_call(const ptx_line *l, const double *argument, double *const *pointer) {
  const ptx_callee *f = &PTX_FUNCTIONS[l->a];
  if (f->count == 1) return ((double (*)(double))f->call)(argument[0]);
  if (f->count == 2) return ((double (*)(double, double))f->call)(argument[0], argument[1]);
  ((void (*)(double, double *, double *))f->call)(argument[0], pointer[0], pointer[1]);
  return 0.0;
}

/// Runs a function; `d` and `p` have room for its registers.
static double ptx_run(const ptx_function *f, double *d, bool *p, double *work, const double *states,
                      double *values) {
  double argument[2] = {0.0}, result = 0.0, given = 0.0, *pointer[2] = {NULL}, *address[3] = {NULL};
  for (int k = 0; k < f->count; k++) {
    const ptx_line *l = &f->lines[k];
    switch (l->kind) {
    case PTX_LOAD: d[l->to] = *ptx_place(l, work, states, values); break;
    case PTX_STORE: *ptx_place(l, work, states, values) = d[l->a]; break;
    case PTX_NUMBER: d[l->to] = l->value; break;
    case PTX_ADD: d[l->to] = d[l->a] + d[l->b]; break;
    case PTX_SUB: d[l->to] = d[l->a] - d[l->b]; break;
    case PTX_MUL: d[l->to] = d[l->a] * d[l->b]; break;
    case PTX_DIV: d[l->to] = d[l->a] / d[l->b]; break;
    case PTX_SQRT: d[l->to] = sqrt(d[l->a]); break;
    case PTX_NEG: d[l->to] = -d[l->a]; break;
    case PTX_ABS: d[l->to] = fabs(d[l->a]); break;
    case PTX_EQ: p[l->to] = d[l->a] == d[l->b]; break;
    case PTX_NEU: p[l->to] = !(d[l->a] == d[l->b]); break;
    case PTX_LT: p[l->to] = d[l->a] < d[l->b]; break;
    case PTX_LE: p[l->to] = d[l->a] <= d[l->b]; break;
    case PTX_AND: p[l->to] = p[l->a] && p[l->b]; break;
    case PTX_OR: p[l->to] = p[l->a] || p[l->b]; break;
    case PTX_SELECT: d[l->to] = p[l->c] ? d[l->a] : d[l->b]; break;
    case PTX_ARGUMENT: argument[l->to] = d[l->a]; break;
    case PTX_CALL: result = ptx_call(l, argument, pointer); break;
    case PTX_RESULT: d[l->to] = result; break;
    case PTX_ADDRESS: address[l->to] = work + l->offset / (long)sizeof(double); break;
    case PTX_POINTER: pointer[l->to] = address[l->a]; break;
    case PTX_GIVE: given = d[l->a]; break;
    }
  }
  return given;
}

#endif
