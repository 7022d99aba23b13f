// SPDX-License-Identifier: MIT
#include "record/trouble.h"

#include <stdarg.h>
#include <stdio.h>

carom_status carom_record_fail(carom_error *error, carom_status status, const char *file,
                               const char *format, ...) {
  if (!error) return status;
  *error = (carom_error){.status = status};
  if (file) (void)snprintf(error->file, sizeof error->file, "%s", file);
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
  return status;
}

carom_status carom_record_no_memory(carom_error *error) {
  return carom_record_fail(error, CAROM_ERR_MEMORY, NULL, "out of memory");
}
