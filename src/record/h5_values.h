// SPDX-License-Identifier: MIT
/// Small values in HDF5 files: texts, numbers, lists of names. All functions return false (or a
/// negative handle) on failure and print nothing while a carom_h5_silence is in force.
#ifndef CAROM_RECORD_H5_VALUES_H
#define CAROM_RECORD_H5_VALUES_H

#include <hdf5.h>
#include <stdbool.h>

/// HDF5 prints its errors unless told not to; the caller's setting comes back afterwards.
typedef struct carom_h5_silence {
  H5E_auto2_t print;
  void *data;
} carom_h5_silence;
carom_h5_silence carom_h5_silence_begin(void);
void carom_h5_silence_end(carom_h5_silence silence);

/// Creates a file whose groups list their members in the order of creation, without time stamps.
hid_t carom_h5_create(const char *path);
/// Creates a group that lists its members in the order of creation, without time stamps.
hid_t carom_h5_group(hid_t place, const char *name);
/// Creates an empty dataset of `columns` (0: one-dimensional) that grows by rows.
hid_t carom_h5_growing(hid_t place, const char *name, hid_t type, hsize_t rows_per_chunk,
                       hsize_t columns);
/// Appends rows to such a dataset whose length is `length`.
bool carom_h5_append(hid_t dataset, hid_t type, hsize_t length, hsize_t rows, hsize_t columns,
                     const void *values);

/// Reads a dataset. The checksums of its chunks are left to other programs: a whole file was
/// checked by its seal, and of one whose run was killed as much is wanted as there is.
herr_t carom_h5_read(hid_t dataset, hid_t type, hid_t memory, hid_t file, void *values);

/// A UTF-8 text type of `length` bytes, zero-padded; 0: variable length.
hid_t carom_h5_text_type(size_t length);
/// Scalar datasets. A text takes `room` bytes in the file, or as many as it has where that is 0.
bool carom_h5_put_text(hid_t place, const char *name, const char *text, size_t room);
bool carom_h5_put_number(hid_t place, const char *name, double value);
bool carom_h5_put_count(hid_t place, const char *name, long value);
bool carom_h5_put_flag(hid_t place, const char *name, bool value);
/// Group `provenance`: version, compiler, machine, date; a wall time where there is one. Texts that
/// differ from run to run have a fixed length, so that nothing else in the file moves.
bool carom_h5_put_provenance(hid_t file, const double *wall_time);
/// Does every link of the path exist? HDF5 asks for one at a time.
bool carom_h5_exists(hid_t place, const char *path);
/// The members of a group, in the order of creation where the file has kept it, else by name. The
/// names are the caller's, to be released.
typedef struct carom_h5_names {
  char **items;
  int count, room;
} carom_h5_names;
void carom_h5_list(hid_t group, carom_h5_names *names);
void carom_h5_names_release(carom_h5_names *names);

/// Attributes.
bool carom_h5_attribute_text(hid_t object, const char *name, const char *text);
bool carom_h5_attribute_count(hid_t object, const char *name, int value);
bool carom_h5_attribute_texts(hid_t object, const char *name, int count, const char *const *texts);

#endif
