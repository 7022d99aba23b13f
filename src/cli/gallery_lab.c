// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "gallery_lab.h"

#include "draw/script.h"
#include "whole_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  LONGEST_PATH = 4096,
  FILE_WORD = 1
}; // the scenario is the second word of a figure's command

static const char *name_in(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// ---- the page ----

static bool has_word(int count, const char *const *words, const char *text) {
  for (int k = 0; k < count; k++)
    if (strcmp(words[k], text) == 0) return true;
  return false;
}

// FILE --with FILE ...: each scenario once; returns how many words there are then
static int list_scenarios(const carom_study *study, const char **words, int count) {
  for (int k = 0, first = count; k < carom_study_figure_count(study); k++) {
    const carom_study_figure *figure = carom_study_figure_at(study, k);
    char path[LONGEST_PATH];
    if (figure->make_count <= FILE_WORD) continue;
    (void)snprintf(path, sizeof path, "%s%s", carom_study_folder(study), figure->make[FILE_WORD]);
    char *copy = has_word(count, words, path) ? NULL : strdup(path);
    if (!copy) continue;
    if (count > first) words[count++] = "--with";
    words[count++] = copy;
  }
  return count;
}

bool carom_gallery_lab_make(const char *program, const char *folder, const char *name,
                            const carom_study *study) {
  char *page = carom_read_made("lab.html"), made[LONGEST_PATH];
  const char **words = calloc(2 * (size_t)carom_study_figure_count(study) + 8, sizeof *words);
  int count = 0, first;
  bool done = false;
  free(page);
  (void)snprintf(made, sizeof made, "%s/%s/lab.html", folder, name);
  if (page && words) {
    const char *const HEAD[] = {program, "lab", "--quiet", "--out", made};
    for (; count < (int)(sizeof HEAD / sizeof *HEAD); count++)
      words[count] = HEAD[count];
    first = count;
    count = list_scenarios(study, words, count);
    done = count > first &&
           carom_start_program(words, NULL, true, "make the page of the lab", NULL) == CAROM_OK;
    for (int k = first; k < count; k++)
      if (strcmp(words[k], "--with") != 0) free((void *)words[k]);
  }
  free(words);
  return done;
}

// ---- addresses ----

// a word of a command after #!, where & stands between words
static void add_word(char *link, size_t room, const char *word) {
  size_t used = strlen(link);
  if (link[used - 1] != '!' && used + 1 < room) link[used++] = '&';
  for (; *word && used + 4 < room; word++) {
    bool plain = (*word >= '0' && *word <= '9') || (*word >= 'a' && *word <= 'z') ||
                 (*word >= 'A' && *word <= 'Z') || strchr("-_.:=,+*/", *word);
    used += (size_t)snprintf(link + used, 4, plain ? "%c" : "%%%02X", (unsigned char)*word);
  }
  link[used] = '\0';
}

// "nu=3 d0=0.01" as --set nu=3 --set d0=0.01
static void add_settings(char *link, size_t room, const char *settings) {
  char setting[LONGEST_PATH];
  while (*settings) {
    size_t length = strcspn(settings, " ");
    (void)snprintf(setting, sizeof setting, "%.*s", (int)length, settings);
    add_word(link, room, "--set");
    add_word(link, room, setting);
    settings += length + strspn(settings + length, " ");
  }
}

void carom_gallery_lab_link(const char *name, const carom_study_figure *figure, char *link,
                            size_t room) {
  (void)snprintf(link, room, "%s/lab.html#!", name);
  for (int k = 0; k < figure->make_count; k++)
    add_word(link, room, k == FILE_WORD ? name_in(figure->make[k]) : figure->make[k]);
  if (figure->vary_count > 0) add_settings(link, room, figure->vary[0]);
  if (strcmp(figure->make[0], "run") != 0) return;
  // which histories, which portrait
  add_word(link, room, "plot");
  for (int k = 0; k < figure->draw_count; k++)
    add_word(link, room, figure->draw[k]);
}
