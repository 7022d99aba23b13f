// SPDX-License-Identifier: MIT
/// The scenarios that come with the program, as examples: what they are called, what their first
/// lines say.
#ifndef CAROM_CLI_EXAMPLES_H
#define CAROM_CLI_EXAMPLES_H

#include <stdbool.h>
#include <stddef.h>

enum { CAROM_EXAMPLE_PATH = 1024, CAROM_EXAMPLE_LINE = 400, CAROM_EXAMPLE_MOST = 512 };

/// The names (without .yaml) in the order of the alphabet; the caller frees each. 0: no folder.
int carom_examples_list(char *names[CAROM_EXAMPLE_MOST]);

/// The path of an example; false when there is none of that name.
bool carom_example_path(const char *name, char path[CAROM_EXAMPLE_PATH]);

/// Its title.
void carom_example_title(const char *path, char title[CAROM_EXAMPLE_LINE]);

/// Does a word, in small or capital letters, stand in its name or in its first lines?
bool carom_example_has(const char *name, const char *path, const char *word);

#endif
