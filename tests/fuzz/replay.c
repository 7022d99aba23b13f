// SPDX-License-Identifier: MIT
// Feeds every file of the folders and files named on the command line to a fuzz target, so that the
// corpus and every input that once crashed is tried in each ordinary test run, by any compiler.
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LARGEST_INPUT = 1 << 20, LONGEST_PATH = 4096 };

// the bytes of one file to the target; a file that cannot be read is a mistake in the corpus
static int replay_file(const char *path) {
  FILE *file = fopen(path, "rb");
  uint8_t *data = malloc(LARGEST_INPUT);
  int read = 0;
  if (file && data) {
    size_t size = fread(data, 1, LARGEST_INPUT, file);
    // an exact copy, so that a sanitizer sees a read past the end
    uint8_t *exact = ferror(file) ? NULL : malloc(size ? size : 1);
    if (exact) {
      for (size_t i = 0; i < size; i++)
        exact[i] = data[i];
      (void)LLVMFuzzerTestOneInput(exact, size);
      read = 1;
    }
    free(exact);
  }
  if (file) (void)fclose(file);
  free(data);
  if (!read) (void)fprintf(stderr, "cannot read %s\n", path);
  return read;
}

// returns how many inputs were tried, or -1
static int replay_folder(const char *folder) {
  DIR *entries = opendir(folder);
  if (!entries) return replay_file(folder) ? 1 : -1;
  int tried = 0;
  for (struct dirent *entry; tried >= 0 && (entry = readdir(entries));) {
    if (entry->d_name[0] == '.') continue;
    char path[LONGEST_PATH];
    int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    int fine = length > 0 && length < LONGEST_PATH && replay_file(path);
    tried = fine ? tried + 1 : -1;
  }
  (void)closedir(entries);
  return tried;
}

int main(int argc, char **argv) {
  int total = 0;
  for (int i = 1; i < argc; i++) {
    int tried = replay_folder(argv[i]);
    if (tried < 0) return EXIT_FAILURE;
    total += tried;
  }
  // an empty corpus would pass without testing anything
  printf("%d inputs replayed\n", total);
  return total > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
