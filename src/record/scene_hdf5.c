// SPDX-License-Identifier: MIT
/// What is seen at samples, in blocks of rows: contacts and energies one dataset a quantity, bodies
/// one wide dataset. Beds of very many bodies are kept at fewer instants.
#include "record/scene_hdf5.h"

#include "engine/scene_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  ROWS = 1024,
  FRAME_ROWS = 64,
  MANY_NUMBERS = 6000, // a scene of more is kept in single precision, at fewer instants
  FEWEST_FRAMES = 25
};

int carom_ledger_entries(const carom_certificate *ledger,
                         carom_ledger_entry entries[CAROM_LEDGER_MOST]) {
  const carom_ledger_entry all[] = {{"kinetic", ledger->energy.kinetic},
                                    {"potential", ledger->energy.potential},
                                    {"work_drives", ledger->energy.work_drives},
                                    {"work_forces", ledger->energy.work_forces},
                                    {"work_events", ledger->energy.work_events},
                                    {"lost_dampers", ledger->energy.lost_dampers},
                                    {"lost_friction", ledger->energy.lost_friction},
                                    {"lost_impacts", ledger->energy.lost_impacts},
                                    {"lost_impact_friction", ledger->energy.lost_impact_friction},
                                    {"residual", ledger->energy.residual}};
  int count = sizeof all / sizeof *all;
  memcpy(entries, all, sizeof all);
  for (int k = 0; k < ledger->energy.work_count; k++)
    entries[count++] =
        (carom_ledger_entry){ledger->energy.works[k].name, ledger->energy.works[k].done};
  return count;
}

const char *const CAROM_CONTACT_NAMES[CAROM_CONTACT_NUMBERS] = {
    "gap", "slip", "normal", "tangential", "x", "y", "force_x", "force_y"};

void carom_contact_numbers(const carom_contact_view *view, double numbers[CAROM_CONTACT_NUMBERS]) {
  const double all[CAROM_CONTACT_NUMBERS] = {view->gap,        view->slip,    view->normal,
                                             view->tangential, view->at[0],   view->at[1],
                                             view->force[0],   view->force[1]};
  memcpy(numbers, all, sizeof all);
}

struct carom_scene_sheet {
  const carom_scene *scene;
  hid_t mode_type;
  int contacts, columns; // columns: of contacts, then of the ledger
  hid_t *modes, *datasets;
  char *mode_block; // contact after contact, ROWS each
  double *block;    // column after column, ROWS each
  hsize_t held, written;
  hid_t frame_t, frames;
  int size, frame_rows;
  double start, apart, next; // time between two frames; 0: at every sample
  double *frame_t_block, *frame_block;
  hsize_t frame_held, frame_written;
};

// ---- opening ----

static bool open_contact(carom_scene_sheet *it, hid_t place, int k, const char *name) {
  hid_t group = carom_h5_group(place, name);
  if (group < 0) return false;
  it->modes[k] = carom_h5_growing(group, "mode", it->mode_type, ROWS, 0);
  bool good = it->modes[k] >= 0;
  for (int j = 0; j < CAROM_CONTACT_NUMBERS && good; j++) {
    it->datasets[CAROM_CONTACT_NUMBERS * k + j] =
        carom_h5_growing(group, CAROM_CONTACT_NAMES[j], H5T_IEEE_F64LE, ROWS, 0);
    good = it->datasets[CAROM_CONTACT_NUMBERS * k + j] >= 0;
  }
  return H5Gclose(group) >= 0 && good;
}

static bool open_contacts(carom_scene_sheet *it, hid_t h5, const char *const *names) {
  if (it->contacts == 0) return true;
  hid_t group = carom_h5_group(h5, "contacts");
  bool good = group >= 0 && carom_h5_attribute_texts(group, "names", it->contacts, names);
  for (int k = 0; k < it->contacts && good; k++)
    good = open_contact(it, group, k, names[k]);
  if (group >= 0) (void)H5Gclose(group);
  return good;
}

static bool open_energy(carom_scene_sheet *it, hid_t h5) {
  hid_t group = carom_h5_group(h5, "energy");
  bool good = group >= 0;
  carom_ledger_entry entries[CAROM_LEDGER_MOST];
  int count = carom_ledger_entries(carom_scene_ledger(it->scene), entries);
  for (int k = 0; k < count && good; k++) {
    hid_t *dataset = &it->datasets[CAROM_CONTACT_NUMBERS * it->contacts + k];
    *dataset = carom_h5_growing(group, entries[k].name, H5T_IEEE_F64LE, ROWS, 0);
    good = *dataset >= 0;
  }
  if (group >= 0) (void)H5Gclose(group);
  return good;
}

// a whole array at once
static bool put_array(hid_t place, const char *name, hid_t type, hid_t memory, int count,
                      const void *values) {
  hid_t dataset = carom_h5_growing(place, name, type, (hsize_t)(count > 0 ? count : 1), 0);
  bool good = dataset >= 0 &&
              (count == 0 || carom_h5_append(dataset, memory, 0, (hsize_t)count, 0, values));
  if (dataset >= 0) (void)H5Dclose(dataset);
  return good;
}

static bool put_counts(hid_t group, const carom_scene *scene, const char *name, int which) {
  int count = carom_scene_parts(scene);
  int *values = calloc((size_t)count + 1, sizeof *values);
  for (int k = 0; k < count && values; k++) {
    const carom_part *part = carom_scene_part(scene, k);
    const int all[] = {part->first, part->count, part->fixed_first, part->fixed_length};
    values[k] = all[which];
  }
  bool good = values && put_array(group, name, H5T_STD_I32LE, H5T_NATIVE_INT, count, values);
  free(values);
  return good;
}

static const char *kind_of(const carom_part *part) { return carom_part_kind_text(part->kind); }
static const char *label_of(const carom_part *part) { return part->label; }
static const char *color_of(const carom_part *part) { return part->color; }
static const char *fill_of(const carom_part *part) { return part->hollow ? "none" : ""; }

static bool put_texts(hid_t group, const carom_scene *scene, const char *name,
                      const char *(*text_of)(const carom_part *)) {
  int count = carom_scene_parts(scene);
  size_t longest = 8;
  for (int k = 0; k < count; k++) {
    size_t length = strlen(text_of(carom_scene_part(scene, k)));
    if (length > longest) longest = length;
  }
  char *texts = calloc((size_t)count + 1, longest);
  for (int k = 0; k < count && texts; k++) {
    const char *text = text_of(carom_scene_part(scene, k));
    memcpy(texts + (size_t)k * longest, text, strlen(text));
  }
  hid_t type = carom_h5_text_type(longest);
  bool good = texts && type >= 0 && put_array(group, name, type, type, count, texts);
  if (type >= 0) (void)H5Tclose(type);
  free(texts);
  return good;
}

static bool open_scene(carom_scene_sheet *it, hid_t h5) {
  const carom_scene *scene = it->scene;
  if (carom_scene_parts(scene) == 0) return true;
  int fixed_count;
  const double *fixed = carom_scene_fixed(scene, &fixed_count);
  hid_t group = carom_h5_group(h5, "scene");
  bool good =
      group >= 0 && carom_h5_attribute_count(group, "space", carom_scene_in_space(scene) ? 1 : 0) &&
      carom_h5_attribute_count(group, "made", carom_scene_is_made(scene) ? 1 : 0) &&
      put_texts(group, scene, "kind", kind_of) && put_texts(group, scene, "label", label_of) &&
      put_texts(group, scene, "color", color_of) && put_texts(group, scene, "fill", fill_of) &&
      put_counts(group, scene, "first", 0) && put_counts(group, scene, "count", 1) &&
      put_counts(group, scene, "fixed_first", 2) && put_counts(group, scene, "fixed_count", 3) &&
      put_array(group, "fixed", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, fixed_count, fixed);
  if (good && it->size > 0) {
    it->frame_t = carom_h5_growing(group, "t", H5T_IEEE_F64LE, ROWS, 0);
    hid_t type = it->size > MANY_NUMBERS ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
    it->frames =
        carom_h5_growing(group, "numbers", type, (hsize_t)it->frame_rows, (hsize_t)it->size);
    good = it->frame_t >= 0 && it->frames >= 0;
  }
  if (group >= 0) (void)H5Gclose(group);
  return good;
}

static bool make_room(carom_scene_sheet *it) {
  size_t contacts = (size_t)it->contacts, columns = (size_t)it->columns;
  it->modes = malloc((contacts + 1) * sizeof *it->modes);
  it->datasets = malloc((columns + 1) * sizeof *it->datasets);
  it->mode_block = calloc(contacts + 1, ROWS);
  it->block = calloc((columns + 1) * ROWS, sizeof *it->block);
  it->frame_t_block = calloc(FRAME_ROWS, sizeof *it->frame_t_block);
  it->frame_block =
      calloc((size_t)it->frame_rows * ((size_t)it->size + 1), sizeof *it->frame_block);
  for (size_t k = 0; k < contacts && it->modes; k++)
    it->modes[k] = -1;
  for (size_t k = 0; k < columns && it->datasets; k++)
    it->datasets[k] = -1;
  return it->modes && it->datasets && it->mode_block && it->block && it->frame_t_block &&
         it->frame_block;
}

// very many bodies: so many instants, evenly spread, that the file stays of a size one can keep
static void space_frames(carom_scene_sheet *it, long most_numbers) {
  const carom_simulation *simulation = it->scene->simulation;
  it->frame_rows = FRAME_ROWS;
  if (it->size <= MANY_NUMBERS) return;
  double frames = fmax((double)most_numbers / it->size, FEWEST_FRAMES);
  it->frame_rows = 1 + FRAME_ROWS * MANY_NUMBERS / it->size;
  it->start = it->next = carom_simulation_time(simulation);
  it->apart = (carom_simulation_until(simulation) - it->start) / frames;
}

carom_status carom_scene_sheet_open(hid_t h5, const carom_scene *scene, const char *const *names,
                                    long most_numbers, carom_scene_sheet **sheet,
                                    carom_error *error) {
  carom_scene_sheet *it = calloc(1, sizeof *it);
  *sheet = it;
  if (!it) return carom_record_no_memory(error);
  it->scene = scene;
  it->frame_t = it->frames = -1;
  (void)carom_scene_contacts(scene, &it->contacts);
  (void)carom_scene_numbers(scene, &it->size);
  carom_ledger_entry entries[CAROM_LEDGER_MOST];
  it->columns = CAROM_CONTACT_NUMBERS * it->contacts +
                carom_ledger_entries(carom_scene_ledger(scene), entries);
  space_frames(it, most_numbers);
  it->mode_type = carom_h5_text_type(1);
  if (!make_room(it)) return carom_record_no_memory(error);
  if (open_contacts(it, h5, names) && open_energy(it, h5) && open_scene(it, h5)) return CAROM_OK;
  return carom_record_fail(error, CAROM_ERR_IO, NULL, "cannot write the scene: is the disk full?");
}

// ---- rows ----

static bool flush_frames(carom_scene_sheet *it) {
  if (it->frame_held == 0) return true;
  bool good = carom_h5_append(it->frame_t, H5T_NATIVE_DOUBLE, it->frame_written, it->frame_held, 0,
                              it->frame_t_block) &&
              carom_h5_append(it->frames, H5T_NATIVE_DOUBLE, it->frame_written, it->frame_held,
                              (hsize_t)it->size, it->frame_block);
  it->frame_written += it->frame_held;
  it->frame_held = 0;
  return good;
}

static bool flush_rows(carom_scene_sheet *it) {
  bool good = true;
  for (int k = 0; k < it->contacts && good && it->held > 0; k++)
    good = carom_h5_append(it->modes[k], it->mode_type, it->written, it->held, 0,
                           it->mode_block + (size_t)k * ROWS);
  for (int k = 0; k < it->columns && good && it->held > 0; k++)
    good = carom_h5_append(it->datasets[k], H5T_NATIVE_DOUBLE, it->written, it->held, 0,
                           it->block + (size_t)k * ROWS);
  it->written += it->held;
  it->held = 0;
  return good;
}

bool carom_scene_sheet_flush(carom_scene_sheet *sheet) {
  return flush_rows(sheet) && flush_frames(sheet);
}

static bool take_frame(carom_scene_sheet *it, double t) {
  if (it->size == 0 || t < it->next - 1e-9 * it->apart) return true;
  if (it->apart > 0.0)
    it->next = it->start + (floor((t - it->start) / it->apart + 1e-9) + 1.0) * it->apart;
  int size;
  const double *numbers = carom_scene_numbers(it->scene, &size);
  it->frame_t_block[it->frame_held] = t;
  memcpy(it->frame_block + (size_t)it->frame_held * (size_t)size, numbers,
         (size_t)size * sizeof *numbers);
  return ++it->frame_held < (hsize_t)it->frame_rows || flush_frames(it);
}

bool carom_scene_sheet_take(carom_scene_sheet *sheet, double t) {
  carom_scene_sheet *it = sheet;
  int count;
  const carom_contact_view *contacts = carom_scene_contacts(it->scene, &count);
  size_t row = (size_t)it->held;
  carom_ledger_entry entries[CAROM_LEDGER_MOST];
  for (int k = 0; k < count; k++) {
    double numbers[CAROM_CONTACT_NUMBERS];
    carom_contact_numbers(&contacts[k], numbers);
    it->mode_block[(size_t)k * ROWS + row] = contacts[k].mode;
    for (int j = 0; j < CAROM_CONTACT_NUMBERS; j++)
      it->block[(size_t)(CAROM_CONTACT_NUMBERS * k + j) * ROWS + row] = numbers[j];
  }
  int lines = carom_ledger_entries(carom_scene_ledger(it->scene), entries);
  for (int k = 0; k < lines; k++)
    it->block[(size_t)(CAROM_CONTACT_NUMBERS * count + k) * ROWS + row] = entries[k].value;
  it->held++;
  return (it->held < ROWS || flush_rows(it)) && take_frame(it, t);
}

void carom_scene_sheet_close(carom_scene_sheet *sheet) {
  carom_scene_sheet *it = sheet;
  if (!it) return;
  for (int k = 0; k < it->contacts && it->modes; k++)
    if (it->modes[k] >= 0) (void)H5Dclose(it->modes[k]);
  for (int k = 0; k < it->columns && it->datasets; k++)
    if (it->datasets[k] >= 0) (void)H5Dclose(it->datasets[k]);
  if (it->frame_t >= 0) (void)H5Dclose(it->frame_t);
  if (it->frames >= 0) (void)H5Dclose(it->frames);
  if (it->mode_type >= 0) (void)H5Tclose(it->mode_type);
  free(it->modes);
  free(it->datasets);
  free(it->mode_block);
  free(it->block);
  free(it->frame_t_block);
  free(it->frame_block);
  free(it);
}
