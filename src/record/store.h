// SPDX-License-Identifier: MIT
/// Reads whatever Carom has recorded, runs and tables alike, by path: for drawing and comparing.
/// The file may come from anywhere: types and sizes are looked at before anything is read.
#ifndef CAROM_RECORD_STORE_H
#define CAROM_RECORD_STORE_H

#include "carom/status.h"

#include <stdbool.h>

typedef struct carom_store carom_store;

/// CAROM_ERR_IO when the file cannot be read, CAROM_ERR_INPUT when it is none of Carom's.
carom_status carom_store_open(const char *file, carom_store **store, carom_error *error);
void carom_store_close(carom_store *store); // NULL is legal

/// "run", or what made the tables: "sweep", "map", "bifurcation", "basin", ...
const char *carom_store_kind(const carom_store *store);

/// Members of a group in the order they were written, or NULL where there is no such group. The
/// list and its texts are one block: the caller frees it with free. So it is below.
char **carom_store_list(const carom_store *store, const char *path, int *count);
/// A text attribute of the file ("title") or the scalar text at a path ("/scenario"); NULL: none.
char *carom_store_text(const carom_store *store, const char *path);
/// The scalar number at a path; `otherwise` where there is none.
double carom_store_number(const carom_store *store, const char *path, double otherwise);
/// A whole attribute of a group, such as "space" of "/scene"; `otherwise` where there is none.
int carom_store_attribute(const carom_store *store, const char *path, const char *name,
                          int otherwise);
/// All numbers at a path, row after row; `columns` (nullable) of a one-dimensional array is 1.
/// NULL: no such numbers, or no memory.
double *carom_store_array(const carom_store *store, const char *path, long *rows, long *columns);
/// All texts at a path.
char **carom_store_texts(const carom_store *store, const char *path, long *count);

#endif
