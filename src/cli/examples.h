// SPDX-License-Identifier: MIT
/// The scenarios that come with the program. Those that are examples to start from say so in the
/// comment at their head: what it shows, then "Source:", "Known:" and "Try:".
#ifndef CAROM_CLI_EXAMPLES_H
#define CAROM_CLI_EXAMPLES_H

#include <stdbool.h>
#include <stddef.h>

enum { CAROM_EXAMPLE_PATH = 1024, CAROM_EXAMPLE_LINE = 400, CAROM_EXAMPLE_MOST = 512 };

/// The names (without .yaml) in the order of the alphabet; the caller frees each. 0: no folder.
int carom_examples_list(char *names[CAROM_EXAMPLE_MOST]);

/// The path of a scenario; false when there is none of that name.
bool carom_example_path(const char *name, char path[CAROM_EXAMPLE_PATH]);

/// What its file says about itself; give it back with carom_example_close.
typedef struct carom_example {
  const char *name, *path;
  char title[CAROM_EXAMPLE_LINE];
  char *head; // the comment at the head, without its marks
} carom_example;
carom_example carom_example_open(const char *name, const char *path);
void carom_example_close(carom_example *example);

/// Does its head name a source?
bool carom_example_whole(const carom_example *example);

/// Does a word, in small or capital letters, stand in its name, its title or its head?
bool carom_example_has(const carom_example *example, const char *word);

#endif
