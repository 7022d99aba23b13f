// SPDX-License-Identifier: MIT
/// Files read as one text.
#ifndef CAROM_CLI_WHOLE_FILE_H
#define CAROM_CLI_WHOLE_FILE_H

/// The whole of a file, ended by a zero; NULL where it cannot be read. The caller frees it.
char *carom_read_whole(const char *path);
/// The same of a file that `make lab` made: of the sources, else of what came with the program.
char *carom_read_made(const char *name);

#endif
