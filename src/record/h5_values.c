// SPDX-License-Identifier: MIT
#include "record/h5_values.h"

#include "base/text.h"
#include "record/seal.h"
#include "record/sink.h"

#include <stdlib.h>
#include <string.h>

carom_h5_silence carom_h5_silence_begin(void) {
  carom_h5_silence silence = {0};
  // HDF5 ends itself when a program exits, and stumbles over what a full disk left half done; files
  // are closed long before
  (void)H5dont_atexit();
  (void)H5Eget_auto2(H5E_DEFAULT, &silence.print, &silence.data);
  (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return silence;
}

void carom_h5_silence_end(carom_h5_silence silence) {
  (void)H5Eset_auto2(H5E_DEFAULT, silence.print, silence.data);
}

hid_t carom_h5_group(hid_t place, const char *name) {
  hid_t properties = H5Pcreate(H5P_GROUP_CREATE);
  hid_t group = -1;
  if (H5Pset_obj_track_times(properties, false) >= 0 &&
      H5Pset_link_creation_order(properties, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) >= 0)
    group = H5Gcreate2(place, name, H5P_DEFAULT, properties, H5P_DEFAULT);
  (void)H5Pclose(properties);
  return group;
}

// of new datasets: no time stamps; rank 0: not chunked
static hid_t dataset_properties(int rank, const hsize_t *chunk) {
  hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  bool good = H5Pset_obj_track_times(properties, false) >= 0;
  if (rank > 0) good = good && H5Pset_chunk(properties, rank, chunk) >= 0;
  if (good) return properties;
  (void)H5Pclose(properties);
  return -1;
}

hid_t carom_h5_growing(hid_t place, const char *name, hid_t type, hsize_t rows_per_chunk,
                       hsize_t columns) {
  int rank = columns > 0 ? 2 : 1;
  hsize_t now[2] = {0, columns}, most[2] = {H5S_UNLIMITED, columns};
  hsize_t chunk[2] = {rows_per_chunk, columns};
  hid_t space = H5Screate_simple(rank, now, most);
  hid_t properties = dataset_properties(rank, chunk);
  hid_t dataset = -1;
  // a checksum for every chunk, but of texts of any length, whose chunks hold only references
  bool good = space >= 0 && properties >= 0 &&
              (H5Tis_variable_str(type) > 0 || H5Pset_fletcher32(properties) >= 0);
  if (good) dataset = H5Dcreate2(place, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  if (space >= 0) (void)H5Sclose(space);
  if (properties >= 0) (void)H5Pclose(properties);
  return dataset;
}

bool carom_h5_append(hid_t dataset, hid_t type, hsize_t length, hsize_t rows, hsize_t columns,
                     const void *values) {
  int rank = columns > 0 ? 2 : 1;
  hsize_t start[2] = {length, 0}, count[2] = {rows, columns}, size[2] = {length + rows, columns};
  if (H5Dset_extent(dataset, size) < 0) return false;
  hid_t memory = H5Screate_simple(rank, count, NULL), file = H5Dget_space(dataset);
  bool good = memory >= 0 && file >= 0 &&
              H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
              H5Dwrite(dataset, type, memory, file, H5P_DEFAULT, values) >= 0;
  if (memory >= 0) (void)H5Sclose(memory);
  if (file >= 0) (void)H5Sclose(file);
  return good;
}

herr_t carom_h5_read(hid_t dataset, hid_t type, hid_t memory, hid_t file, void *values) {
  hid_t properties = H5Pcreate(H5P_DATASET_XFER);
  herr_t status = -1;
  if (properties >= 0 && H5Pset_edc_check(properties, H5Z_DISABLE_EDC) >= 0)
    status = H5Dread(dataset, type, memory, file, properties, values);
  if (properties >= 0) (void)H5Pclose(properties);
  return status;
}

hid_t carom_h5_text_type(size_t length) {
  hid_t type = H5Tcopy(H5T_C_S1);
  bool good = H5Tset_size(type, length > 0 ? length : H5T_VARIABLE) >= 0 &&
              H5Tset_cset(type, H5T_CSET_UTF8) >= 0 &&
              H5Tset_strpad(type, length > 0 ? H5T_STR_NULLPAD : H5T_STR_NULLTERM) >= 0;
  if (good) return type;
  (void)H5Tclose(type);
  return -1;
}

static bool put_scalar(hid_t place, const char *name, hid_t file_type, hid_t memory_type,
                       const void *value) {
  hid_t space = H5Screate(H5S_SCALAR), properties = dataset_properties(0, NULL);
  hid_t dataset = H5Dcreate2(place, name, file_type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  bool good =
      dataset >= 0 && H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0;
  if (dataset >= 0) good = H5Dclose(dataset) >= 0 && good;
  if (space >= 0) (void)H5Sclose(space);
  if (properties >= 0) (void)H5Pclose(properties);
  return good;
}

bool carom_h5_put_text(hid_t place, const char *name, const char *text, size_t room) {
  size_t length = strlen(text);
  if (room == 0) room = length > 0 ? length : 1;
  char *padded = calloc(room, 1);
  if (!padded) return false;
  memcpy(padded, text, length < room ? length : room);
  hid_t type = carom_h5_text_type(room);
  bool good = type >= 0 && put_scalar(place, name, type, type, padded);
  if (type >= 0) (void)H5Tclose(type);
  free(padded);
  return good;
}

bool carom_h5_put_number(hid_t place, const char *name, double value) {
  return put_scalar(place, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

bool carom_h5_put_count(hid_t place, const char *name, long value) {
  return put_scalar(place, name, H5T_STD_I64LE, H5T_NATIVE_LONG, &value);
}

bool carom_h5_put_flag(hid_t place, const char *name, bool value) {
  unsigned char byte = value ? 1 : 0;
  return put_scalar(place, name, H5T_STD_U8LE, H5T_NATIVE_UCHAR, &byte);
}

// writes and closes; an old attribute of the name is replaced
static bool put_attribute(hid_t object, const char *name, hid_t type, hid_t memory_type,
                          hid_t space, const void *value) {
  if (H5Aexists(object, name) > 0) (void)H5Adelete(object, name);
  hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  bool good = attribute >= 0 && H5Awrite(attribute, memory_type, value) >= 0;
  if (attribute >= 0) good = H5Aclose(attribute) >= 0 && good;
  return good;
}

bool carom_h5_attribute_text(hid_t object, const char *name, const char *text) {
  hid_t type = carom_h5_text_type(text[0] ? strlen(text) : 1), space = H5Screate(H5S_SCALAR);
  bool good = type >= 0 && space >= 0 && put_attribute(object, name, type, type, space, text);
  if (type >= 0) (void)H5Tclose(type);
  if (space >= 0) (void)H5Sclose(space);
  return good;
}

bool carom_h5_attribute_count(hid_t object, const char *name, int value) {
  hid_t space = H5Screate(H5S_SCALAR);
  bool good =
      space >= 0 && put_attribute(object, name, H5T_STD_I32LE, H5T_NATIVE_INT, space, &value);
  if (space >= 0) (void)H5Sclose(space);
  return good;
}

// fixed length: the longest of them
bool carom_h5_attribute_texts(hid_t object, const char *name, int count, const char *const *texts) {
  if (count <= 0) return true;
  size_t longest = 1;
  for (int k = 0; k < count; k++)
    if (strlen(texts[k]) > longest) longest = strlen(texts[k]);
  char *padded = calloc((size_t)count, longest);
  if (!padded) return false;
  for (int k = 0; k < count; k++)
    memcpy(padded + (size_t)k * longest, texts[k], strlen(texts[k]));
  hsize_t size = (hsize_t)count;
  hid_t type = carom_h5_text_type(longest), space = H5Screate_simple(1, &size, NULL);
  bool good = type >= 0 && space >= 0 && put_attribute(object, name, type, type, space, padded);
  if (type >= 0) (void)H5Tclose(type);
  if (space >= 0) (void)H5Sclose(space);
  free(padded);
  return good;
}

hid_t carom_h5_create(const char *path) {
  hid_t properties = H5Pcreate(H5P_FILE_CREATE);
  hid_t file = -1;
  if (H5Pset_obj_track_times(properties, false) >= 0 &&
      H5Pset_link_creation_order(properties, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) >= 0)
    file = H5Pset_userblock(properties, CAROM_SEAL_SIZE) >= 0
               ? H5Fcreate(path, H5F_ACC_TRUNC, properties, H5P_DEFAULT)
               : -1;
  (void)H5Pclose(properties);
  if (file < 0 || carom_seal_begin(path)) return file;
  (void)H5Fclose(file);
  return -1;
}

// ---- members of a group ----

static herr_t add_name(hid_t group, const char *name, const H5L_info_t *info, void *data) {
  carom_h5_names *it = data;
  (void)group;
  (void)info;
  if (it->count == it->room) {
    int room = it->room > 0 ? 2 * it->room : 16;
    char **grown = realloc(it->items, (size_t)room * sizeof *grown);
    if (!grown) return -1;
    it->items = grown;
    it->room = room;
  }
  char *copy = carom_text_copy(name);
  if (!copy) return -1;
  it->items[it->count++] = copy;
  return 0;
}

void carom_h5_list(hid_t group, carom_h5_names *names) {
  hsize_t at = 0;
  if (H5Literate(group, H5_INDEX_CRT_ORDER, H5_ITER_INC, &at, add_name, names) >= 0) return;
  at = 0;
  if (names->count == 0) (void)H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, &at, add_name, names);
}

void carom_h5_names_release(carom_h5_names *names) {
  for (int k = 0; k < names->count; k++)
    free(names->items[k]);
  free(names->items);
  *names = (carom_h5_names){0};
}

bool carom_h5_put_provenance(hid_t file, const double *wall_time) {
  enum { HOST_ROOM = 256, DATE_ROOM = 32 };
  carom_provenance provenance;
  carom_provenance_now(&provenance);
  hid_t group = carom_h5_group(file, "provenance");
  if (group < 0) return false;
  bool good = carom_h5_put_text(group, "version", provenance.version, 0) &&
              carom_h5_put_text(group, "revision", provenance.revision, 0) &&
              carom_h5_put_text(group, "compiler", provenance.compiler, 0) &&
              carom_h5_put_text(group, "flags", provenance.flags, 0) &&
              carom_h5_put_text(group, "host", provenance.host, HOST_ROOM) &&
              carom_h5_put_text(group, "date", provenance.date, DATE_ROOM) &&
              (!wall_time || carom_h5_put_number(group, "wall_time", *wall_time));
  return H5Gclose(group) >= 0 && good;
}

bool carom_h5_exists(hid_t place, const char *path) {
  char part[512];
  size_t length = strlen(path);
  if (length == 0 || length >= sizeof part) return false;
  for (size_t k = 1; k <= length; k++) {
    if (path[k] != '/' && path[k] != '\0') continue;
    memcpy(part, path, k);
    part[k] = '\0';
    if (H5Lexists(place, part, H5P_DEFAULT) <= 0) return false;
  }
  return true;
}
