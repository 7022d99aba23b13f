// SPDX-License-Identifier: MIT
/// A recorded motion as a movie, through ffmpeg.
#ifndef CAROM_DRAW_MOVIE_H
#define CAROM_DRAW_MOVIE_H

#include "draw/raster.h"
#include "draw/scene_data.h"

typedef struct carom_movie_options {
  const char *file;                                   // recorded run
  const char *output;                                 // NAME.mp4 or NAME.gif
  double from, until;                                 // part of the time; NaN: all
  double seconds;                                     // how long the movie lasts
  int width, height;                                  // pixels
  double frame_rate;                                  // pictures a second
  bool follow;                                        // the camera goes with what moves
  void *ctx;                                          // of progress
  bool (*progress)(void *ctx, long done, long total); // nullable; true stops
} carom_movie_options;
carom_movie_options carom_movie_options_default(void);

/// CAROM_STOP_USER when progress asked to stop: then there is no movie.
carom_status carom_movie_write(const carom_movie_options *options, carom_error *error);

// ---- inside the room

enum { CAROM_STAGE_KINDS = 6 };

/// Paints the bodies at frame `frame`; `trail` frames before it leave a line.
typedef struct carom_stage {
  const carom_scene_data *scene;
  carom_raster *raster;
  long first, last;        // the frames that are shown; last is 0: all
  double box[4];           // of the plane: all that is ever seen
  double middle[3], reach; // of space
  double extent[3], zoom;  // its edges; pixels per unit of length in the middle
  bool flat;               // rods that stay in a plane across y are seen from the front
  double low, high;        // of the middles of rods at the start, where there are many; else 0
  int kind_count;          // of rods of one half length and radius
  double kinds[CAROM_STAGE_KINDS][2];
  long trail;
  double near;       // how much a camera that follows sees; 0: not measured yet
  const double *now; // numbers of the instant, between two frames; NULL: those of the frame
} carom_stage;

void carom_stage_measure(carom_stage *stage);
/// Finds the zoom at which the box of all that is ever seen fits into the picture.
void carom_stage_fit_space(carom_stage *it);
void carom_stage_plane(const carom_stage *stage, long frame);
void carom_stage_space(const carom_stage *stage, long frame);
/// Puts the camera to what moves at a frame.
void carom_stage_follow(carom_stage *stage, long frame);
/// An arrow in the plane, from a place along a force; `length` is that of the arrow in pixels.
void carom_stage_arrow(const carom_stage *stage, const double at[2], const double force[2],
                       double length);
/// How long an arrow is, in the lower right corner.
void carom_stage_force_scale(const carom_stage *stage, double pixels_a_unit);
/// Text that can be read over what lies below it.
void carom_stage_text(const carom_stage *it, double x, double y, double size, const char *text,
                      unsigned colour);

#endif
