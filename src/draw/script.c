// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "draw/script.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

carom_status carom_draw_fail(carom_error *error, carom_status status, const char *format, ...) {
  if (!error) return status;
  va_list arguments;
  va_start(arguments, format);
  *error = (carom_error){.status = status};
  (void)vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
  return status;
}

// ---- other programs ----

// in the child: nothing but calls that are safe after fork
static void become_program(const char *const *arguments, const char *folder, bool quiet) {
  if (folder && folder[0] && chdir(folder) != 0) _exit(126);
  if (quiet) {
    int nowhere = open("/dev/null", O_RDWR);
    if (nowhere >= 0) {
      (void)dup2(nowhere, STDOUT_FILENO);
      (void)dup2(nowhere, STDERR_FILENO);
    }
  }
  (void)execvp(arguments[0], (char *const *)arguments);
  _exit(127);
}

carom_status carom_start_program(const char *const *arguments, const char *folder, bool quiet,
                                 const char *what, carom_error *error) {
  int status = 0;
  pid_t child = fork();
  if (child == 0) become_program(arguments, folder, quiet);
  if (child < 0)
    return carom_draw_fail(error, CAROM_ERR_IO, "cannot start %s: %s", arguments[0],
                           strerror(errno));
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return CAROM_OK;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
    return carom_draw_fail(error, CAROM_ERR_IO, "%s is not installed: it is needed to %s",
                           arguments[0], what);
  return carom_draw_fail(error, CAROM_ERR_IO, "%s failed to %s", arguments[0], what);
}

// ---- the script ----

static bool set_names(carom_script *it, const char *picture) {
  const char *slash = strrchr(picture, '/'), *name = slash ? slash + 1 : picture;
  size_t folder = slash ? (size_t)(slash - picture) + 1 : 0;
  const char *dot = strrchr(name, '.');
  if (!dot || folder >= sizeof it->folder || strlen(name) + 4 > sizeof it->picture) return false;
  memcpy(it->folder, picture, folder);
  it->folder[folder] = '\0';
  (void)snprintf(it->picture, sizeof it->picture, "%s", name);
  (void)snprintf(it->script_file, sizeof it->script_file, "%.*s.gp", (int)(dot - name), name);
  (void)snprintf(it->data_file, sizeof it->data_file, "%.*s.dat", (int)(dot - name), name);
  return true;
}

static carom_status open_beside(const carom_script *it, const char *name, carom_out_file *out,
                                carom_error *error) {
  char path[CAROM_SCRIPT_PATH + 260];
  (void)snprintf(path, sizeof path, "%s%s", it->folder, name);
  return carom_out_open(out, path, error);
}

static const char *name_ending(const char *name) {
  const char *dot = strrchr(name, '.');
  return dot ? dot : "";
}

// names are taken as they are: no _ or ^ in them lowers or raises what follows
static void put_terminal(carom_script *it, int width, int height) {
  const char *kind = name_ending(it->picture);
  const char *font = "DejaVu Sans";
  if (strcmp(kind, ".pdf") == 0)
    fprintf(it->commands,
            "set terminal pdfcairo size %.3fin,%.3fin font '%s,11' linewidth 1 noenhanced\n",
            width / 72.0, height / 72.0, font);
  else if (strcmp(kind, ".png") == 0)
    fprintf(it->commands,
            "set terminal pngcairo size %d,%d font '%s,11' fontscale 1.33 noenhanced\n",
            width * 4 / 3, height * 4 / 3, font);
  else
    fprintf(it->commands,
            "set terminal svg size %d,%d font '%s,11' background '#ffffff' noenhanced\n", width,
            height, font);
}

carom_status carom_script_begin(carom_script *it, const char *picture, int width, int height,
                                carom_error *error) {
  *it = (carom_script){0};
  const char *kind = name_ending(picture);
  if (strcmp(kind, ".svg") != 0 && strcmp(kind, ".pdf") != 0 && strcmp(kind, ".png") != 0)
    return carom_draw_fail(error, CAROM_ERR_INPUT,
                           "a picture is called NAME.svg, NAME.pdf or NAME.png, not '%.200s'",
                           picture);
  if (!set_names(it, picture))
    return carom_draw_fail(error, CAROM_ERR_INPUT, "the name '%.100s...' is too long", picture);
  carom_status status = open_beside(it, it->script_file, &it->commands_out, error);
  if (status == CAROM_OK) status = open_beside(it, it->data_file, &it->data_out, error);
  if (status != CAROM_OK) {
    carom_out_discard(&it->commands_out);
    return status;
  }
  it->commands = it->commands_out.stream;
  it->data = it->data_out.stream;
  fprintf(it->commands, "# made by carom plot; draw again with: gnuplot %s\nset encoding utf8\n",
          it->script_file);
  put_terminal(it, width, height);
  fprintf(it->commands, "if (!exists('drawn_to')) drawn_to = ");
  carom_script_text(it, it->picture);
  fprintf(
      it->commands,
      "\nset output drawn_to\nset border 3 lw 0.8 lc rgb '#404040'\nset tics nomirror scale 0.6\n"
      "set key top right samplen 2.5 spacing 1.1 noenhanced\n"
      "set grid lc rgb '#dddddd' lt 1 lw 0.5\n");
  return CAROM_OK;
}

static void put_quoted(FILE *out, const char *text) {
  fputc('\'', out);
  for (; *text; text++) {
    if (*text == '\'') fputc('\'', out);
    fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
  }
  fputc('\'', out);
}

void carom_script_text(carom_script *it, const char *text) { put_quoted(it->commands, text); }

void carom_script_label(carom_script *it, const char *what, const char *text) {
  fprintf(it->commands, "set %s ", what);
  carom_script_text(it, text);
  fprintf(it->commands, " noenhanced\n");
}

// 1, 2 or 5 times a power of ten
static double tic_step(double span, int most) {
  static const double FACTORS[] = {1.0, 2.0, 5.0, 10.0, 20.0};
  double step = pow(10.0, floor(log10(span / most)));
  for (int k = 0; k < 5; k++)
    if (span / (step * FACTORS[k]) <= most) return step * FACTORS[k];
  return step;
}

// values that the numbers of a data file do not tell apart
static bool is_flat(double low, double high) {
  const double told = 1e-8;
  return isfinite(low) && high - low <= told * fmax(fabs(low), fabs(high));
}

// a constant gets some room about it
static double room_about(double value) { return fabs(value) > 0.0 ? 0.1 * fabs(value) : 1.0; }

void carom_script_tics(carom_script *it, const char *axis, double low, double high, int most) {
  double span = is_flat(low, high) ? 2.0 * room_about(high) : high - low;
  if (span > 0.0 && isfinite(span))
    fprintf(it->commands, "set %stics %.9g\n", axis, tic_step(span, most));
  else
    fprintf(it->commands, "set %stics autofreq\n", axis);
  carom_script_digits(it, axis, low, high);
}

int carom_script_tic_letters(double low, double high, int most) {
  const int usual = 6;
  double span = high - low, largest = fmax(fabs(low), fabs(high));
  if (!(span > 0.0) || !isfinite(span)) return usual;
  double step = tic_step(span, most);
  double decimals = fmax(0.0, -floor(log10(step) + 1e-9)), whole = fmax(0.0, floor(log10(largest)));
  // beyond these %g writes a power of ten
  if (largest < 1e-4 || largest >= 1e6) return usual + 1;
  return (low < 0.0) + (int)whole + 1 + (decimals > 0.0) + (int)decimals;
}

void carom_script_digits(carom_script *it, const char *axis, double low, double high) {
  const int usual = 6;
  double span = high - low, largest = fmax(fabs(low), fabs(high));
  int digits = usual;
  if (is_flat(low, high) && !it->overlaid) {
    double room = room_about(high);
    fprintf(it->commands, "set %srange [%.9g:%.9g]\n", axis, low - room, high + room);
  } else if (span > 0.0 && isfinite(span)) {
    // tics are about a tenth of the span apart
    double needed = floor(log10(largest)) - floor(log10(0.1 * span)) + 1.0;
    digits = needed > usual ? (int)fmin(needed, 15.0) : usual;
  }
  fprintf(it->commands, "set format %s '%%.%dg'\n", axis, digits);
}

int carom_script_block(carom_script *it) {
  if (it->blocks > 0) fprintf(it->data, "\n\n");
  fprintf(it->data, "# block %d\n", it->blocks);
  return it->blocks++;
}

void carom_script_number(carom_script *it, double value) {
  if (isfinite(value))
    fprintf(it->data, "%.9g ", value);
  else
    fprintf(it->data, "NaN ");
}

void carom_script_row(carom_script *it) { fputc('\n', it->data); }

void carom_script_source(carom_script *it, int block) {
  carom_script_text(it, it->data_file);
  fprintf(it->commands, " index %d", block);
}

static carom_status close_files(carom_script *it, carom_error *error) {
  carom_status data = carom_out_close(&it->data_out, error);
  if (data == CAROM_OK) return carom_out_close(&it->commands_out, error);
  carom_out_discard(&it->commands_out);
  return data;
}

void carom_script_abandon(carom_script *it) {
  carom_out_discard(&it->commands_out);
  carom_out_discard(&it->data_out);
}

// Lets gnuplot draw into a file of its own, which gets its name when it is whole. Both names are
// seen from the folder of the picture, and none can be taken for an option.
static carom_status draw_script(const carom_script *it, carom_error *error) {
  char path[CAROM_SCRIPT_PATH + 260], what[600], file[sizeof it->script_file + 2];
  carom_out_file picture;
  (void)snprintf(path, sizeof path, "%s%s", it->folder, it->picture);
  carom_status status = carom_out_reserve(&picture, path, error);
  if (status != CAROM_OK) return status;
  char *setting = NULL;
  size_t size = 0;
  FILE *words = open_memstream(&setting, &size);
  if (words) {
    (void)fputs("drawn_to = ", words);
    put_quoted(words, picture.temporary + strlen(it->folder));
    if (fclose(words) != 0) words = NULL;
  }
  (void)snprintf(what, sizeof what, "draw %.255s (its script %.255s is kept)", it->picture,
                 it->script_file);
  (void)snprintf(file, sizeof file, "./%s", it->script_file);
  const char *const arguments[] = {"gnuplot", "-e", setting, file, NULL};
  status = words ? carom_start_program(arguments, it->folder, false, what, error)
                 : carom_draw_fail(error, CAROM_ERR_MEMORY, "out of memory");
  free(setting);
  if (status == CAROM_OK) return carom_out_close(&picture, error);
  carom_out_discard(&picture);
  return status;
}

carom_status carom_script_end(carom_script *it, carom_error *error) {
  carom_status status = close_files(it, error);
  return status == CAROM_OK ? draw_script(it, error) : status;
}

// after the qualitative palette of Okabe and Ito (2008), ordered so that neighbours differ in grey
const char *carom_script_colour(int k) {
  static const char *const COLOURS[] = {"#0072b2", "#e69f00", "#a0306a", "#009e73",
                                        "#222222", "#56b4e9", "#d55e00", "#b8a800"};
  return COLOURS[k % (int)(sizeof COLOURS / sizeof *COLOURS)];
}

int carom_script_dash(int k) {
  static const int DASHES[] = {1, 2, 4, 5, 3, 1, 2, 4};
  return DASHES[k % (int)(sizeof DASHES / sizeof *DASHES)];
}

// a border of its own colour closes the seams between the boxes of an area
#define SOLID(colour) "fs solid 1.0 border lc rgb '" colour "' lw 0.7 lc rgb '" colour "'"

const char *carom_script_region(int k) {
  // neighbours differ in tone and in lightness, so that a grey print tells them apart
  static const char *const LOOKS[] = {SOLID("#14365c"), SOLID("#f3d9a0"), SOLID("#3f9a86"),
                                      SOLID("#c0567f"), SOLID("#b9d7ee"), SOLID("#e08a2c"),
                                      SOLID("#6a4c93"), SOLID("#c9dba0"), SOLID("#8a2d2b"),
                                      SOLID("#4f83c4"), SOLID("#9a9a9a"), SOLID("#f4f4f4")};
  return LOOKS[k >= 0 && k < CAROM_SCRIPT_REGIONS ? k : CAROM_SCRIPT_REGIONS];
}
