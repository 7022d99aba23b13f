// SPDX-License-Identifier: MIT
/// Recording for ParaView: one file of PolyData (XML, text) a sample and an index of their times.
/// The format is written directly; no library of VTK is needed.
#define _POSIX_C_SOURCE 200809L
#include "base/elementary.h"
#include "base/text.h"
#include "record/out_file.h"
#include "record/sink.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { AROUND = 48, LONGEST_PATH = 4096 };

/// A growing list of numbers.
typedef struct list {
  double *items;
  size_t count, room;
} list;

/// Cells of the file: the points that are their corners and where those of each end; then values of
/// each, three of velocities.
typedef struct cells {
  list corners, ends, part, radius, kind, velocity, turning;
} cells;

typedef struct vtk_sink {
  char *folder;
  const carom_simulation *simulation;
  const carom_scene *scene;
  carom_out_file index;
  long frames;
  double reach; // how far planes are drawn
  list points;
  cells lines, polygons;
  bool full; // out of memory
} vtk_sink;

static void add_number(vtk_sink *it, list *to, double number) {
  if (to->count == to->room) {
    size_t room = to->room > 0 ? 2 * to->room : 256;
    double *grown = realloc(to->items, room * sizeof *grown);
    if (!grown) {
      it->full = true;
      return;
    }
    to->items = grown;
    to->room = room;
  }
  to->items[to->count++] = number;
}

static int add_point(vtk_sink *it, double x, double y, double z) {
  add_number(it, &it->points, x);
  add_number(it, &it->points, y);
  add_number(it, &it->points, z);
  return (int)(it->points.count / 3) - 1;
}

// parts that are no rods have no kind and no velocity of their own
static void end_cell(vtk_sink *it, cells *to, int part, double radius) {
  carom_body_motion rod = {.kind = -1};
  (void)carom_simulation_body(it->simulation, part, &rod);
  add_number(it, &to->ends, (double)to->corners.count);
  add_number(it, &to->part, part);
  add_number(it, &to->radius, radius);
  add_number(it, &to->kind, rod.kind);
  for (int c = 0; c < 3; c++) {
    add_number(it, &to->velocity, rod.v[c]);
    add_number(it, &to->turning, rod.w[c]);
  }
}

// ---- parts ----

static void add_line(vtk_sink *it, int part, const double a[3], const double b[3], double radius) {
  add_number(it, &it->lines.corners, add_point(it, a[0], a[1], a[2]));
  add_number(it, &it->lines.corners, add_point(it, b[0], b[1], b[2]));
  end_cell(it, &it->lines, part, radius);
}

static void add_ring(vtk_sink *it, cells *to, int part, const double centre[3], double radius) {
  const double turn = 6.283185307179586477;
  int first = -1;
  for (int k = 0; k < AROUND; k++) {
    int corner = add_point(it, centre[0] + radius * carom_cos(turn * k / AROUND),
                           centre[1] + radius * carom_sin(turn * k / AROUND), centre[2]);
    if (k == 0) first = corner;
    add_number(it, &to->corners, corner);
  }
  if (to == &it->lines) add_number(it, &to->corners, first);
  end_cell(it, to, part, 0.0);
}

static void add_outline(vtk_sink *it, int part, int corners, const double *at) {
  for (int k = 0; k < corners; k++)
    add_number(it, &it->polygons.corners, add_point(it, at[2 * k], at[2 * k + 1], 0.0));
  end_cell(it, &it->polygons, part, 0.0);
}

static void add_body(vtk_sink *it, int part, const double *at, int fixed_count,
                     const double *fixed) {
  int corners = (int)fixed[0], first = 0;
  for (int k = 0; k < corners; k++) {
    const double *x = fixed + 1 + 3 * k, *F = at + 3;
    double p[3];
    for (int i = 0; i < 3; i++)
      p[i] = at[i] + F[3 * i] * x[0] + F[3 * i + 1] * x[1] + F[3 * i + 2] * x[2];
    int corner = add_point(it, p[0], p[1], p[2]);
    if (k == 0) first = corner;
  }
  for (int k = 1 + 3 * corners; k + 3 < fixed_count; k += 4) {
    for (int j = 0; j < 3; j++)
      add_number(it, &it->polygons.corners, first + fixed[k + j]);
    end_cell(it, &it->polygons, part, 0.0);
  }
}

// a square about the point, or in the plane a line
static void add_plane(vtk_sink *it, int part, const double *at) {
  const double *n = at + 3;
  double along[3] = {-n[1], n[0], 0.0}, across[3];
  if (fabs(n[2]) > 0.9) along[0] = 1.0, along[1] = 0.0, along[2] = -n[0] / n[2];
  double length = sqrt(along[0] * along[0] + along[1] * along[1] + along[2] * along[2]);
  for (int i = 0; i < 3; i++)
    along[i] *= it->reach / length;
  across[0] = n[1] * along[2] - n[2] * along[1];
  across[1] = n[2] * along[0] - n[0] * along[2];
  across[2] = n[0] * along[1] - n[1] * along[0];
  if (!carom_scene_in_space(it->scene)) {
    double a[3], b[3];
    for (int i = 0; i < 3; i++)
      a[i] = at[i] - along[i], b[i] = at[i] + along[i];
    add_line(it, part, a, b, 0.0);
    return;
  }
  static const double SIGNS[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  for (int k = 0; k < 4; k++)
    add_number(it, &it->polygons.corners,
               add_point(it, at[0] + SIGNS[k][0] * along[0] + SIGNS[k][1] * across[0],
                         at[1] + SIGNS[k][0] * along[1] + SIGNS[k][1] * across[1],
                         at[2] + SIGNS[k][0] * along[2] + SIGNS[k][1] * across[2]));
  end_cell(it, &it->polygons, part, 0.0);
}

static void add_part(vtk_sink *it, int k, const double *numbers, const double *fixed) {
  const carom_part *part = carom_scene_part(it->scene, k);
  const double *at = numbers + part->first, *own = fixed + part->fixed_first;
  double a[3] = {0.0, 0.0, 0.0}, b[3] = {0.0, 0.0, 0.0};
  switch (part->kind) {
  case CAROM_PART_CIRCLE:
    a[0] = at[0], a[1] = at[1];
    add_ring(it, &it->polygons, k, a, at[2]);
    break;
  case CAROM_PART_SEGMENT:
  case CAROM_PART_SPRING:
  case CAROM_PART_DAMPER:
    a[0] = at[0], a[1] = at[1], b[0] = at[2], b[1] = at[3];
    add_line(it, k, a, b, 0.0);
    break;
  case CAROM_PART_POLYGON: add_outline(it, k, part->count / 2, at); break;
  case CAROM_PART_LEVEL:
    a[0] = -it->reach, b[0] = it->reach, a[1] = b[1] = at[0];
    add_line(it, k, a, b, 0.0);
    break;
  case CAROM_PART_ROD:
    for (int i = 0; i < 3; i++)
      a[i] = at[i] - own[0] * at[3 + i], b[i] = at[i] + own[0] * at[3 + i];
    add_line(it, k, a, b, own[1]);
    break;
  case CAROM_PART_BODY: add_body(it, k, at, part->fixed_length, own); break;
  case CAROM_PART_PLANE: add_plane(it, k, at); break;
  case CAROM_PART_TUBE:
    a[0] = own[0], a[1] = own[1];
    add_ring(it, &it->lines, k, a, own[2]);
    break;
  case CAROM_PART_ANGLE:
  case CAROM_PART_BEAD:
  case CAROM_PART_STOP:
  case CAROM_PART_FORCE:
  case CAROM_PARTS: break;
  }
}

// ---- files ----

static void put_list(FILE *out, const char *name, const char *type, int components,
                     const list *values) {
  (void)fprintf(out,
                "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"ascii\">",
                type, name, components);
  bool whole = type[0] == 'I';
  for (size_t k = 0; k < values->count; k++)
    (void)fprintf(out, whole ? "%c%.0f" : "%c%.9g", k % 12 ? ' ' : '\n', values->items[k]);
  (void)fputs("\n</DataArray>\n", out);
}

static void put_cells(FILE *out, const char *name, const cells *it) {
  (void)fprintf(out, "<%s>\n", name);
  put_list(out, "connectivity", "Int32", 1, &it->corners);
  put_list(out, "offsets", "Int32", 1, &it->ends);
  (void)fprintf(out, "</%s>\n", name);
}

// the lines come first in the order of cells
static void put_joined(FILE *out, const char *name, const char *type, bool vectors,
                       const list *first, const list *second) {
  (void)fprintf(out, "<DataArray type=\"%s\" Name=\"%s\" %sformat=\"ascii\">\n", type, name,
                vectors ? "NumberOfComponents=\"3\" " : "");
  for (size_t k = 0; k < first->count; k++)
    (void)fprintf(out, "%.9g ", first->items[k]);
  for (size_t k = 0; k < second->count; k++)
    (void)fprintf(out, "%.9g ", second->items[k]);
  (void)fputs("\n</DataArray>\n", out);
}

static void put_values(FILE *out, const vtk_sink *it) {
  const cells *lines = &it->lines, *polygons = &it->polygons;
  carom_body_motion rod;
  put_joined(out, "part", "Int32", false, &lines->part, &polygons->part);
  put_joined(out, "radius", "Float64", false, &lines->radius, &polygons->radius);
  if (!carom_simulation_body(it->simulation, 0, &rod)) return;
  put_joined(out, "kind", "Int32", false, &lines->kind, &polygons->kind);
  put_joined(out, "velocity", "Float64", true, &lines->velocity, &polygons->velocity);
  put_joined(out, "angular_velocity", "Float64", true, &lines->turning, &polygons->turning);
}

static void put_frame(FILE *out, const vtk_sink *it) {
  (void)fprintf(out,
                "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"0.1\" "
                "byte_order=\"LittleEndian\">\n<PolyData>\n<Piece NumberOfPoints=\"%zu\" "
                "NumberOfVerts=\"0\" NumberOfLines=\"%zu\" NumberOfStrips=\"0\" "
                "NumberOfPolys=\"%zu\">\n<Points>\n",
                it->points.count / 3, it->lines.ends.count, it->polygons.ends.count);
  put_list(out, "Points", "Float64", 3, &it->points);
  (void)fputs("</Points>\n", out);
  put_cells(out, "Lines", &it->lines);
  put_cells(out, "Polys", &it->polygons);
  (void)fputs("<CellData Scalars=\"part\">\n", out);
  put_values(out, it);
  (void)fputs("</CellData>\n</Piece>\n</PolyData>\n</VTKFile>\n", out);
}

static carom_status write_failed(const vtk_sink *it, carom_error *error) {
  return carom_record_fail(error, CAROM_ERR_IO, NULL, "cannot write to %s: %s", it->folder,
                           errno ? strerror(errno) : "is the disk full?");
}

static carom_status open_in(const vtk_sink *it, const char *name, carom_out_file *out,
                            carom_error *error) {
  char path[LONGEST_PATH];
  *out = (carom_out_file){0};
  int length = snprintf(path, sizeof path, "%s/%s", it->folder, name);
  if (length > 0 && (size_t)length < sizeof path) return carom_out_open(out, path, error);
  return carom_record_fail(error, CAROM_ERR_INPUT, NULL, "the name of the folder is too long");
}

static void clear_cells(cells *it) {
  it->corners.count = it->ends.count = it->part.count = it->radius.count = 0;
  it->kind.count = it->velocity.count = it->turning.count = 0;
}

// planes reach as far as everything else does at the start
static void measure_scene(vtk_sink *it, int count, const double *numbers) {
  for (int k = 0; k < carom_scene_parts(it->scene); k++) {
    const carom_part *part = carom_scene_part(it->scene, k);
    int places = part->kind == CAROM_PART_ROD || part->kind == CAROM_PART_BODY ? 3 : part->count;
    if (part->kind == CAROM_PART_PLANE) continue;
    for (int j = 0; j < places && part->first + j < count; j++)
      it->reach = fmax(it->reach, 2.0 * fabs(numbers[part->first + j]));
  }
  if (!(it->reach > 0.0)) it->reach = 1.0;
}

static carom_status take_sample(void *state, double t, int count, const double *values,
                                carom_error *error) {
  vtk_sink *it = state;
  (void)count;
  (void)values;
  int size, fixed_count;
  const double *numbers = carom_scene_numbers(it->scene, &size);
  const double *fixed = carom_scene_fixed(it->scene, &fixed_count);
  if (it->frames == 0) measure_scene(it, size, numbers);
  it->points.count = 0;
  clear_cells(&it->lines);
  clear_cells(&it->polygons);
  for (int k = 0; k < carom_scene_parts(it->scene); k++)
    add_part(it, k, numbers, fixed);
  if (it->full) return carom_record_no_memory(error);
  char name[64];
  (void)snprintf(name, sizeof name, "frame%06ld.vtp", it->frames++);
  carom_out_file out;
  carom_status status = open_in(it, name, &out, error);
  if (status != CAROM_OK) return status;
  put_frame(out.stream, it);
  status = carom_out_close(&out, error);
  errno = 0;
  (void)fprintf(it->index.stream, "<DataSet timestep=\"%.17g\" part=\"0\" file=\"%s\"/>\n", t,
                name);
  return status == CAROM_OK && ferror(it->index.stream) ? write_failed(it, error) : status;
}

static carom_status take_event(void *state, const carom_event *event, carom_error *error) {
  (void)state;
  (void)event;
  (void)error;
  return CAROM_OK;
}

static void free_cells(cells *it) {
  free(it->corners.items);
  free(it->ends.items);
  free(it->part.items);
  free(it->radius.items);
  free(it->kind.items);
  free(it->velocity.items);
  free(it->turning.items);
}

static void release_sink(vtk_sink *it) {
  free_cells(&it->lines);
  free_cells(&it->polygons);
  free(it->points.items);
  free(it->folder);
  free(it);
}

static carom_status close_frames(void *state, const carom_record_end *end, carom_error *error) {
  vtk_sink *it = state;
  (void)end;
  (void)fputs("</Collection>\n</VTKFile>\n", it->index.stream);
  carom_status status = carom_out_close(&it->index, error);
  release_sink(it);
  return status;
}

static void discard_frames(void *state) {
  vtk_sink *it = state;
  carom_out_discard(&it->index);
  release_sink(it);
}

carom_status carom_sink_vtk(const carom_simulation *simulation, const carom_scene *scene,
                            const carom_record_options *options, carom_sink *sink,
                            carom_error *error) {
  const char *folder = options->vtk;
  if (carom_scene_parts(scene) == 0)
    return carom_record_fail(error, CAROM_ERR_INPUT, NULL,
                             "the scenario has no `shapes`: there is nothing to show in ParaView");
  if (mkdir(folder, 0777) != 0 && errno != EEXIST)
    return carom_record_fail(error, CAROM_ERR_IO, NULL, "cannot make the folder %s: %s", folder,
                             strerror(errno));
  vtk_sink *it = calloc(1, sizeof *it);
  if (!it) return carom_record_no_memory(error);
  it->simulation = simulation;
  it->scene = scene;
  it->folder = carom_text_copy(folder);
  carom_status status =
      it->folder ? open_in(it, "motion.pvd", &it->index, error) : carom_record_no_memory(error);
  if (status != CAROM_OK) {
    discard_frames(it);
    return status;
  }
  (void)fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
              "byte_order=\"LittleEndian\">\n<Collection>\n",
              it->index.stream);
  *sink = (carom_sink){it, take_sample, take_event, close_frames, discard_frames};
  return CAROM_OK;
}
