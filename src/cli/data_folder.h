// SPDX-License-Identifier: MIT
/// What comes with the program: scenarios, studies, the page of the lab.
#ifndef CAROM_CLI_DATA_FOLDER_H
#define CAROM_CLI_DATA_FOLDER_H

#include <stdbool.h>

enum { CAROM_DATA_PATH = 1024 };

/// Where "scenarios", "studies" or a file lies: beside the program (BIN/../share/carom, so that an
/// installed tree can be moved), where it was to be installed, or in the sources. False: in none.
bool carom_data_folder(const char *what, char path[CAROM_DATA_PATH]);

#endif
