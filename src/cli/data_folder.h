// SPDX-License-Identifier: MIT
/// What comes with the program: scenarios and studies.
#ifndef CAROM_CLI_DATA_FOLDER_H
#define CAROM_CLI_DATA_FOLDER_H

#include <stdbool.h>

enum { CAROM_DATA_PATH = 1024 };

/// The folder of the "scenarios" or "studies": beside the program (BIN/../share/carom, so that an
/// installed tree can be moved), where it was to be installed, in the sources. False: in none.
bool carom_data_folder(const char *what, char path[CAROM_DATA_PATH]);

#endif
