// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "table_picture.h"

#include "draw/plot.h"

#include <unistd.h>

const char *carom_table_file(const carom_call *call, char room[CAROM_TABLE_FILE]) {
  const char *out = carom_call_value(call, "out"), *picture = carom_call_value(call, "picture");
  if (out || !picture) return out;
  (void)snprintf(room, CAROM_TABLE_FILE, "%.1000s.tmp-%ld.h5", picture, (long)getpid());
  return room;
}

carom_status carom_table_picture(const carom_call *call, const char *of, carom_error *error) {
  char room[CAROM_TABLE_FILE];
  const char *picture = carom_call_value(call, "picture");
  if (!picture) return CAROM_OK;
  carom_plot_options options = carom_plot_options_default();
  options.file = carom_table_file(call, room);
  options.output = picture;
  options.of = of;
  carom_status status = carom_plot(&options, error);
  if (options.file == room) (void)unlink(room);
  return status;
}
