// SPDX-License-Identifier: MIT
/// Frames are painted here and handed to ffmpeg one after the other: nothing but the movie is
/// written to the disk.
#define _POSIX_C_SOURCE 200809L
#include "draw/movie.h"

#include "draw/run_data.h"
#include "draw/script.h"
#include "record/out_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_PLACES = 16, ARROW = 90, LONGEST_NAME = 5000, TITLE = 15, SCALES = 34 };

carom_movie_options carom_movie_options_default(void) {
  return (carom_movie_options){
      .from = NAN, .until = NAN, .seconds = 12.0, .width = 720, .height = 480, .frame_rate = 25.0};
}

// colours of the whole movie: those of a frame alone would flicker
static const char PALETTE[] = "split[a][b];[a]palettegen=max_colors=64:stats_mode=full[p];[b][p]"
                              "paletteuse=dither=none:diff_mode=rectangle";

// ---- ffmpeg at the other end of a socket ----

typedef struct encoder {
  pid_t child;
  int socket;
} encoder;

// `output` is a name that cannot be taken for an option or an address
static void become_ffmpeg(const carom_movie_options *options, const char *output, int input) {
  char size[32], rate[32];
  (void)snprintf(size, sizeof size, "%dx%d", options->width, options->height);
  (void)snprintf(rate, sizeof rate, "%g", options->frame_rate);
  size_t length = strlen(options->output);
  bool gif = length > 4 && strcmp(options->output + length - 4, ".gif") == 0;
  const char *const mp4_words[] = {
      "ffmpeg",   "-v",      "error",     "-y",         "-f", "rawvideo", "-pix_fmt", "rgb24", "-s",
      size,       "-r",      rate,        "-i",         "-",  "-c:v",     "libx264",  "-crf",  "20",
      "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4",      output,     NULL};
  const char *const gif_words[] = {"ffmpeg",   "-v",       "error", "-y",   "-f",
                                   "rawvideo", "-pix_fmt", "rgb24", "-s",   size,
                                   "-r",       rate,       "-i",    "-",    "-filter_complex",
                                   PALETTE,    "-f",       "gif",   output, NULL};
  if (dup2(input, STDIN_FILENO) < 0) _exit(126);
  (void)execvp("ffmpeg", (char *const *)(gif ? gif_words : mp4_words));
  _exit(127);
}

static carom_status start_encoder(const carom_movie_options *options, const char *file, encoder *it,
                                  carom_error *error) {
  int ends[2];
  char output[LONGEST_NAME];
  int length = snprintf(output, sizeof output, "file:%s", file);
  if (length < 0 || (size_t)length >= sizeof output)
    return carom_draw_fail(error, CAROM_ERR_INPUT, "the name of the movie is too long");
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
    return carom_draw_fail(error, CAROM_ERR_IO, "cannot reach ffmpeg: %s", strerror(errno));
  it->child = fork();
  if (it->child == 0) {
    (void)close(ends[0]);
    become_ffmpeg(options, output, ends[1]);
  }
  (void)close(ends[1]);
  it->socket = ends[0];
  if (it->child > 0) return CAROM_OK;
  (void)close(ends[0]);
  return carom_draw_fail(error, CAROM_ERR_IO, "cannot start ffmpeg: %s", strerror(errno));
}

// a socket, unlike a pipe, does not end the program when nobody listens any more
static bool send_frame(const encoder *it, const carom_raster *raster) {
  size_t left = (size_t)raster->width * (size_t)raster->height * 3;
  const unsigned char *at = raster->pixels;
  while (left > 0) {
    ssize_t sent = send(it->socket, at, left, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent;
    left -= (size_t)sent;
  }
  return true;
}

static carom_status end_encoder(const encoder *it, carom_error *error) {
  int status = 0;
  (void)close(it->socket);
  while (waitpid(it->child, &status, 0) < 0 && errno == EINTR)
    continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return CAROM_OK;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
    return carom_draw_fail(error, CAROM_ERR_IO,
                           "ffmpeg is not installed: it is needed to make movies");
  return carom_draw_fail(error, CAROM_ERR_IO, "ffmpeg failed to make the movie");
}

// ---- contact forces ----

/// Where a contact touches and how it pushes, over the samples.
typedef struct place {
  double *x, *y, *force_x, *force_y;
} place;

typedef struct film {
  const carom_movie_options *options;
  carom_run_data run;
  carom_scene_data scene;
  carom_raster raster;
  carom_stage stage;
  place places[MOST_PLACES];
  int place_count;
  double strongest;
  long painted; // the instant that the picture shows, -1: none
  double *now;  // numbers of an instant between two frames
  char *title;  // NULL: none, or no room for it
  int decimals; // of the clock
  const char *unit;
} film;

static long sample_at(const carom_run_data *run, double t) {
  long low = 0, high = run->count - 1;
  while (low < high) {
    long middle = (low + high + 1) / 2;
    if (run->t[middle] <= t)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

static double *of_contact(const film *it, int k, const char *what) {
  char path[400];
  (void)snprintf(path, sizeof path, "/contacts/%.300s/%s", it->run.contacts[k], what);
  return carom_run_data_array(&it->run, path, -1);
}

static void find_places(film *it) {
  for (int k = 0; k < it->run.contact_count && it->place_count < MOST_PLACES; k++) {
    place *found = &it->places[it->place_count++];
    *found = (place){of_contact(it, k, "x"), of_contact(it, k, "y"), of_contact(it, k, "force_x"),
                     of_contact(it, k, "force_y")};
    for (long j = 0; found->force_x && found->force_y && j < it->run.count; j++)
      it->strongest = fmax(it->strongest, hypot(found->force_x[j], found->force_y[j]));
  }
}

static void free_places(film *it) {
  for (int k = 0; k < it->place_count; k++) {
    free(it->places[k].x);
    free(it->places[k].y);
    free(it->places[k].force_x);
    free(it->places[k].force_y);
  }
}

static double blend_samples(const double *values, long k0, long k1, double share) {
  return share > 0.0 ? values[k0] + share * (values[k1] - values[k0]) : values[k0];
}

static void paint_forces(const film *it, double t) {
  long k0 = sample_at(&it->run, t), k1 = k0 + 1 < it->run.count ? k0 + 1 : k0;
  double h = it->run.t[k1] - it->run.t[k0], share = h > 0.0 ? (t - it->run.t[k0]) / h : 0.0;
  for (int k = 0; k < it->place_count; k++) {
    const place *p = &it->places[k];
    if (!p->x || !p->y || !p->force_x || !p->force_y) continue;
    const double force[2] = {blend_samples(p->force_x, k0, k1, share),
                             blend_samples(p->force_y, k0, k1, share)};
    const double at[2] = {blend_samples(p->x, k0, k1, share), blend_samples(p->y, k0, k1, share)};
    carom_stage_arrow(&it->stage, at, force, ARROW * hypot(force[0], force[1]) / it->strongest);
  }
  if (it->strongest > 0.0) carom_stage_force_scale(&it->stage, ARROW / it->strongest);
}

// ---- the film ----

// the numbers of an instant: on a straight line between two frames
static void look_between(film *it, long frame, double t) {
  const carom_scene_data *s = &it->scene;
  long next = frame + 1 < s->frames ? frame + 1 : frame;
  double h = s->t[next] - s->t[frame], share = h > 0.0 ? (t - s->t[frame]) / h : 0.0;
  const double *a = s->numbers + frame * s->size, *b = s->numbers + next * s->size;
  for (long k = 0; k < s->size; k++)
    it->now[k] = share > 0.0 ? a[k] + share * (b[k] - a[k]) : a[k];
  it->stage.now = it->now;
}

static void paint_frame(film *it, double t) {
  long frame = carom_scene_data_frame(&it->scene, t);
  char clock[60];
  // bodies in space leave no trail: as long as the instant is the same, so is the picture
  if (it->scene.space && frame == it->painted) return;
  if (it->scene.space) t = it->scene.t[frame];
  it->painted = frame;
  carom_raster_clear(&it->raster, 0xfbfcfd);
  if (it->scene.space) {
    carom_stage_space(&it->stage, frame);
  } else {
    look_between(it, frame, t);
    if (it->options->follow) carom_stage_follow(&it->stage, frame);
    carom_stage_plane(&it->stage, frame);
    paint_forces(it, t);
  }
  (void)snprintf(clock, sizeof clock, "t = %.*f%s", it->decimals, t, it->unit);
  if (it->title) carom_stage_text(&it->stage, 12.0, 8.0, TITLE, it->title, 0x1c2733);
  carom_stage_text(&it->stage, 12.0, it->title ? 8.0 + 1.4 * TITLE : 8.0, TITLE - 1.0, clock,
                   0x5d6b7a);
}

static double begin_of(const film *it) {
  return isnan(it->options->from) ? it->run.t[0] : it->options->from;
}

static double end_of(const film *it) {
  return isnan(it->options->until) ? it->run.t[it->run.count - 1] : it->options->until;
}

// of a plane the title and the clock stand above what is seen, the scales below
static void leave_room_for_texts(film *it) {
  double above = it->title ? 12.0 + 2.4 * TITLE : 0.0, below = SCALES, *box = it->stage.box;
  if (it->scene.space || !(it->options->height > 3.0 * (above + below))) return;
  double part = (box[3] - box[1]) / (it->options->height - above - below);
  box[1] -= part * below;
  box[3] += part * above;
}

// what is not shown does not count for where the eye stands, nor for the trail
static void set_stage(film *it) {
  it->stage = (carom_stage){.scene = &it->scene, .raster = &it->raster};
  it->stage.first = carom_scene_data_frame(&it->scene, begin_of(it));
  it->stage.last = carom_scene_data_frame(&it->scene, end_of(it));
  carom_stage_measure(&it->stage);
  leave_room_for_texts(it);
  // two pictures of the movie differ in the last digit of the clock
  double apart =
      (end_of(it) - begin_of(it)) / fmax(1.0, it->options->seconds * it->options->frame_rate);
  it->decimals = apart > 0.0 ? (int)fmin(9.0, fmax(0.0, ceil(-log10(apart)))) : 2;
  // as long as a second of the movie
  double frames = (double)(it->stage.last - it->stage.first + 1);
  it->stage.trail = (long)(frames / fmax(1.0, it->options->seconds));
}

static carom_status shoot_into(film *it, const char *file, carom_error *error) {
  const carom_movie_options *o = it->options;
  encoder ffmpeg = {0};
  double from = begin_of(it), until = end_of(it);
  long total = (long)(o->seconds * o->frame_rate);
  if (total < 2) total = 2;
  carom_status status = start_encoder(o, file, &ffmpeg, error);
  if (status != CAROM_OK) return status;
  bool stopped = false, sent = true;
  for (long k = 0; k < total && sent && !stopped; k++) {
    paint_frame(it, from + (until - from) * (double)k / (double)(total - 1));
    sent = send_frame(&ffmpeg, &it->raster);
    stopped = o->progress && o->progress(o->ctx, k + 1, total);
  }
  status = end_encoder(&ffmpeg, error);
  if (stopped) return carom_draw_fail(error, CAROM_STOP_USER, "interrupted: no movie was made");
  return status;
}

// the movie gets its name when it is whole
static carom_status shoot_film(film *it, carom_error *error) {
  carom_out_file out;
  carom_status status = carom_out_reserve(&out, it->options->output, error);
  if (status != CAROM_OK) return status;
  status = shoot_into(it, out.temporary, error);
  if (status == CAROM_OK) return carom_out_close(&out, error);
  carom_out_discard(&out);
  return status;
}

static carom_status check_options(const carom_movie_options *o, carom_error *error) {
  const char *dot = strrchr(o->output, '.');
  if (!dot || (strcmp(dot, ".mp4") != 0 && strcmp(dot, ".gif") != 0))
    return carom_draw_fail(error, CAROM_ERR_INPUT,
                           "a movie is called NAME.mp4 or NAME.gif, not '%.200s'", o->output);
  if (o->width < 16 || o->height < 16 || o->width > 8192 || o->height > 8192 || o->width % 2 ||
      o->height % 2)
    return carom_draw_fail(error, CAROM_ERR_INPUT, "width and height are even, from 16 to 8192");
  if (!(o->seconds > 0.0) || !(o->frame_rate > 0.0) || !(o->seconds * o->frame_rate < 1e6))
    return carom_draw_fail(error, CAROM_ERR_INPUT, "a movie lasts some seconds");
  return CAROM_OK;
}

carom_status carom_movie_write(const carom_movie_options *options, carom_error *error) {
  carom_store *store = NULL;
  carom_status status = check_options(options, error);
  film *it = calloc(1, sizeof *it);
  if (status == CAROM_OK && !it) status = carom_draw_fail(error, CAROM_ERR_MEMORY, "out of memory");
  if (status == CAROM_OK) status = carom_store_open(options->file, &store, error);
  if (status == CAROM_OK) {
    it->options = options;
    it->painted = -1;
    status = carom_run_data_read(store, &it->run, error);
  }
  if (status == CAROM_OK) status = carom_scene_data_read(store, &it->scene, error);
  if (status == CAROM_OK && !carom_raster_create(&it->raster, options->width, options->height))
    status = carom_draw_fail(error, CAROM_ERR_MEMORY, "out of memory");
  if (status == CAROM_OK) {
    it->now = malloc(((size_t)it->scene.size + 1) * sizeof *it->now);
    if (!it->now) status = carom_draw_fail(error, CAROM_ERR_MEMORY, "out of memory");
  }
  if (status == CAROM_OK) {
    it->title = carom_store_text(store, "title");
    if (it->title &&
        (!it->title[0] || carom_raster_text_width(TITLE, it->title) > options->width - 24)) {
      free(it->title);
      it->title = NULL;
    }
    char *units = carom_store_text(store, "units");
    it->unit = units && strstr(units, "t=s") == units ? " s" : "";
    free(units);
    set_stage(it);
    if (!it->scene.space) find_places(it);
    status = shoot_film(it, error);
  }
  if (it) {
    free_places(it);
    free(it->now);
    free(it->title);
    carom_raster_free(&it->raster);
    carom_scene_data_free(&it->scene);
    carom_run_data_free(&it->run);
  }
  free(it);
  carom_store_close(store);
  return status;
}
