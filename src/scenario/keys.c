// SPDX-License-Identifier: MIT
/// The table of keys for readers outside the loader.
#include "carom/keys.h"

#include "scenario/load.h"
#include "scenario/schema.h"
#include "symbolic/parse.h"

// what may be written, by the bits of carom_schema_type that occur together
static const char *accepted_types(unsigned types) {
  static const struct {
    unsigned types;
    const char *text;
  } NAMES[] = {
      {CAROM_SCHEMA_EXPRESSION, "expression"},
      {CAROM_SCHEMA_NUMBER, "number"},
      {CAROM_SCHEMA_TEXT, "text"},
      {CAROM_SCHEMA_CHOICE, "choice"},
      {CAROM_SCHEMA_MAP, "map"},
      {CAROM_SCHEMA_LIST, "list"},
      {CAROM_SCHEMA_MAP | CAROM_SCHEMA_EXPRESSION, "map or expression"},
      {CAROM_SCHEMA_MAP | CAROM_SCHEMA_NUMBER, "map or number"},
      {CAROM_SCHEMA_MAP | CAROM_SCHEMA_CHOICE, "map or choice"},
      {CAROM_SCHEMA_MAP | CAROM_SCHEMA_LIST, "map or list"},
      {CAROM_SCHEMA_TEXT | CAROM_SCHEMA_LIST, "text or list"},
      {CAROM_SCHEMA_LIST | CAROM_SCHEMA_EXPRESSION, "list or expression"},
      {CAROM_SCHEMA_LIST | CAROM_SCHEMA_NUMBER, "list or number"},
  };
  for (size_t k = 0; k < sizeof NAMES / sizeof *NAMES; k++)
    if (NAMES[k].types == types) return NAMES[k].text;
  return "value";
}

bool carom_key_read(int k, carom_key *key) {
  const carom_schema *table;
  if (k < 0) return false;
  for (int t = 0; (table = carom_schema_table(t)) != NULL; t++) {
    if (k >= table->count) {
      k -= table->count;
      continue;
    }
    const carom_schema_key *from = &table->keys[k];
    *key = (carom_key){.path = from->path,
                       .engine = table->engine ? table->engine : "",
                       .accepts = accepted_types(from->types),
                       .choices = from->choices ? from->choices : "",
                       .unit = from->unit,
                       .fallback = from->fallback,
                       .meaning = from->meaning,
                       .required = from->required};
    return true;
  }
  return false;
}

bool carom_expression_function_read(int k, carom_expression_function *read) {
  static const carom_expression_function others[] = {
      {"table", "(\"file.csv\", a)",
       "sampled function: a monotone cubic through two columns of a file",
       "table(\"bump.csv\", t)"},
      {"sum", "(i=1..n, a)", "sum over a family; x[i] is one of its members",
       "sum(i=1..20, m*v[i]^2/2)"}};
  enum { OTHERS = sizeof others / sizeof *others };
  int own = 0;
  if (carom_parse_function(k, read)) return true;
  while (carom_parse_function(own, read))
    own++;
  if (k >= own && k < own + OTHERS) *read = others[k - own];
  return (k >= own && k < own + OTHERS) ||
         (k >= own + OTHERS && carom_reducer_read(k - own - OTHERS, read));
}
