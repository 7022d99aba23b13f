// SPDX-License-Identifier: MIT
/// Pictures of fits and of samples, drawn by gnuplot.
#ifndef CAROM_CLI_FIT_PICTURE_H
#define CAROM_CLI_FIT_PICTURE_H

#include "carom/design.h"

/// Each does nothing where `file` is NULL. Data and fit, with the residuals below.
carom_status carom_fit_picture(const char *file, const carom_fit_view *view, carom_error *error);
/// The walkers' inputs, sample after sample.
carom_status carom_fit_trace(const char *file, const carom_fit_view *view, carom_error *error);
/// Histograms of the inputs, and clouds of each pair.
carom_status carom_fit_corner(const char *file, const carom_fit_view *view, carom_error *error);
/// What each measurement would leave of the error, over time; those chosen are marked.
carom_status carom_design_picture(const char *file, const carom_design_options *options,
                                  const carom_design_view *view, carom_error *error);

#endif
