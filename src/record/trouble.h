// SPDX-License-Identifier: MIT
/// How the recorder reports failure. It stands on the public interface alone, so that it can be
/// linked with the shared library too.
#ifndef CAROM_RECORD_TROUBLE_H
#define CAROM_RECORD_TROUBLE_H

#include "carom/status.h"

/// Records a formatted message about `file` (NULL: none) in `error` (nullable); returns `status`.
carom_status carom_record_fail(carom_error *error, carom_status status, const char *file,
                               const char *format, ...) CAROM_PRINTF(4, 5);
/// Out of memory: records it and returns CAROM_ERR_MEMORY.
carom_status carom_record_no_memory(carom_error *error);

#endif
