// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "examples.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// where the scenarios of this build are; a folder that is missing is passed over
#ifndef CAROM_DATA_FOLDER
#define CAROM_DATA_FOLDER ""
#endif
#ifndef CAROM_SOURCE_FOLDER
#define CAROM_SOURCE_FOLDER ""
#endif

static const char ENDING[] = ".yaml";

static const char *folder_of_examples(void) {
  static const char *const candidates[] = {CAROM_DATA_FOLDER "/scenarios",
                                           CAROM_SOURCE_FOLDER "/scenarios"};
  for (size_t k = 0; k < sizeof candidates / sizeof *candidates; k++)
    if (access(candidates[k], R_OK) == 0) return candidates[k];
  return NULL;
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

int carom_examples_list(char *names[CAROM_EXAMPLE_MOST]) {
  const char *folder = folder_of_examples();
  DIR *directory = folder ? opendir(folder) : NULL;
  if (!directory) return 0;
  const struct dirent *entry;
  int count = 0;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the stream belongs to this function
  while (count < CAROM_EXAMPLE_MOST && (entry = readdir(directory))) {
    size_t length = strlen(entry->d_name), end = sizeof ENDING - 1;
    if (length <= end || strcmp(entry->d_name + length - end, ENDING) != 0) continue;
    char *name = malloc(length - end + 1);
    if (!name) break;
    memcpy(name, entry->d_name, length - end);
    name[length - end] = 0;
    names[count++] = name;
  }
  (void)closedir(directory);
  qsort(names, (size_t)count, sizeof *names, by_name);
  return count;
}

bool carom_example_path(const char *name, char path[CAROM_EXAMPLE_PATH]) {
  const char *folder = folder_of_examples();
  if (!folder || !*name || strchr(name, '/')) return false;
  int written = snprintf(path, CAROM_EXAMPLE_PATH, "%s/%s%s", folder, name, ENDING);
  return written > 0 && written < CAROM_EXAMPLE_PATH && access(path, R_OK) == 0;
}

void carom_example_title(const char *path, char title[CAROM_EXAMPLE_LINE]) {
  static const char key[] = "title:";
  char line[CAROM_EXAMPLE_LINE];
  title[0] = 0;
  FILE *file = fopen(path, "rb");
  while (file && !title[0] && fgets(line, sizeof line, file)) {
    if (strncmp(line, key, sizeof key - 1) != 0) continue;
    const char *text = line + sizeof key - 1 + strspn(line + sizeof key - 1, " \"'");
    (void)snprintf(title, CAROM_EXAMPLE_LINE, "%.*s", (int)strcspn(text, "\"\r\n"), text);
  }
  if (file) (void)fclose(file);
}

static bool contains(const char *text, const char *word) {
  size_t length = strlen(word);
  for (; *text; text++) {
    size_t k = 0;
    while (k < length && tolower((unsigned char)text[k]) == tolower((unsigned char)word[k]))
      k++;
    if (k == length) return true;
  }
  return length == 0;
}

bool carom_example_has(const char *name, const char *path, const char *word) {
  char line[CAROM_EXAMPLE_LINE];
  bool found = contains(name, word);
  FILE *file = found ? NULL : fopen(path, "rb");
  // the head of the file: its comment and its title
  while (file && !found && fgets(line, sizeof line, file) &&
         (line[0] == '#' || strncmp(line, "title:", 6) == 0))
    found = contains(line, word);
  if (file) (void)fclose(file);
  return found;
}
