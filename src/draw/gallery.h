// SPDX-License-Identifier: MIT
/// Pages of studies: a table of published and computed numbers with verdicts, figures with
/// captions, and one index page.
#ifndef CAROM_DRAW_GALLERY_H
#define CAROM_DRAW_GALLERY_H

#include "carom/study.h"
#include "record/out_file.h"

#include <stdio.h>

enum { CAROM_GALLERY_PATH = 1024, CAROM_GALLERY_MOST = 64 };

/// What the index says of a study.
typedef struct carom_gallery_entry {
  char name[128], title[256], paper[512], picture[256]; // picture: of the first figure; ""
  int verdicts[CAROM_VERDICTS], left_out, figures;
} carom_gallery_entry;

typedef struct carom_gallery {
  char folder[CAROM_GALLERY_PATH];
  bool full;
  int count, at; // at: the study that is being written
  carom_gallery_entry entries[CAROM_GALLERY_MOST];
  FILE *page; // of the study that is being written
  carom_out_file page_out;
} carom_gallery;

/// Makes the folder where it is missing.
carom_status carom_gallery_open(carom_gallery *it, const char *folder, bool full,
                                carom_error *error);
/// Begins the page of a study called `name` (NAME.html); one of that name in the index is replaced.
carom_status carom_gallery_begin(carom_gallery *it, const char *name, const carom_study *study,
                                 carom_error *error);
/// A row of the table; `result` NULL: the line was left out of a quick run.
void carom_gallery_line(carom_gallery *it, const carom_study_line *line,
                        const carom_study_result *result);
/// Ends the table: figures follow.
void carom_gallery_lines_end(carom_gallery *it);
/// What the figure of a study links to, relative to the folder; "" none.
typedef struct carom_gallery_links {
  const char *picture;
  const char *page; // plays the motion
  const char *lab;  // computes it anew
} carom_gallery_links;

/// A figure: `commands` as one would type them, `trouble` (NULL: none) why there is no picture.
void carom_gallery_figure(carom_gallery *it, const carom_study_figure *figure,
                          const carom_gallery_links *links, const char *commands,
                          const char *trouble);
/// Ends the page and writes the index with all studies so far.
carom_status carom_gallery_end(carom_gallery *it, carom_error *error);

#endif
