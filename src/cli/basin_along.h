// SPDX-License-Identifier: MIT
/// carom basin --along, as work of many runs.
#ifndef CAROM_CLI_BASIN_ALONG_H
#define CAROM_CLI_BASIN_ALONG_H

#include "carom/basin.h"
#include "many_runs.h"

const char *carom_course_alone(const carom_many_runs *it);
carom_status carom_course_compute(carom_many_runs *it, void **result, carom_error *error);
int carom_course_hand_over(const carom_many_runs *it, void *result, carom_status ended,
                           carom_error *error);
void carom_course_release(void *result);

#endif
