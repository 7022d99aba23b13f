// SPDX-License-Identifier: MIT
/// Families: entries with an index, written once. `x[i=1..20]: 0.1*i` is x1 to x20; inside it, and
/// inside sum(i=1..20, ...), i is a number and x[i-1] a name. The document is rewritten as if all
/// members stood there, before anything else looks at it, so that a family and the same entries
/// written out give the same bits.
#ifndef CAROM_SCENARIO_FAMILY_H
#define CAROM_SCENARIO_FAMILY_H

#include "document/document.h"
#include "symbolic/parse.h"

enum {
  CAROM_FAMILY_MAX_MEMBERS = 10000,   // of one family, or terms of one sum
  CAROM_FAMILY_MAX_INDICES = 8,       // that hold at one place
  CAROM_FAMILY_MAX_TEXT = 4 << 20,    // bytes of all rewritten expressions
  CAROM_FAMILY_DEEPEST_PARAMETER = 20 // parameters that are made of parameters
};

/// An index and its value at the place that is being rewritten.
typedef struct carom_index {
  const char *name;
  long value;
} carom_index;

/// One rewriting of a document.
typedef struct carom_families {
  carom_document *document;
  carom_arena *arena;
  const char *engine;
  carom_error *error;
  carom_graph *graph; // of constants, in which index expressions are computed
  carom_index indices[CAROM_FAMILY_MAX_INDICES];
  int index_count;
  int parameter_depth;
  size_t text_bytes;
  char path[1024]; // of the entry, as the table of keys knows it
} carom_families;

/// A range being run through: `i = 1..n`.
typedef struct carom_family_range {
  const char *name;
  long first, last;
} carom_family_range;

/// Has the document families, members or sums?
bool carom_families_present(const carom_document *document);

/// Rewrites the document. One without families is left as it is.
carom_status carom_families_expand(carom_document *document, const char *engine,
                                   carom_error *error);

/// May the text contain something to rewrite even where no index holds: x[3] or sum(...)?
bool carom_family_text_candidate(const char *text);

/// The name of a member: x3, w2_3, and q1_3 where the family's own name ends in a digit.
carom_status carom_family_name(const carom_families *it, const char *base, size_t length, int count,
                               const long *values, carom_place place, char *name, size_t room);

// family_text.c
/// The scalar with indices, members and sums written out; itself where nothing changes.
carom_status carom_family_rewrite(carom_families *it, carom_yaml *scalar, carom_yaml **rewritten);
/// The integer value of an index expression of `length` bytes.
carom_status carom_family_integer(carom_families *it, const char *text, size_t length,
                                  carom_place place, long *value);
/// Reads `name = first..last`; *is_range is false when there is no `=`.
carom_status carom_family_read_range(carom_families *it, const char *text, size_t length,
                                     carom_place place, carom_family_range *range, bool *is_range);
/// Lets an index hold, or no longer.
carom_status carom_family_push(carom_families *it, const char *name, long value, carom_place place);
void carom_family_pop(carom_families *it);
/// Bytes up to the comma or closing bracket that ends the argument at `text`, which has `length`.
size_t carom_family_argument(const char *text, size_t length);

#endif
