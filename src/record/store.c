// SPDX-License-Identifier: MIT
#include "record/store.h"

#include "record/h5_values.h"
#include "record/seal.h"
#include "record/trouble.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KIND_ROOM = 64 };
static const size_t MOST_BYTES = (size_t)4 << 30; // of one array

struct carom_store {
  hid_t h5;
  char kind[KIND_ROOM];
};

// ---- opening ----

static char *attribute_text(hid_t h5, const char *name) {
  if (H5Aexists(h5, name) <= 0) return NULL;
  hid_t attribute = H5Aopen(h5, name, H5P_DEFAULT);
  hid_t type = attribute >= 0 ? H5Aget_type(attribute) : -1;
  hid_t space = attribute >= 0 ? H5Aget_space(attribute) : -1;
  char *text = NULL;
  if (type >= 0 && space >= 0 && H5Tget_class(type) == H5T_STRING && !H5Tis_variable_str(type) &&
      H5Sget_simple_extent_npoints(space) == 1 && H5Tget_size(type) < MOST_BYTES)
    text = calloc(H5Tget_size(type) + 1, 1);
  if (text && H5Aread(attribute, type, text) < 0) text[0] = '\0';
  if (space >= 0) (void)H5Sclose(space);
  if (type >= 0) (void)H5Tclose(type);
  if (attribute >= 0) (void)H5Aclose(attribute);
  return text;
}

static bool know_kind(carom_store *it) {
  char *format = attribute_text(it->h5, "format"), *kind = attribute_text(it->h5, "kind");
  bool run = format && strcmp(format, "carom recording") == 0;
  bool tables = format && strcmp(format, "carom tables") == 0;
  (void)snprintf(it->kind, sizeof it->kind, "%s", run ? "run" : kind ? kind : "tables");
  free(format);
  free(kind);
  return run || tables;
}

carom_status carom_store_open(const char *file, carom_store **store, carom_error *error) {
  *store = NULL;
  carom_status status = carom_seal_check(file, error);
  if (status != CAROM_OK) return status;
  carom_store *it = calloc(1, sizeof *it);
  if (!it) return carom_record_no_memory(error);
  carom_h5_silence silence = carom_h5_silence_begin();
  it->h5 = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (it->h5 < 0)
    status = carom_record_fail(error, CAROM_ERR_INPUT, file,
                               "is not an HDF5 file, or not one that was closed");
  else if (!know_kind(it))
    status = carom_record_fail(error, CAROM_ERR_INPUT, file,
                               "is an HDF5 file, but was not recorded by Carom");
  carom_h5_silence_end(silence);
  if (status == CAROM_OK)
    *store = it;
  else
    carom_store_close(it);
  return status;
}

void carom_store_close(carom_store *store) {
  if (!store) return;
  if (store->h5 >= 0) (void)H5Fclose(store->h5);
  free(store);
}

const char *carom_store_kind(const carom_store *store) { return store->kind; }

// ---- paths ----

static hid_t open_object(const carom_store *it, const char *path, H5I_type_t wanted) {
  hid_t object = carom_h5_exists(it->h5, path) ? H5Oopen(it->h5, path, H5P_DEFAULT) : -1;
  if (object >= 0 && H5Iget_type(object) != wanted) {
    (void)H5Oclose(object);
    return -1;
  }
  return object;
}

// rows and columns of a dataset of at most two dimensions; false: it has more
static bool dataset_extent(hid_t dataset, hsize_t size[2]) {
  hid_t space = H5Dget_space(dataset);
  int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
  size[0] = size[1] = 1;
  bool good = rank >= 0 && rank <= 2 && H5Sget_simple_extent_dims(space, size, NULL) >= 0;
  if (space >= 0) (void)H5Sclose(space);
  return good && (size[1] == 0 || size[0] <= MOST_BYTES / sizeof(double) / size[1]);
}

static H5T_class_t class_of(hid_t dataset) {
  hid_t type = H5Dget_type(dataset);
  H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
  if (type >= 0) (void)H5Tclose(type);
  return class;
}

// ---- values ----

double *carom_store_array(const carom_store *store, const char *path, long *rows, long *columns) {
  carom_h5_silence silence = carom_h5_silence_begin();
  hid_t dataset = open_object(store, path, H5I_DATASET);
  H5T_class_t class = dataset >= 0 ? class_of(dataset) : H5T_NO_CLASS;
  hsize_t size[2] = {0, 0};
  double *values = NULL;
  if ((class == H5T_FLOAT || class == H5T_INTEGER) && dataset_extent(dataset, size))
    values = calloc((size_t)(size[0] * size[1]) + 1, sizeof *values);
  if (values && size[0] * size[1] > 0 &&
      carom_h5_read(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, values) < 0) {
    free(values);
    values = NULL;
  }
  if (dataset >= 0) (void)H5Oclose(dataset);
  carom_h5_silence_end(silence);
  *rows = values ? (long)size[0] : 0;
  if (columns) *columns = values ? (long)size[1] : 0;
  return values;
}

double carom_store_number(const carom_store *store, const char *path, double otherwise) {
  long rows, columns;
  double *values = carom_store_array(store, path, &rows, &columns);
  double value = values && rows * columns == 1 ? values[0] : otherwise;
  free(values);
  return value;
}

int carom_store_attribute(const carom_store *store, const char *path, const char *name,
                          int otherwise) {
  carom_h5_silence silence = carom_h5_silence_begin();
  hid_t object = open_object(store, path, H5I_GROUP);
  hid_t attribute =
      object >= 0 && H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
  hid_t space = attribute >= 0 ? H5Aget_space(attribute) : -1;
  int value = otherwise;
  if (space >= 0 && H5Sget_simple_extent_npoints(space) == 1 &&
      H5Aread(attribute, H5T_NATIVE_INT, &value) < 0)
    value = otherwise;
  if (space >= 0) (void)H5Sclose(space);
  if (attribute >= 0) (void)H5Aclose(attribute);
  if (object >= 0) (void)H5Oclose(object);
  carom_h5_silence_end(silence);
  return value;
}

// ---- texts ----

// pointers and texts in one block
static char **pack_texts(long count, const char *const *texts) {
  size_t size = ((size_t)count + 1) * sizeof(char *);
  for (long k = 0; k < count; k++)
    size += strlen(texts[k]) + 1;
  char **packed = malloc(size);
  if (!packed) return NULL;
  char *at = (char *)(packed + count + 1);
  for (long k = 0; k < count; k++) {
    size_t length = strlen(texts[k]) + 1;
    memcpy(at, texts[k], length);
    packed[k] = at;
    at += length;
  }
  packed[count] = NULL;
  return packed;
}

static char **read_variable(hid_t dataset, hid_t type, long count) {
  char **read = calloc((size_t)count + 1, sizeof *read), **packed = NULL;
  hid_t memory = carom_h5_text_type(0), space = H5Dget_space(dataset);
  (void)type;
  if (read && (count == 0 || carom_h5_read(dataset, memory, H5S_ALL, H5S_ALL, read) >= 0)) {
    for (long k = 0; k < count; k++)
      if (!read[k]) read[k] = calloc(1, 1);
    packed = pack_texts(count, (const char *const *)read);
    (void)H5Dvlen_reclaim(memory, space, H5P_DEFAULT, read);
  }
  if (space >= 0) (void)H5Sclose(space);
  if (memory >= 0) (void)H5Tclose(memory);
  free(read);
  return packed;
}

static char **read_fixed(hid_t dataset, hid_t type, long count) {
  size_t width = H5Tget_size(type);
  char *block = calloc((size_t)count + 1, width), *texts = calloc((size_t)count + 1, width + 1);
  const char **list = calloc((size_t)count + 1, sizeof *list);
  char **packed = NULL;
  if (block && texts && list &&
      (count == 0 || carom_h5_read(dataset, type, H5S_ALL, H5S_ALL, block) >= 0)) {
    for (long k = 0; k < count; k++) {
      memcpy(texts + (size_t)k * (width + 1), block + (size_t)k * width, width);
      list[k] = texts + (size_t)k * (width + 1);
    }
    packed = pack_texts(count, list);
  }
  free(block);
  free(texts);
  free(list);
  return packed;
}

char **carom_store_texts(const carom_store *store, const char *path, long *count) {
  carom_h5_silence silence = carom_h5_silence_begin();
  hid_t dataset = open_object(store, path, H5I_DATASET);
  hid_t type = dataset >= 0 ? H5Dget_type(dataset) : -1;
  hsize_t size[2];
  char **texts = NULL;
  *count = 0;
  if (type >= 0 && H5Tget_class(type) == H5T_STRING && dataset_extent(dataset, size) &&
      size[1] == 1 && H5Tget_size(type) < MOST_BYTES / (size[0] + 1)) {
    texts = H5Tis_variable_str(type) > 0 ? read_variable(dataset, type, (long)size[0])
                                         : read_fixed(dataset, type, (long)size[0]);
    if (texts) *count = (long)size[0];
  }
  if (type >= 0) (void)H5Tclose(type);
  if (dataset >= 0) (void)H5Oclose(dataset);
  carom_h5_silence_end(silence);
  return texts;
}

char *carom_store_text(const carom_store *store, const char *path) {
  if (path[0] != '/') {
    carom_h5_silence silence = carom_h5_silence_begin();
    char *text = attribute_text(store->h5, path);
    carom_h5_silence_end(silence);
    return text;
  }
  long count;
  char **texts = carom_store_texts(store, path, &count), *text = NULL;
  if (texts && count == 1) {
    text = malloc(strlen(texts[0]) + 1);
    if (text) memcpy(text, texts[0], strlen(texts[0]) + 1);
  }
  free(texts);
  return text;
}

// ---- lists ----

char **carom_store_list(const carom_store *store, const char *path, int *count) {
  carom_h5_silence silence = carom_h5_silence_begin();
  hid_t group = strcmp(path, "/") == 0 ? H5Gopen2(store->h5, "/", H5P_DEFAULT)
                                       : open_object(store, path, H5I_GROUP);
  carom_h5_names found = {0};
  char **packed = NULL;
  *count = 0;
  if (group >= 0) {
    carom_h5_list(group, &found);
    packed = pack_texts(found.count, (const char *const *)found.items);
    if (packed) *count = found.count;
    (void)H5Oclose(group);
  }
  carom_h5_names_release(&found);
  carom_h5_silence_end(silence);
  return packed;
}
