// SPDX-License-Identifier: MIT
/// carom movie: a recorded motion as MP4 or GIF.
#include "commands.h"
#include "draw/movie.h"
#include "drawn.h"
#include "progress.h"
#include "report.h"

static bool show_progress(void *ctx, long done, long total) {
  carom_progress_points(ctx, done, total, -1.0);
  return carom_interrupt_look();
}

static int make_movie(const carom_call *call) {
  carom_error error = {0};
  char output[CAROM_DRAWN_NAME];
  carom_movie_options options = carom_movie_options_default();
  double width = options.width, height = options.height;
  carom_drawn_name(call, ".mp4", output);
  options.file = carom_call_file(call);
  options.output = carom_call_value(call, "out") ? carom_call_value(call, "out") : output;
  if (!carom_drawn_number(call, "from", &options.from, &error) ||
      !carom_drawn_number(call, "until", &options.until, &error) ||
      !carom_drawn_number(call, "seconds", &options.seconds, &error) ||
      !carom_drawn_number(call, "rate", &options.frame_rate, &error) ||
      !carom_drawn_number(call, "width", &width, &error) ||
      !carom_drawn_number(call, "height", &height, &error))
    return carom_report(call, &error, NULL, CAROM_EXIT_WRONG_INPUT);
  options.width = width > 0.0 && width < 1e5 ? (int)width : 0;
  options.height = height > 0.0 && height < 1e5 ? (int)height : 0;
  options.follow = carom_call_has(call, "follow");
  carom_progress progress = carom_progress_begin(!carom_call_has(call, "quiet"), 0.0, 1.0);
  carom_interrupt_catch();
  options.ctx = &progress;
  options.progress = show_progress;
  carom_status status = carom_movie_write(&options, &error);
  carom_progress_end(&progress);
  return carom_drawn_answer(call, status, &error, "movie", options.output);
}

static const carom_option OPTIONS[] = {
    {"out", "MOVIE", "", "FILE.mp4", "NAME.mp4 or NAME.gif; also -o", NULL},
    {"from", "T", "time of the run", "the start", "leave out what comes before", NULL},
    {"until", "T", "time of the run", "the end", "leave out what comes after", NULL},
    {"seconds", "S", "s", "12", "how long the movie lasts", NULL},
    {"rate", "N", "pictures per second", "25", "how smooth it is", NULL},
    {"width", "N", "pixels", "720", "of the picture, even", NULL},
    {"height", "N", "pixels", "480", "of the picture, even", NULL},
    {"follow", NULL, "", "no", "the camera goes with what moves (in the plane)", NULL},
    CAROM_OPTIONS_OF_ANSWERS,
};

const carom_command carom_command_movie = {
    .name = "movie",
    .arguments = "FILE.h5",
    .summary = "Makes a movie of a recorded run",
    .details =
        "The motion drawn from the scenario's `shapes`, or the rods and bodies of the engine, with "
        "contact\nforces as arrows and the trail of the last second. Needs ffmpeg.\n",
    .examples =
        "  carom movie run.h5\n"
        "  carom movie run.h5 --from 10 --until 11 --seconds 20 -o slow.mp4\n"
        "  carom movie run.h5 --width 400 --height 300 --rate 15 --seconds 6 -o small.gif\n",
    CAROM_TAKES(OPTIONS),
    .run = make_movie,
};
