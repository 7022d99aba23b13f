// SPDX-License-Identifier: MIT
/// Reading recorded files. The file may come from anywhere: every type and size is looked at
/// before anything is read.
#include "carom/record.h"
#include "record/h5_values.h"
#include "record/seal.h"
#include "record/trouble.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 4, LONGEST_TEXT = 64 << 20, MOST_KINDS = 32, KIND_ROOM = 64 };
static const char *const GROUP_NAMES[GROUPS] = {"series", "observables", "certificate",
                                                "provenance"};

typedef struct kind_tally {
  char name[KIND_ROOM + 1];
  long count;
} kind_tally;

struct carom_recording {
  hid_t h5;
  carom_h5_names groups[GROUPS];
  long samples, events;
  kind_tally kinds[MOST_KINDS];
  int kind_count;
};

// ---- opening ----

// a group that is missing has no members
static void list_members(hid_t h5, const char *name, carom_h5_names *list) {
  if (H5Lexists(h5, name, H5P_DEFAULT) <= 0) return;
  hid_t group = H5Gopen2(h5, name, H5P_DEFAULT);
  if (group < 0) return;
  carom_h5_list(group, list);
  (void)H5Gclose(group);
}

static hid_t open_dataset(hid_t h5, const char *path) {
  return carom_h5_exists(h5, path) ? H5Dopen2(h5, path, H5P_DEFAULT) : -1;
}

// numbers in a dataset; -1 when there is no such dataset
static long dataset_length(hid_t dataset) {
  hid_t space = H5Dget_space(dataset);
  if (space < 0) return -1;
  hssize_t length = H5Sget_simple_extent_npoints(space);
  (void)H5Sclose(space);
  return (long)length;
}

static long path_length(hid_t h5, const char *path) {
  hid_t dataset = open_dataset(h5, path);
  if (dataset < 0) return 0;
  long length = dataset_length(dataset);
  (void)H5Dclose(dataset);
  return length > 0 ? length : 0;
}

static H5T_class_t dataset_class(hid_t dataset) {
  hid_t type = H5Dget_type(dataset);
  H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
  if (type >= 0) (void)H5Tclose(type);
  return class;
}

static bool is_recording(hid_t h5) {
  char text[32] = {0};
  if (H5Aexists(h5, "format") <= 0) return false;
  hid_t attribute = H5Aopen(h5, "format", H5P_DEFAULT);
  hid_t type = attribute >= 0 ? H5Aget_type(attribute) : -1;
  bool good = type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
              H5Tget_size(type) < sizeof text && H5Aread(attribute, type, text) >= 0 &&
              strcmp(text, "carom recording") == 0;
  if (type >= 0) (void)H5Tclose(type);
  if (attribute >= 0) (void)H5Aclose(attribute);
  return good;
}

static bool read_rows(hid_t dataset, hid_t type, long first, long count, void *values) {
  long length = dataset_length(dataset);
  if (first < 0 || count < 0 || first > length || count > length - first) return false;
  if (count == 0) return true;
  hsize_t start = (hsize_t)first, size = (hsize_t)count;
  hid_t file = H5Dget_space(dataset), memory = H5Screate_simple(1, &size, NULL);
  bool good = file >= 0 && memory >= 0 && H5Sget_simple_extent_ndims(file) == 1 &&
              H5Sselect_hyperslab(file, H5S_SELECT_SET, &start, NULL, &size, NULL) >= 0 &&
              carom_h5_read(dataset, type, memory, file, values) >= 0;
  if (file >= 0) (void)H5Sclose(file);
  if (memory >= 0) (void)H5Sclose(memory);
  return good;
}

static void tally_kind(carom_recording *it, const char *row, size_t size) {
  for (int k = 0; k < it->kind_count; k++) {
    if (strncmp(it->kinds[k].name, row, size) != 0) continue;
    it->kinds[k].count++;
    return;
  }
  if (it->kind_count == MOST_KINDS) return;
  kind_tally *fresh = &it->kinds[it->kind_count++];
  memcpy(fresh->name, row, size); // the rest is zero
  fresh->count = 1;
}

static void tally_kinds(carom_recording *it) {
  enum { ROWS = 256 };
  char rows[ROWS * KIND_ROOM];
  hid_t dataset = open_dataset(it->h5, "/events/kind");
  hid_t type = dataset >= 0 ? H5Dget_type(dataset) : -1;
  size_t size = type >= 0 ? H5Tget_size(type) : 0;
  bool good = size > 0 && size <= KIND_ROOM && H5Tget_class(type) == H5T_STRING &&
              H5Tis_variable_str(type) == 0;
  long length = good ? dataset_length(dataset) : 0;
  for (long at = 0; good && at < length; at += ROWS) {
    long here = length - at < ROWS ? length - at : ROWS;
    good = read_rows(dataset, type, at, here, rows);
    for (long k = 0; good && k < here; k++)
      tally_kind(it, rows + (size_t)k * size, size);
  }
  if (type >= 0) (void)H5Tclose(type);
  if (dataset >= 0) (void)H5Dclose(dataset);
}

static carom_status open_recording(const char *file, carom_recording *it, carom_error *error) {
  it->h5 = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (it->h5 < 0)
    return carom_record_fail(error, CAROM_ERR_INPUT, file,
                             "is not an HDF5 file, or not one that was closed");
  if (!is_recording(it->h5))
    return carom_record_fail(error, CAROM_ERR_INPUT, file,
                             "is an HDF5 file, but not a recording of Carom");
  for (int k = 0; k < GROUPS; k++)
    list_members(it->h5, GROUP_NAMES[k], &it->groups[k]);
  it->samples = path_length(it->h5, "/series/t");
  it->events = path_length(it->h5, "/events/t");
  tally_kinds(it);
  return CAROM_OK;
}

carom_status carom_recording_open(const char *file, carom_recording **recording,
                                  carom_error *error) {
  *recording = NULL;
  carom_status status = carom_seal_check(file, error);
  if (status != CAROM_OK) return status;
  carom_recording *it = calloc(1, sizeof *it);
  if (!it) return carom_record_no_memory(error);
  carom_h5_silence silence = carom_h5_silence_begin();
  status = open_recording(file, it, error);
  carom_h5_silence_end(silence);
  if (status != CAROM_OK) {
    carom_recording_close(it);
    return status;
  }
  *recording = it;
  return CAROM_OK;
}

void carom_recording_close(carom_recording *recording) {
  if (!recording) return;
  for (int k = 0; k < GROUPS; k++)
    carom_h5_names_release(&recording->groups[k]);
  if (recording->h5 > 0) (void)H5Fclose(recording->h5);
  free(recording);
}

// ---- what is inside ----

int carom_recording_count(const carom_recording *recording, carom_recording_group group) {
  return recording->groups[group].count;
}

const char *carom_recording_name(const carom_recording *recording, carom_recording_group group,
                                 int k) {
  if (k < 0 || k >= recording->groups[group].count) return NULL;
  return recording->groups[group].items[k];
}

long carom_recording_samples(const carom_recording *recording) { return recording->samples; }
long carom_recording_events(const carom_recording *recording) { return recording->events; }

carom_status carom_recording_series(const carom_recording *recording, const char *name, long first,
                                    long count, double *values, carom_error *error) {
  char path[300];
  (void)snprintf(path, sizeof path, "/series/%s", name);
  carom_h5_silence silence = carom_h5_silence_begin();
  hid_t dataset = open_dataset(recording->h5, path);
  bool good = dataset >= 0 && dataset_class(dataset) == H5T_FLOAT &&
              read_rows(dataset, H5T_NATIVE_DOUBLE, first, count, values);
  if (dataset >= 0) (void)H5Dclose(dataset);
  carom_h5_silence_end(silence);
  if (good) return CAROM_OK;
  return carom_record_fail(error, CAROM_ERR_INPUT, NULL,
                           "cannot read %ld samples of '%s' from number %ld", count, name, first);
}

carom_status carom_recording_number(const carom_recording *recording, const char *path,
                                    double *value, carom_error *error) {
  carom_h5_silence silence = carom_h5_silence_begin();
  hid_t dataset = open_dataset(recording->h5, path);
  H5T_class_t class = dataset >= 0 ? dataset_class(dataset) : H5T_NO_CLASS;
  bool good = (class == H5T_FLOAT || class == H5T_INTEGER) && dataset_length(dataset) == 1 &&
              carom_h5_read(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, value) >= 0;
  if (dataset >= 0) (void)H5Dclose(dataset);
  carom_h5_silence_end(silence);
  if (good) return CAROM_OK;
  return carom_record_fail(error, CAROM_ERR_INPUT, NULL, "the recording has no number %s", path);
}

// fixed-length text of a dataset or, where `attribute` is true, an attribute
static char *read_text(hid_t object, bool attribute) {
  hid_t type = attribute ? H5Aget_type(object) : H5Dget_type(object);
  hid_t space = attribute ? H5Aget_space(object) : H5Dget_space(object);
  char *text = NULL;
  if (type >= 0 && space >= 0 && H5Tget_class(type) == H5T_STRING &&
      H5Tis_variable_str(type) == 0 && H5Sget_simple_extent_npoints(space) == 1 &&
      H5Tget_size(type) < LONGEST_TEXT)
    text = calloc(H5Tget_size(type) + 1, 1);
  herr_t done = -1;
  if (text)
    done = attribute ? H5Aread(object, type, text)
                     : carom_h5_read(object, type, H5S_ALL, H5S_ALL, text);
  if (done < 0) {
    free(text);
    text = NULL;
  }
  if (type >= 0) (void)H5Tclose(type);
  if (space >= 0) (void)H5Sclose(space);
  return text;
}

carom_status carom_recording_text(const carom_recording *recording, const char *path, char **text,
                                  carom_error *error) {
  *text = NULL;
  carom_h5_silence silence = carom_h5_silence_begin();
  if (path[0] == '/') {
    hid_t dataset = open_dataset(recording->h5, path);
    if (dataset >= 0) {
      *text = read_text(dataset, false);
      (void)H5Dclose(dataset);
    }
  } else if (H5Aexists(recording->h5, path) > 0) {
    hid_t attribute = H5Aopen(recording->h5, path, H5P_DEFAULT);
    if (attribute >= 0) {
      *text = read_text(attribute, true);
      (void)H5Aclose(attribute);
    }
  }
  carom_h5_silence_end(silence);
  if (*text) return CAROM_OK;
  return carom_record_fail(error, CAROM_ERR_INPUT, NULL, "the recording has no text %s", path);
}

const char *carom_recording_event_kind(const carom_recording *recording, int k, long *count) {
  if (k < 0 || k >= recording->kind_count) return NULL;
  *count = recording->kinds[k].count;
  return recording->kinds[k].name;
}
