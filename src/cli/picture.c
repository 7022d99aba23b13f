// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "picture.h"

#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

CAROM_PRINTF(2, 3)
static carom_status trouble(carom_error *error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  *error = (carom_error){.status = CAROM_ERR_IO};
  (void)vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
  return CAROM_ERR_IO;
}

carom_status carom_picture_begin(carom_picture *picture, const char *file, int width, int height,
                                 carom_error *error) {
  size_t length = strlen(file);
  const char *kind = length > 4 ? file + length - 4 : "";
  const char *terminal = strcmp(kind, ".png") == 0   ? "pngcairo size %d,%d"
                         : strcmp(kind, ".svg") == 0 ? "svg size %d,%d background '#ffffff'"
                         : strcmp(kind, ".pdf") == 0 ? "pdfcairo size %dpt,%dpt"
                                                     : NULL;
  if (!terminal || length > sizeof picture->file - 1)
    return trouble(error, "a picture is called NAME.svg, NAME.pdf or NAME.png, not '%.200s'", file);
  (void)snprintf(picture->file, sizeof picture->file, "%s", file);
  (void)snprintf(picture->script_file, sizeof picture->script_file, "%.*s.gp", (int)length - 4,
                 file);
  picture->script = fopen(picture->script_file, "wb");
  if (!picture->script)
    return trouble(error, "cannot write %.200s: %s", picture->script_file, strerror(errno));
  fprintf(picture->script, "set encoding utf8\nset terminal ");
  fprintf(picture->script, terminal, width, height);
  fprintf(picture->script, " font 'DejaVu Sans,11'\nset output ");
  carom_picture_text(picture, file);
  fprintf(picture->script, "\nset border lw 0.7\nset tics nomirror\n");
  return CAROM_OK;
}

void carom_picture_text(const carom_picture *picture, const char *text) {
  fputc('\'', picture->script);
  for (; *text; text++) {
    if (*text == '\'') fputc('\'', picture->script);
    fputc((unsigned char)*text < ' ' ? ' ' : *text, picture->script);
  }
  fputc('\'', picture->script);
}

// after the qualitative palette of Okabe and Ito (2008), then darker and lighter ones
const char *carom_picture_colour(int k) {
  static const char *const COLOURS[] = {"#0072b2", "#e69f00", "#009e73", "#d55e00",
                                        "#56b4e9", "#cc79a7", "#f0e442", "#444444",
                                        "#88ccaa", "#7f5f9f", "#a6761d", "#c0c0c0"};
  int count = (int)(sizeof COLOURS / sizeof *COLOURS);
  return COLOURS[k % count];
}

carom_status carom_picture_end(carom_picture *picture, carom_error *error) {
  int bad = ferror(picture->script);
  bad |= fclose(picture->script);
  if (bad) return trouble(error, "cannot write %.200s", picture->script_file);
  char program[] = "gnuplot";
  char *arguments[] = {program, picture->script_file, NULL};
  pid_t child;
  int result = posix_spawnp(&child, program, NULL, NULL, arguments, environ), status = 0;
  if (result != 0)
    return trouble(error, "gnuplot does not start (%s); %.200s is its script", strerror(result),
                   picture->script_file);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return CAROM_OK;
  return trouble(error, "gnuplot could not draw %.200s", picture->script_file);
}
