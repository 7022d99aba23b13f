// SPDX-License-Identifier: MIT
/// What the page of the lab calls (web/src/simulator.js is the other side). Built for WebAssembly
/// only. Lists of texts are one behind the other, each with its end.
#ifndef CAROM_LAB_LAB_H
#define CAROM_LAB_LAB_H

#define EXPORT(name) __attribute__((export_name(#name)))

typedef struct carom_lab carom_lab;

/// One scenario and the motion it gives; there are several instances of the program rather than
/// several of these.
carom_lab *lab_create(void);
/// Reads a scenario with `count` settings (path, value, path, value ...). 0 or a negative status,
/// the error as JSON.
int lab_load(carom_lab *it, const char *path, int count, const char *texts);
/// JSON: what the scenario has, by names, values and units; its text with all settings.
void lab_describe(carom_lab *it);
/// A run from the start with these values. JSON: how samples are laid out, and the scene. Of long
/// runs some thousand samples between two times are kept; the digest has them all.
int lab_begin(carom_lab *it, int count, const char *names, const double *values, double from,
              double until);
/// Goes on for some seconds of the clock: CAROM_STOP_USER (2) when there is more to do, else the
/// run's end or its error.
int lab_advance(carom_lab *it, double seconds);
/// JSON: what `carom run --digest --json` says.
int lab_summary(carom_lab *it, int status);
void lab_names(const carom_lab *it); // JSON: of events, by number

/// The run so far, row after row; valid until the next call.
const double *lab_samples(const carom_lab *it);
int lab_sample_count(const carom_lab *it);
int lab_sample_width(const carom_lab *it);
int lab_thinned(const carom_lab *it); // how often every second row had to go since the beginning
const double *lab_events(const carom_lab *it);
int lab_event_count(const carom_lab *it);
double lab_time(const carom_lab *it);

/// A command of the program; its answer is on standard output. Returns the exit code.
int lab_command(int count, const char *texts);
/// What was printed arrives.
void lab_flush(void);
void *lab_take(int size);
void lab_release(void *memory);

#endif
