// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "examples.h"

#include "data_folder.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char ENDING[] = ".yaml";

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

int carom_examples_list(char *names[CAROM_EXAMPLE_MOST]) {
  char folder[CAROM_DATA_PATH];
  DIR *directory = carom_data_folder("scenarios", folder) ? opendir(folder) : NULL;
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
  char folder[CAROM_DATA_PATH];
  if (!*name || strchr(name, '/') || !carom_data_folder("scenarios", folder)) return false;
  int written = snprintf(path, CAROM_EXAMPLE_PATH, "%s/%s%s", folder, name, ENDING);
  return written > 0 && written < CAROM_EXAMPLE_PATH && access(path, R_OK) == 0;
}

static void read_title(const char *line, char title[CAROM_EXAMPLE_LINE]) {
  const char *text = line + strspn(line, " \"'");
  (void)snprintf(title, CAROM_EXAMPLE_LINE, "%.*s", (int)strcspn(text, "\"\r\n"), text);
}

// the head and one more line; false when out of memory
static bool append_line(char **head, const char *line) {
  size_t old = *head ? strlen(*head) : 0, added = strlen(line) + 1;
  char *grown = realloc(*head, old + added);
  if (!grown) return false;
  memcpy(grown + old, line, added);
  *head = grown;
  return true;
}

carom_example carom_example_open(const char *name, const char *path) {
  static const char key[] = "title:";
  carom_example example = {.name = name, .path = path};
  char line[CAROM_EXAMPLE_LINE];
  bool in_head = append_line(&example.head, "");
  FILE *file = fopen(path, "rb");
  while (file && !example.title[0] && fgets(line, sizeof line, file)) {
    if (strncmp(line, key, sizeof key - 1) == 0) read_title(line + sizeof key - 1, example.title);
    in_head = in_head && line[0] == '#' &&
              append_line(&example.head, line[1] == ' ' ? line + 2 : line + 1);
  }
  if (file) (void)fclose(file);
  return example;
}

void carom_example_close(carom_example *example) { free(example->head); }

bool carom_example_whole(const carom_example *example) {
  return example->head && strstr(example->head, "\nSource:");
}

static bool contains_word(const char *text, const char *word) {
  size_t length = strlen(word);
  for (; *text; text++) {
    size_t k = 0;
    while (k < length && tolower((unsigned char)text[k]) == tolower((unsigned char)word[k]))
      k++;
    if (k == length) return true;
  }
  return length == 0;
}

bool carom_example_has(const carom_example *example, const char *word) {
  return contains_word(example->name, word) || contains_word(example->title, word) ||
         (example->head && contains_word(example->head, word));
}
